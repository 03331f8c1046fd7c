/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * fat-tree: the k-ary fat-tree of Al-Fares, Loukissas, Vahdat (SIGCOMM 2008), of three tiers or
 * two.
 *
 * Three tiers: k pods, each of k/2 edge and k/2 aggregation switches; k/2 hosts per edge switch;
 * (k/2)^2 core switches. Aggregation switch j of every pod links to core switches j*k/2 .. j*k/2 +
 * k/2-1. Two tiers: k edge switches, each linked to all of k/2 spines. Either has full bisection
 * bandwidth when fabric-rate equals host-rate; `oversubscription` puts that many times the hosts on
 * each edge switch. Hosts are numbered pod by pod, edge by edge; switches: edge, aggregation, core.
 */
#include "topologies/compose.h"

#include <inttypes.h>

struct params {
    uint64_t k, tiers, pods, oversubscription;
    struct weft_build_wire host;
    struct weft_build_wire fabric;
};

#define PAPER "Al-Fares et al., SIGCOMM 2008, section 3.1"

static const struct weft_param params[] = {
    {WEFT_ROW_U64(struct params, k, "k", "4", "2", "128"),
     .help = "ports of each switch, even; k^3/4 hosts in three tiers, k^2/2 in two",
     .source = PAPER},
    {WEFT_ROW_U64(struct params, tiers, "tiers", "3", "2", "3"), .help = "levels of switches"},
    {WEFT_ROW_U64(struct params, pods, "pods", "0", "0", "128"),
     .help = "pods built, at most k (in two tiers: edge switches); 0: k"},
    {WEFT_ROW_U64(struct params, oversubscription, "oversubscription", "1", "1", "64"),
     .help = "this many times k/2 hosts on each edge switch"},
    WEFT_WIRE_PARAMS(struct params, host, "host-", "400Gbps", "every host link", "every host link",
                     NULL),
    WEFT_WIRE_PARAMS(struct params, fabric, "fabric-", "400Gbps", "every link between switches",
                     "every link between switches", NULL),
};

/* Edge switches in all. */
static uint32_t edges(const struct params *p)
{
    uint64_t pods = p->pods ? p->pods : p->k;
    return (uint32_t)(p->tiers == 3 ? pods * p->k / 2 : pods);
}

static void fat_tree_wire(struct weft_build *b, const struct weft_dimension *d,
                          const uint32_t *npus, uint32_t n)
{
    const struct params *p = d->params;
    const uint32_t half = (uint32_t)p->k / 2, nedges = edges(p), per_edge = n / nedges;
    struct weft_build_wire access = p->host;
    struct weft_build_wire fabric = p->fabric;
    uint32_t edge0 = weft_build_nodes(b, WEFT_NODE_SWITCH, 1, nedges);
    uint32_t upper0 = weft_build_nodes(b, WEFT_NODE_SWITCH, 2, p->tiers == 3 ? nedges : half);
    for (uint32_t h = 0; h < n && !b->rc; h++)
        weft_build_link(b, npus[h], edge0 + h / per_edge, access);
    if (p->tiers == 2) {
        for (uint32_t e = 0; e < nedges && !b->rc; e++)
            for (uint32_t j = 0; j < half; j++)
                weft_build_link(b, edge0 + e, upper0 + j, fabric);
        return;
    }
    uint32_t core0 = weft_build_nodes(b, WEFT_NODE_SWITCH, 3, (uint64_t)half * half);
    for (uint32_t e = 0; e < nedges && !b->rc; e++)
        for (uint32_t j = 0; j < half; j++)
            weft_build_link(b, edge0 + e, upper0 + e / half * half + j, fabric);
    for (uint32_t a = 0; a < nedges && !b->rc; a++)
        for (uint32_t j = 0; j < half; j++)
            weft_build_link(b, upper0 + a, core0 + a % half * half + j, fabric);
}

static int fat_tree_dimensions(const void *raw, struct weft_dimensions *to, struct weft_err *err)
{
    const struct params *p = raw;
    if (p->k < 2 || p->k % 2)
        return weft_err_set(err, WEFT_E_INPUT,
                            "fat-tree: k must be even and at least 2, got %" PRIu64
                            "; nearest are %" PRIu64 " "
                            "and %" PRIu64,
                            p->k, (p->k < 4 ? 2 : p->k - 1), (p->k < 2 ? 4 : p->k + 1));
    if (p->pods > p->k)
        return weft_err_set(err, WEFT_E_INPUT,
                            "fat-tree: switches of %" PRIu64 " ports join at most %" PRIu64
                            " pods, got %" PRIu64,
                            p->k, p->k, p->pods);
    struct weft_dimension d = {{.kind = "fat-tree",
                                .links = 1,
                                .rate_bps = p->host.rate_bps,
                                .delay_ps = p->host.delay_ps,
                                .acyclic = true},
                               fat_tree_wire,
                               p,
                               0};
    return weft_dimensions_add_spanning(to, &d, edges(p) * p->oversubscription * (p->k / 2), err);
}

const struct weft_topology_ops weft_topology_fat_tree = {
    .name = "fat-tree",
    .title = "k-ary fat-tree of k^3/4 hosts in three tiers, or k^2/2 in two",
    .source =
        "Al-Fares, Loukissas, Vahdat: A scalable, commodity data center network architecture, "
        "SIGCOMM 2008",
    .params = WEFT_PARAM_TABLE(params, struct params),
    .dimensions = fat_tree_dimensions,
};
