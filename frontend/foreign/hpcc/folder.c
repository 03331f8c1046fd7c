/* SPDX-License-Identifier: GPL-2.0-only */
/* The folder of a run of `weft hpcc`: names of its files, and its run.json. */
#include "foreign/hpcc/run.h"
#include "run/processes_alone.h"
#include "run/run_json.h"

#include "foreign/hpcc/output.h"

int weft_hpcc_run_name_outputs(struct weft_hpcc_run *r, const char *dir, struct weft_err *err)
{
    const struct weft_hpcc_config *c = r->job.config;
    static const char *const keys[] = {"FCT_OUTPUT_FILE", "PFC_OUTPUT_FILE", "QLEN_MON_FILE",
                                       "TRACE_OUTPUT_FILE"};
    const char *const given[] = {c->fct_output_file, c->pfc_output_file, c->qlen_mon_file,
                                 c->trace_output_file};
    if (!dir)
        return 0;
    r->out_dir = dir;
    r->names[WEFT_HPCC_SLOWDOWN] = "fct_slowdown.csv";
    for (int i = 0; i < WEFT_HPCC_SLOWDOWN; i++) {
        r->names[i] = given[i][0] ? weft_path_base(given[i]) : NULL;
        if (r->names[i] && weft_hpcc_output_name(c, keys, r->names, i, err))
            return err->code;
    }
    for (int i = 0; i < WEFT_HPCC_FILES; i++)
        if (r->names[i] && weft_path_join(r->paths[i], dir, r->names[i], err))
            return err->code;
    return 0;
}

void weft_hpcc_run_json(struct weft_json *j, const void *ctx)
{
    const struct weft_hpcc_run *r = (const struct weft_hpcc_run *)ctx;
    weft_json_kv_str(j, "scenario", r->s->name);
    weft_json_kv_str(j, "file", r->job.config->file);
    weft_json_kv_str(j, "flows", r->job.flows->file);
    weft_json_kv_bool(j, "compat", r->taking.compat);
    weft_outcome_json(j, r->outcome ? r->outcome : r->x.end.summary.outcome, r->x.end.reason);
    weft_processes_json(j, r->cli);
    weft_json_kv_array(j, "files");
    for (int i = 0; i < WEFT_HPCC_FILES; i++)
        if (r->names[i])
            weft_json_str(j, r->names[i]);
    weft_json_end_array(j);
    weft_json_kv_array(j, "warnings");
    for (size_t i = 0; i < r->s->nwarnings; i++)
        weft_json_str(j, r->s->warnings[i]);
    weft_json_end_array(j);
    weft_json_key(j, "config");
    weft_source_config_json(j, r->s);
    if (!r->outcome)
        weft_run_json_results(j, &r->x);
}
