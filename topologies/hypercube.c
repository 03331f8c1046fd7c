/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * hypercube: 2^order NPUs; those whose numbers differ in one bit are linked. Dimension i is bit i;
 * routes correct the bits from the lowest up (e-cube routing).
 */
#include "topologies/lines.h"

struct params {
    uint64_t order;
    struct weft_npu_links wire;
};

static const struct weft_param params[] = {
    {WEFT_ROW_U64(struct params, order, "order", "4", "1", "16"),
     .help = "dimensions; 2^order NPUs"},
    WEFT_NPU_LINKS_PARAMS(struct params, "between neighbours"),
};

static int hypercube_dimensions(const void *raw, struct weft_dimensions *to, struct weft_err *err)
{
    const struct params *p = raw;
    int rc = 0;
    for (uint32_t i = 0; i < p->order && !rc; i++) {
        struct weft_dimension d = {weft_line_about(&p->wire, 2), weft_wire_line, &p->wire, i};
        d.about.kind = "hypercube";
        rc = weft_dimensions_add(to, &d, err);
    }
    return rc;
}

const struct weft_topology_ops weft_topology_hypercube = {
    .name = "hypercube",
    .title = "2^order NPUs, linked where their numbers differ in one bit",
    .params = WEFT_PARAM_TABLE(params, struct params),
    .dimensions = hypercube_dimensions,
};
