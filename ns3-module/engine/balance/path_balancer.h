/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Balancers whose first switch decides for the whole way: packets carry what it chose, what they
 * met, or both (conga.c, conweave.c).
 */
#ifndef WEFT_ENGINE_PATH_BALANCER_H
#define WEFT_ENGINE_PATH_BALANCER_H

#include "core/context.h"

extern const struct path_balancer path_conga, path_conweave;

/** The host that sent a packet of a QP. */
static inline uint32_t path_source(const struct weft_engine *e, const struct pkt *k)
{
    const struct qp *q = qp_at(e, k->qp);
    return k->kind <= WEFT_PKT_REQUEST ? q->src_host : q->dst_host;
}
/** Whether a packet that came in through port @p in comes straight from the host that sent it. */
static inline bool path_begins(const struct weft_engine *e, const struct pkt *k, uint32_t in)
{
    return e->fabric->nodes[e->ports[e->ends[in].peer].node].host == path_source(e, k);
}
/** Whether port @p out leads to the host that a packet is for. */
static inline bool path_ends(const struct weft_engine *e, const struct pkt *k, uint32_t out)
{
    return e->ends[out].to_host && e->ends[out].far == k->dst_host;
}
/** The node that a host's first port leads to. */
static inline uint32_t path_leaf(const struct weft_engine *e, uint32_t host)
{
    const struct weft_fabric *f = e->fabric;
    return f->ports[f->ports[f->nodes[f->hosts[host]].first_port].peer].node;
}

#endif
