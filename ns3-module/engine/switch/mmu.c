/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The switch's shared buffer, priority flow control and ECN marking: what happens to each packet.
 * mmu_config.c computes the constants.
 *
 * Accounting follows the ingress: a packet belongs to the (port, priority) that it came in through
 * until it leaves. Each (port, priority) first fills its reserve, then takes from its pool up to
 * its threshold, alpha x free (Choudhury, Hahne 1998) or a fixed limit; beyond it a lossless
 * priority uses the headroom of its port and a lossy one drops. The packet that crosses the
 * threshold goes to headroom whole. XOFF when headroom is in use or the threshold is reached, XON
 * when headroom is empty and the shared use is xon-offset below the threshold; both are evaluated
 * when a packet of that (port, priority) enters or leaves, as in the HPCC simulator. Unlike there,
 * thresholds saturate at zero and can never promise more than is free, so the buffer cannot
 * overflow.
 *
 * The ingress has one pool, or one for the lossless and one for the lossy priorities
 * (switch.lossy-share). The egress queues of lossy priorities are measured, too: by what is free in
 * their ingress pool, or in an egress pool of their own, which counts what its queues hold beyond
 * the reserve. With an egress pool of their own the lossless ones are measured likewise.
 */
#include "mmu.h"
#include "core/context.h"
#include "lazy.h"
#include "core/pkt.h"
#include "credit.h"
#include "mmu_admit.h"
#include "pfc.h"
#include "train.h"

#include "base/rng.h"

#include <math.h>

static inline uint64_t above(uint64_t bytes, uint64_t reserve)
{
    return bytes > reserve ? bytes - reserve : 0;
}

/* One of the two terms is 0. */
static inline uint64_t limit_of(struct limit l, uint64_t free)
{
    return (free * l.alpha_q16 >> 16) + l.bytes;
}

/* Bytes that an ingress (port, priority) may hold of its pool: where XOFF and XON are decided. */
static inline uint64_t threshold(const struct pool *g, struct limit l)
{
    uint64_t free = g->size - g->used;
    uint64_t t = free * l.alpha_q16 >> 16;
    return (t < free ? t : free) + l.bytes;
}

bool mmu_would_resume(const struct weft_engine *e, uint32_t in, uint32_t prio, uint64_t normal,
                      uint64_t headroom, uint64_t shared)
{
    const struct port *p = &e->ports[in];
    struct pool g = e->mmu.of[p->node].in[e->mmu.in_pool[prio]];
    g.used = shared;
    uint64_t left = above(normal, e->p.sw.reserve_bytes);
    return headroom == 0 && (left == 0 || left + e->p.pfc.xon_offset_bytes <=
                                              threshold(&g, p->kind->prio[prio].ingress));
}

/* Whether an egress queue may take a packet that brings its ingress to @p after bytes of its pool.
 */
static bool egress_takes(const struct weft_engine *e, const struct pkt *k, uint32_t out,
                         uint64_t after)
{
    const uint32_t prio = k->prio;
    const uint64_t reserve = e->p.sw.reserve_bytes, queue = e->ports[out].lane[prio].qbytes;
    const struct mmu *m = &e->mmu.of[e->ports[out].node];
    const bool pooled = e->mmu.egress_pooled >> prio & 1;
    const struct pool *g =
        pooled ? &m->out[!(e->mmu.lossless >> prio & 1)] : &m->in[e->mmu.in_pool[prio]];
    const uint64_t longer = above(queue + k->frame, reserve), free = g->size - g->used;
    if (pooled ? longer == 0 : after == 0)
        return true;
    return longer <= limit_of(e->ports[out].kind->prio[prio].egress, free) &&
           (!pooled || longer - above(queue, reserve) <= free);
}

bool mmu_queue_full(const struct weft_engine *e, const struct pkt *k, uint32_t in, uint32_t out)
{
    const uint64_t held = e->ports[in].lane[came_in(k)].in_bytes;
    return e->mmu.egress_measured >> k->prio & 1 &&
           !egress_takes(e, k, out, above(held + k->frame, e->p.sw.reserve_bytes));
}

