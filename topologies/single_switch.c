/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * single-switch: every host on one switch. The smallest fabric; incast and fairness tests use it.
 */
#include "topologies/build.h"
#include "topologies/topology.h"

struct params {
    uint64_t hosts;
    struct weft_build_wire access;
};

static const struct weft_param params[] = {
    {WEFT_ROW_U64(struct params, hosts, "hosts", "8", "1", "65536"), .help = "number of hosts"},
    WEFT_WIRE_PARAMS(struct params, access, "", "400Gbps", "every link", "every link", NULL),
};

static int single_switch_build(const void *raw, struct weft_fabric **out, struct weft_err *err)
{
    const struct params *p = raw;
    struct weft_build_wire wire = p->access;
    struct weft_build b;
    weft_build_start(&b, err);
    uint32_t hosts = weft_build_nodes(&b, WEFT_NODE_HOST, 0, p->hosts);
    uint32_t sw = weft_build_nodes(&b, WEFT_NODE_SWITCH, 1, 1);
    for (uint32_t h = 0; h < p->hosts; h++)
        weft_build_link(&b, hosts + h, sw, wire);
    return weft_build_finish(&b, out);
}

const struct weft_topology_ops weft_topology_single_switch = {
    .name = "single-switch",
    .title = "all hosts on one switch",
    .params = WEFT_PARAM_TABLE(params, struct params),
    .build = single_switch_build,
};
