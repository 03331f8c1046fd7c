/* SPDX-License-Identifier: GPL-2.0-only */
/* Routes, virtual channels, and the links that are down. */
#ifndef WEFT_ENGINE_ROUTING_H
#define WEFT_ENGINE_ROUTING_H

#include "topologies/routes.h"
#include <stdbool.h>
#include <stdint.h>

/** Routes of the fabric. */
struct routing {
    struct weft_routes *routes; /**< over the links that are up */
    struct weft_routes *intact; /**< over all links; NULL until a link changes */
    bool transit;               /**< hosts may forward packets for others */
    bool vcs;                   /**< lossless priorities have several virtual channels */
    uint32_t channels;          /**< how many: those of the routes, and those of steer.h */
};

/** Which links are down. */
struct link_state {
    uint8_t *down;     /**< per link; NULL until a link changes */
    int64_t *since_ps; /**< per link: when that was set */
    /** per port: when what it was sending as its link went down would have ended */
    int64_t *ends_ps;
    uint32_t ndown;
};

#endif