/* A queue of an egress pool of its own has grown from @p before to @p after bytes, or shrunk. */
static __attribute__((noinline)) void egress_count(const struct weft_engine *e, uint32_t out,
                                                   uint32_t prio, uint64_t before, uint64_t after)
{
    const uint64_t reserve = e->p.sw.reserve_bytes;
    struct mmu *m = &e->mmu.of[e->ports[out].node];
    m->out[!(e->mmu.lossless >> prio & 1)].used += above(after, reserve) - above(before, reserve);
}

bool mmu_make(struct weft_engine *e, const struct pkt *k, uint32_t out)
{
    const uint32_t prio = k->prio, node = e->ports[out].node;
    const uint64_t queue = e->ports[out].lane[prio].qbytes;
    if (!(e->mmu.egress_pooled >> prio & 1))
        return true;
    if (!egress_takes(e, k, out, 0)) {
        if (e->mmu.of[node].eager)
            return false;
        lazy_wake(e, node);
        return mmu_make(e, k, out);
    }
    egress_count(e, out, prio, queue, queue + k->frame);
    return true;
}

void mmu_made_left(const struct weft_engine *e, const struct pkt *k, uint32_t out)
{
    const uint64_t queue = e->ports[out].lane[k->prio].qbytes;
    if (k->kind == WEFT_PKT_WARNING && e->mmu.egress_pooled >> k->prio & 1)
        egress_count(e, out, k->prio, queue + k->frame, queue);
}

/* Takes in @p size bytes from port @p p while the buffer may count too much, see lazy.c: a packet
 * that fits below the threshold by that count does so exactly. False: only an exact count says. */
static inline bool admit_by_ingress(const struct weft_engine *e, struct port *p, struct mmu *m,
                                    uint32_t prio, uint64_t size)
{
    struct lane *l = &p->lane[prio];
    const uint64_t reserve = e->p.sw.reserve_bytes, held = l->in_bytes;
    const struct limit limit = p->kind->prio[prio].ingress;
    struct pool *g = &m->in[e->mmu.in_pool[prio]];
    const uint64_t after = above(held + size, reserve), more = after - above(held, reserve);
    const struct pool then = {g->size, g->used + more};
    if (then.used > g->size)
        return false;
    /* below the threshold afterwards is below the limit before */
    if (e->mmu.lossless >> prio & 1 ? after > 0 && after >= threshold(&then, limit)
                                    : after > limit_of(limit, g->size - g->used))
        return false;
    l->in_bytes = (uint32_t)(held + size);
    g->used = then.used;
    return true;
}

/* The same where the egress queue may have a limit, too. */
static bool admit_lazily(struct weft_engine *e, const struct pkt *k, uint32_t in, uint32_t out)
{
    struct port *p = port_at(e, in);
    const uint32_t prio = came_in(k), queue = e->ports[out].lane[k->prio].qbytes;
    const uint64_t held = p->lane[prio].in_bytes;
    if (e->mmu.egress_measured >> k->prio & 1 &&
        !egress_takes(e, k, out, above(held + k->frame, e->p.sw.reserve_bytes)))
        return false;
    if (!admit_by_ingress(e, p, &e->mmu.of[p->node], prio, k->frame))
        return false;
    if (e->mmu.egress_pooled >> k->prio & 1)
        egress_count(e, out, k->prio, queue, queue + k->frame);
    return true;
}

