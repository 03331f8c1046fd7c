/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Adds operations to a trace and removes them. The dependencies that replace a removed node are
 * computed once and kept. Nodes are visited with an explicit stack, since chains of removed nodes
 * may be as long as the trace.
 */
#include "workload/whatif/edit.h"

#include "base/grow.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX
#define BRIDGES_MAX (UINT64_C(1) << 26) /* dependencies that stand for removed nodes */

enum fate { KEPT, MERGED, REMOVED };
enum progress { NOT_SEEN, OPEN, DONE };

struct weft_edit_note {
    uint64_t *instead; /* ids that dependents get; NULL: none were set. Of a removed node: once it
                          is DONE */
    uint32_t ninstead;
    uint32_t on;                                     /* MERGED */
    uint32_t before, after, last_before, last_after; /* new nodes */
    uint32_t stamp;  /* of the list of dependencies that it was last put into */
    uint32_t cursor; /* of a removed node: dependencies looked at */
    uint8_t fate, progress;
};

struct weft_edit_new {
    struct weft_et_node *node;
    uint32_t next; /* at its place; NONE: none */
    bool fixed;    /* its dependencies stay */
};

struct key {
    uint64_t id;
    uint32_t index;
};

static int edit_by_id(const void *x, const void *y)
{
    const struct key *a = x, *b = y;
    if (a->id != b->id)
        return a->id < b->id ? -1 : 1;
    return a->index < b->index ? -1 : a->index > b->index;
}

static int sort_nodes(struct weft_edit *e, struct weft_err *err)
{
    struct key *keys = malloc(((size_t)e->n + 1) * sizeof *keys);
    int rc = keys ? 0 : weft_err_no_memory(err, "changing a trace");
    for (uint32_t i = 0; keys && i < e->n; i++)
        keys[i] = (struct key){e->et->nodes[i].id, i};
    if (keys)
        qsort(keys, e->n, sizeof *keys, edit_by_id);
    for (uint32_t i = 0; !rc && i < e->n; i++) {
        e->by_id[i] = keys[i].index;
        if (i && keys[i].id == keys[i - 1].id)
            rc = weft_et_node_err(err, WEFT_E_INPUT, e->et, &e->et->nodes[keys[i].index],
                                  "its id is used twice");
    }
    if (!rc && e->n && keys[e->n - 1].id >= UINT64_MAX / 2)
        rc = weft_et_node_err(err, WEFT_E_LIMIT, e->et, &e->et->nodes[keys[e->n - 1].index],
                              "its id leaves no room for new ones");
    e->next_id = !rc && e->n ? keys[e->n - 1].id + 1 : 1;
    free(keys);
    return rc;
}

int weft_edit_start(struct weft_edit *e, struct weft_et *et, struct weft_arena *arena,
                    struct weft_err *err)
{
    *e = (struct weft_edit){.et = et, .arena = arena};
    if (et->nnodes >= NONE / 2 - 1)
        return weft_err_set(err, WEFT_E_LIMIT, "a trace of %zu nodes is too large", et->nnodes);
    e->n = (uint32_t)et->nnodes;
    e->by_id = malloc(((size_t)e->n + 1) * sizeof *e->by_id);
    e->note = calloc((size_t)e->n + 1, sizeof *e->note);
    if (!e->by_id || !e->note)
        return weft_err_no_memory(err, "changing a trace");
    for (uint32_t i = 0; i < e->n; i++)
        e->note[i].before = e->note[i].after = NONE;
    return sort_nodes(e, err);
}

void weft_edit_end(struct weft_edit *e)
{
    for (uint32_t i = 0; e->note && i < e->n; i++)
        free(e->note[i].instead);
    free(e->note);
    free(e->by_id);
    free(e->added);
    *e = (struct weft_edit){0};
}

uint32_t weft_edit_find(const struct weft_edit *e, uint64_t id)
{
    uint32_t low = 0, high = e->n;
    while (low < high) {
        const uint32_t mid = low + (high - low) / 2;
        if (e->et->nodes[e->by_id[mid]].id < id)
            low = mid + 1;
        else
            high = mid;
    }
    return low < e->n && e->et->nodes[e->by_id[low]].id == id ? e->by_id[low] : NONE;
}

