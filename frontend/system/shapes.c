/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Groups in the dimensions of the fabric.
 *
 * Rank r has the places r % n0, r / n0 % n1, ... A group whose members are all combinations of some
 * places in each dimension is a grid: collectives can go through it dimension by dimension, and a
 * group keeps its position in the fabric. Dimensions in which all members are in one place are left
 * out.
 */
#include "system/system_internal.h"
#include "system/lists.h"

#include <stdbool.h>
#include <inttypes.h>
#include <stdlib.h>

static int read_sizes(const char *text, struct weft_dims *out, struct weft_err *err)
{
    struct weft_list list = {.text = text, .form = &weft_dim_sizes_form};
    struct weft_list_item one;
    int rc;
    while ((rc = weft_list_next(&list, &one, err)) > 0) {
        if (out->n == WEFT_DIMS_MAX)
            return weft_err_set(err, WEFT_E_LIMIT, "more than %u dimensions", WEFT_DIMS_MAX);
        out->size[out->n++] = (uint32_t)one.field[0].value.u64;
    }
    return rc;
}

/* One rate or latency per dimension. */
static int read_values(const char *text, bool is_rate, struct weft_dims *out, struct weft_err *err)
{
    struct weft_list list = {
        .text = text, .form = is_rate ? &weft_dim_bandwidths_form : &weft_dim_latencies_form};
    struct weft_list_item one;
    uint32_t n = 0;
    int rc;
    while ((rc = weft_list_next(&list, &one, err)) > 0) {
        if (n == out->n)
            return weft_err_set(err, WEFT_E_INPUT, "more values than the %u dimensions", out->n);
        if (is_rate)
            out->rate_bps[n] = one.field[0].value.u64;
        else
            out->latency_ps[n] = one.field[0].value.i64;
        n++;
    }
    if (!rc && n < out->n)
        return weft_err_set(err, WEFT_E_INPUT, "%u values for %u dimensions", n, out->n);
    return rc;
}

int weft_read_dims(const struct weft_system_params *p, const struct weft_dims *fabric,
                   uint32_t nranks, struct weft_dims *out, struct weft_err *err)
{
    uint64_t product = 1;
    *out = fabric ? *fabric : (struct weft_dims){0};
    if (*p->dims) {
        *out = (struct weft_dims){0};
        int rc = read_sizes(p->dims, out, err);
        if (rc) {
            weft_err_prepend(err, "system.dims");
            return rc;
        }
    }
    const struct {
        const char *name, *text;
    } values[] = {{"dim-latencies", p->dim_latencies}, {"dim-bandwidths", p->dim_bandwidths}};
    for (int is_rate = 0; is_rate < 2; is_rate++) {
        int rc = *values[is_rate].text ? read_values(values[is_rate].text, is_rate, out, err) : 0;
        if (rc) {
            weft_err_prepend(err, "system.%s", values[is_rate].name);
            return rc;
        }
    }
    for (uint32_t d = 0; d < out->n; d++)
        product = product > UINT32_MAX ? product : product * out->size[d];
    if (*p->dims && product != nranks)
        return weft_err_set(err, WEFT_E_INPUT,
                            "system.dims=%s has %" PRIu64 " places, but there are %u ranks",
                            p->dims, product, nranks);
    if (product != nranks) /* a fabric with more hosts than the job has ranks */
        out->n = 0;
    return 0;
}

/* The places that members of g have in dimension d, ascending; returns how many, 0: out of memory.
 */
static uint32_t places(const struct weft_group *g, uint32_t stride, uint32_t size, uint32_t **out)
{
    uint32_t n = 0;
    unsigned char *has = calloc(size, 1);
    *out = calloc(size, sizeof **out);
    for (uint32_t i = 0; has && *out && i < g->n; i++)
        has[g->ranks[i] / stride % size] = 1;
    for (uint32_t k = 0; has && *out && k < size; k++)
        if (has[k])
            (*out)[n++] = k;
    free(has);
    return n;
}

static int shape(const struct weft_group *g, const struct weft_dims *dims, struct weft_shape *out)
{
    uint64_t product = 1;
    uint32_t stride = 1;
    out->mask = 0;
    for (uint32_t d = 0; d < dims->n; stride *= dims->size[d++]) {
        uint32_t k = out->dims.n, n = places(g, stride, dims->size[d], &out->places[k]);
        if (n == 0)
            return WEFT_E_LIMIT;
        product = product > UINT32_MAX ? product : product * n;
        if (n == 1) {
            free(out->places[k]);
            out->places[k] = NULL;
            continue;
        }
        out->mask |= UINT32_C(1) << d;
        out->dims.size[k] = n;
        out->dims.rate_bps[k] = dims->rate_bps[d];
        out->dims.links[k] = dims->links[d];
        out->dims.latency_ps[k] = dims->latency_ps[d];
        out->fabric_dim[k] = d;
        out->stride[k] = stride;
        out->dims.n++;
    }
    out->grid = dims->n > 0 && product == g->n;
    if (!out->mask)
        out->mask = 1;
    return 0;
}

struct weft_shape *weft_shapes_new(const struct weft_workload *w, const struct weft_dims *dims,
                                   struct weft_err *err)
{
    struct weft_shape *shapes = calloc(w->ngroups ? w->ngroups : 1, sizeof *shapes);
    bool ok = shapes != NULL;
    for (uint32_t g = 0; ok && g < w->ngroups; g++)
        ok = shape(&w->groups[g], dims, &shapes[g]) == 0;
    if (!ok) {
        weft_shapes_free(shapes, w);
        weft_err_no_memory(err, "groups");
        return NULL;
    }
    return shapes;
}

const struct weft_shape *weft_shape_of(const struct weft_shape *shape, const struct weft_op *op,
                                       struct weft_shape *scratch)
{
    uint32_t n = 0;
    if (!op->involved || !(shape->mask & ~op->involved))
        return shape;
    *scratch = *shape;
    scratch->mask &= op->involved;
    for (uint32_t d = 0; d < shape->dims.n; d++) {
        if (!(op->involved >> shape->fabric_dim[d] & 1))
            continue;
        scratch->dims.size[n] = shape->dims.size[d];
        scratch->dims.rate_bps[n] = shape->dims.rate_bps[d];
        scratch->dims.latency_ps[n] = shape->dims.latency_ps[d];
        scratch->fabric_dim[n] = shape->fabric_dim[d];
        scratch->stride[n] = shape->stride[d];
        scratch->places[n++] = shape->places[d];
    }
    scratch->dims.n = n;
    return scratch;
}

void weft_shape_place(const struct weft_shape *shape, const struct weft_dims *fabric, uint32_t rank,
                      uint32_t *place)
{
    for (uint32_t d = 0; d < shape->dims.n; d++) {
        const uint32_t at = rank / shape->stride[d] % fabric->size[shape->fabric_dim[d]];
        for (place[d] = 0; shape->places[d][place[d]] != at;)
            place[d]++;
    }
}

void weft_shapes_free(struct weft_shape *shapes, const struct weft_workload *w)
{
    for (uint32_t g = 0; shapes && g < w->ngroups; g++)
        for (uint32_t d = 0; d < WEFT_DIMS_MAX; d++)
            free(shapes[g].places[d]);
    free(shapes);
}
