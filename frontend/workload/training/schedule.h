/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Pipeline schedules: the order in which a stage passes microbatches through its chunks of layers.
 *
 * Time without communication, F forward, B = I + W backward (gradients of inputs, of weights), p stages, m microbatches, v chunks:
 *   1f1b, gpipe    m (F + B) + (p - 1)(F + B)
 *   interleaved    m (F + B) + (p - 1)(F + B) / v
 *   zb-h1          m (F + B) + (p - 1)(F + I - W)
 */
#ifndef WEFT_TRAINING_SCHEDULE_H
#define WEFT_TRAINING_SCHEDULE_H

#include "base/arena.h"
#include "workload/training/plan.h"

#ifdef __cplusplus
extern "C" {
#endif

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
};

/** "1f1b", ... */
const char *weft_schedule_name(enum weft_schedule_kind kind);
/** The complete order of @p stage: n passes in @p arena. NULL when out of memory. */
const struct weft_pass *weft_schedule(const struct weft_training_plan *plan, uint64_t stage,
                                      struct weft_arena *arena, size_t *n);
/** Most chunks of layers whose activations @p stage holds at once. */
uint64_t weft_schedule_in_flight(const struct weft_training_plan *plan, uint64_t stage);
/** Idle share of an iteration without communication, in terms of its ideal time, when F : I : W is 1 : 1 : 1. */
double weft_schedule_bubble(const struct weft_training_plan *plan);

#ifdef __cplusplus
}
#endif
#endif
