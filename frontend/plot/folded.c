/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Lays out a fabric as rows of boxes: hosts, switches of the outermost dimension above them by
 * tier, those of inner dimensions below.
 */
#include "plot/folded.h"

#include "base/grow.h"
#include "plot/plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ITEMS_MAX = 32 };

/* The node called @p name, made when it is new. */
static int node_of(struct weft_folded *f, const char *name, uint32_t *out, struct weft_err *err)
{
    struct weft_folded_node *x = NULL;
    HASH_FIND_STR(f->by_name, name, x);
    if (x) {
        *out = x->number;
        return 0;
    }
    x = weft_arena_calloc(f->arena, 1, sizeof *x);
    if (!x || !(x->name = weft_arena_strdup(f->arena, name)) ||
        !WEFT_GROW(f->node, f->nnodes, &f->cap_nodes))
        return weft_err_no_memory(err, "a fabric");
    x->host = name[0] == 'h';
    x->dim = -1;
    x->number = *out = (uint32_t)f->nnodes;
    f->switches |= !x->host;
    HASH_ADD_KEYPTR(hh, f->by_name, x->name, strlen(x->name), x);
    if (x->lost)
        return weft_err_no_memory(err, "a fabric");
    f->node[f->nnodes++] = x;
    return 0;
}

int weft_folded_add(struct weft_folded *f, const char *from, const char *to,
                    struct weft_folded_link x, struct weft_err *err)
{
    if (node_of(f, from, &x.a, err) || node_of(f, to, &x.b, err))
        return err->code;
    f->dims = x.dim + 1 > f->dims ? x.dim + 1 : f->dims;
    if (!WEFT_GROW(f->link, f->nlinks, &f->cap_links))
        return weft_err_no_memory(err, "a fabric");
    f->link[f->nlinks++] = x;
    return 0;
}

/* Tiers: how far switches are from the hosts, over links of their dimension. */
static void find_tiers(struct weft_folded *f)
{
    for (size_t i = 0; i < f->nlinks; i++) {
        const struct weft_folded_link *l = &f->link[i];
        if (!f->node[l->a]->host)
            f->node[l->a]->dim = l->dim;
        if (!f->node[l->b]->host)
            f->node[l->b]->dim = l->dim;
    }
    for (int tier = 1; tier < WEFT_FOLDED_TIERS; tier++)
        for (size_t i = 0; i < f->nlinks; i++) {
            struct weft_folded_node *a = f->node[f->link[i].a], *b = f->node[f->link[i].b];
            if (!b->host && !b->tier && (tier == 1 ? a->host : a->tier == tier - 1))
                b->tier = tier;
            if (!a->host && !a->tier && (tier == 1 ? b->host : b->tier == tier - 1))
                a->tier = tier;
        }
    for (size_t i = 0; i < f->nnodes; i++) {
        struct weft_folded_node *x = f->node[i];
        x->row = x->host                 ? 0
                 : x->dim + 1 == f->dims ? x->tier
                                         : -x->tier - WEFT_FOLDED_TIERS * (f->dims - 2 - x->dim);
    }
    for (size_t i = 0; i < f->nlinks; i++) {
        struct weft_folded_link *l = &f->link[i];
        const int a = f->node[l->a]->tier, b = f->node[l->b]->tier;
        l->level = (uint32_t)(l->dim * WEFT_FOLDED_TIERS + (a > b ? a : b));
    }
}

static uint32_t root_of(struct weft_folded *f, uint32_t i)
{
    while (f->node[i]->group != i)
        i = f->node[i]->group = f->node[f->node[i]->group]->group;
    return i;
}

/* Joins what links below @p level connect; the first node of each set is its root. Returns how many
 * sets have hosts. */
static size_t folded_join(struct weft_folded *f, uint32_t level)
{
    size_t n = 0;
    for (size_t i = 0; i < f->nnodes; i++)
        f->node[i]->group = (uint32_t)i;
    for (size_t i = 0; i < f->nlinks; i++) {
        if (f->link[i].level >= level)
            continue;
        const uint32_t a = root_of(f, f->link[i].a), b = root_of(f, f->link[i].b);
        f->node[a > b ? a : b]->group = a > b ? b : a;
    }
    bool *counted = calloc(f->nnodes + 1, sizeof *counted);
    for (size_t i = 0; i < f->nnodes && counted; i++)
        if (f->node[i]->host && !counted[root_of(f, (uint32_t)i)]) {
            counted[root_of(f, (uint32_t)i)] = true;
            n++;
        }
    free(counted);
    return counted ? n : 0;
}

/* Folds as little as makes the row of hosts short enough. */
static void fold_hosts(struct weft_folded *f)
{
    for (uint32_t level = 0; folded_join(f, level) > ITEMS_MAX;) {
        uint32_t next = UINT32_MAX;
        for (size_t i = 0; i < f->nlinks; i++)
            if (f->link[i].level >= level && f->link[i].level + 1 < next)
                next = f->link[i].level + 1;
        if (next == UINT32_MAX)
            return;
        level = next;
    }
}

/* What is drawn as one has one row and one key. */
static int by_order(const void *va, const void *vb)
{
    const struct weft_folded_item *a = va, *b = vb;
    if (a->row != b->row)
        return a->row > b->row ? -1 : 1;
    if (a->order != b->order)
        return a->order < b->order ? -1 : 1;
    return a->first < b->first ? -1 : a->first > b->first;
}

