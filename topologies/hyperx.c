/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * hyperx: switches on a grid, each linked to all others that differ in one coordinate, with
 * `terminals` NPUs on each. Routes correct one coordinate per hop, innermost first, which no circle
 * of waiting links can come of.
 */
#include "topologies/compose.h"

struct params {
    const char *shape;
    uint64_t terminals, links_per_pair;
    uint64_t host_rate_bps;
    int64_t host_delay_ps;
    uint64_t fabric_rate_bps;
    int64_t fabric_delay_ps;
};

#define PAPER                                                                                      \
    "Ahn, Binkert, Davis, McLaren, Schreiber: HyperX: topology, routing, and packaging of "        \
    "efficient large-scale networks, SC 2009"

static const struct weft_param params[] = {
    {"shape", WEFT_PARAM_STRING, offsetof(struct params, shape), "4x4", NULL, NULL, NULL,
     "switches along each dimension, joined by 'x'", PAPER},
    {"terminals", WEFT_PARAM_U64, offsetof(struct params, terminals), "2", "1", "1024", NULL,
     "NPUs on each switch", PAPER},
    {"links-per-pair", WEFT_PARAM_U64, offsetof(struct params, links_per_pair), "1", "1", "256",
     NULL, "parallel links between two switches", PAPER},
    {"host-rate", WEFT_PARAM_RATE, offsetof(struct params, host_rate_bps), "400Gbps", "1bps", NULL,
     NULL, "rate of every NPU link, each direction", NULL},
    {"host-delay", WEFT_PARAM_TIME, offsetof(struct params, host_delay_ps), "1us", "0ps", "1s",
     NULL, "propagation delay of every NPU link", NULL},
    {"fabric-rate", WEFT_PARAM_RATE, offsetof(struct params, fabric_rate_bps), "400Gbps", "1bps",
     NULL, NULL, "rate of every link between switches, each direction", NULL},
    {"fabric-delay", WEFT_PARAM_TIME, offsetof(struct params, fabric_delay_ps), "1us", "0ps", "1s",
     NULL, "propagation delay of every link between switches", NULL},
};

static void wire(struct weft_build *b, const struct weft_dimension *d, const uint32_t *npus,
                 uint32_t n)
{
    const struct params *p = d->params;
    struct weft_build_wire access = {p->host_rate_bps, p->host_delay_ps};
    struct weft_build_wire fabric = {p->fabric_rate_bps, p->fabric_delay_ps};
    uint32_t sizes[WEFT_FABRIC_DIMS_MAX], ndims, stride = 1;
    const uint32_t nsw = n / (uint32_t)p->terminals;
    if (b->rc || (b->rc = weft_parse_shape(p->shape, sizes, &ndims, b->err)))
        return;
    uint32_t sw0 = weft_build_nodes(b, WEFT_NODE_SWITCH, 1, nsw);
    for (uint32_t h = 0; h < n; h++)
        weft_build_link(b, npus[h], sw0 + h / (uint32_t)p->terminals, access);
    for (uint32_t k = 0; k < ndims; stride *= sizes[k++]) {
        b->link.order = (uint8_t)k;
        for (uint32_t s = 0; s < nsw && !b->rc; s++)
            for (uint32_t c = s / stride % sizes[k] + 1; c < sizes[k]; c++)
                for (uint32_t i = 0; i < p->links_per_pair; i++)
                    weft_build_link(b, sw0 + s, sw0 + s + (c - s / stride % sizes[k]) * stride,
                                    fabric);
    }
    b->link.order = 0;
}

static int dimensions(const void *raw, struct weft_dimensions *to, struct weft_err *err)
{
    const struct params *p = raw;
    uint32_t sizes[WEFT_FABRIC_DIMS_MAX], n;
    uint64_t endpoints = p->terminals;
    int rc = weft_parse_shape(p->shape, sizes, &n, err);
    if (rc)
        return rc;
    for (uint32_t i = 0; i < n && endpoints <= WEFT_COMPOSE_HOSTS_MAX; i++)
        endpoints *= sizes[i];
    struct weft_dimension d = {
        {.kind = "hyperx", .links = 1, .rate_bps = p->host_rate_bps, .delay_ps = p->host_delay_ps},
        wire,
        p,
        0};
    return weft_dimensions_add_spanning(to, &d, endpoints, err);
}

extern const struct weft_topology_ops weft_topology_hyperx;
const struct weft_topology_ops weft_topology_hyperx = {
    .name = "hyperx",
    .title = "switches on a grid, fully connected along every dimension",
    .source = PAPER,
    .params = WEFT_PARAM_TABLE(params, struct params),
    .dimensions = dimensions,
};