static int edit_grow(struct weft_edit *e, struct weft_err *err)
{
    if (e->nadded >= NONE / 4)
        return weft_err_set(err, WEFT_E_LIMIT, "too many new operations");
    return WEFT_GROW(e->added, e->nadded, &e->cap) ? 0
                                                   : weft_err_no_memory(err, "changing a trace");
}

/* A new node before or behind node at in the file. */
static struct weft_et_node *edit_add(struct weft_edit *e, uint32_t at, bool before, int32_t type,
                                     const char *suffix, struct weft_err *err)
{
    struct weft_edit_note *note = &e->note[at];
    struct weft_et_node *node = weft_arena_alloc(e->arena, sizeof *node);
    if (edit_grow(e, err))
        return NULL;
    if (node)
        node->name = weft_arena_printf(e->arena, "%s%s", e->et->nodes[at].name, suffix);
    if (!node || !node->name) {
        weft_err_no_memory(err, "changing a trace");
        return NULL;
    }
    node->id = e->next_id++;
    node->type = type;
    node->offset = -1;
    node->inputs = node->outputs = (struct weft_et_io){.values = "", .shapes = "", .types = ""};
    uint32_t *first = before ? &note->before : &note->after;
    uint32_t *last = before ? &note->last_before : &note->last_after;
    *(*first == NONE ? first : &e->added[*last].next) = e->nadded;
    *last = e->nadded;
    e->added[e->nadded++] = (struct weft_edit_new){node, NONE, false};
    return node;
}

static void copy_deps(struct weft_et_node *to, const struct weft_et_node *from)
{
    to->ctrl_deps = from->ctrl_deps;
    to->nctrl_deps = from->nctrl_deps;
    to->data_deps = from->data_deps;
    to->ndata_deps = from->ndata_deps;
}

/* Has a node depend on another alone; false: out of memory. */
static bool edit_wait_for(struct weft_edit *e, struct weft_et_node *node, uint64_t id,
                          struct weft_err *err)
{
    uint64_t *dep = weft_arena_alloc(e->arena, sizeof *dep);
    if (!dep)
        return weft_err_no_memory(err, "changing a trace") == 0;
    *dep = id;
    node->nctrl_deps = 0;
    node->data_deps = dep;
    node->ndata_deps = 1;
    return true;
}

struct weft_et_node *weft_edit_before(struct weft_edit *e, uint32_t at, int32_t type,
                                      const char *suffix, struct weft_err *err)
{
    struct weft_et_node *node = &e->et->nodes[at], *more = edit_add(e, at, true, type, suffix, err);
    if (!more)
        return NULL;
    copy_deps(more, node);
    return edit_wait_for(e, node, more->id, err) ? more : NULL;
}

struct weft_et_node *weft_edit_after(struct weft_edit *e, uint32_t at, int32_t type,
                                     const char *suffix, struct weft_err *err)
{
    struct weft_et_node *more = edit_add(e, at, false, type, suffix, err);
    if (!more || !edit_wait_for(e, more, e->et->nodes[at].id, err) ||
        weft_edit_instead(e, at, &more->id, 1, err))
        return NULL;
    e->added[e->nadded - 1].fixed = true;
    return more;
}

struct weft_et_node *weft_edit_beside(struct weft_edit *e, uint32_t at, int32_t type,
                                      const char *suffix, struct weft_err *err)
{
    struct weft_et_node *more = edit_add(e, at, false, type, suffix, err);
    if (more)
        copy_deps(more, &e->et->nodes[at]);
    return more;
}

int weft_edit_instead(struct weft_edit *e, uint32_t at, const uint64_t *ids, size_t n,
                      struct weft_err *err)
{
    struct weft_edit_note *note = &e->note[at];
    uint64_t *copy = malloc(n * sizeof *copy);
    if (!copy)
        return weft_err_no_memory(err, "changing a trace");
    memcpy(copy, ids, n * sizeof *copy);
    free(note->instead);
    note->instead = copy;
    note->ninstead = (uint32_t)n;
    return 0;
}

