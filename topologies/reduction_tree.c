/* SPDX-License-Identifier: GPL-2.0-only */
/* Builds aggregation trees, see reduction_tree.h: one breadth-first search per set of hosts with
 * the same switches, then one from the root. */
#include "reduction_tree.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define FAR UINT32_MAX

struct search {
    const struct weft_fabric *f;
    uint32_t *queue;    /* nodes */
    uint32_t *distance; /* of the search under way, per node */
    uint32_t *farthest; /* per node: of any host so far; FAR: one cannot reach it */
    uint64_t *sum;      /* per node: distances of all hosts */
    uint32_t *index;    /* per node: switch of the tree; WEFT_TREE_NONE */
};

static uint32_t other_end(const struct weft_fabric *f, uint32_t port)
{
    return f->ports[f->ports[port].peer].node;
}

static bool is_switch(const struct weft_fabric *f, uint32_t node)
{
    return f->nodes[node].kind == WEFT_NODE_SWITCH;
}

/* Distances through switches from those already in the queue. */
static void reduction_tree_spread(struct search *s, uint32_t queued)
{
    for (uint32_t at = 0; at < queued; at++) {
        const struct weft_fabric_node *node = &s->f->nodes[s->queue[at]];
        for (uint32_t p = node->first_port; p < node->first_port + node->nports; p++) {
            uint32_t to = other_end(s->f, p);
            if (!is_switch(s->f, to) || s->distance[to] != FAR)
                continue;
            s->distance[to] = s->distance[s->queue[at]] + 1;
            s->queue[queued++] = to;
        }
    }
}

/* Distances of all switches from a host. Returns how many switches it is linked to. */
static uint32_t search_from(struct search *s, uint32_t host)
{
    const struct weft_fabric_node *node = &s->f->nodes[s->f->hosts[host]];
    uint32_t queued = 0;
    memset(s->distance, 0xff, s->f->nnodes * sizeof *s->distance);
    for (uint32_t p = node->first_port; p < node->first_port + node->nports; p++) {
        uint32_t to = other_end(s->f, p);
        if (!is_switch(s->f, to) || s->distance[to] != FAR)
            continue;
        s->distance[to] = 1;
        s->queue[queued++] = to;
    }
    reduction_tree_spread(s, queued);
    return queued;
}

/* Whether two hosts are linked to the same nodes, so that one search serves both. */
static bool same_place(const struct weft_fabric *f, uint32_t a, uint32_t b)
{
    const struct weft_fabric_node *x = &f->nodes[f->hosts[a]], *y = &f->nodes[f->hosts[b]];
    if (x->nports != y->nports)
        return false;
    for (uint32_t k = 0; k < x->nports; k++)
        if (other_end(f, x->first_port + k) != other_end(f, y->first_port + k))
            return false;
    return true;
}

static int reduction_tree_measure(struct search *s, const uint32_t *hosts, uint32_t n,
                                  struct weft_err *err)
{
    for (uint32_t i = 0; i < n; i++) {
        if ((i == 0 || !same_place(s->f, hosts[i], hosts[i - 1])) && !search_from(s, hosts[i]))
            return weft_err_set(err, WEFT_E_INPUT,
                                "h%u has no link to a switch, and only switches add up: choose an "
                                "algorithm in which hosts do, such as 'ring'",
                                hosts[i]);
        for (uint32_t v = 0; v < s->f->nnodes; v++) {
            uint32_t d = s->distance[v];
            s->farthest[v] = d > s->farthest[v] ? d : s->farthest[v];
            s->sum[v] += d;
        }
    }
    return 0;
}

/* The switch nearest to all; WEFT_TREE_NONE: none reaches all of them. */
static uint32_t choose_root(const struct search *s, uint64_t salt)
{
    uint32_t best = WEFT_TREE_NONE, equals = 0;
    for (int pick = 0; pick < 2; pick++) {
        uint64_t skip = equals ? salt % equals : 0;
        for (uint32_t v = 0; v < s->f->nnodes; v++) {
            if (!is_switch(s->f, v) || s->farthest[v] == FAR)
                continue;
            if (!pick && (best == WEFT_TREE_NONE || s->farthest[v] < s->farthest[best] ||
                          (s->farthest[v] == s->farthest[best] && s->sum[v] < s->sum[best]))) {
                best = v;
                equals = 0;
            }
            if (s->farthest[v] != s->farthest[best] || s->sum[v] != s->sum[best])
                continue;
            if (!pick)
                equals++;
            else if (skip-- == 0)
                return v;
        }
    }
    return best;
}

/* The port of a node towards a switch at distance @p want of the root; one exists. */
static uint32_t port_to(const struct search *s, uint32_t node, uint32_t want, uint64_t salt)
{
    const struct weft_fabric_node *from = &s->f->nodes[node];
    uint32_t n = 0, last = from->first_port + from->nports;
    for (uint32_t p = from->first_port; p < last; p++)
        n += s->distance[other_end(s->f, p)] == want;
    uint64_t skip = salt % n;
    for (uint32_t p = from->first_port;; p++)
        if (s->distance[other_end(s->f, p)] == want && skip-- == 0)
            return p;
}

