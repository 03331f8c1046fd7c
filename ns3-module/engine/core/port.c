/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Ports: links as FIFOs, egress queues, forwarding.
 *
 * A link delivers in order, so only the packet at its head needs an event. A port needs an event of
 * its own only when something waits behind the packet being sent; an idle hop costs one event, the
 * arrival.
 *
 * PFC and credit frames go first, then what the scheduler picks (scheduler.c).
 */
#include "port.h"
#include "context.h"
#include "switch/credit.h"
#include "observe/delay.h"
#include "egress.h"
#include "events.h"
#include "transport/frame.h"
#include "gap.h"
#include "switch/in_network.h"
#include "lazy.h"
#include "link_loss.h"
#include "loop.h"
#include "switch/mmu.h"
#include "switch/mmu_admit.h"
#include "transport/nic.h"
#include "pkt.h"
#include "pkt_list.h"
#include "port_catch_up.h"
#include "port_link.h"
#include "transport/rc.h"
#include "switch/scheduler.h"
#include "switch/supply.h"
#include "switch/telemetry.h"
#include "switch/toss.h"
#include "switch/trim.h"
#include "balance/way.h"
#include "walk.h"
#include "parallel/worker.h"

#include "base/rng.h"
#include "base/units.h"

/* port_settle (port_catch_up.h) from within. */
static inline void settle(struct weft_engine *e, struct port *p, uint32_t port)
{
    if (p->armed_ps < e->loop.due_ps)
        port_catch_up(e, p, port, e->loop.due_ps);
}

/* Fetches packet @p i, which is next in its list. Where there is more to fetch, that has been done
 * when it was the next but one: what is fetched now is the place of its INT stamp, on a link (@p
 * way) the ports that its QP goes through, and the packet behind it. Inlined by force, see
 * base/fetch.h. */
static inline __attribute__((always_inline)) void fetch_next(const struct weft_engine *e,
                                                             uint32_t i, bool way)
{
    const struct pkt *const k = pkt_at(e, i);
    if (e->pkts.pool.live <= e->pkts.prefetch_above)
        return;
    if (!e->pkts.prefetch_deep) {
        __builtin_prefetch(k, 1);
        return;
    }
    if (k->next != NIL)
        __builtin_prefetch(pkt_at(e, k->next), 1);
    if (way)
        __builtin_prefetch(qp_at(e, k->qp)->path);
    if (e->telemetry.int_on && k->sig != NIL)
        __builtin_prefetch(&int_at(e, sig_stack(k->sig))->hops[sig_hops(k->sig)], 1);
}

/* What few runs need when a packet starts, which will have arrived at @p at_ps. Whether it is on
 * its way by then, and not to be put on the link. */
static bool transmit_rare(struct weft_engine *e, struct port *p, uint32_t port, struct pkt *k,
                          uint32_t i, uint64_t wire, int64_t at_ps)
{
    if (e->path.rare & RARE_CREDIT)
        credit_take(e, p, port, k);
    if (e->path.rare & RARE_PACKET)
        pkt_tell(e, i, port, WEFT_PKT_SENT);
    if (e->path.rare & RARE_ORDER) {
        p->sending = true;
        p->end_order = ++e->loop.order;
        k->order = ++e->loop.order;
    }
    if (e->telemetry.pints) {
        e->telemetry.pints[port].size = wire;
        e->telemetry.pints[port].sent_ps = e->now;
    }
    if (p->own_ends & CROSSES)
        peers_send(e, port, k, i, at_ps);
    else if (p->own_ends & e->path.apart)
        worker_send(e, port, i, at_ps);
    else
        return false;
    return true;
}

