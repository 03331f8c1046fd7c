/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * fat-tree: the k-ary three-tier fat-tree of Al-Fares, Loukissas, Vahdat (SIGCOMM 2008).
 *
 * k pods, each of k/2 edge and k/2 aggregation switches; k/2 hosts per edge switch; (k/2)^2 core
 * switches. Aggregation switch j of every pod links to core switches j*k/2 .. j*k/2 + k/2-1, so
 * there is full bisection bandwidth when fabric-rate equals host-rate. Hosts are numbered pod by
 * pod, edge by edge; nodes: hosts, edge, aggregation, core.
 */
#include "topologies/build.h"
#include "topologies/topology.h"

struct params {
    uint64_t k;
    uint64_t host_rate_bps;
    int64_t host_delay_ps;
    uint64_t fabric_rate_bps;
    int64_t fabric_delay_ps;
};

#define PAPER "Al-Fares et al., SIGCOMM 2008, section 3.1"

static const struct weft_param params[] = {
    {"k", WEFT_PARAM_U64, offsetof(struct params, k), "4", "2", "128", NULL,
     "ports of each switch, even; k^3/4 hosts", PAPER},
    {"host-rate", WEFT_PARAM_RATE, offsetof(struct params, host_rate_bps), "400Gbps", "1bps", NULL,
     NULL, "rate of every host link, each direction", NULL},
    {"host-delay", WEFT_PARAM_TIME, offsetof(struct params, host_delay_ps), "1us", "0ps", "1s",
     NULL, "propagation delay of every host link", NULL},
    {"fabric-rate", WEFT_PARAM_RATE, offsetof(struct params, fabric_rate_bps), "400Gbps", "1bps",
     NULL, NULL, "rate of every link between switches, each direction", NULL},
    {"fabric-delay", WEFT_PARAM_TIME, offsetof(struct params, fabric_delay_ps), "1us", "0ps", "1s",
     NULL, "propagation delay of every link between switches", NULL},
};

static int build(const void *raw, struct weft_fabric **out, struct weft_err *err)
{
    const struct params *p = raw;
    *out = NULL;
    if (p->k < 2 || p->k % 2)
        return weft_err_set(err, WEFT_E_INPUT,
                            "fat-tree: k must be even and at least 2, got %llu; nearest are %llu "
                            "and %llu",
                            (unsigned long long)p->k, (unsigned long long)(p->k < 4 ? 2 : p->k - 1),
                            (unsigned long long)(p->k < 2 ? 4 : p->k + 1));
    uint32_t k = (uint32_t)p->k, half = k / 2;
    struct weft_build_wire access = {p->host_rate_bps, p->host_delay_ps};
    struct weft_build_wire fabric = {p->fabric_rate_bps, p->fabric_delay_ps};
    struct weft_build b;
    weft_build_start(&b, err);
    uint32_t host0 = weft_build_nodes(&b, WEFT_NODE_HOST, 0, (uint64_t)k * half * half);
    uint32_t edge0 = weft_build_nodes(&b, WEFT_NODE_SWITCH, 1, (uint64_t)k * half);
    uint32_t agg0 = weft_build_nodes(&b, WEFT_NODE_SWITCH, 2, (uint64_t)k * half);
    uint32_t core0 = weft_build_nodes(&b, WEFT_NODE_SWITCH, 3, (uint64_t)half * half);
    for (uint32_t e = 0; e < k * half && !b.rc; e++)
        for (uint32_t h = 0; h < half; h++)
            weft_build_link(&b, host0 + e * half + h, edge0 + e, access);
    for (uint32_t e = 0; e < k * half && !b.rc; e++)
        for (uint32_t j = 0; j < half; j++)
            weft_build_link(&b, edge0 + e, agg0 + e / half * half + j, fabric);
    for (uint32_t a = 0; a < k * half && !b.rc; a++)
        for (uint32_t j = 0; j < half; j++)
            weft_build_link(&b, agg0 + a, core0 + a % half * half + j, fabric);
    return weft_build_finish(&b, out);
}

extern const struct weft_topology_ops weft_topology_fat_tree;
const struct weft_topology_ops weft_topology_fat_tree = {
    .name = "fat-tree",
    .title = "k-ary three-tier fat-tree of k^3/4 hosts",
    .source =
        "Al-Fares, Loukissas, Vahdat: A scalable, commodity data center network architecture, "
        "SIGCOMM 2008",
    .params = WEFT_PARAM_TABLE(params, struct params),
    .build = build,
};
