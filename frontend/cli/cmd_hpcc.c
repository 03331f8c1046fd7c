/* SPDX-License-Identifier: GPL-2.0-only */
/* weft hpcc: runs a configuration of the HPCC simulator. */
#include "base/units.h"
#include "cli/hpcc_run.h"
#include "cli/limits.h"
#include "congestion/cc.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static const struct weft_opt options[] = {
    {"config", 'c', WEFT_OPT_TEXT, offsetof(struct weft_hpcc_opts, config), "FILE", NULL,
     "HPCC's config.txt"},
    {"compat", 0, WEFT_OPT_FLAG, offsetof(struct weft_hpcc_opts, compat), NULL, NULL,
     "wire sizes, rounding, ACKs, buffer and hash as in the simulator"},
    {"control", 0, WEFT_OPT_TEXT, offsetof(struct weft_hpcc_opts, control), "NAME", NULL,
     "weft's NAME with its own defaults in place of CC_MODE; names: weft list cc"},
    WEFT_SOURCE_OPTS(weft_hpcc_opts),
    {"out", 'o', WEFT_OPT_TEXT, offsetof(struct weft_hpcc_opts, out), "DIR", NULL,
     "run folder; default out/NAME of the configuration's folder"},
    {"no-out", 0, WEFT_OPT_FLAG, offsetof(struct weft_hpcc_opts, no_out), NULL, NULL,
     "write no files"},
    {"flow-format", 0, WEFT_OPT_CHOICE, offsetof(struct weft_hpcc_opts, flow_format), NULL,
     "auto|hpcc|conweave", "columns of the flow list; conweave has no port; auto: by their number"},
    {"show-settings", 0, WEFT_OPT_FLAG, offsetof(struct weft_hpcc_opts, show), NULL, NULL,
     "print the resolved settings instead of running"},
    {"json", 0, WEFT_OPT_FLAG, offsetof(struct weft_hpcc_opts, json), NULL, NULL,
     "print as JSON: what run.json says"},
    WEFT_LIMIT_OPTS(weft_hpcc_opts),
    {"quiet", 'q', WEFT_OPT_FLAG, offsetof(struct weft_hpcc_opts, quiet), NULL, NULL,
     "no summary and no progress; errors and warnings only"},
};

/* Settings that the configuration makes, and where. */
static int check_free(const char *set, struct weft_err *err)
{
    static const struct {
        const char *prefix, *why;
    } fixed[] = {
        {"topology.", "topology and flows are those of the configuration"},
        {"workload.", "topology and flows are those of the configuration"},
        {"system.", "topology and flows are those of the configuration"},
        {"trouble.", "what goes wrong is LINK_DOWN of the configuration and the error rates of its "
                     "topology"},
        {"congestion-control.name=", "it is that of CC_MODE; another in its place: --control NAME"},
    };
    for (size_t k = 0; k < sizeof fixed / sizeof fixed[0]; k++)
        if (strncmp(set, fixed[k].prefix, strlen(fixed[k].prefix)) == 0)
            return weft_err_set(err, WEFT_E_INPUT, "--set %s: %s", set, fixed[k].why);
    return 0;
}

static int resolve_settings(struct weft_hpcc_run *r, struct weft_err *err)
{
    const struct weft_hpcc_opts *o = r->o;
    struct weft_hpcc_profile_input in = {r->job.config, r->job.topology_path, r->job.fabric,
                                         r->job.flows,  &r->job.pairs,        o->compat,
                                         o->control};
    if (o->control && !weft_cc_find(o->control, err))
        return weft_err_prepend(err, "--control");
    r->profile = weft_hpcc_profile_new(&in, err);
    if (!r->profile)
        return err->code;
    size_t n = r->profile->nsets, implied = n;
    const char **sets =
        (const char **)calloc(n + o->source.set.n + WEFT_SOURCE_SHORTS, sizeof *sets);
    char *texts = NULL;
    if (!sets)
        return weft_err_set(err, WEFT_E_LIMIT, "out of memory for a run");
    memcpy(sets, r->profile->sets, n * sizeof *sets);
    int code = 0;
    for (size_t i = 0; !code && i < o->source.set.n; i++) {
        sets[n++] = o->source.set.list[i];
        code = check_free(sets[n - 1], err);
    }
    if (!code)
        code = weft_source_shorts(&o->source, sets, &n, &texts, err);
    struct weft_scenario_options so = {r->cli->backends, r->cli->nbackends, sets, n, implied};
    if (!code)
        code = weft_scenario_load(NULL, &so, &r->s, err);
    free(texts);
    free(sets);
    if (!code)
        code = weft_scenario_warn_pauses(r->s, r->job.fabric, err);
    if (!code)
        weft_source_fabric_notes(r->cli, r->job.fabric);
    for (size_t i = 0; !code && i < r->profile->nwarnings; i++)
        weft_log(r->cli->log, WEFT_LOG_WARNING, "%s", r->profile->warnings[i]);
    for (size_t i = 0; !code && i < r->s->nwarnings; i++)
        weft_log(r->cli->log, WEFT_LOG_WARNING, "%s", r->s->warnings[i]);
    return code;
}

static int run(const struct weft_cli *cli, const void *opts, char **args, int nargs,
               struct weft_err *err)
{
    const struct weft_hpcc_opts *o = (const struct weft_hpcc_opts *)opts;
    if (nargs)
        return weft_err_set(err, WEFT_E_USAGE, "'%s' is not an option; the file is --config FILE",
                            args[0]);
    if (!o->config)
        return weft_err_set(err, WEFT_E_USAGE, "--config must be given");
    if (o->out && o->no_out)
        return weft_err_set(err, WEFT_E_USAGE, "--out and --no-out exclude each other");
    struct weft_hpcc_run *r = (struct weft_hpcc_run *)calloc(1, sizeof *r);
    if (!r)
        return weft_err_set(err, WEFT_E_LIMIT, "out of memory for a run");
    r->cli = cli;
    r->o = o;
    r->started_ns = weft_clock_monotonic_ns(NULL);
    int code = weft_limits_read(o->time_limit, o->memory_limit, &r->limits, err);
    if (!code)
        code =
            weft_hpcc_job_read(&r->job, o->config, (enum weft_hpcc_flow_format)o->flow_format, err);
    if (!code)
        code = resolve_settings(r, err);
    if (!code && o->show)
        weft_source_config_text(cli->out, r->s);
    else if (!code)
        code = weft_hpcc_run_play(r, err);
    weft_hpcc_run_release(r);
    free(r);
    return code;
}

extern const struct weft_command weft_command_hpcc;
const struct weft_command weft_command_hpcc = {
    .name = "hpcc",
    .summary = "Run a configuration of the HPCC simulator",
    .usage = "--config FILE [--compat] [--set KEY=VALUE]... [--out DIR]",
    .example = "weft hpcc --config mix/config.txt --compat --out out/mix",
    .details =
        "Reads config.txt and the topology, flow and trace lists that it names; writes fct.txt, "
        "pfc.txt, fct_slowdown.csv and, where QLEN_MON_FILE is set, qlen.txt beside weft's own "
        "outputs.\n"
        "The congestion controls of CC_MODE run as the simulator does them; --compat makes wire "
        "sizes, rounding, "
        "ACKs, switch buffers and path choice the simulator's too.\n"
        "Keys without effect are reported; values that weft can't honour are errors. The packet "
        "trace of TRACE_OUTPUT_FILE is not written.",
    .opts = options,
    .nopts = sizeof options / sizeof options[0],
    .opts_size = sizeof(struct weft_hpcc_opts),
    .run = run,
};