/* Admission; @p measured: the egress queue has a limit. */
static inline __attribute__((always_inline)) enum weft_drop_reason
admit(struct weft_engine *e, const struct pkt *k, uint32_t in, uint32_t out, bool measured)
{
    struct port *p = port_at(e, in);
    struct mmu *m = &e->mmu.of[p->node];
    const uint32_t prio = came_in(k);
    const uint64_t size = k->frame, reserve = e->p.sw.reserve_bytes;
    const struct limit *limit = &p->kind->prio[prio].ingress;
    struct pool *g = &m->in[e->mmu.in_pool[prio]];
    uint64_t held = above(p->lane[prio].in_bytes, reserve);
    uint64_t after = above(p->lane[prio].in_bytes + size, reserve);
    bool shared_ok = after == 0;
    if (!shared_ok) {
        uint64_t free = g->size - g->used;
        shared_ok = after <= limit_of(*limit, free) && after - held <= free;
    }
    if (measured && !egress_takes(e, k, out, after))
        return WEFT_DROP_BUFFER;
    if (shared_ok) {
        p->lane[prio].in_bytes += (uint32_t)size;
        g->used += after - held;
    } else if (!(e->mmu.lossless >> prio & 1)) {
        return WEFT_DROP_BUFFER;
    } else if (p->lane[prio].in_hdrm + size > p->kind->headroom + e->mmu.train_bytes) {
        return WEFT_DROP_HEADROOM;
    } else {
        p->lane[prio].in_hdrm += (uint32_t)size;
    }
    if (measured && (e->mmu.egress_pooled >> k->prio & 1))
        egress_count(e, out, k->prio, e->ports[out].lane[k->prio].qbytes,
                     e->ports[out].lane[k->prio].qbytes + size);
    if (((e->mmu.lossless & ~p->xoff_sent) >> prio & 1) &&
        (p->lane[prio].in_hdrm > 0 || (after > 0 && after >= threshold(g, *limit)))) {
        p->xoff_sent |= 1u << prio;
        pfc_send(e, in, prio, true, true);
    }
    return WEFT_DROP_REASONS;
}

static __attribute__((noinline)) enum weft_drop_reason
admit_measured(struct weft_engine *e, const struct pkt *k, uint32_t in, uint32_t out)
{
    return admit(e, k, in, out, true);
}

static __attribute__((noinline)) enum weft_drop_reason
admit_rarely(struct weft_engine *e, const struct pkt *k, uint32_t in, uint32_t out)
{
    if (__builtin_expect(e->credit.ports != NULL, 0) && credit_admit(e, k, in))
        return WEFT_DROP_REASONS;
    const uint32_t node = e->ports[in].node;
    if (!e->mmu.of[node].eager) {
        if (admit_lazily(e, k, in, out))
            return WEFT_DROP_REASONS;
        lazy_wake(e, node);
    }
    if (e->mmu.egress_measured >> k->prio & 1)
        return admit_measured(e, k, in, out);
    return admit(e, k, in, out, false);
}

enum weft_drop_reason mmu_admit_shared(struct weft_engine *e, const struct pkt *k, uint32_t in,
                                       uint32_t out)
{
    struct port *p = port_at(e, in);
    struct mmu *m = &e->mmu.of[p->node];
    const uint32_t prio = came_in(k);
    if (__builtin_expect(m->eager | e->mmu.slow | (e->mmu.egress_measured >> k->prio & 1), 0) ||
        !admit_by_ingress(e, p, m, prio, k->frame))
        return admit_rarely(e, k, in, out);
    return WEFT_DROP_REASONS;
}

