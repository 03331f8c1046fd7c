/* SPDX-License-Identifier: GPL-2.0-only */
/* The same of packets and ports: replay_state.c. */
#include "replay_state_inside.h"
#include "switch/pause_clock.h"
#include "core/context.h"
#include "core/pkt.h"
#include "core/port.h"
#include "core/walk.h"
#include "switch/pfc.h"

/* ---- packets ---- */

static void see_stamps(struct weft_engine *e, const struct replay_part *p, const struct pkt *k,
                       struct tape *t)
{
    const uint32_t n = k->sig == NIL ? 0 : sig_hops(k->sig);
    tape_same(t, n, "stamps");
    for (uint32_t h = 0; h < n; h++) {
        struct weft_cc_hop *hop = &int_at(e, sig_stack(k->sig))->hops[h];
        TAPE_SEE(t, hop->ts_ps, MOVE_TIME);
        if (t->use == TAPE_SHIFT)
            t->count = replay_stamp_shift(e, p, qp_at(e, k->qp), h);
        TAPE_SEE(t, hop->tx_bytes, MOVE_COUNT);
        t->count = 0;
        TAPE_SEE(t, hop->qlen_bytes, MOVE_NOT);
        TAPE_SEE(t, hop->rate_bps, MOVE_NOT);
    }
}

/* Two values that stay as they are, as one. */
static int64_t pair(uint32_t high, uint32_t low)
{
    return (int64_t)((uint64_t)high << 32 | low);
}

static void see_packet(struct weft_engine *e, struct replay_part *p, struct pkt *k, struct tape *t)
{
    p->packets++;
    if (t->use == TAPE_COMPARE || t->use == TAPE_SHIFT) {
        t->psn = p->moved[k->qp][0];
        t->bytes = p->moved[k->qp][1];
    }
    tape_same(t, pair(tape_qp(t, k->qp), tape_port(t, k->in_port)),
              "the QP of a packet, or where it came from");
    tape_same(t, pair(k->frame, k->payload), "the size of a packet");
    tape_same(t, pair((uint32_t)k->kind << 8 | k->prio, (uint32_t)k->flags << 8 | k->hop),
              "the kind of a packet");
    TAPE_SEE(t, k->psn, k->kind == WEFT_PKT_CNP ? MOVE_NOT : MOVE_PSN);
    TAPE_SEE(t, k->sent_ps, MOVE_TIME);
    if (e->telemetry.int_on)
        see_stamps(e, p, k, t);
}

/* A pause or a resume on its way. */
static void see_frame(struct replay_part *p, const struct pkt *k, struct tape *t)
{
    p->packets++;
    tape_same(t, pair((uint32_t)k->kind << 8 | k->prio, (uint32_t)k->flags << 16 | k->frame),
              "a pause on its way");
}

/* What pauses have held packet number @p i, sent at @p before_ps, up for so far, and the clock of
 * those of the port in whose queue it is (NULL: on a link). */
static void see_waits(struct weft_engine *e, struct pkt *k, uint32_t i, int64_t before_ps,
                      const struct port *at, struct tape *t)
{
    if (k->kind != WEFT_PKT_DATA)
        return;
    if (at && at->hold)
        replay_see_noted(e, at, k->prio, &k->held_ps, t);
    struct wait *w = pause_clock_wait_of(e, i, before_ps);
    tape_same(t, w != NULL, "whether a pause has held up a packet");
    if (!w)
        return;
    TAPE_SEE(t, w->sent_ps, MOVE_TIME);
    TAPE_SEE(t, w->paused_ps, MOVE_NOT);
    if (!replay_pauses_move(e, t)) {
        t->same = false;
        t->other = "a packet that a pause has held up";
    }
}

/* A list of packets in a queue of port @p at, or on a link (NULL). */
static void see_list(struct weft_engine *e, struct replay_part *p, struct list l,
                     const struct port *at, struct tape *t)
{
    uint32_t n = 0;
    if (t->fixed)
        return;
    WALK_PKTS(e, i, l.head, "packets of a queue, or on a link") {
        if (!t->same)
            break;
        struct pkt *k = pkt_at(e, i);
        const int64_t sent_ps = k->sent_ps; /* before it is moved */
        const bool frame = k->kind == WEFT_PKT_PFC && replay_pauses_move(e, t);
        if (!frame &&
            (k->kind == WEFT_PKT_PFC || !replay_part_knows(k) || !replay_part_has(p, k->qp))) {
            t->same = false;
            t->other = "a packet of a QP that rested, or a NACK";
            return;
        }
        if (frame)
            see_frame(p, k, t);
        else
            see_packet(e, p, k, t);
        if (e->delays.nholds)
            see_waits(e, k, i, sent_ps, at, t);
        if (!at && k->next != NIL)
            TAPE_SEE(t, k->next_at_ps, MOVE_TIME);
        n++;
    }
    tape_same(t, n, "packets on a link or in a queue");
}

/* ---- ports ---- */

