/* SPDX-License-Identifier: GPL-2.0-only */
/* Flow lists against the topology that they are for. */
#ifndef WEFT_HPCC_FLOW_H
#define WEFT_HPCC_FLOW_H

#include "topologies/fabric.h"
#include "workload/traffic/hpcc_flow.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Checks that every flow joins two hosts of @p f. */
int weft_hpcc_flows_check(const struct weft_hpcc_flows *l, const struct weft_fabric *f,
                          struct weft_err *err);

#ifdef __cplusplus
}
#endif
#endif
