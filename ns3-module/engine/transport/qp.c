/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * QPs: opened on the first message between two hosts at a priority, found through an
 * open-addressing table, never closed.
 */
#include "qp.h"
#include "grant.h"
#include "core/context.h"
#include "control.h"
#include "balance/ecmp.h"
#include "balance/entropy.h"
#include "core/frame_size.h"
#include "core/gap.h"
#include "balance/ideal.h"
#include "reroute.h"
#include "nic.h"
#include "core/executor.h"
#include "core/stable.h"
#include "switch/trim.h"

#include "base/int128.h"
#include "base/flow.h"
#include "base/units.h"

#include <string.h>

int64_t weft_engine_frames_ideal_ps(struct weft_engine *e, const struct weft_engine_frame *f,
                                    struct weft_engine_mark since, uint32_t ahead, uint64_t bytes,
                                    uint32_t segment, uint32_t overhead)
{
    const uint64_t gap = e->p.transport.gap_bytes, least = e->p.transport.min_frame_bytes;
    posts_flush(e);
    const uint32_t qi = qp_of_frames(e, f->src_host, f->dst_host, f->flow, NULL);
    if (qi == NIL)
        return 0;
    const uint64_t n = bytes ? (bytes - 1) / segment + 1 : 1;
    const uint64_t full = segment + overhead, tail = bytes - (n - 1) * segment + overhead;
    const struct journey j = {.q = qp_at(e, qi),
                              .src_host = f->src_host,
                              .dst_host = f->dst_host,
                              .since = since,
                              .ahead = ahead ? (ahead < least ? least : ahead) + gap : 0,
                              .npkts = n,
                              .full = (full < least ? least : full) + gap,
                              .tail = (tail < least ? least : tail) + gap};
    return ideal_ps(e, &j);
}

/* Remembers the choices of the switches on a path of @p hops ports, as long as no link has changed.
 */
static void remember(const struct weft_engine *e, struct qp *q, bool forward, const uint32_t *ports,
                     uint32_t hops)
{
    for (uint32_t h = 0; h < QP_PATH; h++) {
        const bool known = !e->routing.intact && h + 1 < hops;
        const int64_t by =
            known ? (int64_t)ports[h + 1] - (int64_t)e->fabric->ports[ports[h]].peer : 0;
        q->path[!forward][h] = by >= INT8_MIN && by <= INT8_MAX ? (int8_t)by : 0;
    }
}

/* How long @p bytes take on a way, as its links were built, whatever they have come to; *@p
 * rate_bps: of the slowest. */
static weft_i128 path_ps(const struct weft_engine *e, const uint32_t *ports, uint32_t hops,
                         uint64_t bytes, uint64_t *rate_bps)
{
    weft_i128 ps = 0;
    int64_t sending_ps = 0;
    *rate_bps = UINT64_MAX;
    for (uint32_t h = 0, of = 0; h < hops; of = h++) {
        const struct weft_fabric_link *l = link_of(e, ports[h]);
        if (h == 0 || l->rate_bps != link_of(e, ports[of])->rate_bps)
            sending_ps = gap_quantised(e->p.transport.quantum_ps, bytes, gap_of_rate(l->rate_bps));
        *rate_bps = l->rate_bps < *rate_bps ? l->rate_bps : *rate_bps;
        ps += sending_ps + l->delay_ps;
    }
    return ps;
}

