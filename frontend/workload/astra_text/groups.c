/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Groups of ranks. Neighbours make up a TP group (FIRST: along the first dimension); the others
 * take one rank of each of some TP groups, at the same place:
 *   DP (REST)  all TP groups
 *   EP         `ep` neighbouring TP groups
 *   DP_EP      every ep-th TP group
 * A group is: ranks base + step * i, i < size.
 */
#include "workload/astra_text/astra_text.h"

#include <inttypes.h>

struct progression {
    uint64_t base, step, size;
};

/* Ranks of the inner groups that a scope is about. */
static uint64_t inner(const struct weft_astra_text *t, enum weft_astra_scope scope)
{
    return scope == WEFT_ASTRA_FIRST || scope == WEFT_ASTRA_REST ? t->first : t->tp;
}

static struct progression astra_text_groups_group(const struct weft_astra_text *t,
                                                  enum weft_astra_scope scope, uint64_t nranks,
                                                  uint64_t index)
{
    const uint64_t n = inner(t, scope);
    switch (scope) {
    case WEFT_ASTRA_FIRST:
    case WEFT_ASTRA_TP:
        return (struct progression){index * n, 1, n};
    case WEFT_ASTRA_REST:
    case WEFT_ASTRA_DP:
        return (struct progression){index, n, nranks / n};
    case WEFT_ASTRA_EP:
        return (struct progression){index / n * n * t->ep + index % n, n, t->ep};
    case WEFT_ASTRA_DP_EP:
        return (struct progression){index, n * t->ep, nranks / n / t->ep};
    default:
        return (struct progression){0, 1, nranks};
    }
}

static bool by_dimension(const struct weft_astra_text *t, enum weft_astra_scope scope)
{
    return (scope == WEFT_ASTRA_FIRST || scope == WEFT_ASTRA_REST) && !t->first;
}

uint64_t weft_astra_group_size(const struct weft_astra_text *t, enum weft_astra_scope scope,
                               uint64_t nranks)
{
    return by_dimension(t, scope) ? nranks : astra_text_groups_group(t, scope, nranks, 0).size;
}

uint64_t weft_astra_group_count(const struct weft_astra_text *t, enum weft_astra_scope scope,
                                uint64_t nranks)
{
    return nranks / weft_astra_group_size(t, scope, nranks);
}

uint64_t weft_astra_group_of(const struct weft_astra_text *t, enum weft_astra_scope scope,
                             uint64_t nranks, uint64_t rank)
{
    const uint64_t n = inner(t, scope);
    switch (by_dimension(t, scope) ? WEFT_ASTRA_ALL : scope) {
    case WEFT_ASTRA_FIRST:
    case WEFT_ASTRA_TP:
        return rank / n;
    case WEFT_ASTRA_REST:
    case WEFT_ASTRA_DP:
        return rank % n;
    case WEFT_ASTRA_EP:
        return rank / (n * t->ep) * n + rank % n;
    case WEFT_ASTRA_DP_EP:
        return rank % (n * t->ep);
    default:
        return 0;
    }
}

uint64_t weft_astra_group_member(const struct weft_astra_text *t, enum weft_astra_scope scope,
                                 uint64_t nranks, uint64_t index, uint64_t i)
{
    const struct progression p = astra_text_groups_group(t, scope, nranks, index);
    return p.base + p.step * i;
}

static bool uses(const struct weft_astra_text *t, enum weft_astra_scope a, enum weft_astra_scope b)
{
    for (uint64_t l = 0; l < t->nlayers; l++)
        for (int k = 0; k < WEFT_ASTRA_PARTS; k++)
            if (t->layers[l].part[k].coll &&
                (t->layers[l].part[k].scope == a || t->layers[l].part[k].scope == b))
                return true;
    return false;
}

bool weft_astra_has_groups(const struct weft_astra_text *t, enum weft_astra_scope scope,
                           uint64_t nranks)
{
    if (!uses(t, scope, scope))
        return false;
    const uint64_t n = weft_astra_group_size(t, scope, nranks);
    return n > 1 && n < nranks;
}

int weft_astra_groups_check(const struct weft_astra_text *t, uint64_t nranks, struct weft_err *err)
{
    const bool experts = uses(t, WEFT_ASTRA_EP, WEFT_ASTRA_DP_EP);
    const bool tensors = experts || uses(t, WEFT_ASTRA_TP, WEFT_ASTRA_DP);
    if (nranks == 0)
        return weft_err_set(err, WEFT_E_INPUT, "%s: the number of ranks must be given", t->file);
    if (t->first && uses(t, WEFT_ASTRA_FIRST, WEFT_ASTRA_REST) && nranks % t->first)
        return weft_err_set(err, WEFT_E_INPUT,
                            "%s: %" PRIu64 " ranks are no multiple of first-dimension=%" PRIu64,
                            t->file, nranks, t->first);
    const uint64_t unit = !tensors ? 1 : experts ? t->tp * t->ep : t->tp;
    if (nranks % unit == 0)
        return 0;
    const uint64_t down = nranks / unit * unit;
    if (experts)
        return weft_err_set(err, WEFT_E_INPUT,
                            "%s: %" PRIu64
                            " ranks are no multiple of model_parallel_NPU_group x ep = %" PRIu64
                            " x %" PRIu64 "; nearest %" PRIu64,
                            t->file, nranks, t->tp, t->ep, down ? down : unit);
    return weft_err_set(err, WEFT_E_INPUT,
                        "%s: %" PRIu64
                        " ranks are no multiple of model_parallel_NPU_group = %" PRIu64
                        "; nearest %" PRIu64,
                        t->file, nranks, t->tp, down ? down : unit);
}
