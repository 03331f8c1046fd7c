/* SPDX-License-Identifier: GPL-2.0-only */
/* Routes of a fabric, or of an instance of a dimension, as a whole; routes_build.c and
 * routes_flat.c fill the tables. */
#include "topologies/routes_internal.h"

#include <stdlib.h>

struct weft_routes *weft_routes_open(const struct weft_fabric *f, const uint8_t *down,
                                     struct weft_err *err)
{
    if (!f->ports) {
        weft_err_set(err, WEFT_E_INTERNAL, "routes are wanted of a fabric that is not finished");
        return NULL;
    }
    struct weft_routes *r = calloc(1, sizeof *r);
    if (!r) {
        weft_err_set(err, WEFT_E_LIMIT, "out of memory for routes");
        return NULL;
    }
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

size_t weft_routes_bytes_whole(const struct weft_routes *r)
{
    const struct weft_fabric *f = r->fabric;
    if (r->flat)
        return sizeof *r + ((size_t)f->nnodes * f->nhosts + r->groups.ports_cap) * 4 +
               (size_t)r->groups.spans_cap * sizeof *r->groups.spans;
    const struct route_class *last = r->nclasses ? &r->classes[r->nclasses - 1] : NULL;
    size_t words = (size_t)f->nhosts * 2 + f->nnodes + (last ? last->near + last->nnear : 0) +
                   (size_t)f->nswitches * ((r->nclasses + ROUTE_RUN - 1) / ROUTE_RUN) +
                   (size_t)r->pages_cap * ROUTE_RUN + (size_t)r->nrows * r->nclasses +
                   r->groups.ports_cap;
    return sizeof *r + words * sizeof(uint32_t) + (size_t)r->nclasses * sizeof *r->classes +
           (size_t)r->groups.spans_cap * sizeof *r->groups.spans;
}
