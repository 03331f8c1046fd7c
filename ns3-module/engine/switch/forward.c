/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Switches forward packets: from the end of a link into the queue of a port, and from there onto
 * the next link. Ports of NICs share what they can of it (port_send.h, nic_send.c).
 *
 * A link delivers in order, so only the packet at its head needs an event. A port needs an event of
 * its own only when something waits behind the packet being sent; an idle hop costs one event, the
 * arrival.
 *
 * PFC and credit frames go first, then what the scheduler picks (scheduler.c).
 */
#include "switch.h"
#include "core/context.h"
#include "core/events.h"
#include "core/frame_size.h"
#include "core/pkt.h"
#include "core/walk.h"
#include "credit.h"
#include "in_network.h"
#include "lazy.h"
#include "pause_clock.h"
#include "pfc.h"
#include "port_send.h"
#include "random_drop.h"
#include "train.h"
#include "trim.h"

#include "base/units.h"

/* port_catch_up (forward_catch_up.h) from within. */
static inline void forward_catch_up_now(struct weft_engine *e, struct port *p, uint32_t port)
{
    if (p->armed_ps < e->loop.due_ps)
        forward_catch_up(e, p, port, e->loop.due_ps);
}

bool port_transmit_rarely(struct weft_engine *e, struct port *p, uint32_t port, struct pkt *k,
                          uint32_t i, uint64_t wire, int64_t at_ps)
{
    if (e->path.rare & RARE_CREDIT)
        credit_take(e, p, port, k);
    if (e->path.rare & RARE_PACKET)
        pkt_report(e, i, port, WEFT_PKT_SENT);
    if (e->path.rare & RARE_ORDER) {
        p->sending = true;
        p->end_order = ++e->loop.order;
        k->order = ++e->loop.order;
    }
    if (e->telemetry.pints) {
        e->telemetry.pints[port].size = wire;
        e->telemetry.pints[port].sent_ps = e->now;
    }
    if (p->own_ends & e->path.apart)
        e->executor->send(e, port, i, at_ps);
    else
        put_on_link(e, port, k, i, at_ps);
    return true;
}

void port_left_rarely(struct weft_engine *e, const struct port *p, uint32_t port,
                      const struct pkt *k, uint32_t i)
{
    if (p->hold && k->kind == WEFT_PKT_DATA)
        pause_clock_leave(e, p, k, i);
    if (e->path.on_dequeue & QUEUE_HISTOGRAM)
        histogram_note(e, port, k->prio, p->lane[k->prio].qbytes);
    if (e->path.on_dequeue & QUEUE_HOOK)
        e->hooks.queue(e->hooks.ctx, e->now, port, k->prio, p->lane[k->prio].qbytes);
}

/* The priorities that a switch port may send. */
static inline uint32_t forward_sendable(const struct port *p)
{
    return p->nonempty & ~p->paused;
}

void port_start_ctrl(struct weft_engine *e, struct port *p, uint32_t port)
{
    const uint32_t i = p->ctrl.head;
    struct pkt *k = pkt_at(e, i);
    list_take(&p->ctrl, k);
    if (p->ctrl.head == NIL)
        p->nonempty &= ~CTRL_WAITS;
    if (k->kind == WEFT_PKT_CREDIT)
        credit_frame_starts(e, port, k);
    port_transmit(e, p, port, k, i);
}

static inline void forward_send_next(struct weft_engine *e, struct port *p, uint32_t port)
{
    const uint32_t eligible = forward_sendable(p);
    if (__builtin_expect(eligible & CTRL_WAITS, 0)) {
        port_start_ctrl(e, p, port);
    } else if (eligible) {
        const uint32_t prio = port_next_prio(e, p, eligible);
        port_start(e, p, port, prio, port_dequeue(e, p, port, prio));
    }
    port_arm_next(e, p, port, forward_sendable(p));
}

/* The port may start a packet now: does so, and arms itself for the next. */
static void forward_send(struct weft_engine *e, struct port *p, uint32_t port)
{
    if (__builtin_expect(p->busy_until_ps > e->now, 0)) {
        port_arm(e, p, port, p->busy_until_ps);
        return;
    }
    p->sending = false;
    if (p->nic != NIL)
        e->port_ops.host_send(e, p, port);
    else
        forward_send_next(e, p, port);
}

void forward_due(struct weft_engine *e, uint32_t port)
{
    struct port *p = port_at(e, port);
    if (p->armed_ps != e->now)
        return;
    p->armed_ps = WEFT_NEVER;
    forward_send(e, p, port);
    if (e->path.lazy && p->nic == NIL && !p->lazy && --e->mmu.of[p->node].review == 0)
        lazy_review(e, p->node);
}

