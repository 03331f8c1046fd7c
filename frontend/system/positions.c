/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where a rank stands in a group, found by bisection.
 */
#include "system/system_internal.h"

#include <stdlib.h>

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
    qsort(scratch, g->n, sizeof *scratch, by_rank);
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
    struct member *scratch = calloc(largest, sizeof *scratch);
    uint32_t **position = calloc(w->ngroups ? w->ngroups : 1, sizeof *position);
    int rc = scratch && position ? 0 : weft_err_no_memory(err, "groups");
    for (uint32_t g = 0; !rc && g < w->ngroups; g++) {
        const struct weft_group *group = &w->groups[g];
        position[g] = calloc(group->n ? group->n : 1, sizeof **position);
        rc = position[g] ? sort_members(w, group, scratch, position[g], err)
                         : weft_err_no_memory(err, "groups");
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
