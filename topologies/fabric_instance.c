/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Cutting one instance of a dimension out of a fabric: its NPUs, the switches that they reach over
 * links of the dimension, and these links. Nodes and links keep their order, so that ports do.
 */
#include "topologies/fabric_instance.h"

#include "base/compare.h"
#include "base/grow.h"

#include <stdlib.h>

/* NPUs of one instance. */
static uint32_t members(const struct weft_fabric *f, uint32_t dim)
{
    return f->dims[dim].spans ? weft_fabric_stride(f, dim + 1) : f->dims[dim].size;
}

uint32_t weft_fabric_instance_count(const struct weft_fabric *f, uint32_t dim)
{
    return f->nhosts / members(f, dim);
}

uint32_t weft_fabric_instance_of(const struct weft_fabric *f, uint32_t dim, uint32_t host)
{
    uint32_t inner = weft_fabric_stride(f, dim), block = inner * f->dims[dim].size;
    return f->dims[dim].spans ? host / block : host / block * inner + host % inner;
}

uint32_t weft_fabric_member(const struct weft_fabric *f, uint32_t dim, uint32_t host)
{
    uint32_t inner = weft_fabric_stride(f, dim), block = inner * f->dims[dim].size;
    return f->dims[dim].spans ? host % block : host % block / inner;
}

/* Host number of NPU @p member of instance @p index. */
static uint32_t fabric_member_host(const struct weft_fabric *f, uint32_t dim, uint32_t index,
                                   uint32_t member)
{
    uint32_t inner = weft_fabric_stride(f, dim), block = inner * f->dims[dim].size;
    return f->dims[dim].spans ? index * block + member
                              : index / inner * block + index % inner + member * inner;
}

/* Growing list of numbers. */
struct list {
    uint32_t *v;
    uint32_t n, cap;
};

static int fabric_instance_push(struct list *l, uint32_t x, struct weft_err *err)
{
    if (!WEFT_GROW(l->v, l->n, &l->cap))
        return weft_err_no_memory(err, "a part of the fabric");
    l->v[l->n++] = x;
    return 0;
}

static uint32_t *fabric_instance_find(const struct list *l, uint32_t from, uint32_t x)
{
    return bsearch(&x, l->v + from, l->n - from, sizeof x, weft_by_u32);
}

/* Lists the NPUs, then the switches in ascending order. NPUs may hang on more than one switch, and
 * switches on more; each node is scanned once. */
static int list_nodes(const struct weft_fabric *f, uint32_t dim, uint32_t index, struct list *nodes,
                      struct list *links, struct weft_err *err)
{
    uint32_t n = members(f, dim);
    unsigned char *seen = calloc(f->nnodes, 1);
    int rc = seen ? 0 : weft_err_no_memory(err, "a part of the fabric");
    for (uint32_t i = 0; i < n && !rc; i++) {
        uint32_t node = f->hosts[fabric_member_host(f, dim, index, i)];
        rc = fabric_instance_push(nodes, node, err);
        if (!rc)
            seen[node] = 1;
    }
    for (uint32_t i = 0; i < nodes->n && !rc; i++) {
        const struct weft_fabric_node *x = &f->nodes[nodes->v[i]];
        for (uint32_t p = x->first_port; p < x->first_port + x->nports && !rc; p++) {
            const struct weft_fabric_link *l = &f->links[f->ports[p].link];
            uint32_t y = f->ports[f->ports[p].peer].node;
            if (l->dim != dim)
                continue;
            if (l->a == nodes->v[i])
                rc = fabric_instance_push(links, f->ports[p].link, err);
            if (rc || seen[y])
                continue;
            if (f->nodes[y].kind == WEFT_NODE_HOST)
                rc = weft_err_set(err, WEFT_E_INPUT,
                                  "link %u-%u of dimension %u joins host %u to a network of the "
                                  "dimension that it is not part of",
                                  l->a, l->b, dim, f->nodes[y].host);
            else
                rc = fabric_instance_push(nodes, y, err);
            seen[y] = 1;
        }
    }
    free(seen);
    if (nodes->n > n)
        qsort(nodes->v + n, nodes->n - n, sizeof(uint32_t), weft_by_u32);
    if (links->n)
        qsort(links->v, links->n, sizeof(uint32_t), weft_by_u32);
    return rc;
}

