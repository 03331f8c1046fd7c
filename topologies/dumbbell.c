/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dumbbell: two switches joined by one link, hosts on both sides. The left hosts come first.
 */
#include "topologies/build.h"
#include "topologies/topology.h"

struct params {
    uint64_t left, right;
    uint64_t host_rate_bps;
    int64_t host_delay_ps;
    uint64_t bottleneck_rate_bps;
    int64_t bottleneck_delay_ps;
};

static const struct weft_param params[] = {
    {"left", WEFT_PARAM_U64, offsetof(struct params, left), "1", "1", "65536", NULL,
     "hosts on the left switch", NULL},
    {"right", WEFT_PARAM_U64, offsetof(struct params, right), "1", "1", "65536", NULL,
     "hosts on the right switch", NULL},
    {"host-rate", WEFT_PARAM_RATE, offsetof(struct params, host_rate_bps), "400Gbps", "1bps", NULL,
     NULL, "rate of every host link, each direction", NULL},
    {"host-delay", WEFT_PARAM_TIME, offsetof(struct params, host_delay_ps), "1us", "0ps", "1s",
     NULL, "propagation delay of every host link", NULL},
    {"bottleneck-rate", WEFT_PARAM_RATE, offsetof(struct params, bottleneck_rate_bps), "400Gbps",
     "1bps", NULL, NULL, "rate of the link between the switches, each direction", NULL},
    {"bottleneck-delay", WEFT_PARAM_TIME, offsetof(struct params, bottleneck_delay_ps), "1us",
     "0ps", "1s", NULL, "propagation delay of the link between the switches", NULL},
};

static int build(const void *raw, struct weft_fabric **out, struct weft_err *err)
{
    const struct params *p = raw;
    struct weft_build_wire access = {p->host_rate_bps, p->host_delay_ps};
    struct weft_build_wire middle = {p->bottleneck_rate_bps, p->bottleneck_delay_ps};
    struct weft_build b;
    weft_build_start(&b, err);
    uint32_t hosts = weft_build_nodes(&b, WEFT_NODE_HOST, 0, p->left + p->right);
    uint32_t sw = weft_build_nodes(&b, WEFT_NODE_SWITCH, 1, 2);
    for (uint32_t h = 0; h < p->left + p->right; h++)
        weft_build_link(&b, hosts + h, h < p->left ? sw : sw + 1, access);
    weft_build_link(&b, sw, sw + 1, middle);
    return weft_build_finish(&b, out);
}

extern const struct weft_topology_ops weft_topology_dumbbell;
const struct weft_topology_ops weft_topology_dumbbell = {
    .name = "dumbbell",
    .title = "two switches joined by one link, hosts on both sides",
    .params = WEFT_PARAM_TABLE(params, struct params),
    .build = build,
};
