/* SPDX-License-Identifier: GPL-2.0-only */
/* Queue pairs of flows: each flow has one of its own, and is found by it. */
#ifndef WEFT_HPCC_QP_H
#define WEFT_HPCC_QP_H

#include "topologies/fabric.h"
#include "workload/traffic/hpcc_flow.h"

/** The number of a flow's QP (weft_msg.qp); @p is_ports: source and destination port alone, as
 * transport.ecmp=hpcc reads it. */
uint32_t weft_hpcc_qp(const struct weft_hpcc_flows *l, const struct weft_hpcc_flow *w,
                      bool is_ports);

/** The flows of a list by their QPs. */
struct weft_hpcc_qps;

/** NULL when out of memory. Keeps references to @p l. */
struct weft_hpcc_qps *weft_hpcc_qps_new(const struct weft_hpcc_flows *l,
                                        const struct weft_fabric *f, bool is_ports,
                                        struct weft_err *err);
void weft_hpcc_qps_free(struct weft_hpcc_qps *q);
/** The flow between two hosts with this QP number, NULL: none. */
const struct weft_hpcc_flow *weft_hpcc_qps_find(const struct weft_hpcc_qps *q, uint32_t src,
                                                uint32_t dst, uint32_t qp);

#endif
