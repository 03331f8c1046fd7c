/* SPDX-License-Identifier: GPL-2.0-only */
/* Ranks alike: what a communicator or peer of one is to another. */
#include "workload/training/alike.h"

#include "workload/training/training.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t places(const struct weft_training_plan *q)
{
    const bool tables = q->dlrm.ntables && q->p.table_sharding != WEFT_TABLES_ROWS;
    return q->p.expert_skew > 0 || tables ? q->ep : 1;
}

uint64_t weft_training_sorts(const struct weft_training_plan *q)
{
    return q->pp * places(q) + q->servers;
}

uint64_t weft_training_sort(const struct weft_training_plan *q, uint64_t rank)
{
    if (rank >= q->world) /* servers have parts of their own */
        return q->pp * places(q) + rank - q->world;
    return weft_training_place(q, rank).pp * places(q) + rank / q->etp % places(q);
}

/* What @p peer is to @p from, to @p rank, of the same sort. */
static uint64_t training_peer_as(const struct weft_training_plan *q, uint64_t from, uint64_t peer,
                                 uint64_t rank)
{
    if (peer >= q->world)
        return peer;
    const struct weft_rank_place a = weft_training_place(q, from), b = weft_training_place(q, peer);
    struct weft_rank_place at = weft_training_place(q, rank);
    at.tp = (at.tp + q->tp + b.tp - a.tp) % q->tp;
    at.cp = (at.cp + q->cp + b.cp - a.cp) % q->cp;
    at.dp = (at.dp + q->dp + b.dp - a.dp) % q->dp;
    at.pp = (at.pp + q->pp + b.pp - a.pp) % q->pp;
    return weft_training_rank(q, at);
}

/* Which kind of communicator has this name. */
static enum weft_comm comm_called(const struct weft_training_plan *q, const char *name)
{
    const uint64_t number = strtoull(name, NULL, 10);
    for (int c = WEFT_COMM_WORLD; number && c-- > 0;)
        if (weft_comm_size(q, (enum weft_comm)c) > 1 &&
            number >= weft_comm_number(q, (enum weft_comm)c, 0))
            return (enum weft_comm)c;
    return WEFT_COMM_WORLD;
}

/* ---- traces ---- */

int weft_training_et_as(const struct weft_training_plan *q, struct weft_et *et, uint64_t from,
                        uint64_t rank, struct weft_arena *arena, struct weft_err *err)
{
    const char *names[WEFT_COMM_WORLD] = {NULL};
    for (size_t i = 0; i < et->nnodes; i++)
        for (size_t k = 0; k < et->nodes[i].nattrs; k++) {
            struct weft_et_attr *a = &et->nodes[i].attrs[k];
            if (strcmp(a->name, "pg_name") == 0) {
                const enum weft_comm c = comm_called(q, a->value.text.data);
                if (!names[c])
                    names[c] = weft_arena_printf(
                        arena, "%" PRIu64, weft_comm_number(q, c, weft_comm_index(q, c, rank)));
                if (!names[c])
                    return weft_err_no_memory(err, "a training job");
                a->value.text.data = names[c];
                a->value.text.len = strlen(names[c]);
            } else if (strcmp(a->name, "comm_dst") == 0 || strcmp(a->name, "comm_src") == 0) {
                a->value.i64 = (int64_t)training_peer_as(q, from, (uint64_t)a->value.i64, rank);
            }
        }
    return 0;
}

/* ---- graphs ---- */

/* The first rank of a sort. */
struct first {
    bool made;
    uint32_t rank;
    struct weft_convert_roles roles;
};

struct weft_training_alike {
    const struct weft_training_plan *q;
    struct first *firsts; /* by sort */
    uint32_t
        *groups[WEFT_COMM_WORLD]; /* of the communicators of a kind: the index of each plus 1 */
    uint32_t *members;            /* room for those of one */
};

struct weft_training_alike *weft_training_alike_new(const struct weft_training_plan *q)
{
    struct weft_training_alike *a = calloc(1, sizeof *a);
    if (!a)
        return NULL;
    a->q = q;
    a->firsts = calloc(weft_training_sorts(q), sizeof *a->firsts);
    a->members = calloc(q->world, sizeof *a->members);
    bool all = a->firsts && a->members;
    for (int c = 0; c < WEFT_COMM_WORLD; c++) {
        a->groups[c] = calloc(weft_comm_count(q, (enum weft_comm)c), sizeof *a->groups[c]);
        all = all && a->groups[c];
    }
    if (all)
        return a;
    weft_training_alike_free(a);
    return NULL;
}

void weft_training_alike_free(struct weft_training_alike *a)
{
    if (!a)
        return;
    for (int c = 0; c < WEFT_COMM_WORLD; c++)
        free(a->groups[c]);
    free(a->members);
    free(a->firsts);
    free(a);
}

bool weft_training_alike_first(const struct weft_training_alike *a, uint64_t rank)
{
    return !a->firsts[weft_training_sort(a->q, rank)].made;
}

int weft_training_alike_keep(struct weft_training_alike *a, struct weft_convert *c, uint64_t rank,
                             struct weft_err *err)
{
    struct first *f = &a->firsts[weft_training_sort(a->q, rank)];
    if (weft_convert_roles(c, (uint32_t)rank, &f->roles, err))
        return err->code;
    f->made = true;
    f->rank = (uint32_t)rank;
    for (uint32_t i = 1; i < f->roles.ngroups; i++) {
        const enum weft_comm k = comm_called(a->q, f->roles.groups[i]);
        a->groups[k][weft_comm_index(a->q, k, rank)] = f->roles.group[i] + 1;
    }
    return 0;
}

/* The group of @p rank of a kind, made when no rank had it. */
static int alike_group_of(struct weft_training_alike *a, struct weft_convert *c, enum weft_comm k,
                          uint64_t rank, uint32_t *out, struct weft_err *err)
{
    const struct weft_training_plan *q = a->q;
    const uint64_t index = weft_comm_index(q, k, rank), n = weft_comm_size(q, k);
    uint32_t *known = &a->groups[k][index];
    char name[24];
    if (!*known) {
        snprintf(name, sizeof name, "%" PRIu64, weft_comm_number(q, k, index));
        for (uint64_t i = 0; i < n; i++)
            a->members[i] = (uint32_t)weft_comm_member(q, k, index, i);
        const struct weft_group def = {name, a->members, (uint32_t)n,
                                       weft_parallelism_of(weft_comm_name(k))};
        if (weft_convert_group(c, &def, known, err))
            return err->code;
        ++*known;
    }
    *out = *known - 1;
    return 0;
}

int weft_training_alike_share(struct weft_training_alike *a, struct weft_convert *c, uint64_t rank,
                              struct weft_err *err)
{
    const struct first *f = &a->firsts[weft_training_sort(a->q, rank)];
    uint32_t groups[WEFT_COMMS] = {0}, *peers = calloc(f->roles.npeers, sizeof *peers);
    int rc = peers ? 0 : weft_err_no_memory(err, "a training job");
    for (uint32_t i = 1; !rc && i < f->roles.ngroups; i++)
        rc = alike_group_of(a, c, comm_called(a->q, f->roles.groups[i]), rank, &groups[i], err);
    for (uint32_t i = 1; !rc && i < f->roles.npeers; i++)
        peers[i] = (uint32_t)training_peer_as(a->q, f->rank, f->roles.peers[i], rank);
    if (!rc)
        rc = weft_convert_share_as(c, (uint32_t)rank, f->rank, &f->roles, groups, peers, err);
    free(peers);
    return rc;
}
