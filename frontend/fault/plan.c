/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * From the list of a scenario to stretches of faults, and to their edges.
 */
#include "base/grow.h"
#include "base/hash.h"
#include "base/items.h"
#include "base/units.h"
#include "fault/edges.h"

#include <stdlib.h>
#include <string.h>

static const struct weft_param params[] = {
    {WEFT_ROW_STRING(struct weft_fault_params, events, "events", ""),
     .help = "what happens: KIND PARAMETER=VALUE ...; KIND ..., or an element each inside <fault>"},
};
const struct weft_param_table weft_fault_param_table =
    WEFT_PARAM_TABLE(params, struct weft_fault_params);

/* ---- reading ---- */

static int fault_plan_begin(void *ctx, const char *type, struct weft_err *err)
{
    struct weft_fault_plan *t = (struct weft_fault_plan *)ctx;
    const struct weft_fault_kind *kind = weft_fault_kind_find(type, err);
    if (!kind)
        return WEFT_E_INPUT;
    if (!WEFT_GROW(t->items, t->nitems, &t->items_cap))
        return weft_err_no_memory(err, "faults");
    struct weft_fault_item *item = &t->items[t->nitems++];
    const int rc = weft_params_defaults(&kind->params, item, err);
    item->kind = kind;
    return rc;
}

static int fault_plan_set(void *ctx, const char *name, const char *value, struct weft_err *err)
{
    const struct weft_fault_plan *t = (const struct weft_fault_plan *)ctx;
    struct weft_fault_item *item = &t->items[t->nitems - 1];
    int rc = weft_params_set(&item->kind->params, item, name, value, err);
    if (rc)
        return rc;
    const uint32_t bit =
        1u << (weft_params_find(&item->kind->params, name) - item->kind->params.params);
    if (item->given & bit)
        return weft_err_set(err, WEFT_E_INPUT, "'%s' is given twice", name);
    item->given |= bit;
    return 0;
}

static int fault_plan_end(void *ctx, struct weft_err *err)
{
    struct weft_fault_plan *t = (struct weft_fault_plan *)ctx;
    const uint32_t item = (uint32_t)t->nitems - 1;
    const struct weft_param_table *table = &t->items[item].kind->params;
    for (size_t i = 0; i < table->n; i++)
        if (!table->params[i].def && !(t->items[item].given >> i & 1))
            return weft_err_set(err, WEFT_E_INPUT, "'%s' must be given (%s)", table->params[i].name,
                                table->params[i].help);
    return t->items[item].kind->expand(t, item, err);
}

struct weft_fault_plan *weft_fault_plan_new(const char *events, const struct weft_fabric *f,
                                            struct weft_err *err)
{
    struct weft_fault_plan *t = calloc(1, sizeof *t);
    char *text = strdup(events);
    if (!t || !text) {
        free(t);
        free(text);
        weft_err_no_memory(err, "failures");
        return NULL;
    }
    t->fabric = f;
    t->text = text;
    struct weft_items_reader reader = {t, "entry", fault_plan_begin, fault_plan_set,
                                       fault_plan_end};
    if (weft_items_read(text, &reader, err) || weft_fault_plan_sort(t, err)) {
        weft_fault_plan_free(t);
        return NULL;
    }
    return t;
}

void weft_fault_plan_free(struct weft_fault_plan *t)
{
    if (!t)
        return;
    free(t->items);
    free(t->stretches);
    free(t->text);
    free(t);
}

/* ---- edges ---- */

static int cmp(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

static int by_time(const void *pa, const void *pb)
{
    const struct weft_fault_edge *a = (const struct weft_fault_edge *)pa,
                                 *b = (const struct weft_fault_edge *)pb;
    int c = cmp(a->t_ps, b->t_ps);
    c = c ? c : a->begins - b->begins;
    return c ? c : cmp(a->stretch, b->stretch);
}

int weft_fault_plan_edges(const struct weft_fault_plan *t, struct weft_fault_edge **out, size_t *n,
                          struct weft_err *err)
{
    *n = 0;
    *out = malloc((2 * t->nstretches + 1) * sizeof **out);
    if (!*out)
        return weft_err_no_memory(err, "failures");
    for (uint32_t i = 0; i < t->nstretches; i++) {
        const struct weft_fault_stretch *s = &t->stretches[i];
        (*out)[(*n)++] = (struct weft_fault_edge){s->begin_ps, i, 1};
        if (s->end_ps != WEFT_NEVER)
            (*out)[(*n)++] = (struct weft_fault_edge){s->end_ps, i, 0};
    }
    qsort(*out, *n, sizeof **out, by_time);
    return 0;
}

size_t weft_fault_plan_instant(const struct weft_fault_edge *edges, size_t n, size_t from)
{
    size_t to = from;
    while (to < n && edges[to].t_ps == edges[from].t_ps)
        to++;
    return to;
}

/* ---- sets of failed links ---- */

/* Remembers a set by its hash; false when it has been there. @p size is a power of two. */
static bool remember(uint64_t *seen, size_t size, uint64_t hash)
{
    size_t at = hash & (size - 1);
    hash |= 1; /* 0: free */
    for (; seen[at]; at = (at + 1) & (size - 1))
        if (seen[at] == hash)
            return false;
    seen[at] = hash;
    return true;
}

int weft_fault_plan_check(const struct weft_fault_plan *t,
                          int (*check)(void *ctx, const uint8_t *down, struct weft_err *err),
                          void *ctx, int64_t *at_ps, struct weft_err *err)
{
    struct weft_fault_edge *edges;
    size_t n, size = 2;
    int rc = weft_fault_plan_edges(t, &edges, &n, err);
    while (size < 2 * n + 2)
        size *= 2;
    const size_t nlinks = t->fabric->nlinks;
    uint32_t *count = calloc(nlinks + 1, sizeof *count);
    uint8_t *down = calloc(nlinks + 1, 1);
    uint64_t *seen = calloc(size, sizeof *seen);
    if (!rc && (!count || !down || !seen))
        rc = weft_err_no_memory(err, "failures");
    if (!rc)
        remember(seen, size, weft_hash64(down, nlinks)); /* the whole fabric */
    for (size_t i = 0, next; i < n && !rc; i = next) {
        next = weft_fault_plan_instant(edges, n, i);
        for (size_t k = i; k < next; k++) {
            const struct weft_fault_stretch *s = &t->stretches[edges[k].stretch];
            if (s->what != WEFT_LINK_DOWN)
                continue;
            count[s->link] += edges[k].begins ? 1 : UINT32_MAX;
            down[s->link] = count[s->link] > 0;
        }
        *at_ps = edges[i].t_ps;
        if (remember(seen, size, weft_hash64(down, nlinks)))
            rc = check(ctx, down, err);
    }
    free(edges);
    free(count);
    free(down);
    free(seen);
    return rc;
}
