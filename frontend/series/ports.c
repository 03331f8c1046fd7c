/* SPDX-License-Identifier: GPL-2.0-only */
/* Series of ports and of the buffers of nodes. */
#include "series/series_internal.h"

#include <stdlib.h>

/* Ports that are asked about at once. */
#define BATCH 256

/* A port that is looked at. */
struct watched {
    struct weft_port_wanted wanted;
    uint8_t queued, paused; /* priorities that were not idle at the previous sample */
    bool sent;              /* it was not idle then */
    struct weft_port_names names;
    uint64_t tx_bytes; /* at the previous sample */
    int64_t paused_ps[WEFT_NET_PRIOS];
};

struct weft_port_series {
    uint32_t *numbers; /* of ports, beside `ports` */
    struct watched *ports;
    size_t n;
    uint32_t *nodes;
    uint8_t *filled; /* beside `nodes`: it was not idle at the previous sample */
    size_t nnodes;
    const struct weft_fabric *fabric;
};

static bool wants(const struct weft_port_wanted *w)
{
    return w->queue || w->pause || w->throughput;
}

struct weft_port_series *weft_port_series_new(const struct weft_series_choice *c,
                                              struct weft_err *err)
{
    const struct weft_fabric *f = c->fabric;
    size_t n = 0, nnodes = 0;
    for (uint32_t p = 0; p < f->nports; p++)
        n += wants(&c->ports[p]);
    for (uint32_t k = 0; k < f->nnodes; k++)
        nnodes += c->nodes[k];
    struct weft_port_series *s = (struct weft_port_series *)calloc(1, sizeof *s);
    if (s) {
        s->numbers = (uint32_t *)calloc(n + 1, sizeof *s->numbers);
        s->ports = (struct watched *)calloc(n + 1, sizeof *s->ports);
        s->nodes = (uint32_t *)calloc(nnodes + 1, sizeof *s->nodes);
        s->filled = (uint8_t *)calloc(nnodes + 1, 1);
    }
    if (!s || !s->numbers || !s->ports || !s->nodes || !s->filled) {
        weft_port_series_free(s);
        weft_err_set(err, WEFT_E_LIMIT, "out of memory for series of %zu ports", n);
        return NULL;
    }
    s->fabric = f;
    for (uint32_t p = 0; p < f->nports; p++) {
        if (!wants(&c->ports[p]))
            continue;
        struct watched *w = &s->ports[s->n];
        w->wanted = c->ports[p];
        weft_fabric_node_name(f, f->ports[p].node, w->names.node);
        weft_fabric_node_name(f, f->ports[f->ports[p].peer].node, w->names.peer);
        s->numbers[s->n++] = p;
    }
    for (uint32_t k = 0; k < f->nnodes; k++)
        if (c->nodes[k])
            s->nodes[s->nnodes++] = k;
    return s;
}

void weft_port_series_free(struct weft_port_series *s)
{
    if (!s)
        return;
    free(s->numbers);
    free(s->ports);
    free(s->nodes);
    free(s->filled);
    free(s);
}

static void take_throughput(struct watched *w, const struct weft_port_state *now,
                            struct weft_series_sample *s, struct weft_port_row *row)
{
    const uint64_t bytes = now->tx_bytes - (s->last ? 0 : now->unsent_bytes);
    row->tx_bytes = bytes > w->tx_bytes ? bytes - w->tx_bytes : 0;
    if (row->tx_bytes || w->sent) {
        row->throughput_bps = weft_series_bps(s, row->tx_bytes);
        weft_series_row(s, WEFT_SERIES_THROUGHPUT, row);
    }
    w->sent = row->tx_bytes > 0;
    w->tx_bytes += row->tx_bytes;
}

static void take_queue(struct watched *w, const struct weft_port_state *now, uint32_t prio,
                       struct weft_series_sample *s, struct weft_port_row *row)
{
    const uint8_t bit = (uint8_t)(1u << prio);
    row->queue_bytes = now->queue_bytes[prio];
    if (row->queue_bytes || w->queued & bit)
        weft_series_row(s, WEFT_SERIES_QUEUE, row);
    w->queued = (uint8_t)(row->queue_bytes ? w->queued | bit : w->queued & ~bit);
}

static void take_pause(struct watched *w, const struct weft_port_state *now, uint32_t prio,
                       struct weft_series_sample *s, struct weft_port_row *row)
{
    const uint8_t bit = (uint8_t)(1u << prio);
    row->paused = now->paused >> prio & 1;
    row->paused_ps = now->paused_ps[prio] - w->paused_ps[prio];
    const bool active = row->paused || row->paused_ps;
    if (active || w->paused & bit)
        weft_series_row(s, WEFT_SERIES_PAUSE, row);
    w->paused = (uint8_t)(active ? w->paused | bit : w->paused & ~bit);
    w->paused_ps[prio] = now->paused_ps[prio];
}

/* Whether anything waits at a port. */
static bool has_queue(const struct weft_port_state *now)
{
    uint64_t any = 0;
    for (uint32_t k = 0; k < WEFT_NET_PRIOS; k++)
        any |= now->queue_bytes[k];
    return any != 0;
}

static void take_port(struct watched *w, uint32_t port, const struct weft_port_state *now,
                      struct weft_series_sample *s)
{
    struct weft_port_row row = {.t_ps = s->t_ps, .port = port, .names = &w->names};
    if (w->wanted.throughput)
        take_throughput(w, now, s, &row);
    const uint8_t waits = has_queue(now) ? w->wanted.queue : w->queued;
    for (uint32_t prios = waits; prios; prios &= prios - 1) {
        row.prio = (uint32_t)__builtin_ctz(prios);
        take_queue(w, now, row.prio, s, &row);
    }
    for (uint32_t prios = w->wanted.pause; prios; prios &= prios - 1) {
        row.prio = (uint32_t)__builtin_ctz(prios);
        take_pause(w, now, row.prio, s, &row);
    }
}

static void take_node(struct weft_port_series *p, size_t i, const struct weft_buffer_state *now,
                      struct weft_series_sample *s)
{
    struct weft_buffer_row row = {.t_ps = s->t_ps, .state = *now};
    if (now->used_bytes || p->filled[i]) {
        weft_fabric_node_name(p->fabric, p->nodes[i], row.node);
        weft_series_row(s, WEFT_SERIES_BUFFER, &row);
    }
    p->filled[i] = now->used_bytes > 0;
}

void weft_port_series_take(struct weft_port_series *p, struct weft_net *net,
                           struct weft_series_sample *s)
{
    struct weft_port_state ports[BATCH];
    struct weft_buffer_state nodes[BATCH];
    for (size_t from = 0; from < p->n; from += BATCH) {
        const size_t n = p->n - from < BATCH ? p->n - from : BATCH;
        net->ops->state->ports(net, p->numbers + from, n, ports);
        for (size_t i = 0; i < n; i++)
            take_port(&p->ports[from + i], p->numbers[from + i], &ports[i], s);
    }
    for (size_t from = 0; from < p->nnodes; from += BATCH) {
        const size_t n = p->nnodes - from < BATCH ? p->nnodes - from : BATCH;
        net->ops->state->buffers(net, p->nodes + from, n, nodes);
        for (size_t i = 0; i < n; i++)
            take_node(p, from + i, &nodes[i], s);
    }
}
