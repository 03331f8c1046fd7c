/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A net at one moment, for series over time: struct weft_net_state_ops.
 *
 * As in packet_look.c, each look is a function that look() of a simulation calls.
 */
#include "packet_net.h"

#include <string.h>

struct look {
    struct packet_net *n;
    const uint32_t *which;
    size_t count;
    uint32_t prio;
    int64_t end_ps;
    void *out;
    weft_net_qp_fn fn;
    void *ctx;
};

static size_t look(void (*fn)(void *ctx), struct look l)
{
    struct weft_err err = {0};
    if (l.n->simulation->look(fn, &l, &err) && !l.n->error.code)
        l.n->error = err;
    return l.count;
}

static struct weft_engine *engine_of(const struct look *l)
{
    return l->n->simulation->engine(l->n->simulation);
}

static void ports(void *ctx)
{
    const struct look *l = (const struct look *)ctx;
    struct weft_port_state *out = (struct weft_port_state *)l->out;
    for (size_t i = 0; i < l->count; i++)
        weft_engine_port_state(engine_of(l), l->which[i], &out[i]);
}

static void state_ports(struct weft_net *net, const uint32_t *which, size_t n,
                        struct weft_port_state *out)
{
    memset(out, 0, n * sizeof *out);
    look(ports,
         (struct look){.n = weft_packet_net_of(net), .which = which, .count = n, .out = out});
}

static void buffers(void *ctx)
{
    const struct look *l = (const struct look *)ctx;
    struct weft_buffer_state *out = (struct weft_buffer_state *)l->out;
    for (size_t i = 0; i < l->count; i++)
        weft_engine_buffer_state(engine_of(l), l->which[i], &out[i]);
}

static void state_buffers(struct weft_net *net, const uint32_t *nodes, size_t n,
                          struct weft_buffer_state *out)
{
    memset(out, 0, n * sizeof *out);
    look(buffers,
         (struct look){.n = weft_packet_net_of(net), .which = nodes, .count = n, .out = out});
}

static void qps(void *ctx)
{
    const struct look *l = (const struct look *)ctx;
    struct weft_engine *e = engine_of(l);
    double observed[WEFT_CC_OBSERVABLES_MAX];
    weft_engine_catch_up(e);
    for (uint32_t i = 0; i < weft_engine_qps(e); i++) {
        struct weft_net_qp qp;
        if (weft_packet_qp_now(l->n, WEFT_FIRST_QPN + i, &qp, observed))
            l->fn(l->ctx, &qp);
    }
}

static void state_qps(struct weft_net *net, weft_net_qp_fn fn, void *ctx)
{
    look(qps, (struct look){.n = weft_packet_net_of(net), .fn = fn, .ctx = ctx});
}

static struct weft_engine *engine_now(struct weft_net *net)
{
    struct weft_simulation *s = weft_packet_net_of(net)->simulation;
    return s->engine(s);
}

static int state_note_rtts(struct weft_net *net, struct weft_err *err)
{
    return weft_engine_note_rtts(engine_now(net), err);
}

static int state_note_queues(struct weft_net *net, const uint8_t *prios, struct weft_err *err)
{
    return weft_engine_note_queues(engine_now(net), prios, err);
}

static void queue_times(void *ctx)
{
    struct look *l = (struct look *)ctx;
    l->count =
        weft_engine_queue_times(engine_of(l), l->which[0], l->prio, l->end_ps, (int64_t *)l->out);
}

static bool state_queue_times(struct weft_net *net, uint32_t port, uint32_t prio, int64_t end_ps,
                              int64_t time_ps[WEFT_QUEUE_BINS])
{
    return look(queue_times, (struct look){.n = weft_packet_net_of(net),
                                           .which = &port,
                                           .prio = prio,
                                           .end_ps = end_ps,
                                           .out = time_ps}) != 0;
}

static int64_t state_next_ps(struct weft_net *net)
{
    struct weft_net *by = &weft_packet_net_of(net)->simulation->net;
    return by->ops->state->next_ps(by);
}

const struct weft_net_state_ops weft_packet_state_ops = {.ports = state_ports,
                                                         .buffers = state_buffers,
                                                         .qps = state_qps,
                                                         .note_rtts = state_note_rtts,
                                                         .note_queues = state_note_queues,
                                                         .queue_times = state_queue_times,
                                                         .note_changes = weft_packet_note_changes,
                                                         .next_ps = state_next_ps};
