/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * In which order the members of a group sit around a ring (system.order).
 *
 * The order is one of all ranks; the members of a group keep it among themselves:
 *
 *   group         as the communicator group lists them
 *   inner-first   by rank number: neighbours in the innermost dimension follow each other
 *   rail          back and forth: from one row of the innermost dimension to the next at the same place, so that a step
 *                 never changes more than one place; NICs of one rail talk to each other
 *   0,2,1,3       as listed, each rank once
 */
#include "system/system_internal.h"
#include "system/lists.h"

#include <stdbool.h>
#include <inttypes.h>
#include <stdlib.h>

/* The place of rank @p r when dimension 0 is walked back and forth, and so is every further one. */
static uint64_t folded(uint32_t r, const struct weft_dims *dims)
{
    uint32_t place[WEFT_DIMS_MAX];
    for (uint32_t d = 0; d < dims->n; r /= dims->size[d++])
        place[d] = r % dims->size[d];
    uint64_t at = 0;
    for (uint32_t d = dims->n;
         d-- > 0;) /* outermost first: an odd row outside turns the inner one */
        at = at * dims->size[d] + (at & 1 ? dims->size[d] - 1 - place[d] : place[d]);
    return at;
}

/* "0,2,1": into key[rank]. */
static int read_list(const char *text, uint32_t nranks, uint64_t *key, struct weft_err *err)
{
    struct weft_list list = {.text = text, .form = &weft_order_form};
    struct weft_list_item item;
    uint64_t n = 0;
    int rc;
    while ((rc = weft_list_next(&list, &item, err)) > 0) {
        const uint64_t rank = item.field[0].value.u64;
        if (rank >= nranks)
            return weft_err_set(err, WEFT_E_INPUT,
                                "rank %" PRIu64 " does not exist: there are the ranks 0 to %u",
                                rank, nranks - 1);
        if (key[rank] != UINT64_MAX)
            return weft_err_set(err, WEFT_E_INPUT, "rank %" PRIu64 " is there twice", rank);
        key[rank] = n++;
    }
    if (rc)
        return rc;
    for (uint32_t r = 0; r < nranks; r++)
        if (key[r] == UINT64_MAX)
            return weft_err_set(err, WEFT_E_INPUT,
                                "rank %u is missing: the list has %" PRIu64 " of %u ranks", r, n,
                                nranks);
    return 0;
}

static int fill_keys(const char *text, const struct weft_dims *dims, uint32_t nranks, uint64_t *key,
                     struct weft_err *err)
{
    const int word = weft_list_is_word(&weft_order_form, text);
    if (word == WEFT_ORDER_RAIL && dims->n < 2)
        return weft_err_set(err, WEFT_E_INPUT,
                            "rail is an order over the dimensions of a fabric, and the ranks have "
                            "%s here; set system.dims, or list the ranks",
                            dims->n ? "one" : "none");
    for (uint32_t r = 0; r < nranks; r++)
        key[r] = word == WEFT_ORDER_RAIL          ? folded(r, dims)
                 : word == WEFT_ORDER_INNER_FIRST ? r
                                                  : UINT64_MAX;
    return word >= 0 ? 0 : read_list(text, nranks, key, err);
}

struct place {
    uint64_t key;
    uint32_t rank, member;
};

static int system_order_by_key(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    return x->key < y->key ? -1 : x->key > y->key;
}

/* Seats the members of one group. */
static int place(const struct weft_group *g, const uint64_t *key, struct weft_ring *out)
{
    struct place *layout = calloc(g->n ? g->n : 1, sizeof *layout);
    out->ranks = calloc(g->n ? g->n : 1, sizeof *out->ranks);
    out->place = calloc(g->n ? g->n : 1, sizeof *out->place);
    const bool ok = layout && out->ranks && out->place;
    for (uint32_t i = 0; ok && i < g->n; i++)
        layout[i] = (struct place){key[g->ranks[i]], g->ranks[i], i};
    if (ok)
        qsort(layout, g->n, sizeof *layout, system_order_by_key);
    for (uint32_t i = 0; ok && i < g->n; i++) {
        out->ranks[i] = layout[i].rank;
        out->place[layout[i].member] = i;
    }
    free(layout);
    return ok ? 0 : WEFT_E_LIMIT;
}

int weft_rings_new(const struct weft_workload *w, const char *order, const struct weft_dims *dims,
                   struct weft_ring **out, struct weft_err *err)
{
    *out = NULL;
    if (weft_list_is_word(&weft_order_form, order) == WEFT_ORDER_GROUP)
        return 0;
    uint64_t *key = calloc(w->nranks ? w->nranks : 1, sizeof *key);
    int rc =
        key ? fill_keys(order, dims, w->nranks, key, err) : weft_err_no_memory(err, "system.order");
    if (!rc && !(*out = calloc(w->ngroups ? w->ngroups : 1, sizeof **out)))
        rc = weft_err_no_memory(err, "system.order");
    for (uint32_t g = 0; !rc && g < w->ngroups; g++)
        if (place(&w->groups[g], key, &(*out)[g]))
            rc = weft_err_no_memory(err, "system.order");
    free(key);
    if (rc) {
        weft_rings_free(*out, w);
        *out = NULL;
        if (err && rc == WEFT_E_INPUT)
            weft_err_prepend(err, "system.order");
    }
    return rc;
}

void weft_rings_free(struct weft_ring *rings, const struct weft_workload *w)
{
    for (uint32_t g = 0; rings && g < w->ngroups; g++) {
        free(rings[g].ranks);
        free(rings[g].place);
    }
    free(rings);
}
