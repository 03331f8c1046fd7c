/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Rings and open lines of NPUs: what ring, torus, mesh and hypercube are made of.
 */
#ifndef WEFT_TOPOLOGY_LINES_H
#define WEFT_TOPOLOGY_LINES_H

#include "topologies/compose.h"

/** The parameter row for a field `uint64_t vcs` of @p type. */
#define WEFT_VCS_PARAM(type)                                                                       \
    {                                                                                              \
        "vcs", WEFT_PARAM_U64, offsetof(type, vcs), "2", "1", "2", NULL,                           \
            "virtual channels of lossless priorities; 2: packets change channel where a circle "   \
            "closes, so that PFC cannot deadlock; the second one of priority p is p + 1",          \
            "Dally and Seitz, IEEE ToC 1987"                                                       \
    }

/** The dimension of a ring of @p n NPUs. Two NPUs are joined once. */
static inline struct weft_fabric_dim weft_ring_about(const struct weft_npu_links *w, uint32_t n)
{
    return (struct weft_fabric_dim){.kind = "ring",
                                    .size = n,
                                    .links = (uint32_t)w->links * (n > 2 ? 2 : 1),
                                    .rate_bps = w->rate_bps,
                                    .delay_ps = w->delay_ps,
                                    .direct = true,
                                    .relays = n > 2};
}

/** Links npus[0 .. n-1] in a ring; with @p dateline the link that closes it is one. */
static inline void weft_wire_ring(struct weft_build *b, const struct weft_npu_links *w,
                                  bool dateline, const uint32_t *npus, uint32_t n)
{
    for (uint32_t i = 0; i + 1 < n; i++)
        weft_wire_pair(b, w, npus[i], npus[i + 1], false);
    if (n > 2)
        weft_wire_pair(b, w, npus[n - 1], npus[0], dateline && n > 3);
}

/** The dimension of an open line of @p n NPUs. */
static inline struct weft_fabric_dim weft_line_about(const struct weft_npu_links *w, uint32_t n)
{
    return (struct weft_fabric_dim){.kind = "mesh",
                                    .size = n,
                                    .links = (uint32_t)w->links,
                                    .rate_bps = w->rate_bps,
                                    .delay_ps = w->delay_ps,
                                    .direct = true,
                                    .relays = n > 2};
}

/** Links npus[0 .. n-1] in a line; d->params are the struct weft_npu_links. */
static inline void weft_wire_line(struct weft_build *b, const struct weft_dimension *d,
                                  const uint32_t *npus, uint32_t n)
{
    const struct weft_npu_links *w = d->params;
    for (uint32_t i = 0; i + 1 < n; i++)
        weft_wire_pair(b, w, npus[i], npus[i + 1], false);
}

#endif
