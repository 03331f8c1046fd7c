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
    struct weft_build_wire host;
    struct weft_build_wire fabric;
};

#define PAPER                                                                                      \
    "Ahn, Binkert, Davis, McLaren, Schreiber: HyperX: topology, routing, and packaging of "        \
    "efficient large-scale networks, SC 2009"

static const struct weft_param params[] = {
    {WEFT_ROW_STRING(struct params, shape, "shape", "4x4"),
     .help = "switches along each dimension, joined by 'x'", .source = PAPER,
     .list = &weft_shape_form},
    {WEFT_ROW_U64(struct params, terminals, "terminals", "2", "1", "1024"),
     .help = "NPUs on each switch", .source = PAPER},
    {WEFT_ROW_U64(struct params, links_per_pair, "links-per-pair", "1", "1", "256"),
     .help = "parallel links between two switches", .source = PAPER},
    WEFT_WIRE_PARAMS(struct params, host, "host-", "400Gbps", "every NPU link", "every NPU link",
                     NULL),
    WEFT_WIRE_PARAMS(struct params, fabric, "fabric-", "400Gbps", "every link between switches",
                     "every link between switches", NULL),
};

static void hyperx_wire(struct weft_build *b, const struct weft_dimension *d, const uint32_t *npus,
                        uint32_t n)
{
    const struct params *p = d->params;
    struct weft_build_wire access = p->host;
    struct weft_build_wire fabric = p->fabric;
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

static int hyperx_dimensions(const void *raw, struct weft_dimensions *to, struct weft_err *err)
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
        {.kind = "hyperx", .links = 1, .rate_bps = p->host.rate_bps, .delay_ps = p->host.delay_ps},
        hyperx_wire,
        p,
        0};
    return weft_dimensions_add_spanning(to, &d, endpoints, err);
}

const struct weft_topology_ops weft_topology_hyperx = {
    .name = "hyperx",
    .title = "switches on a grid, fully connected along every dimension",
    .source = PAPER,
    .params = WEFT_PARAM_TABLE(params, struct params),
    .dimensions = hyperx_dimensions,
};