/* Whether a packet that starts is on its way by then, and not to be put on the link. */
static inline bool sent(struct weft_engine *e, struct port *p, uint32_t port, struct pkt *k,
                        uint32_t i, uint64_t wire, int64_t at_ps)
{
    const uint32_t rare = e->path.rare & RARE_SENDING;
    if (__builtin_expect(!rare, 1))
        return false;
    if (rare != RARE_WORKER)
        return transmit_rare(e, p, port, k, i, wire, at_ps);
    if (!(p->own_ends & e->path.apart))
        return false;
    worker_send(e, port, i, at_ps);
    return true;
}

void port_put_on_link(struct weft_engine *e, uint32_t port, uint32_t i, int64_t at_ps)
{
    put_on_link(e, port, pkt_at(e, i), i, at_ps);
}

/* Puts packet @p k, number @p i, on the link. Inlined by force: each hop comes here once. */
static inline __attribute__((always_inline)) void transmit(struct weft_engine *e, struct port *p,
                                                           uint32_t port, struct pkt *k, uint32_t i)
{
    const uint64_t wire = k->frame + e->p.transport.gap_bytes;
    int64_t ser = gap_ps(wire, p->ser_q);
    if (__builtin_expect(e->path.rare & RARE_QUANTUM, 0))
        ser = gap_quantised(e->p.transport.quantum_ps, wire, p->ser_q);
    p->busy_until_ps = e->now + ser;
    const int64_t at_ps = p->busy_until_ps + p->prop_ps;
    if (!sent(e, p, port, k, i, wire, at_ps))
        put_on_link(e, port, k, i, at_ps);
    p->st.tx_packets++;
    p->st.tx_bytes += wire;
    p->st.tx_payload_bytes += k->payload;
    p->st.busy_ps += ser;
    e->tot.packet_hops++;
}

/* The priority to serve, the bits of @p eligible (not 0). */
static inline uint32_t next_prio(const struct weft_engine *e, struct port *p, uint32_t eligible)
{
    if (__builtin_expect(eligible & (eligible - 1), 0))
        return scheduler_pick(e, p, eligible);
    const uint32_t only = (uint32_t)__builtin_ctz(eligible);
    p->lane[only].deficit = 0; /* means nothing for a strict one */
    if (__builtin_expect(e->path.rare & RARE_TURNS, 0) &&
        !(eligible & (uint32_t)e->p.sw.strict_prios))
        p->drr = (uint8_t)only;
    return only;
}

/* Whether a packet is an ECN-capable frame. */
static inline bool may_mark(const struct pkt *k)
{
    return k->kind == WEFT_PKT_FRAME && k->flags & PKT_ECT;
}

/* What few runs do to a packet that has left a switch queue. */
static __attribute__((noinline)) void dequeued_rare(struct weft_engine *e, const struct port *p,
                                                    uint32_t port, const struct pkt *k, uint32_t i)
{
    if (p->hold && k->kind == WEFT_PKT_DATA)
        delay_leave(e, p, k, i);
    if (e->path.on_dequeue & QUEUE_HISTOGRAM)
        histogram_note(e, port, k->prio, p->lane[k->prio].qbytes);
    if (e->path.on_dequeue & QUEUE_HOOK)
        e->hooks.queue(e->hooks.ctx, e->now, port, k->prio, p->lane[k->prio].qbytes);
}

/* A packet has left a switch queue. */
static inline void left(struct weft_engine *e, struct port *p, uint32_t port, struct pkt *k,
                        uint32_t i)
{
    const uint32_t prio = k->prio;
    if (k->kind == WEFT_PKT_DATA) {
        if ((e->path.on_dequeue & QUEUE_MARK) && p->lane[prio].qbytes > e->mmu.least_kmin)
            ecn_mark(e, i, port, p->lane[prio].qbytes);
        if (e->path.on_dequeue & QUEUE_STAMP)
            telemetry_stamp(e, i, port);
    } else if (e->path.on_dequeue & QUEUE_MARK_FRAMES && may_mark(k)) {
        ecn_mark(e, i, port, p->lane[prio].qbytes);
    }
    if (__builtin_expect(e->path.on_dequeue & (QUEUE_HOOK | QUEUE_PAUSE_CLOCK | QUEUE_HISTOGRAM),
                         0))
        dequeued_rare(e, p, port, k, i);
}