void weft_edit_merge(struct weft_edit *e, uint32_t at, uint32_t on)
{
    e->note[at].fate = MERGED;
    e->note[at].on = on;
}

void weft_edit_remove(struct weft_edit *e, uint32_t at)
{
    e->note[at].fate = REMOVED;
}

/** A list of ids that grows. */
struct ids {
    uint64_t *list;
    size_t n, cap;
};

static int edit_put(struct ids *ids, uint64_t id, struct weft_err *err)
{
    if (!WEFT_GROW(ids->list, ids->n, &ids->cap))
        return weft_err_no_memory(err, "changing a trace");
    ids->list[ids->n++] = id;
    return 0;
}

/* Puts what stands for one dependency, once for each value of stamp. */
static int put_dep(struct weft_edit *e, struct ids *out, uint64_t id, uint32_t stamp,
                   struct weft_err *err)
{
    const uint32_t i = weft_edit_find(e, id);
    if (i == NONE) /* the file does not have it: for the reader to say */
        return edit_put(out, id, err);
    struct weft_edit_note *note = &e->note[i];
    int rc = 0;
    if (note->fate == MERGED)
        return put_dep(e, out, e->et->nodes[note->on].id, stamp, err);
    if (note->stamp == stamp)
        return 0;
    note->stamp = stamp;
    if (note->fate == KEPT && !note->instead)
        return edit_put(out, id, err);
    for (uint32_t k = 0; !rc && k < note->ninstead; k++) {
        const uint32_t to = note->fate == REMOVED ? weft_edit_find(e, note->instead[k]) : NONE;
        if (to != NONE && e->note[to].stamp == stamp)
            continue;
        if (to != NONE)
            e->note[to].stamp = stamp;
        rc = edit_put(out, note->instead[k], err);
    }
    return rc;
}

/* ---- removed nodes ---- */

/** The nodes whose dependencies are being worked out. */
struct work {
    struct weft_edit *e;
    uint32_t *stack;
    size_t depth;
    uint64_t bridges; /* so far */
    struct ids ids;
};

static uint64_t dep_of(const struct weft_et_node *node, size_t k)
{
    return k < node->nctrl_deps ? node->ctrl_deps[k] : node->data_deps[k - node->nctrl_deps];
}

/* Pushes the next removed node that node i depends on and that is not done: 1, 0: there is none,
 * -1: a circle. */
static int push_deps(struct work *w, uint32_t i)
{
    const struct weft_et_node *node = &w->e->et->nodes[i];
    uint32_t *k = &w->e->note[i].cursor;
    while (*k < node->nctrl_deps + node->ndata_deps) {
        const uint32_t d = weft_edit_find(w->e, dep_of(node, (*k)++));
        if (d == NONE || w->e->note[d].fate != REMOVED || w->e->note[d].progress == DONE)
            continue;
        if (w->e->note[d].progress == OPEN)
            return -1;
        w->e->note[d].progress = OPEN;
        w->stack[w->depth++] = d;
        return 1; /* one at a time: what is open is a path */
    }
    return 0;
}

static int edit_resolve(struct work *w, uint32_t i, struct weft_err *err)
{
    struct weft_edit_note *note = &w->e->note[i];
    const struct weft_et_node *node = &w->e->et->nodes[i];
    int rc = 0;
    w->ids.n = 0;
    for (size_t k = 0; !rc && k < node->nctrl_deps + node->ndata_deps; k++)
        rc = put_dep(w->e, &w->ids, dep_of(node, k), i + 1, err);
    w->bridges += w->ids.n;
    if (!rc && w->bridges > BRIDGES_MAX)
        rc = weft_et_node_err(
            err, WEFT_E_LIMIT, w->e->et, node,
            "removing it and those before makes more than %" PRIu64 " dependencies", BRIDGES_MAX);
    note->progress = DONE;
    return rc || !w->ids.n ? rc : weft_edit_instead(w->e, i, w->ids.list, w->ids.n, err);
}

