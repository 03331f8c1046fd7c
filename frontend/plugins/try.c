/* SPDX-License-Identifier: GPL-2.0-only */
/* Trying members of each family (try.h). */
#include "plugins/try.h"

#include "collective/checker.h"
#include "congestion/cc_table.h"
#include "lib/sim.h"
#include "topologies/balancer.h"
#include "plugins/try_cc.h"
#include "topologies/topology.h"
#include "workload/workload.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of the messages of a try, and most settings of one beside the caller's. */
#define TRY_BYTES 65536u
#define TRY_SETS 8u
/* Groups of so many ranks are proved. */
#define TRY_RANKS 9u

#define try_bad(err, ...) weft_err_set(err, WEFT_E_OUTCOME, __VA_ARGS__)

static void try_say(const struct weft_plugin_try *how, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
static void try_say(const struct weft_plugin_try *how, const char *fmt, ...)
{
    char text[256];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    how->said(how->ctx, text);
}

/* ---- parameters ---- */

static int try_params(const struct weft_param_table *t, struct weft_err *err)
{
    void *values = calloc(1, t->struct_size ? t->struct_size : 1);
    char text[WEFT_PARAM_TEXT_MAX];
    if (!values)
        return weft_err_no_memory(err, "parameters");
    int rc = t->n ? weft_params_defaults(t, values, err) : 0;
    for (size_t i = 0; !rc && i < t->n; i++) {
        const struct weft_param *p = &t->params[i];
        if (!p->help || !*p->help)
            rc = try_bad(err, "parameter '%s' has no help", p->name);
        else if (p->offset >= t->struct_size)
            rc = try_bad(err, "parameter '%s' lies outside of its struct", p->name);
        if (rc || !p->def)
            continue;
        weft_params_format(p, values, text, sizeof text);
        rc = weft_params_set(t, values, p->name, text, err);
    }
    free(values);
    return rc;
}

/* ---- simulations ---- */

/* The events of a pattern under some settings, and its sums. */
static int try_simulate(const struct weft_plugin_try *how, const char *const *sets, size_t n,
                        struct weft_event **events, size_t *nevents, struct weft_stats *sums,
                        struct weft_err *err)
{
    const char **all = (const char **)calloc(n + how->nsets + 1, sizeof *all);
    struct weft_error error = {0};
    if (!all)
        return weft_err_no_memory(err, "settings");
    memcpy(all, sets, n * sizeof *all);
    if (how->nsets)
        memcpy(all + n, how->sets, how->nsets * sizeof *all);
    weft_sim *s = sim_open(how->backends, how->nbackends, NULL, all, n + how->nsets, NULL, &error);
    free(all);
    if (!s)
        return weft_err_set(err, error.code, "%s", error.text);
    const uint32_t hosts = weft_sim_hosts(s);
    int64_t id = 0;
    for (uint32_t turn = 1; id >= 0 && turn <= 3; turn++) /* to one host, and to others */
        for (uint32_t h = 0; id >= 0 && h < hosts && h < 64; h++)
            id = weft_sim_send(s, &(struct weft_send){.src = h,
                                                      .dst = turn == 1 ? 0 : (h + turn) % hosts,
                                                      .bytes = TRY_BYTES + h,
                                                      .delay_ps = 1000000 * (int64_t)turn,
                                                      .qp = turn});
    const int why = id < 0 ? (int)id : weft_sim_run(s, WEFT_NEVER_PS, 0, 0);
    int rc = 0;
    if (why == WEFT_E_INTERNAL)
        rc = try_bad(err, "%s", weft_sim_error(s));
    else if (why < 0)
        rc = weft_err_set(err, why, "%s", weft_sim_error(s));
    if (!rc && why != WEFT_STOP_IDLE)
        rc = try_bad(err, "messages between its hosts do not arrive");
    if (!rc)
        weft_sim_stats(s, sums);
    *nevents = rc ? 0 : weft_sim_events(s);
    *events = (struct weft_event *)calloc(*nevents + 1, sizeof **events);
    if (!rc && !*events)
        rc = weft_err_no_memory(err, "events");
    if (!rc)
        weft_sim_take(s, *events, *nevents);
    weft_sim_close(s);
    return rc;
}

/* The pattern under several ways to simulate it, which must agree; the sums of the last. */
static int try_ways(const struct weft_plugin_try *how, const char *const *sets, size_t n,
                    struct weft_stats *sums, struct weft_err *err)
{
    static const char *const ways[][2] = {{"run.replay=off", "run.threads=1"},
                                          {"run.replay=exact", "run.threads=1"},
                                          {"run.replay=off", "run.threads=3"}};
    struct weft_event *first = NULL;
    size_t nfirst = 0;
    int rc = 0;
    for (size_t i = 0; !rc && i < sizeof ways / sizeof *ways; i++) {
        const char *all[TRY_SETS + 2];
        struct weft_event *events = NULL;
        size_t nevents;
        memcpy(all, sets, n * sizeof *all);
        memcpy(all + n, ways[i], sizeof ways[i]);
        rc = try_simulate(how, all, n + 2, &events, &nevents, sums, err);
        if (rc == WEFT_E_INPUT && i) { /* a build without replay, or without threads */
            try_say(how, "not tried: %s %s: %s", ways[i][0], ways[i][1], err->msg);
            *err = (struct weft_err){0};
            rc = 0;
            free(events);
            continue;
        }
        if (!rc && i && (nevents != nfirst || memcmp(events, first, nevents * sizeof *events) != 0))
            rc = try_bad(err, "times under %s %s are not those under %s %s", ways[i][0], ways[i][1],
                         ways[0][0], ways[0][1]);
        if (i) {
            free(events);
        } else {
            first = events;
            nfirst = nevents;
        }
    }
    if (!rc)
        try_say(how, "simulated: %zu events, the same with replay and with threads", nfirst);
    free(first);
    return rc;
}

/* ---- families ---- */

static int try_control(const struct weft_plugin_try *how, const struct weft_cc_ops *o,
                       struct weft_err *err)
{
    char name[128];
    unsigned sequences;
    struct weft_stats sums;
    if (weft_cc_check_ops(o, err) || try_params(&o->params, err) || weft_try_cc_hooks(o, err))
        return err->code;
    try_say(how, "hooks: in bounds, pure, and complete in 200 random sequences");
    if (weft_try_cc_moving(o, &sequences, err))
        return err->code;
    if (sequences)
        try_say(how, "replay: the state moves as it says in %u random sequences", sequences);
    snprintf(name, sizeof name, "congestion-control.name=%s", o->name);
    const char *const sets[] = {"topology.type=leaf-spine", name};
    return try_ways(how, sets, 2, &sums, err);
}

static int try_topology(const struct weft_plugin_try *how, const struct weft_topology_ops *o,
                        struct weft_err *err)
{
    char name[128];
    struct weft_stats sums;
    if (try_params(&o->params, err))
        return err->code;
    snprintf(name, sizeof name, "topology.type=%s", o->name);
    const char *const sets[] = {name};
    return try_ways(how, sets, 1, &sums, err);
}

static int try_collective(const struct weft_plugin_try *how, const struct weft_coll_ops *o,
                          struct weft_err *err)
{
    unsigned kinds = 0;
    if (try_params(&o->params, err))
        return err->code;
    void *params = calloc(1, o->params.struct_size ? o->params.struct_size : 1);
    if (!params)
        return weft_err_no_memory(err, "parameters");
    int rc = o->params.n ? weft_params_defaults(&o->params, params, err) : 0;
    for (int kind = 0; !rc && kind < WEFT_COLL_KINDS; kind++) {
        bool proved = false;
        for (uint32_t n = 2; !rc && n <= TRY_RANKS; n++) {
            const struct weft_coll_call call = {
                .kind = (enum weft_coll_kind)kind, .n = n, .bytes = 1000 * n + 7, .params = params};
            if (!o->supports(&call, NULL) || o->plan)
                continue;
            rc = weft_coll_prove(o, &call, NULL, err);
            if (rc)
                weft_err_prepend(err, "%s of %u ranks", weft_coll_kind_name(call.kind), n);
            proved = true;
        }
        kinds += proved;
    }
    free(params);
    if (!rc)
        try_say(how, "proved for %u kind%s of collective and groups of up to %u ranks", kinds,
                kinds == 1 ? "" : "s", TRY_RANKS);
    return rc;
}

static int try_workload(const struct weft_plugin_try *how, const struct weft_workload_ops *o,
                        struct weft_err *err)
{
    if (!o->load && !o->flows)
        return try_bad(err, "it has neither load nor flows");
    if (o->flows && !o->ranks)
        return try_bad(err, "it has flows, which require ranks");
    return try_params(&o->params, err);
}

static int try_balancer(const struct weft_plugin_try *how, const struct weft_balancer_ops *o,
                        struct weft_err *err)
{
    char name[128];
    struct weft_stats sums;
    if (try_params(&o->params, err))
        return err->code;
    snprintf(name, sizeof name, WEFT_BALANCER_KEY "=%s", o->name);
    const char *const sets[] = {"topology.type=leaf-spine", name, WEFT_BALANCER_REORDERS};
    if (try_ways(how, sets, o->reorders ? 3 : 2, &sums, err))
        return err->code;
    return sums.retransmitted && !sums.drops && !sums.trims
               ? try_bad(err,
                         "%" PRIu64 " packets are sent again though none is lost: packets of a QP "
                         "overtake each other, which a balancer declares by 'reorders'",
                         sums.retransmitted)
               : 0;
}

int weft_plugin_try(const struct weft_plugin_try *how, const struct weft_plugin *p,
                    struct weft_err *err)
{
    switch (p->family) {
    case WEFT_PLUGIN_FAMILY_CC:
        return try_control(how, (const struct weft_cc_ops *)p->ops, err);
    case WEFT_PLUGIN_FAMILY_TOPOLOGY:
        return try_topology(how, (const struct weft_topology_ops *)p->ops, err);
    case WEFT_PLUGIN_FAMILY_COLLECTIVE:
        return try_collective(how, (const struct weft_coll_ops *)p->ops, err);
    case WEFT_PLUGIN_FAMILY_WORKLOAD:
        return try_workload(how, (const struct weft_workload_ops *)p->ops, err);
    case WEFT_PLUGIN_FAMILY_BALANCER:
        return try_balancer(how, (const struct weft_balancer_ops *)p->ops, err);
    default:
        return try_bad(err, "it is of no family");
    }
}
