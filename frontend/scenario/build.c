/* SPDX-License-Identifier: GPL-2.0-only */
/* From a resolved scenario to a fabric and a job, with every check that needs them. */
#include "base/units.h"
#include "jobs/tuner.h"
#include "scenario/resolve.h"
#include "system/library.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Gives an error that begins with the key of a setting the setting's place. */
static bool name_setting(const struct weft_scenario *s, struct weft_err *err)
{
    const size_t key = strcspn(err->msg, " :=");
    char name[128];
    for (size_t i = 0; i < s->ngroups; i++) {
        const struct weft_scenario_group *g = &s->groups[i];
        for (size_t k = 0; k < g->table->n; k++) {
            const struct weft_origin *o = &g->origins[k];
            snprintf(name, sizeof name, "%s.%s", g->prefix, g->table->params[k].name);
            if (strlen(name) != key || strncmp(name, err->msg, key) != 0)
                continue;
            if (o->kind == WEFT_ORIGIN_FILE)
                weft_err_locate(err, s->file, o->line, o->col);
            else if (o->kind == WEFT_ORIGIN_OVERRIDE)
                weft_err_prepend(err, "--set");
            return o->kind == WEFT_ORIGIN_FILE || o->kind == WEFT_ORIGIN_OVERRIDE;
        }
    }
    return false;
}

/* Says which element an error without a place of its own comes from. */
static int name_element(const struct weft_scenario *s, const char *element, struct weft_err *err)
{
    const struct weft_scenario_group *g = weft_scenario_group_of(s, element);
    if (err->file[0] || !g || name_setting(s, err))
        return err->code;
    if (g->selected)
        weft_err_prepend(err, "<%s %s=\"%s\">", element, g->selector, g->selected);
    else
        weft_err_prepend(err, "<%s>", element);
    if (s->file[0])
        weft_err_locate(err, s->file, g->line, g->col);
    return err->code;
}

unsigned weft_run_threads(const struct weft_run_params *run)
{
    return (unsigned)strtoul(run->threads, NULL, 10); /* no number is "auto" */
}

struct weft_net_config weft_scenario_net_config(const struct weft_scenario *s,
                                                const struct weft_fabric *fabric)
{
    return (struct weft_net_config){.fabric = fabric,
                                    .params = s->net_params,
                                    .cc = s->cc,
                                    .cc_params = s->cc_params,
                                    .seed = s->run->seed,
                                    .threads = s->plain ? 1 : weft_run_threads(s->run),
                                    .replay = s->replays && !s->plain,
                                    .replay_auto = s->replay_auto,
                                    .replay_tolerance = s->replay_tolerance,
                                    .replay_resample = s->run->replay_resample,
                                    .replay_bytes = s->run->replay_bytes,
                                    .replay_eager = s->run->replay_eager,
                                    .thread_shuffle = s->run->thread_shuffle};
}

struct weft_net_manner weft_scenario_manner(const struct weft_scenario *s,
                                            const struct weft_fabric *fabric)
{
    const struct weft_net_config config = weft_scenario_net_config(s, fabric);
    struct weft_net_manner m = {.meets = WEFT_MEETS_NONE};
    if (s->backend->manner)
        s->backend->manner(&config, &m);
    return m;
}

struct weft_system_env weft_scenario_job_env(const struct weft_scenario *s,
                                             const struct weft_scenario_parts *parts, uint32_t i)
{
    const struct weft_net_manner manner = weft_scenario_manner(s, parts->fabric);
    return weft_job_env(&parts->jobs[i], s->run->seed, parts->fabric, &manner, parts->tuner);
}

/* Collectives know fewer dimensions than fabrics may have. */
static int check_dims(const struct weft_scenario *s, const struct weft_fabric *fabric,
                      struct weft_err *err)
{
    if (fabric->ndims <= WEFT_DIMS_MAX || *s->system->dims)
        return 0;
    return weft_err_set(err, WEFT_E_LIMIT,
                        "the fabric has %u dimensions, but collectives go through %u at most; "
                        "system.dims arranges the ranks in fewer",
                        fabric->ndims, WEFT_DIMS_MAX);
}

struct checker {
    const struct weft_net_backend *backend;
    struct weft_net_config config;
};

static int check_links(void *ctx, const uint8_t *down, struct weft_err *err)
{
    const struct checker *c = (const struct checker *)ctx;
    return c->backend->check_links(&c->config, down, err);
}

