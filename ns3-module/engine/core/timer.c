/* SPDX-License-Identifier: GPL-2.0-only */
/* Timers of the engine's users: the EV_TIMER entries of the slow queue. */
#include "context.h"
#include "heap.h"
#include "loop.h"
#include "executor.h"
#include "stable.h"

#include <inttypes.h>

#define TIMER_SLOT_BITS 24 /**< of an entry's number; its rank among timers is above */

static struct timer *timer_at(const struct weft_engine *e, uint32_t slot)
{
    return (struct timer *)(void *)e->timers.pool.base + slot;
}

static uint32_t timer_slot(uint64_t number)
{
    return (uint32_t)(number & ((1u << TIMER_SLOT_BITS) - 1));
}

static int timer_add(struct weft_engine *e, int64_t at_ps, const struct timer *t,
                     struct weft_err *err)
{
    if (at_ps < e->now)
        return weft_err_set(err, WEFT_E_INTERNAL,
                            "timer at %" PRId64 " ps lies before now, %" PRId64 " ps", at_ps,
                            e->now);
    uint32_t slot = stable_alloc(&e->timers.pool);
    if (slot == NIL)
        return stable_full(&e->timers.pool, "timers", err);
    if (!evq_push(&e->loop.agenda.slow, at_ps,
                  EV_ID(EV_TIMER, (e->timers.seq << TIMER_SLOT_BITS) | slot)))
        return weft_err_no_memory(err, "timers");
    e->timers.seq++;
    if (__builtin_expect(e->peers != NULL, 0))
        e->executor->posted(e, NULL);
    *timer_at(e, slot) = *t;
    return 0;
}

int weft_engine_timer(struct weft_engine *e, int64_t at_ps, void (*fn)(void *, uint64_t), void *ctx,
                      uint64_t arg, struct weft_err *err)
{
    const struct timer t = {.fn = fn, .ctx = ctx, .arg = arg};
    return timer_add(e, at_ps, &t, err);
}

int weft_engine_plan(struct weft_engine *e, int64_t at_ps, void (*fn)(void *, uint64_t), void *ctx,
                     uint64_t arg, struct weft_err *err)
{
    const struct timer t = {.posts_only = true, .fn = fn, .ctx = ctx, .arg = arg};
    return timer_add(e, at_ps, &t, err);
}

bool timer_posts_only(const struct weft_engine *e, uint64_t number)
{
    return timer_at(e, timer_slot(number))->posts_only;
}

void timer_fire(struct weft_engine *e, uint64_t number)
{
    const uint32_t slot = timer_slot(number);
    const struct timer t = *timer_at(e, slot);
    stable_release(&e->timers.pool, slot);
    e->loop.calls++;
    e->loop.in_call = e->loop.in_timer = true;
    e->loop.in_event = false;
    t.fn(t.ctx, t.arg);
    posts_flush(e);
    e->loop.in_event = true;
    e->loop.in_call = e->loop.in_timer = false;
}
