/* SPDX-License-Identifier: GPL-2.0-only */
/* Measurements of collectives: the output of nccl-tests, or CSV. */
#ifndef WEFT_CLI_BENCH_ROWS_H
#define WEFT_CLI_BENCH_ROWS_H

#include "base/arena.h"
#include "base/err.h"
#include "scenario/scenario.h"
#include "system/library.h"
#include "workload/dag.h"

/** A collective as nccl-tests names it. */
struct weft_bench_rows_kind {
    const char *name; /**< "all_reduce" */
    enum weft_coll_kind coll;
    bool pairs; /**< each rank sends to the next one alone */
};
/** By name, with or without "_perf"; NULL: *err names the valid ones. */
const struct weft_bench_rows_kind *weft_bench_rows_kind(const char *name, struct weft_err *err);

/** Bus bandwidth over bytes / time, with @p n ranks. */
double weft_bench_rows_bus_factor(const struct weft_bench_rows_kind *kind, double n);

/** The column count for @p bytes as floats: of a rank's share where ranks have different data. */
uint64_t weft_bench_rows_floats(const struct weft_bench_rows_kind *kind, uint64_t bytes,
                                uint64_t n);

/** The column redop: "sum" also for sendrecv, which adds nothing up. */
const char *weft_bench_rows_redop(const struct weft_bench_rows_kind *kind);

/** One measurement. */
struct weft_bench_rows_row {
    uint64_t bytes;
    double us;
};
/** Ascending by size. */
struct weft_bench_rows {
    struct weft_bench_rows_row *row;
    size_t n;
    uint32_t ranks; /**< that the output of nccl-tests lists; 0: it lists none, or is CSV */
};
/** Reads the rows of @p kind on @p nodes nodes and @p gpus GPUs in all (of CSV; all rows of the
 * output of nccl-tests) whose note contains @p only (NULL: any). WEFT_E_INPUT: the output lists
 * another number of ranks, or another collective. */
int weft_bench_rows_read(const char *path, const struct weft_bench_rows_kind *kind,
                         const char *only, uint32_t nodes, uint32_t gpus,
                         struct weft_bench_rows *out, struct weft_err *err);
void weft_bench_rows_free(struct weft_bench_rows *m);

/** A size as nccl-tests takes it, in powers of two: "64K", "64KB" and "64KiB" are 65536 bytes.
 * @p text NULL: @p def. @p option is named in an error. */
int weft_bench_rows_size(const char *option, const char *text, const char *def, uint64_t *out,
                         struct weft_err *err);

/** A whole number of @p least to @p most, of an option; @p text NULL: *out stays. */
int weft_bench_rows_count(const char *option, const char *text, uint64_t least, uint64_t most,
                          uint64_t *out, struct weft_err *err);

/** The setting that gives a cluster *nodes nodes of *gpus GPUs (0: those of its topology, which are
 * put there). *setting NULL: its topology has no dimensions of a cluster, and no number changed. */
int weft_cluster_of(const struct weft_scenario *s, struct weft_arena *a, uint32_t *nodes,
                    uint32_t *gpus, const char **setting, struct weft_err *err);

/** The ranks of a cluster as a library sees them: its first dimension is the node. All 0: its
 * fabric can't be built. */
int weft_cluster_group(const struct weft_scenario *s, struct weft_library_group *out,
                       struct weft_err *err);

#endif
