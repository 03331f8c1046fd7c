/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Dependencies: resolve ids, drop repeats, invert parents into children, prove there is no cycle.
 */
#include "workload/deps.h"

#include "base/compare.h"
#include "base/grow.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CYCLE_SHOWN = 8 };

struct linker {
    const struct weft_arena *arena; /* of the graph */
    const struct weft_et *et;
    const struct weft_et_node *const *sorted;
    struct weft_dag *dag;
    uint32_t *parents;      /* concatenated parent lists, ascending and distinct */
    uint32_t *first_parent; /* nops + 1 entries */
    size_t nparents, cap;
    uint32_t *todo;  /* per op: parents not done yet */
    uint32_t *queue; /* ops that are ready, then done */
};

/** On the way through all ops, at number @p i: releases what lies in files. */
static void relax(const struct linker *l, uint32_t i)
{
    if (i % WEFT_VISIT_OPS)
        return;
    weft_arena_relax(l->et->arena);
    weft_arena_relax(l->arena);
}

/** The index of the node with this id, or UINT32_MAX. */
static uint32_t deps_find(const struct linker *l, uint64_t id)
{
    uint32_t n = l->dag->nops;
    uint64_t base = l->sorted[0]->id;
    if (id >= base && id - base < n && l->sorted[id - base]->id == id)
        return (uint32_t)(id - base); /* consecutive ids, the usual case */
    uint32_t lo = 0, hi = n;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (l->sorted[mid]->id < id)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < n && l->sorted[lo]->id == id ? lo : UINT32_MAX;
}

static int push_parents(struct linker *l, const struct weft_et_node *node, const char *field,
                        const uint64_t *ids, size_t n, struct weft_err *err)
{
    if (n > UINT32_MAX - l->nparents)
        return weft_et_node_err(err, WEFT_E_LIMIT, l->et, node,
                                "more than %" PRIu32 " dependencies in one trace", UINT32_MAX);
    if (!WEFT_GROW_TO(l->parents, l->nparents + n, &l->cap))
        return weft_err_no_memory(err, "a graph");
    for (size_t i = 0; i < n; i++) {
        uint32_t index = deps_find(l, ids[i]);
        if (index == UINT32_MAX)
            return weft_et_node_err(err, WEFT_E_INPUT, l->et, node,
                                    "%s names node %" PRIu64 ", which the trace does not have; "
                                    "weft trace convert --mend leaves such dependencies out",
                                    field, ids[i]);
        l->parents[l->nparents++] = index;
    }
    return 0;
}

/** Sorts the list that starts at @p start and keeps one of each. */
static void sort_distinct(struct linker *l, size_t start)
{
    size_t n = l->nparents - start, kept = 0;
    if (n < 2)
        return; /* there may be no list yet */
    uint32_t *list = l->parents + start;
    qsort(list, n, sizeof *list, weft_by_u32);
    for (size_t i = 0; i < n; i++)
        if (i == 0 || list[i] != list[kept - 1])
            list[kept++] = list[i];
    l->nparents = start + kept;
}

static int collect_parents(struct linker *l, struct weft_err *err)
{
    for (uint32_t i = 0; i < l->dag->nops; i++) {
        relax(l, i);
        const struct weft_et_node *node = l->sorted[i];
        size_t start = l->nparents;
        l->first_parent[i] = (uint32_t)start;
        int rc = push_parents(l, node, "ctrl_deps", node->ctrl_deps, node->nctrl_deps, err);
        if (rc == 0)
            rc = push_parents(l, node, "data_deps", node->data_deps, node->ndata_deps, err);
        if (rc < 0)
            return rc;
        sort_distinct(l, start);
        l->dag->ops[i].nparents = (uint32_t)(l->nparents - start);
    }
    l->first_parent[l->dag->nops] = (uint32_t)l->nparents;
    return 0;
}

