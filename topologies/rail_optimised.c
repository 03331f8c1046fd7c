/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * rail-optimised: NPU r of every node hangs on the leaf switches of rail r, so that NPUs of equal
 * local number reach each other within their rail.
 *
 * Endpoint e is NPU e % rails of node e / rails. Each rail has nodes / nodes-per-leaf leaves; all
 * leaves of all rails meet at the spines. With rail-only the rails are separate networks: traffic
 * between NPUs of different local numbers crosses the inner dimension (NVLink) first, so that there
 * must be one; a rail of several leaves then has spines of its own.
 */
#include "topologies/compose.h"

#include <inttypes.h>

struct params {
    uint64_t rails, nodes, nodes_per_leaf, spines, links_per_pair;
    bool rail_only;
    struct weft_build_wire access;
    struct weft_build_wire uplink;
};

#define PAPER                                                                                      \
    "Wang et al.: Rail-only, a low-cost high-performance network for training LLMs with "          \
    "trillion parameters, Hot Interconnects 2024"

static const struct weft_param params[] = {
    {WEFT_ROW_U64(struct params, rails, "rails", "8", "1", "1024"),
     .help = "NPUs of a node, each on a rail of its own; in a composed fabric the NPUs of the "
             "dimensions inside"},
    {WEFT_ROW_U64(struct params, nodes, "nodes", "4", "1", "65536"),
     .help = "nodes, each with one NPU on every rail"},
    {WEFT_ROW_U64(struct params, nodes_per_leaf, "nodes-per-leaf", "0", "0", "65536"),
     .help = "nodes on one leaf switch; 0: all"},
    {WEFT_ROW_U64(struct params, spines, "spines", "4", "1", "4096"),
     .help = "spine switches; with rail-only those of each rail that has several leaves"},
    {WEFT_ROW_U64(struct params, links_per_pair, "links-per-pair", "1", "1", "256"),
     .help = "parallel links between each leaf and each spine"},
    {WEFT_ROW_BOOL(struct params, rail_only, "rail-only", "false"),
     .help = "rails are separate networks", .source = PAPER},
    WEFT_WIRE_PARAMS(struct params, access, "", "400Gbps", "every NPU link", "every NPU link",
                     NULL),
    WEFT_WIRE_PARAMS(struct params, uplink, "uplink-", "400Gbps", "every leaf-spine link",
                     "every leaf-spine link", NULL),
};

/* Leaves of one rail. */
static uint32_t leaves(const struct params *p)
{
    return p->nodes_per_leaf ? (uint32_t)(p->nodes / p->nodes_per_leaf) : 1;
}

/* One instance: all rails, or with rail-only the single rail of the NPUs given. */
static void rail_optimised_wire(struct weft_build *b, const struct weft_dimension *d,
                                const uint32_t *npus, uint32_t n)
{
    const struct params *p = d->params;
    struct weft_build_wire access = p->access;
    struct weft_build_wire uplink = p->uplink;
    const uint32_t nodes = (uint32_t)p->nodes, rails = n / nodes, per_rail = leaves(p);
    const uint32_t nodes_per_leaf = nodes / per_rail, nleaves = rails * per_rail;
    uint32_t leaf0 = weft_build_nodes(b, WEFT_NODE_SWITCH, 1, nleaves);
    for (uint32_t e = 0; e < n && !b->rc; e++)
        weft_build_link(b, npus[e], leaf0 + e % rails * per_rail + e / rails / nodes_per_leaf,
                        access);
    if (nleaves == 1)
        return;
    uint32_t spine0 = weft_build_nodes(b, WEFT_NODE_SWITCH, 2, p->spines);
    weft_build_stage(b, leaf0, nleaves, spine0, (uint32_t)p->spines, p->links_per_pair, uplink);
}

static int rail_optimised_dimensions(const void *raw, struct weft_dimensions *to,
                                     struct weft_err *err)
{
    const struct params *p = raw;
    const uint64_t inner = to->npus ? to->npus : 1;
    struct weft_dimension d = {{.kind = "rail-optimised",
                                .size = (uint32_t)p->nodes,
                                .links = 1,
                                .rate_bps = p->access.rate_bps,
                                .delay_ps = p->access.delay_ps,
                                .acyclic = true},
                               rail_optimised_wire,
                               p,
                               0};
    if (p->nodes_per_leaf && p->nodes % p->nodes_per_leaf)
        return weft_err_set(
            err, WEFT_E_INPUT,
            "rail-optimised: nodes (%" PRIu64 ") must be a multiple of nodes-per-leaf "
            "(%" PRIu64 "); nearest is %" PRIu64,
            p->nodes, p->nodes_per_leaf, ((p->nodes / p->nodes_per_leaf + 1) * p->nodes_per_leaf));
    if ((to->n > 0 || p->rail_only) && p->rails != inner)
        return weft_err_set(err, WEFT_E_INPUT,
                            "rail-optimised: there must be as many rails (%" PRIu64
                            ") as NPUs in the "
                            "dimensions inside (%" PRIu64 ")%s",
                            p->rails, inner,
                            to->n ? ""
                                  : "; with rail-only put a dimension that joins the NPUs of "
                                    "a node inside, see topology multi");
    if (p->rail_only)
        return weft_dimensions_add(to, &d, err);
    return weft_dimensions_add_spanning(to, &d, p->rails * p->nodes, err);
}

const struct weft_topology_ops weft_topology_rail_optimised = {
    .name = "rail-optimised",
    .title = "Clos whose leaves each serve one NPU of many nodes",
    .source = PAPER,
    .params = WEFT_PARAM_TABLE(params, struct params),
    .dimensions = rail_optimised_dimensions,
};
