/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Periods of packets: when to look for them, and what follows. Why they may be skipped: replay.h.
 *
 * After a long message was posted traffic gets a round trip to settle. Then a QP of each component
 * (replay_components.c) says how long a period is: the time in which it sent some packets, over
 * their number. A sum of the state of the component is noted and compared a period later, two,
 * three and so on. Once it is the same again the state itself is written down, and compared as many
 * periods later. If that is the same, only moved on, it is moved on by as many periods as nothing
 * in it ends: it is then that of a later time, while the clock and everything else stay. When the
 * clock has come there the component goes on; when something touches it earlier, or somebody looks,
 * it comes back to the present (replay_rewind.c). Posting, or a completion, has the
 * search in that component start again; what finds nothing waits twice as long the next time.
 */
#include "core/context.h"
#include "core/loop.h"
#include "replay.h"
#include "replay_internal.h"
#include "replay_queues.h"
#include "replay_state.h"

#include "base/units.h"

#define LONG_PACKETS 64u   /**< of a message that is worth a look */
#define REFERENCE_SENDS 4  /**< packets that the reference QP sends while it is watched, */
#define LONGEST_WATCH 1024 /**< unless that takes as many times its own gap */
#define FEW_PERIODS 16u    /**< in the end it is compared after 1, 2 .. so many periods, */
#define ROUND_PERIODS 8u   /**< and after as many as a round trip has, or a few more or less */
#define LONGEST_WAIT_PS WEFT_PS_PER_S

/* ---- when ---- */

/* The search in a component starts again. */
static void packet_periods_again(struct weft_engine *e, struct replay_component *k, int64_t wait_ps)
{
    if (k->followers) {
        k->wait_ps = wait_ps;
        replay_component_back_off(k, e->now + wait_ps);
        return;
    }
    replay_component_drop(e, k, wait_ps);
    replay_packets_find_by(e, e->now + wait_ps);
    replay_packets_next(e);
}

/* The search failed, for @p why; NULL: that was said. */
static void packet_periods_later(struct weft_engine *e, struct replay_component *k, const char *why)
{
    const int64_t wait_ps = 2 * k->wait_ps;
    if (why)
        replay_say(e, WEFT_REPLAY_PACKETS, why);
    snapshot_clear(&k->snapshot);
    packet_periods_again(e, k, wait_ps < LONGEST_WAIT_PS ? wait_ps : LONGEST_WAIT_PS);
}

/* ---- what the user does ---- */

static void packet_periods_touch_component(struct weft_engine *e, uint16_t number)
{
    if (!number)
        return;
    struct replay_component *k = &replay_of(e)->packets.component[number - 1];
    if (!k->used)
        return;
    replay_component_back(e, k);
    if (k->used)
        packet_periods_again(e, k, k->wait_ps);
}

static void packet_periods_touch_port(void *ctx, uint32_t port)
{
    struct weft_engine *e = ctx;
    const struct replay_scope *map = &replay_of(e)->packets.map;
    const uint32_t node = replay_scope_node(e, port);
    packet_periods_touch_component(e, map->has_port[port]);
    if (node != NIL)
        packet_periods_touch_component(e, map->has_node[node]);
}

void replay_packets_touch(struct weft_engine *e, uint32_t qi)
{
    if (replay_of(e)->packets.components)
        replay_scope_each_port(e, qi, packet_periods_touch_port, e);
}

void replay_packets_posted(struct weft_engine *e, uint32_t qi, uint64_t packets)
{
    const int64_t rtt_ps = qp_at(e, qi)->kind->env.base_rtt_ps;
    const int64_t wait_ps = rtt_ps > WEFT_PS_PER_US ? rtt_ps : WEFT_PS_PER_US;
    const bool is_long = packets >= (replay_of(e)->eager ? 2 : LONG_PACKETS);
    if (is_long && !replay_components_ready(e))
        return;
    if (qi < replay_of(e)->packets.qps)
        replay_of(e)->packets.turn[qi] = (struct replay_turn){e->now, e->now + wait_ps, wait_ps};
    if (!is_long)
        return;
    replay_packets_find_by(e, e->now + wait_ps);
    replay_symmetry_posted(e);
}

void replay_packets_completed(struct weft_engine *e, uint32_t qi)
{
    const struct replay_packets *r = &replay_of(e)->packets;
    const uint16_t component = r->components ? replay_component_of(r, qi) : 0;
    if (component)
        packet_periods_touch_component(e, component);
}