/* The next packet of a queue; leaves the switch's buffer. */
static inline uint32_t dequeue(struct weft_engine *e, struct port *p, uint32_t port, uint32_t prio)
{
    struct list *q = &p->lane[prio].q;
    const uint32_t i = q->head;
    struct pkt *k = pkt_at(e, i);
    list_take(q, k);
    if (q->head == NIL)
        p->nonempty &= ~(1u << prio);
    else
        fetch_next(e, q->head, false);
    p->lane[prio].qbytes -= k->frame;
    p->qtotal -= k->frame;
    if (k->in_port != NIL) {
        mmu_release(e, k, port, p->lazy);
        if (e->path.on_dequeue)
            left(e, p, port, k, i);
    } else if (__builtin_expect(e->mmu.egress_pooled, 0)) {
        mmu_made_left(e, k, port);
    }
    return i;
}

/* Whether the head of a NIC's queue is an ACK or a CNP of the host itself. */
static bool answers(const struct weft_engine *e, const struct port *p, uint32_t prio)
{
    const struct pkt *k = pkt_at(e, p->lane[prio].q.head);
    return k->in_port == NIL && k->kind < WEFT_PKT_FRAME;
}

/* Whether the next packet of a priority comes from the port's queue, else from a QP. Answers go
 * first; packets of other hosts, frames and sums take turns with the QPs. */
static inline bool queue_first(const struct weft_engine *e, const struct port *p, struct nic *n,
                               uint32_t prio)
{
    const uint8_t bit = (uint8_t)(1u << prio);
    if (!(p->nonempty & bit))
        return false;
    if (__builtin_expect(!e->nics.turns, 1) || !(n->ready_mask & bit) || answers(e, p, prio))
        return true;
    n->yield ^= bit;
    return n->yield & bit;
}

/* The priorities that a switch port may send. */
static inline uint32_t switch_sendable(const struct port *p)
{
    return p->nonempty & ~p->paused;
}

/* The same for a NIC. Its queues hold ACKs and CNPs, and what it forwards. */
static inline uint32_t nic_sendable(const struct weft_engine *e, const struct port *p,
                                    const struct nic *n)
{
    const uint32_t open = ~p->paused;
    return (p->nonempty & (e->p.transport.ack_ignores_pause ? ~0u : open)) | (n->ready_mask & open);
}

/* Starts a packet of priority @p prio, number @p i. */
static inline void start(struct weft_engine *e, struct port *p, uint32_t port, uint32_t prio,
                         uint32_t i)
{
    struct pkt *k = pkt_at(e, i);
    p->lane[prio].deficit -= k->frame;
    transmit(e, p, port, k, i);
}

/* Sends a PFC or credit frame. */
static __attribute__((noinline)) void start_ctrl(struct weft_engine *e, struct port *p,
                                                 uint32_t port)
{
    const uint32_t i = p->ctrl.head;
    struct pkt *k = pkt_at(e, i);
    list_take(&p->ctrl, k);
    if (p->ctrl.head == NIL)
        p->nonempty &= ~CTRL_WAITS;
    if (k->kind == WEFT_PKT_CREDIT)
        credit_frame_starts(e, port, k);
    transmit(e, p, port, k, i);
}

/* The end of port_tx: when the port looks again. */
static inline void arm_next(struct weft_engine *e, struct port *p, uint32_t port, uint32_t sendable)
{
    if (sendable || __builtin_expect(p->sending, 0))
        port_arm(e, p, port, p->busy_until_ps);
}

/* Whether packet @p i, just started at a NIC, is a frame of the host's own. */
static inline bool own_frame(const struct weft_engine *e, uint32_t i)
{
    return __builtin_expect(e->nics.turns, 0) && pkt_at(e, i)->kind == WEFT_PKT_FRAME &&
           pkt_at(e, i)->in_port == NIL;
}

