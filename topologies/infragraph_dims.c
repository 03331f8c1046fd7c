/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Dimensions of a flattened InfraGraph document: what joins the accelerators of a host is one, what
 * joins hosts the other. There are two where every host has equally many accelerators, more than
 * one, with ranks in a row, and each dimension joins its own without the other; else there is one.
 */
#include "topologies/infragraph.h"

#include <stdlib.h>

/* The node that stands for all that are joined with @p v. */
static uint32_t root(uint32_t *of, uint32_t v)
{
    while (of[v] != v)
        v = of[v] = of[of[v]];
    return v;
}

/* Joins what the links of one dimension join. */
static void unite(const struct weft_fabric *f, uint32_t dim, uint32_t *of)
{
    for (uint32_t v = 0; v < f->nnodes; v++)
        of[v] = v;
    for (uint32_t l = 0; l < f->nlinks; l++)
        if (f->links[l].dim == dim)
            of[root(of, f->links[l].a)] = root(of, f->links[l].b);
}

/* Whether each @p size accelerators in a row are joined. */
static bool joined(const struct weft_fabric *f, uint32_t dim, uint32_t n, uint32_t size,
                   uint32_t *of)
{
    unite(f, dim, of);
    for (uint32_t v = 0; v < n; v++)
        if (root(of, v) != root(of, v / size * size))
            return false;
    return true;
}

/* What a dimension says of itself, by the links of accelerator 0. */
static void infragraph_dims_describe(struct weft_fabric *f, uint32_t dim, uint32_t n)
{
    struct weft_fabric_dim *d = &f->dims[dim];
    for (uint32_t l = 0; l < f->nlinks; l++) {
        const struct weft_fabric_link *k = &f->links[l];
        if (k->dim != dim)
            continue;
        d->direct |= k->a < n && k->b < n;
        if (k->a != 0 && k->b != 0)
            continue;
        if (d->links++ == 0) {
            d->rate_bps = k->rate_bps;
            d->delay_ps = k->delay_ps;
        }
    }
    d->relays = d->direct && d->links + 1 < d->size;
}

int weft_infra_dimensions(struct weft_fabric *f, const uint32_t *box, uint32_t n,
                          struct weft_err *err)
{
    uint32_t size = 0;
    bool two = true;
    while (size < n && box[size] == box[0])
        size++;
    if (size < 2 || size == n || n % size)
        two = false;
    for (uint32_t v = 0; two && v < n; v++) /* the same host in a row, another one behind */
        two = box[v] == box[v / size * size] && (v < size || box[v] != box[v - size]);
    uint32_t *of = two ? malloc(f->nnodes * sizeof *of) : NULL;
    if (two && !of)
        return weft_err_no_memory(err, "a topology");
    two = two && joined(f, 0, n, size, of) && joined(f, 1, n, n, of);
    free(of);
    if (!two) {
        for (uint32_t l = 0; l < f->nlinks; l++)
            f->links[l].dim = 0;
        return 0; /* finish makes one */
    }
    f->ndims = 2;
    f->dims[0] = (struct weft_fabric_dim){.kind = "irregular", .size = size};
    f->dims[1] = (struct weft_fabric_dim){.kind = "irregular", .size = n / size, .spans = true};
    for (uint32_t d = 0; d < f->ndims; d++)
        infragraph_dims_describe(f, d, n);
    f->routing = WEFT_ROUTING_DIMS;
    return 0;
}