void replay_components_drop(struct weft_engine *e)
{
    struct replay_packets *r = &replay_of(e)->packets;
    for (uint32_t i = 0; i < r->top; i++)
        if (r->component[i].used && r->component[i].phase != REPLAY_FOLLOWER &&
            !r->component[i].followers &&
            (r->component[i].phase != REPLAY_AHEAD || r->component[i].ahead_ps <= e->loop.due_ps))
            packet_periods_again(e, &r->component[i], r->component[i].wait_ps);
}

void replay_packets_disturb(struct weft_engine *e)
{
    replay_components_back(e);
    replay_components_drop(e);
}

/* ---- how far ---- */

/* Periods until a message of the component, or a timer, ends it. */
static int64_t packet_periods_periods_left(struct weft_engine *e, const struct replay_component *k)
{
    const struct replay_scope *part = &k->scope;
    const int64_t first_ps = replay_first_of(e, part);
    int64_t n = ((first_ps < LAST_PS ? first_ps : LAST_PS) - e->now) / k->found_ps;
    for (uint32_t i = 0; i < part->nqps; i++) {
        const int64_t by = part->moved[part->qps[i]][0];
        const int64_t left = (int64_t)replay_before_last(e, qp_at(e, part->qps[i]));
        if (by > 0 && left / by < n)
            n = left / by;
    }
    return n;
}

/* ---- looks ---- */

/* Actions of the reference QP since it is watched, and in which time, from the first to the
 * last: it has sent packets, or where those don't follow each other evenly, was paused. */
struct done {
    int64_t n, ps;
};

static struct done packet_periods_done_by_reference(struct weft_engine *e,
                                                    const struct replay_component *k)
{
    const struct qp *q = qp_at(e, k->reference);
    const struct port *p = &e->ports[q->port];
    struct done sent = {(int64_t)(q->snd->nxt_psn - k->reference_psn),
                        q->snd->last_tx_ps - k->reference_ps};
    if (!p->hold || p->st.pauses == k->reference_pauses)
        return sent;
    return (struct done){(int64_t)(p->st.pauses - k->reference_pauses),
                         p->hold->from_ps[q->snd->prio] - k->reference_pause_ps};
}

static void packet_periods_note_sum(struct weft_engine *e, struct replay_component *k)
{
    const struct done by = packet_periods_done_by_reference(e, k);
    const int64_t sent = by.n, ps = by.ps;
    if (sent < REFERENCE_SENDS && e->now - k->since_ps < LONGEST_WATCH * k->gap_ps) {
        k->next_ps = e->now + (e->now - k->since_ps); /* it shares its port with many */
        return;
    }
    if (sent < 2 || ps <= 0 || ps % sent) {
        packet_periods_later(e, k, "packets don't follow each other evenly");
        return;
    }
    if (!replay_pays(e, k->scope.nqps)) {
        packet_periods_later(e, k, "looking has found too little so far");
        return;
    }
    if (k->scope.failed || !replay_sum(e, &k->scope, &k->snapshot, &k->sum)) {
        packet_periods_later(e, k, k->snapshot.other ? k->snapshot.other : "out of memory");
        return;
    }
    k->period_ps = ps / sent * qp_at(e, k->reference)->kind->train;
    k->tried = 0;
    k->from_ps = e->now;
    k->phase = REPLAY_SUM;
    k->next_ps = e->now + k->period_ps;
}

/* The sum of the state is what it was @p periods before. */
static void packet_periods_write_down(struct weft_engine *e, struct replay_component *k,
                                      int64_t periods)
{
    struct replay_packets *r = &replay_of(e)->packets;
    if (!replay_affordable(e)) {
        packet_periods_later(e, k, "looking has found too little so far");
        return;
    }
    k->snapshot.most = r->most;
    for (uint32_t i = 0; i < r->top; i++)
        if (&r->component[i] != k)
            k->snapshot.most -=
                r->component[i].snapshot.cap < k->snapshot.most ? r->component[i].snapshot.cap : 0;
    if (!replay_write(e, &k->scope, &k->snapshot)) {
        packet_periods_later(e, k, k->snapshot.other ? k->snapshot.other : "out of memory");
        return;
    }
    replay_pauses_keep(k);
    k->from_ps = e->now;
    k->phase = REPLAY_COMPARE;
    k->next_ps = e->now + periods * k->period_ps;
}