void qp_find_path(const struct weft_engine *e, struct qp *q, struct qp_kind *k)
{
    uint32_t ports[MAX_PATH];
    const uint64_t gap = e->p.transport.gap_bytes;
    memset(k, 0, sizeof *k); /* kinds are compared byte by byte */
    k->qps = e->qps.pool.base;
    k->rares = (struct qp_rare *)(void *)e->qps.rare.base;
    k->inverse = UINT32_MAX / (uint32_t)(e->qps.pool.elem / 64) + 1;
    q->kind = k;
    /* Without a path now: as it was, and may be again. */
    const struct weft_routes *routes =
        e->links.ndown && !reroute_path_exists(e, q) ? e->routing.intact : e->routing.routes;
    uint32_t hops = ecmp_path(e, routes, q, true, ports);
    control_assign(e, q, k, ports, hops);
    const struct profile *f = k->profile;
    const struct weft_cc_signals *s = &k->control->signals;
    k->full_frame = payload_frame(&f->t, k->env.mtu_bytes, s->data_bytes);
    const uint64_t ack_bytes = f->t.ack_bytes + s->ack_bytes, least = f->t.min_frame_bytes;
    k->ack_frame = (uint32_t)(ack_bytes < least ? least : ack_bytes);
    const uint64_t full = k->full_frame + gap, ack = k->ack_frame + gap;
    k->sparse = f->sparse || f->t.train > 1;
    k->ack_after = f->by_bytes ? 0 : f->ack_after;
    k->train = (uint32_t)(f->t.train * full <= UINT16_MAX ? f->t.train : UINT16_MAX / full);
    uint64_t min_rate, back_rate;
    weft_i128 rtt = path_ps(e, ports, hops, full, &min_rate);
    k->env.line_rate_bps = link_of(e, ports[0])->rate_bps;
    k->line_gap_q = gap_of_rate(k->env.line_rate_bps);
    k->env.hops = hops - 1;
    q->port = ports[0];
    remember(e, q, true, ports, f->pick ? 0 : hops);
    hops = ecmp_path(e, routes, q, false, ports);
    q->ack_port = ports[0];
    remember(e, q, false, ports, e->spread.by_path && e->spread.by_path->answers ? 0 : hops);
    rtt += path_ps(e, ports, hops, ack, &back_rate);
    if (rtt > FOREVER_PS)
        rtt = FOREVER_PS;
    if (f->t.base_rtt_ps)
        rtt = f->t.base_rtt_ps;
    k->env.base_rtt_ps = (int64_t)rtt;
    k->env.bdp_bytes =
        (uint64_t)((weft_u128)min_rate * (uint64_t)rtt / 8 / (uint64_t)WEFT_PS_PER_S);
    if (f->t.bdp_bytes)
        k->env.bdp_bytes = f->t.bdp_bytes;
    k->env.packet_timers = f->recovery->timers != NULL;
    k->env.trims = trim_reported(e, q->own_prio);
    k->env.mtu_wire_bytes = (uint32_t)full;
    k->cap_bytes = UINT64_MAX;
    if (f->recovery->bdp_fc && f->t.bdp_fc)
        k->cap_bytes = k->env.bdp_bytes ? k->env.bdp_bytes : 1;
}

int qp_find_kind(struct weft_engine *e, struct qp *q, struct weft_err *err)
{
    struct qp_kind k;
    qp_find_path(e, q, &k);
    q->kind = control_resolve(e, &k, err) ? NULL : qp_kind_of(e, &k, err);
    return q->kind ? 0 : WEFT_E_LIMIT;
}

/* Ends of QP @p qi. */
static inline struct qp_name name_of(const struct weft_engine *e, uint32_t qi)
{
    if (__builtin_expect(qi >= e->qps.opened, 0))
        return e->qps.unopened[qi - e->qps.opened];
    const struct qp *q = qp_at(e, qi);
    return (struct qp_name){q->src_host, q->dst_host, q->number, q->own_prio, q->nic};
}

/* Where its search begins. Numbers that follow each other are put apart: the runs of two pairs of
 * hosts that met would be searched from end to end. */
static inline uint64_t hash(const struct qp_name *n)
{
    return weft_flow_key(n->src, n->dst, n->prio, n->number * UINT32_C(2654435769));
}

static int grow_table(struct weft_engine *e)
{
    uint32_t n = e->qps.nslots ? e->qps.nslots * 2 : 1024;
    uint32_t *slots = calloc(n, sizeof *slots);
    if (!slots)
        return -1;
    for (uint32_t i = 0; i < e->qps.pool.n; i++) {
        const struct qp_name name = name_of(e, i);
        uint64_t h = hash(&name);
        while (slots[h & (n - 1)])
            h++;
        slots[h & (n - 1)] = i + 1;
    }
    free(e->qps.slots);
    e->qps.slots = slots;
    e->qps.nslots = n;
    return 0;
}

/** Initial state of a sender. */
#define FRESH .nxt_msg = NIL, .rto_at_ps = WEFT_NEVER, .rto_entry_ps = WEFT_NEVER

const struct sender qp_nobody = {FRESH};

/* The sender of @p q, a new QP. */
static struct sender *new_sender(struct weft_engine *e, const struct qp_name *name)
{
    if (!(part_ends(e, name->src, name->dst) & PART_SENDS))
        return (struct sender *)(uintptr_t)&qp_nobody;
    struct stable *const all = &e->qps.senders; /* it has room for one for each QP */
    return (struct sender *)(void *)all->base + stable_alloc(all);
}

/* The slot of a QP, or that which a new one of this name gets. */
static inline uint32_t *slot_of(const struct weft_engine *e, const struct qp_name *name)
{
    for (uint64_t h = hash(name);; h++) {
        uint32_t *slot = &e->qps.slots[h & (e->qps.nslots - 1)];
        if (*slot == 0)
            return slot;
        const struct qp_name other = name_of(e, *slot - 1);
        if (other.src == name->src && other.dst == name->dst && other.prio == name->prio &&
            other.number == name->number)
            return slot;
    }
}

uint32_t qp_find(const struct weft_engine *e, const struct qp_name *name)
{
    const uint32_t *slot = e->qps.nslots ? slot_of(e, name) : NULL;
    return slot && *slot ? *slot - 1 : NIL;
}

