/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The MPI message from one process to another at the end of a window: it is packed and unpacked
 * here, and sent by weft_peers.exchange (base/mpi_mail.c). Model: peers.h.
 *
 * A message has, in this order: a head; an error, if there is one; pauses that took effect and
 * completions, which all processes are sent; the last packets of messages to hosts of the receiving
 * process; packets on links that lead there, each with the records that belong to it. A message has
 * a bounded size. The rest is sent by another exchange, which follows at once.
 */
#include "core/context.h"
#include "core/walk.h"
#include "switch/telemetry.h"
#include "transport/qp.h"
#include "peers.h"
#include "window_threads.h"
#include "core/windows.h"
#include "congestion/cc_switch.h"

#include <stdlib.h>
#include <string.h>

/** Bytes of tells and packets that are given to a process at once, unless weft_peers says
 * otherwise. */
#define AT_ONCE ((size_t)256 << 10)

/** A packet on a link. */
struct crossing {
    uint32_t port;
    bool has_wait, has_map, has_stack; /**< what follows, in this order */
    int64_t at_ps;
    struct pkt k;
};

static size_t at_once(const struct weft_engine *e)
{
    return e->peers->link.at_once ? e->peers->link.at_once : AT_ONCE;
}

static unsigned owner_of_far(const struct weft_engine *e, uint32_t port)
{
    return e->peers->owner[far_node(e, port)];
}

/* ---- out ---- */

static void pack_packet(struct weft_engine *e, struct send_buffer *out, uint32_t port, uint32_t i,
                        int64_t at_ps)
{
    const struct pkt *k = pkt_at(e, i);
    const struct wait *w = (const struct wait *)(const void *)e->delays.waits.base + i;
    const bool stamped = e->telemetry.int_on && k->sig != NIL;
    const struct crossing c = {.port = port,
                               .has_wait = i < e->delays.waits.n && w->sent_ps == k->sent_ps,
                               .has_map = e->rc.by_bytes && k->flags & PKT_MAP,
                               .has_stack = stamped,
                               .at_ps = at_ps,
                               .k = *k};
    send_buffer_add(e, out, &c, sizeof c);
    if (c.has_wait)
        send_buffer_add(e, out, w, sizeof *w);
    if (c.has_map)
        send_buffer_add(e, out, (const struct sack_map *)(const void *)e->rc.maps.base + i,
                        sizeof(struct sack_map));
    if (stamped) {
        struct weft_cc_hop hops[WEFT_CC_MAX_HOPS];
        const uint32_t n = stamps_read(e, k->sig, hops);
        send_buffer_add(e, out, hops, n * sizeof *hops);
    }
}

/* Takes packets out of the outbox of a port until the send buffer is full; returns how many. */
static uint32_t pack_port(struct weft_engine *e, struct send_buffer *out, uint32_t port,
                          int64_t *first_ps)
{
    struct outbox *o = &e->threads->out[port];
    const size_t full = at_once(e);
    uint32_t n = 0;
    *first_ps = o->at_ps < *first_ps ? o->at_ps : *first_ps;
    for (; o->first && out->n < full; n++) {
        const uint32_t i = o->first - 1;
        pack_packet(e, out, port, i, o->at_ps);
        o->first = pkt_at(e, i)->next + 1; /* NIL + 1: none */
        o->at_ps = pkt_at(e, i)->next_at_ps;
        pkt_free(e, i);
    }
    return n;
}

/* The same for all ports; what is left stays in peers.crossed. @p npackets: for each process. */
static void pack_ports(struct weft_engine *e, struct peers_head *h, uint32_t *npackets)
{
    struct peers *p = e->peers;
    uint32_t left = 0;
    for (uint32_t i = 0; i < p->crossed.n; i++) {
        const uint32_t port = p->crossed.ports[i];
        const unsigned to = owner_of_far(e, port);
        npackets[to] += pack_port(e, &p->out[to], port, &h->next_ps);
        if (e->threads->out[port].first)
            p->crossed.ports[left++] = port;
    }
    p->crossed.n = left;
    h->more |= left != 0;
}

/* Whether there is something; if not, most of its memory is given back. */
static bool left_in(const struct weft_engine *e, struct send_buffer *p)
{
    if (!p->n && p->cap > at_once(e)) {
        free(p->bytes);
        *p = (struct send_buffer){0};
    }
    return p->n != 0;
}

static void pack_completion(struct weft_engine *e, struct send_buffer *out,
                            const struct completion *t)
{
    struct completion_message message;
    completion_message_of(e, t, &message);
    send_buffer_add(e, out, &message, sizeof message);
}

/* How many of @p n records of @p size are given at once. */
static uint32_t fit(const struct weft_engine *e, size_t n, size_t size)
{
    const size_t most = at_once(e) / 2 / size;
    return (uint32_t)(n < most ? n : most);
}

