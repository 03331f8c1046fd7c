/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Policies of entropy values (switch.entropy-policy); see entropy.h.
 *
 * oblivious: all n values once per round, in the order 0 .. n-1 XOR a random number, a new one each
 * round. Not independent draws: a round is spread evenly.
 * bitmap: the same walk, but a value is passed over once for each mark that it brought, and four
 * times for each trim; its counter ends at 15, where it goes for a packet whose timer expired.
 * reps: recycled entropy packet spraying (Bonato et al., arXiv 2407.21625). A ring of 8 keeps the
 * values of packets that came through unmarked; the oldest is used once more. With none left, a
 * random one. A timeout freezes, as a path may have failed: for entropy-freeze the values of the
 * ring are used again and again, then it is emptied and 16 random ones follow.
 * mixed: a recycled value if there is one, else as bitmap.
 *
 * A timeout names a packet only where each has a timer (rud); else bitmap learns nothing from one.
 */
#include "entropy.h"
#include "core/context.h"
#include "steer.h"

#include <inttypes.h>

#define RING 8u
#define EXPLORE 16u
#define COUNTER_MAX 15u

struct entropy_state {
    struct weft_rng rng;
    uint32_t n, walk, mask; /**< values; of this round: taken, and what they are XORed with */
    uint32_t ring[RING];
    int64_t frozen_until_ps;
    bool frozen;
    uint8_t head;      /**< where the next value is written: the oldest of a full ring */
    uint8_t count;     /**< values in the ring */
    uint8_t valid;     /**< bit i: ring[i] was not used since it was written */
    uint8_t again;     /**< frozen: the one used last */
    uint8_t explore;   /**< random values yet to follow */
    uint8_t counter[]; /**< bitmap: times that a value is passed over */
};

static const struct policy {
    bool walks, counts, recycles;
} policies[] = {
    [WEFT_ENTROPY_OBLIVIOUS] = {.walks = true},
    [WEFT_ENTROPY_BITMAP] = {.walks = true, .counts = true},
    [WEFT_ENTROPY_REPS] = {.recycles = true},
    [WEFT_ENTROPY_MIXED] = {.walks = true, .counts = true, .recycles = true},
};

static const struct policy *policy_of(const struct weft_engine *e)
{
    return &policies[e->p.sw.entropy_policy];
}

int entropy_check(const struct weft_engine_params *p, struct weft_err *err)
{
    const uint64_t n = p->sw.entropy_values;
    uint64_t below = 1;
    if ((p->sw.balance != WEFT_BALANCE_ENTROPY && !p->uet.prios) || !(n & (n - 1)))
        return 0;
    while (below * 2 < n)
        below *= 2;
    return weft_err_set(err, WEFT_E_INPUT,
                        "switch.entropy-values is %" PRIu64 ", which is no power of two; %" PRIu64
                        " and %" PRIu64 " are near",
                        n, below, below * 2);
}

int entropy_open(struct weft_engine *e, struct qp *q, struct weft_err *err)
{
    const uint64_t n = e->p.sw.entropy_values;
    if (!profile_of(q)->sprays)
        return 0;
    struct entropy_state *s = calloc(1, sizeof *s + (policy_of(e)->counts ? n : 0));
    if (!s)
        return weft_err_no_memory(err, "the entropy values of a QP");
    s->rng = weft_rng_stream(e->seed, "entropy", (uint64_t)q->ack_hash << 32 | q->flow_hash);
    s->n = (uint32_t)n;
    s->mask = (uint32_t)weft_rng_below(&s->rng, n);
    rare_of(q)->entropy = s;
    q->snd->sprays = true;
    return 0;
}

void entropy_close(struct qp *q)
{
    free(rare_of(q)->entropy);
}

/* The next of the walk. */
static uint32_t walk(struct entropy_state *s)
{
    if (s->walk == s->n) {
        s->walk = 0;
        s->mask = (uint32_t)weft_rng_below(&s->rng, s->n);
    }
    return s->walk++ ^ s->mask;
}

/* The next of the walk whose counter is 0; the first that is met is passed over in any case, and
 * only it is counted down. */
static uint32_t walk_past(struct entropy_state *s)
{
    uint32_t ev = walk(s);
    if (!s->counter[ev])
        return ev;
    s->counter[ev]--;
    uint32_t tries = 0;
    do
        ev = walk(s);
    while (s->counter[ev] && ++tries < s->n);
    return ev;
}

/* A value that came through before; false: there is none. */
static bool recycle(struct entropy_state *s, uint32_t *ev)
{
    if (s->explore) {
        s->explore--;
        return false;
    }
    const uint32_t oldest = s->count < RING ? 0 : s->head;
    for (uint32_t i = 0; i < s->count && s->valid; i++) {
        const uint32_t at = (oldest + i) % RING;
        if (!(s->valid >> at & 1))
            continue;
        s->valid &= (uint8_t) ~(1u << at);
        *ev = s->ring[at];
        return true;
    }
    if (!s->frozen || !s->count)
        return false;
    s->again = (uint8_t)((s->again + 1u) % s->count);
    *ev = s->ring[s->again];
    return true;
}

uint32_t entropy_next(struct weft_engine *e, struct qp *q)
{
    struct entropy_state *s = rare_of(q)->entropy;
    const struct policy *p = policy_of(e);
    uint32_t ev;
    if (p->recycles && recycle(s, &ev))
        return ev;
    if (p->counts)
        return walk_past(s);
    return p->walks ? walk(s) : (uint32_t)weft_rng_below(&s->rng, s->n);
}

/* Ends a freeze whose time has come. */
static void thaw(const struct weft_engine *e, struct entropy_state *s)
{
    if (!s->frozen || e->now < s->frozen_until_ps)
        return;
    s->frozen = false;
    s->count = s->head = s->valid = 0;
    s->explore = EXPLORE;
}

static void keep(struct entropy_state *s, uint32_t ev)
{
    s->ring[s->head] = ev;
    s->valid |= (uint8_t)(1u << s->head);
    s->head = (uint8_t)((s->head + 1u) % RING);
    s->count += s->count < RING;
}

void entropy_feed(struct weft_engine *e, struct qp *q, uint32_t ev, enum entropy_feedback what)
{
    static const uint8_t cost[] = {
        [ENTROPY_GOOD] = 0, [ENTROPY_MARKED] = 1, [ENTROPY_TRIMMED] = 4, [ENTROPY_LOST] = 15};
    struct entropy_state *s = rare_of(q)->entropy;
    const struct policy *p = policy_of(e);
    thaw(e, s);
    if (what >= ENTROPY_LOST && p->recycles && !s->frozen && !s->explore) {
        s->frozen = true;
        s->frozen_until_ps = e->now + e->p.sw.entropy_freeze_ps;
    }
    if (what == ENTROPY_TIMEOUT)
        return;
    if (p->recycles && what == ENTROPY_GOOD)
        keep(s, ev);
    if (p->counts) {
        const unsigned sum = s->counter[ev] + cost[what];
        s->counter[ev] = (uint8_t)(sum < COUNTER_MAX ? sum : COUNTER_MAX);
    }
}

void entropy_answered(struct weft_engine *e, struct qp *q, const struct pkt *k)
{
    const bool trimmed = names_trimmed(profile_of(q)->recovery, k);
    if (k->mid == NO_MID)
        return;
    entropy_feed(e, q, k->mid,
                 trimmed               ? ENTROPY_TRIMMED
                 : k->flags & PKT_ECHO ? ENTROPY_MARKED
                                       : ENTROPY_GOOD);
}