uint32_t qp_new(struct weft_engine *e, const struct qp_name *name, struct weft_err *err)
{
    if (e->qps.pool.n * 2 >= e->qps.nslots && grow_table(e)) {
        weft_err_set(err, WEFT_E_LIMIT, "out of memory for %u QPs", e->qps.pool.n);
        return NIL;
    }
    uint32_t *slot = slot_of(e, name);
    const uint32_t qi = stable_alloc(&e->qps.pool);
    if (qi == NIL) {
        stable_full(&e->qps.pool, "QPs", err);
        return NIL;
    }
    if (e->qps.cc_state.elem)
        stable_alloc(&e->qps.cc_state); /* it has room for as many */
    if (e->grants.of.elem)
        *grantee_at(&e->grants, stable_alloc(&e->grants.of)) = (struct grantee){.next = NIL};
    stable_alloc(&e->qps.rare);
    qp_at(e, qi)->snd = new_sender(e, name);
    *slot = qi + 1;
    return qi;
}

/* Makes the record of a QP, with its path. */
static int record(struct weft_engine *e, uint32_t qi, const struct qp_name *name,
                  struct weft_err *err)
{
    struct qp *q = qp_at(e, qi);
    struct sender *const snd = q->snd;
    *q = (struct qp){.snd = snd};
    if (snd != &qp_nobody)
        *snd = (struct sender){FRESH, .prio = name->prio};
    q->src_host = name->src;
    q->dst_host = name->dst;
    q->own_prio = name->prio;
    q->number = name->number;
    q->nic = name->nic;
    q->head_msg = q->tail_msg = q->rcv_msg = NIL;
    q->cnp_at_ps = WEFT_NEVER;
    const uint32_t own = name->number & ((UINT32_C(1) << WEFT_QP_BITS) - 1);
    const uint64_t entropy =
        weft_flow_entropy(weft_flow_key(name->src, name->dst, name->prio, own), e->seed);
    q->flow_hash = (uint32_t)entropy;
    q->ack_hash = (uint32_t)(entropy >> 32);
    return part_ends(e, name->src, name->dst) ? qp_find_kind(e, q, err) : 0;
}

/* Elsewhere the state of the control stays untouched memory. */
static int open_sender(struct weft_engine *e, uint32_t qi, struct weft_err *err)
{
    struct qp *q = qp_at(e, qi);
    struct sender *s = q->snd;
    s->counted = profile_of(q)->recovery->counts;
    if (entropy_open(e, q, err))
        return err ? err->code : WEFT_E_LIMIT;
    if (!qp_start_control(e, q, qi))
        return weft_err_no_memory(err, "the state of a congestion control");
    nic_cc_changed(e, q, qi);
    return 0;
}

int qp_open(struct weft_engine *e, uint32_t qi, const struct qp_name *name, struct weft_err *err)
{
    struct qp *q = qp_at(e, qi);
    const unsigned ends = part_ends(e, name->src, name->dst);
    if (record(e, qi, name, err))
        return err ? err->code : WEFT_E_LIMIT;
    if (!ends) /* other processes have it */
        return 0;
    const struct control *c = q->kind->control;
    q->carries = c->credit_on ? QP_CREDIT : c->signal ? QP_SIGNAL : QP_NOTHING;
    if (ends & PART_SENDS && open_sender(e, qi, err))
        return err ? err->code : WEFT_E_LIMIT;
    if (ends & PART_SENDS && e->spread.steer)
        e->spread.steer->aim(e, q);
    if (e->links.ndown)
        reroute_qp(e, qi);
    return 0;
}

void qp_close(const struct weft_engine *e, struct qp *q)
{
    if (q->kind && profile_of(q)->recovery->fini)
        profile_of(q)->recovery->fini(q);
    if (q->kind)
        qp_free_state(e, q);
    if (q->kind && q->snd->sprays)
        entropy_close(q);
}

uint32_t qp_of_frames(struct weft_engine *e, uint32_t src, uint32_t dst, uint32_t flow,
                      struct weft_err *err)
{
    const struct qp_name name = {dst, src, flow, FRAME_PRIO, 0};
    uint32_t qi = qp_find(e, &name);
    if (qi != NIL)
        return qi;
    qi = qp_new(e, &name, err);
    if (qi == NIL || record(e, qi, &name, err))
        return NIL;
    if (e->links.ndown)
        reroute_qp(e, qi);
    return qi;
}

const struct weft_cc_ops *weft_engine_qp_control(struct weft_engine *e, uint32_t qpn)
{
    posts_flush(e);
    return qp_at(e, qpn - WEFT_FIRST_QPN)->kind->cc;
}

void weft_engine_observe(struct weft_engine *e, uint32_t qpn, double *values)
{
    posts_flush(e);
    const struct qp *q = qp_at(e, qpn - WEFT_FIRST_QPN);
    if (q->kind->cc->observe)
        q->kind->cc->observe(cc_state_of(q), q->kind->ccp, values);
}
