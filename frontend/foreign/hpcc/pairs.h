/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Base RTT and bandwidth of host pairs, by HPCC's formula:
 *   rtt = 2 x sum of delays + sum over the forward hops of floor(payload x 8 / rate), in ns
 *   bw  = smallest rate on the path;  bdp = floor(floor(rtt x bw / 10^9) / 8)
 * on the first shortest path that a breadth-first search from the destination finds, neighbours
 * taken in descending node id (the order of the simulator's next hops, which its recorded paths
 * show). Header bytes and the ACK's serialisation are not part of it.
 */
#ifndef WEFT_HPCC_PAIRS_H
#define WEFT_HPCC_PAIRS_H

#include "foreign/hpcc/flow.h"

WEFT_C_BEGIN

/** The largest over all ordered host pairs: what GLOBAL_T 1 gives to every queue pair. */
struct weft_hpcc_pairs {
    uint64_t max_rtt_ns;
    uint64_t max_bdp_bytes;
};

/**
 * Computes the maxima of a finished fabric and fills rtt_ns and bw_bps of every flow of @p flows
 * (may be NULL), which must have passed weft_hpcc_flows_check.
 */
int weft_hpcc_pairs_compute(const struct weft_fabric *f, uint64_t payload_bytes,
                            struct weft_hpcc_flows *flows, struct weft_hpcc_pairs *out,
                            struct weft_err *err);

/** The same of pairs one by one, of messages that no list has: searches once per destination, of
 * which it keeps as many as fit into some megabytes. */
struct weft_hpcc_pair_table;
struct weft_hpcc_pair_table *weft_hpcc_pair_table_new(const struct weft_fabric *f,
                                                      uint64_t payload_bytes, struct weft_err *err);
void weft_hpcc_pair_table_free(struct weft_hpcc_pair_table *t);
/** Fills rtt_ns and bw_bps of @p out, for two hosts by their numbers. */
void weft_hpcc_pair_table_find(struct weft_hpcc_pair_table *t, uint32_t src, uint32_t dst,
                               struct weft_hpcc_flow *out);

/** Bytes around the payload in the simulator's data packets, without INT: 14 + 20 + 8 + 6. */
#define WEFT_HPCC_HEADER_BYTES 48
/** The completion time that fct.txt gives for a flow alone on the fabric, in ns; a flow of no bytes
 * counts as one packet. */
uint64_t weft_hpcc_standalone_ns(const struct weft_hpcc_flow *w, uint64_t payload_bytes);

WEFT_C_END
#endif
