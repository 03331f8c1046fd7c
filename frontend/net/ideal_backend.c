/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The ideal backend as net.h describes backends: its parameters, their check, and making one.
 */
#include "net/ideal_internal.h"

#include <stdlib.h>

static const struct weft_param ideal_params[] = {
    {WEFT_ROW_ENUM(struct weft_ideal_params, model, "model", "path", "path|flat"),
     .help = "path: delays and rates of the fabric; flat: latency and bandwidth given here"},
    {WEFT_ROW_ENUM(struct weft_ideal_params, forwarding, "forwarding", "cut-through",
                   "cut-through|store-and-forward"),
     .help =
         "model=path: a message is serialised once, on the slowest link, or again on every hop"},
    {WEFT_ROW_RATE(struct weft_ideal_params, bandwidth_bps, "bandwidth", "0", NULL, NULL),
     .help = "model=flat: bandwidth between any two hosts"},
    {WEFT_ROW_TIME(struct weft_ideal_params, latency_ps, "latency", "0", NULL, NULL),
     .help = "model=flat: latency between any two hosts"},
    {WEFT_ROW_TIME(struct weft_ideal_params, quantum_ps, "quantum", "1ps", "1ps", "1s"),
     .help =
         "message times are floored to a multiple of this (ASTRA-sim's analytical network: 1ns)"},
    {WEFT_ROW_ENUM(struct weft_ideal_params, contention, "contention", "auto",
                   "none|source|links|auto"),
     .help =
         "none: messages never meet, but those of one pair of hosts and priority arrive in order; "
         "source: a host's link (model=flat: each NIC that a schedule of GOAL names) sends one "
         "message after the other; links: every link does; auto: links, with model=flat source"},
    {WEFT_ROW_ENUM(struct weft_ideal_params, equal_paths, "equal-paths", "hash", "hash|number"),
     .help =
         "model=path, of several shortest paths: the one of a hash of the pair, or at each node to "
         "the neighbour whose number follows, the first after the last (ASTRA-sim's rings)"},
};

static const struct weft_net_section ideal_sections[] = {
    {"ideal", "the alpha-beta network", WEFT_PARAM_TABLE(ideal_params, struct weft_ideal_params),
     0},
};

static int backend_check(const struct weft_net_config *config, struct weft_err *err)
{
    const struct weft_ideal_params *p = config->params;
    if (p->model == WEFT_IDEAL_FLAT) {
        if (p->bandwidth_bps == 0)
            return weft_err_set(
                err, WEFT_E_INPUT,
                "ideal: model=flat needs a bandwidth, such as ideal.bandwidth=400Gbps");
        if (p->forwarding != WEFT_IDEAL_CUT_THROUGH)
            return weft_err_set(err, WEFT_E_INPUT,
                                "ideal: forwarding means nothing to model=flat, which has no hops");
        if (p->contention == WEFT_IDEAL_CONTENTION_LINKS)
            return weft_err_set(err, WEFT_E_INPUT,
                                "ideal: contention=links means nothing to model=flat, which has no "
                                "links; contention=source is for it");
        if (p->equal_paths != WEFT_IDEAL_BY_HASH)
            return weft_err_set(err, WEFT_E_INPUT,
                                "ideal: equal-paths means nothing to model=flat, which has no "
                                "paths");
    } else if (p->bandwidth_bps != 0 || p->latency_ps != 0) {
        return weft_err_set(
            err, WEFT_E_INPUT,
            "ideal: %s means nothing to model=path, which takes it from the fabric; "
            "set ideal.model=flat",
            p->bandwidth_bps ? "bandwidth" : "latency");
    }
    return 0;
}

/* How messages meet. */
static int contention_of(const struct weft_ideal_params *p)
{
    if (p->contention != WEFT_IDEAL_CONTENTION_AUTO)
        return p->contention;
    return p->model == WEFT_IDEAL_FLAT ? WEFT_IDEAL_CONTENTION_SOURCE : WEFT_IDEAL_CONTENTION_LINKS;
}

static void backend_manner(const struct weft_net_config *config, struct weft_net_manner *out)
{
    const struct weft_ideal_params *p = config->params;
    const int contention = contention_of(p);
    *out = (struct weft_net_manner){
        .meets = contention == WEFT_IDEAL_CONTENTION_LINKS    ? WEFT_MEETS_ALL
                 : contention == WEFT_IDEAL_CONTENTION_SOURCE ? WEFT_MEETS_AT_SOURCE
                                                              : WEFT_MEETS_NONE,
        .frame_bytes = p->forwarding == WEFT_IDEAL_STORE_AND_FORWARD ? UINT64_MAX : 0,
    };
}

static int backend_create(const struct weft_net_config *config, struct weft_net **out,
                          struct weft_err *err)
{
    if (config->peers && !config->dry)
        return weft_err_set(err, WEFT_E_ALONE, "the backend 'ideal' has no packets to share out");
    *out = NULL;
    int rc = backend_check(config, err);
    if (rc)
        return rc;
    struct weft_ideal *s = calloc(1, sizeof *s);
    if (!s)
        return weft_err_no_memory(err, "messages of the ideal backend");
    s->net.ops = &weft_ideal_ops;
    s->params = *(const struct weft_ideal_params *)config->params;
    s->params.contention = contention_of(&s->params);
    s->net.alone = s->params.contention == WEFT_IDEAL_CONTENTION_NONE;
    s->fabric = config->fabric;
    s->observer = config->observer;
    s->interrupted = config->interrupted;
    s->slots = WEFT_SLOTS_OF(struct weft_ideal_slot);
    size_t nsources = (size_t)s->fabric->nhosts * WEFT_IDEAL_NICS;
    if (s->params.model == WEFT_IDEAL_PATH) {
        nsources = s->fabric->nports;
        s->routes = weft_routes_new(s->fabric, err);
        if (!s->routes) {
            weft_ideal_ops.free(&s->net);
            return err && err->code ? err->code : WEFT_E_LIMIT;
        }
        s->path = calloc(s->fabric->nnodes, sizeof *s->path);
        s->port_bytes = calloc(s->fabric->nports ? s->fabric->nports : 1, sizeof *s->port_bytes);
    }
    const bool meets = s->params.contention != WEFT_IDEAL_CONTENTION_NONE;
    if (meets)
        s->source_free_ps = calloc(nsources ? nsources : 1, sizeof *s->source_free_ps);
    if ((s->routes && (!s->path || !s->port_bytes)) || (meets && !s->source_free_ps)) {
        weft_ideal_ops.free(&s->net);
        return weft_err_no_memory(err, "messages of the ideal backend");
    }
    *out = &s->net;
    return 0;
}

const struct weft_net_backend weft_net_ideal = {
    .name = "ideal",
    .title = "alpha-beta arithmetic, no packets: latency plus bytes over bandwidth",
    .uses_cc = false,
    .sections = ideal_sections,
    .nsections = 1,
    .params_size = sizeof(struct weft_ideal_params),
    .check = backend_check,
    .manner = backend_manner,
    .create = backend_create,
};
