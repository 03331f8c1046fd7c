/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What all forms of a GOAL schedule share: counting, and the proof that no operation waits for
 * itself.
 */
#include "workload/goal/goal.h"

#include "workload/goal/goal_internal.h"

#include <inttypes.h>
#include <stdlib.h>

struct weft_goal *weft_goal_new(uint32_t nranks, const char *file, struct weft_err *err)
{
    struct weft_arena *arena = weft_arena_new();
    struct weft_goal *g = arena ? weft_arena_alloc(arena, sizeof *g) : NULL;
    if (!g || !(g->ranks = weft_arena_calloc(arena, nranks, sizeof *g->ranks)) ||
        !(g->file = weft_arena_strdup(arena, file))) {
        weft_arena_free(arena);
        weft_err_no_memory(err, "a GOAL schedule");
        return NULL;
    }
    g->arena = arena;
    g->nranks = nranks;
    return g;
}

void weft_goal_free(struct weft_goal *g)
{
    if (g)
        weft_arena_free(g->arena);
}

int weft_goal_err(const struct weft_goal *g, const struct weft_goal_op *op, struct weft_err *err,
                  const char *text)
{
    if (op->line)
        return weft_err_at(err, WEFT_E_INPUT, g->file, op->line, op->col, "%s", text);
    uint32_t r = 0;
    while (r + 1 < g->nranks &&
           !(g->ranks[r].nops && op >= g->ranks[r].ops && op < g->ranks[r].ops + g->ranks[r].nops))
        r++;
    return weft_err_at(err, WEFT_E_INPUT, g->file, 0, 0, "rank %" PRIu32 ", operation %zu: %s", r,
                       (size_t)(op - g->ranks[r].ops) + 1, text);
}

/* No operation of the rank waits for itself, by whatever way. */
static int check_acyclic(const struct weft_goal *g, const struct weft_goal_rank *k,
                         struct weft_err *err)
{
    const size_t n = (size_t)k->nops + 1;
    uint32_t *first = calloc(n + 1, sizeof *first), *to = calloc((size_t)k->ndeps + 1, sizeof *to);
    uint32_t *left = calloc(n, sizeof *left), *queue = calloc(n, sizeof *queue);
    uint32_t head = 0, tail = 0;
    int rc = first && to && left && queue ? 0 : weft_err_no_memory(err, "a GOAL schedule");
    for (uint32_t i = 0; !rc && i < k->ndeps; i++) {
        first[k->deps[i].on + 1]++;
        left[k->deps[i].op]++;
    }
    for (uint32_t i = 0; !rc && i < k->nops; i++) {
        first[i + 1] += first[i];
        if (!left[i])
            queue[tail++] = i;
    }
    for (uint32_t i = k->ndeps; !rc && i-- > 0;)
        to[--first[k->deps[i].on + 1]] = k->deps[i].op;
    while (!rc && head < tail) {
        const uint32_t at = queue[head++];
        const uint32_t end = at + 2 < n ? first[at + 2] : k->ndeps;
        for (uint32_t i = first[at + 1]; i < end; i++)
            if (--left[to[i]] == 0)
                queue[tail++] = to[i];
    }
    for (uint32_t i = 0; !rc && tail < k->nops && i < k->nops; i++)
        if (left[i])
            rc = weft_goal_err(g, &k->ops[i], err,
                               "it waits, by requires and irequires, for itself or for a circle, "
                               "so it can never start");
    free(first);
    free(to);
    free(left);
    free(queue);
    return rc;
}

static int check_op(struct weft_goal *g, struct weft_goal_op *op, struct weft_err *err)
{
    if (op->kind == WEFT_GOAL_SEND && op->value == 0 && op->peer >= g->nranks &&
        op->peer != WEFT_GOAL_ANY) {
        op->kind = WEFT_GOAL_CALC;
        op->peer = op->tag = op->nic = 0;
        g->markers++;
    }
    if (op->kind == WEFT_GOAL_CALC)
        return 0;
    if (op->kind == WEFT_GOAL_SEND && (op->peer == WEFT_GOAL_ANY || op->tag == WEFT_GOAL_ANY))
        return weft_goal_err(g, op, err,
                             "a send names its destination and its tag; -1 is for recv");
    if (op->peer != WEFT_GOAL_ANY && op->peer >= g->nranks) {
        char text[96];
        snprintf(text, sizeof text, "there is no rank %" PRIu32 "; ranks are 0 to %" PRIu32,
                 op->peer, g->nranks - 1);
        return weft_goal_err(g, op, err, text);
    }
    g->bytes += op->kind == WEFT_GOAL_SEND ? op->value : 0;
    return 0;
}

int weft_goal_finish(struct weft_goal *g, struct weft_err *err)
{
    int rc = 0;
    g->nops = g->ndeps = g->bytes = g->markers = 0;
    g->ncpus = g->nnics = 1;
    for (uint32_t r = 0; !rc && r < g->nranks; r++) {
        const struct weft_goal_rank *k = &g->ranks[r];
        g->nops += k->nops;
        g->ndeps += k->ndeps;
        for (uint32_t i = 0; !rc && i < k->nops; i++) {
            struct weft_goal_op *op = &k->ops[i];
            rc = check_op(g, op, err);
            g->ncpus = op->cpu >= g->ncpus ? op->cpu + 1 : g->ncpus;
            g->nnics = op->nic >= g->nnics ? op->nic + 1 : g->nnics;
        }
        if (!rc)
            rc = check_acyclic(g, k, err);
    }
    return rc;
}
