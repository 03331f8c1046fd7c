/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * switch: all NPUs on one switch, or on several switches side by side as in an NVLink domain:
 * every NPU has `links` links to each.
 */
#include "topologies/compose.h"

struct params {
    uint64_t size, switches;
    struct weft_npu_links wire;
};

static const struct weft_param params[] = {
    {WEFT_ROW_U64(struct params, size, "size", "8", "1", "65536"), .help = "number of NPUs"},
    {WEFT_ROW_U64(struct params, switches, "switches", "1", "1", "256"),
     .help = "switches side by side; every NPU is linked to each"},
    WEFT_NPU_LINKS_PARAMS(struct params, "from each NPU to each switch"),
};

static void switch_wire(struct weft_build *b, const struct weft_dimension *d, const uint32_t *npus,
                        uint32_t n)
{
    const struct params *p = d->params;
    uint32_t sw = weft_build_nodes(b, WEFT_NODE_SWITCH, 1, p->switches);
    for (uint32_t i = 0; i < n && !b->rc; i++)
        for (uint32_t s = 0; s < p->switches; s++)
            weft_wire_pair(b, &p->wire, npus[i], sw + s, false);
}

static int switch_dimensions(const void *raw, struct weft_dimensions *to, struct weft_err *err)
{
    const struct params *p = raw;
    struct weft_dimension d = {{.kind = "switch",
                                .size = (uint32_t)p->size,
                                .links = (uint32_t)(p->switches * p->wire.links),
                                .rate_bps = p->wire.rate_bps,
                                .delay_ps = p->wire.delay_ps,
                                .acyclic = true},
                               switch_wire,
                               p,
                               0};
    return weft_dimensions_add(to, &d, err);
}

const struct weft_topology_ops weft_topology_switch = {
    .name = "switch",
    .title = "NPUs on one switch, or on several side by side",
    .params = WEFT_PARAM_TABLE(params, struct params),
    .dimensions = switch_dimensions,
};
