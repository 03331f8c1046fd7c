/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * HPCC's qlen.txt: for each switch port a histogram of its egress occupancy, in KB of 1000 bytes.
 *
 * Every 100 ns from start to end each port is sampled. At each multiple of 100 ms of simulated time
 * the file gets the line "time: T" (ns) and, per port that has a sample, "switch interface c0 c1
 * ...": how many samples since the start lay in [k, k+1) KB. Where the queues come from is the
 * caller's business.
 */
#ifndef WEFT_HPCC_QLEN_H
#define WEFT_HPCC_QLEN_H

#include "base/rows.h"
#include "topologies/fabric.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

#define WEFT_HPCC_QLEN_INTERVAL_PS INT64_C(100000)
#define WEFT_HPCC_QLEN_DUMP_PS INT64_C(100000000000)

/** Says how many bytes wait at an egress port (all priorities). */
struct weft_hpcc_queues {
    void *ctx;
    uint64_t (*bytes)(void *ctx, uint32_t port);
};

struct weft_hpcc_qlen;

/** A new set of empty histograms; NULL when out of memory. Keeps a reference to @p f. */
struct weft_hpcc_qlen *weft_hpcc_qlen_new(const struct weft_fabric *f, struct weft_err *err);
void weft_hpcc_qlen_free(struct weft_hpcc_qlen *q);
/** Takes one sample of every switch port, and dumps to @p out at multiples of 100 ms. */
int weft_hpcc_qlen_sample(struct weft_hpcc_qlen *q, int64_t now_ps,
                          const struct weft_hpcc_queues *queues, struct weft_rows *out,
                          struct weft_err *err);
/** Whether nothing waits at any switch port. */
bool weft_hpcc_qlen_empty(const struct weft_hpcc_qlen *q, const struct weft_hpcc_queues *queues);
/** Stands for the samples of empty queues from @p now_ps on, the first being an interval later, to
 * the first that is not before @p end_ps. */
void weft_hpcc_qlen_skip(struct weft_hpcc_qlen *q, int64_t now_ps, int64_t end_ps,
                         struct weft_rows *out, struct weft_err *err);
/** Writes all histograms under the time @p now_ps, as one record. */
void weft_hpcc_qlen_dump(const struct weft_hpcc_qlen *q, int64_t now_ps, struct weft_rows *out);

#ifdef __cplusplus
}
#endif
#endif
