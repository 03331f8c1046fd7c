/* SPDX-License-Identifier: GPL-2.0-only */
/* The same of packets and ports: replay_state.c. */
#include "replay_state_internal.h"
#include "switch/pause_clock.h"
#include "core/context.h"
#include "core/pkt.h"
#include "core/port.h"
#include "core/walk.h"
#include "congestion/cc_switch.h"

/* ---- packets ---- */

static void state_read_stamps(struct weft_engine *e, const struct pkt *k, struct snapshot *t)
{
    const uint32_t n = k->sig == NIL ? 0 : sig_hops(k->sig);
    snapshot_same(t, n, "stamps");
    for (uint32_t h = 0; h < n; h++) {
        struct int_stamp *hop = stamp_at(e, k->sig, h);
        SNAPSHOT_FIELD(t, hop->ts_ps, EVOLVES_TIME);
        SNAPSHOT_FIELD(t, hop->tx_bytes, EVOLVES_COUNT);
        snapshot_same(t, hop->qlen_bytes, "the queue of a stamp");
        snapshot_same(t, (int64_t)e->mmu.rates_bps[hop->rate], "the rate of a stamp");
    }
}

/* Two values that stay as they are, as one. */
static int64_t state_pair(uint32_t high, uint32_t low)
{
    return (int64_t)((uint64_t)high << 32 | low);
}

static void state_read_packet(struct weft_engine *e, struct replay_scope *p, struct pkt *k,
                              struct snapshot *t)
{
    p->packets++;
    if (t->use == SNAPSHOT_COMPARE) {
        t->psn = p->moved[k->qp][0];
        t->bytes = p->moved[k->qp][1];
    }
    snapshot_same(t, state_pair(snapshot_qp(t, k->qp), snapshot_port(t, k->in_port)),
                  "the QP of a packet, or where it came from");
    snapshot_same(t, state_pair(k->frame, k->payload), "the size of a packet");
    snapshot_same(t, state_pair((uint32_t)k->kind << 8 | k->prio, (uint32_t)k->flags << 8 | k->hop),
                  "the kind of a packet");
    SNAPSHOT_FIELD(t, k->psn, k->kind == WEFT_PKT_CNP ? EVOLVES_SAME : EVOLVES_PSN);
    SNAPSHOT_FIELD(t, k->sent_ps, EVOLVES_TIME);
    if (e->telemetry.int_on)
        state_read_stamps(e, k, t);
}

/* A pause or a resume on its way. */
static void state_read_frame(struct replay_scope *p, const struct pkt *k, struct snapshot *t)
{
    p->packets++;
    snapshot_same(t,
                  state_pair((uint32_t)k->kind << 8 | k->prio, (uint32_t)k->flags << 16 | k->frame),
                  "a pause on its way");
}

/* What pauses have held packet number @p i, sent at @p before_ps, up for so far, and the clock of
 * those of the port in whose queue it is (NULL: on a link). */
static void state_read_waits(struct weft_engine *e, struct pkt *k, uint32_t i, int64_t before_ps,
                             const struct port *at, struct snapshot *t)
{
    if (k->kind != WEFT_PKT_DATA)
        return;
    if (at && at->hold)
        replay_read_noted(e, at, k->prio, &k->held_ps, t);
    struct wait *w = pause_clock_wait_of(e, i, before_ps);
    snapshot_same(t, w != NULL, "whether a pause has stopped a packet");
    if (!w)
        return;
    SNAPSHOT_FIELD(t, w->sent_ps, EVOLVES_TIME);
    SNAPSHOT_FIELD(t, w->paused_ps, EVOLVES_SAME);
    if (!replay_pauses_move(e, t)) {
        t->same = false;
        t->other = "a packet that a pause has stopped";
    }
}

/* A list of packets in a queue of port @p at, or on a link (NULL). */
static void state_read_list(struct weft_engine *e, struct replay_scope *p, struct list l,
                            const struct port *at, struct snapshot *t)
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
            (k->kind == WEFT_PKT_PFC || !replay_scope_knows(k) || !replay_scope_has(p, k->qp))) {
            t->same = false;
            t->other = "a packet of a QP that rested, or a NACK";
            return;
        }
        if (frame)
            state_read_frame(p, k, t);
        else
            state_read_packet(e, p, k, t);
        if (e->delays.nholds)
            state_read_waits(e, k, i, sent_ps, at, t);
        if (!at && k->next != NIL)
            SNAPSHOT_FIELD(t, k->next_at_ps, EVOLVES_TIME);
        n++;
    }
    snapshot_same(t, n, "packets on a link or in a queue");
}

/* ---- ports ---- */

