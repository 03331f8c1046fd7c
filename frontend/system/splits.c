/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sizes of all-to-alls that differ from pair to pair: each rank has its own lists of what it sends
 * and receives, and the lists of all ranks have to agree.
 */
#include "system/system_internal.h"

#include "base/rng.h"

#include <inttypes.h>
#include <stdlib.h>

/* Whether op @p i is an all-to-all-v of `group`. */
static bool is_split(const struct weft_dag *d, uint32_t i, uint32_t group)
{
    struct weft_op own;
    const struct weft_op *op = weft_dag_op(d, i, &own);
    return op->kind == WEFT_OP_COLL && op->send_bytes && op->group == group;
}

/* The k-th all-to-all-v of `group` on a rank, or NULL. */
static const struct weft_op *nth_split(const struct weft_dag *d, uint32_t group, uint64_t k)
{
    for (uint32_t i = 0; i < d->nops; i++)
        if (is_split(d, i, group) && k-- == 0)
            return &d->ops[i];
    return NULL;
}

/* Finds the first pair whose ends disagree, and says so. */
static int name_culprit(const struct weft_workload *w, struct weft_err *err)
{
    for (uint32_t r = 0; r < w->nranks; r++) {
        for (uint32_t i = 0; i < w->dags[r].nops; i++) {
            const struct weft_op *op = weft_workload_visit(w, r, i);
            if (op->kind != WEFT_OP_COLL || !op->send_bytes)
                continue;
            const struct weft_group *g = &w->groups[op->group];
            uint64_t k = 0;
            for (uint32_t j = 0; j < i; j++)
                k += is_split(&w->dags[r], j, op->group);
            uint32_t me = 0;
            while (g->ranks[me] != r)
                me++;
            for (uint32_t m = 0; m < g->n; m++) {
                const struct weft_op *other = nth_split(&w->dags[g->ranks[m]], op->group, k);
                if (other && other->recv_bytes[me] != op->send_bytes[m])
                    return weft_err_set(err, WEFT_E_INPUT,
                                        "rank %u, node %" PRIu64 " '%s': it sends %" PRIu64
                                        " B to rank %u, which "
                                        "expects %" PRIu64 " B (node %" PRIu64 ")",
                                        r, op->id, op->name, op->send_bytes[m], g->ranks[m],
                                        other->recv_bytes[me], other->id);
            }
        }
    }
    return 0;
}

/* A number for "from sends bytes to to"; sums of equal sets of them are equal. */
static uint64_t mark(uint32_t from, uint32_t to, uint64_t bytes)
{
    return weft_mix64(weft_mix64((uint64_t)from << 32 | to) ^ bytes);
}

/* Adds what op, the k-th all-to-all-v of its group on rank r, says to the sum of that collective.
 */
static int add_op(struct weft_u64map *sums, const struct weft_workload *w, uint32_t r,
                  const struct weft_op *op, uint32_t k)
{
    const struct weft_group *g = &w->groups[op->group];
    uint64_t key = (uint64_t)op->group << 32 | k;
    void *sum = NULL;
    weft_u64map_get(sums, key, &sum);
    uint64_t s = (uint64_t)(uintptr_t)sum;
    for (uint32_t m = 0; m < g->n; m++)
        s += mark(r, g->ranks[m], op->send_bytes[m]) - mark(g->ranks[m], r, op->recv_bytes[m]);
    return weft_u64map_put(sums, key, (void *)(uintptr_t)s);
}

int weft_check_splits(const struct weft_workload *w, struct weft_err *err)
{
    struct weft_u64map sums = {0};
    uint32_t *seen = calloc(w->ngroups ? w->ngroups : 1, sizeof *seen);
    int rc = seen ? 0 : WEFT_E_LIMIT, differ = 0;
    for (uint32_t r = 0; !rc && r < w->nranks; r++) {
        for (uint32_t i = 0; i < w->dags[r].nops; i++) {
            const struct weft_op *op = weft_workload_visit(w, r, i);
            if (op->kind == WEFT_OP_COLL)
                seen[op->group] = 0;
        }
        for (uint32_t i = 0; !rc && i < w->dags[r].nops; i++) {
            const struct weft_op *op = weft_workload_visit(w, r, i);
            if (op->kind == WEFT_OP_COLL && op->send_bytes)
                rc = add_op(&sums, w, r, op, seen[op->group]++);
        }
    }
    for (size_t i = 0; i < sums.cap; i++)
        differ |= sums.slots[i].key1 && sums.slots[i].value;
    weft_u64map_release(&sums);
    free(seen);
    if (rc)
        return weft_err_no_memory(err, "sizes of all-to-alls");
    return differ ? name_culprit(w, err) : 0;
}
