/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * DualPipe (2412.19437, 3.2.1). Half of the microbatches enter at either end. Rank r of p has the
 * stages r, chunk 0, for those from rank 0, and p - 1 - r, chunk 1, for those from the other end.
 * In the middle of an iteration it passes one microbatch forward and one of the other direction
 * backward at a time, each hiding the communication of the other.
 *
 * Of a rank, "near" microbatches are those that enter at its nearer end, x ranks away; H = p / 2:
 *   2 (H - x - 1)      near F
 *   x + 1              near F, far F
 *   H - x - 1          far I, W, far F
 *   m / 2 - p + x + 1  near F beside far B, far F beside near B (the very first pair of the middle
 * ranks one after the other)
 *   H - x - 1          far B, far F beside near B
 *   x + 1              far B, near B, the second half of them I alone
 *   H - x - 1          W, near I
 *   x + 1              W
 */
#include "workload/training/schedule_sink.h"

enum { NEAR, FAR };

/* Where a rank is in its order. */
struct state {
    struct weft_schedule_sink *s;
    uint64_t chunk[2], first[2]; /* by direction: the rank's stage, the first microbatch */
    uint64_t forwards[2], backwards[2];
    uint64_t weights[2]; /* of the backward passes those that have gradients of weights */
};

static void dualpipe_forward(struct state *t, int way)
{
    weft_schedule_put(t->s, WEFT_PASS_FORWARD, t->chunk[way], t->first[way] + t->forwards[way]++);
}

static void backward(struct state *t, int way)
{
    weft_schedule_put(t->s, WEFT_PASS_BACKWARD, t->chunk[way], t->first[way] + t->backwards[way]++);
    t->weights[way]++;
}

static void inputs(struct state *t, int way)
{
    weft_schedule_put(t->s, WEFT_PASS_INPUTS, t->chunk[way], t->first[way] + t->backwards[way]++);
}

static void weights(struct state *t, int way)
{
    weft_schedule_put(t->s, WEFT_PASS_WEIGHTS, t->chunk[way], t->first[way] + t->weights[way]++);
}

/* A microbatch forward in direction @p way, one of the other direction backward. */
static void pair(struct state *t, int way, bool overlaps)
{
    dualpipe_forward(t, way);
    if (t->s->list)
        t->s->list[t->s->n - 1].overlaps = overlaps;
    backward(t, !way);
}

/* The end of an iteration: @p alone passes back in one direction before the last gradients of
 * weights. */
static void drain(struct state *t, uint64_t x, uint64_t alone)
{
    const uint64_t whole = x + 1; /* of the 2 (x + 1) passes that come in pairs */
    uint64_t cut = 0, made = 0;
    for (uint64_t k = 0; k < 2 * (x + 1); k++) {
        const int way = k % 2 ? NEAR : FAR;
        if (k < whole)
            backward(t, way);
        else
            inputs(t, way);
        cut += k >= whole;
    }
    /* Gradients of weights are made in the order of their inputs'. */
    for (uint64_t k = 0; k < alone; k++) {
        weights(t, made >= cut || (whole + made) % 2 ? NEAR : FAR);
        made++;
        inputs(t, NEAR);
    }
    for (uint64_t k = 0; k < x + 1; k++, made++)
        weights(t, made >= cut || (whole + made) % 2 ? NEAR : FAR);
}

void weft_schedule_dualpipe(const struct weft_training_plan *q, uint64_t rank,
                            struct weft_schedule_sink *s)
{
    const uint64_t p = q->pp, other = p - 1 - rank, x = rank < other ? rank : other;
    const uint64_t alone = p / 2 - x - 1, pairs = q->microbatches / 2 + x + 1 - p;
    const int far = rank < other ? 1 : 0;
    struct state t = {.s = s};
    t.chunk[FAR] = (uint64_t)far;
    t.chunk[NEAR] = (uint64_t)!far;
    t.first[far ? FAR : NEAR] = q->microbatches / 2;
    for (uint64_t k = 0; k < 2 * alone; k++)
        dualpipe_forward(&t, NEAR);
    for (uint64_t k = 0; k < x + 1; k++) {
        dualpipe_forward(&t, NEAR);
        dualpipe_forward(&t, FAR);
    }
    for (uint64_t k = 0; k < alone; k++) {
        inputs(&t, FAR);
        weights(&t, FAR);
        dualpipe_forward(&t, FAR);
    }
    for (uint64_t k = 0; k < pairs; k++) {
        pair(&t, NEAR, k > 0 || alone > 0);
        pair(&t, FAR, true);
    }
    for (uint64_t k = 0; k < alone; k++) {
        backward(&t, FAR);
        pair(&t, FAR, true);
    }
    drain(&t, x, alone);
}
