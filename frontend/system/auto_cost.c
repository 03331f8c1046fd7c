/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What an algorithm costs a group: the sum over its rounds (collective/cost.h).
 *
 *   a round of one each   halfway between longest path + bytes over the busiest link and what the
 *                         mean path takes, since few pairs are the slowest in every round
 *   a round of many each  messages over the busiest link come from near and far: mean path + bytes
 *                         over that link, but no less than the longest path
 *   rounds around a ring  each rank waits for the one before it alone, so that a round takes what
 *                         the links of the ring take on average, or what the busiest is busy for,
 *                         whichever is more
 *   rounds of a pipeline  bytes over the busiest link
 *
 * To a path belongs that switches forward whole frames, and what endpoints take: endpoint-delay,
 * LogGP costs, adding up, the round trip of a rendezvous.
 */
#include "system/auto.h"

#include "base/grow.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Messages of one frame that meet at a link go on one after the other, so that few wait for all,
 * and they meet less and less round by round. That part of the longest wait is counted (fitted to
 * the packet backend), but where those of other chunks follow. */
#define WAITS 3
/* Most messages of a rank at once. */
#define AT_ONCE_MAX 1024

void weft_table_release(struct weft_table *t)
{
    for (size_t i = 0; i < t->nknown; i++)
        free(t->known[i].is.way);
    free(t->layout.rank);
    free(t->known);
    *t = (struct weft_table){0};
}

static bool auto_cost_same(const struct weft_known_crossing *k, const struct weft_coll_call *c,
                           const struct weft_coll_round *r, uint32_t prio)
{
    return k->to == r->to && k->arg == r->arg && k->fanout == r->fanout && k->params == c->params &&
           k->prio == prio;
}

static size_t nplaces(const struct weft_table *t)
{
    return (size_t)t->layout.n * t->layout.nrows;
}

/* Whether each rank sends one message at most, to another one each. */
static bool one_each(const struct weft_coll_round *r)
{
    return r->fanout == 1 && !r->relayed && !r->streamed && !r->meanwhile;
}

/* NULL: out of memory. */
static const struct weft_crossing *crossing(struct weft_table *t, const struct weft_coll_call *c,
                                            const struct weft_coll_round *r)
{
    for (size_t i = 0; i < t->nknown; i++)
        if (auto_cost_same(&t->known[i], c, r, t->auto_fabric->prio))
            return &t->known[i].is;
    if (!WEFT_GROW(t->known, t->nknown, &t->cap))
        return NULL;
    struct weft_known_crossing *k = &t->known[t->nknown];
    *k = (struct weft_known_crossing){r->to,     r->arg, r->fanout, t->auto_fabric->prio,
                                      c->params, {0}};
    if (one_each(r) && !(k->is.way = calloc(nplaces(t), sizeof *k->is.way)))
        return NULL;
    t->nknown++;
    weft_auto_fabric_cross(t->auto_fabric, &t->layout, c, r, &k->is);
    return &k->is;
}

static uint64_t cost_frames(const struct weft_net_manner *m, uint64_t bytes)
{
    return bytes && m->frame_bytes ? (bytes - 1) / m->frame_bytes + 1 : 1;
}

/* What a message of so many bytes puts on a link, with the ACKs of as many others times `acks`,
 * which go the other way. */
static double on_link(const struct weft_net_manner *m, uint64_t bytes, double acks)
{
    return (double)bytes + (double)cost_frames(m, bytes) * (m->header_bytes + m->ack_bytes * acks);
}

/* What of it a switch takes in before it sends it on. */
static double first_frame(const struct weft_net_manner *m, uint64_t bytes)
{
    const uint64_t payload = bytes < m->frame_bytes ? bytes : m->frame_bytes;
    return m->frame_bytes ? (double)payload + m->header_bytes : 0;
}

static double seconds(int64_t ps)
{
    return (double)ps * 1e-12;
}