static __attribute__((noinline)) void nic_tx(struct weft_engine *e, struct port *p, uint32_t port)
{
    struct nic *n = &e->nics.of[p->nic];
    uint32_t frame = NIL;
    if (n->paced.n)
        nic_release_paced(e, port);
    uint32_t eligible;
    if (__builtin_expect(p->nonempty & CTRL_WAITS, 0)) {
        start_ctrl(e, p, port);
    } else {
        while ((eligible = nic_sendable(e, p, n))) {
            const uint32_t prio = next_prio(e, p, eligible);
            const bool queued = queue_first(e, p, n, prio);
            const uint32_t i = queued ? dequeue(e, p, port, prio) : nic_next(e, port, prio);
            if (i != NIL) { /* else its QPs turned out to be blocked */
                start(e, p, port, prio, i);
                if (own_frame(e, i))
                    frame = i;
                if (queued && __builtin_expect(e->nics.turns, 0))
                    in_network_left(e, i);
                break;
            }
        }
    }
    eligible = nic_sendable(e, p, n);
    arm_next(e, p, port, eligible);
    if (!eligible && !p->sending && nic_paced(e, n))
        port_arm(e, p, port,
                 n->paced.h[0].t > p->busy_until_ps ? n->paced.h[0].t : p->busy_until_ps);
    if (__builtin_expect(frame != NIL, 0))
        e->hooks.frame_left(e->hooks.ctx, pkt_at(e, frame)->handle);
}

static inline void switch_tx(struct weft_engine *e, struct port *p, uint32_t port)
{
    const uint32_t eligible = switch_sendable(p);
    if (__builtin_expect(eligible & CTRL_WAITS, 0)) {
        start_ctrl(e, p, port);
    } else if (eligible) {
        const uint32_t prio = next_prio(e, p, eligible);
        start(e, p, port, prio, dequeue(e, p, port, prio));
    }
    arm_next(e, p, port, switch_sendable(p));
}

/* The port may start a packet now: does so, and arms itself for the next. */
static void port_tx(struct weft_engine *e, struct port *p, uint32_t port)
{
    if (__builtin_expect(p->busy_until_ps > e->now, 0)) {
        port_arm(e, p, port, p->busy_until_ps);
        return;
    }
    p->sending = false;
    if (p->nic != NIL)
        nic_tx(e, p, port);
    else
        switch_tx(e, p, port);
}

void port_due(struct weft_engine *e, uint32_t port)
{
    struct port *p = port_at(e, port);
    if (p->armed_ps != e->now)
        return;
    p->armed_ps = WEFT_NEVER;
    port_tx(e, p, port);
    if (e->path.lazy && p->nic == NIL && !p->lazy && --e->mmu.of[p->node].review == 0)
        lazy_review(e, p->node);
}

void port_catch_up(struct weft_engine *e, struct port *p, uint32_t port, int64_t due_ps)
{
    if (!p->lazy)
        return; /* its event will come */
    const int64_t now = e->now;
    do {
        e->now = p->armed_ps;
        p->armed_ps = WEFT_NEVER;
        switch_tx(e, p, port);
    } while (p->armed_ps < due_ps);
    e->now = now;
}

static inline void kick(struct weft_engine *e, struct port *p, uint32_t port)
{
    if (p->busy_until_ps > e->now || p->sending)
        port_arm(e, p, port, p->busy_until_ps);
    else if (p->armed_ps != e->now || e->path.rare & RARE_ORDER)
        port_tx(e, p, port); /* else its own event of this instant is still to come */
}

void port_kick(struct weft_engine *e, uint32_t port)
{
    settle(e, &e->ports[port], port);
    kick(e, &e->ports[port], port);
}

static void enqueue_rarely(struct weft_engine *e, uint32_t port, uint32_t i);

