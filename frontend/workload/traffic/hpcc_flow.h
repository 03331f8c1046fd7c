/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * HPCC's flow.txt: `n`, then n lines `src dst pg dport size start`, start in seconds. ConWeave's
 * dialect has no dport: five columns instead of six, which tells the two apart.
 *
 * The simulator launches flows in file order and needs them sorted by start; unsorted files are
 * sorted here, stably, and `sorted` says so. The k-th flow of a (src, dst) pair in launch order has
 * source port 10000 + k (16 bits, wrapping). In ConWeave the k-th flow of a source has source port
 * 10000 + k, and the k-th to a destination has destination port 100 + k.
 */
#ifndef WEFT_WORKLOAD_HPCC_FLOW_H
#define WEFT_WORKLOAD_HPCC_FLOW_H

#include "base/err.h"

#include <stdbool.h>
#include <stdio.h>

WEFT_C_BEGIN

/** What the line of a flow looks like. */
enum weft_hpcc_flow_format { WEFT_HPCC_FLOW_AUTO, WEFT_HPCC_FLOW_HPCC, WEFT_HPCC_FLOW_CONWEAVE };

/** One flow. */
struct weft_hpcc_flow {
    uint32_t src, dst; /**< node ids */
    uint32_t pg;       /**< priority 0..7 */
    uint16_t sport, dport;
    uint32_t qp; /**< how many flows of the same pair start before it: its queue pair */
    uint64_t bytes;
    int64_t start_ps; /**< exact to the picosecond */
    int64_t line;     /**< of its first token in the file */
    /** Filled in by weft_hpcc_pairs_new. */
    uint64_t rtt_ns, bw_bps;
};

/** All flows of a file in launch order. */
struct weft_hpcc_flows {
    char *file;
    struct weft_hpcc_flow *list;
    size_t n;
    enum weft_hpcc_flow_format format; /**< that it was read in, not WEFT_HPCC_FLOW_AUTO */
    bool sorted;                       /**< false: the file was not, and has been sorted by start */
    int64_t trailing_line;             /**< line of the first token after the n-th flow, 0: none */
};

/** The simulator's destination port of ordinary flows; ConWeave's first. */
#define WEFT_HPCC_DPORT 100
#define WEFT_HPCC_FIRST_SPORT 10000

/** Whether a text is a list of ns3-rdma, the ancestor of HPCC's simulator: `n`, then lines `src dst
 * pg packets start stop`, where HPCC's has a port (16 bits) and a whole number of bytes. */
bool weft_hpcc_flows_are_rdma(const char *text);
/** Reads @p path; WEFT_HPCC_FLOW_AUTO finds the format by the number of columns, HPCC's when there
 * are no flows or the number is neither. NULL on failure, *err says where and why. */
struct weft_hpcc_flows *weft_hpcc_flows_read(const char *path, enum weft_hpcc_flow_format format,
                                             struct weft_err *err);
void weft_hpcc_flows_free(struct weft_hpcc_flows *l);

WEFT_C_END
#endif
