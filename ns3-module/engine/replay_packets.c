/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Laps of packets: when to look for them, and what follows. Why they may be skipped: replay.h.
 *
 * After a long message was posted traffic gets a round trip to settle. Then a QP that sends says
 * how long a lap is: the time in which it sent some packets, over their number. The state is
 * written down and compared a lap later, two, three and so on. Posting, or anything of the user's,
 * has it start again; what finds nothing waits twice as long the next time.
 */
#include "context.h"
#include "loop.h"
#include "nic.h"
#include "qp.h"
#include "replay.h"
#include "replay_inside.h"
#include "replay_jump.h"
#include "replay_state.h"

#include "base/units.h"

#define LONG_PACKETS 64u /**< of a message that is worth a look */
#define WORTH_LAPS 16    /**< that must be left to be skipped */
#define GUIDE_PACKETS 8  /**< that the guide sends while it is watched */
#define FEW_LAPS 16u     /**< the state is compared after 1, 2 .. so many, */
#define ROUND_LAPS 8u    /**< and after as many as a round trip has, or a few more or less */
#define LONGEST_WAIT_PS WEFT_PS_PER_S

/* ---- when ---- */

static void look_at(struct weft_engine *e, enum replay_phase phase, int64_t t_ps)
{
    struct replay_packets *r = &e->replay->packets;
    r->phase = phase;
    replay_look_at(e, &r->next_ps, t_ps);
}

/* Nothing was found, for @p why; NULL: that was said. */
static void later(struct weft_engine *e, const char *why)
{
    struct replay_packets *r = &e->replay->packets;
    if (why)
        replay_say(e, WEFT_REPLAY_PACKETS, why);
    r->wait_ps = 2 * r->wait_ps < LONGEST_WAIT_PS ? 2 * r->wait_ps : LONGEST_WAIT_PS;
    look_at(e, REPLAY_FIND, e->now + r->wait_ps);
}

void replay_packets_posted(struct weft_engine *e, uint32_t qi, uint64_t packets)
{
    const struct qp *q = qp_at(e, qi);
    struct replay_packets *r = &e->replay->packets;
    if (packets >= (e->replay->eager ? 2 : LONG_PACKETS)) {
        r->wait_ps = q->env.base_rtt_ps > WEFT_PS_PER_US ? q->env.base_rtt_ps : WEFT_PS_PER_US;
        look_at(e, REPLAY_FIND, e->now + r->wait_ps);
    } else {
        replay_packets_disturb(e);
    }
}

void replay_packets_disturb(struct weft_engine *e)
{
    struct replay_packets *r = &e->replay->packets;
    if (r->phase != REPLAY_FIND)
        look_at(e, REPLAY_FIND, e->now + r->wait_ps);
}

/* ---- how far ---- */

/* Packets that a QP may still send before the last of its message. */
static uint64_t before_last(const struct weft_engine *e, const struct qp *q)
{
    if (q->nxt_msg == NIL)
        return 0;
    const struct msg *m = msg_at(e, q->nxt_msg);
    return m->first_psn + m->npkts - 1 - q->nxt_psn;
}

/* The QP that has most to send, if none is between two messages. */
static uint32_t find_guide(const struct weft_engine *e)
{
    uint32_t best = NIL;
    uint64_t most = e->replay->eager ? 1 : WORTH_LAPS;
    for (uint32_t i = 0; i < e->qps.pool.n; i++) {
        const struct qp *q = qp_at(e, i);
        if (q->head_msg == NIL)
            continue;
        if (q->head_msg != q->nxt_msg)
            return NIL;
        const uint64_t left = before_last(e, q);
        if (left > most) {
            most = left;
            best = i;
        }
    }
    return best;
}

/* Laps that nothing ends: in this run of the loop, and after it. */
struct laps {
    int64_t now, then;
};

static struct laps laps_left(struct weft_engine *e, const struct replay *r, int64_t lap_ps)
{
    const struct replay_part *part = &r->packets.part;
    int64_t run_ps = r->quiet_ps > e->loop.stop_ps ? r->quiet_ps : e->loop.stop_ps;
    if (r->play.again)
        run_ps = r->play.until_ps;
    int64_t until = replay_first_else(e, part, true);
    until = r->messages.next_ps < until ? r->messages.next_ps : until;
    until = until < LAST_PS ? until : LAST_PS;
    int64_t n = (until - e->now) / lap_ps;
    for (uint32_t i = 0; i < part->nqps; i++) {
        const int64_t by = part->moved[part->qps[i]][0];
        const int64_t left = (int64_t)before_last(e, qp_at(e, part->qps[i]));
        if (by > 0 && left / by < n)
            n = left / by;
    }
    const int64_t now = run_ps < until ? (run_ps - e->now) / lap_ps : n;
    return (struct laps){now < n ? now : n, now < n ? n - now : 0};
}

