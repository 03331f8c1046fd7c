/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a net has counted, why its messages do not get on, and its state at one moment: what the
 * engine and TCP know together.
 *
 * A look may call hooks of C++ (what waited to be told), so each is a function that
 * look() of a simulation calls.
 */
#include "packet_net.h"

#include <string.h>

/* A look at a net that has no way of its own to report a failure: the next run of the net does. */
struct look {
    struct packet_net *n;
    uint32_t port, prio;
    uint64_t max;
    int64_t at_ps, after_ps;
    weft_net_explain_fn say;
    weft_net_connection_fn fn;
    weft_net_qp_fn qp_fn;
    const uint32_t *which;
    void *ctx;
    void *out;
    uint64_t count;
};

static uint64_t look(struct weft_net *net, void (*fn)(void *ctx), struct look l)
{
    l.n = weft_packet_net_of(net);
    struct weft_err err = {0};
    if (l.n->simulation->look(fn, &l, &err) && !l.n->error.code)
        l.n->error = err;
    return l.count;
}

static struct weft_engine *engine_of(const struct look *l)
{
    return l->n->simulation->engine(l->n->simulation);
}

struct check {
    struct packet_net *n;
    struct weft_err *err;
    int rc;
};

static void check(void *ctx)
{
    struct check *c = (struct check *)ctx;
    c->rc = weft_engine_check(c->n->simulation->engine(c->n->simulation), c->err);
}

int weft_packet_check(struct weft_net *net, struct weft_err *err)
{
    struct check c = {.n = weft_packet_net_of(net), .err = err};
    const int rc = c.n->simulation->look(check, &c, err);
    return rc ? rc : c.rc;
}

static void totals(void *ctx)
{
    const struct look *l = (const struct look *)ctx;
    weft_engine_totals(engine_of(l), (struct weft_totals *)l->out);
    if (l->n->tcp)
        l->n->tcp->ops->add_totals(l->n->tcp, (struct weft_totals *)l->out);
}

void weft_packet_totals(struct weft_net *net, struct weft_totals *out)
{
    *out = (struct weft_totals){0};
    look(net, totals, (struct look){.out = out});
}

/* To write a packet down takes about as long as so many events. Callers pace themselves by events;
 * what one process alone has captured must not pace it where several run in step. */
#define CAPTURE_EVENTS 64

static void events(void *ctx)
{
    struct look *l = (struct look *)ctx;
    l->count = weft_engine_events(engine_of(l));
    if (!l->n->is_shared)
        l->count += CAPTURE_EVENTS * l->n->captured;
}

uint64_t weft_packet_events(struct weft_net *net)
{
    return look(net, events, (struct look){0});
}

/* A look that fills in figures of the engine; @p ...: what they are where there are none. */
#define LOOK_AT(name, figures, fill, ...)                                                          \
    static void name(void *ctx)                                                                    \
    {                                                                                              \
        const struct look *l = (const struct look *)ctx;                                           \
        fill(engine_of(l), (struct figures *)l->out);                                              \
    }                                                                                              \
    void weft_packet_##name(struct weft_net *net, struct figures *out)                             \
    {                                                                                              \
        *out = (struct figures){__VA_ARGS__};                                                      \
        look(net, name, (struct look){.out = out});                                                \
    }

LOOK_AT(replay, weft_replay_figures, weft_engine_replay_figures, 0)
LOOK_AT(memory, weft_memory_figures, weft_engine_memory, 0)
LOOK_AT(threads, weft_thread_figures, weft_engine_thread_figures, .threads = 1)

static void port_stats(void *ctx)
{
    const struct look *l = (const struct look *)ctx;
    weft_engine_port_stats(engine_of(l), l->port, (struct weft_port_counters *)l->out);
}

void weft_packet_port_stats(struct weft_net *net, uint32_t port, struct weft_port_counters *out)
{
    *out = (struct weft_port_counters){0};
    look(net, port_stats, (struct look){.port = port, .out = out});
}

static void queue_bytes(void *ctx)
{
    struct look *l = (struct look *)ctx;
    l->count = weft_engine_queue_bytes(engine_of(l), l->port, l->prio);
}

uint64_t weft_packet_queue_bytes(struct weft_net *net, uint32_t port, uint32_t prio)
{
    return look(net, queue_bytes, (struct look){.port = port, .prio = prio});
}

static void connections(void *ctx)
{
    const struct look *l = (const struct look *)ctx;
    if (l->n->tcp)
        l->n->tcp->ops->connections(l->n->tcp, l->fn, l->ctx);
}

void weft_packet_connections(struct weft_net *net, weft_net_connection_fn fn, void *ctx)
{
    look(net, connections, (struct look){.fn = fn, .ctx = ctx});
}

