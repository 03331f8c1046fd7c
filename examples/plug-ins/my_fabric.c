/* SPDX-License-Identifier: GPL-2.0-only */
/* Two racks and the cables between them: docs/how-to/adding-a-topology.md. */
#include "base/plugin.h"
#include "topologies/build.h"
#include "topologies/topology.h"

struct params {
    uint64_t hosts, cables;
    struct weft_build_wire access, trunk;
};
static const struct weft_param table[] = {
    {.name = "hosts",
     .type = WEFT_PARAM_U64,
     .offset = offsetof(struct params, hosts),
     .def = "8",
     .min = "1",
     .max = "1024",
     .help = "hosts of each rack"},
    {.name = "cables",
     .type = WEFT_PARAM_U64,
     .offset = offsetof(struct params, cables),
     .def = "2",
     .min = "1",
     .max = "64",
     .help = "cables between the racks"},
    WEFT_WIRE_PARAMS(struct params, access, "", "400Gbps", "access links", "access links", NULL),
    WEFT_WIRE_PARAMS(struct params, trunk, "trunk-", "400Gbps", "each cable", "each cable", NULL),
};

static int mine_build(const void *params, struct weft_fabric **out, struct weft_err *err)
{
    const struct params *p = params;
    struct weft_build b;
    weft_build_start(&b, err);
    const uint32_t host = weft_build_nodes(&b, WEFT_NODE_HOST, 0, 2 * p->hosts);
    const uint32_t rack = weft_build_nodes(&b, WEFT_NODE_SWITCH, 1, 2);
    for (uint32_t h = 0; h < 2 * p->hosts; h++)
        weft_build_link(&b, host + h, rack + (h >= p->hosts), p->access);
    for (uint64_t c = 0; c < p->cables; c++)
        weft_build_link(&b, rack, rack + 1, p->trunk);
    return weft_build_finish(&b, out);
}

static const struct weft_topology_ops mine = {
    .name = "my-racks",
    .title = "two racks and the cables between them",
    .params = WEFT_PARAM_TABLE(table, struct params),
    .build = mine_build,
};
WEFT_PLUGINS(WEFT_PLUGIN_TOPOLOGY(mine));
