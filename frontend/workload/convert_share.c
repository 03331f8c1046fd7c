/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One graph for many ranks. Its ops name groups and peers by their place in a list, of which each
 * rank has its own.
 */
#include "workload/convert_node.h"

#include "base/grow.h"

#include <string.h>

void weft_convert_share(struct weft_convert *c, uint32_t rank, uint32_t from)
{
    c->job->dags[rank] = c->job->dags[from];
}

/* A list of different numbers. */
struct list {
    struct weft_arena *arena;
    uint32_t *v;
    uint32_t n, cap;
};

/* The place of @p x in the list, appended when it is new; UINT32_MAX when out of memory. */
static uint32_t convert_share_place(struct list *l, uint32_t x, uint32_t from)
{
    for (uint32_t i = from; i < l->n; i++)
        if (l->v[i] == x)
            return i;
    if (!WEFT_ARENA_GROW(l->arena, l->v, l->n, &l->cap))
        return UINT32_MAX;
    l->v[l->n] = x;
    return l->n++;
}

int weft_convert_roles(struct weft_convert *c, uint32_t rank, struct weft_convert_roles *out,
                       struct weft_err *err)
{
    struct weft_workload *w = c->job;
    struct weft_dag *d = &w->dags[rank];
    struct list groups = {.arena = w->arena}, peers = {.arena = w->arena};
    if (!w->visited)
        w->visited = weft_arena_calloc(w->arena, 1, sizeof *w->visited);
    /* Ops that are no collective have the world, those that are no message the first peer. */
    bool full =
        !w->visited || convert_share_place(&groups, 0, 0) || convert_share_place(&peers, 0, 0);
    for (uint32_t i = 0; !full && i < d->nops; i++) {
        struct weft_op *op = &d->ops[i];
        if (op->kind == WEFT_OP_COLL)
            full = (op->group = convert_share_place(&groups, op->group, 0)) == UINT32_MAX;
        else if (op->kind == WEFT_OP_SEND || op->kind == WEFT_OP_RECV)
            full = (op->peer = convert_share_place(&peers, op->peer, 1)) == UINT32_MAX;
    }
    const char **names = full ? NULL : weft_arena_calloc(w->arena, groups.n, sizeof *names);
    if (!names)
        return weft_err_no_memory(err, "a job");
    for (uint32_t i = 0; i < groups.n; i++)
        names[i] = weft_groups_name(c->groups, groups.v[i]);
    d->groups = groups.v;
    d->peers = peers.v;
    *out = (struct weft_convert_roles){.groups = names,
                                       .group = groups.v,
                                       .peers = peers.v,
                                       .ngroups = groups.n,
                                       .npeers = peers.n};
    return 0;
}

int weft_convert_group(struct weft_convert *c, const struct weft_group *def, uint32_t *index,
                       struct weft_err *err)
{
    return weft_groups_add(c->groups, def, index, err);
}

int weft_convert_share_as(struct weft_convert *c, uint32_t rank, uint32_t from,
                          const struct weft_convert_roles *of, const uint32_t *groups,
                          const uint32_t *peers, struct weft_err *err)
{
    struct weft_dag *d = &c->job->dags[rank];
    uint32_t *own = weft_arena_calloc(c->job->arena, of->ngroups + of->npeers, sizeof *own);
    if (!own)
        return weft_err_no_memory(err, "a job");
    memcpy(own, groups, of->ngroups * sizeof *own);
    memcpy(own + of->ngroups, peers, of->npeers * sizeof *own);
    *d = c->job->dags[from];
    d->groups = own;
    d->peers = own + of->ngroups;
    return 0;
}
