/* SPDX-License-Identifier: GPL-2.0-only */
/* Packs spanning trees, see tree_packing.h. Capacities are kept in a matrix of units. */
#include "collective/tree_packing.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct packer {
    uint32_t n, root;
    uint64_t *cap;  /* n * n: units left from u to v */
    uint64_t *left; /* scratch of a flow: the same, less what flows */
    uint32_t *queue, *from;
};

static uint64_t gcd(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t r = a % b;
        a = b;
        b = r;
    }
    return a;
}

/* A shortest way with capacity left from the root to `to`; from[v] is the rank before v. */
static int find_way(struct packer *k, uint32_t to)
{
    uint32_t head = 0, tail = 0;
    memset(k->from, 0xff, k->n * sizeof *k->from);
    k->from[k->root] = k->root;
    k->queue[tail++] = k->root;
    while (head < tail && k->from[to] == UINT32_MAX) {
        uint32_t u = k->queue[head++];
        for (uint32_t v = 0; v < k->n; v++)
            if (k->from[v] == UINT32_MAX && k->left[(size_t)u * k->n + v]) {
                k->from[v] = u;
                k->queue[tail++] = v;
            }
    }
    return k->from[to] != UINT32_MAX;
}

/* Units that can flow from the root to `to`, at most `enough`. */
static uint64_t flow(struct packer *k, uint32_t to, uint64_t enough)
{
    uint64_t sum = 0;
    memcpy(k->left, k->cap, (size_t)k->n * k->n * sizeof *k->left);
    while (sum < enough && find_way(k, to)) {
        uint64_t least = enough - sum;
        for (uint32_t v = to; v != k->root; v = k->from[v]) {
            uint64_t c = k->left[(size_t)k->from[v] * k->n + v];
            least = c < least ? c : least;
        }
        for (uint32_t v = to; v != k->root; v = k->from[v]) {
            k->left[(size_t)k->from[v] * k->n + v] -= least;
            k->left[(size_t)v * k->n + k->from[v]] += least;
        }
        sum += least;
    }
    return sum;
}

/* The narrowest cut between the root and a rank; *who is that rank. */
static uint64_t narrowest(struct packer *k, uint32_t *who)
{
    uint64_t least = UINT64_MAX;
    for (uint32_t v = 0; v < k->n; v++) {
        uint64_t f = v == k->root ? least : flow(k, v, least);
        if (f < least) {
            least = f;
            *who = v;
        }
    }
    return least;
}

/* Grows one tree so that `rest` more fit into what it leaves. Takes its units. */
static int tree_packing_grow(struct packer *k, uint64_t rest, uint32_t *parent, uint32_t *order)
{
    uint32_t n = 1;
    memset(parent, 0xff, k->n * sizeof *parent);
    parent[k->root] = k->root;
    order[0] = k->root;
    for (uint32_t i = 0; i < n; i++) /* earlier ranks are nearer to the root */
        for (uint32_t v = 0; v < k->n; v++) {
            uint64_t *c = &k->cap[(size_t)order[i] * k->n + v];
            if (parent[v] != UINT32_MAX || *c == 0)
                continue;
            --*c;
            if (flow(k, v, rest) < rest) {
                ++*c;
                continue;
            }
            parent[v] = order[i];
            order[n++] = v;
        }
    return n == k->n ? 0 : WEFT_E_INTERNAL;
}

static void set_children(struct weft_packed_tree *t, uint32_t n, uint32_t root)
{
    uint32_t at = 0;
    for (uint32_t v = 0; v < n; v++) {
        t->first[v] = at;
        for (uint32_t w = 0; w < n; w++)
            if (w != root && t->parent[w] == v) {
                t->place[w] = at - t->first[v];
                t->child[at++] = w;
            }
    }
    t->first[n] = at;
}

/* Adds a tree, or weight to the same one. */
static void add_tree(struct weft_packing *p, const uint32_t *parent)
{
    uint32_t i = 0;
    while (i < p->ntrees && memcmp(p->tree[i].parent, parent, p->n * sizeof *parent))
        i++;
    if (i == p->ntrees) {
        struct weft_packed_tree *t = &p->tree[p->ntrees++];
        uint32_t *at = p->numbers + (size_t)i * (4 * (size_t)p->n + 1);
        *t = (struct weft_packed_tree){
            .parent = at, .place = at + p->n, .child = at + 2 * p->n, .first = at + 3 * p->n};
        memcpy(t->parent, parent, p->n * sizeof *parent);
        set_children(t, p->n, p->root);
    }
    p->tree[i].weight++;
}

