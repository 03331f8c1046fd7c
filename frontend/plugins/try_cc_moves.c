/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a congestion control says of how its state moves (cc_replay.h, try_cc.h): the same traffic
 * at another time, from other packet numbers and counters of switches on, gives the same decisions.
 * A field of the state that goes with one of these and is not declared so shows here.
 */
#include "plugins/try_cc.h"

#include "base/rng.h"
#include "base/scale.h"
#include "base/units.h"
#include "congestion/cc_replay.h"
#include "congestion/cc_supply.h"
#include "congestion/cc_switch.h"
#include "congestion/cc_table.h"

#include <stdlib.h>
#include <string.h>

/* By how much everything moves. */
#define MOVED_PS INT64_C(77777777777)
#define MOVED_BYTES UINT64_C(123457000)
/* A path of 100 Gbps: switches, and bytes of payload and on the wire of a packet. */
#define MOVED_HOPS 3
#define MOVED_MTU 1000u
#define MOVED_WIRE 1048u
#define MOVED_WINDOW 20000u
#define MOVED_ROUNDS 60

/* A QP under the control, and what it has sent and met so far. */
struct moves_qp {
    const struct weft_cc_ops *o;
    const void *params;
    void *state;
    struct weft_cc_out out;
    int64_t now_ps;
    uint64_t una, nxt;
    struct weft_cc_hop hops[WEFT_CC_MAX_HOPS];
};

static void moves_acknowledge(struct moves_qp *q, struct weft_rng *rng, bool marks)
{
    const bool marked = weft_rng_below(rng, 6) == 0, full = q->nxt - q->una >= MOVED_WINDOW;
    const uint64_t late = weft_rng_below(rng, 20), queue = weft_rng_below(rng, 30000);
    q->una += full ? MOVED_MTU : 0;
    const uint64_t acked = full ? MOVED_MTU : 0;
    const struct weft_cc_ack a = {.acked_bytes = acked,
                                  .received_bytes = acked,
                                  .una_bytes = q->una,
                                  .nxt_bytes = q->nxt,
                                  .flight_bytes = q->nxt - q->una,
                                  .rtt_ps = (int64_t)(9 + late) * WEFT_PS_PER_US,
                                  .ecn_echo = marks && marked,
                                  .pint = (uint16_t)(queue / 200),
                                  .nhops = MOVED_HOPS,
                                  .hops = q->hops};
    for (int i = 0; i < MOVED_HOPS; i++) {
        q->hops[i].ts_ps = q->now_ps - (MOVED_HOPS - i) * WEFT_PS_PER_US;
        q->hops[i].tx_bytes += MOVED_WIRE * (1 + weft_rng_below(rng, 4));
        q->hops[i].qlen_bytes = queue;
    }
    if (q->o->on_ack)
        q->o->on_ack(q->state, q->params, q->now_ps, &a, &q->out);
}

/* A packet leaves, and an ACK comes. */
static void moves_round(struct moves_qp *q, struct weft_rng *rng, bool marks, bool loss)
{
    const struct weft_cc_ops *o = q->o;
    q->now_ps += (int64_t)weft_rng_below(rng, 700000) + 80000;
    q->nxt += MOVED_MTU;
    if (o->before_send)
        o->before_send(q->state, q->params, q->now_ps, &q->out);
    if (o->on_send)
        o->on_send(q->state, q->params, q->now_ps, MOVED_WIRE, &q->out);
    if (o->supply) {
        const struct weft_cc_leaving k = {q->una, q->nxt - MOVED_MTU, q->nxt, q->nxt + 50000};
        o->supply->tag(q->state, q->params, &k);
    }
    if (marks && o->on_cnp && weft_rng_below(rng, 8) == 0)
        o->on_cnp(q->state, q->params, q->now_ps, &q->out);
    if (loss && o->on_rto && weft_rng_below(rng, 40) == 0)
        o->on_rto(q->state, q->params, q->now_ps, &q->out);
    moves_acknowledge(q, rng, marks);
    while (o->on_timer && q->out.timer_at_ps <= q->now_ps)
        o->on_timer(q->state, q->params, q->out.timer_at_ps, &q->out);
}

/* Bytes of stamps are those of each switch. */
static uint64_t moved_count(size_t hop)
{
    return 1000003 * (hop + 1);
}

static void moves_state(void *state, const struct weft_cc_moving *m)
{
    size_t counter = 0;
    for (; m && m->size; m++)
        for (size_t i = 0; i < m->n; i++) {
            int64_t v;
            char *at = (char *)state + m->offset + i * m->stride;
            memcpy(&v, at, sizeof v);
            if (m->moves == WEFT_CC_MOVES_COUNT)
                v += (int64_t)moved_count(counter++);
            else if (m->moves == WEFT_CC_MOVES_TIME && v != 0 && v != WEFT_NEVER)
                v += MOVED_PS;
            else if (m->moves == WEFT_CC_MOVES_BYTES && v != 0)
                v += (int64_t)MOVED_BYTES;
            memcpy(at, &v, sizeof v);
        }
}