void peers_pack(struct weft_engine *e, struct peers_head *h, struct peers_given *g)
{
    struct peers *p = e->peers;
    uint32_t npackets[UINT8_MAX + 1] = {0}, nlasts[UINT8_MAX + 1] = {0};
    h->ncompletions =
        fit(e, g->completions_end - g->next_completion, sizeof(struct completion_message));
    for (uint32_t i = 0; i < h->ncompletions; i++)
        pack_completion(e, &e->part.all, &p->completions[g->next_completion + i]);
    for (unsigned k = 0; k < p->link.n; k++) {
        struct send_buffer *out = &p->out[k], *lasts = &p->lasts[k];
        out->n = 0;
        if (k == p->link.me)
            continue;
        nlasts[k] = fit(e, lasts->n / sizeof(struct peers_last), sizeof(struct peers_last));
        lasts->n -= nlasts[k] * sizeof(struct peers_last);
        send_buffer_add(e, out, h, sizeof *h);
        send_buffer_add(e, out, e->part.all.bytes, e->part.all.n);
        send_buffer_add(e, out, lasts->bytes + lasts->n, nlasts[k] * sizeof(struct peers_last));
    }
    g->next_completion += h->ncompletions;
    h->more = g->next_completion < g->completions_end;
    for (unsigned k = 0; k < p->link.n; k++)
        h->more |= left_in(e, &p->lasts[k]);
    pack_ports(e, h, npackets);
    for (unsigned k = 0; k < p->link.n; k++) {
        if (k == p->link.me || p->out[k].n < sizeof *h)
            continue;
        h->npackets = npackets[k];
        h->nlasts = nlasts[k];
        memcpy(p->out[k].bytes, h, sizeof *h);
    }
}

/* ---- in ---- */

/* Takes @p n bytes from the front of what is to be read. */
static void take(struct send_buffer *from, void *to, size_t n)
{
    memcpy(to, from->bytes, n);
    from->bytes += n;
}

static void unpack_last(struct weft_engine *e, struct send_buffer *from)
{
    struct peers_last l;
    take(from, &l, sizeof l);
    msg_fields_take(e, msg_at(e, l.msg), &l.fields, CROSSES_SENT);
}

static void unpack_packet(struct weft_engine *e, struct send_buffer *from)
{
    struct crossing c;
    take(from, &c, sizeof c);
    const uint32_t i = stable_alloc(&e->pkts.pool);
    if (i == NIL) {
        engine_full(e, &e->pkts.pool, "packets in flight");
        return;
    }
    struct wait *w = (struct wait *)(void *)e->delays.waits.base + i;
    *pkt_at(e, i) = c.k;
    struct weft_err err;
    if (c.k.kind < WEFT_PKT_PFC &&
        !qp_at(e, c.k.qp)->kind && /* it passes here, between hosts of others */
        qp_find_kind(e, qp_at(e, c.k.qp), &err))
        engine_fail(e, err.code, "%s", err.msg);
    if (c.has_wait) {
        take(from, w, sizeof *w);
        if (e->delays.waits.n <= i)
            e->delays.waits.n = i + 1;
    } else if (i < e->delays.waits.n) {
        w->sent_ps = -1;
    }
    if (c.has_map)
        take(from, (struct sack_map *)(void *)e->rc.maps.base + i, sizeof(struct sack_map));
    if (c.has_stack) {
        struct weft_cc_hop hops[WEFT_CC_MAX_HOPS];
        const uint32_t n = sig_hops(c.k.sig);
        take(from, hops, n * sizeof *hops);
        pkt_at(e, i)->sig = NIL;
        if (!telemetry_copy(e, pkt_at(e, i), hops, n))
            return;
    }
    put_on_link(e, c.port, pkt_at(e, i), i, c.at_ps);
}

void peers_merge(struct peers_head *known, const struct peers_head *h)
{
    known->bound = ev_before(h->bound, known->bound) ? h->bound : known->bound;
    known->next_ps = h->next_ps < known->next_ps ? h->next_ps : known->next_ps;
    known->last_ps = h->last_ps > known->last_ps ? h->last_ps : known->last_ps;
    known->timer_ps = h->timer_ps < known->timer_ps ? h->timer_ps : known->timer_ps;
    known->deferred |= h->deferred;
    known->last_try |= h->last_try;
    known->more |= h->more;
}

void peers_unpack(struct weft_engine *e, unsigned k)
{
    struct peers *p = e->peers;
    struct send_buffer from = {(char *)(uintptr_t)p->came[k].bytes, p->came[k].n, 0};
    struct peers_head h;
    struct window_note note;
    take(&from, &h, sizeof h);
    if (!peers_same(e, k, &h))
        return;
    peers_merge(&p->known, &h);
    if (h.code) {
        struct weft_err err;
        take(&from, &err, sizeof err);
        p->failed = engine_fail(e, h.code, "%s", err.msg) != 0;
    }
    for (uint32_t i = 0; i < h.nnotes; i++) {
        take(&from, &note, sizeof note);
        window_note(e, &note);
    }
    for (uint32_t i = 0; i < h.ncompletions; i++) {
        struct completion_message message;
        take(&from, &message, sizeof message);
        peers_completion_came(e, &message);
    }
    for (uint32_t i = 0; i < h.nlasts; i++)
        unpack_last(e, &from);
    for (uint32_t i = 0; i < h.npackets; i++)
        unpack_packet(e, &from);
}
