/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * HPCC's qlen.txt: for each switch port a histogram of its egress occupancy, in KB of 1000 bytes.
 *
 * Every 100 ns from start to end each port is sampled: what waits there once all of that moment has
 * happened. At each sample on a multiple of 100 ms of simulated time the file gets the line "time:
 * T" (ns) and, per port that has a sample, "switch interface c0 c1 ...": how many samples since the
 * start lay in [k, k+1) KB.
 *
 * Nothing is looked at: queues are told when they change, in the order of time, and what lies
 * between two changes is so many samples of one value.
 */
#ifndef WEFT_HPCC_QLEN_H
#define WEFT_HPCC_QLEN_H

#include "base/rows.h"
#include "topologies/fabric.h"

WEFT_C_BEGIN

#define WEFT_HPCC_QLEN_INTERVAL_PS INT64_C(100000)
#define WEFT_HPCC_QLEN_DUMP_PS INT64_C(100000000000)

struct weft_hpcc_qlen;

/** Samples from @p start_ps to the first that is not before @p end_ps (not WEFT_NEVER), all queues
 * being empty, into @p out. Keeps references to it and to @p f. NULL when out of memory. */
struct weft_hpcc_qlen *weft_hpcc_qlen_new(const struct weft_fabric *f, int64_t start_ps,
                                          int64_t end_ps, struct weft_rows *out,
                                          struct weft_err *err);
void weft_hpcc_qlen_free(struct weft_hpcc_qlen *q);
/** From @p t_ps on @p bytes of a priority wait at the egress of a port. A failure is told by the
 * next weft_hpcc_qlen_reach. */
void weft_hpcc_qlen_change(struct weft_hpcc_qlen *q, int64_t t_ps, uint32_t port, uint32_t prio,
                           uint64_t bytes);
/** Nothing more changes up to and at @p t_ps; WEFT_NEVER: at all. The file has what is due. */
int weft_hpcc_qlen_reach(struct weft_hpcc_qlen *q, int64_t t_ps, struct weft_err *err);

WEFT_C_END
#endif
