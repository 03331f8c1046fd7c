/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * single-switch: every host on one switch. The smallest fabric; incast and fairness tests use it.
 */
#include "topologies/build.h"
#include "topologies/topology.h"

struct params {
    uint64_t hosts;
    uint64_t rate_bps;
    int64_t delay_ps;
};

static const struct weft_param params[] = {
    {"hosts", WEFT_PARAM_U64, offsetof(struct params, hosts), "8", "1", "65536", NULL,
     "number of hosts", NULL},
    {"rate", WEFT_PARAM_RATE, offsetof(struct params, rate_bps), "400Gbps", "1bps", NULL, NULL,
     "rate of every link, each direction", NULL},
    {"delay", WEFT_PARAM_TIME, offsetof(struct params, delay_ps), "1us", "0ps", "1s", NULL,
     "propagation delay of every link", NULL},
};

static int build(const void *raw, struct weft_fabric **out, struct weft_err *err)
{
    const struct params *p = raw;
    struct weft_build_wire wire = {p->rate_bps, p->delay_ps};
    struct weft_build b;
    weft_build_start(&b, err);
    uint32_t hosts = weft_build_nodes(&b, WEFT_NODE_HOST, 0, p->hosts);
    uint32_t sw = weft_build_nodes(&b, WEFT_NODE_SWITCH, 1, 1);
    for (uint32_t h = 0; h < p->hosts; h++)
        weft_build_link(&b, hosts + h, sw, wire);
    return weft_build_finish(&b, out);
}

extern const struct weft_topology_ops weft_topology_single_switch;
const struct weft_topology_ops weft_topology_single_switch = {
    .name = "single-switch",
    .title = "all hosts on one switch",
    .params = WEFT_PARAM_TABLE(params, struct params),
    .build = build,
};
