/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What rank 0 spent on each layer, in the columns of SimAI's EndToEnd.csv. Times are in
 * microseconds, bandwidths in 2^30 byte/s.
 */
#ifndef WEFT_CLI_SIMAI_LAYERS_H
#define WEFT_CLI_SIMAI_LAYERS_H

#include "system/system.h"
#include "workload/astra_text/astra_text.h"

/** One part of a layer. */
struct weft_simai_part {
    int64_t compute_ps, comm_ps; /**< its computation; its collective, with the update */
    int64_t exposed_ps;          /**< of the latter, while the rank waited for it */
    int64_t issued_ps, end_ps;   /**< of its collective */
};

/** Fills while a run goes on (weft_simai_layers_op). */
struct weft_simai_layers {
    struct weft_arena *arena;
    const struct weft_astra_text *list;
    uint64_t nranks;
    const struct weft_astra_op *ops; /**< of rank 0, by id - 1 */
    struct weft_simai_part (*part)[WEFT_ASTRA_PARTS];
    int64_t busy_until_ps; /**< the rank's last computation or awaited collective */
    int64_t end_ps;
};

/** For a job of one pass. weft_simai_layers_free in any case. */
int weft_simai_layers_init(struct weft_simai_layers *l, const struct weft_astra_text *list,
                           uint64_t nranks, struct weft_err *err);
/** Hears of an operation; @p ctx is the layers. */
void weft_simai_layers_op(void *ctx, const struct weft_op_record *record);
/** What it heard of so far does not count: the run begins again. */
void weft_simai_layers_again(void *ctx);
/** Writes the file when the run has ended; @p run is its name in it. */
int weft_simai_layers_write(struct weft_simai_layers *l, const char *path, const char *run,
                            struct weft_err *err);
void weft_simai_layers_free(struct weft_simai_layers *l);

#endif
