/* SPDX-License-Identifier: GPL-2.0-only */
/* The schedules, each a function that hands its passes to a sink in order. */
#include "workload/training/schedule_sink.h"

#include <stdbool.h>

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static void gpipe(const struct weft_training_plan *q, uint64_t stage, struct weft_schedule_sink *s)
{
    for (uint64_t k = 0; k < q->microbatches; k++)
        weft_schedule_put(s, WEFT_PASS_FORWARD, 0, k);
    for (uint64_t k = q->microbatches; k-- > 0;)
        weft_schedule_put(s, WEFT_PASS_BACKWARD, 0, k);
}

/* Forwards and backwards in turn; with @p split, gradients of weights apart from those of inputs,
 * stage i i of them behind: they fill what would be its bubble. */
static void one_by_one(const struct weft_training_plan *q, uint64_t stage, bool split,
                       struct weft_schedule_sink *s)
{
    const uint64_t warm = smaller(q->pp - 1 - stage, q->microbatches);
    uint64_t weights = 0;
    for (uint64_t k = 0; k < warm; k++)
        weft_schedule_put(s, WEFT_PASS_FORWARD, 0, k);
    for (uint64_t k = 0; k < q->microbatches; k++) {
        if (warm + k < q->microbatches)
            weft_schedule_put(s, WEFT_PASS_FORWARD, 0, warm + k);
        weft_schedule_put(s, split ? WEFT_PASS_INPUTS : WEFT_PASS_BACKWARD, 0, k);
        if (split && k >= stage)
            weft_schedule_put(s, WEFT_PASS_WEIGHTS, 0, weights++);
    }
    while (split && weights < q->microbatches)
        weft_schedule_put(s, WEFT_PASS_WEIGHTS, 0, weights++);
}

static void one_f_one_b(const struct weft_training_plan *q, uint64_t stage,
                        struct weft_schedule_sink *s)
{
    one_by_one(q, stage, false, s);
}

static void zb_h1(const struct weft_training_plan *q, uint64_t stage, struct weft_schedule_sink *s)
{
    one_by_one(q, stage, true, s);
}

/* Forwards go through groups of p microbatches, chunk by chunk; backwards the same with chunks in
 * reverse. */
static void interleaved(const struct weft_training_plan *q, uint64_t stage,
                        struct weft_schedule_sink *s)
{
    const uint64_t p = q->pp, v = q->vpp, all = q->microbatches * v;
    const uint64_t warm = smaller(all, 2 * (p - 1 - stage) + (v - 1) * p);
    for (uint64_t k = 0; k < all + warm; k++) {
        if (k < all)
            weft_schedule_put(s, WEFT_PASS_FORWARD, k / p % v, k / (p * v) * p + k % p);
        if (k >= warm)
            weft_schedule_put(s, WEFT_PASS_BACKWARD, v - 1 - (k - warm) / p % v,
                              (k - warm) / (p * v) * p + (k - warm) % p);
    }
}

/* 1F1B over the microbatches of all iterations. */
static void two_versions(const struct weft_training_plan *q, uint64_t stage,
                         struct weft_schedule_sink *s)
{
    struct weft_training_plan all = *q;
    const size_t from = s->n;
    all.microbatches = q->microbatches * q->p.iterations;
    one_f_one_b(&all, stage, s);
    for (size_t i = from; s->list && i < s->n; i++) {
        s->list[i].iteration = (uint32_t)(s->list[i].microbatch / q->microbatches);
        s->list[i].microbatch %= (uint32_t)q->microbatches;
    }
}

static const struct {
    const char *name;
    void (*order)(const struct weft_training_plan *q, uint64_t stage, struct weft_schedule_sink *s);
    /* bubble in units of F = I = W: of each stage but one, divided by the chunks of a stage; of
     * each pair of stages but one */
    double idle, idle_of_pairs;
    uint64_t versions;
    bool continues;
} schedules[WEFT_SCHEDULES] = {
    [WEFT_SCHEDULE_1F1B] = {.name = "1f1b", .order = one_f_one_b, .idle = 3, .versions = 1},
    [WEFT_SCHEDULE_GPIPE] = {.name = "gpipe", .order = gpipe, .idle = 3, .versions = 1},
    [WEFT_SCHEDULE_INTERLEAVED] = {.name = "interleaved",
                                   .order = interleaved,
                                   .idle = 3,
                                   .versions = 1},
    [WEFT_SCHEDULE_ZB_H1] = {.name = "zb-h1", .order = zb_h1, .idle = 1, .versions = 1},
    [WEFT_SCHEDULE_2BW] = {.name = "2bw", .order = two_versions, .versions = 2, .continues = true},
    [WEFT_SCHEDULE_DUALPIPE] = {.name = "dualpipe",
                                .order = weft_schedule_dualpipe,
                                .idle_of_pairs = 2,
                                .versions = 1},
};

const char *weft_schedule_name(enum weft_schedule_kind kind)
{
    return schedules[kind].name;
}

bool weft_schedule_continues(const struct weft_training_plan *q)
{
    return schedules[q->p.schedule].continues;
}

uint64_t weft_schedule_versions(const struct weft_training_plan *q)
{
    return schedules[q->p.schedule].versions;
}

const struct weft_pass *weft_schedule(const struct weft_training_plan *q, uint64_t stage,
                                      struct weft_arena *arena, size_t *n)
{
    struct weft_schedule_sink count = {0}, fill = {0};
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
    struct weft_schedule_sink count = {0};
    schedules[q->p.schedule].order(q, stage, &count);
    return (uint64_t)count.most;
}

double weft_schedule_bubble(const struct weft_training_plan *q)
{
    const double idle =
        (double)(q->pp - 1) * schedules[q->p.schedule].idle / (double)q->vpp +
        (q->pp > 1 ? (double)(q->pp / 2 - 1) * schedules[q->p.schedule].idle_of_pairs : 0);
    return idle / (3.0 * (double)q->microbatches);
}
