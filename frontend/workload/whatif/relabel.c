/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Makes the ranks of a new job from ranks of another one, with peers, roots and communicators
 * renamed.
 */
#include "workload/whatif/relabel.h"

#include "workload/whatif/select.h"

#include "base/grow.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct weft_relabel_group {
    bool used;
    bool grows;
    uint32_t n; /* members before */
};

static int relabel_note(struct weft_relabel *l, const struct weft_transform *t, uint32_t group,
                        const char *name, struct weft_err *err)
{
    if (!WEFT_GROW_ZEROED(l->groups, group + 1, &l->cap))
        return weft_err_no_memory(err, "communicators");
    if (group >= l->ngroups)
        l->ngroups = group + 1;
    l->groups[group].used = true;
    l->groups[group].n = weft_groups_size(t->groups, group);
    l->groups[group].grows =
        group == 0 ? l->world : l->grow && *l->grow && fnmatch(l->grow, name, 0) == 0;
    return 0;
}

int weft_relabel_look(struct weft_transform *t, uint32_t rank, const struct weft_et *et,
                      struct weft_err *err)
{
    struct weft_relabel *l = t->state;
    char buf[32];
    int rc = weft_transform_begin_rank(t, rank, et, err);
    for (size_t i = 0; !rc && i < et->nnodes; i++) {
        const struct weft_et_node *node = &et->nodes[i];
        uint32_t group;
        if (node->type != WEFT_ET_COMM_COLL_NODE)
            continue;
        rc = weft_transform_group(t, et, node, &group, err);
        if (!rc)
            rc = relabel_note(l, t, group, weft_node_group(node, buf, sizeof buf), err);
    }
    return rc;
}

/* Whether a communicator stays that of all ranks in their order, which needs no name. */
static bool stays_world(const struct weft_relabel *l, uint32_t group)
{
    return group == 0 && l->groups[0].grows;
}

static uint64_t relabel_number(const struct weft_relabel *l, uint32_t group, uint32_t copy)
{
    return (uint64_t)group * l->copies + (l->groups[group].grows ? 0 : copy) + 1;
}

static int define(struct weft_relabel *l, struct weft_transform *t, uint32_t group, uint32_t copy,
                  struct weft_err *err)
{
    const uint32_t n = l->groups[group].n, times = l->groups[group].grows ? l->copies : 1;
    const uint32_t *old = weft_groups_ranks(t->groups, group);
    uint32_t *ranks = malloc(((size_t)n * times + 1) * sizeof *ranks);
    char name[24];
    if (!ranks)
        return weft_err_no_memory(err, "communicators");
    for (uint32_t c = 0; c < times; c++)
        for (uint32_t i = 0; i < n; i++)
            ranks[c * n + i] = l->of(l->ctx, old[i], times > 1 ? c : copy);
    snprintf(name, sizeof name, "%" PRIu64, relabel_number(l, group, copy));
    const int rc = weft_group_list_add(&t->out, t->arena, name, ranks, n * times, err);
    free(ranks);
    return rc;
}

int weft_relabel_resolve(struct weft_transform *t, struct weft_err *err)
{
    struct weft_relabel *l = t->state;
    int rc = 0;
    t->out = (struct weft_group_list){0};
    for (uint32_t g = 0; !rc && g < l->ngroups; g++) {
        if (!l->groups[g].used || stays_world(l, g))
            continue;
        for (uint32_t c = 0; !rc && c < (l->groups[g].grows ? 1 : l->copies); c++)
            rc = define(l, t, g, c, err);
    }
    return rc;
}

static int move_rank(const struct weft_relabel *l, struct weft_et_node *node,
                     struct weft_arena *arena, const char *name, uint32_t copy, uint32_t nranks,
                     struct weft_err *err)
{
    const uint64_t r = weft_node_u64(node, name, UINT64_MAX);
    if (r >= nranks) /* absent, or for the reader to refuse */
        return 0;
    return weft_node_set_u64(node, arena, name, l->of(l->ctx, (uint32_t)r, copy), err);
}

/** A list of sizes per member that is spread over copies. */
struct spread {
    uint32_t copies;
    uint32_t
        copy; /* UINT32_MAX: the list goes over all copies; else the part of this one, from all */
};