/* ---- looks ---- */

static void find(struct weft_engine *e, struct replay_packets *r)
{
    const char *why = replay_why_not(e, false);
    if (why) {
        replay_say(e, WEFT_REPLAY_PACKETS, why);
        look_at(e, REPLAY_FIND, WEFT_NEVER);
        return;
    }
    if (!e->msgs.live) {
        look_at(e, REPLAY_FIND, WEFT_NEVER);
        return;
    }
    r->guide = find_guide(e);
    e->replay->figures.values += e->qps.pool.n;
    if (r->guide == NIL) { /* that may be over soon */
        replay_say(e, WEFT_REPLAY_PACKETS, "no long message, or one between two");
        look_at(e, REPLAY_FIND, e->now + r->wait_ps);
        return;
    }
    const struct qp *q = qp_at(e, r->guide);
    r->guide_psn = q->nxt_psn;
    r->guide_ps = q->last_tx_ps;
    const int64_t gap = q->next_avail_ps > q->last_tx_ps ? q->next_avail_ps - q->last_tx_ps : 1;
    look_at(e, REPLAY_TIME, e->now + GUIDE_PACKETS * gap);
}

/* All QPs with messages take part. */
static bool find_part(struct weft_engine *e, struct replay_part *p)
{
    if (!replay_part_clear(e, p))
        return false;
    for (uint32_t i = 0; i < e->qps.pool.n; i++)
        if (qp_at(e, i)->head_msg != NIL)
            replay_part_add(e, p, i);
    return true;
}

static void write_down(struct weft_engine *e, struct replay_packets *r)
{
    const struct qp *q = qp_at(e, r->guide);
    const int64_t sent = (int64_t)(q->nxt_psn - r->guide_psn), ps = q->last_tx_ps - r->guide_ps;
    if (sent < 2 || ps <= 0 || ps % sent) {
        later(e, "packets don't follow each other evenly");
        return;
    }
    if (!replay_affordable(e)) {
        later(e, "looking has found too little so far");
        return;
    }
    if (!find_part(e, &r->part)) {
        later(e, "out of memory");
        return;
    }
    if (!replay_write(e, &r->part, &r->tape)) {
        later(e, r->tape.other ? r->tape.other : "packets that are of no QP with messages");
        return;
    }
    r->lap_ps = ps / sent;
    r->tried = 0;
    look_at(e, REPLAY_COMPARE, e->now + r->lap_ps);
}

static void jump(struct weft_engine *e, struct replay_packets *r, int64_t lap_ps, int64_t laps)
{
    struct weft_replay_figures *f = &e->replay->figures;
    const uint64_t hops = e->tot.packet_hops;
    const int64_t now_ps = e->now + laps * lap_ps;
    replay_state_move(e, &r->part, &r->tape, laps);
    replay_queue_again(e, &r->part, now_ps);
    f->jumps++;
    f->laps += (uint64_t)laps;
    f->hops += e->tot.packet_hops - hops;
}

/* Skips what can be skipped. What follows when only the run's end was in the way can be skipped,
 * too. */
static void go_on(struct weft_engine *e, struct replay_packets *r)
{
    const struct laps n = laps_left(e, e->replay, r->found_ps);
    if (n.now >= 1)
        jump(e, r, r->found_ps, n.now);
    if (n.now >= 1 && n.then >= 1)
        look_at(e, REPLAY_GO_ON, e->now);
    else
        look_at(e, REPLAY_FIND, e->now + r->wait_ps);
}

/* Controls that decide once per round trip repeat themselves after that. */
static void compare_next(struct weft_engine *e, struct replay_packets *r)
{
    const struct qp *q = qp_at(e, r->guide);
    const int64_t flight = (int64_t)(q->nxt_psn - q->una_psn),
                  now = (e->now - r->tape.written_ps) / r->lap_ps;
    int64_t laps = now + 1;
    if (++r->tried == FEW_LAPS && flight - 2 > laps)
        laps = flight - 2;
    if (r->tried == FEW_LAPS + ROUND_LAPS)
        later(e, NULL);
    else
        look_at(e, REPLAY_COMPARE, r->tape.written_ps + laps * r->lap_ps);
}

static void compare(struct weft_engine *e, struct replay_packets *r)
{
    if (!replay_same(e, &r->part, &r->tape)) {
        compare_next(e, r);
        return;
    }
    r->found_ps = e->now - r->tape.written_ps;
    go_on(e, r);
}

void replay_packets_look(struct weft_engine *e)
{
    static void (*const look[])(struct weft_engine *,
                                struct replay_packets *) = {[REPLAY_FIND] = find,
                                                            [REPLAY_TIME] = write_down,
                                                            [REPLAY_COMPARE] = compare,
                                                            [REPLAY_GO_ON] = go_on};
    struct replay_packets *r = &e->replay->packets;
    look[r->phase](e, r);
}