static void packet_periods_go_on(struct weft_engine *e, struct replay_component *k)
{
    struct replay_packets *r = &replay_of(e)->packets;
    struct weft_replay_figures *f = &replay_of(e)->figures;
    const uint64_t hops = e->tot.packet_hops;
    const int64_t periods = packet_periods_periods_left(e, k);
    if (periods < 1) {
        packet_periods_again(e, k, k->wait_ps);
        return;
    }
    replay_note_arrivals(e, &k->scope);
    replay_state_move(e, &k->scope, &k->snapshot, periods);
    replay_queue_again(e, &k->scope, e->now);
    r->changes++;
    k->phase = REPLAY_AHEAD;
    k->ahead_ps = k->next_ps = e->now + periods * k->found_ps;
    replay_pauses_ahead(e, k);
    f->jumps++;
    f->periods += (uint64_t)periods;
    f->hops += e->tot.packet_hops - hops;
    replay_count_state(e, k->snapshot.n);
    replay_paid(e);
}

/* Most traffic repeats itself after each period once it has settled: at first the sum is noted
 * anew after one. Controls that decide once per round trip repeat themselves after that. */
static void packet_periods_compare_next(struct weft_engine *e, struct replay_component *k)
{
    const struct qp *q = qp_at(e, k->reference);
    const int64_t flight = (int64_t)(q->snd->nxt_psn - q->snd->una_psn),
                  now = (e->now - k->from_ps) / k->period_ps;
    int64_t periods = now + 1;
    if (++k->tried == FEW_PERIODS && flight - 2 > periods)
        periods = flight - 2;
    if (k->tried == FEW_PERIODS + ROUND_PERIODS) {
        packet_periods_later(e, k,
                             k->phase == REPLAY_SUM ? "state of QPs that moved otherwise" : NULL);
    } else if (k->quick) {
        k->quick--;
        replay_component_watch(e, k);
    } else {
        k->next_ps = k->from_ps + periods * k->period_ps;
    }
}

static void packet_periods_compare_sum(struct weft_engine *e, struct replay_component *k)
{
    uint64_t sum = 0;
    if (replay_sum(e, &k->scope, &k->snapshot, &sum) && sum == k->sum)
        packet_periods_write_down(e, k, (e->now - k->from_ps) / k->period_ps);
    else
        packet_periods_compare_next(e, k);
}

static void packet_periods_compare(struct weft_engine *e, struct replay_component *k)
{
    if (!replay_same(e, &k->scope, &k->snapshot)) {
        packet_periods_compare_next(e, k);
        return;
    }
    if (!replay_pauses_kept(k)) {
        packet_periods_later(e, k, "more pauses in a period than are remembered");
        return;
    }
    k->found_ps = e->now - k->snapshot.written_ps;
    packet_periods_go_on(e, k);
}

/* The clock has come to where the state is. */
static void packet_periods_arrive(struct weft_engine *e, struct replay_component *k)
{
    replay_of(e)->packets.changes++;
    replay_pauses_add(e, e->now);
    packet_periods_again(e, k, k->wait_ps);
}

static void packet_periods_find(struct weft_engine *e)
{
    struct replay_packets *r = &replay_of(e)->packets;
    const char *why = replay_reason_against(e, REPLAY_EXACT);
    r->find_ps = WEFT_NEVER;
    if (why)
        replay_say(e, WEFT_REPLAY_PACKETS, why);
    else if (e->msgs.live && replay_pays(e, e->msgs.live) && replay_components_ready(e))
        r->find_ps = replay_components_find(e);
    else if (e->msgs.live)
        replay_packets_find_by(e, e->now + 1);
}

void replay_packets_look(struct weft_engine *e)
{
    static void (*const look[])(struct weft_engine *, struct replay_component *) = {
        [REPLAY_TIME] = packet_periods_note_sum,   [REPLAY_SUM] = packet_periods_compare_sum,
        [REPLAY_COMPARE] = packet_periods_compare, [REPLAY_GO_ON] = packet_periods_go_on,
        [REPLAY_BACK_OFF] = replay_component_wake, [REPLAY_AHEAD] = packet_periods_arrive};
    struct replay_packets *r = &replay_of(e)->packets;
    for (uint32_t i = 0; i < r->top; i++)
        if (r->component[i].used && r->component[i].next_ps <= e->now)
            look[r->component[i].phase](e, &r->component[i]);
    replay_symmetry_look(e);
    if (r->find_ps <= e->now)
        packet_periods_find(e);
    replay_packets_next(e);
}
