/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * leaf-spine: a two-level Clos. Every leaf has a link (or several) to every spine. Hosts are
 * numbered leaf by leaf; nodes: hosts, leaves, spines.
 */
#include "topologies/compose.h"

struct params {
    uint64_t leaves, spines, hosts_per_leaf, links_per_pair;
    uint64_t host_rate_bps;
    int64_t host_delay_ps;
    uint64_t uplink_rate_bps;
    int64_t uplink_delay_ps;
};

static const struct weft_param params[] = {
    {"hosts-per-leaf", WEFT_PARAM_U64, offsetof(struct params, hosts_per_leaf), "4", "1", "4096",
     NULL, "hosts on each leaf switch", NULL},
    {"leaves", WEFT_PARAM_U64, offsetof(struct params, leaves), "4", "1", "16384", NULL,
     "number of leaf switches", NULL},
    {"spines", WEFT_PARAM_U64, offsetof(struct params, spines), "4", "1", "4096", NULL,
     "number of spine switches", NULL},
    {"links-per-pair", WEFT_PARAM_U64, offsetof(struct params, links_per_pair), "1", "1", "256",
     NULL, "parallel links between each leaf and each spine", NULL},
    {"host-rate", WEFT_PARAM_RATE, offsetof(struct params, host_rate_bps), "400Gbps", "1bps", NULL,
     NULL, "rate of every host link, each direction", NULL},
    {"host-delay", WEFT_PARAM_TIME, offsetof(struct params, host_delay_ps), "1us", "0ps", "1s",
     NULL, "propagation delay of every host link", NULL},
    {"uplink-rate", WEFT_PARAM_RATE, offsetof(struct params, uplink_rate_bps), "400Gbps", "1bps",
     NULL, NULL, "rate of every leaf-spine link, each direction", NULL},
    {"uplink-delay", WEFT_PARAM_TIME, offsetof(struct params, uplink_delay_ps), "1us", "0ps", "1s",
     NULL, "propagation delay of every leaf-spine link", NULL},
};

static void wire(struct weft_build *b, const struct weft_dimension *d, const uint32_t *npus,
                 uint32_t n)
{
    const struct params *p = d->params;
    struct weft_build_wire access = {p->host_rate_bps, p->host_delay_ps};
    struct weft_build_wire uplink = {p->uplink_rate_bps, p->uplink_delay_ps};
    uint32_t leaf0 = weft_build_nodes(b, WEFT_NODE_SWITCH, 1, p->leaves);
    uint32_t spine0 = weft_build_nodes(b, WEFT_NODE_SWITCH, 2, p->spines);
    for (uint32_t h = 0; h < n && !b->rc; h++)
        weft_build_link(b, npus[h], leaf0 + h / (uint32_t)p->hosts_per_leaf, access);
    weft_build_stage(b, leaf0, (uint32_t)p->leaves, spine0, (uint32_t)p->spines, p->links_per_pair,
                     uplink);
}

static int dimensions(const void *raw, struct weft_dimensions *to, struct weft_err *err)
{
    const struct params *p = raw;
    struct weft_dimension d = {{.kind = "leaf-spine",
                                .links = 1,
                                .rate_bps = p->host_rate_bps,
                                .delay_ps = p->host_delay_ps,
                                .acyclic = true},
                               wire,
                               p,
                               0};
    return weft_dimensions_add_spanning(to, &d, p->leaves * p->hosts_per_leaf, err);
}

extern const struct weft_topology_ops weft_topology_leaf_spine;
const struct weft_topology_ops weft_topology_leaf_spine = {
    .name = "leaf-spine",
    .title = "two-level Clos: every leaf linked to every spine",
    .params = WEFT_PARAM_TABLE(params, struct params),
    .dimensions = dimensions,
};
