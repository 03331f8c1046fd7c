/* SPDX-License-Identifier: GPL-2.0-only */
/* Flow lists against the topology that they are for. */
#ifndef WEFT_HPCC_FLOW_H
#define WEFT_HPCC_FLOW_H

#include "topologies/fabric.h"
#include "workload/traffic/hpcc_flow.h"

WEFT_C_BEGIN

/** Checks that every flow joins two hosts of @p f. */
int weft_hpcc_flows_check(const struct weft_hpcc_flows *l, const struct weft_fabric *f,
                          struct weft_err *err);

WEFT_C_END
#endif
