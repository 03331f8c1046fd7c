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

struct params {
    uint64_t rails, segments, nodes, aggregations, links_per_pair;
    int dual_plane;
    uint64_t rate_bps;
    int64_t delay_ps;
    uint64_t uplink_rate_bps;
    int64_t uplink_delay_ps;
};

#define PAPER                                                                                      \
    "Qian et al.: Alibaba HPN: a data center network for large language model training, SIGCOMM "  \
    "2024, section 4"

static const struct weft_param params[] = {
    {"rails", WEFT_PARAM_U64, offsetof(struct params, rails), "8", "1", "1024", NULL,
     "NPUs of a node, each on a pair of ToRs of its own; in a composed fabric the NPUs of the "
     "dimensions inside",
     PAPER},
    {"segments", WEFT_PARAM_U64, offsetof(struct params, segments), "2", "1", "1024", NULL,
     "segments, each with one pair of ToRs per rail", PAPER},
    {"nodes", WEFT_PARAM_U64, offsetof(struct params, nodes), "4", "1", "65536", NULL,
     "nodes of each segment", PAPER},
    {"aggregations", WEFT_PARAM_U64, offsetof(struct params, aggregations), "4", "1", "4096", NULL,
     "aggregation switches of each plane; without dual-plane of all", PAPER},
    {"links-per-pair", WEFT_PARAM_U64, offsetof(struct params, links_per_pair), "1", "1", "256",
     NULL, "parallel links between each ToR and each of its aggregation switches", NULL},
    {"dual-plane", WEFT_PARAM_BOOL, offsetof(struct params, dual_plane), "true", NULL, NULL, NULL,
     "the two ToRs of a pair are in separate planes; false: dual-ToR only", PAPER},
    {"rate", WEFT_PARAM_RATE, offsetof(struct params, rate_bps), "200Gbps", "1bps", NULL, NULL,
     "rate of each of the two links of an NPU, each direction", PAPER},
    {"delay", WEFT_PARAM_TIME, offsetof(struct params, delay_ps), "1us", "0ps", "1s", NULL,
     "propagation delay of every NPU link", NULL},
    {"uplink-rate", WEFT_PARAM_RATE, offsetof(struct params, uplink_rate_bps), "400Gbps", "1bps",
     NULL, NULL, "rate of every link between switches, each direction", PAPER},
    {"uplink-delay", WEFT_PARAM_TIME, offsetof(struct params, uplink_delay_ps), "1us", "0ps", "1s",
     NULL, "propagation delay of every link between switches", NULL},
};

static void wire(struct weft_build *b, const struct weft_dimension *d, const uint32_t *npus,
                 uint32_t n)
{
    const struct params *p = d->params;
    struct weft_build_wire access = {p->rate_bps, p->delay_ps};
    struct weft_build_wire uplink = {p->uplink_rate_bps, p->uplink_delay_ps};
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

static int dimensions(const void *raw, struct weft_dimensions *to, struct weft_err *err)
{
    const struct params *p = raw;
    struct weft_dimension d = {{.kind = "dual-plane",
                                .links = 2,
                                .rate_bps = p->rate_bps,
                                .delay_ps = p->delay_ps,
                                .acyclic = true},
                               wire,
                               p,
                               0};
    if (to->n > 0 && p->rails != to->npus)
        return weft_err_set(err, WEFT_E_INPUT,
                            "dual-plane: there must be as many rails (%llu) as NPUs in the "
                            "dimensions inside (%llu)",
                            (unsigned long long)p->rails, (unsigned long long)to->npus);
    return weft_dimensions_add_spanning(to, &d, p->rails * p->segments * p->nodes, err);
}

extern const struct weft_topology_ops weft_topology_dual_plane;
const struct weft_topology_ops weft_topology_dual_plane = {
    .name = "dual-plane",
    .title = "rail-optimised Clos with two ToRs per NPU, in two planes or one",
    .source = PAPER,
    .params = WEFT_PARAM_TABLE(params, struct params),
    .dimensions = dimensions,
};