/* The number within the part of node `id`. */
static uint32_t local_of(const struct weft_fabric *f, uint32_t dim, const struct list *nodes,
                         uint32_t nhosts, uint32_t id)
{
    if (f->nodes[id].kind == WEFT_NODE_HOST)
        return weft_fabric_member(f, dim, f->nodes[id].host);
    return (uint32_t)(fabric_instance_find(nodes, nhosts, id) - nodes->v);
}

static int fabric_instance_make(const struct weft_fabric *f, uint32_t dim, const struct list *nodes,
                                const struct list *links, struct weft_fabric_instance *out,
                                struct weft_err *err)
{
    uint32_t n = members(f, dim);
    struct weft_fabric *g = out->fabric = weft_fabric_new();
    int rc = g ? 0 : weft_err_no_memory(err, "a part of the fabric");
    for (uint32_t i = 0; i < nodes->n && !rc; i++)
        rc = weft_fabric_add_node(g, f->nodes[nodes->v[i]].kind, f->nodes[nodes->v[i]].tier, NULL,
                                  err);
    for (uint32_t i = 0; i < links->n && !rc; i++) {
        struct weft_fabric_link l = f->links[links->v[i]];
        l.a = local_of(f, dim, nodes, n, l.a);
        l.b = local_of(f, dim, nodes, n, l.b);
        l.dim = 0;
        rc = weft_fabric_add_link(g, &l, NULL, err);
    }
    if (rc)
        return rc;
    g->dims[0] = f->dims[dim];
    g->dims[0].size = n;
    g->ndims = 1;
    g->routing = f->dims[dim].direct && f->transit ? WEFT_ROUTING_TRANSIT : WEFT_ROUTING_SHORTEST;
    rc = weft_fabric_finish(g, err);
    out->ports = rc ? NULL : malloc(((size_t)g->nports + 1) * sizeof *out->ports);
    if (!rc && !out->ports)
        rc = weft_err_no_memory(err, "a part of the fabric");
    for (uint32_t i = 0; i < nodes->n && !rc; i++) {
        const struct weft_fabric_node *x = &f->nodes[nodes->v[i]];
        uint32_t to = g->nodes[i].first_port;
        for (uint32_t p = x->first_port; p < x->first_port + x->nports; p++)
            if (f->links[f->ports[p].link].dim == dim)
                out->ports[to++] = p;
    }
    return rc;
}

/* Takes over which links are down, when any is. */
static int copy_down(const uint8_t *down, struct weft_fabric_instance *out, struct weft_err *err)
{
    const uint32_t n = out->fabric->nlinks;
    uint32_t i = 0;
    while (down && i < n && !down[out->links[i]])
        i++;
    if (!down || i == n)
        return 0;
    out->down = calloc(n, sizeof *out->down);
    if (!out->down)
        return weft_err_no_memory(err, "a part of the fabric");
    for (; i < n; i++)
        out->down[i] = down[out->links[i]];
    return 0;
}

int weft_fabric_instance_open(const struct weft_fabric *f, const uint8_t *down, uint32_t dim,
                              uint32_t index, struct weft_fabric_instance *out,
                              struct weft_err *err)
{
    struct list nodes = {NULL, 0, 0}, links = {NULL, 0, 0};
    *out = (struct weft_fabric_instance){0};
    int rc = list_nodes(f, dim, index, &nodes, &links, err);
    if (!rc)
        rc = fabric_instance_make(f, dim, &nodes, &links, out, err);
    out->nodes = nodes.v;
    out->links = links.v;
    if (!rc)
        rc = copy_down(down, out, err);
    if (rc)
        weft_fabric_instance_close(out);
    return rc;
}

void weft_fabric_instance_close(struct weft_fabric_instance *i)
{
    weft_fabric_free(i->fabric);
    free(i->nodes);
    free(i->ports);
    free(i->links);
    free(i->down);
    *i = (struct weft_fabric_instance){0};
}