static int resolve_removed(struct weft_edit *e, struct weft_err *err)
{
    struct work w = {.e = e, .stack = malloc(((size_t)e->n + 1) * sizeof *w.stack)};
    int rc = w.stack ? 0 : weft_err_no_memory(err, "changing a trace");
    for (uint32_t i = 0; !rc && i < e->n; i++) {
        if (e->note[i].fate != REMOVED || e->note[i].progress == DONE)
            continue;
        e->note[i].progress = OPEN;
        w.stack[w.depth++] = i;
        while (!rc && w.depth) {
            const uint32_t top = w.stack[w.depth - 1];
            const int pushed = push_deps(&w, top);
            if (pushed < 0)
                rc = weft_et_node_err(err, WEFT_E_INPUT, e->et, &e->et->nodes[top],
                                      "it depends on itself, in a circle of operations");
            if (pushed == 0) {
                rc = edit_resolve(&w, top, err);
                w.depth--;
            }
        }
    }
    for (uint32_t i = 0; i < e->n; i++)
        e->note[i].stamp = 0;
    free(w.stack);
    free(w.ids.list);
    return rc;
}

/* ---- all others ---- */

/* One list of a node's dependencies; it stays where it is when nothing changes. */
static int rewrite(struct weft_edit *e, struct ids *ids, const uint64_t **deps, size_t *n,
                   uint32_t stamp, struct weft_err *err)
{
    bool same = true;
    int rc = 0;
    for (size_t k = 0; k < *n && same; k++) {
        const uint32_t i = weft_edit_find(e, (*deps)[k]);
        same = i == NONE || (e->note[i].fate == KEPT && !e->note[i].instead);
    }
    if (same)
        return 0;
    ids->n = 0;
    for (size_t k = 0; !rc && k < *n; k++)
        rc = put_dep(e, ids, (*deps)[k], stamp, err);
    uint64_t *copy = rc ? NULL : weft_arena_calloc(e->arena, ids->n, sizeof *copy);
    if (!copy)
        return rc ? rc : weft_err_no_memory(err, "changing a trace");
    if (ids->n)
        memcpy(copy, ids->list, ids->n * sizeof *copy);
    *deps = copy;
    *n = ids->n;
    return 0;
}

static int rewrite_node(struct weft_edit *e, struct ids *ids, struct weft_et_node *node,
                        uint32_t stamp, struct weft_err *err)
{
    const int rc = rewrite(e, ids, &node->ctrl_deps, &node->nctrl_deps, stamp, err);
    return rc ? rc : rewrite(e, ids, &node->data_deps, &node->ndata_deps, stamp + 1, err);
}

/* Puts the new nodes of a place into the trace. */
static int edit_place(struct weft_edit *e, struct ids *ids, struct weft_et_node *to, size_t *n,
                      uint32_t first, struct weft_err *err)
{
    int rc = 0;
    for (uint32_t k = first; !rc && k != NONE; k = e->added[k].next) {
        if (!e->added[k].fixed)
            rc = rewrite_node(e, ids, e->added[k].node, 2 * (e->n + k) + 1, err);
        to[(*n)++] = *e->added[k].node;
    }
    return rc;
}

int weft_edit_finish(struct weft_edit *e, struct weft_err *err)
{
    struct ids ids = {0};
    size_t n = 0;
    int rc = resolve_removed(e, err);
    struct weft_et_node *nodes =
        rc ? NULL : weft_arena_calloc(e->arena, (size_t)e->n + e->nadded, sizeof *nodes);
    if (!rc && !nodes)
        rc = weft_err_no_memory(err, "changing a trace");
    if (!rc && (uint64_t)e->n + e->nadded >= NONE / 2 - 1)
        rc = weft_err_set(err, WEFT_E_LIMIT, "too many operations");
    for (uint32_t i = 0; !rc && i < e->n; i++) {
        rc = edit_place(e, &ids, nodes, &n, e->note[i].before, err);
        if (!rc && e->note[i].fate == KEPT) {
            rc = rewrite_node(e, &ids, &e->et->nodes[i], 2 * i + 1, err);
            nodes[n++] = e->et->nodes[i];
        }
        if (!rc)
            rc = edit_place(e, &ids, nodes, &n, e->note[i].after, err);
    }
    free(ids.list);
    if (rc)
        return rc;
    e->et->nodes = nodes;
    e->et->nnodes = n;
    return 0;
}