/* Makes the transmissions of a lazy port. Not inlined: that costs the arrival registers. */
static __attribute__((noinline)) void forward_send_deferred(struct weft_engine *e, struct port *p,
                                                            uint32_t port, int64_t due_ps)
{
    const int64_t now = e->now;
    do {
        e->now = p->armed_ps;
        p->armed_ps = WEFT_NEVER;
        forward_send_next(e, p, port);
    } while (p->armed_ps < due_ps);
    e->now = now;
}

void forward_catch_up(struct weft_engine *e, struct port *p, uint32_t port, int64_t due_ps)
{
    if (p->lazy) /* else its event will come */
        forward_send_deferred(e, p, port, due_ps);
}

static inline void forward_kick_now(struct weft_engine *e, struct port *p, uint32_t port)
{
    if (p->busy_until_ps > e->now || p->sending)
        port_arm(e, p, port, p->busy_until_ps);
    else if (p->armed_ps != e->now || e->path.rare & RARE_ORDER)
        forward_send(e, p, port); /* else its own event of this instant is still to come */
}

void forward_kick(struct weft_engine *e, uint32_t port)
{
    forward_catch_up_now(e, &e->ports[port], port);
    forward_kick_now(e, &e->ports[port], port);
}

static void forward_enqueue_rarely(struct weft_engine *e, uint32_t port, uint32_t i);

/* Packet @p i has joined a queue where queues are made known to senders. */
static void forward_note_signal(struct weft_engine *e, uint32_t port, uint32_t i)
{
    uint32_t back;
    const uint32_t warning = e->signal->joins(e, port, i, &back);
    if (warning != NIL)
        forward_enqueue_rarely(e, back, warning);
}

/* A packet has forward_entered a switch queue. */
static __attribute__((noinline)) void forward_entered(struct weft_engine *e, struct port *p,
                                                      uint32_t port, uint32_t i)
{
    struct pkt *k = pkt_at(e, i);
    if (p->hold && k->kind == WEFT_PKT_DATA)
        pause_clock_enter(e, p, k);
    if (((e->path.on_enqueue & QUEUE_MARK) && k->kind == WEFT_PKT_DATA) ||
        ((e->path.on_enqueue & QUEUE_MARK_FRAMES) && port_may_mark(k)))
        ecn_mark(e, i, port, p->lane[k->prio].qbytes);
    if (e->path.on_enqueue & QUEUE_HISTOGRAM)
        histogram_note(e, port, k->prio, p->lane[k->prio].qbytes);
    if (e->path.on_enqueue & QUEUE_HOOK)
        e->hooks.queue(e->hooks.ctx, e->now, port, k->prio, p->lane[k->prio].qbytes);
    if (e->path.on_enqueue & QUEUE_PACKET_HOOK)
        pkt_report(e, i, port, WEFT_PKT_QUEUED);
    if (e->path.on_enqueue & QUEUE_SIGNAL)
        forward_note_signal(e, port, i);
}

/* Inlined by force: each hop through a queue comes here once. */
static inline __attribute__((always_inline)) void forward_enqueue_at(struct weft_engine *e,
                                                                     struct port *p, uint32_t port,
                                                                     struct pkt *k, uint32_t i,
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
        forward_entered(e, p, port, i);
    if (!(p->paused & bit) || (!at_switch && e->p.transport.ack_ignores_pause))
        forward_kick_now(e, p, port);
}

/* At a switch, where that is not its way of every packet. */
static __attribute__((noinline)) void forward_enqueue_rarely(struct weft_engine *e, uint32_t port,
                                                             uint32_t i)
{
    forward_enqueue_at(e, &e->ports[port], port, pkt_at(e, i), i, true);
}

void forward_enqueue(struct weft_engine *e, uint32_t port, uint32_t i)
{
    forward_enqueue_at(e, port_at(e, port), port, pkt_at(e, i), i, false);
}

uint32_t forward_take_upper(struct weft_engine *e, uint32_t port, uint32_t prio)
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

void forward_leave_by(struct weft_engine *e, uint32_t from, uint32_t to, uint32_t i)
{
    struct pkt *k = pkt_at(e, i);
    if (to == NIL) {
        mmu_release(e, k, from, false);
        pkt_drop(e, i, from, WEFT_DROP_LINK);
        return;
    }
    if (e->ports[from].hold)
        pause_clock_leave(e, &e->ports[from], k, i);
    k->prio = (uint8_t)came_in(k);
    k->chan = k->in_chan;
    if (e->routing.vcs)
        egress_change_channel(e, k, k->in_port, to);
    forward_enqueue_rarely(e, to, i);
}

