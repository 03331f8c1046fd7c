/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * fully-connected: a link between every two NPUs. Nobody forwards, unless hosts-forward lets NPUs
 * carry what a failed link no longer does.
 */
#include "topologies/compose.h"

struct params {
    uint64_t size;
    bool hosts_forward;
    struct weft_npu_links wire;
};

static const struct weft_param params[] = {
    {WEFT_ROW_U64(struct params, size, "size", "8", "2", "4096"), .help = "number of NPUs"},
    WEFT_NPU_LINKS_PARAMS(struct params, "between two NPUs"),
    WEFT_HOSTS_FORWARD_PARAM(struct params),
};

static void fully_connected_wire(struct weft_build *b, const struct weft_dimension *d,
                                 const uint32_t *npus, uint32_t n)
{
    const struct params *p = d->params;
    for (uint32_t i = 0; i < n && !b->rc; i++)
        for (uint32_t j = i + 1; j < n; j++)
            weft_wire_pair(b, &p->wire, npus[i], npus[j], false);
}

static int fully_connected_dimensions(const void *raw, struct weft_dimensions *to,
                                      struct weft_err *err)
{
    const struct params *p = raw;
    struct weft_dimension d = {{.kind = "fully-connected",
                                .size = (uint32_t)p->size,
                                .links = (uint32_t)((p->size - 1) * p->wire.links),
                                .rate_bps = p->wire.rate_bps,
                                .delay_ps = p->wire.delay_ps,
                                .direct = true,
                                .relays = p->hosts_forward,
                                .acyclic = true},
                               fully_connected_wire,
                               p,
                               0};
    return weft_dimensions_add(to, &d, err);
}

const struct weft_topology_ops weft_topology_fully_connected = {
    .name = "fully-connected",
    .title = "a link between every two NPUs",
    .params = WEFT_PARAM_TABLE(params, struct params),
    .dimensions = fully_connected_dimensions,
};
