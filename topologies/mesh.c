/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * mesh: NPUs on a grid of open lines; routes correct one dimension after the other, innermost
 * first, which no circle of waiting links can come of (Dally, Seitz, IEEE ToC 1987).
 */
#include "topologies/lines.h"

struct params {
    const char *shape;
    struct weft_npu_links wire;
};

static const struct weft_param params[] = {
    {WEFT_ROW_STRING(struct params, shape, "shape", "4x4"),
     .help = "NPUs along each dimension, innermost first, joined by 'x'", .list = &weft_shape_form},
    WEFT_NPU_LINKS_PARAMS(struct params, "between neighbours"),
};

static int mesh_dimensions(const void *raw, struct weft_dimensions *to, struct weft_err *err)
{
    const struct params *p = raw;
    uint32_t sizes[WEFT_FABRIC_DIMS_MAX], n;
    int rc = weft_parse_shape(p->shape, sizes, &n, err);
    for (uint32_t i = 0; i < n && !rc; i++) {
        struct weft_dimension d = {weft_line_about(&p->wire, sizes[i]), weft_wire_line, &p->wire,
                                   i};
        rc = weft_dimensions_add(to, &d, err);
    }
    return rc;
}

const struct weft_topology_ops weft_topology_mesh = {
    .name = "mesh",
    .title = "NPUs on a grid in one or more dimensions, ends open",
    .params = WEFT_PARAM_TABLE(params, struct params),
    .dimensions = mesh_dimensions,
};
