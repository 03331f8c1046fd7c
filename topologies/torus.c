/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * torus: NPUs on a grid whose every line is closed to a ring; routes correct one dimension after
 * the other, innermost first. A dimension of two NPUs has one link, not two. Datelines as in
 * ring.c.
 */
#include "topologies/lines.h"

struct params {
    const char *shape;
    uint64_t vcs;
    struct weft_npu_links wire;
};

static const struct weft_param params[] = {
    {WEFT_ROW_STRING(struct params, shape, "shape", "4x4"),
     .help = "NPUs along each dimension, innermost first, joined by 'x'", .list = &weft_shape_form},
    WEFT_NPU_LINKS_PARAMS(struct params, "between neighbours"),
    WEFT_VCS_PARAM(struct params),
};

static void torus_wire(struct weft_build *b, const struct weft_dimension *d, const uint32_t *npus,
                       uint32_t n)
{
    const struct params *p = d->params;
    weft_wire_ring(b, &p->wire, p->vcs == 2, npus, n);
}

static int torus_dimensions(const void *raw, struct weft_dimensions *to, struct weft_err *err)
{
    const struct params *p = raw;
    uint32_t sizes[WEFT_FABRIC_DIMS_MAX], n;
    int rc = weft_parse_shape(p->shape, sizes, &n, err);
    for (uint32_t i = 0; i < n && !rc; i++) {
        struct weft_dimension d = {weft_ring_about(&p->wire, sizes[i]), torus_wire, p, i};
        rc = weft_dimensions_add(to, &d, err);
    }
    return rc;
}

const struct weft_topology_ops weft_topology_torus = {
    .name = "torus",
    .title = "rings of NPUs in one or more dimensions",
    .params = WEFT_PARAM_TABLE(params, struct params),
    .dimensions = torus_dimensions,
};