/* What the endpoints of a round take. */
static double endpoints_s(const struct weft_system_params *p, const struct weft_coll_round *r)
{
    int64_t gap = p->message_gap_ps > p->send_overhead_ps ? p->message_gap_ps : p->send_overhead_ps;
    gap = gap > p->receive_overhead_ps ? gap : p->receive_overhead_ps;
    return seconds(p->endpoint_delay_ps) + seconds(p->send_latency_ps) +
           seconds(p->send_overhead_ps) + seconds(p->receive_overhead_ps) +
           (r->fanout - 1) * seconds(gap);
}

/* Whether every rank has more messages under way at once than a NIC keeps queue pairs for, where
 * other algorithms do without: n (n - 1) of them fill memories before they fill links. */
static bool is_flood(const struct weft_coll_call *c, const struct weft_coll_round *r)
{
    return r->fanout > AT_ONCE_MAX && c->kind != WEFT_COLL_ALL_TO_ALL &&
           !weft_coll_has_root(c->kind);
}

struct costing {
    struct weft_table *t;
    struct weft_cost sum;
    /* When each place is through with the rounds so far, after `sum`; next: with the one under way.
     * NULL: all are at once. */
    double *at, *next;
    double latency_s; /* of those rounds */
    double *sent;     /* when the link of each is free */
};

/* All go on from where the last one is. */
static void meet(struct costing *k)
{
    double last = 0;
    for (size_t i = 0; k->at && i < nplaces(k->t); i++) {
        last = fmax(last, k->at[i]);
        k->at[i] = k->sent[i] = 0;
    }
    k->sum.latency_s += k->latency_s < last ? k->latency_s : last;
    k->sum.busy_s += k->latency_s < last ? last - k->latency_s : 0;
    k->latency_s = 0;
}

/* How far those who send are out of step: for so long messages share links with those of the rounds
 * before and after. */
static double apart_s(const struct costing *k, const struct weft_crossing *x)
{
    double first = INFINITY, last = 0;
    for (size_t i = 0; i < nplaces(k->t); i++) {
        if (x->way[i].load == 0)
            continue;
        first = k->at[i] < first ? k->at[i] : first;
        last = fmax(last, k->at[i]);
    }
    return fmax(last - first, 0);
}

/* A rank is through when it has taken in what came, which was sent when its sender was through. */
static void one_round(struct costing *k, const struct weft_coll_call *c,
                      const struct weft_coll_round *r, const struct weft_crossing *x, double own_s)
{
    const struct weft_net_manner *m = k->t->auto_fabric->manner;
    const struct weft_rank_layout *layout = &k->t->layout;
    const double bytes = on_link(m, r->bytes, x->share), frame = first_frame(m, r->bytes);
    const bool follow = r->bytes > m->frame_bytes || k->t->p->active_chunks > 1;
    const double waits = follow ? 1 : 1.0 / WAITS;
    const uint64_t injection_bps = k->t->p->injection_bps;
    const double injected_s = injection_bps ? 8.0 / (double)injection_bps : 0; /* per byte */
    const double apart = follow && k->t->p->active_chunks == 1 ? apart_s(k, x) : 0;
    memcpy(k->next, k->at, nplaces(k->t) * sizeof *k->at);
    for (size_t i = 0; i < nplaces(k->t); i++) {
        const struct weft_way *w = &x->way[i];
        const size_t row = i / layout->n * layout->n;
        if (w->load == 0)
            continue;
        const size_t to = row + r->to(c, r->arg, (uint32_t)(i - row), 0);
        const double begin = fmax(k->at[i], k->sent[i]);
        const double alone = fmax(w->alone, injected_s);
        const double wire = bytes * (alone + fmax(w->load - alone, 0) * waits);
        const double shared = apart < bytes * alone ? apart : bytes * alone;
        const double end = begin + w->delay_s + frame * w->hops + wire + shared + own_s;
        k->sent[i] = begin + bytes * alone;
        k->next[to] = fmax(k->next[to], end);
    }
    double *const old = k->at;
    k->at = k->next;
    k->next = old;
}

