/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What can be told to be wrong before a run: groups, algorithms, peers, tags, missing rates.
 */
#include "system/internal.h"

#include <stdlib.h>
#include <string.h>

int weft_pick_algorithms(const struct weft_system_params *p,
                         const struct weft_coll_ops *out[WEFT_COLL_KINDS], struct weft_err *err)
{
    const struct {
        enum weft_coll_kind kind;
        const char *param, *name;
    } choice[] = {
        {WEFT_COLL_ALL_REDUCE, "all-reduce", p->all_reduce},
        {WEFT_COLL_ALL_GATHER, "all-gather", p->all_gather},
        {WEFT_COLL_REDUCE_SCATTER, "reduce-scatter", p->reduce_scatter},
        {WEFT_COLL_ALL_TO_ALL, "all-to-all", p->all_to_all},
    };
    memset(out, 0, WEFT_COLL_KINDS * sizeof(*out));
    for (size_t i = 0; i < sizeof(choice) / sizeof(choice[0]); i++) {
        const struct weft_coll_ops *ops = weft_coll_find(choice[i].name, err);
        if (!ops) {
            weft_err_prepend(err, "system.%s", choice[i].param);
            return WEFT_E_INPUT;
        }
        out[choice[i].kind] = ops;
    }
    return 0;
}

struct member {
    uint32_t rank, position;
};

static int by_rank(const void *a, const void *b)
{
    const struct member *x = a, *y = b;
    return x->rank < y->rank ? -1 : x->rank > y->rank;
}

static int sort_members(const struct weft_workload *w, const struct weft_group *g,
                        struct member *scratch, uint32_t *sorted, struct weft_err *err)
{
    for (uint32_t i = 0; i < g->n; i++)
        scratch[i] = (struct member){g->ranks[i], i};
    qsort(scratch, g->n, sizeof(*scratch), by_rank);
    for (uint32_t i = 0; i < g->n; i++) {
        if (scratch[i].rank >= w->nranks)
            return weft_err_set(err, WEFT_E_INPUT,
                                "group '%s' has rank %u, but the workload has the ranks 0 to %u",
                                g->name, scratch[i].rank, w->nranks - 1);
        if (i > 0 && scratch[i].rank == scratch[i - 1].rank)
            return weft_err_set(err, WEFT_E_INPUT, "group '%s' has rank %u twice", g->name,
                                scratch[i].rank);
        sorted[i] = scratch[i].position;
    }
    return 0;
}

uint32_t **weft_positions_new(const struct weft_workload *w, struct weft_err *err)
{
    uint32_t largest = 1;
    for (uint32_t g = 0; g < w->ngroups; g++)
        largest = w->groups[g].n > largest ? w->groups[g].n : largest;
    struct member *scratch = calloc(largest, sizeof(*scratch));
    uint32_t **position = calloc(w->ngroups ? w->ngroups : 1, sizeof(*position));
    int rc = scratch && position ? 0 : weft_err_set(err, WEFT_E_LIMIT, "out of memory for groups");
    for (uint32_t g = 0; !rc && g < w->ngroups; g++) {
        const struct weft_group *group = &w->groups[g];
        position[g] = calloc(group->n ? group->n : 1, sizeof(**position));
        rc = position[g] ? sort_members(w, group, scratch, position[g], err)
                         : weft_err_set(err, WEFT_E_LIMIT, "out of memory for groups");
    }
    free(scratch);
    if (rc) {
        weft_positions_free(position, w);
        return NULL;
    }
    return position;
}

void weft_positions_free(uint32_t **position, const struct weft_workload *w)
{
    for (uint32_t g = 0; position && g < w->ngroups; g++)
        free(position[g]);
    free(position);
}

uint32_t weft_position(const struct weft_group *g, const uint32_t *sorted, uint32_t rank)
{
    uint32_t lo = 0, hi = g->n;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        uint32_t r = g->ranks[sorted[mid]];
        if (r == rank)
            return sorted[mid];
        if (r < rank)
            lo = mid + 1;
        else
            hi = mid;
    }
    return UINT32_MAX;
}

struct context {
    const struct weft_workload *w;
    const struct weft_system_params *p;
    const struct weft_coll_ops *algorithm[WEFT_COLL_KINDS];
    uint32_t **position;
};