/* Packet @p i has joined a queue where queues are made known to senders. */
static void note_supply(struct weft_engine *e, uint32_t port, uint32_t i)
{
    uint32_t back;
    const uint32_t warning = supply_joins(e, port, i, &back);
    if (warning != NIL)
        enqueue_rarely(e, back, warning);
}

/* A packet has entered a switch queue. */
static __attribute__((noinline)) void entered(struct weft_engine *e, struct port *p, uint32_t port,
                                              uint32_t i)
{
    struct pkt *k = pkt_at(e, i);
    if (p->hold && k->kind == WEFT_PKT_DATA)
        delay_enter(e, p, k);
    if (((e->path.on_enqueue & QUEUE_MARK) && k->kind == WEFT_PKT_DATA) ||
        ((e->path.on_enqueue & QUEUE_MARK_FRAMES) && may_mark(k)))
        ecn_mark(e, i, port, p->lane[k->prio].qbytes);
    if (e->path.on_enqueue & QUEUE_HISTOGRAM)
        histogram_note(e, port, k->prio, p->lane[k->prio].qbytes);
    if (e->path.on_enqueue & QUEUE_HOOK)
        e->hooks.queue(e->hooks.ctx, e->now, port, k->prio, p->lane[k->prio].qbytes);
    if (e->path.on_enqueue & QUEUE_PACKET_HOOK)
        pkt_tell(e, i, port, WEFT_PKT_QUEUED);
    if (e->path.on_enqueue & QUEUE_SUPPLY)
        note_supply(e, port, i);
}

/* Inlined by force: each hop through a queue comes here once. */
static inline __attribute__((always_inline)) void enqueue(struct weft_engine *e, struct port *p,
                                                          uint32_t port, struct pkt *k, uint32_t i,
                                                          bool at_switch)
{
    const uint32_t prio = k->prio, bit = 1u << prio;
    list_append(e, &p->lane[prio].q, k, i);
    p->nonempty |= bit;
    p->lane[prio].qbytes += k->frame;
    p->qtotal += k->frame;
    if (p->qtotal > p->st.max_queue_bytes)
        p->st.max_queue_bytes = p->qtotal;
    if (at_switch && __builtin_expect(e->path.on_enqueue, 0))
        entered(e, p, port, i);
    if (!(p->paused & bit) || (!at_switch && e->p.transport.ack_ignores_pause))
        kick(e, p, port);
}

/* At a switch, where that is not its way of every packet. */
static __attribute__((noinline)) void enqueue_rarely(struct weft_engine *e, uint32_t port,
                                                     uint32_t i)
{
    enqueue(e, &e->ports[port], port, pkt_at(e, i), i, true);
}

void port_enqueue(struct weft_engine *e, uint32_t port, uint32_t i)
{
    enqueue(e, port_at(e, port), port, pkt_at(e, i), i, false);
}

uint32_t port_take_upper(struct weft_engine *e, uint32_t port, uint32_t prio)
{
    struct port *p = &e->ports[port];
    struct list stay = {NIL, NIL}, go = {NIL, NIL};
    for (uint32_t i = p->lane[prio].q.head, after; i != NIL; i = after) {
        struct pkt *k = pkt_at(e, i);
        after = k->next;
        const bool leaves = k->kind == WEFT_PKT_DATA && (k->flags & PKT_UPPER);
        list_append(e, leaves ? &go : &stay, k, i);
        p->lane[prio].qbytes -= leaves ? k->frame : 0;
        p->qtotal -= leaves ? k->frame : 0;
    }
    p->lane[prio].q = stay;
    if (stay.head == NIL)
        p->nonempty &= ~(1u << prio);
    if (go.head != NIL)
        histogram_note(e, port, prio, p->lane[prio].qbytes);
    if (e->hooks.queue && go.head != NIL)
        e->hooks.queue(e->hooks.ctx, e->now, port, prio, p->lane[prio].qbytes);
    return go.head;
}

