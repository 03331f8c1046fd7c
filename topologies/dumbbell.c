/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dumbbell: two switches joined by one link, hosts on both sides. The left hosts come first.
 */
#include "topologies/build.h"
#include "topologies/topology.h"

struct params {
    uint64_t left, right;
    struct weft_build_wire host;
    struct weft_build_wire bottleneck;
};

static const struct weft_param params[] = {
    {WEFT_ROW_U64(struct params, left, "left", "1", "1", "65536"),
     .help = "hosts on the left switch"},
    {WEFT_ROW_U64(struct params, right, "right", "1", "1", "65536"),
     .help = "hosts on the right switch"},
    WEFT_WIRE_PARAMS(struct params, host, "host-", "400Gbps", "every host link", "every host link",
                     NULL),
    WEFT_WIRE_PARAMS(struct params, bottleneck, "bottleneck-", "400Gbps",
                     "the link between the switches", "the link between the switches", NULL),
};

static int dumbbell_build(const void *raw, struct weft_fabric **out, struct weft_err *err)
{
    const struct params *p = raw;
    struct weft_build_wire access = p->host;
    struct weft_build_wire middle = p->bottleneck;
    struct weft_build b;
    weft_build_start(&b, err);
    uint32_t hosts = weft_build_nodes(&b, WEFT_NODE_HOST, 0, p->left + p->right);
    uint32_t sw = weft_build_nodes(&b, WEFT_NODE_SWITCH, 1, 2);
    for (uint32_t h = 0; h < p->left + p->right; h++)
        weft_build_link(&b, hosts + h, h < p->left ? sw : sw + 1, access);
    weft_build_link(&b, sw, sw + 1, middle);
    return weft_build_finish(&b, out);
}

const struct weft_topology_ops weft_topology_dumbbell = {
    .name = "dumbbell",
    .title = "two switches joined by one link, hosts on both sides",
    .params = WEFT_PARAM_TABLE(params, struct params),
    .build = dumbbell_build,
};
