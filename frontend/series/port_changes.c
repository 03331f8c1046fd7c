/* SPDX-License-Identifier: GPL-2.0-only */
/* Series on change of queues, pauses and buffers. */
#include "series/series_internal.h"

#include <stdlib.h>

#define NOT_WANTED UINT32_MAX

/* A port that is looked at. */
struct watched {
    uint32_t port;
    struct weft_port_wanted wanted;
    struct weft_port_names names;
    uint8_t held, held_told; /* bits of priorities: now, and in the last row */
    uint64_t bytes[WEFT_NET_PRIOS], bytes_told[WEFT_NET_PRIOS];
    int64_t queue_ps[WEFT_NET_PRIOS], pause_ps[WEFT_NET_PRIOS]; /* time of the last row */
};

/* A node. */
struct buffer {
    uint32_t node;
    struct weft_buffer_state now, written;
    int64_t at_ps; /* time of the last row */
};

struct weft_port_changes {
    const struct weft_series_choice *choice;
    struct weft_series_sample *sample;
    uint32_t *port_place, *node_place; /* by number: where it lies, or NOT_WANTED */
    struct watched *ports;
    struct buffer *nodes;
    size_t nports, nnodes;
    struct weft_instant queue, pause, buffer; /* objects: 8 x place + priority; place */
};

/* ---- rows ---- */

static void write_queue(void *ctx, int64_t t_ps, uint32_t object)
{
    struct weft_port_changes *p = (struct weft_port_changes *)ctx;
    struct watched *w = &p->ports[object / WEFT_NET_PRIOS];
    const uint32_t k = object % WEFT_NET_PRIOS;
    const struct weft_port_row row = {
        .t_ps = t_ps, .port = w->port, .prio = k, .names = &w->names, .queue_bytes = w->bytes[k]};
    if (w->bytes[k] == w->bytes_told[k])
        return;
    w->bytes_told[k] = w->bytes[k];
    w->queue_ps[k] = t_ps;
    weft_series_row(p->sample, WEFT_SERIES_QUEUE, &row);
}

static void write_pause(void *ctx, int64_t t_ps, uint32_t object)
{
    struct weft_port_changes *p = (struct weft_port_changes *)ctx;
    struct watched *w = &p->ports[object / WEFT_NET_PRIOS];
    const uint32_t k = object % WEFT_NET_PRIOS;
    const uint8_t bit = (uint8_t)(1u << k);
    const bool held = w->held & bit;
    const struct weft_port_row row = {.t_ps = t_ps,
                                      .port = w->port,
                                      .prio = k,
                                      .names = &w->names,
                                      .paused = held,
                                      .paused_ps = held ? 0 : t_ps - w->pause_ps[k]};
    if (!((w->held ^ w->held_told) & bit))
        return;
    w->held_told ^= bit;
    w->pause_ps[k] = t_ps;
    weft_series_row(p->sample, WEFT_SERIES_PAUSE, &row);
}

static void buffer_row(const struct weft_port_changes *p, const struct buffer *b, int64_t t_ps)
{
    struct weft_buffer_row row = {.t_ps = t_ps, .state = b->now};
    weft_fabric_node_name(p->choice->fabric, b->node, row.node);
    weft_series_row(p->sample, WEFT_SERIES_BUFFER, &row);
}

static void write_buffer(void *ctx, int64_t t_ps, uint32_t object)
{
    struct weft_port_changes *p = (struct weft_port_changes *)ctx;
    struct buffer *b = &p->nodes[object];
    if (b->now.used_bytes == b->written.used_bytes &&
        b->now.shared_bytes == b->written.shared_bytes &&
        b->now.headroom_bytes == b->written.headroom_bytes)
        return;
    b->written = b->now;
    b->at_ps = t_ps;
    buffer_row(p, b, t_ps);
}

/* ---- what is told ---- */

static void on_queue(void *ctx, int64_t t_ps, uint32_t port, uint32_t prio, uint64_t bytes)
{
    struct weft_port_changes *p = (struct weft_port_changes *)ctx;
    const uint32_t at = p->port_place[port];
    if (at == NOT_WANTED || !(p->ports[at].wanted.queue >> prio & 1))
        return;
    weft_instant_note(&p->queue, t_ps, at * WEFT_NET_PRIOS + prio, p->sample);
    p->ports[at].bytes[prio] = bytes;
}

static void on_held(void *ctx, int64_t t_ps, uint32_t port, uint32_t prio, bool on)
{
    struct weft_port_changes *p = (struct weft_port_changes *)ctx;
    const uint32_t at = p->port_place[port];
    const uint8_t bit = (uint8_t)(1u << prio);
    if (at == NOT_WANTED || !(p->ports[at].wanted.pause & bit))
        return;
    weft_instant_note(&p->pause, t_ps, at * WEFT_NET_PRIOS + prio, p->sample);
    p->ports[at].held = (uint8_t)(on ? p->ports[at].held | bit : p->ports[at].held & ~bit);
}

