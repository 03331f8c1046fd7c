/* SPDX-License-Identifier: GPL-2.0-only */
/* The schedules, each a function that hands its passes to a sink in order. */
#include "workload/training/schedule.h"

#include <stdbool.h>

/* Receives the passes of a stage. */
struct sink {
    struct weft_pass *list; /* NULL: only count */
    size_t n;
    int64_t held, most; /* activations held */
};

static void put(struct sink *s, enum weft_pass_kind kind, uint64_t chunk, uint64_t microbatch)
{
    if (s->list)
        s->list[s->n] = (struct weft_pass){kind, (uint32_t)chunk, (uint32_t)microbatch};
    s->n++;
    if (kind == WEFT_PASS_FORWARD && ++s->held > s->most)
        s->most = s->held;
    if (kind == WEFT_PASS_BACKWARD || kind == WEFT_PASS_WEIGHTS)
        s->held--;
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static void gpipe(const struct weft_training_plan *q, uint64_t stage, struct sink *s)
{
    (void)stage;
    for (uint64_t k = 0; k < q->m; k++)
        put(s, WEFT_PASS_FORWARD, 0, k);
    for (uint64_t k = q->m; k-- > 0;)
        put(s, WEFT_PASS_BACKWARD, 0, k);
}

/* Forwards and backwards in turn; with @p split, gradients of weights apart from those of inputs, stage i i of them
 * behind: they fill what would be its bubble. */
static void one_by_one(const struct weft_training_plan *q, uint64_t stage, bool split,
                       struct sink *s)
{
    const uint64_t warm = smaller(q->pp - 1 - stage, q->m);
    uint64_t weights = 0;
    for (uint64_t k = 0; k < warm; k++)
        put(s, WEFT_PASS_FORWARD, 0, k);
    for (uint64_t k = 0; k < q->m; k++) {
        if (warm + k < q->m)
            put(s, WEFT_PASS_FORWARD, 0, warm + k);
        put(s, split ? WEFT_PASS_INPUTS : WEFT_PASS_BACKWARD, 0, k);
        if (split && k >= stage)
            put(s, WEFT_PASS_WEIGHTS, 0, weights++);
    }
    while (split && weights < q->m)
        put(s, WEFT_PASS_WEIGHTS, 0, weights++);
}

static void one_f_one_b(const struct weft_training_plan *q, uint64_t stage, struct sink *s)
{
    one_by_one(q, stage, false, s);
}

static void zb_h1(const struct weft_training_plan *q, uint64_t stage, struct sink *s)
{
    one_by_one(q, stage, true, s);
}

/* Forwards go through groups of p microbatches, chunk by chunk; backwards the same with chunks in reverse. */
static void interleaved(const struct weft_training_plan *q, uint64_t stage, struct sink *s)
{
    const uint64_t p = q->pp, v = q->v, all = q->m * v;
    const uint64_t warm = smaller(all, 2 * (p - 1 - stage) + (v - 1) * p);
    for (uint64_t k = 0; k < all + warm; k++) {
        if (k < all)
            put(s, WEFT_PASS_FORWARD, k / p % v, k / (p * v) * p + k % p);
        if (k >= warm)
            put(s, WEFT_PASS_BACKWARD, v - 1 - (k - warm) / p % v,
                (k - warm) / (p * v) * p + (k - warm) % p);
    }
}

static const struct {
    const char *name;
    void (*order)(const struct weft_training_plan *q, uint64_t stage, struct sink *s);
    /* numerator of the bubble over (p - 1), in units of F = I = W */
    double idle;
} schedules[WEFT_SCHEDULES] = {
    [WEFT_SCHEDULE_1F1B] = {"1f1b", one_f_one_b, 3},
    [WEFT_SCHEDULE_GPIPE] = {"gpipe", gpipe, 3},
    [WEFT_SCHEDULE_INTERLEAVED] = {"interleaved", interleaved, 3},
    [WEFT_SCHEDULE_ZB_H1] = {"zb-h1", zb_h1, 1},
};

const char *weft_schedule_name(enum weft_schedule_kind kind)
{
    return schedules[kind].name;
}

const struct weft_pass *weft_schedule(const struct weft_training_plan *q, uint64_t stage,
                                      struct weft_arena *arena, size_t *n)
{
    struct sink count = {0}, fill = {0};
    schedules[q->p.schedule].order(q, stage, &count);
    fill.list = weft_arena_calloc(arena, count.n, sizeof *fill.list);
    if (!fill.list)
        return NULL;
    schedules[q->p.schedule].order(q, stage, &fill);
    *n = fill.n;
    return fill.list;
}

uint64_t weft_schedule_in_flight(const struct weft_training_plan *q, uint64_t stage)
{
    struct sink count = {0};
    schedules[q->p.schedule].order(q, stage, &count);
    return (uint64_t)count.most;
}

double weft_schedule_bubble(const struct weft_training_plan *q)
{
    return (double)(q->pp - 1) * schedules[q->p.schedule].idle /
           (3.0 * (double)q->m * (double)q->v);
}
