/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Chooses which collectives of a rank are fused into one. Kahn's algorithm with two heaps by id:
 * nodes that wait for an open bucket come last.
 */
#include "workload/whatif/buckets.h"

#include "base/event_heap.h"

#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX

/** An open bucket of a sort. */
struct open {
    uint32_t bucket; /* NONE: closed */
    uint32_t last;   /* the newest member, in the list */
    uint64_t bytes;
};

struct walk {
    const struct weft_edit *e;
    struct weft_bucketed *list;
    uint32_t *place;              /* of a node in the order of ids */
    uint32_t *item;               /* of a node in the list, NONE: not in it */
    uint32_t *missing;            /* parents that have not been visited */
    uint32_t *first;              /* of a node's children; n + 1 of them */
    uint32_t *children;           /* indices of nodes */
    struct weft_heap ready, late; /* nodes, by their place in the order of ids */
    struct open *open;
    uint32_t nbuckets;
    uint64_t most_bytes;
};

static uint64_t dep(const struct weft_et_node *node, size_t k)
{
    return k < node->nctrl_deps ? node->ctrl_deps[k] : node->data_deps[k - node->nctrl_deps];
}

/* Has fn see each dependency of node i that the trace has. */
static void each_dep(struct walk *w, uint32_t i, void (*fn)(struct walk *, uint32_t, uint32_t))
{
    const struct weft_et_node *node = &w->e->et->nodes[i];
    for (size_t k = 0; k < node->nctrl_deps + node->ndata_deps; k++) {
        const uint32_t d = weft_edit_find(w->e, dep(node, k));
        if (d != NONE)
            fn(w, i, d);
    }
}

static void count_child(struct walk *w, uint32_t i, uint32_t d)
{
    w->missing[i]++;
    w->first[d + 1]++;
}

static void add_child(struct walk *w, uint32_t i, uint32_t d)
{
    w->children[w->first[d]++] = i;
}

static struct open *open_of(const struct walk *w, uint32_t d)
{
    const uint32_t item = w->item[d];
    struct open *o = item == NONE ? NULL : &w->open[w->list[item].sort];
    return o && o->bucket == w->list[item].bucket ? o : NULL;
}

static void close_of(struct walk *w, uint32_t i, uint32_t d)
{
    struct open *o = open_of(w, d);
    if (o)
        o->bucket = NONE;
}

/* Whether node i waits for an open bucket that it would not go into. */
static bool waits(const struct walk *w, uint32_t i)
{
    const struct weft_et_node *node = &w->e->et->nodes[i];
    const struct open *own = w->item[i] == NONE ? NULL : &w->open[w->list[w->item[i]].sort];
    for (size_t k = 0; k < node->nctrl_deps + node->ndata_deps; k++) {
        const uint32_t d = weft_edit_find(w->e, dep(node, k));
        const struct open *o = d == NONE ? NULL : open_of(w, d);
        if (o && o != own)
            return true;
    }
    return false;
}

static void buckets_take_in(struct walk *w, uint32_t item)
{
    struct weft_bucketed *b = &w->list[item];
    struct open *o = &w->open[b->sort];
    if (o->bucket == NONE || item < o->last || o->bytes > w->most_bytes ||
        b->bytes > w->most_bytes - o->bytes)
        *o = (struct open){.bucket = w->nbuckets++};
    o->bytes += b->bytes;
    o->last = item;
    b->bucket = o->bucket;
}

static void visit(struct walk *w, uint32_t i)
{
    if (w->item[i] != NONE)
        buckets_take_in(w, w->item[i]);
    for (uint32_t k = w->first[i]; k < w->first[i + 1]; k++) {
        const uint32_t child = w->children[k];
        if (--w->missing[child] == 0)
            weft_heap_push(waits(w, child) ? &w->late : &w->ready, w->place[child], child);
    }
}

static int link(struct walk *w, struct weft_err *err)
{
    const uint32_t n = w->e->n;
    for (uint32_t i = 0; i < n; i++)
        each_dep(w, i, count_child);
    for (uint32_t i = 0; i < n; i++)
        w->first[i + 1] += w->first[i];
    w->children = malloc(((size_t)w->first[n] + 1) * sizeof *w->children);
    if (!w->children)
        return weft_err_no_memory(err, "dependencies");
    for (uint32_t i = 0; i < n; i++)
        each_dep(w, i, add_child);
    memmove(w->first + 1, w->first, n * sizeof *w->first);
    w->first[0] = 0;
    return 0;
}

static int buckets_walk(struct walk *w, struct weft_err *err)
{
    uint32_t visited = 0;
    for (uint32_t k = 0; k < w->e->n; k++)
        if (w->missing[w->e->by_id[k]] == 0)
            weft_heap_push(&w->ready, k, w->e->by_id[k]);
    for (; w->ready.n || w->late.n; visited++) {
        const bool late = w->ready.n == 0;
        const uint32_t i = weft_heap_pop(late ? &w->late : &w->ready).slot;
        if (late)
            each_dep(w, i, close_of);
        visit(w, i);
    }
    if (visited < w->e->n)
        return weft_err_set(err, WEFT_E_INPUT, "%u operations depend on each other in a circle",
                            w->e->n - visited);
    return 0;
}

int weft_buckets_fill(const struct weft_edit *e, struct weft_bucketed *list, uint32_t n,
                      uint32_t nsorts, uint64_t most_bytes, struct weft_err *err)
{
    const size_t all = (size_t)e->n + 2;
    struct walk w = {.e = e, .list = list, .most_bytes = most_bytes};
    uint32_t *room = calloc(4 * all, sizeof *room);
    w.open = malloc(((size_t)nsorts + 1) * sizeof *w.open);
    int rc = room && w.open && !weft_heap_reserve(&w.ready, all) && !weft_heap_reserve(&w.late, all)
                 ? 0
                 : weft_err_no_memory(err, "buckets");
    if (!rc) {
        w.place = room;
        w.item = room + all;
        w.missing = room + 2 * all;
        w.first = room + 3 * all;
        for (uint32_t k = 0; k < e->n; k++) {
            w.place[e->by_id[k]] = k;
            w.item[k] = NONE;
        }
        for (uint32_t k = 0; k < n; k++) {
            w.item[list[k].node] = k;
            list[k].bucket = NONE - 1;
        }
        for (uint32_t s = 0; s < nsorts; s++)
            w.open[s].bucket = NONE;
        rc = link(&w, err);
    }
    if (!rc)
        rc = buckets_walk(&w, err);
    weft_heap_release(&w.ready);
    weft_heap_release(&w.late);
    free(w.children);
    free(w.open);
    free(room);
    return rc;
}
