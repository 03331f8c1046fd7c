/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dragonfly: groups of fully connected routers, global links between the groups.
 *
 * Kim, Dally, Scott, Abts (ISCA 2008): each of `routers` routers of a group has `terminals` NPUs, a
 * link to every other router of its group and `global-links` links to other groups. The global
 * channels of a group are numbered router by router; channel c of group g leads to group g + 1 + c
 * mod (groups - 1), so that every two groups have the same number of links.
 *
 * Routes are minimal: at most one global link (its cost outweighs two local ones), local links
 * before and behind it. With two virtual channels packets go on in channel 1 behind the global
 * link, so that no circle of waiting links closes.
 */
#include "topologies/compose.h"
#include "topologies/lines.h"

#include <inttypes.h>

struct params {
    uint64_t routers, terminals, global_links, groups, vcs;
    struct weft_build_wire host;
    struct weft_build_wire local;
    struct weft_build_wire global;
};

#define PAPER                                                                                      \
    "Kim, Dally, Scott, Abts: Technology-driven, highly-scalable dragonfly topology, ISCA 2008"

static const struct weft_param params[] = {
    {WEFT_ROW_U64(struct params, routers, "routers", "4", "1", "256"),
     .help = "routers of each group (a)", .source = PAPER},
    {WEFT_ROW_U64(struct params, terminals, "terminals", "2", "1", "256"),
     .help = "NPUs on each router (p); balanced at routers / 2", .source = PAPER},
    {WEFT_ROW_U64(struct params, global_links, "global-links", "2", "1", "256"),
     .help = "links to other groups of each router (h); balanced at routers / 2", .source = PAPER},
    {WEFT_ROW_U64(struct params, groups, "groups", "0", "0", "65536"),
     .help = "number of groups; 0: the most, routers x global-links + 1", .source = PAPER},
    WEFT_VCS_PARAM(struct params),
    WEFT_WIRE_PARAMS(struct params, host, "host-", "400Gbps", "every NPU link", "every NPU link",
                     NULL),
    WEFT_WIRE_PARAMS(struct params, local, "local-", "400Gbps", "every link within a group",
                     "every link within a group", NULL),
    WEFT_WIRE_PARAMS(struct params, global, "global-", "400Gbps", "every link between groups",
                     "every link between groups", NULL),
};

/* Two local links and a global one (1 + 4 + 1) are cheaper than two global ones. */
#define GLOBAL_COST 4

static uint32_t groups(const struct params *p)
{
    return (uint32_t)(p->groups ? p->groups : p->routers * p->global_links + 1);
}

static void dragonfly_wire(struct weft_build *b, const struct weft_dimension *d,
                           const uint32_t *npus, uint32_t n)
{
    const struct params *p = d->params;
    const uint32_t a = (uint32_t)p->routers, h = (uint32_t)p->global_links, g = groups(p);
    struct weft_build_wire access = p->host;
    struct weft_build_wire local = p->local;
    struct weft_build_wire global = p->global;
    uint32_t router0 = weft_build_nodes(b, WEFT_NODE_SWITCH, 1, (uint64_t)a * g);
    for (uint32_t i = 0; i < n && !b->rc; i++)
        weft_build_link(b, npus[i], router0 + i / (uint32_t)p->terminals, access);
    for (uint32_t i = 0; i < g && !b->rc; i++)
        for (uint32_t r = 0; r < a; r++)
            for (uint32_t s = r + 1; s < a; s++)
                weft_build_link(b, router0 + i * a + r, router0 + i * a + s, local);
    if (g < 2)
        return;
    b->link.cost = GLOBAL_COST;
    b->link.dateline = p->vcs == 2;
    for (uint32_t i = 0; i < g && !b->rc; i++)
        for (uint32_t c = 0; c < a * h; c++) {
            /* The same link at the other end: the opposite offset, the same copy. */
            uint32_t offset = c % (g - 1) + 1, copy = c / (g - 1), j = (i + offset) % g;
            uint32_t back = copy * (g - 1) + g - offset - 1;
            if (i < j)
                weft_build_link(b, router0 + i * a + c / h, router0 + j * a + back / h, global);
        }
    b->link.cost = 0;
    b->link.dateline = false;
}

static int dragonfly_dimensions(const void *raw, struct weft_dimensions *to, struct weft_err *err)
{
    const struct params *p = raw;
    const uint64_t channels = p->routers * p->global_links,
                   g = p->groups ? p->groups : channels + 1;
    if (g > channels + 1)
        return weft_err_set(err, WEFT_E_INPUT,
                            "dragonfly: %" PRIu64 " groups, but %" PRIu64 " routers with %" PRIu64
                            " global links reach "
                            "at most %" PRIu64,
                            g, p->routers, p->global_links, channels + 1);
    if (g > 1 && channels % (g - 1)) {
        uint64_t near = g;
        while (channels % (near - 1))
            near++; /* ends at channels + 1 */
        return weft_err_set(err, WEFT_E_INPUT,
                            "dragonfly: the %" PRIu64
                            " global links of a group do not divide among %" PRIu64 " "
                            "other groups; nearest is %" PRIu64 " groups",
                            channels, (g - 1), near);
    }
    struct weft_dimension d = {{.kind = "dragonfly",
                                .links = 1,
                                .rate_bps = p->host.rate_bps,
                                .delay_ps = p->host.delay_ps,
                                .acyclic = g == 1},
                               dragonfly_wire,
                               p,
                               0};
    return weft_dimensions_add_spanning(to, &d, p->terminals * p->routers * g, err);
}

const struct weft_topology_ops weft_topology_dragonfly = {
    .name = "dragonfly",
    .title = "fully connected groups of routers, global links between the groups",
    .source = PAPER,
    .params = WEFT_PARAM_TABLE(params, struct params),
    .dimensions = dragonfly_dimensions,
};