/* The QP at another time and with other numbers, in @p to, which has a state of its own. */
static void moves_copy(const struct moves_qp *from, const struct weft_cc_moving *moving,
                       struct moves_qp *to)
{
    void *state = to->state;
    *to = *from;
    to->state = state;
    memcpy(state, from->state, from->o->state_size);
    moves_state(state, moving);
    to->now_ps += MOVED_PS;
    to->una += MOVED_BYTES;
    to->nxt += MOVED_BYTES;
    for (size_t i = 0; i < MOVED_HOPS; i++) {
        to->hops[i].ts_ps += MOVED_PS;
        to->hops[i].tx_bytes += moved_count(i);
    }
    if (to->out.timer_at_ps != WEFT_NEVER)
        to->out.timer_at_ps += MOVED_PS;
}

/* Plays some traffic, moves it by @p moving, and plays on both ways. Whether they part. */
static bool moves_part(struct moves_qp qp[3], const struct weft_cc_moving *moving, uint64_t seed)
{
    struct moves_qp *here = &qp[0], *there = &qp[1], *moved = &qp[2];
    const struct weft_cc_ops *o = here->o;
    const struct weft_cc_moving *own = weft_cc_replay_of(o)->moving;
    struct weft_rng rng = weft_rng_stream(seed, "moving", 0), one, other;
    bool seldom = false;
    for (const struct weft_cc_moving *m = own; m && m->size; m++)
        seldom |= m->moves == WEFT_CC_MOVES_SELDOM;
    for (uint64_t i = 0; i < 50 + seed; i++)
        moves_round(here, &rng, true, true);
    for (int i = 0; i < MOVED_ROUNDS; i++) /* until nothing that is rare has happened lately */
        moves_round(here, &rng, !seldom, false);
    moves_copy(here, moving, there);
    one = other = weft_rng_stream(seed + 1, "moving", 0);
    for (int i = 0; i < MOVED_ROUNDS; i++) {
        moves_round(here, &one, !seldom, false);
        moves_round(there, &other, !seldom, false);
        const struct weft_cc_out *x = &here->out, *y = &there->out;
        const int64_t timer = x->timer_at_ps == WEFT_NEVER ? WEFT_NEVER : x->timer_at_ps + MOVED_PS;
        moves_copy(here, own, moved);
        if (x->rate_bps != y->rate_bps || x->cwnd_bytes != y->cwnd_bytes ||
            y->timer_at_ps != timer || memcmp(moved->state, there->state, o->state_size) != 0)
            return true;
    }
    return false;
}

int weft_try_cc_moves(const struct weft_cc_ops *o, const void *params,
                      const struct weft_cc_moving *moving, uint64_t seed, bool *part,
                      struct weft_err *err)
{
    const struct weft_cc_env env = {.line_rate_bps = UINT64_C(100000000000),
                                    .base_rtt_ps = 8 * WEFT_PS_PER_US,
                                    .bdp_bytes = 100000,
                                    .mtu_bytes = MOVED_MTU,
                                    .mtu_wire_bytes = MOVED_WIRE};
    struct moves_qp qp[3];
    int rc = 0;
    memset(qp, 0, sizeof qp);
    for (int i = 0; i < 3; i++) {
        qp[i].state = calloc(1, o->state_size + 1);
        rc = qp[i].state ? rc : weft_err_no_memory(err, "a trial");
    }
    qp[0].o = o;
    qp[0].params = params;
    qp[0].now_ps = 1000;
    for (int i = 0; i < MOVED_HOPS; i++)
        qp[0].hops[i].rate_bps = env.line_rate_bps;
    if (!rc)
        o->init(qp[0].state, params, &env, qp[0].now_ps, &qp[0].out);
    *part = !rc && moves_part(qp, moving, seed);
    for (int i = 0; i < 3; i++)
        free(qp[i].state);
    return rc;
}

int weft_try_cc_moving(const struct weft_cc_ops *o, unsigned *sequences, struct weft_err *err)
{
    const struct weft_scale_path path = {UINT64_C(100000000000), 8 * WEFT_PS_PER_US};
    const struct weft_cc_moving *moving = weft_cc_replay_of(o)->moving;
    void *params = calloc(1, o->params.struct_size ? o->params.struct_size : 1);
    if (!params)
        return weft_err_no_memory(err, "a trial");
    int rc = o->params.n ? weft_params_defaults(&o->params, params, err) : 0;
    const bool credit = !rc && weft_cc_needs(o, params) & WEFT_CC_NEEDS_CREDIT;
    weft_params_resolve(&o->params, params, &path);
    *sequences = !rc && moving && !credit ? WEFT_TRY_CC_MOVES : 0;
    for (unsigned seed = 1; !rc && seed <= *sequences; seed++) {
        bool part;
        rc = weft_try_cc_moves(o, params, moving, seed, &part, err);
        if (!rc && part)
            rc = weft_err_set(err, WEFT_E_OUTCOME,
                              "at another time, and from other packet numbers on, it decides "
                              "otherwise: a field of the state is missing from replay.moving, or "
                              "moves in another way than it says");
    }
    free(params);
    return rc;
}
