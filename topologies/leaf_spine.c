/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * leaf-spine: a two-level Clos. Every leaf has a link (or several) to every spine. Hosts are
 * numbered leaf by leaf; nodes: hosts, leaves, spines.
 */
#include "topologies/compose.h"

struct params {
    uint64_t leaves, spines, hosts_per_leaf, links_per_pair;
    double oversubscription;
    struct weft_build_wire host;
    struct weft_build_wire uplink;
};

static const struct weft_param params[] = {
    {WEFT_ROW_U64(struct params, hosts_per_leaf, "hosts-per-leaf", "4", "1", "4096"),
     .help = "hosts on each leaf switch"},
    {WEFT_ROW_U64(struct params, leaves, "leaves", "4", "1", "16384"),
     .help = "number of leaf switches"},
    {WEFT_ROW_U64(struct params, spines, "spines", "4", "1", "4096"),
     .help = "number of spine switches"},
    {WEFT_ROW_U64(struct params, links_per_pair, "links-per-pair", "1", "1", "256"),
     .help = "parallel links between each leaf and each spine"},
    WEFT_WIRE_PARAMS(struct params, host, "host-", "400Gbps", "every host link", "every host link",
                     NULL),
    {WEFT_ROW_RATE(struct params, uplink.rate_bps, "uplink-rate", "400Gbps", "1bps", NULL),
     .help = "rate of every leaf-spine link, each direction", .needs = "oversubscription=0"},
    {WEFT_ROW_TIME(struct params, uplink.delay_ps, "uplink-delay", "1us", "0ps", "1s"),
     .help = "propagation delay of every leaf-spine link"},
    {WEFT_ROW_F64(struct params, oversubscription, "oversubscription", "0", "0", "1000"),
     .help = "rate of the hosts of a leaf by that of its uplinks, which follows: 3 is 3:1; 0: as "
             "uplink-rate says"},
};

/* The rate of an uplink. */
static uint64_t uplink_bps(const struct params *p)
{
    const double links = (double)p->spines * (double)p->links_per_pair;
    const double bps =
        (double)p->host.rate_bps * (double)p->hosts_per_leaf / (links * p->oversubscription);
    if (!(p->oversubscription > 0))
        return p->uplink.rate_bps;
    return bps < 1 ? 1 : (uint64_t)(bps + 0.5);
}

static void leaf_spine_wire(struct weft_build *b, const struct weft_dimension *d,
                            const uint32_t *npus, uint32_t n)
{
    const struct params *p = d->params;
    struct weft_build_wire access = p->host;
    struct weft_build_wire uplink = p->uplink;
    uplink.rate_bps = uplink_bps(p);
    uint32_t leaf0 = weft_build_nodes(b, WEFT_NODE_SWITCH, 1, p->leaves);
    uint32_t spine0 = weft_build_nodes(b, WEFT_NODE_SWITCH, 2, p->spines);
    for (uint32_t h = 0; h < n && !b->rc; h++)
        weft_build_link(b, npus[h], leaf0 + h / (uint32_t)p->hosts_per_leaf, access);
    weft_build_stage(b, leaf0, (uint32_t)p->leaves, spine0, (uint32_t)p->spines, p->links_per_pair,
                     uplink);
}

static int leaf_spine_dimensions(const void *raw, struct weft_dimensions *to, struct weft_err *err)
{
    const struct params *p = raw;
    struct weft_dimension d = {{.kind = "leaf-spine",
                                .links = 1,
                                .rate_bps = p->host.rate_bps,
                                .delay_ps = p->host.delay_ps,
                                .acyclic = true},
                               leaf_spine_wire,
                               p,
                               0};
    return weft_dimensions_add_spanning(to, &d, p->leaves * p->hosts_per_leaf, err);
}

const struct weft_topology_ops weft_topology_leaf_spine = {
    .name = "leaf-spine",
    .title = "two-level Clos: every leaf linked to every spine",
    .params = WEFT_PARAM_TABLE(params, struct params),
    .dimensions = leaf_spine_dimensions,
};
