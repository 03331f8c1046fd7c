/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Figures that backends and engines count alike, so that they are handed on as they are (as are the causes of base/delay.h).
 */
#ifndef WEFT_BASE_FIGURES_H
#define WEFT_BASE_FIGURES_H

#include <stdint.h>

/** Memory that a backend's state takes, for weft bench. Addresses reserved and never touched do not count. */
struct weft_memory_figures {
    uint64_t
        fabric_bytes; /**< what the fabric costs before anything is sent: graph, routes, ports, buffers */
    uint64_t qps;      /**< QPs opened */
    uint64_t qp_bytes; /**< their state, with congestion control and the table that finds them */
    uint64_t peak_packets;  /**< most packets alive at once */
    uint64_t packet_bytes;  /**< records of packets, with what travels beside them */
    uint64_t peak_messages; /**< most messages posted and not acknowledged at once */
    uint64_t message_bytes; /**< their records */
};

/** Sums over all switches and forwarding NPUs of a fabric. */
struct weft_buffer_figures {
    uint64_t nodes;          /**< how many there are */
    uint64_t buffer_bytes;   /**< packet buffer */
    uint64_t headroom_bytes; /**< of it, set aside for what arrives after XOFF */
    uint64_t reserve_bytes;  /**< of it, guaranteed to single queues */
};

#endif
