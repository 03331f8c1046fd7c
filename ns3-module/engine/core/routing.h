/* SPDX-License-Identifier: GPL-2.0-only */
/* Routes and virtual channels. */
#ifndef WEFT_ENGINE_ROUTING_H
#define WEFT_ENGINE_ROUTING_H

#include "topologies/routes.h"
#include <stdbool.h>

/** Routes of the fabric. */
struct routing {
    struct weft_routes *routes; /**< over the links that are up */
    struct weft_routes *intact; /**< over all links; NULL until a link changes */
    bool transit;               /**< hosts may forward packets for others */
    bool vcs;                   /**< lossless priorities have several virtual channels */
    uint32_t channels;          /**< how many: those of the routes, and those of steer.h */
};

#endif