static int invert(struct linker *l, struct weft_arena *arena, struct weft_err *err)
{
    struct weft_op *ops = l->dag->ops;
    uint32_t *children = weft_arena_calloc(arena, l->nparents, sizeof *children);
    if (!children)
        return weft_err_no_memory(err, "a graph");
    for (size_t i = 0; i < l->nparents; i++) {
        relax(l, (uint32_t)i);
        ops[l->parents[i]].nchildren++;
    }
    uint32_t next = 0;
    for (uint32_t i = 0; i < l->dag->nops; i++) {
        relax(l, i);
        ops[i].first_child = next;
        next += ops[i].nchildren;
        ops[i].nchildren = 0;
    }
    /* Ascending children because i ascends. */
    for (uint32_t i = 0; i < l->dag->nops; i++) {
        relax(l, i);
        for (uint32_t k = l->first_parent[i]; k < l->first_parent[i + 1]; k++) {
            struct weft_op *p = &ops[l->parents[k]];
            children[p->first_child + p->nchildren++] = i;
        }
    }
    l->dag->children = children;
    return 0;
}

/** Any parent of @p op that is not done; there is one, because op is not done itself. */
static uint32_t waiting_parent(const struct linker *l, uint32_t op)
{
    for (uint32_t k = l->first_parent[op]; k < l->first_parent[op + 1]; k++)
        if (l->todo[l->parents[k]] > 0)
            return l->parents[k];
    return op;
}

/**
 * Names the cycle. Going from an op that is never ready to a parent that is never ready must come
 * round; `queue` is reused to mark the step at which an op was met.
 */
static int report_cycle(struct linker *l, struct weft_err *err)
{
    uint32_t n = l->dag->nops, at = 0, len = 0;
    while (l->todo[at] == 0)
        at++;
    memset(l->queue, 0, n * sizeof *l->queue);
    for (uint32_t step = 1; l->queue[at] == 0; step++, at = waiting_parent(l, at))
        l->queue[at] = step;
    uint32_t start = at, last = at; /* `last` is on the cycle; start at its lowest node */
    do {
        at = waiting_parent(l, at);
        start = at < start ? at : start;
        len++;
    } while (at != last);

    char path[WEFT_ERR_MSG_MAX / 2] = "";
    at = start;
    for (uint32_t i = 0; i <= len; i++, at = waiting_parent(l, at)) {
        size_t used = strlen(path);
        if (i == CYCLE_SHOWN && len > CYCLE_SHOWN) {
            snprintf(path + used, sizeof path - used, " -> ... (%" PRIu32 " nodes)", len);
            break;
        }
        snprintf(path + used, sizeof path - used, "%s%" PRIu64 " '%.32s'", i ? " -> " : "",
                 l->sorted[at]->id, l->sorted[at]->name);
    }
    return weft_et_node_err(err, WEFT_E_INPUT, l->et, l->sorted[start],
                            "the dependencies form a cycle, so none of its nodes can ever start; "
                            "each waits for the next: %s",
                            path);
}

static int check_acyclic(struct linker *l, struct weft_err *err)
{
    const struct weft_dag *dag = l->dag;
    uint32_t head = 0, tail = 0;
    for (uint32_t i = 0; i < dag->nops; i++) {
        relax(l, i);
        l->todo[i] = dag->ops[i].nparents;
        if (l->todo[i] == 0)
            l->queue[tail++] = i;
    }
    while (head < tail) {
        relax(l, head);
        const struct weft_op *op = &dag->ops[l->queue[head++]];
        for (uint32_t k = 0; k < op->nchildren; k++)
            if (--l->todo[dag->children[op->first_child + k]] == 0)
                l->queue[tail++] = dag->children[op->first_child + k];
    }
    return tail == dag->nops ? 0 : report_cycle(l, err);
}

int weft_deps_link(const struct weft_et *et, const struct weft_et_node *const *sorted,
                   struct weft_arena *arena, struct weft_dag *dag, struct weft_err *err)
{
    struct linker l = {.arena = arena, .et = et, .sorted = sorted, .dag = dag};
    size_t n = (size_t)dag->nops + 1;
    l.first_parent = calloc(n, sizeof *l.first_parent);
    l.todo = calloc(n, sizeof *l.todo);
    l.queue = calloc(n, sizeof *l.queue);
    int rc = l.first_parent && l.todo && l.queue ? 0 : weft_err_no_memory(err, "a graph");
    if (rc == 0)
        rc = collect_parents(&l, err);
    if (rc == 0)
        rc = invert(&l, arena, err);
    if (rc == 0)
        rc = check_acyclic(&l, err);
    free(l.parents);
    free(l.first_parent);
    free(l.todo);
    free(l.queue);
    return rc;
}
