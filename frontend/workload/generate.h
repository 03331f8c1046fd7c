/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Generated workloads: collective microbenchmarks and a data-parallel training loop.
 *
 * Both are made as Chakra traces in memory and either written as .et files or converted by the
 * same code that reads files, so that a generated job and its written trace are the same job.
 *
 * microbenchmark, per rank:
 *   without overlap  compute 0 -> coll 0 -> compute 1 -> coll 1 -> ...      (a chain)
 *   with overlap     compute 0 -> compute 1 -> ...;  compute i -> coll i   (collectives overlap)
 *   with compute-time 0 there are no compute nodes: a chain of collectives, or independent ones.
 *   skew and matrix-file make an all-to-all uneven (generate_matrix.h): then traces of ranks
 * differ.
 *
 * data-parallel, per rank and iteration i with L layers and buckets of B layers:
 *   forward L0 -> ... -> forward L(L-1) -> backward L(L-1) -> ... -> backward L0
 *   the all-reduce of a bucket follows the backward node of the last layer that joins the bucket
 *   and overlaps the backward nodes after it; the optimizer node follows backward L0 and every
 *   all-reduce; forward L0 of iteration i+1 follows the optimizer node of iteration i.
 */
#ifndef WEFT_GENERATE_H
#define WEFT_GENERATE_H

#include "base/param.h"
#include "workload/dag.h"
#include "workload/et.h"

WEFT_C_BEGIN

/** The values of the parameter `pattern`, in the order of its choices. */
enum weft_generate_pattern { WEFT_GENERATE_MICROBENCHMARK, WEFT_GENERATE_DATA_PARALLEL };

/** What to generate. Fill with weft_params_defaults(&weft_generate_param_table, ...) first. */
struct weft_generate_params {
    int pattern;         /**< enum weft_generate_pattern */
    uint64_t ranks;      /**< 0: as many as the caller of load says; else 1 .. 1048576 */
    int kind;            /**< enum weft_coll_kind; data-parallel: all-reduce only */
    uint64_t size_bytes; /**< bytes of one collective; data-parallel: gradient bytes of one layer */
    uint64_t count;      /**< microbenchmark: collectives, >= 1 */
    double skew;         /**< all-to-all: exponent of Zipf's law of the receivers; 0: even */
    uint64_t shift;      /**< all-to-all: each sends to the rank so many after it; 0: to all */
    uint64_t seed;       /**< skew: which receivers are popular */
    const char *matrix;  /**< all-to-all: file of bytes by sender and receiver; "": none */
    uint64_t matrix_unit_bytes; /**< matrix: bytes that a 1 in it stands for, >= 1 */
    bool overlap;               /**< microbenchmark: collectives do not wait for each other */
    int64_t compute_ps;         /**< microbenchmark: computation before each collective; 0: none */
    uint64_t layers;            /**< data-parallel: >= 1 */
    uint64_t bucket_layers; /**< data-parallel: layers whose gradients share one all-reduce, >= 1 */
    uint64_t iterations;    /**< data-parallel: >= 1 */
    int64_t forward_ps;     /**< data-parallel: forward computation of one layer */
    int64_t backward_ps;    /**< data-parallel: backward computation of one layer */
    int64_t optimizer_ps;   /**< data-parallel: optimizer step */
};
extern const struct weft_param_table weft_generate_param_table;

/** The whole job in memory. p->ranks must not be 0. */
int weft_generate_workload(const struct weft_generate_params *p, struct weft_workload **out,
                           struct weft_err *err);
/**
 * Writes PREFIX.<rank>.et (or PREFIX.<rank>.et.gz when @p prefix ends in ".gz", without that
 * ending) for every rank, in place of an earlier trace (workload/trace_write.h).
 */
int weft_generate_write(const struct weft_generate_params *p, const char *prefix,
                        struct weft_err *err);

WEFT_C_END
#endif
