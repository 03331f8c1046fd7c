/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Pipeline schedules: the order in which a stage passes microbatches through its chunks of layers.
 *
 * Time without communication, F forward, B = I + W backward (gradients of inputs, of weights), p
 * stages, m microbatches, v chunks:
 *   1f1b, gpipe    m (F + B) + (p - 1)(F + B)
 *   interleaved    m (F + B) + (p - 1)(F + B) / v
 *   zb-h1          m (F + B) + (p - 1)(F + I - W)
 *   dualpipe       m (F + B) + (p / 2 - 1)(F + 2 B - 3 W), when a forward pass that overlaps a backward pass takes F + B with it
 *   2bw            n m (F + B) + (p - 1)(F + B) for n iterations: it is filled and emptied once
 */
#ifndef WEFT_TRAINING_SCHEDULE_H
#define WEFT_TRAINING_SCHEDULE_H

#include "base/arena.h"
#include "workload/training/plan.h"

WEFT_C_BEGIN

enum weft_pass_kind {
    WEFT_PASS_FORWARD,
    WEFT_PASS_BACKWARD, /**< gradients of inputs and weights */
    WEFT_PASS_INPUTS,   /**< gradients of inputs alone */
    WEFT_PASS_WEIGHTS   /**< gradients of weights alone */
};

/** One microbatch through one chunk. */
struct weft_pass {
    enum weft_pass_kind kind;
    uint32_t chunk, microbatch;
    uint32_t iteration; /**< 0 where every iteration has the same passes */
    bool overlaps;      /**< the next pass runs beside it */
};

/** "1f1b", ... */
const char *weft_schedule_name(enum weft_schedule_kind kind);
/** Whether iterations follow each other without emptying the pipeline: weft_schedule has the passes
 * of all of them. */
bool weft_schedule_continues(const struct weft_training_plan *plan);
/** Copies of its weights that a rank has: 2 with 2bw, which trains one while passes in flight use
 * the other. */
uint64_t weft_schedule_versions(const struct weft_training_plan *plan);
/** The complete order of @p stage in an iteration: n passes in @p arena. NULL when out of memory.
 */
const struct weft_pass *weft_schedule(const struct weft_training_plan *plan, uint64_t stage,
                                      struct weft_arena *arena, size_t *n);
/** Most chunks of layers whose activations @p stage holds at once. */
uint64_t weft_schedule_in_flight(const struct weft_training_plan *plan, uint64_t stage);
/** Idle share of an iteration without communication, in terms of its ideal time, when F : I : W is
 * 1 : 1 : 1; of 2bw once the pipeline is full. */
double weft_schedule_bubble(const struct weft_training_plan *plan);

WEFT_C_END
#endif