/* The c-th part of some bytes; the first parts have the rest. */
static uint64_t share(uint64_t bytes, uint32_t parts, uint32_t c)
{
    return bytes / parts + (c < bytes % parts);
}

/* Sizes for copies x n members: what went to a member is shared among its copies. */
static int grow_sizes(struct weft_et_node *node, struct weft_arena *arena, const char *name,
                      struct spread s, struct weft_err *err)
{
    const struct weft_et_attr *old = weft_et_find(node, name);
    if (!old || old->kind % 2 == 1 || old->kind == WEFT_ET_NONE)
        return 0;
    const size_t n = old->nvalues;
    union weft_et_scalar *values = weft_arena_calloc(arena, n * s.copies, sizeof *values);
    if (!values)
        return weft_err_no_memory(err, "communicators");
    for (uint32_t c = 0; c < s.copies; c++)
        for (size_t i = 0; i < n; i++)
            values[c * n + i].u64 =
                share(old->values[i].u64, s.copies, s.copy == UINT32_MAX ? c : s.copy);
    struct weft_et_attr *a = (struct weft_et_attr *)(uintptr_t)old; /* of node->attrs */
    a->values = values;
    a->nvalues = n * s.copies;
    return 0;
}

static int grow_coll(const struct weft_relabel *l, struct weft_et_node *node,
                     struct weft_arena *arena, uint32_t copy, struct weft_err *err)
{
    int rc =
        grow_sizes(node, arena, "comm_send_sizes", (struct spread){l->copies, UINT32_MAX}, err);
    if (!rc)
        rc = grow_sizes(node, arena, "comm_recv_sizes", (struct spread){l->copies, copy}, err);
    if (!rc && weft_node_u64(node, "comm_type", 0) == WEFT_COLL_ALL_GATHER) {
        const uint64_t shard = weft_node_u64(node, "comm_size", 0);
        rc = weft_node_set_u64(node, arena, "comm_size",
                               shard / l->copies + (shard % l->copies > 0), err);
    }
    return rc;
}

static int relabel_coll(struct weft_relabel *l, struct weft_transform *t, uint32_t copy,
                        const struct weft_et *et, struct weft_et_node *node,
                        struct weft_arena *arena, struct weft_err *err)
{
    uint32_t g;
    char name[24];
    int rc = weft_transform_group(t, et, node, &g, err);
    if (rc)
        return rc;
    const bool grows = l->copies > 1 && l->groups[g].grows;
    rc = move_rank(l, node, arena, "comm_root", grows ? 0 : copy, t->ranks_in, err);
    if (!rc && grows)
        rc = grow_coll(l, node, arena, copy, err);
    if (rc || stays_world(l, g))
        return rc;
    snprintf(name, sizeof name, "%" PRIu64, relabel_number(l, g, copy));
    return weft_node_set_text(node, arena, "pg_name", name, err);
}

int weft_relabel_apply(struct weft_transform *t, uint32_t rank, uint32_t copy, struct weft_et *et,
                       struct weft_arena *arena, struct weft_err *err)
{
    struct weft_relabel *l = t->state;
    int rc = weft_transform_begin_rank(t, rank, et, err);
    for (size_t i = 0; !rc && i < et->nnodes; i++) {
        struct weft_et_node *node = &et->nodes[i];
        t->touched += node->type >= WEFT_ET_COMM_SEND_NODE;
        if (node->type == WEFT_ET_COMM_COLL_NODE) {
            rc = relabel_coll(l, t, copy, et, node, arena, err);
        } else if (node->type == WEFT_ET_COMM_SEND_NODE || node->type == WEFT_ET_COMM_RECV_NODE) {
            rc = move_rank(l, node, arena, "comm_dst", copy, t->ranks_in, err);
            if (!rc)
                rc = move_rank(l, node, arena, "comm_src", copy, t->ranks_in, err);
        } else if (node->type == WEFT_ET_METADATA_NODE &&
                   strstr(node->name, "process_group:init")) {
            node->inputs.values = "[]"; /* its communicators are in t->out */
            node->name = "process groups";
        }
    }
    return rc;
}

void weft_relabel_end(struct weft_transform *t)
{
    struct weft_relabel *l = t->state;
    free(l->groups);
    l->groups = NULL;
}
