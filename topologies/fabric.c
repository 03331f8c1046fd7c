/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Building and numbering the fabric graph.
 *
 * Nodes and links are growing arrays; weft_fabric_finish turns them into the port numbering that
 * fabric.h promises, in O(nodes + links), and hands over to the reachability check.
 */
#include "topologies/fabric.h"
#include "topologies/fabric_reach.h"

#include "base/shared.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct weft_fabric *weft_fabric_new(void)
{
    return calloc(1, sizeof(struct weft_fabric));
}

void weft_fabric_free(struct weft_fabric *f)
{
    if (!f)
        return;
    if (!f->shared) {
        free(f->nodes);
        free(f->links);
        free(f->ports);
        free(f->hosts);
    }
    weft_shared_free(f->shared);
    free(f->notes);
    free(f);
}

/* Makes room for one more element of `size` bytes in *array. */
static int fabric_grow(void **array, uint32_t *cap, uint32_t n, size_t size, const char *what,
                       struct weft_err *err)
{
    if (n < *cap)
        return 0;
    if (n >= UINT32_MAX / 4)
        return weft_err_set(err, WEFT_E_LIMIT, "too many %s: the limit is %u", what,
                            UINT32_MAX / 4);
    uint32_t cap2 = n < 32 ? 64 : n * 2;
    void *p = realloc(*array, (size_t)cap2 * size);
    if (!p)
        return weft_err_set(err, WEFT_E_LIMIT, "out of memory for %u %s", cap2, what);
    *array = p;
    *cap = cap2;
    return 0;
}

int weft_fabric_add_node(struct weft_fabric *f, enum weft_node_kind kind, uint32_t tier,
                         uint32_t *id, struct weft_err *err)
{
    if (f->ports)
        return weft_err_set(err, WEFT_E_INTERNAL, "a node is added to a finished fabric");
    int rc =
        fabric_grow((void **)&f->nodes, &f->nodes_cap, f->nnodes, sizeof *f->nodes, "nodes", err);
    if (rc)
        return rc;
    f->nodes[f->nnodes] = (struct weft_fabric_node){.kind = kind, .tier = tier, .host = UINT32_MAX};
    if (id)
        *id = f->nnodes;
    f->nnodes++;
    return 0;
}

int weft_fabric_add_link(struct weft_fabric *f, const struct weft_fabric_link *link, uint32_t *id,
                         struct weft_err *err)
{
    if (f->ports)
        return weft_err_set(err, WEFT_E_INTERNAL, "a link is added to a finished fabric");
    if (link->a >= f->nnodes || link->b >= f->nnodes)
        return weft_err_set(err, WEFT_E_INPUT, "link %u-%u: there is no node %u, nodes are 0 .. %u",
                            link->a, link->b, link->a >= f->nnodes ? link->a : link->b,
                            f->nnodes ? f->nnodes - 1 : 0);
    if (link->a == link->b)
        return weft_err_set(err, WEFT_E_INPUT, "link %u-%u joins a node to itself", link->a,
                            link->b);
    if (link->rate_bps == 0)
        return weft_err_set(err, WEFT_E_INPUT, "link %u-%u: the rate must be above 0", link->a,
                            link->b);
    if (link->delay_ps < 0)
        return weft_err_set(err, WEFT_E_INPUT, "link %u-%u: the delay must not be negative",
                            link->a, link->b);
    if (!(link->error_rate >= 0.0 && link->error_rate <= 1.0))
        return weft_err_set(err, WEFT_E_INPUT,
                            "link %u-%u: the error rate must be a probability from 0 to 1", link->a,
                            link->b);
    int rc =
        fabric_grow((void **)&f->links, &f->links_cap, f->nlinks, sizeof *f->links, "links", err);
    if (rc)
        return rc;
    f->links[f->nlinks] = *link;
    if (id)
        *id = f->nlinks;
    f->nlinks++;
    return 0;
}