/* All counters of a port. */
#define STATE_COUNTERS(F)                                                                          \
    F(tx_packets, COUNT)                                                                           \
    F(tx_bytes, COUNT)                                                                             \
    F(tx_payload_bytes, COUNT)                                                                     \
    F(busy_ps, COUNT)                                                                              \
    F(max_queue_bytes, SAME)                                                                       \
    F(paused_ps, BY_HAND) /* they move where pauses are repeated, */                               \
    F(pauses, BY_HAND)    /* else there is none */                                                 \
    F(ecn_marks, RARE)                                                                             \
    F(trims, RARE)                                                                                 \
    F(drops, RARE)                                                                                 \
    F(last_ps, DERIVED)
#define STATE_SIZE(name, evolution) +sizeof((struct weft_port_counters *)NULL)->name
_Static_assert(STATE_COUNTERS(STATE_SIZE) == sizeof(struct weft_port_counters),
               "each counter has a line");

static void state_read_counters(struct weft_port_counters *c, bool pauses, struct snapshot *t)
{
#define STATE_COUNTER(name, evolution) STATE_READ(c, uint64_t, name, evolution)
    STATE_COUNTERS(STATE_COUNTER)
    SNAPSHOT_FIELD(t, c->pauses, pauses ? EVOLVES_COUNT : EVOLVES_RARE);
    if (pauses)
        SNAPSHOT_FIELD(t, c->paused_ps, EVOLVES_COUNT);
}

static void state_read_histogram(struct weft_engine *e, uint32_t port, uint32_t prio,
                                 struct snapshot *t)
{
    struct histogram *h =
        e->histograms.wanted ? e->histograms.of[(size_t)port * WEFT_PRIOS + prio] : NULL;
    if (!h)
        return;
#define FIELD(type, name, dimensions, evolution, owner) STATE_READ(h, type, name, evolution)
#include "core/histogram.def"
}

static void state_read_nic(struct weft_engine *e, struct nic *n, struct snapshot *t)
{
#define FIELD(type, name, dimensions, evolution, owner) STATE_READ(n, type, name, evolution)
#include "core/nic.def"
    for (uint32_t prio = 0; prio < WEFT_PRIOS && !t->fixed; prio++)
        WALK_TURNS(e, i, n->ready[prio].head)
            snapshot_same(t, snapshot_qp(t, i), "turns of QPs at a NIC");
}

/* Since when a port is paused, or last was, and for how long it has been. */
static void state_read_pauses(struct weft_engine *e, struct port *p, uint32_t port,
                              struct snapshot *t)
{
    SNAPSHOT_FIELD(t, p->paused_since_ps, EVOLVES_CHANGE);
    struct hold *const hold = p->hold;
    if (!hold)
        return;
    for (uint32_t prio = 0; prio < WEFT_PRIOS; prio++)
        SNAPSHOT_FIELD(t, e->pfc.since[port].ps[prio], EVOLVES_CHANGE);
#define FIELD(type, name, dimensions, evolution, owner) STATE_READ(hold, type, name, evolution)
#include "core/hold.def"
}

void replay_read_port(struct weft_engine *e, struct replay_scope *part, uint32_t port,
                      struct snapshot *t)
{
    struct port *p = &e->ports[port];
    struct link_end *l = &e->ends[port];
#define FIELD(type, name, dimensions, evolution, owner) STATE_READ(p, type, name, evolution)
#include "core/port.def"
#define FIELD(type, name, dimensions, evolution, owner) STATE_READ(l, type, name, evolution)
#include "core/link_end.def"
    const bool pauses = replay_pauses_move(e, t);
    state_read_counters(&p->st, pauses, t);
    if (pauses)
        state_read_pauses(e, p, port, t);
    if (p->paused && !pauses) { /* its clocks go on */
        t->same = false;
        t->other = "a port that is paused";
    }
    if (p->ctrl.head != NIL)
        state_read_list(e, part, p->ctrl, p, t);
    for (uint32_t prio = 0; prio < WEFT_PRIOS; prio++) {
        struct lane *lane = &p->lane[prio];
#define FIELD(type, name, dimensions, evolution, owner) STATE_READ(lane, type, name, evolution)
#include "core/lane.def"
        if (lane->q.head != NIL)
            state_read_list(e, part, lane->q, p, t);
        state_read_histogram(e, port, prio, t);
    }
    if (l->fly.head != NIL && !t->fixed)
        SNAPSHOT_FIELD(t, part->arrive_ps[port], EVOLVES_TIME);
    state_read_list(e, part, l->fly, NULL, t);
    if (p->nic != NIL)
        state_read_nic(e, &e->nics.of[p->nic], t);
}
