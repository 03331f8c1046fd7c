/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The generators' shared steps; see build.h.
 */
#include "topologies/build.h"

void weft_build_start(struct weft_build *b, struct weft_err *err)
{
    *b = (struct weft_build){.f = weft_fabric_new()};
    b->err = err;
    b->rc = b->f ? 0 : weft_err_no_memory(err, "a fabric");
}

uint32_t weft_build_nodes(struct weft_build *b, enum weft_node_kind kind, uint32_t tier, uint64_t n)
{
    uint32_t first = b->f ? b->f->nnodes : 0;
    for (uint64_t i = 0; i < n && !b->rc; i++)
        b->rc = weft_fabric_add_node(b->f, kind, tier, NULL, b->err);
    return first;
}

void weft_build_link(struct weft_build *b, uint32_t x, uint32_t y, struct weft_build_wire wire)
{
    if (b->rc)
        return;
    struct weft_fabric_link link = b->link;
    link.a = x;
    link.b = y;
    link.rate_bps = wire.rate_bps;
    link.delay_ps = wire.delay_ps;
    b->rc = weft_fabric_add_link(b->f, &link, NULL, b->err);
}

void weft_build_stage(struct weft_build *b, uint32_t x, uint32_t n, uint32_t y, uint32_t m,
                      uint64_t parallel, struct weft_build_wire wire)
{
    for (uint32_t i = 0; i < n && !b->rc; i++)
        for (uint32_t k = 0; k < m && !b->rc; k++)
            for (uint64_t c = 0; c < parallel; c++)
                weft_build_link(b, x + i, y + k, wire);
}

int weft_build_finish(struct weft_build *b, struct weft_fabric **out)
{
    *out = NULL;
    if (!b->rc)
        b->rc = weft_fabric_finish(b->f, b->err);
    if (b->rc)
        weft_fabric_free(b->f);
    else
        *out = b->f;
    b->f = NULL;
    return b->rc;
}
