/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Laps of packets: when to look for them, and what follows. Why they may be skipped: replay.h.
 *
 * After a long message was posted traffic gets a round trip to settle. Then a QP of each piece
 * (replay_pieces.c) says how long a lap is: the time in which it sent some packets, over their
 * number. A sum of the state of the piece is noted and compared a lap later, two, three and so on.
 * Once it is the same again the state itself is written down, and compared as many laps later. If
 * that is the same, only moved on, it is moved on by as many laps as nothing in it ends: it is then
 * that of a later time, while the clock and everything else stay. When the clock has come there the
 * piece goes on; when something touches it earlier, or somebody looks, it comes back to the present
 * (replay_back.c). Posting, or a word of a message, has the search in that piece start again; what
 * finds nothing waits twice as long the next time.
 */
#include "core/context.h"
#include "core/loop.h"
#include "replay.h"
#include "replay_inside.h"
#include "replay_jump.h"
#include "replay_state.h"

#include "base/units.h"

#define LONG_PACKETS 64u   /**< of a message that is worth a look */
#define GUIDE_SENDS 4      /**< packets that the guide sends while it is watched, */
#define LONGEST_WATCH 1024 /**< unless that takes as many times its own gap */
#define FEW_LAPS 16u       /**< in the end it is compared after 1, 2 .. so many laps, */
#define ROUND_LAPS 8u      /**< and after as many as a round trip has, or a few more or less */
#define LONGEST_WAIT_PS WEFT_PS_PER_S

/* ---- when ---- */

/* The search in a piece starts again. */
static void again(struct weft_engine *e, struct replay_piece *k, int64_t wait_ps)
{
    if (k->followers) {
        k->wait_ps = wait_ps;
        replay_piece_rest(k, e->now + wait_ps);
        return;
    }
    replay_piece_drop(e, k, wait_ps);
    replay_packets_find_by(e, e->now + wait_ps);
    replay_packets_next(e);
}

/* Nothing was found, for @p why; NULL: that was said. */
static void later(struct weft_engine *e, struct replay_piece *k, const char *why)
{
    const int64_t wait_ps = 2 * k->wait_ps;
    if (why)
        replay_say(e, WEFT_REPLAY_PACKETS, why);
    tape_clear(&k->tape);
    again(e, k, wait_ps < LONGEST_WAIT_PS ? wait_ps : LONGEST_WAIT_PS);
}

/* ---- what the user does ---- */

static void touch_piece(struct weft_engine *e, uint16_t number)
{
    if (!number)
        return;
    struct replay_piece *k = &replay_of(e)->packets.piece[number - 1];
    if (!k->used)
        return;
    replay_piece_back(e, k);
    if (k->used)
        again(e, k, k->wait_ps);
}

static void touch_port(void *ctx, uint32_t port)
{
    struct weft_engine *e = ctx;
    const struct replay_part *map = &replay_of(e)->packets.map;
    const uint32_t node = replay_part_node(e, port);
    touch_piece(e, map->has_port[port]);
    if (node != NIL)
        touch_piece(e, map->has_node[node]);
}

void replay_packets_touch(struct weft_engine *e, uint32_t qi)
{
    if (replay_of(e)->packets.pieces)
        replay_part_way(e, qi, touch_port, e);
}

void replay_packets_posted(struct weft_engine *e, uint32_t qi, uint64_t packets)
{
    const int64_t rtt_ps = qp_at(e, qi)->env.base_rtt_ps;
    const int64_t wait_ps = rtt_ps > WEFT_PS_PER_US ? rtt_ps : WEFT_PS_PER_US;
    const bool is_long = packets >= (replay_of(e)->eager ? 2 : LONG_PACKETS);
    if (is_long && !replay_pieces_ready(e))
        return;
    if (qi < replay_of(e)->packets.qps)
        replay_of(e)->packets.turn[qi] = (struct replay_turn){e->now, e->now + wait_ps, wait_ps};
    if (!is_long)
        return;
    replay_packets_find_by(e, e->now + wait_ps);
    replay_twins_posted(e);
}