static __attribute__((noinline)) void release_rarely(struct weft_engine *e, const struct pkt *k,
                                                     uint32_t out)
{
    if (__builtin_expect(e->credit.ports != NULL, 0) && credit_left(e, k, out))
        return;
    struct port *p = port_at(e, k->in_port);
    struct mmu *m = &e->mmu.of[p->node];
    const uint32_t prio = came_in(k), bit = 1u << prio;
    const uint32_t size = k->frame;
    const uint64_t reserve = e->p.sw.reserve_bytes;
    struct pool *g = &m->in[e->mmu.in_pool[prio]];
    uint32_t from_headroom = p->lane[prio].in_hdrm < size ? p->lane[prio].in_hdrm : size;
    p->lane[prio].in_hdrm -= from_headroom;
    uint64_t held = above(p->lane[prio].in_bytes, reserve);
    p->lane[prio].in_bytes -= size - from_headroom;
    uint64_t left = above(p->lane[prio].in_bytes, reserve);
    g->used -= held - left;
    if (__builtin_expect(e->mmu.egress_pooled >> k->prio & 1, 0))
        egress_count(e, out, k->prio, e->ports[out].lane[k->prio].qbytes + size,
                     e->ports[out].lane[k->prio].qbytes);
    if ((p->xoff_sent & bit) && p->lane[prio].in_hdrm == 0 &&
        (left == 0 ||
         left + e->p.pfc.xon_offset_bytes <= threshold(g, p->kind->prio[prio].ingress))) {
        p->xoff_sent &= ~bit;
        pfc_send(e, k->in_port, prio, false, k->in_port != out);
    }
}

void mmu_release_shared(struct weft_engine *e, const struct pkt *k, uint32_t out)
{
    struct port *p = port_at(e, k->in_port);
    const uint32_t prio = came_in(k);
    struct lane *l = &p->lane[prio];
    if (__builtin_expect(l->in_hdrm | e->mmu.slow | (p->xoff_sent >> prio & 1), 0)) {
        release_rarely(e, k, out);
        return;
    }
    const uint64_t reserve = e->p.sw.reserve_bytes, held = l->in_bytes, left = held - k->frame;
    e->mmu.of[p->node].in[e->mmu.in_pool[prio]].used -= above(held, reserve) - above(left, reserve);
    l->in_bytes = (uint32_t)left;
}

static double marking_draw(struct weft_engine *e, struct port *p)
{
    return e->draws.ns3 ? weft_ns3_rng_fresh(&e->draws.ns3_rng) : weft_rng_f64(&p->ecn_rng);
}

/* Marks train @p k, by curve @p c, where @p qbytes are queued; false: no more of it is. An
 * echo says as much of all its bytes as are marked in the mean. */
static __attribute__((noinline)) bool train_mark(struct weft_engine *e, struct port *p,
                                                 struct pkt *k, const struct marking *c,
                                                 uint64_t qbytes)
{
    const unsigned slots = k->train.slots, before = k->train.marked;
    double chance = qbytes > c->kmax ? 1 : (double)(qbytes - c->kmin) * c->slope;
    if (qp_at(e, k->qp)->kind->control->cnp_on)
        chance = 1 - pow(1 - chance, (double)train_packets(k) / slots);
    for (unsigned n = before; n < slots; n++)
        k->train.marked = (k->train.marked + (marking_draw(e, p) < chance)) & 15u;
    return k->train.marked > before;
}

void ecn_mark(struct weft_engine *e, uint32_t i, uint32_t out, uint64_t qbytes)
{
    struct port *p = port_at(e, out);
    struct pkt *k = pkt_at(e, i);
    const struct marking *c = &p->kind->prio[k->prio].mark;
    const bool ecn_capable = k->kind == WEFT_PKT_FRAME || qp_at(e, k->qp)->kind->control->ecn_on;
    if (qbytes <= c->kmin || !ecn_capable || (k->kind == WEFT_PKT_DATA && k->flags & PKT_TRIM))
        return;
    if (__builtin_expect(train_is(e, k), 0)) {
        if (!train_mark(e, p, k, c, qbytes))
            return;
    } else if (qbytes <= c->kmax && marking_draw(e, p) >= (double)(qbytes - c->kmin) * c->slope) {
        return;
    }
    if (k->flags & PKT_CE)
        return;
    k->flags |= PKT_CE;
    p->st.ecn_marks++;
    e->tot.ecn_marks++;
    if (e->hooks.ecn_mark) {
        struct pkt_shown shown;
        pkt_view(e, i, &shown);
        e->hooks.ecn_mark(e->hooks.ctx, e->now, out, &shown.view);
    }
}
