/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Balancers whose first switch decides for the whole way: packets carry what it chose, what they
 * met, or both (conga.c, conweave.c).
 */
#ifndef WEFT_ENGINE_WAY_H
#define WEFT_ENGINE_WAY_H

#include "core/context.h"

struct way {
    /** The port by which a packet of a QP (but for warnings, which begin in the middle of a way)
     * that came in through port @p in leaves, one of @p g, of which there is at least one. */
    uint32_t (*choose)(struct weft_engine *e, struct weft_route_group g, uint32_t in,
                       struct pkt *k);
    /** Optional. Whether data packet @p i, about to leave by port @p out, is kept for a while. */
    bool (*keeps)(struct weft_engine *e, uint32_t out, uint32_t i);
    /** With keeps: takes such a packet, which is in the buffer; gives it to port_release later. */
    void (*keep)(struct weft_engine *e, uint32_t out, uint32_t i);
    bool answers; /**< ACKs and CNPs are asked for, too */
    int (*init)(struct weft_engine *e, struct weft_err *err);
    void (*fini)(struct weft_engine *e);
};

#pragma GCC visibility push(hidden)

extern const struct way way_conga, way_conweave;

#pragma GCC visibility pop

/** The host that sent a packet of a QP. */
static inline uint32_t way_source(const struct weft_engine *e, const struct pkt *k)
{
    const struct qp *q = qp_at(e, k->qp);
    return k->kind <= WEFT_PKT_REQUEST ? q->src_host : q->dst_host;
}
/** Whether a packet that came in through port @p in comes straight from the host that sent it. */
static inline bool way_begins(const struct weft_engine *e, const struct pkt *k, uint32_t in)
{
    return e->fabric->nodes[e->ports[e->ends[in].peer].node].host == way_source(e, k);
}
/** Whether port @p out leads to the host that a packet is for. */
static inline bool way_ends(const struct weft_engine *e, const struct pkt *k, uint32_t out)
{
    return e->ends[out].to_host && e->ends[out].far == k->dst_host;
}
/** The node that a host's first port leads to. */
static inline uint32_t way_leaf(const struct weft_engine *e, uint32_t host)
{
    const struct weft_fabric *f = e->fabric;
    return f->ports[f->ports[f->nodes[f->hosts[host]].first_port].peer].node;
}

#endif