int weft_fabric_note(struct weft_fabric *f, struct weft_err *err, const char *fmt, ...)
{
    char text[512];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    size_t have = f->notes ? strlen(f->notes) : 0, more = strlen(text);
    char *p = realloc(f->notes, have + more + 2);
    if (!p)
        return weft_err_no_memory(err, "a remark");
    memcpy(p + have, text, more);
    memcpy(p + have + more, "\n", 2);
    f->notes = p;
    return 0;
}

/* Gives the hosts their numbers. */
static int number_hosts(struct weft_fabric *f, struct weft_err *err)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < f->nnodes; i++)
        n += f->nodes[i].kind == WEFT_NODE_HOST;
    if (n == 0)
        return weft_err_set(err, WEFT_E_INPUT, "the fabric has no host");
    f->hosts = malloc((size_t)n * sizeof *f->hosts);
    if (!f->hosts)
        return weft_err_set(err, WEFT_E_LIMIT, "out of memory for %u hosts", n);
    f->nhosts = 0;
    for (uint32_t i = 0; i < f->nnodes; i++) {
        if (f->nodes[i].kind != WEFT_NODE_HOST)
            continue;
        f->nodes[i].host = f->nhosts;
        f->hosts[f->nhosts++] = i;
    }
    f->nswitches = f->nnodes - f->nhosts;
    return 0;
}

/* Gives each end of each link its port number. */
static int number_ports(struct weft_fabric *f, struct weft_err *err)
{
    f->nports = 2 * f->nlinks;
    f->ports = malloc(((size_t)f->nports + 1) * sizeof *f->ports);
    if (!f->ports)
        return weft_err_set(err, WEFT_E_LIMIT, "out of memory for %u ports", f->nports);
    for (uint32_t i = 0; i < f->nnodes; i++)
        f->nodes[i].nports = 0;
    for (uint32_t l = 0; l < f->nlinks; l++) {
        f->nodes[f->links[l].a].nports++;
        f->nodes[f->links[l].b].nports++;
    }
    uint32_t next = 0;
    for (uint32_t i = 0; i < f->nnodes; i++) {
        f->nodes[i].first_port = next;
        next += f->nodes[i].nports;
        f->nodes[i].nports = 0; /* counts up again below */
    }
    for (uint32_t l = 0; l < f->nlinks; l++) {
        struct weft_fabric_node *a = &f->nodes[f->links[l].a], *b = &f->nodes[f->links[l].b];
        uint32_t pa = a->first_port + a->nports++, pb = b->first_port + b->nports++;
        f->ports[pa] = (struct weft_fabric_port){.node = f->links[l].a, .link = l, .peer = pb};
        f->ports[pb] = (struct weft_fabric_port){.node = f->links[l].b, .link = l, .peer = pa};
    }
    return 0;
}

uint32_t weft_fabric_link_port(const struct weft_fabric *f, uint32_t link)
{
    uint32_t p = f->nodes[f->links[link].a].first_port;
    while (f->ports[p].link != link)
        p++;
    return p;
}

/* @p bps times @p share, which 1 leaves as it is to the last bit. */
static uint64_t fabric_part(uint64_t bps, double share)
{
    const double left = (double)bps * share;
    return share == 1 ? bps : left < 1 ? 1 : (uint64_t)left;
}

void weft_fabric_slow(struct weft_fabric *f, uint32_t dim, double share)
{
    f->dims[dim].rate_bps = fabric_part(f->dims[dim].rate_bps, share);
    for (uint32_t i = 0; i < f->nlinks; i++)
        if (f->links[i].dim == dim)
            f->links[i].rate_bps = fabric_part(f->links[i].rate_bps, share);
}

uint32_t weft_fabric_stride(const struct weft_fabric *f, uint32_t dim)
{
    uint32_t stride = 1;
    for (uint32_t d = 0; d < dim; d++)
        stride *= f->dims[d].size;
    return stride;
}