/* Adds a switch and those between it and the root; returns its index. */
static uint32_t add_switch(struct search *s, struct weft_reduction_tree *t, uint32_t node,
                           uint64_t salt)
{
    if (s->index[node] != WEFT_TREE_NONE)
        return s->index[node];
    uint32_t up = port_to(s, node, s->distance[node] - 1, salt);
    uint32_t parent = add_switch(s, t, other_end(s->f, up), salt);
    t->switches[parent].children++;
    t->switches[t->nswitches] = (struct weft_tree_switch){node, parent, up, 0, 0};
    return s->index[node] = t->nswitches++;
}

static uint32_t nearest(const struct search *s, uint32_t node)
{
    const struct weft_fabric_node *from = &s->f->nodes[node];
    uint32_t best = FAR;
    for (uint32_t p = from->first_port; p < from->first_port + from->nports; p++) {
        uint32_t d = s->distance[other_end(s->f, p)];
        best = d < best ? d : best;
    }
    return best;
}

static void reduction_tree_grow(struct search *s, struct weft_reduction_tree *t,
                                const uint32_t *hosts, uint32_t n, uint32_t root, uint64_t salt)
{
    memset(s->distance, 0xff, s->f->nnodes * sizeof *s->distance);
    s->distance[root] = 0;
    s->queue[0] = root;
    reduction_tree_spread(s, 1);
    t->switches[0] = (struct weft_tree_switch){root, WEFT_TREE_NONE, WEFT_TREE_NONE, 0, 0};
    t->nswitches = 1;
    s->index[root] = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t node = s->f->hosts[hosts[i]];
        uint32_t up = port_to(s, node, nearest(s, node), salt);
        uint32_t parent = add_switch(s, t, other_end(s->f, up), salt);
        t->switches[parent].children++;
        t->leaves[t->nleaves++] = (struct weft_tree_leaf){parent, up};
        for (; parent != WEFT_TREE_NONE; parent = t->switches[parent].parent)
            t->switches[parent].members++;
    }
}

int weft_reduction_tree_check_hosts(const struct weft_fabric *f, const uint32_t *hosts, uint32_t n,
                                    struct weft_err *err)
{
    for (uint32_t i = 0; i < n; i++)
        if (hosts[i] >= f->nhosts)
            return weft_err_set(err, WEFT_E_INPUT,
                                "host %u in an in-network group, but the fabric has hosts 0 to %u",
                                hosts[i], f->nhosts - 1);
    return 0;
}

int weft_reduction_tree_new(const struct weft_fabric *f, const uint32_t *hosts, uint32_t n,
                            uint64_t salt, struct weft_reduction_tree *out, struct weft_err *err)
{
    const size_t nodes = f->nnodes;
    struct search s = {.f = f,
                       .queue = calloc(nodes, sizeof *s.queue),
                       .distance = calloc(nodes, sizeof *s.distance),
                       .farthest = calloc(nodes, sizeof *s.farthest),
                       .sum = calloc(nodes, sizeof *s.sum),
                       .index = malloc(nodes * sizeof *s.index)};
    *out = (struct weft_reduction_tree){.switches = calloc(nodes, sizeof *out->switches),
                                        .leaves = calloc(n, sizeof *out->leaves)};
    int rc = 0;
    if (!s.queue || !s.distance || !s.farthest || !s.sum || !s.index || !out->switches ||
        !out->leaves)
        rc = weft_err_no_memory(err, "an aggregation tree");
    if (!rc)
        rc = reduction_tree_measure(&s, hosts, n, err);
    if (!rc) {
        uint32_t root = choose_root(&s, salt);
        memset(s.index, 0xff, nodes * sizeof *s.index);
        if (root == WEFT_TREE_NONE)
            rc =
                weft_err_set(err, WEFT_E_INPUT,
                             "no switch reaches h%u and the other %u hosts through switches alone; "
                             "one group per dimension, or an algorithm such as 'ring', would work",
                             hosts[0], n - 1);
        else
            reduction_tree_grow(&s, out, hosts, n, root, salt);
    }
    free(s.queue);
    free(s.distance);
    free(s.farthest);
    free(s.sum);
    free(s.index);
    void *less = rc ? NULL : realloc(out->switches, out->nswitches * sizeof *out->switches);
    out->switches = less ? less : out->switches;
    if (rc)
        weft_reduction_tree_release(out);
    return rc;
}

void weft_reduction_tree_release(struct weft_reduction_tree *t)
{
    free(t->switches);
    free(t->leaves);
    *t = (struct weft_reduction_tree){NULL, 0, NULL, 0};
}

bool weft_tree_below(const struct weft_reduction_tree *t, uint32_t at, uint32_t leaf)
{
    uint32_t s = t->leaves[leaf].parent;
    while (s != WEFT_TREE_NONE && s > at) /* parents have smaller numbers */
        s = t->switches[s].parent;
    return s == at;
}

bool weft_tree_gives(const struct weft_reduction_tree *t, uint32_t at, uint32_t from)
{
    return from == WEFT_TREE_NONE || weft_tree_below(t, at, from);
}

bool weft_tree_wants(const struct weft_reduction_tree *t, uint32_t at, uint32_t from, uint32_t to)
{
    if (to != WEFT_TREE_NONE)
        return weft_tree_below(t, at, to);
    return from == WEFT_TREE_NONE || t->switches[at].members > 1 || !weft_tree_below(t, at, from);
}
