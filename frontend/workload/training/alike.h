/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Ranks whose traces are the same but for their communicators and peers: those of a pipeline stage,
 * and where experts are not equally popular those of them at one place of their expert-parallel
 * groups.
 */
#ifndef WEFT_TRAINING_ALIKE_H
#define WEFT_TRAINING_ALIKE_H

#include "workload/convert.h"
#include "workload/et.h"
#include "workload/training/plan.h"

WEFT_C_BEGIN

/** How many sorts of ranks there are. */
uint64_t weft_training_sorts(const struct weft_training_plan *plan);
/** Which of them @p rank is of. */
uint64_t weft_training_sort(const struct weft_training_plan *plan, uint64_t rank);
/** Turns the trace of @p from, without definitions of groups, into that of @p rank, of the same
 * sort. New texts are in @p arena. */
int weft_training_et_as(const struct weft_training_plan *plan, struct weft_et *et, uint64_t from,
                        uint64_t rank, struct weft_arena *arena, struct weft_err *err);

struct weft_training_alike;
/** Ranks that share graphs, in a job being converted. NULL when out of memory. */
struct weft_training_alike *weft_training_alike_new(const struct weft_training_plan *plan);
void weft_training_alike_free(struct weft_training_alike *a);
/** Whether @p rank needs a graph of its own: the first of its sort. */
bool weft_training_alike_first(const struct weft_training_alike *a, uint64_t rank);
/** @p rank has been converted. */
int weft_training_alike_keep(struct weft_training_alike *a, struct weft_convert *c, uint64_t rank,
                             struct weft_err *err);
/** Gives @p rank the graph of the first of its sort. */
int weft_training_alike_share(struct weft_training_alike *a, struct weft_convert *c, uint64_t rank,
                              struct weft_err *err);

WEFT_C_END
#endif