void port_leave_by(struct weft_engine *e, uint32_t from, uint32_t to, uint32_t i)
{
    struct pkt *k = pkt_at(e, i);
    if (to == NIL) {
        mmu_release(e, k, from, false);
        pkt_drop(e, i, from, WEFT_DROP_LINK);
        return;
    }
    if (e->ports[from].hold)
        delay_leave(e, &e->ports[from], k, i);
    k->prio = (uint8_t)came_in(k);
    k->chan = k->in_chan;
    if (e->routing.vcs)
        egress_change_channel(e, k, k->in_port, to);
    enqueue_rarely(e, to, i);
}

void port_release(struct weft_engine *e, uint32_t port, uint32_t i)
{
    struct port *p = &e->ports[port];
    if (p->down) {
        mmu_release(e, pkt_at(e, i), port, false);
        pkt_drop(e, i, port, WEFT_DROP_LINK);
        return;
    }
    settle(e, p, port);
    enqueue_rarely(e, port, i);
}

/* Whether a packet finds a lazy port idle and empty, and leaves no trace in queue and buffer. */
static inline bool cuts_through(const struct weft_engine *e, const struct port *p,
                                const struct pkt *k, uint32_t in)
{
    return p->lazy && p->busy_until_ps <= e->now && p->nonempty == 0 && p->armed_ps != e->now &&
           !(p->paused >> k->prio & 1) && !e->path.no_cut_through && mmu_passes(e, k, in);
}

/* What enqueue, kick and switch_tx do to such a packet. */
static inline void cut_through(struct weft_engine *e, struct port *p, uint32_t port, struct pkt *k,
                               uint32_t i)
{
    if (k->frame > p->st.max_queue_bytes)
        p->st.max_queue_bytes = k->frame;
    if (k->kind == WEFT_PKT_DATA && (e->path.on_dequeue & QUEUE_STAMP))
        telemetry_stamp(e, i, port);
    p->lane[k->prio].deficit = -(int32_t)k->frame;
    transmit(e, p, port, k, i);
}

/* Takes the last packet out of a queue of a switch, as if it had left. */
static uint32_t take_last(struct weft_engine *e, struct port *p, uint32_t port, uint32_t prio)
{
    struct list *q = &p->lane[prio].q;
    uint32_t before = NIL, i = q->head;
    for (uint32_t n = 0;
         pkt_at(e, i)->next != NIL && walk_on(e, n, e->pkts.pool.n, "packets of a queue"); n++) {
        before = i;
        i = pkt_at(e, i)->next;
    }
    struct pkt *k = pkt_at(e, i);
    q->tail = before;
    if (before == NIL) {
        q->head = NIL;
        p->nonempty &= ~(1u << prio);
    } else {
        pkt_at(e, before)->next = NIL;
    }
    p->lane[prio].qbytes -= k->frame;
    p->qtotal -= k->frame;
    mmu_release(e, k, port, false);
    if (p->hold)
        delay_leave(e, p, k, i);
    histogram_note(e, port, prio, p->lane[prio].qbytes);
    if (e->hooks.queue)
        e->hooks.queue(e->hooks.ctx, e->now, port, prio, p->lane[prio].qbytes);
    return i;
}

/* A packet finds no room at port @p out because of @p why: the last one that waits there may have
 * to go in its place. Admits it, or says why not. */
static __attribute__((noinline)) enum weft_drop_reason
overflow(struct weft_engine *e, struct pkt *k, uint32_t in, uint32_t out, enum weft_drop_reason why)
{
    struct port *p = &e->ports[out];
    if (why == WEFT_DROP_BUFFER && e->tosses && toss_last(e, k, in, out)) {
        const uint32_t last = take_last(e, p, out, k->prio);
        struct pkt *l = pkt_at(e, last);
        const enum weft_drop_reason lost = trim_admit(e, l, l->in_port, out, why);
        if (lost == WEFT_DROP_REASONS)
            enqueue_rarely(e, out, last);
        else
            pkt_drop(e, last, out, lost);
        why = mmu_admit(e, k, in, out);
    }
    return why == WEFT_DROP_REASONS ? why : trim_admit(e, k, in, out, why);
}

