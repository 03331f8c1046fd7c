/* SPDX-License-Identifier: GPL-2.0-only */
/* How long egress queues held how much. */
#ifndef WEFT_ENGINE_HISTOGRAM_H
#define WEFT_ENGINE_HISTOGRAM_H

#include "engine.h"

#include "base/queue_bins.h"

/** One priority of a port. */
struct histogram {
    int64_t since_ps; /**< times are right up to here, and it holds `bytes` since */
    uint32_t bytes;
    int64_t time_ps[WEFT_QUEUE_BINS];
};

/** Histograms of all ports. */
struct histograms {
    uint8_t *wanted;       /**< per port: bits of priorities; NULL: nobody asked */
    struct histogram **of; /**< by port and priority; NULL: nothing has waited there */
};

#pragma GCC visibility push(hidden)

/** A queue that may be wanted holds another number of bytes from now on. */
void histogram_note(struct weft_engine *e, uint32_t port, uint32_t prio, uint32_t bytes);
void histogram_fini(struct weft_engine *e);

#pragma GCC visibility pop

#endif