/* Checks the dimensions against hosts and links; a fabric without any becomes one. */
static int check_dims(struct weft_fabric *f, struct weft_err *err)
{
    if (f->ndims == 0) {
        const struct weft_fabric_node *h = &f->nodes[f->hosts[0]];
        const struct weft_fabric_link *l =
            h->nports ? &f->links[f->ports[h->first_port].link] : NULL;
        const bool star = f->nswitches == 1 && f->nlinks == f->nhosts; /* hosts have a link each */
        f->ndims = 1;
        f->dims[0] = (struct weft_fabric_dim){.kind = star ? "single-switch" : "irregular",
                                              .size = f->nhosts,
                                              .links = h->nports,
                                              .rate_bps = l ? l->rate_bps : 0,
                                              .delay_ps = l ? l->delay_ps : 0,
                                              .spans = true,
                                              .acyclic = f->nswitches <= 1 &&
                                                         f->routing == WEFT_ROUTING_SHORTEST};
    }
    uint64_t product = 1;
    for (uint32_t d = 0; d < f->ndims && product <= f->nhosts; d++)
        product *= f->dims[d].size;
    if (product != f->nhosts)
        return weft_err_set(err, WEFT_E_INPUT,
                            "the sizes of the dimensions multiply to %" PRIu64
                            ", but there are %u hosts",
                            product, f->nhosts);
    f->vcs = 1;
    for (uint32_t l = 0; l < f->nlinks; l++) {
        if (f->links[l].dateline)
            f->vcs = 2;
        if (f->links[l].dim >= f->ndims)
            return weft_err_set(err, WEFT_E_INPUT,
                                "link %u-%u is in dimension %u, but there are %u dimensions",
                                f->links[l].a, f->links[l].b, f->links[l].dim, f->ndims);
    }
    return 0;
}

/* Whether hosts may forward: some dimension says so, or some pair is joined only through another
 * host. */
static bool may_transit(const struct weft_fabric *f)
{
    if (f->routing != WEFT_ROUTING_DIMS)
        return f->routing == WEFT_ROUTING_TRANSIT;
    uint32_t inner = 1;
    for (uint32_t d = 0; d < f->ndims; inner *= f->dims[d++].size)
        if (f->dims[d].relays || (!f->dims[d].spans && f->dims[d].size > 1 && inner > 1))
            return true;
    return false;
}

int weft_fabric_finish(struct weft_fabric *f, struct weft_err *err)
{
    if (f->ports)
        return weft_err_set(err, WEFT_E_INTERNAL, "the fabric is finished twice");
    int rc = number_hosts(f, err);
    if (rc)
        return rc;
    rc = number_ports(f, err);
    if (!rc)
        rc = check_dims(f, err);
    if (rc)
        return rc;
    f->transit = may_transit(f);
    return weft_fabric_check_reach(f, NULL, err);
}

int weft_fabric_let_hosts_forward(struct weft_fabric *f, struct weft_err *err)
{
    if (f->routing == WEFT_ROUTING_SHORTEST)
        return weft_err_set(err, WEFT_E_INPUT,
                            "hosts-forward: the hosts of this fabric meet in one network of "
                            "switches, where they have nothing to forward");
    for (uint32_t d = 0; d < f->ndims; d++)
        f->dims[d].relays = true;
    f->transit = true;
    return 0;
}

const char *weft_fabric_node_name(const struct weft_fabric *f, uint32_t node,
                                  char buf[WEFT_NODE_NAME_MAX])
{
    const struct weft_fabric_node *n = &f->nodes[node];
    if (n->kind == WEFT_NODE_HOST && n->host != UINT32_MAX)
        snprintf(buf, WEFT_NODE_NAME_MAX, "h%u", n->host);
    else
        snprintf(buf, WEFT_NODE_NAME_MAX, "%c%u", n->kind == WEFT_NODE_HOST ? 'n' : 's', node);
    return buf;
}
