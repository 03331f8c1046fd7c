/* SPDX-License-Identifier: GPL-2.0-only */
/* A configuration of HPCC's and the settings beside it, read and resolved. */
#include "base/param.h"
#include "congestion/cc_table.h"
#include "foreign/hpcc/run.h"

#include <stdlib.h>
#include <string.h>

#define SECTION "simulator."

static const struct weft_param params[] = {
    {WEFT_ROW_BOOL(struct weft_hpcc_taking, compat, "compat", "false"),
     .help = "wire sizes, rounding, ACKs, buffer and hash as in the simulator"},
    {WEFT_ROW_STRING(struct weft_hpcc_taking, control, "control", ""),
     .help = "weft's control of this name with its own defaults in place of CC_MODE"},
    {WEFT_ROW_ENUM(struct weft_hpcc_taking, flow_format, "flow-format", "auto",
                   "auto|hpcc|conweave"),
     .help = "columns of the flow list; conweave has no port; auto: by their number"}};

const struct weft_param_table weft_hpcc_taking_table =
    WEFT_PARAM_TABLE(params, struct weft_hpcc_taking);

/* hosts-forward, of hpcc, the type of TOPOLOGY_FILE: the fabric is read before settings are
 * resolved. 1: this is it. */
static int take_forwarding(struct weft_hpcc_run *r, const char *set, struct weft_err *err)
{
    static const char *const keys[] = {"hpcc.hosts-forward=", "topology.hosts-forward="};
    static const struct weft_param table[] = {
        {WEFT_ROW_BOOL(struct weft_hpcc_run, hosts_forward, "hosts-forward", NULL)}};
    static const struct weft_param_table t = WEFT_PARAM_TABLE(table, struct weft_hpcc_run);
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (strncmp(set, keys[i], strlen(keys[i])) == 0)
            return weft_params_set(&t, r, "hosts-forward", set + strlen(keys[i]), err)
                       ? weft_err_prepend(err, "--set %s", set)
                       : 1;
    return 0;
}

/* Settings that the configuration makes, and where. */
static int check_free(const char *set, struct weft_err *err)
{
    static const struct {
        const char *prefix, *why;
    } fixed[] = {
        {"topology.", "topology and flows are those of the configuration: TOPOLOGY_FILE"},
        {"hpcc.file=", "topology and flows are those of the configuration: TOPOLOGY_FILE"},
        {"hpcc.error-rate=", "it is ERROR_RATE_PER_LINK of the configuration"},
        {"workload.", "topology and flows are those of the configuration: FLOW_FILE"},
        {"generate.", "topology and flows are those of the configuration: FLOW_FILE"},
        {"system.", "topology and flows are those of the configuration"},
        {"in-network.", "flows have no operations in switches"},
        {"run.warm-up=", "all flows of the configuration are measured"},
        {"run.measure=", "all flows of the configuration are measured; run.until ends the run"},
        {"fault.", "what goes wrong is LINK_DOWN of the configuration and the error rates of its "
                   "topology"},
        {"congestion-control.name=",
         "it is that of CC_MODE; another in its place: --set simulator.control=NAME"},
    };
    for (size_t k = 0; k < sizeof fixed / sizeof fixed[0]; k++)
        if (strncmp(set, fixed[k].prefix, strlen(fixed[k].prefix)) == 0)
            return weft_err_set(err, WEFT_E_INPUT, "--set %s: %s", set, fixed[k].why);
    return 0;
}

/* "simulator.NAME=VALUE". */
static int hpcc_load_take(struct weft_hpcc_run *r, const char *set, struct weft_err *err)
{
    char name[64];
    const char *from = set + strlen(SECTION), *eq = strchr(from, '=');
    const size_t len = eq ? (size_t)(eq - from) : 0;
    if (len >= sizeof name || !eq)
        return weft_err_set(err, WEFT_E_USAGE, "--set %s: must be KEY=VALUE", set);
    snprintf(name, sizeof name, "%.*s", (int)len, from);
    if (weft_params_set(&weft_hpcc_taking_table, &r->taking, name, eq + 1, err))
        return weft_err_prepend(err, "--set " SECTION "%s", name);
    return 0;
}

/* Of the settings, those of the configuration come first, *nkeys of them; the others follow,
 * *nsets, with room for those that other options stand for. */
