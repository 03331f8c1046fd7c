/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * NVLink planes of a server: NVSwitches that all reach the same GPUs.
 *
 * A GPU's memory is interleaved over its NVLinks, so that whatever goes to another GPU uses all of
 * them, and NCCL's channels count on it: it searches paths with the sum of a GPU's links
 * (ncclTopoConnectNodes adds up links of equal ends). The planes are taken for one switch with one
 * link per GPU, as fast as its links together.
 */
#include "topologies/nccl.h"

#include <stdlib.h>
#include <string.h>

static bool is_plane_wire(const struct nccl_reader *r, const struct nccl_wire *w)
{
    return r->parts[w->a].kind == GPU && r->parts[w->b].nvswitch;
}

/* One wire per pair of ends: the sum of theirs. */
static void add_up(struct nccl_reader *r)
{
    uint32_t n = 0;
    for (uint32_t w = 0; w < r->nwires; w++) {
        uint32_t k = w < r->nvlinks ? 0 : n;
        while (k < n && (r->wires[k].a != r->wires[w].a || r->wires[k].b != r->wires[w].b))
            k++;
        if (k < n)
            r->wires[k].rate_bps += r->wires[w].rate_bps;
        else
            r->wires[n++] = r->wires[w];
    }
    r->nwires = n;
}

/* GPUs of a plane, a bit each. */
static void mark_gpus(const struct nccl_reader *r, uint32_t plane, uint8_t *gpus)
{
    memset(gpus, 0, r->nparts);
    for (uint32_t w = 0; w < r->nvlinks; w++)
        if (r->wires[w].b == plane && is_plane_wire(r, &r->wires[w]))
            gpus[r->wires[w].a] = 1;
}

/* The wires of `plane` lead to `into`; nothing else is joined to an NVSwitch that only the GPUs
 * name. */
static void fold(struct nccl_reader *r, uint32_t plane, uint32_t into)
{
    for (uint32_t w = 0; w < r->nvlinks; w++)
        if (r->wires[w].b == plane && is_plane_wire(r, &r->wires[w]))
            r->wires[w].b = into;
    r->parts[plane].folded = r->parts[plane].kind == NVSWITCH;
    r->parts[plane].nvswitch = false;
}

int nccl_fold_planes(struct nccl_reader *r)
{
    uint8_t *first = malloc(2 * (size_t)r->nparts + 1), *second = first + r->nparts;
    if (!first)
        return weft_err_no_memory(r->err, "a topology");
    r->nvlinks = r->nwires;
    for (uint32_t i = 0; !r->separate_planes && i < r->nparts; i++) {
        if (!r->parts[i].nvswitch)
            continue;
        mark_gpus(r, i, first);
        for (uint32_t k = i + 1; k < r->nparts; k++) {
            if (!r->parts[k].nvswitch || r->parts[k].host != r->parts[i].host)
                continue;
            mark_gpus(r, k, second);
            if (memcmp(first, second, r->nparts) == 0)
                fold(r, k, i);
        }
    }
    free(first);
    add_up(r);
    return 0;
}
