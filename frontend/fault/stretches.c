/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Stretches of faults: kept, in order, without contradiction.
 *
 * Failures of one link may overlap (a link of a switch that fails too): it is down while any of
 * them lasts. Two rates or two bit error rates at a time mean nothing and are refused.
 */
#include "base/grow.h"
#include "base/units.h"
#include "fault/edges.h"

#include <stdlib.h>

#define MAX_STRETCHES 1000000u

int weft_fault_plan_add(struct weft_fault_plan *t, const struct weft_fault_stretch *s,
                        struct weft_err *err)
{
    if (t->nstretches == MAX_STRETCHES)
        return weft_err_set(err, WEFT_E_LIMIT, "more than %u failures of links", MAX_STRETCHES);
    if (!WEFT_GROW(t->stretches, t->nstretches, &t->stretches_cap))
        return weft_err_no_memory(err, "failures of links");
    t->stretches[t->nstretches++] = *s;
    return 0;
}

static int cmp(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

static int by_begin(const void *pa, const void *pb)
{
    const struct weft_fault_stretch *a = (const struct weft_fault_stretch *)pa,
                                    *b = (const struct weft_fault_stretch *)pb;
    int c = cmp(a->begin_ps, b->begin_ps);
    c = c ? c : cmp(a->item, b->item);
    return c ? c : cmp(a->link, b->link);
}

static int by_link(const void *pa, const void *pb)
{
    const struct weft_fault_stretch *a = *(const struct weft_fault_stretch *const *)pa,
                                    *b = *(const struct weft_fault_stretch *const *)pb;
    int c = cmp(a->link, b->link);
    c = c ? c : cmp(a->what, b->what);
    return c ? c : by_begin(a, b);
}

static int check_overlaps(const struct weft_fault_plan *t, struct weft_err *err)
{
    const struct weft_fault_stretch **order = malloc((t->nstretches + 1) * sizeof(void *));
    char at[WEFT_UNIT_TEXT_MAX];
    int rc = order ? 0 : weft_err_no_memory(err, "failures");
    for (size_t i = 0; i < t->nstretches && !rc; i++)
        order[i] = &t->stretches[i];
    if (!rc)
        qsort(order, t->nstretches, sizeof order[0], by_link);
    for (size_t i = 1; i < t->nstretches && !rc; i++) {
        const struct weft_fault_stretch *a = order[i - 1], *b = order[i];
        if (a->link != b->link || a->what != b->what || b->what == WEFT_LINK_DOWN ||
            b->begin_ps >= a->end_ps)
            continue;
        const uint32_t first = a->item < b->item ? a->item : b->item;
        rc = weft_err_set(err, WEFT_E_INPUT,
                          "entries %u and %u: both are a %s of link %u at %s; let one end before "
                          "the other begins",
                          first + 1, (a->item < b->item ? b : a)->item + 1,
                          t->items[b->item].kind->name, b->link, weft_format_time(b->begin_ps, at));
    }
    free(order);
    return rc;
}

int weft_fault_plan_sort(struct weft_fault_plan *t, struct weft_err *err)
{
    const int rc = check_overlaps(t, err);
    if (!rc && t->nstretches)
        qsort(t->stretches, t->nstretches, sizeof t->stretches[0], by_begin);
    return rc;
}
