/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Ideal durations and what they need to know of the past; ideal.c says how they are defined.
 */
#ifndef WEFT_ENGINE_IDEAL_H
#define WEFT_ENGINE_IDEAL_H

#include "core/observe_state.h"
#include "engine.h"

struct qp;

/** Packets that go from host to host. */
struct journey {
    const struct qp *q;
    int forward; /**< they go as its data, else as its ACKs */
    uint32_t src_host, dst_host;
    struct weft_engine_mark since; /**< when they set out; they arrive now */
    uint64_t ahead;      /**< bytes on the wire of one that is sent right before them, 0: of none */
    uint64_t npkts;      /**< how many, at least 1 */
    uint64_t full, tail; /**< bytes on the wire of each, and of the last */
};

/** Of a fabric with routes. */
int ideal_init(struct weft_engine *e, struct weft_err *err);
void ideal_fini(struct weft_engine *e);
/** The rate of a port is about to change. */
int ideal_note_rate(struct weft_engine *e, uint32_t port, struct weft_err *err);
/** The best rate of a port from @p since to now: ps per byte, GAP_SHIFT. */
uint64_t ideal_best_q(const struct weft_engine *e, uint32_t port, struct weft_engine_mark since);
/** The ideal duration, from the start of the first packet, or of the one ahead, to the end of the
 * last. */
int64_t ideal_ps(struct weft_engine *e, const struct journey *j);

#endif