static void arrived_bytes(void *ctx)
{
    struct look *l = (struct look *)ctx;
    l->count = weft_engine_arrived_bytes(engine_of(l)) +
               (l->n->tcp ? l->n->tcp->ops->arrived_bytes(l->n->tcp) : 0);
}

uint64_t weft_packet_arrived_bytes(struct weft_net *net)
{
    return look(net, arrived_bytes, (struct look){0});
}

/* ---- why messages do not get on: first those of TCP, then the engine's ---- */

static void explain(void *ctx)
{
    struct look *l = (struct look *)ctx;
    if (l->n->tcp)
        l->count = l->n->tcp->ops->explain(l->n->tcp, l->max, l->say, l->ctx);
    const uint64_t nlines = l->count < l->max ? l->count : l->max;
    l->count += weft_engine_explain(engine_of(l), l->max - nlines, l->say, l->ctx);
}

uint64_t weft_packet_explain(struct weft_net *net, uint64_t max, weft_net_explain_fn fn, void *ctx)
{
    return look(net, explain, (struct look){.max = max, .say = fn, .ctx = ctx});
}

static void stuck(void *ctx)
{
    struct look *l = (struct look *)ctx;
    const enum weft_motion roce = weft_engine_motion(engine_of(l), l->at_ps, l->after_ps);
    const enum weft_motion tcp =
        l->n->tcp ? l->n->tcp->ops->motion(l->n->tcp, l->at_ps, l->after_ps) : WEFT_MOTION_NONE;
    l->count = (roce == WEFT_MOTION_STUCK || tcp == WEFT_MOTION_STUCK) &&
               roce != WEFT_MOTION_SOME && tcp != WEFT_MOTION_SOME;
}

bool weft_packet_stuck(struct weft_net *net, int64_t at_ps, int64_t after_ps)
{
    return (int)look(net, stuck, (struct look){.at_ps = at_ps, .after_ps = after_ps});
}

static void victims(void *ctx)
{
    struct look *l = (struct look *)ctx;
    l->count = weft_engine_victims(engine_of(l), (uint64_t *)l->out);
}

uint64_t weft_packet_victims(struct weft_net *net, uint64_t *found)
{
    return look(net, victims, (struct look){.out = found});
}

static void explain_stuck(void *ctx)
{
    struct look *l = (struct look *)ctx;
    const uint64_t n = weft_engine_explain_stuck(engine_of(l), l->max, l->say, l->ctx);
    l->count = n;
    if (l->n->tcp)
        l->count +=
            l->n->tcp->ops->explain_stuck(l->n->tcp, l->max > n ? l->max - n : 0, l->say, l->ctx);
}

uint64_t weft_packet_explain_stuck(struct weft_net *net, uint64_t max, weft_net_explain_fn fn,
                                   void *ctx)
{
    return look(net, explain_stuck, (struct look){.max = max, .say = fn, .ctx = ctx});
}

/* ---- at one moment, for series over time: struct weft_net_state_ops ---- */

static void ports(void *ctx)
{
    const struct look *l = (const struct look *)ctx;
    struct weft_port_state *out = (struct weft_port_state *)l->out;
    for (uint64_t i = 0; i < l->count; i++)
        weft_engine_port_state(engine_of(l), l->which[i], &out[i]);
}

static void state_ports(struct weft_net *net, const uint32_t *which, size_t n,
                        struct weft_port_state *out)
{
    memset(out, 0, n * sizeof *out);
    look(net, ports, (struct look){.which = which, .count = n, .out = out});
}

static void buffers(void *ctx)
{
    const struct look *l = (const struct look *)ctx;
    struct weft_buffer_state *out = (struct weft_buffer_state *)l->out;
    for (uint64_t i = 0; i < l->count; i++)
        weft_engine_buffer_state(engine_of(l), l->which[i], &out[i]);
}

static void state_buffers(struct weft_net *net, const uint32_t *nodes, size_t n,
                          struct weft_buffer_state *out)
{
    memset(out, 0, n * sizeof *out);
    look(net, buffers, (struct look){.which = nodes, .count = n, .out = out});
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
            l->qp_fn(l->ctx, &qp);
    }
}

static void state_qps(struct weft_net *net, weft_net_qp_fn fn, void *ctx)
{
    look(net, qps, (struct look){.qp_fn = fn, .ctx = ctx});
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
        weft_engine_queue_times(engine_of(l), l->which[0], l->prio, l->at_ps, (int64_t *)l->out);
}

static bool state_queue_times(struct weft_net *net, uint32_t port, uint32_t prio, int64_t end_ps,
                              int64_t time_ps[WEFT_QUEUE_BINS])
{
    return look(net, queue_times,
                (struct look){.which = &port, .prio = prio, .at_ps = end_ps, .out = time_ps}) != 0;
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
