/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Loads and executes what a command was given: a scenario, or a configuration of the HPCC
 * simulator.
 */
#include "foreign/subject.h"

#include "foreign/hpcc/run.h"

#include <stdlib.h>

static int load_hpcc(const struct weft_cli *cli, const struct weft_source_opts *o,
                     const char *config, struct weft_subject *out, struct weft_err *err)
{
    struct weft_hpcc_taking taking;
    if (weft_params_defaults(&weft_hpcc_taking_table, &taking, err))
        return err->code;
    out->hpcc = (struct weft_hpcc_run *)calloc(1, sizeof *out->hpcc);
    if (!out->hpcc)
        return weft_err_no_memory(err, "a run");
    const int code = weft_hpcc_run_load(out->hpcc, cli, config, o, &taking, err);
    out->s = out->hpcc->s;
    return code;
}

int weft_subject_load(const struct weft_cli *cli, const struct weft_source_opts *o, char **args,
                      int nargs, struct weft_subject *out, struct weft_err *err)
{
    *out = (struct weft_subject){0};
    if (nargs == 1 && weft_file_is_regular(args[0]) && weft_hpcc_config_looks(args[0]))
        return load_hpcc(cli, o, args[0], out, err);
    return weft_source_load(cli, o, args, nargs, &out->s, err);
}

int weft_subject_execute(const struct weft_cli *cli, struct weft_subject *subject,
                         const struct weft_execute_opts *o, struct weft_execution *x,
                         struct weft_err *err)
{
    struct weft_hpcc_run *r = subject->hpcc;
    if (!r)
        return weft_execute(cli, subject->s, o, x, err);
    *x = (struct weft_execution){.scenario = subject->s};
    if (o->needs & WEFT_METRIC_NEEDS_ALONE)
        return weft_err_set(err, WEFT_E_USAGE,
                            "the flows of a configuration are no workloads that could run alone: "
                            "leave out --alone and metrics that need it");
    const int code = weft_hpcc_run_play(r, o, err);
    *x = r->x; /* report and fabric are the caller's now */
    r->x.report = NULL;
    r->job.fabric = NULL;
    return code;
}

void weft_subject_text(FILE *out, const struct weft_subject *subject)
{
    if (subject->hpcc)
        weft_hpcc_run_text(out, subject->hpcc);
}

const char *weft_subject_flows(const struct weft_subject *subject)
{
    return subject->hpcc ? subject->hpcc->job.flows->file : NULL;
}

void weft_subject_free(struct weft_subject *subject)
{
    if (subject->hpcc) {
        weft_hpcc_run_release(subject->hpcc);
        free(subject->hpcc);
    } else {
        weft_scenario_free(subject->s);
    }
    *subject = (struct weft_subject){0};
}