/* Lanes of a rank share its link frame by frame, so that the last frame of each but one is not
 * waited for: seconds per byte of a frame. */
static double lanes_s(const struct weft_coll_round *r, const struct weft_crossing *x)
{
    const double lanes = x->mean_load / x->mean_alone;
    return x->mean_alone * ((lanes < r->fanout ? lanes : r->fanout) - 1);
}

static void add_round(void *ctx, const struct weft_coll_call *c, const struct weft_coll_round *r)
{
    struct costing *k = ctx;
    const struct weft_system_params *p = k->t->p;
    const bool flood = is_flood(c, r);
    const struct weft_crossing *const x = flood ? NULL : crossing(k->t, c, r);
    if (!x) {
        k->t->auto_fabric->lost |= !flood;
        k->sum.latency_s = INFINITY;
        return;
    }
    const struct weft_net_manner *m = k->t->auto_fabric->manner;
    const double bytes = on_link(m, r->bytes, x->share), times = (double)r->times;
    const double frame = first_frame(m, r->bytes);
    const double injected = p->injection_bps ? 8 * bytes * r->fanout / (double)p->injection_bps : 0;
    double own = endpoints_s(p, r), busy = bytes * x->load;
    k->sum.hops += times * r->fanout * (double)nplaces(k->t) * (double)cost_frames(m, r->bytes) *
                   x->mean_ports;
    busy = fmax(busy, injected);
    if (r->adds)
        own += r->fanout * seconds(weft_reduce_ps(p, r->bytes));
    if (p->rendezvous_bytes && p->rendezvous_for == WEFT_RENDEZVOUS_ALL &&
        r->bytes >= p->rendezvous_bytes)
        own += 2 * x->delay_s;
    if (one_each(r)) {
        k->latency_s += times * (x->mean_delay_s + frame * x->mean_hops + own);
        k->sum.rounds += times;
        for (uint64_t i = 0; i < r->times; i++)
            one_round(k, c, r, x, own);
        return;
    }
    meet(k);
    if (r->meanwhile) {
        k->sum.latency_s -= times * busy < k->sum.latency_s ? times * busy : k->sum.latency_s;
        return;
    }
    if (r->streamed) {
        k->sum.busy_s += times * busy;
        return;
    }
    k->sum.rounds += times;
    if (r->relayed) {
        const double latency = x->mean_delay_s + frame * x->mean_hops + own;
        const double even = bytes * x->mean_load - frame * lanes_s(r, x);
        k->sum.latency_s += times * (latency + even > busy ? latency + even - busy : 0);
        k->sum.busy_s += times * busy;
    } else {
        const double near_s = x->mean_delay_s + frame * x->mean_hops;
        const double far_s = x->delay_s + frame * x->hops + busy / r->fanout;
        k->sum.latency_s += times * (fmax(near_s, far_s - busy) + own);
        k->sum.busy_s += times * busy;
    }
}

struct weft_cost weft_table_cost(struct weft_table *t, const struct weft_coll_algorithm *a,
                                 struct weft_coll_call *c)
{
    struct costing k = {.t = t};
    const struct weft_coll_cost_sink sink = {&k, add_round};
    c->params = a->params;
    if (c->n < 2)
        return k.sum;
    k.sum.latency_s = seconds(t->p->endpoint_delay_ps); /* before the first message */
    k.at = calloc(3 * nplaces(t), sizeof *k.at);
    double *const all = k.at;
    if (!all) {
        t->auto_fabric->lost = true;
        k.sum.latency_s = INFINITY;
        return k.sum;
    }
    k.next = k.at + nplaces(t);
    k.sent = k.next + nplaces(t);
    a->ops->cost(c, &sink);
    meet(&k);
    free(all);
    return k.sum;
}