void replay_packets_told(struct weft_engine *e, uint32_t qi)
{
    const struct replay_packets *r = &replay_of(e)->packets;
    const uint16_t piece = r->pieces ? replay_piece_of(r, qi) : 0;
    if (piece)
        touch_piece(e, piece);
}

void replay_pieces_drop(struct weft_engine *e)
{
    struct replay_packets *r = &replay_of(e)->packets;
    for (uint32_t i = 0; i < r->top; i++)
        if (r->piece[i].used && r->piece[i].phase != REPLAY_FOLLOWS && !r->piece[i].followers &&
            (r->piece[i].phase != REPLAY_AHEAD || r->piece[i].ahead_ps <= e->loop.due_ps))
            again(e, &r->piece[i], r->piece[i].wait_ps);
}

void replay_packets_disturb(struct weft_engine *e)
{
    replay_pieces_back(e);
    replay_pieces_drop(e);
}

/* ---- how far ---- */

/* Laps until a message of the piece, or a timer, ends it. */
static int64_t laps_left(struct weft_engine *e, const struct replay_piece *k)
{
    const struct replay_part *part = &k->part;
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

/* What the guide has done since it is watched, and in which time, from the first to the last: it
 * has sent packets, or where those don't follow each other evenly, was paused. */
struct done {
    int64_t n, ps;
};

static struct done done_by_guide(struct weft_engine *e, const struct replay_piece *k)
{
    const struct qp *q = qp_at(e, k->guide);
    const struct port *p = &e->ports[q->port];
    struct done sent = {(int64_t)(q->snd->nxt_psn - k->guide_psn),
                        q->snd->last_tx_ps - k->guide_ps};
    if (!p->hold || p->st.pauses == k->guide_pauses)
        return sent;
    return (struct done){(int64_t)(p->st.pauses - k->guide_pauses),
                         p->hold->from_ps[q->snd->prio] - k->guide_pause_ps};
}

static void note_sum(struct weft_engine *e, struct replay_piece *k)
{
    const struct done by = done_by_guide(e, k);
    const int64_t sent = by.n, ps = by.ps;
    if (sent < GUIDE_SENDS && e->now - k->since_ps < LONGEST_WATCH * k->gap_ps) {
        k->next_ps = e->now + (e->now - k->since_ps); /* it shares its port with many */
        return;
    }
    if (sent < 2 || ps <= 0 || ps % sent) {
        later(e, k, "packets don't follow each other evenly");
        return;
    }
    if (!replay_pays(e, k->part.nqps)) {
        later(e, k, "looking has found too little so far");
        return;
    }
    if (k->part.failed || !replay_sum(e, &k->part, &k->tape, &k->sum)) {
        later(e, k, k->tape.other ? k->tape.other : "out of memory");
        return;
    }
    k->lap_ps = ps / sent;
    k->tried = 0;
    k->from_ps = e->now;
    k->phase = REPLAY_SUM;
    k->next_ps = e->now + k->lap_ps;
}

/* The sum of the state is what it was @p laps before. */
static void write_down(struct weft_engine *e, struct replay_piece *k, int64_t laps)
{
    struct replay_packets *r = &replay_of(e)->packets;
    if (!replay_affordable(e)) {
        later(e, k, "looking has found too little so far");
        return;
    }
    k->tape.most = r->most;
    for (uint32_t i = 0; i < r->top; i++)
        if (&r->piece[i] != k)
            k->tape.most -= r->piece[i].tape.cap < k->tape.most ? r->piece[i].tape.cap : 0;
    if (!replay_write(e, &k->part, &k->tape)) {
        later(e, k, k->tape.other ? k->tape.other : "out of memory");
        return;
    }
    replay_pauses_keep(k);
    k->from_ps = e->now;
    k->phase = REPLAY_COMPARE;
    k->next_ps = e->now + laps * k->lap_ps;
}

static void go_on(struct weft_engine *e, struct replay_piece *k)
{
    struct replay_packets *r = &replay_of(e)->packets;
    struct weft_replay_figures *f = &replay_of(e)->figures;
    const uint64_t hops = e->tot.packet_hops;
    const int64_t laps = laps_left(e, k);
    if (laps < 1) {
        again(e, k, k->wait_ps);
        return;
    }
    replay_note_arrivals(e, &k->part);
    replay_state_move(e, &k->part, &k->tape, laps);
    replay_queue_again(e, &k->part, e->now);
    r->changes++;
    k->phase = REPLAY_AHEAD;
    k->ahead_ps = k->next_ps = e->now + laps * k->found_ps;
    replay_pauses_ahead(e, k);
    f->jumps++;
    f->laps += (uint64_t)laps;
    f->hops += e->tot.packet_hops - hops;
    replay_count_state(e, k->tape.n);
    replay_paid(e);
}

/* Most traffic repeats itself after each lap once it has settled: at first the sum is noted
 * anew after one. Controls that decide once per round trip repeat themselves after that. */
static void compare_next(struct weft_engine *e, struct replay_piece *k)
{
    const struct qp *q = qp_at(e, k->guide);
    const int64_t flight = (int64_t)(q->snd->nxt_psn - q->snd->una_psn),
                  now = (e->now - k->from_ps) / k->lap_ps;
    int64_t laps = now + 1;
    if (++k->tried == FEW_LAPS && flight - 2 > laps)
        laps = flight - 2;
    if (k->tried == FEW_LAPS + ROUND_LAPS) {
        later(e, k, k->phase == REPLAY_SUM ? "state of QPs that moved otherwise" : NULL);
    } else if (k->quick) {
        k->quick--;
        replay_piece_watch(e, k);
    } else {
        k->next_ps = k->from_ps + laps * k->lap_ps;
    }
}

static void compare_sum(struct weft_engine *e, struct replay_piece *k)
{
    uint64_t sum = 0;
    if (replay_sum(e, &k->part, &k->tape, &sum) && sum == k->sum)
        write_down(e, k, (e->now - k->from_ps) / k->lap_ps);
    else
        compare_next(e, k);
}

static void compare(struct weft_engine *e, struct replay_piece *k)
{
    if (!replay_same(e, &k->part, &k->tape)) {
        compare_next(e, k);
        return;
    }
    if (!replay_pauses_kept(k)) {
        later(e, k, "more pauses in a lap than are remembered");
        return;
    }
    k->found_ps = e->now - k->tape.written_ps;
    go_on(e, k);
}

/* The clock has come to where the state is. */
static void arrive(struct weft_engine *e, struct replay_piece *k)
{
    replay_of(e)->packets.changes++;
    replay_pauses_add(e, e->now);
    again(e, k, k->wait_ps);
}

static void find(struct weft_engine *e)
{
    struct replay_packets *r = &replay_of(e)->packets;
    const char *why = replay_why_not(e, false);
    r->find_ps = WEFT_NEVER;
    if (why)
        replay_say(e, WEFT_REPLAY_PACKETS, why);
    else if (e->msgs.live && replay_pays(e, e->msgs.live) && replay_pieces_ready(e))
        r->find_ps = replay_pieces_find(e);
    else if (e->msgs.live)
        replay_packets_find_by(e, e->now + 1);
}

void replay_packets_look(struct weft_engine *e)
{
    static void (*const look[])(struct weft_engine *, struct replay_piece *) = {
        [REPLAY_TIME] = note_sum, [REPLAY_SUM] = compare_sum,        [REPLAY_COMPARE] = compare,
        [REPLAY_GO_ON] = go_on,   [REPLAY_REST] = replay_piece_wake, [REPLAY_AHEAD] = arrive};
    struct replay_packets *r = &replay_of(e)->packets;
    for (uint32_t i = 0; i < r->top; i++)
        if (r->piece[i].used && r->piece[i].next_ps <= e->now)
            look[r->piece[i].phase](e, &r->piece[i]);
    replay_twins_look(e);
    if (r->find_ps <= e->now)
        find(e);
    replay_packets_next(e);
}
