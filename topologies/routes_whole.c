/* SPDX-License-Identifier: GPL-2.0-only */
/* Routes of a fabric, or of an instance of a dimension, as a whole; routes_build.c and
 * routes_flat.c fill the tables. */
#include "topologies/routes_internal.h"

#include "base/hash.h"
#include "base/shared.h"

#include <stdlib.h>

struct weft_routes *weft_routes_open(const struct weft_fabric *f, const uint8_t *down,
                                     struct weft_err *err)
{
    if (!f->ports) {
        weft_err_set(err, WEFT_E_INTERNAL, "routes are wanted of a fabric that is not finished");
        return NULL;
    }
    struct weft_routes *r = weft_err_calloc(1, sizeof *r, "routes", err);
    if (!r)
        return NULL;
    r->fabric = f;
    r->down = down;
    return r;
}

int weft_routes_fill_whole(struct weft_routes *r, struct weft_err *err)
{
    int rc = r->fabric->transit ? weft_routes_fill_flat(r, err) : weft_routes_classify(r, err);
    if (!rc && r->class_of)
        rc = weft_routes_fill(r, err);
    return rc;
}

void weft_routes_close(struct weft_routes *r)
{
    if (!r)
        return;
    if (r->shared) {
        weft_shared_free(r->shared);
        free(r);
        return;
    }
    weft_route_groups_close(&r->groups);
    free(r->flat);
    free(r->class_of);
    free(r->classes);
    free(r->near_switches);
    free(r->switch_index);
    free(r->switch_runs);
    free(r->pages);
    free(r->source_cols);
    free(r->host_groups);
    free(r);
}

/* Entries of near_switches. */
static uint32_t near_entries(const struct weft_routes *r)
{
    const struct route_class *last = r->nclasses ? &r->classes[r->nclasses - 1] : NULL;
    return last ? last->near + last->nnear : 0;
}

static uint32_t runs(const struct weft_routes *r)
{
    return (r->nclasses + ROUTE_RUN - 1) / ROUTE_RUN;
}

int weft_routes_share_whole(struct weft_routes *r, const struct weft_peers *peers,
                            struct weft_err *err)
{
    const struct weft_fabric *f = r->fabric;
    const size_t word = sizeof(uint32_t), classes = r->class_of ? 1 : 0;
    const struct weft_shared_block blocks[] = {
        {(void **)&r->groups.ports, r->groups.used * word},
        {(void **)&r->groups.spans, r->groups.n * sizeof *r->groups.spans},
        {(void **)&r->flat, r->flat ? (size_t)f->nnodes * f->nhosts * word : 0},
        {(void **)&r->class_of, classes * f->nhosts * word},
        {(void **)&r->classes, classes * r->nclasses * sizeof *r->classes},
        {(void **)&r->near_switches, classes * near_entries(r) * word},
        {(void **)&r->switch_index, classes * f->nnodes * word},
        {(void **)&r->switch_runs, classes * f->nswitches * runs(r) * word},
        {(void **)&r->pages, classes * r->npages * ROUTE_RUN * word},
        {(void **)&r->source_cols, classes * r->nrows * r->nclasses * word},
        {(void **)&r->host_groups, classes * f->nhosts * word},
    };
    uint64_t same = 0;
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        same = same * 31 + weft_hash64(*blocks[i].at, blocks[i].n);
    const int rc =
        weft_shared_make(peers, same, blocks, sizeof blocks / sizeof *blocks, &r->shared, err);
    if (r->shared) {
        r->groups.ports_cap = r->groups.used;
        r->groups.spans_cap = r->groups.n;
        r->pages_cap = r->npages;
    }
    return rc;
}

size_t weft_routes_bytes_whole(const struct weft_routes *r)
{
    const struct weft_fabric *f = r->fabric;
    if (r->flat)
        return sizeof *r + ((size_t)f->nnodes * f->nhosts + r->groups.ports_cap) * 4 +
               (size_t)r->groups.spans_cap * sizeof *r->groups.spans;
    size_t words = (size_t)f->nhosts * 2 + f->nnodes + near_entries(r) +
                   (size_t)f->nswitches * runs(r) + (size_t)r->pages_cap * ROUTE_RUN +
                   (size_t)r->nrows * r->nclasses + r->groups.ports_cap;
    return sizeof *r + words * sizeof(uint32_t) + (size_t)r->nclasses * sizeof *r->classes +
           (size_t)r->groups.spans_cap * sizeof *r->groups.spans;
}
