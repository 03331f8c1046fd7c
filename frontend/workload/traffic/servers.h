/* SPDX-License-Identifier: GPL-2.0-only */
/* What checkpoints, storage and inference share: roles of ranks, models by name. */
#ifndef WEFT_TRAFFIC_SERVERS_H
#define WEFT_TRAFFIC_SERVERS_H

#include "workload/training/model.h"
#include "base/err.h"

#ifdef __cplusplus
extern "C" {
#endif

/** As weft_workload_ranks; WEFT_E_INPUT also where @p servers leave no client, or @p stripes or @p
 * replicas are more than they. */
int weft_servers_ranks(const char *workload, uint64_t ranks, uint64_t servers, uint64_t stripes,
                       uint64_t replicas, uint32_t room, uint32_t *n, struct weft_err *err);
/** The transformer called @p name; NULL: *err names the nearest. */
const struct weft_model *weft_servers_model(const char *name, struct weft_err *err);

#ifdef __cplusplus
}
#endif
#endif