/* Makes items of nodes with equal rows and keys. */
static int make_items(struct weft_folded *f, const uint64_t *key, struct weft_err *err)
{
    struct weft_folded_item *all = calloc(f->nnodes + 1, sizeof *all);
    if (!all)
        return weft_err_no_memory(err, "a fabric");
    for (size_t i = 0; i < f->nnodes; i++)
        all[i] = (struct weft_folded_item){(uint32_t)i, (uint32_t)i, 1, f->node[i]->row,
                                           key[i],      0,           0, NAN};
    qsort(all, f->nnodes, sizeof *all, by_order);
    f->nitems = 0;
    for (size_t i = 0; i < f->nnodes; i++) {
        const uint32_t node = all[i].first;
        struct weft_folded_item *last = f->nitems ? &all[f->nitems - 1] : NULL;
        if (last && last->row == all[i].row && last->order == all[i].order) {
            last->last = node;
            last->n++;
        } else {
            last = &all[f->nitems++];
            *last = all[i];
        }
        f->node[node]->item = (uint32_t)(f->nitems - 1);
    }
    free(f->item);
    f->item = all;
    return 0;
}

size_t weft_folded_row(const struct weft_folded *f, int row)
{
    size_t n = 0;
    for (size_t i = 0; i < f->nitems; i++)
        n += f->item[i].row == row;
    return n;
}

/* Whether the row of each item is too long; by item, to be freed. NULL: no memory. */
static bool *long_rows(const struct weft_folded *f)
{
    bool *is_long = calloc(f->nitems + 1, sizeof *is_long);
    for (size_t i = 0; i < f->nitems && is_long;) {
        const size_t n = weft_folded_row(f, f->item[i].row);
        for (size_t k = 0; k < n; k++)
            is_long[i++] = n > ITEMS_MAX;
    }
    return is_long;
}

/* A number for each node that only those with the same neighbours have: a sum over the items at the
 * other ends, in which the order of links does not count. */
static void mix_neighbours(const struct weft_folded *f, uint64_t *seen)
{
    memset(seen, 0, f->nnodes * sizeof *seen);
    for (size_t i = 0; i < f->nlinks; i++) {
        const uint64_t a = f->node[f->link[i].b]->item + UINT64_C(1),
                       b = f->node[f->link[i].a]->item + UINT64_C(1);
        seen[f->link[i].a] += a * a * UINT64_C(0x9e3779b97f4a7c15);
        seen[f->link[i].b] += b * b * UINT64_C(0x9e3779b97f4a7c15);
    }
}

/* Rows that are still too long: switches with the same neighbours become one; where that does not
 * help, the whole row. */
static int fold_rows(struct weft_folded *f, uint64_t *key, struct weft_err *err)
{
    uint64_t *seen = calloc(f->nnodes + 1, sizeof *seen);
    int code = seen ? 0 : weft_err_no_memory(err, "a fabric");
    for (int pass = 0; pass < 2 && !code; pass++) {
        bool *is_long = long_rows(f);
        if (!is_long) {
            code = weft_err_no_memory(err, "a fabric");
            break;
        }
        mix_neighbours(f, seen);
        for (size_t i = 0; i < f->nnodes; i++)
            if (f->node[i]->row && is_long[f->node[i]->item])
                key[i] = pass ? 0 : seen[i];
        free(is_long);
        code = make_items(f, key, err);
    }
    free(seen);
    return code;
}

static int folded_by_name(const void *va, const void *vb)
{
    const struct weft_folded_node *const *a = va, *const *b = vb;
    return weft_compare_names((*a)->name, (*b)->name);
}

/* Numbers nodes in the order of their names: hosts of a ring lie next to their neighbours. */
static int folded_sort(struct weft_folded *f, struct weft_err *err)
{
    uint32_t *number = malloc((f->nnodes + 1) * sizeof *number); /* of what was the i-th */
    if (!number)
        return weft_err_no_memory(err, "a fabric");
    qsort(f->node, f->nnodes, sizeof *f->node, folded_by_name);
    for (uint32_t i = 0; i < f->nnodes; i++) {
        number[f->node[i]->number] = i;
        f->node[i]->number = i;
    }
    for (size_t i = 0; i < f->nlinks; i++) {
        f->link[i].a = number[f->link[i].a];
        f->link[i].b = number[f->link[i].b];
    }
    free(number);
    return 0;
}

int weft_folded_fold(struct weft_folded *f, struct weft_err *err)
{
    if (folded_sort(f, err))
        return err->code;
    uint64_t *key = calloc(f->nnodes + 1, sizeof *key);
    if (!key)
        return weft_err_no_memory(err, "a fabric");
    find_tiers(f);
    fold_hosts(f);
    for (size_t i = 0; i < f->nnodes; i++)
        key[i] = root_of(f, (uint32_t)i);
    int code = make_items(f, key, err);
    code = code ? code : fold_rows(f, key, err);
    free(key);
    return code;
}

void weft_folded_free(struct weft_folded *f)
{
    HASH_CLEAR(hh, f->by_name);
    free(f->node);
    free(f->link);
    free(f->item);
    *f = (struct weft_folded){0};
}
