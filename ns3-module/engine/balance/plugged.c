/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Balancers of plug-ins: their parameters, the state of each switch, and what they see of a packet.
 */
#include "plugged.h"
#include "core/context.h"
#include "core/fail.h"
#include "ecmp.h"

#include "base/needs.h"
#include "base/rng.h"

#include <stdlib.h>
#include <string.h>

/* A balancer of a plug-in in the fabric. */
struct plugged {
    const struct weft_balancer_ops *ops;
    void *params;
    char *nodes; /* per node: a stream of random numbers, and a state behind it */
    size_t stride;
};

/* ---- parameters ---- */

/* Filled parameters of a balancer, and the text that some of them point into behind them. */
static void *plugged_read(const struct weft_balancer_ops *o, const char *text, struct weft_err *err)
{
    const size_t size = o->params.struct_size, n = strlen(text) + 1;
    char *values = weft_err_calloc(1, size + n, "parameters of a balancer", err);
    if (!values)
        return NULL;
    if (!weft_params_read(&o->params, o->name, values, memcpy(values + size, text, n), err))
        return values;
    weft_err_prepend(err, "switch.balancer");
    free(values);
    return NULL;
}

int plugged_check(const struct weft_engine_params *p, struct weft_err *err)
{
    const struct weft_balancer_ops *o = weft_balancer_at((size_t)p->sw.balance);
    if (!o)
        return *p->sw.balancer ? weft_err_set(err, WEFT_E_INPUT,
                                              "switch.balancer has parameters of a balancer of a "
                                              "plug-in, but switch.balance names none of them")
                               : 0;
    void *values = plugged_read(o, p->sw.balancer, err);
    free(values);
    return values ? 0 : err->code;
}

/* ---- states ---- */

static struct weft_rng *plugged_node(const struct weft_engine *e, uint32_t node)
{
    const struct plugged *p = e->spread.plugged;
    return (struct weft_rng *)(p->nodes + (size_t)node * p->stride);
}

int plugged_init(struct weft_engine *e, struct weft_err *err)
{
    const struct weft_balancer_ops *o = weft_balancer_at((size_t)e->p.sw.balance);
    if (!o)
        return 0;
    struct plugged *p = e->spread.plugged = calloc(1, sizeof *p);
    if (!p)
        return weft_err_no_memory(err, "load balancing");
    const size_t align = _Alignof(max_align_t);
    p->ops = o;
    p->stride = align + (o->node_size + align - 1) / align * align;
    p->params = plugged_read(o, e->p.sw.balancer, err);
    if (!p->params)
        return err->code;
    p->nodes = calloc(e->fabric->nnodes, p->stride);
    if (!p->nodes)
        return weft_err_no_memory(err, "load balancing");
    for (uint32_t i = 0; i < e->fabric->nnodes; i++)
        *plugged_node(e, i) = weft_rng_stream(e->seed, o->name, i);
    return 0;
}

void plugged_fini(struct weft_engine *e)
{
    struct plugged *p = e->spread.plugged;
    if (p) {
        free(p->params);
        free(p->nodes);
        free(p);
    }
}

/* ---- a packet ---- */

static const struct weft_engine *view_engine(const struct weft_balancer_view *v)
{
    return (const struct weft_engine *)v->engine;
}

static uint64_t view_queued(const struct weft_balancer_view *v, uint32_t port)
{
    return view_engine(v)->ports[v->ports[port]].qtotal;
}

static uint64_t view_rate_bps(const struct weft_balancer_view *v, uint32_t port)
{
    return view_engine(v)->ports[v->ports[port]].kind->rate_bps;
}

static bool view_paused(const struct weft_balancer_view *v, uint32_t port)
{
    return view_engine(v)->ports[v->ports[port]].paused >> v->prio & 1;
}

static uint32_t view_name(const struct weft_balancer_view *v, uint32_t port)
{
    return v->ports[port];
}

static uint64_t view_draw(const struct weft_balancer_view *v)
{
    return weft_rng_u64(plugged_node(view_engine(v), v->node));
}

uint32_t plugged(struct weft_engine *e, struct weft_route_group g, uint32_t node,
                 const struct pkt *k)
{
    const struct qp *q = qp_at(e, k->qp);
    const uint32_t usual = ecmp_port(e, g, node, q, true);
    struct weft_balancer_view v = {.now_ps = e->now,
                                   .node = node,
                                   .n = g.n,
                                   .src_host = q->src_host,
                                   .dst_host = q->dst_host,
                                   .qp = k->qp,
                                   .flow_hash = q->flow_hash,
                                   .psn = k->psn,
                                   .bytes = k->frame,
                                   .prio = k->prio,
                                   .queued = view_queued,
                                   .rate_bps = view_rate_bps,
                                   .paused = view_paused,
                                   .name = view_name,
                                   .draw = view_draw,
                                   .engine = e,
                                   .ports = g.ports};
    while (g.ports[v.usual] != usual)
        v.usual++;
    void *state = (char *)plugged_node(e, node) + _Alignof(max_align_t);
    const struct plugged *p = e->spread.plugged;
    const uint32_t picked = p->ops->pick(&v, state, p->params);
    if (picked < g.n)
        return g.ports[picked];
    engine_fail(e, WEFT_E_INTERNAL, "the balancer '%s' picks port %u of %u", p->ops->name, picked,
                g.n);
    return usual;
}