/* Forwards a packet that entered a node through port @p in. */
static inline void forward(struct weft_engine *e, uint32_t in, struct pkt *k, uint32_t i)
{
    const uint32_t hop = k->hop;
    k->hop += hop < QP_PATH;
    uint32_t out = hop < QP_PATH ? qp_at(e, k->qp)->path[k->kind > WEFT_PKT_REQUEST][hop] : NIL;
    if (__builtin_expect(out == NIL, 0)) {
        out = egress_look_up(e, in, k, i);
        if (out == NIL)
            return;
    }
    k->in_port = in;
    if (__builtin_expect(e->routing.vcs, 0))
        egress_change_channel(e, k, in, out);
    struct port *p = port_at(e, out);
    settle(e, p, out);
    const bool kept = __builtin_expect(e->spread.kept != NULL, 0) && k->kind == WEFT_PKT_DATA &&
                      e->spread.way->keeps(e, out, i);
    if (!kept && cuts_through(e, p, k, in)) {
        cut_through(e, p, out, k, i);
        return;
    }
    enum weft_drop_reason why = mmu_admit(e, k, in, out);
    if (__builtin_expect(why != WEFT_DROP_REASONS, 0) &&
        (why = overflow(e, k, in, out, why)) != WEFT_DROP_REASONS) {
        pkt_drop(e, i, out, why);
        return;
    }
    if (__builtin_expect(kept && !(k->flags & PKT_TRIM), 0))
        e->spread.way->keep(e, out, i);
    else
        enqueue(e, p, out, k, i, true);
}

/* A packet came to a host that it does not name and that does not forward. */
static __attribute__((noinline)) void stray_packet(struct weft_engine *e, uint32_t host, uint32_t i)
{
    engine_fail(e, WEFT_E_INTERNAL,
                "conservation: a packet for h%u came to h%u, which does not forward",
                pkt_at(e, i)->dst_host, host);
    pkt_free(e, i);
}

void port_arrive(struct weft_engine *e, uint32_t port)
{
    struct link_end *l = &e->ends[port];
    /* Where an end of the link is in windows, the node that the packet left has been run to the
     * beginning of this one at least. That is after the packet had left, as a window is no longer
     * than the link: so the next one starts now if it waited by then, and by itself if it came
     * later. Where another thread may be at that node, it has done so. */
    const int64_t due_ps =
        l->ends & (FAR_IN_WINDOWS | OWN_IN_WINDOWS) ? e->windows.done_ps : e->loop.due_ps;
    if (!(l->ends & e->path.apart) && port_at(e, port)->armed_ps < due_ps)
        port_catch_up(e, port_at(e, port), port, due_ps);
    const uint32_t i = l->fly.head, peer = l->peer;
    struct pkt *k = pkt_at(e, i);
    list_take(&l->fly, k);
    if (k->next != NIL) {
        fetch_next(e, k->next, true);
        if (e->windows.running)
            window_push_next(e, k->next_at_ps, EV_ARRIVE, port);
        else
            engine_push_arrival(e, l, k->next_at_ps, port);
    }
    l->rx_packets++;
    if (__builtin_expect(l->lossy, 0) && link_lost(e, l, i, port))
        return;
    if (__builtin_expect(k->kind >= WEFT_PKT_PFC, 0))
        (link_frame(k) ? pfc_receive : in_network_arrive)(e, peer, i);
    else if (!l->to_host || __builtin_expect(k->dst_host != l->far, 0)) {
        if (l->to_host && !e->routing.transit)
            stray_packet(e, l->far, i);
        else
            forward(e, peer, k, i);
    } else if (__builtin_expect(k->kind == WEFT_PKT_FRAME, 0))
        frame_receive(e, i, peer);
    else
        rc_receive(e, i);
}
