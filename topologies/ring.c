/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ring: each NPU linked to its two neighbours. Packets go the shorter way; where both are equally
 * short, flows are spread over both.
 *
 * With two virtual channels the link between the last and the first NPU is a dateline: packets that
 * have crossed it go on in channel 1, so that no circle of waiting channels closes (Dally, Seitz:
 * "Deadlock-free message routing in multiprocessor interconnection networks", IEEE ToC 1987).
 */
#include "topologies/compose.h"
#include "topologies/lines.h"

struct params {
    uint64_t size, vcs;
    struct weft_npu_links wire;
};

static const struct weft_param params[] = {
    {WEFT_ROW_U64(struct params, size, "size", "8", "2", "65536"), .help = "NPUs on the ring"},
    WEFT_NPU_LINKS_PARAMS(struct params, "between neighbours"),
    WEFT_VCS_PARAM(struct params),
};

static void ring_wire(struct weft_build *b, const struct weft_dimension *d, const uint32_t *npus,
                      uint32_t n)
{
    const struct params *p = d->params;
    weft_wire_ring(b, &p->wire, p->vcs == 2, npus, n);
}

static int ring_dimensions(const void *raw, struct weft_dimensions *to, struct weft_err *err)
{
    const struct params *p = raw;
    struct weft_dimension d = {weft_ring_about(&p->wire, (uint32_t)p->size), ring_wire, p, 0};
    return weft_dimensions_add(to, &d, err);
}

const struct weft_topology_ops weft_topology_ring = {
    .name = "ring",
    .title = "NPUs in a ring, each linked to two neighbours",
    .params = WEFT_PARAM_TABLE(params, struct params),
    .dimensions = ring_dimensions,
};
