/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Generated training jobs: a transformer, divided among ranks, for some iterations.
 *
 * Made as Chakra traces in memory, rank by rank, which are either written as .et files or converted
 * by the code that reads files: a generated job and its written traces are the same job.
 */
#ifndef WEFT_TRAINING_H
#define WEFT_TRAINING_H

#include "base/arena.h"
#include "workload/dag.h"
#include "workload/et.h"
#include "workload/training/plan.h"

WEFT_C_BEGIN

/** Name of a communicator in traces, a number from 1 on. */
uint64_t weft_comm_number(const struct weft_training_plan *plan, enum weft_comm comm,
                          uint64_t index);
/**
 * The trace of @p rank over all iterations, in @p arena. With @p groups its first node defines the
 * communicators, as in traces of PyTorch; without, they are in the file that weft_training_write
 * makes.
 */
int weft_training_et(const struct weft_training_plan *plan, uint64_t rank, bool groups,
                     struct weft_arena *arena, struct weft_et **out, struct weft_err *err);
/** The whole job in memory. */
int weft_training_workload(const struct weft_training_plan *plan, struct weft_workload **out,
                           struct weft_err *err);
/**
 * Writes PREFIX.<rank>.et (".et.gz" when @p prefix ends in ".gz", without that ending) for every
 * rank, and PREFIX.json with the members of every communicator.
 */
int weft_training_write(const struct weft_training_plan *plan, const char *prefix,
                        struct weft_err *err);

/** What a job is, for people. */
struct weft_training_summary {
    uint64_t params; /**< of the model */
    double flops; /**< of one iteration of the job, forward and backward, without recomputation */
    double compute_s; /**< longest compute time of a rank in an iteration, without bubbles and
                         communication */
    double bubble;    /**< idle share that the schedule adds, in terms of compute time */
    double mfu; /**< model FLOPs utilisation if compute and bubbles were all: an upper bound */
    uint64_t worst_stage;  /**< the stage that needs most memory */
    uint64_t memory_bytes; /**< what a rank of it needs */
    uint64_t tokens;       /**< of one iteration of the job */
};
int weft_training_summarize(const struct weft_training_plan *plan,
                            struct weft_training_summary *out, struct weft_err *err);

WEFT_C_END
#endif