/* Reads what goes wrong, and checks what it leaves of the fabric. */
static int build_faults(const struct weft_scenario *s, struct weft_scenario_parts *out,
                        struct weft_err *err)
{
    struct checker c = {s->backend, weft_scenario_net_config(s, out->fabric)};
    char at[WEFT_UNIT_TEXT_MAX];
    int64_t at_ps = 0;
    if (!s->backend->check_links)
        return weft_err_set(err, WEFT_E_INPUT,
                            "links of the backend '%s' do not fail; those of 'packet' do",
                            s->backend->name);
    out->faults = weft_fault_plan_new(s->faults->events, out->fabric, err);
    if (!out->faults)
        return err->code;
    int code = weft_fault_plan_check(out->faults, check_links, &c, &at_ps, err);
    if (code == WEFT_E_INPUT)
        weft_err_prepend(err, "what is left of the fabric at %s", weft_format_time(at_ps, at));
    return code;
}

/* The control that some classes have beside that of the run; NULL: none has. */
static const char *control_beside(const struct weft_scenario *s, char buf[WEFT_PARAM_TEXT_MAX])
{
    struct weft_scenario_classes c;
    if (!weft_scenario_classes(s, &c) || !c.uet)
        return NULL;
    const struct weft_scenario_group *g = weft_scenario_group_of(s, "uet");
    return weft_params_format(weft_params_find(g->table, "control"), g->values, buf,
                              WEFT_PARAM_TEXT_MAX);
}

/* Says where sample.what was given. */
static int name_sample(const struct weft_scenario *s, struct weft_err *err)
{
    const struct weft_scenario_group *g = weft_scenario_group_of(s, "sample");
    const struct weft_origin *o =
        &g->origins[weft_params_find(g->table, "what") - g->table->params];
    return o->kind == WEFT_ORIGIN_FILE ? weft_err_locate(err, s->file, o->line, o->col) : err->code;
}

int weft_scenario_choose_series(const struct weft_scenario *s, const struct weft_fabric *fabric,
                                struct weft_series_choice **out, struct weft_err *err)
{
    char control[WEFT_PARAM_TEXT_MAX];
    *out = NULL;
    if (!s->sample->what[0])
        return 0;
    if (s->backend->has_state)
        *out = weft_series_choose(s->sample, fabric, s->cc, control_beside(s, control),
                                  weft_output_pack_above(s->output), err);
    else
        weft_err_set(err, WEFT_E_INPUT,
                     "sample.what: the backend '%s' has no queues and no packets to look at; the "
                     "backend 'packet' has",
                     s->backend->name);
    return *out ? 0 : name_sample(s, err);
}

int weft_scenario_build_net(const struct weft_scenario *s, struct weft_scenario_parts *out,
                            struct weft_err *err)
{
    *out = (struct weft_scenario_parts){0};
    if (s->system->nccl && weft_library_check(s->system, err))
        return err->code;
    if (s->cc && s->cc->check && s->cc->check(s->cc_params, err))
        return name_element(s, "congestion-control", err);
    if (weft_topology_build(s->topology, s->topology_params, &out->fabric, err))
        return name_element(s, "topology", err);
    if (weft_scenario_set_link_rates(s, out->fabric, err)) {
        weft_scenario_parts_free(out);
        return name_element(s, "run", err);
    }
    weft_fabric_slow(out->fabric, 0, s->system->scale_up_share);
    struct weft_net_config config = weft_scenario_net_config(s, out->fabric);
    int code = 0;
    if (check_dims(s, out->fabric, err))
        code = name_element(s, "topology", err);
    if (!code && s->backend->check && s->backend->check(&config, err))
        code = name_element(s, "network", err);
    if (!code && s->faults->events[0] && build_faults(s, out, err))
        code = name_element(s, WEFT_FAULT_ELEMENT, err);
    if (!code)
        code = weft_scenario_choose_series(s, out->fabric, &out->series, err);
    if (!code && !(out->tuner = weft_tuner_new(s->backend, &config, err)))
        code = err->code;
    if (code)
        weft_scenario_parts_free(out);
    return code;
}

int weft_scenario_build(const struct weft_scenario *s, struct weft_scenario_parts *out,
                        struct weft_err *err)
{
    if (weft_scenario_build_net(s, out, err))
        return err->code;
    int code = weft_scenario_build_jobs(s, out, err);
    for (uint32_t i = 0; !code && i < out->njobs; i++) {
        const struct weft_system_env env = weft_scenario_job_env(s, out, i);
        if (out->jobs[i].workload &&
            weft_system_check(out->jobs[i].workload, s->system, &env, err)) {
            if (out->njobs > 1)
                weft_err_prepend(err, "workload '%s'", out->jobs[i].name);
            code = name_element(s, "system", err);
        }
    }
    if (code)
        weft_scenario_parts_free(out);
    return code;
}

void weft_scenario_parts_free(struct weft_scenario_parts *parts)
{
    weft_scenario_free_jobs(parts);
    weft_fault_plan_free(parts->faults);
    weft_series_choice_free(parts->series);
    weft_tuner_free(parts->tuner);
    weft_fabric_free(parts->fabric);
    *parts = (struct weft_scenario_parts){0};
}