void forward_release(struct weft_engine *e, uint32_t port, uint32_t i)
{
    struct port *p = &e->ports[port];
    if (p->down) {
        mmu_release(e, pkt_at(e, i), port, false);
        pkt_drop(e, i, port, WEFT_DROP_LINK);
        return;
    }
    forward_catch_up_now(e, p, port);
    forward_enqueue_rarely(e, port, i);
}

/* Whether a packet finds a lazy port idle and empty, and leaves no trace in queue and buffer. */
static inline bool forward_cuts_through(const struct weft_engine *e, const struct port *p,
                                        const struct pkt *k, uint32_t in)
{
    return p->lazy && p->busy_until_ps <= e->now && p->nonempty == 0 && p->armed_ps != e->now &&
           !(p->paused >> k->prio & 1) && !e->path.no_cut_through && mmu_passes(e, k, in);
}

/* Part of enqueue, kick and forward_send_next for such a packet. */
static inline void forward_cut_through(struct weft_engine *e, struct port *p, uint32_t port,
                                       struct pkt *k, uint32_t i)
{
    if (k->frame > p->st.max_queue_bytes)
        p->st.max_queue_bytes = k->frame;
    if (k->kind == WEFT_PKT_DATA && (e->path.on_dequeue & QUEUE_STAMP))
        telemetry_stamp(e, k, p, port);
    p->lane[k->prio].deficit = -(int32_t)k->frame;
    port_transmit(e, p, port, k, i);
}

/* Takes the last packet out of a queue of a switch, as if it had left. */
static uint32_t forward_take_last(struct weft_engine *e, struct port *p, uint32_t port,
                                  uint32_t prio)
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
        pause_clock_leave(e, p, k, i);
    histogram_note(e, port, prio, p->lane[prio].qbytes);
    if (e->hooks.queue)
        e->hooks.queue(e->hooks.ctx, e->now, port, prio, p->lane[prio].qbytes);
    return i;
}

/* A packet finds no room at port @p out because of @p why: the last one that waits there may have
 * to go in its place. Admits it, or says why not. */
static __attribute__((noinline)) enum weft_drop_reason forward_overflow(struct weft_engine *e,
                                                                        struct pkt *k, uint32_t in,
                                                                        uint32_t out,
                                                                        enum weft_drop_reason why)
{
    struct port *p = &e->ports[out];
    if (why == WEFT_DROP_BUFFER && e->drop_rngs && random_drop_last(e, k, in, out)) {
        const uint32_t last = forward_take_last(e, p, out, k->prio);
        struct pkt *l = pkt_at(e, last);
        const enum weft_drop_reason lost = trim_admit(e, l, l->in_port, out, why);
        if (lost == WEFT_DROP_REASONS)
            forward_enqueue_rarely(e, out, last);
        else
            pkt_drop(e, last, out, lost);
        why = mmu_admit(e, k, in, out);
    }
    return why == WEFT_DROP_REASONS ? why : trim_admit(e, k, in, out, why);
}

/* Forwards a packet that forward_entered a node through port @p in. */
static inline void forward_packet(struct weft_engine *e, uint32_t in, struct pkt *k, uint32_t i)
{
    const uint32_t hop = k->hop;
    uint32_t out = in;
    if (__builtin_expect(hop < QP_PATH, 1)) {
        k->hop = (uint8_t)(hop + 1);
        out += (uint32_t)(int32_t)qp_at(e, k->qp)->path[k->kind > WEFT_PKT_REQUEST][hop];
    }
    if (__builtin_expect(out == in, 0)) {
        out = egress_look_up(e, in, k, i);
        if (out == NIL)
            return;
    }
    k->in_port = in;
    if (__builtin_expect(e->routing.vcs, 0))
        egress_change_channel(e, k, in, out);
    struct port *p = port_at(e, out);
    forward_catch_up_now(e, p, out);
    const bool kept = __builtin_expect(e->spread.kept != NULL, 0) && k->kind == WEFT_PKT_DATA &&
                      e->spread.by_path->keeps(e, out, i);
    if (!kept && forward_cuts_through(e, p, k, in)) {
        forward_cut_through(e, p, out, k, i);
        return;
    }
    enum weft_drop_reason why = mmu_admit(e, k, in, out);
    if (__builtin_expect(why != WEFT_DROP_REASONS, 0) &&
        (why = forward_overflow(e, k, in, out, why)) != WEFT_DROP_REASONS) {
        pkt_drop(e, i, out, why);
        return;
    }
    if (__builtin_expect(kept && !(k->flags & PKT_TRIM), 0))
        e->spread.by_path->keep(e, out, i);
    else
        forward_enqueue_at(e, p, out, k, i, true);
}