static int pack(struct packer *k, struct weft_packing *p, uint32_t *scratch, struct weft_err *err)
{
    uint64_t trees = p->weight;
    for (uint64_t t = 0; t < trees; t++) {
        if (tree_packing_grow(k, trees - t - 1, scratch, scratch + k->n))
            return weft_err_set(err, WEFT_E_INTERNAL,
                                "tree %" PRIu64 " of %" PRIu64 " could not be packed", t, trees);
        add_tree(p, scratch);
    }
    for (uint32_t t = 1; t < p->ntrees; t++)
        p->tree[t].before = p->tree[t - 1].before + p->tree[t - 1].weight;
    return 0;
}

static void tree_packing_fill(struct packer *k, const struct weft_coll_graph *g, uint64_t unit_bps)
{
    memset(k->cap, 0, (size_t)k->n * k->n * sizeof *k->cap);
    for (size_t i = 0; i < g->nedges; i++)
        k->cap[(size_t)g->edge[i].from * k->n + g->edge[i].to] += g->edge[i].rate_bps;
    for (size_t i = 0; i < (size_t)k->n * k->n; i++)
        k->cap[i] /= unit_bps;
}

/* Chooses the unit and counts the trees. */
static int tree_packing_measure(struct packer *k, const struct weft_coll_graph *g,
                                struct weft_packing *p, struct weft_err *err)
{
    uint32_t who = 0;
    p->unit_bps = 0;
    for (size_t i = 0; i < g->nedges; i++)
        p->unit_bps = gcd(p->unit_bps, g->edge[i].rate_bps);
    p->unit_bps = p->unit_bps ? p->unit_bps : 1;
    tree_packing_fill(k, g, p->unit_bps);
    p->weight = narrowest(k, &who);
    if (p->weight == 0)
        return weft_err_set(err, WEFT_E_INPUT,
                            "no links between ranks lead from rank %u of the group to rank %u, and "
                            "trees are packed into the direct links between its ranks",
                            k->root, who);
    if (p->weight > WEFT_PACKING_TREES_MAX) {
        p->unit_bps *= (p->weight + WEFT_PACKING_TREES_MAX - 1) / WEFT_PACKING_TREES_MAX;
        tree_packing_fill(k, g, p->unit_bps);
        p->weight = narrowest(k, &who);
    }
    if (p->weight == 0)
        return weft_err_set(err, WEFT_E_INPUT,
                            "the rates of the links are too different for %u trees",
                            WEFT_PACKING_TREES_MAX);
    return 0;
}

int weft_packing_new(const struct weft_coll_graph *g, uint32_t root, struct weft_packing **out,
                     struct weft_err *err)
{
    const size_t n = g->n;
    *out = NULL;
    if (n < 2 || n > WEFT_PACKING_RANKS_MAX)
        return weft_err_set(err, WEFT_E_INPUT, "trees are packed among 2 to %u ranks, not %u",
                            WEFT_PACKING_RANKS_MAX, g->n);
    struct packer k = {.n = g->n,
                       .root = root,
                       .cap = calloc(n * n, sizeof *k.cap),
                       .left = calloc(n * n, sizeof *k.left),
                       .queue = calloc(n, sizeof *k.queue),
                       .from = calloc(n, sizeof *k.from)};
    uint32_t *scratch = calloc(2 * n, sizeof *scratch);
    struct weft_packing *p = calloc(1, sizeof *p);
    bool room = p && scratch && k.cap && k.left && k.queue && k.from;
    if (room) {
        p->n = g->n;
        p->root = root;
        p->tree = calloc(WEFT_PACKING_TREES_MAX, sizeof *p->tree);
        p->numbers = calloc(WEFT_PACKING_TREES_MAX * (4 * n + 1), sizeof *p->numbers);
        room = p->tree && p->numbers;
    }
    int rc = room ? tree_packing_measure(&k, g, p, err) : weft_err_no_memory(err, "packed trees");
    if (!rc)
        rc = pack(&k, p, scratch, err);
    free(k.cap);
    free(k.left);
    free(k.queue);
    free(k.from);
    free(scratch);
    if (rc)
        weft_packing_free(p);
    else
        *out = p;
    return rc;
}

void weft_packing_free(struct weft_packing *p)
{
    if (!p)
        return;
    free(p->tree);
    free(p->numbers);
    free(p);
}
