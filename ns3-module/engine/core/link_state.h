/* SPDX-License-Identifier: GPL-2.0-only */
/* Links that fail and come back. */
#ifndef WEFT_ENGINE_LINK_STATE_H
#define WEFT_ENGINE_LINK_STATE_H

#include "engine.h"
#include "transport/qp.h"

/** Which links are down. */
struct link_state {
    uint8_t *down;     /**< per link; NULL until a link changes */
    int64_t *since_ps; /**< per link: when that was set */
    /** per port: when what it was sending as its link went down would have ended */
    int64_t *ends_ps;
    uint32_t ndown;
};

#pragma GCC visibility push(hidden)

/** The ports at the two ends of a link, that of node a first. */
void link_ends(const struct weft_engine *e, uint32_t link, uint32_t ends[2]);
/** Takes down and up the links of @p list (all in range) whose states in @p after, one per link,
 * differ from what they are. */
int link_states(struct weft_engine *e, struct weft_link_change *list, size_t n,
                const uint8_t *after, struct weft_err *err);
/** Whether data and ACKs of a QP have a path, whatever its MTU. */
bool link_path_exists(const struct weft_engine *e, const struct qp *q);
/** Largest payload of a packet that the path of a QP's data takes; 0: there is no path. */
uint32_t link_path_mtu(const struct weft_engine *e, const struct qp *q);
/** Parks, unparks or moves a QP to another port of its host, as the routes now are. */
void link_reroute_qp(struct weft_engine *e, uint32_t qp);
/** A sentence on the partition, when QPs with something to send are parked; returns how many. */
uint64_t link_explain(struct weft_engine *e, uint64_t max,
                      void (*fn)(void *ctx, const char *sentence), void *ctx);

#pragma GCC visibility pop

#endif
