/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dual-plane: two ports per NPU to a pair of top-of-rack switches, rail by rail, as in Alibaba HPN.
 *
 * A segment has one pair of ToRs per rail; NPU r of every node of the segment has one link to each
 * of the two. Dual-plane: the first ToRs of all pairs meet at one set of aggregation switches, the
 * second ones at another, so that a packet stays in the plane that its NIC port chose. Without
 * dual-plane (dual-ToR only) both meet at all of them. Endpoint e is NPU e % rails of node e /
 * rails; segments take consecutive nodes. Switches: ToRs segment by segment, rail by rail, first
 * then second; then aggregation switches, plane by plane.
 */
#include "topologies/compose.h"

#include <inttypes.h>

struct params {
    uint64_t rails, segments, nodes, aggregations, links_per_pair;
    bool dual_plane;
    struct weft_build_wire access;
    struct weft_build_wire uplink;
};

#define PAPER                                                                                      \
    "Qian et al.: Alibaba HPN: a data center network for large language model training, SIGCOMM "  \
    "2024, section 4"

static const struct weft_param params[] = {
    {WEFT_ROW_U64(struct params, rails, "rails", "8", "1", "1024"),
     .help = "NPUs of a node, each on a pair of ToRs of its own; in a composed fabric the NPUs of "
             "the dimensions inside",
     .source = PAPER},
    {WEFT_ROW_U64(struct params, segments, "segments", "2", "1", "1024"),
     .help = "segments, each with one pair of ToRs per rail", .source = PAPER},
    {WEFT_ROW_U64(struct params, nodes, "nodes", "4", "1", "65536"),
     .help = "nodes of each segment", .source = PAPER},
    {WEFT_ROW_U64(struct params, aggregations, "aggregations", "4", "1", "4096"),
     .help = "aggregation switches of each plane; without dual-plane of all", .source = PAPER},
    {WEFT_ROW_U64(struct params, links_per_pair, "links-per-pair", "1", "1", "256"),
     .help = "parallel links between each ToR and each of its aggregation switches"},
    {WEFT_ROW_BOOL(struct params, dual_plane, "dual-plane", "true"),
     .help = "the two ToRs of a pair are in separate planes; false: dual-ToR only",
     .source = PAPER},
    WEFT_WIRE_PARAMS(struct params, access, "", "200Gbps", "each of the two links of an NPU",
                     "every NPU link", PAPER),
    WEFT_WIRE_PARAMS(struct params, uplink, "uplink-", "400Gbps", "every link between switches",
                     "every link between switches", PAPER),
};

static void dual_plane_wire(struct weft_build *b, const struct weft_dimension *d,
                            const uint32_t *npus, uint32_t n)
{
    const struct params *p = d->params;
    struct weft_build_wire access = p->access;
    struct weft_build_wire uplink = p->uplink;
    const uint32_t rails = (uint32_t)p->rails, planes = p->dual_plane ? 2 : 1;
    const uint32_t ntors = (uint32_t)p->segments * rails * 2, aggs = (uint32_t)p->aggregations;
    uint32_t tor0 = weft_build_nodes(b, WEFT_NODE_SWITCH, 1, ntors);
    for (uint32_t e = 0; e < n && !b->rc; e++) {
        uint32_t segment = e / rails / (uint32_t)p->nodes;
        uint32_t pair = tor0 + (segment * rails + e % rails) * 2;
        weft_build_link(b, npus[e], pair, access);
        weft_build_link(b, npus[e], pair + 1, access);
    }
    uint32_t agg0 = weft_build_nodes(b, WEFT_NODE_SWITCH, 2, (uint64_t)aggs * planes);
    for (uint32_t t = 0; t < ntors && !b->rc; t++)
        weft_build_stage(b, tor0 + t, 1, agg0 + t % planes * aggs, aggs, p->links_per_pair, uplink);
}

static int dual_plane_dimensions(const void *raw, struct weft_dimensions *to, struct weft_err *err)
{
    const struct params *p = raw;
    struct weft_dimension d = {{.kind = "dual-plane",
                                .links = 2,
                                .rate_bps = p->access.rate_bps,
                                .delay_ps = p->access.delay_ps,
                                .acyclic = true},
                               dual_plane_wire,
                               p,
                               0};
    if (to->n > 0 && p->rails != to->npus)
        return weft_err_set(err, WEFT_E_INPUT,
                            "dual-plane: there must be as many rails (%" PRIu64 ") as NPUs in the "
                            "dimensions inside (%" PRIu64 ")",
                            p->rails, to->npus);
    return weft_dimensions_add_spanning(to, &d, p->rails * p->segments * p->nodes, err);
}

const struct weft_topology_ops weft_topology_dual_plane = {
    .name = "dual-plane",
    .title = "rail-optimised Clos with two ToRs per NPU, in two planes or one",
    .source = PAPER,
    .params = WEFT_PARAM_TABLE(params, struct params),
    .dimensions = dual_plane_dimensions,
};