static int split(struct weft_hpcc_run *r, const struct weft_strings *set, size_t *nkeys,
                 size_t *nsets, struct weft_err *err)
{
    *nkeys = *nsets = 0;
    r->sets = (const char **)calloc(set->n + 1, sizeof *r->sets);
    if (!r->sets)
        return weft_err_no_memory(err, "settings");
    for (size_t i = 0; i < set->n; i++)
        if (weft_hpcc_is_override(set->list[i]))
            r->sets[(*nkeys)++] = set->list[i];
    for (size_t i = 0; i < set->n; i++) {
        if (weft_hpcc_is_override(set->list[i]))
            continue;
        if (strncmp(set->list[i], SECTION, strlen(SECTION)) == 0) {
            if (hpcc_load_take(r, set->list[i], err))
                return err->code;
            continue;
        }
        const int forwarding = take_forwarding(r, set->list[i], err);
        if (forwarding < 0 || (!forwarding && check_free(set->list[i], err)))
            return err->code;
        r->sets[*nkeys + (*nsets)++] = set->list[i];
    }
    return 0;
}

/* Puts what the translation warns of before the warnings of the settings. */
static int add_warnings(struct weft_hpcc_run *r, struct weft_err *err)
{
    struct weft_scenario *s = r->s;
    const size_t own = r->profile->nwarnings, n = own + s->nwarnings;
    const char **all = (const char **)weft_arena_calloc(s->arena, n + 1, sizeof *all);
    if (!all)
        return weft_err_no_memory(err, "warnings");
    for (size_t i = 0; i < n; i++)
        all[i] = i < own ? r->profile->warnings[i] : s->warnings[i - own];
    s->warnings = all;
    s->nwarnings = s->warnings_cap = n;
    return 0;
}

static int load_settings(struct weft_hpcc_run *r, const struct weft_source_opts *o,
                         const char *const *own, size_t nown, struct weft_err *err)
{
    size_t n = r->profile->nsets, implied = n;
    const char **sets = (const char **)calloc(n + nown + WEFT_SOURCE_SHORTS, sizeof *sets);
    char *texts = NULL;
    if (!sets)
        return weft_err_no_memory(err, "a run");
    memcpy(sets, r->profile->sets, n * sizeof *sets);
    for (size_t i = 0; i < nown; i++)
        sets[n++] = own[i];
    int code = weft_source_shorts(o, sets, &n, &texts, err);
    const struct weft_scenario_options so = {r->cli->backends, r->cli->nbackends, sets, n, implied};
    if (!code)
        code = weft_scenario_load(NULL, &so, &r->s, err);
    free(texts);
    free(sets);
    return code;
}

static int hpcc_load_resolve(struct weft_hpcc_run *r, const struct weft_source_opts *o,
                             const char *const *own, size_t nown, struct weft_err *err)
{
    const struct weft_hpcc_profile_input in = {r->job.config,
                                               r->job.topology_path,
                                               r->job.fabric,
                                               r->job.flows,
                                               &r->job.pairs,
                                               r->taking.compat,
                                               r->taking.control[0] ? r->taking.control : NULL,
                                               false};
    if (in.control && !weft_cc_find(in.control, err))
        return weft_err_prepend(err, "--control");
    r->profile = weft_hpcc_profile_new(&in, err);
    if (!r->profile || load_settings(r, o, own, nown, err) ||
        weft_scenario_warn_pauses(r->s, r->job.fabric, err) || add_warnings(r, err))
        return err->code;
    weft_source_fabric_notes(r->cli, r->job.fabric);
    for (size_t i = 0; i < r->s->nwarnings; i++)
        weft_log(r->cli->log, WEFT_LOG_WARNING, "%s", r->s->warnings[i]);
    return 0;
}

/* The run is called as the folder of its configuration. */
static int name_run(struct weft_hpcc_run *r, struct weft_err *err)
{
    if (weft_path_dir(r->name, r->job.config->file, err))
        return err->code;
    const char *name = weft_path_base(r->name);
    if (!name[0] || strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
        name = "hpcc";
    r->s->name = name;
    return 0;
}

int weft_hpcc_run_load(struct weft_hpcc_run *r, const struct weft_cli *cli, const char *config,
                       const struct weft_source_opts *o, const struct weft_hpcc_taking *taking,
                       struct weft_err *err)
{
    size_t nkeys, nsets;
    r->cli = cli;
    r->taking = *taking;
    r->x.started_ns = weft_clock_monotonic_ns(NULL);
    if (split(r, &o->set, &nkeys, &nsets, err))
        return err->code;
    const struct weft_hpcc_overrides keys = {r->sets, nkeys};
    int code = weft_hpcc_job_read(&r->job, config, r->hosts_forward, &keys,
                                  (enum weft_hpcc_flow_format)r->taking.flow_format, err);
    code = code ? code : hpcc_load_resolve(r, o, r->sets + nkeys, nsets, err);
    code = code ? code : name_run(r, err);
    r->x.scenario = r->s;
    r->x.parts.fabric = r->job.fabric;
    return code;
}
