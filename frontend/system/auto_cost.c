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

#include <math.h>
#include <stdlib.h>

/* Payload of a frame that a switch takes in before it sends it on: a path MTU of RoCE. */
#define FRAME 4096u
/* Besides its payload a frame puts on a link: 82 B of headers, preamble and gap (RoCEv2 over
 * Ethernet), and on the way back, which in most rounds somebody else's frames go, an ACK of 86 B.
 */
#define BESIDES 168u
/* Messages of one frame that meet at a link go on one after the other, so that few wait for all,
 * and they meet less and less round by round. That part of the longest wait is counted (fitted to
 * the packet backend). */
#define WAITS 3
/* Most messages of a rank at once. */
#define AT_ONCE_MAX 1024

void weft_table_release(struct weft_table *t)
{
    free(t->seats.rank);
    free(t->known);
    *t = (struct weft_table){0};
}

static bool same(const struct weft_known_crossing *k, const struct weft_coll_call *c,
                 const struct weft_coll_round *r)
{
    return k->to == r->to && k->arg == r->arg && k->fanout == r->fanout && k->params == c->params;
}

static struct weft_crossing crossing(struct weft_table *t, const struct weft_coll_call *c,
                                     const struct weft_coll_round *r)
{
    for (size_t i = 0; i < t->nknown; i++)
        if (same(&t->known[i], c, r))
            return t->known[i].is;
    struct weft_known_crossing k = {r->to, r->arg, r->fanout, c->params, {0}};
    weft_ground_cross(t->ground, &t->seats, c, r, &k.is);
    if (t->nknown == t->cap) {
        const size_t cap = t->cap ? 2 * t->cap : 32;
        struct weft_known_crossing *more = realloc(t->known, cap * sizeof *more);
        if (!more)
            return k.is;
        t->known = more;
        t->cap = cap;
    }
    t->known[t->nknown++] = k;
    return k.is;
}

/* What a message of so many bytes puts on a link. */
static double on_link(uint64_t bytes)
{
    const uint64_t frames = bytes ? (bytes - 1) / FRAME + 1 : 1;
    return (double)bytes + (double)frames * BESIDES;
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
};

static void add_round(void *ctx, const struct weft_coll_call *c, const struct weft_coll_round *r)
{
    struct costing *k = ctx;
    const struct weft_system_params *p = k->t->p;
    if (is_flood(c, r)) {
        k->sum.latency_s = INFINITY;
        return;
    }
    const struct weft_crossing x = crossing(k->t, c, r);
    const double bytes = on_link(r->bytes), times = (double)r->times;
    const double frame = r->bytes < FRAME ? bytes : FRAME;
    const double injected = p->injection_bps ? 8 * bytes * r->fanout / (double)p->injection_bps : 0;
    double own = endpoints_s(p, r), busy = bytes * x.load;
    busy = injected > busy ? injected : busy;
    if (r->adds)
        own += r->fanout * seconds(weft_reduce_ps(p, r->bytes));
    if (p->rendezvous_bytes && p->rendezvous_for == WEFT_RENDEZVOUS_ALL &&
        r->bytes >= p->rendezvous_bytes)
        own += 2 * x.delay_s;
    if (r->streamed) {
        k->sum.busy_s += times * busy;
    } else if (r->relayed) {
        const double latency = x.mean_delay_s + frame * x.mean_hops + own;
        const double even = bytes * x.mean_load;
        k->sum.latency_s += times * latency;
        k->sum.busy_s += times * (even > busy - latency ? even : busy - latency);
    } else if (r->fanout > 1) {
        const double near_s = x.mean_delay_s + frame * x.mean_hops;
        const double far_s = x.delay_s + frame * x.hops + busy / r->fanout;
        k->sum.latency_s += times * (near_s + own);
        k->sum.busy_s += times * (busy > far_s - near_s ? busy : far_s - near_s);
    } else {
        k->sum.latency_s +=
            times * ((x.delay_s + x.mean_delay_s + frame * (x.hops + x.mean_hops)) / 2 + own);
        k->sum.busy_s +=
            times * (r->bytes > FRAME ? (busy + bytes * x.mean_load) / 2
                                      : bytes * x.alone + (busy - bytes * x.alone) / WAITS);
    }
}

struct weft_cost weft_table_cost(struct weft_table *t, const struct weft_coll_algorithm *a,
                                 struct weft_coll_call *c)
{
    struct costing k = {t, {0, 0}};
    const struct weft_coll_cost_sink sink = {&k, add_round};
    c->params = a->params;
    if (c->n > 1)
        a->ops->cost(c, &sink);
    return k.sum;
}