static void on_buffer(void *ctx, int64_t t_ps, uint32_t node, const struct weft_buffer_state *now)
{
    struct weft_port_changes *p = (struct weft_port_changes *)ctx;
    weft_instant_note(&p->buffer, t_ps, p->node_place[node], p->sample);
    p->nodes[p->node_place[node]].now = *now;
}

void weft_port_changes_ask(struct weft_port_changes *p, struct weft_net_changes *written)
{
    const uint32_t files = p->choice->files;
    written->ctx = p;
    written->queue = files >> WEFT_SERIES_QUEUE & 1 ? on_queue : NULL;
    written->held = files >> WEFT_SERIES_PAUSE & 1 ? on_held : NULL;
    written->buffer = files >> WEFT_SERIES_BUFFER & 1 ? on_buffer : NULL;
    written->nodes = p->choice->nodes;
}

/* ---- the end ---- */

static void finish_port(struct weft_port_changes *p, struct watched *w, int64_t end_ps)
{
    struct weft_port_row row = {.t_ps = end_ps, .port = w->port, .names = &w->names};
    for (row.prio = 0; row.prio < WEFT_NET_PRIOS; row.prio++) {
        row.queue_bytes = w->bytes_told[row.prio];
        if (row.queue_bytes && w->queue_ps[row.prio] < end_ps)
            weft_series_row(p->sample, WEFT_SERIES_QUEUE, &row);
        row.paused = w->held_told >> row.prio & 1;
        row.paused_ps = end_ps - w->pause_ps[row.prio];
        if (row.paused && row.paused_ps)
            weft_series_row(p->sample, WEFT_SERIES_PAUSE, &row);
    }
}

void weft_port_changes_finish(struct weft_port_changes *p, int64_t end_ps)
{
    weft_instant_end(&p->queue);
    weft_instant_end(&p->pause);
    weft_instant_end(&p->buffer);
    for (size_t i = 0; i < p->nports; i++)
        finish_port(p, &p->ports[i], end_ps);
    for (size_t i = 0; i < p->nnodes; i++)
        if (p->nodes[i].written.used_bytes && p->nodes[i].at_ps < end_ps)
            buffer_row(p, &p->nodes[i], end_ps);
}

/* ---- life ---- */

static bool wants(const struct weft_port_wanted *w)
{
    return w->queue || w->pause;
}

static void port_changes_place(struct weft_port_changes *p)
{
    const struct weft_fabric *f = p->choice->fabric;
    for (uint32_t i = 0; i < f->nports; i++) {
        p->port_place[i] = NOT_WANTED;
        if (!wants(&p->choice->ports[i]))
            continue;
        struct watched *w = &p->ports[p->nports];
        w->port = i;
        w->wanted = p->choice->ports[i];
        weft_fabric_node_name(f, f->ports[i].node, w->names.node);
        weft_fabric_node_name(f, f->ports[f->ports[i].peer].node, w->names.peer);
        p->port_place[i] = (uint32_t)p->nports++;
    }
    for (uint32_t i = 0; i < f->nnodes; i++) {
        p->node_place[i] = NOT_WANTED;
        if (!p->choice->nodes[i])
            continue;
        p->nodes[p->nnodes].node = i;
        p->node_place[i] = (uint32_t)p->nnodes++;
    }
}

struct weft_port_changes *weft_port_changes_new(const struct weft_series_choice *c,
                                                struct weft_series_sample *s, struct weft_err *err)
{
    const struct weft_fabric *f = c->fabric;
    size_t nports = 0, nnodes = 0;
    for (uint32_t i = 0; i < f->nports; i++)
        nports += wants(&c->ports[i]);
    for (uint32_t i = 0; i < f->nnodes; i++)
        nnodes += c->nodes[i];
    struct weft_port_changes *p = (struct weft_port_changes *)calloc(1, sizeof *p);
    if (p) {
        p->ports = (struct watched *)calloc(nports + 1, sizeof *p->ports);
        p->nodes = (struct buffer *)calloc(nnodes + 1, sizeof *p->nodes);
        p->port_place = (uint32_t *)calloc((size_t)f->nports + 1, sizeof *p->port_place);
        p->node_place = (uint32_t *)calloc((size_t)f->nnodes + 1, sizeof *p->node_place);
    }
    if (!p || !p->ports || !p->nodes || !p->port_place || !p->node_place) {
        weft_port_changes_free(p);
        weft_err_set(err, WEFT_E_LIMIT, "out of memory for series of %zu ports", nports);
        return NULL;
    }
    p->choice = c;
    p->sample = s;
    p->queue = (struct weft_instant){.write = write_queue, .ctx = p};
    p->pause = (struct weft_instant){.write = write_pause, .ctx = p};
    p->buffer = (struct weft_instant){.write = write_buffer, .ctx = p};
    port_changes_place(p);
    return p;
}

void weft_port_changes_free(struct weft_port_changes *p)
{
    if (!p)
        return;
    weft_instant_free(&p->queue);
    weft_instant_free(&p->pause);
    weft_instant_free(&p->buffer);
    free(p->ports);
    free(p->nodes);
    free(p->port_place);
    free(p->node_place);
    free(p);
}
