/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Frames of other transports, such as TCP, and the least time that they can take.
 */
#ifndef WEFT_ENGINE_FRAMES_H
#define WEFT_ENGINE_FRAMES_H

#include "base/err.h"

#include <stdint.h>

WEFT_C_BEGIN

struct weft_engine;

/**
 * A frame of another transport, such as TCP: the engine carries it from host to host through the
 * same queues, buffers and priorities as RoCE's packets and knows nothing of what is in it.
 */
struct weft_engine_frame {
    uint32_t src_host, dst_host; /**< host numbers, different */
    /** port of the sending host, UINT32_MAX: the one that the flow's hash gives among those that
     * lead there */
    uint32_t port;
    uint32_t prio;          /**< 0..7 */
    uint32_t bytes;         /**< frame with header and FCS, at most 65535; padded to min-frame */
    uint32_t payload_bytes; /**< of it, what counts as payload in the counters of ports; <= bytes */
    /** names the flow: frames of one flow and pair of hosts take one path, chosen by a hash of
     * this, the hosts and the run's seed. Each flow is remembered to the end */
    uint32_t flow;
    int ect;         /**< ECN-capable: switches mark it where they would mark RoCE data */
    uint64_t handle; /**< given back by the hooks */
};

/** A moment: how often rates of ports, and routes, had changed. */
struct weft_engine_mark {
    uint32_t rates, routes;
};

/** Queues a frame at its NIC, where frames and QPs of one priority take turns. Hooks report its
 * fate. WEFT_E_INPUT: it cannot be sent; the handle is not kept. */
int weft_engine_send_frame(struct weft_engine *e, const struct weft_engine_frame *frame,
                           struct weft_err *err);
/** This moment, for weft_engine_frames_ideal_ps(). */
struct weft_engine_mark weft_engine_now_mark(const struct weft_engine *e);
/** The least that @p bytes of the flow of @p frame can take on an empty fabric between @p since and
 * now, from the start of the first frame to the end of the last: frames of @p segment bytes and @p
 * overhead around them; see ideal.c. A frame of the same flow of @p ahead bytes, no longer than a
 * full one, is sent right before them, and its start counts; 0: none. */
int64_t weft_engine_frames_ideal_ps(struct weft_engine *e, const struct weft_engine_frame *frame,
                                    struct weft_engine_mark since, uint32_t ahead, uint64_t bytes,
                                    uint32_t segment, uint32_t overhead);

WEFT_C_END
#endif
