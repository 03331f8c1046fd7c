/* SPDX-License-Identifier: GPL-2.0-only */
/* The graph once on each machine: fabric.h. */
#include "topologies/fabric.h"

#include "base/hash.h"
#include "base/shared.h"

#include <stdint.h>
#include <string.h>

/* Of what the graph is. Links have bytes that mean nothing. */
static uint64_t hash_of(const struct weft_fabric *f)
{
    uint64_t hash = weft_hash64(f->nodes, f->nnodes * sizeof *f->nodes);
    hash ^= 3 * weft_hash64(f->ports, f->nports * sizeof *f->ports);
    hash ^= 5 * weft_hash64(f->hosts, f->nhosts * sizeof *f->hosts);
    for (uint32_t i = 0; i < f->nlinks; i++) {
        const struct weft_fabric_link *l = &f->links[i];
        uint64_t v[] = {hash, l->a,   l->b,    l->rate_bps, (uint64_t)l->delay_ps,
                        0,    l->dim, l->cost, l->order,    l->dateline};
        memcpy(&v[5], &l->error_rate, sizeof l->error_rate);
        hash = weft_hash64(v, sizeof v);
    }
    return hash;
}

int weft_fabric_share(const struct weft_fabric *fabric, const struct weft_peers *peers,
                      struct weft_err *err)
{
    struct weft_fabric *f = (struct weft_fabric *)(uintptr_t)fabric; /* what it is stays */
    const struct weft_shared_block blocks[] = {
        {(void **)&f->nodes, f->nnodes * sizeof *f->nodes},
        {(void **)&f->links, f->nlinks * sizeof *f->links},
        {(void **)&f->ports, f->nports * sizeof *f->ports},
        {(void **)&f->hosts, f->nhosts * sizeof *f->hosts},
    };
    const int rc = weft_shared_make(peers, hash_of(f), blocks, sizeof blocks / sizeof *blocks,
                                    &f->shared, err);
    if (f->shared) {
        f->nodes_cap = f->nnodes;
        f->links_cap = f->nlinks;
    }
    return rc;
}

void weft_fabric_unread(const struct weft_fabric *f)
{
    weft_shared_unread(f->shared);
}
