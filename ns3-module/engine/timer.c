/* SPDX-License-Identifier: GPL-2.0-only */
/* Timers of the engine's users: the EV_TIMER entries of the slow queue. */
#include "context.h"
#include "evq.h"
#include "loop.h"
#include "posts.h"
#include "replay.h"
#include "stable.h"

#include <inttypes.h>

#define TIMER_SLOT_BITS 24 /**< of an entry's number; its rank among timers is above */

int weft_engine_timer(struct weft_engine *e, int64_t at_ps, void (*fn)(void *, uint64_t), void *ctx,
                      uint64_t arg, struct weft_err *err)
{
    if (at_ps < e->now)
        return weft_err_set(err, WEFT_E_INTERNAL,
                            "timer at %" PRId64 " ps lies before now, %" PRId64 " ps", at_ps,
                            e->now);
    uint32_t slot = stable_alloc(&e->timers.pool);
    if (slot == NIL || !evq_push(&e->loop.agenda.slow, at_ps,
                                 EV_ID(EV_TIMER, (e->timers.seq << TIMER_SLOT_BITS) | slot)))
        return weft_err_set(err, WEFT_E_LIMIT, "out of memory, or more than %u timers", MAX_TIMERS);
    e->timers.seq++;
    if (__builtin_expect(e->peers != NULL, 0))
        peers_posted(e);
    struct timer *t = (struct timer *)(void *)e->timers.pool.base + slot;
    t->fn = fn;
    t->ctx = ctx;
    t->arg = arg;
    return 0;
}

void timer_fire(struct weft_engine *e, uint64_t number)
{
    uint32_t slot = (uint32_t)(number & ((1u << TIMER_SLOT_BITS) - 1));
    struct timer t = ((struct timer *)(void *)e->timers.pool.base)[slot];
    stable_release(&e->timers.pool, slot);
    if (__builtin_expect(e->replay != NULL, 0))
        replay_ops.timer(e, true);
    e->loop.in_event = false;
    t.fn(t.ctx, t.arg);
    posts_settle(e);
    e->loop.in_event = true;
    if (__builtin_expect(e->replay != NULL, 0))
        replay_ops.timer(e, false);
}
