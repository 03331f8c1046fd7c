/* SPDX-License-Identifier: GPL-2.0-only */
/* weft hpcc: runs a configuration of the HPCC simulator. */
#include "foreign/hpcc/run.h"
#include "foreign/run_output.h"
#include "run/interrupt.h"
#include "run/limits.h"
#include "run/processes_alone.h"
#include "run/processes_take.h"

#include <stddef.h>
#include <stdlib.h>

struct opts {
    struct weft_source_opts source;
    const char *config, *control, *out, *time_limit, *memory_limit, *watchdog;
    bool compat, no_out, quiet, show, json;
    int flow_format; /* enum */
};

#define WEFT_OPTS struct opts
static const struct weft_opt options[] = {
    WEFT_TEXT("config", 'c', config, "FILE", "HPCC's config.txt, as an option"),
    WEFT_FLAG("compat", 0, compat,
              "wire sizes, rounding, ACKs, buffer and hash as in the simulator"),
    WEFT_TEXT("control", 0, control, "NAME",
              "weft's NAME with its own defaults in place of CC_MODE; names: weft list cc"),
    WEFT_SOURCE_OPTS,
    WEFT_TEXT("out", 'o', out, "DIR", "run folder; default out/NAME of the configuration's folder"),
    WEFT_FLAG("no-out", 0, no_out, "write no files"),
    WEFT_CHOICE("flow-format", 0, flow_format, "auto|hpcc|conweave",
                "columns of the flow list; conweave has no port; auto: by their number"),
    WEFT_FLAG("show-settings", 0, show, "print the resolved settings instead of running"),
    WEFT_FLAG("json", 0, json, "print as JSON: what run.json says"),
    WEFT_LIMIT_OPTS,
    WEFT_FLAG("quiet", 'q', quiet, "no summary and no progress; errors and warnings only"),
};

static void hpcc_print_json(const struct weft_hpcc_run *r)
{
    struct weft_json j;
    weft_json_init(&j, r->cli->out, "standard output", 2);
    weft_json_object(&j);
    weft_json_kv_u64(&j, "schema_version", WEFT_JSON_SCHEMA_VERSION);
    weft_json_kv_str(&j, "command", "hpcc");
    weft_json_kv_str(&j, "out", r->out_dir);
    weft_hpcc_run_json(&j, r);
    weft_json_end_object(&j);
    weft_json_finish(&j, NULL);
}

static void hpcc_print(const struct weft_hpcc_run *r, const struct opts *o)
{
    if (o->json)
        hpcc_print_json(r);
    if (o->quiet || o->json)
        return;
    weft_summary_text(r->cli->out, &r->x.end.summary, r->job.fabric);
    weft_processes_text(r->cli);
    weft_hpcc_run_text(r->cli->out, r);
    if (r->out_dir)
        fprintf(r->cli->out, "results in %s/\n", r->out_dir);
}

static int hpcc_play(struct weft_hpcc_run *r, const struct opts *o, struct weft_err *err)
{
    char dir[WEFT_PATH_MAX];
    struct weft_execute_opts eo = {.out_dir = o->out,
                                   .progress = o->quiet ? NULL : r->cli->err,
                                   .progress_is_tty = r->cli->err_is_tty};
    int code = weft_limits_read(o->time_limit, o->memory_limit, o->watchdog, &eo.limits, err);
    if (!code)
        code = weft_run_folder(&eo, o->no_out, r->s->name, dir, err);
    if (!code && r->cli->peers)
        code = weft_processes_take(r->cli->peers, r->s, o->time_limit || o->memory_limit, &eo, err);
    code = code ? code : weft_hpcc_run_play(r, &eo, err);
    weft_interrupt_saved();
    if (r->x.summed_up && err->code != WEFT_E_ALONE)
        hpcc_print(r, o);
    return code ? code : r->x.end.code;
}

static int run(const struct weft_cli *cli, const void *opts, char **args, int nargs,
               struct weft_err *err)
{
    const struct opts *o = (const struct opts *)opts;
    const char *config = o->config ? o->config : nargs ? args[0] : NULL;
    if (nargs > !o->config)
        return weft_err_set(err, WEFT_E_USAGE, "one configuration at a time; '%s' is one too many",
                            args[nargs - 1]);
    if (!config)
        return weft_err_set(err, WEFT_E_USAGE, "a configuration must be given");
    if (o->out && o->no_out)
        return weft_err_set(err, WEFT_E_USAGE, "--out and --no-out exclude each other");
    struct weft_hpcc_run *r = (struct weft_hpcc_run *)calloc(1, sizeof *r);
    if (!r)
        return weft_err_no_memory(err, "a run");
    const struct weft_hpcc_taking taking = {o->compat, o->control ? o->control : "",
                                            o->flow_format};
    int code = weft_hpcc_run_load(r, cli, config, &o->source, &taking, err);
    if (!code && o->show)
        weft_source_config_text(cli->out, r->s, true);
    else if (!code)
        code = hpcc_play(r, o, err);
    weft_hpcc_run_release(r);
    free(r);
    return code;
}

const struct weft_command weft_command_hpcc = {
    .name = "hpcc",
    .summary = "Run a configuration of the HPCC simulator",
    .usage = "CONFIG [--compat] [--set KEY=VALUE]... [--out DIR]",
    .example = "weft hpcc mix/config.txt --compat --out out/mix",
    .details =
        "Reads config.txt and the topology, flow and trace lists that it names; writes fct.txt, "
        "pfc.txt, fct_slowdown.csv and, where QLEN_MON_FILE and TRACE_OUTPUT_FILE are set, "
        "qlen.txt "
        "and mix.tr beside weft's own outputs.\n"
        "The congestion controls of CC_MODE run as the simulator does them; --compat makes wire "
        "sizes, rounding, "
        "ACKs, switch buffers and path choice the simulator's too.\n"
        "--set also takes the configuration's own keys, as if they were its last lines: --set "
        "ENABLE_TRACE=0, --set 'KMAX_MAP=1 100000000000 800'.\n"
        "Keys without effect are reported; values that weft can't honour are errors. 'weft run' "
        "takes such a file too, and 'weft sweep' varies its keys; there --compat, --control and "
        "--flow-format are the settings simulator.compat, simulator.control and "
        "simulator.flow-format.\n"
        "Under mpirun ('mpirun -n 2 weft hpcc ...') the processes share the fabric out; results "
        "are the same.",
    WEFT_COMMAND_OPTS(options, WEFT_OPTS),
    .run = run,
};