/* A packet came to a host that it does not name and that does not forward. */
static __attribute__((noinline)) void forward_stray(struct weft_engine *e, uint32_t host,
                                                    uint32_t i)
{
    engine_fail(e, WEFT_E_INTERNAL,
                "conservation: a packet for h%u came to h%u, which does not forward",
                pkt_at(e, i)->dst_host, host);
    pkt_free(e, i);
}

/* Packet @p k, a train, is sent on while its end is still on the link of @p port. Where nothing
 * follows, a packet without a frame stands there for it: what comes to the end of a link has left
 * the port before. */
static void forward_train(struct weft_engine *e, uint32_t port, const struct pkt *k)
{
    struct link_end *l = &e->ends[port];
    const uint32_t i = l->fly.head == NIL ? pkt_new(e, WEFT_PKT_DATA) : NIL;
    if (i == NIL)
        return;
    struct pkt *end = pkt_at(e, i);
    end->qp = k->qp;
    end->msg = k->msg;
    end->psn = k->psn;
    end->sent_ps = k->sent_ps;
    end->dst_host = k->dst_host;
    end->frame = end->payload = 0;
    end->train = k->train;
    end->prio = k->prio;
    end->next = NIL;
    l->fly.head = l->fly.tail = i;
    l->rx_packets--; /* until it has come */
    const int64_t ahead_ps = train_ahead_ps(e, port, k);
    if (e->windows.running)
        window_push_next(e, e->now + ahead_ps, EV_ARRIVE, port);
    else
        engine_push_arrival(e, l, e->now + ahead_ps, port);
}

/* A host takes packet @p i, a train. */
static void forward_train_taken(struct weft_engine *e, uint32_t i, uint32_t port)
{
    const struct pkt *k = pkt_at(e, i);
    e->rc.more = k->train.n;
    e->rc.more_cnps = k->train.marked > 1 ? k->train.marked - 1u : 0;
    e->port_ops.host_receive(e, i, port);
    e->rc.more = e->rc.more_cnps = 0;
}

/* What few links do with packet @p i, which has come to the end of the link of @p port. Whether it
 * is not to be forwarded. */
static __attribute__((noinline)) bool forward_arrives_rarely(struct weft_engine *e, uint32_t port,
                                                             uint32_t i)
{
    struct link_end *l = &e->ends[port];
    const struct pkt *k = pkt_at(e, i);
    if (!k->frame) { /* the end of a train */
        e->tot.sent[WEFT_PKT_DATA]--;
        pkt_free(e, i);
        return true;
    }
    const bool train = train_is(e, k);
    if (train && !l->to_host)
        forward_train(e, port, k);
    if (l->rare & LINK_LOSES && link_lost(e, l, i, port))
        return true;
    if (train && l->to_host && k->dst_host == l->far) {
        forward_train_taken(e, i, l->peer);
        return true;
    }
    return false;
}

void forward_arrive(struct weft_engine *e, uint32_t port)
{
    struct link_end *l = &e->ends[port];
    /* Where an end of the link is in windows, the node that the packet left has been run to the
     * beginning of this one at least. That is after the packet had left, as a window is no longer
     * than the link: so the next one starts now if it waited by then, and by itself if it came
     * later. Where another thread may be at that node, it has done so. */
    const int64_t due_ps =
        l->ends & (FAR_IN_WINDOWS | OWN_IN_WINDOWS) ? e->windows.done_ps : e->loop.due_ps;
    if (!(l->ends & e->path.apart) && port_at(e, port)->armed_ps < due_ps)
        forward_catch_up(e, port_at(e, port), port, due_ps);
    const uint32_t i = l->fly.head, peer = l->peer;
    struct pkt *k = pkt_at(e, i);
    list_take(&l->fly, k);
    if (k->next != NIL) {
        port_fetch_next(e, k->next, true);
        if (e->windows.running)
            window_push_next(e, k->next_at_ps, EV_ARRIVE, port);
        else
            engine_push_arrival(e, l, k->next_at_ps, port);
    }
    l->rx_packets++;
    if (__builtin_expect(l->rare, 0) && (l->rare & LINK_LOSES || train_is(e, k)) &&
        forward_arrives_rarely(e, port, i))
        return;
    if (__builtin_expect(k->kind >= WEFT_PKT_PFC, 0))
        (link_frame(k) ? pfc_receive : in_network_arrive)(e, peer, i);
    else if (!l->to_host || __builtin_expect(k->dst_host != l->far, 0)) {
        if (l->to_host && !e->routing.transit)
            forward_stray(e, l->far, i);
        else
            forward_packet(e, peer, k, i);
    } else
        e->port_ops.host_receive(e, i, peer);
}