static int check_coll(const struct context *c, uint32_t rank, const struct weft_op *op,
                      struct weft_err *err)
{
    enum weft_coll_kind as;
    if (op->group >= c->w->ngroups)
        return weft_err_set(err, WEFT_E_INPUT, "group %u does not exist", op->group);
    const struct weft_group *g = &c->w->groups[op->group];
    if (weft_position(g, c->position[op->group], rank) == UINT32_MAX)
        return weft_err_set(err, WEFT_E_INPUT, "rank %u is no member of group '%s'", rank, g->name);
    int rc = weft_coll_played_as(op->coll, &as, err);
    if (rc)
        return rc;
    const char *why = "it does not do that kind on that many ranks";
    if (!c->algorithm[as]->supports(as, g->n, &why))
        return weft_err_set(err, WEFT_E_INPUT, "algorithm %s on %u ranks: %s",
                            c->algorithm[as]->name, g->n, why);
    return 0;
}

static int check_peer(const struct context *c, uint32_t rank, const struct weft_op *op,
                      struct weft_err *err)
{
    const char *what = op->kind == WEFT_OP_SEND ? "sends to" : "receives from";
    if (op->peer >= c->w->nranks)
        return weft_err_set(err, WEFT_E_INPUT, "it %s rank %u, but there are the ranks 0 to %u",
                            what, op->peer, c->w->nranks - 1);
    if (op->peer == rank)
        return weft_err_set(err, WEFT_E_INPUT, "it %s its own rank %u", what, rank);
    if (!weft_p2p_tag_fits(op->tag))
        return weft_err_set(err, WEFT_E_LIMIT, "tag %llu is outside of -2^62 to 2^62 - 1",
                            (unsigned long long)op->tag);
    return 0;
}

static int check_duration(const struct context *c, const struct weft_op *op, struct weft_err *err)
{
    const struct weft_system_params *p = c->p;
    if (op->duration_ps < 0)
        return weft_err_set(err, WEFT_E_INPUT, "its duration is negative");
    if (weft_uses_roofline(p, op)) {
        if (!(op->flops >= 0))
            return weft_err_set(err, WEFT_E_INPUT, "num_ops is not a number from 0 on");
        if (op->flops > 0 && !(p->peak_flops > 0))
            return weft_err_set(err, WEFT_E_INPUT,
                                "its duration follows from num_ops; set system.peak-flops");
        if (op->tensor_bytes && p->memory_bw_bps == 0)
            return weft_err_set(
                err, WEFT_E_INPUT,
                "its duration follows from tensor_size; set system.memory-bandwidth");
    } else if (op->kind == WEFT_OP_COMP && !op->cpu && p->roofline && op->duration_ps == 0) {
        return weft_err_set(err, WEFT_E_INPUT,
                            "system.roofline is on, but it has neither num_ops nor a duration");
    } else if (op->kind == WEFT_OP_MEM && op->duration_ps == 0 && op->tensor_bytes &&
               p->memory_bw_bps == 0) {
        return weft_err_set(err, WEFT_E_INPUT,
                            "it has no duration, only tensor_size; set system.memory-bandwidth");
    }
    return 0;
}

static int check_op(const struct context *c, uint32_t rank, const struct weft_op *op,
                    struct weft_err *err)
{
    switch (op->kind) {
    case WEFT_OP_COLL:
        return check_coll(c, rank, op, err);
    case WEFT_OP_SEND:
    case WEFT_OP_RECV:
        return check_peer(c, rank, op, err);
    case WEFT_OP_COMP:
    case WEFT_OP_MEM:
        return check_duration(c, op, err);
    default:
        return 0;
    }
}

int weft_system_check(const struct weft_workload *w, const struct weft_system_params *p,
                      struct weft_err *err)
{
    struct context c = {.w = w, .p = p};
    if (p->chunks == 0 || p->active_chunks == 0 || p->quantum_ps <= 0)
        return weft_err_set(
            err, WEFT_E_INPUT,
            "system.chunks, system.active-chunks and system.quantum must be above 0");
    int rc = weft_pick_algorithms(p, c.algorithm, err);
    if (rc)
        return rc;
    struct weft_err own = {0};
    c.position = weft_positions_new(w, err ? err : &own);
    if (!c.position)
        return err ? err->code : own.code;
    for (uint32_t r = 0; !rc && r < w->nranks; r++)
        for (uint32_t i = 0; !rc && i < w->dags[r].nops; i++) {
            const struct weft_op *op = weft_workload_visit(w, r, i);
            rc = check_op(&c, r, op, err);
            if (rc)
                weft_err_prepend(err, "rank %u, node %llu '%s'", r, (unsigned long long)op->id,
                                 op->name);
        }
    weft_positions_free(c.position, w);
    uint64_t ninstances;
    return rc ? rc : weft_coll_ids(w, NULL, &ninstances, err);
}