static void see_counters(struct weft_port_counters *c, bool pauses, struct tape *t)
{
    TAPE_SEE(t, c->tx_packets, MOVE_COUNT);
    TAPE_SEE(t, c->tx_bytes, MOVE_COUNT);
    TAPE_SEE(t, c->tx_payload_bytes, MOVE_COUNT);
    TAPE_SEE(t, c->busy_ps, MOVE_COUNT);
    TAPE_SEE(t, c->max_queue_bytes, MOVE_NOT);
    TAPE_SEE(t, c->pauses, pauses ? MOVE_COUNT : MOVE_HELD);
    if (pauses)
        TAPE_SEE(t, c->paused_ps, MOVE_COUNT);
    TAPE_SEE(t, c->ecn_marks, MOVE_HELD);
    TAPE_SEE(t, c->trims, MOVE_HELD);
    for (int why = 0; why < WEFT_DROP_REASONS; why++)
        TAPE_SEE(t, c->drops[why], MOVE_HELD);
}

static void see_histogram(struct weft_engine *e, uint32_t port, uint32_t prio, struct tape *t)
{
    struct histogram *h =
        e->histograms.wanted ? e->histograms.of[(size_t)port * WEFT_PRIOS + prio] : NULL;
    if (!h)
        return;
    TAPE_SEE(t, h->since_ps, MOVE_STILL);
    TAPE_SEE(t, h->bytes, MOVE_NOT);
    for (int b = 0; b < WEFT_QUEUE_BINS; b++)
        TAPE_SEE(t, h->time_ps[b], MOVE_COUNT);
}

static void see_nic(struct weft_engine *e, struct nic *n, struct tape *t)
{
    TAPE_SEE(t, n->ready_mask, MOVE_NOT);
    TAPE_SEE(t, n->yield, MOVE_NOT);
    for (uint32_t prio = 0; prio < WEFT_PRIOS && !t->fixed; prio++)
        WALK_TURNS(e, i, n->ready[prio].head)
            tape_same(t, tape_qp(t, i), "turns of QPs at a NIC");
}

/* Since when a port is paused, or last was, and for how long it has been. */
static void see_pauses(struct weft_engine *e, struct port *p, uint32_t port, struct tape *t)
{
    TAPE_SEE(t, p->paused_since_ps, MOVE_STILL);
    for (uint32_t prio = 0; p->hold && prio < WEFT_PRIOS; prio++) {
        TAPE_SEE(t, e->pfc.since[port].ps[prio], MOVE_STILL);
        TAPE_SEE(t, p->hold->from_ps[prio], MOVE_STILL);
        TAPE_SEE(t, p->hold->total_ps[prio], MOVE_COUNT);
    }
}

void replay_see_port(struct weft_engine *e, struct replay_part *part, uint32_t port, struct tape *t)
{
    struct port *p = &e->ports[port];
    struct link_end *l = &e->ends[port];
    TAPE_SEE(t, p->busy_until_ps, MOVE_PAST);
    TAPE_SEE(t, p->armed_ps, MOVE_TIME);
    TAPE_SEE(t, p->nonempty, MOVE_NOT);
    TAPE_SEE(t, p->paused, MOVE_NOT);
    TAPE_SEE(t, p->xoff_sent, MOVE_NOT);
    TAPE_SEE(t, p->drr, MOVE_NOT);
    TAPE_SEE(t, p->sending, MOVE_NOT);
    TAPE_SEE(t, p->lazy, MOVE_NOT);
    TAPE_SEE(t, p->qtotal, MOVE_NOT);
    TAPE_SEE(t, l->rx_packets, MOVE_COUNT);
    TAPE_SEE(t, p->ecn_rng, MOVE_HELD);
    TAPE_SEE(t, p->dropped_payload, MOVE_HELD);
    const bool pauses = replay_pauses_move(e, t);
    see_counters(&p->st, pauses, t);
    if (pauses)
        see_pauses(e, p, port, t);
    if (p->paused && !pauses) { /* its clocks go on */
        t->same = false;
        t->other = "a port that is paused";
    }
    if (p->ctrl.head != NIL)
        see_list(e, part, p->ctrl, p, t);
    for (uint32_t prio = 0; prio < WEFT_PRIOS; prio++) {
        struct lane *lane = &p->lane[prio];
        TAPE_SEE(t, lane->qbytes, MOVE_NOT);
        TAPE_SEE(t, lane->in_bytes, MOVE_NOT);
        TAPE_SEE(t, lane->in_hdrm, MOVE_NOT);
        TAPE_SEE(t, lane->deficit, MOVE_NOT);
        if (lane->q.head != NIL)
            see_list(e, part, lane->q, p, t);
        see_histogram(e, port, prio, t);
    }
    if (l->fly.head != NIL && !t->fixed)
        TAPE_SEE(t, part->arrive_ps[port], MOVE_TIME);
    see_list(e, part, l->fly, NULL, t);
    if (p->nic != NIL)
        see_nic(e, &e->nics.of[p->nic], t);
}
