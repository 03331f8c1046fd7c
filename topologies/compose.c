/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Composing dimensions into a fabric; see compose.h.
 *
 * Nodes: the hosts first, then the switches dimension by dimension, innermost first, instance by
 * instance. A single dimension of switches routes by shortest paths; everything else dimension by
 * dimension.
 */
#include "topologies/compose.h"

#include <inttypes.h>
#include <stdlib.h>

int weft_dimensions_add(struct weft_dimensions *ds, const struct weft_dimension *d,
                        struct weft_err *err)
{
    uint64_t inner = ds->npus ? ds->npus : 1;
    if (ds->n == WEFT_FABRIC_DIMS_MAX)
        return weft_err_set(err, WEFT_E_LIMIT, "more than %u dimensions", WEFT_FABRIC_DIMS_MAX);
    if (d->about.size == 0)
        return weft_err_set(err, WEFT_E_INPUT, "%s: a dimension needs at least one NPU",
                            d->about.kind);
    if (inner * d->about.size > WEFT_COMPOSE_HOSTS_MAX)
        return weft_err_set(err, WEFT_E_LIMIT, "%" PRIu64 " hosts; at most %u",
                            (inner * d->about.size), WEFT_COMPOSE_HOSTS_MAX);
    ds->list[ds->n++] = *d;
    ds->npus = inner * d->about.size;
    return 0;
}

int weft_dimensions_add_spanning(struct weft_dimensions *ds, struct weft_dimension *d,
                                 uint64_t endpoints, struct weft_err *err)
{
    uint64_t inner = ds->npus ? ds->npus : 1;
    if (endpoints > WEFT_COMPOSE_HOSTS_MAX)
        return weft_err_set(err, WEFT_E_LIMIT, "%s of %" PRIu64 " hosts; at most %u", d->about.kind,
                            endpoints, WEFT_COMPOSE_HOSTS_MAX);
    if (endpoints % inner)
        return weft_err_set(err, WEFT_E_INPUT,
                            "%s has ports for %" PRIu64
                            " NPUs, which is not a multiple of the %" PRIu64 " NPUs "
                            "of the dimensions inside it; nearest is %" PRIu64,
                            d->about.kind, endpoints, inner, ((endpoints / inner + 1) * inner));
    d->about.size = (uint32_t)(endpoints / inner);
    d->about.spans = true;
    return weft_dimensions_add(ds, d, err);
}

/* Wires every instance of dimension `dim`. `npus` has room for all hosts. */
static void wire_dimension(struct weft_build *b, const struct weft_dimension *d, uint32_t dim,
                           uint32_t inner, uint32_t hosts, uint32_t *npus)
{
    uint32_t block = inner * d->about.size;
    b->link.dim = dim;
    for (uint32_t base = 0; base < hosts && !b->rc; base += block) {
        if (d->about.spans) {
            for (uint32_t i = 0; i < block; i++)
                npus[i] = base + i;
            d->wire(b, d, npus, block);
            continue;
        }
        for (uint32_t line = 0; line < inner && !b->rc; line++) {
            for (uint32_t i = 0; i < d->about.size; i++)
                npus[i] = base + line + i * inner;
            d->wire(b, d, npus, d->about.size);
        }
    }
}

int weft_compose(const struct weft_dimensions *ds, struct weft_fabric **out, struct weft_err *err)
{
    struct weft_build b;
    *out = NULL;
    if (ds->n == 0)
        return weft_err_set(err, WEFT_E_INPUT, "a fabric needs at least one dimension");
    uint32_t hosts = (uint32_t)ds->npus, inner = 1;
    uint32_t *npus = malloc(((size_t)hosts + 1) * sizeof *npus);
    if (!npus)
        return weft_err_set(err, WEFT_E_LIMIT, "out of memory for %u hosts", hosts);
    weft_build_start(&b, err);
    weft_build_nodes(&b, WEFT_NODE_HOST, 0, hosts);
    for (uint32_t d = 0; d < ds->n && !b.rc; d++) {
        b.f->dims[b.f->ndims++] = ds->list[d].about;
        wire_dimension(&b, &ds->list[d], d, inner, hosts, npus);
        inner *= ds->list[d].about.size;
    }
    free(npus);
    if (b.f && (ds->n > 1 || ds->list[0].about.direct))
        b.f->routing = WEFT_ROUTING_DIMS;
    return weft_build_finish(&b, out);
}

int weft_topology_build(const struct weft_topology_ops *ops, const void *params,
                        struct weft_fabric **out, struct weft_err *err)
{
    struct weft_dimensions ds = {.n = 0};
    if (ops->build)
        return ops->build(params, out, err);
    *out = NULL;
    int rc = ops->dimensions(params, &ds, err);
    return rc ? rc : weft_compose(&ds, out, err);
}

static const struct weft_param size[] = {{.type = WEFT_PARAM_U64, .min = "2", .max = "1048576"}};
_Static_assert(WEFT_COMPOSE_HOSTS_MAX == 1048576, "the largest size of a dimension");

const struct weft_list_form weft_shape_form = {
    .like = "sizes of 2 and more joined by 'x', as in 4x4x2",
    .fields = size,
    .nfields = 1,
    .joint = 'x',
};

int weft_parse_shape(const char *text, uint32_t sizes[WEFT_FABRIC_DIMS_MAX], uint32_t *n,
                     struct weft_err *err)
{
    struct weft_list list = {text, &weft_shape_form, 0};
    struct weft_list_item item;
    int rc;
    *n = 0;
    while ((rc = weft_list_next(&list, &item, err)) > 0) {
        if (*n == WEFT_FABRIC_DIMS_MAX)
            return weft_err_set(err, WEFT_E_LIMIT, "the shape '%.60s' has more than %u dimensions",
                                text, WEFT_FABRIC_DIMS_MAX);
        sizes[(*n)++] = (uint32_t)item.field[0].value.u64;
    }
    return rc || *n ? rc : weft_err_set(err, WEFT_E_INPUT, "a shape is %s", weft_shape_form.like);
}
