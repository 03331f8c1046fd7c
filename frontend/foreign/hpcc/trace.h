/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * HPCC's trace.txt: `n`, then n ids of the nodes whose packets are traced. Ids beyond the topology
 * are skipped, as the simulator does.
 */
#ifndef WEFT_HPCC_TRACE_H
#define WEFT_HPCC_TRACE_H

#include "base/err.h"

WEFT_C_BEGIN

/** The traced nodes, in the order of the file. */
struct weft_hpcc_trace {
    uint32_t *nodes;
    size_t n;
    size_t skipped; /**< ids that are not below @p nnodes */
};

/** Reads @p path for a topology of @p nnodes nodes into *out; nothing to free on failure. */
int weft_hpcc_trace_read(const char *path, uint32_t nnodes, struct weft_hpcc_trace *out,
                         struct weft_err *err);
void weft_hpcc_trace_free(struct weft_hpcc_trace *t);

WEFT_C_END
#endif
