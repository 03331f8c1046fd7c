/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The fabric with the use of its links as colours, from links.csv: hosts below, switches of the
 * outermost dimension above them by tier, those of inner dimensions below. Large fabrics are
 * folded: what hangs together below some tier (the hosts of a server, of a rack, of a pod) becomes
 * one box for each row, and switches with the same neighbours one. Fabrics without switches lie on
 * a circle.
 */
#include "plot/links.h"
#include "plot/plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define HASH_NONFATAL_OOM 1
#define uthash_nonfatal_oom(elt) ((elt)->lost = true)
#include <uthash.h>

enum { ITEMS_MAX = 32, TIERS = 8, RUNS_MAX = 4, SORTS = 12, DIMS_MAX = 60 };

struct node {
    const char *name;
    bool host, lost; /* lost: there was no memory to find it again */
    int dim, tier, row;
    uint32_t group; /* union-find: its parent */
    uint32_t number, item;
    UT_hash_handle hh;
};

struct link {
    uint32_t a, b, level, sort;
    int dim;
    double util, rate; /* of the busier direction, percent; bit/s */
};

/* What is drawn as one. */
struct item {
    uint32_t first, last; /* nodes */
    size_t n;
    int row;
    uint64_t order;      /* within its row */
    double x, y, inside; /* inside: the busiest link within; NAN: none */
};

struct fabric {
    struct weft_arena *arena;
    struct node **node, *by_name;
    struct link *link;
    struct item *item;
    size_t nnodes, nlinks, nitems, cap_nodes, cap_links;
    int dims;
    bool switches;
    bool plain; /* links have no use that could be shown: colours are their sorts */
};

static int no_memory(struct weft_err *err)
{
    return weft_err_set(err, WEFT_E_LIMIT, "out of memory for a fabric");
}

static void *grow(void *list, size_t n, size_t *cap, size_t size)
{
    if (n < *cap)
        return list;
    void *more = realloc(list, (*cap ? 2 * *cap : 256) * size);
    if (more)
        *cap = *cap ? 2 * *cap : 256;
    return more;
}

/* ---- reading ---- */

/* The node called @p name, made when it is new. */
static int node_of(struct fabric *f, const char *name, uint32_t *out, struct weft_err *err)
{
    struct node *x = NULL;
    HASH_FIND_STR(f->by_name, name, x);
    if (x) {
        *out = x->number;
        return 0;
    }
    struct node **more = grow(f->node, f->nnodes, &f->cap_nodes, sizeof *more);
    x = more ? weft_arena_calloc(f->arena, 1, sizeof *x) : NULL;
    if (more)
        f->node = more;
    if (!x || !(x->name = weft_arena_strdup(f->arena, name)))
        return no_memory(err);
    x->host = name[0] == 'h';
    x->dim = -1;
    x->number = *out = (uint32_t)f->nnodes;
    f->switches |= !x->host;
    HASH_ADD_KEYPTR(hh, f->by_name, x->name, strlen(x->name), x);
    if (x->lost)
        return no_memory(err);
    f->node[f->nnodes++] = x;
    return 0;
}

static int add_link(struct fabric *f, const char *from, const char *to, struct link x,
                    struct weft_err *err)
{
    if (node_of(f, from, &x.a, err) || node_of(f, to, &x.b, err))
        return err->code;
    f->dims = x.dim + 1 > f->dims ? x.dim + 1 : f->dims;
    struct link *more = grow(f->link, f->nlinks, &f->cap_links, sizeof *more);
    if (!more)
        return no_memory(err);
    f->link = more;
    f->link[f->nlinks++] = x;
    return 0;
}

static int link_row(void *ctx, const struct weft_row *row, struct weft_err *err)
{
    struct link x = {0};
    double dim;
    if (weft_row_number(row, 2, &dim, err) || weft_row_number(row, 3, &x.util, err) ||
        weft_row_number(row, 4, &x.rate, err))
        return err->code;
    x.dim = (int)fmax(0, fmin(dim, DIMS_MAX));
    return add_link(ctx, weft_row_text(row, 0), weft_row_text(row, 1), x, err);
}

/* ---- rows ---- */

/* Tiers: how far switches are from the hosts, over links of their dimension. */
static void find_tiers(struct fabric *f)
{
    for (size_t i = 0; i < f->nlinks; i++) {
        const struct link *l = &f->link[i];
        if (!f->node[l->a]->host)
            f->node[l->a]->dim = l->dim;
        if (!f->node[l->b]->host)
            f->node[l->b]->dim = l->dim;
    }
    for (int tier = 1; tier < TIERS; tier++)
        for (size_t i = 0; i < f->nlinks; i++) {
            struct node *a = f->node[f->link[i].a], *b = f->node[f->link[i].b];
            if (!b->host && !b->tier && (tier == 1 ? a->host : a->tier == tier - 1))
                b->tier = tier;
            if (!a->host && !a->tier && (tier == 1 ? b->host : b->tier == tier - 1))
                a->tier = tier;
        }
    for (size_t i = 0; i < f->nnodes; i++) {
        struct node *x = f->node[i];
        x->row = x->host                 ? 0
                 : x->dim + 1 == f->dims ? x->tier
                                         : -x->tier - TIERS * (f->dims - 2 - x->dim);
    }
    for (size_t i = 0; i < f->nlinks; i++) {
        struct link *l = &f->link[i];
        const int a = f->node[l->a]->tier, b = f->node[l->b]->tier;
        l->level = (uint32_t)(l->dim * TIERS + (a > b ? a : b));
    }
}

/* ---- folding ---- */

static uint32_t root_of(struct fabric *f, uint32_t i)
{
    while (f->node[i]->group != i)
        i = f->node[i]->group = f->node[f->node[i]->group]->group;
    return i;
}

/* Joins what links below @p level connect; the first node of each set is its root. Returns how many
 * sets have hosts. */
static size_t join(struct fabric *f, uint32_t level)
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
static void fold_hosts(struct fabric *f)
{
    for (uint32_t level = 0; join(f, level) > ITEMS_MAX;) {
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
    const struct item *a = va, *b = vb;
    if (a->row != b->row)
        return a->row > b->row ? -1 : 1;
    if (a->order != b->order)
        return a->order < b->order ? -1 : 1;
    return a->first < b->first ? -1 : a->first > b->first;
}

/* Makes items of nodes with equal rows and keys. */
static int make_items(struct fabric *f, const uint64_t *key, struct weft_err *err)
{
    struct item *all = calloc(f->nnodes + 1, sizeof *all);
    if (!all)
        return no_memory(err);
    for (size_t i = 0; i < f->nnodes; i++)
        all[i] = (struct item){(uint32_t)i, (uint32_t)i, 1, f->node[i]->row, key[i], 0, 0, NAN};
    qsort(all, f->nnodes, sizeof *all, by_order);
    f->nitems = 0;
    for (size_t i = 0; i < f->nnodes; i++) {
        const uint32_t node = all[i].first;
        struct item *last = f->nitems ? &all[f->nitems - 1] : NULL;
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

static size_t row_length(const struct fabric *f, int row)
{
    size_t n = 0;
    for (size_t i = 0; i < f->nitems; i++)
        n += f->item[i].row == row;
    return n;
}

/* Whether the row of each item is too long; by item, to be freed. NULL: no memory. */
static bool *long_rows(const struct fabric *f)
{
    bool *is_long = calloc(f->nitems + 1, sizeof *is_long);
    for (size_t i = 0; i < f->nitems && is_long;) {
        const size_t n = row_length(f, f->item[i].row);
        for (size_t k = 0; k < n; k++)
            is_long[i++] = n > ITEMS_MAX;
    }
    return is_long;
}

/* A number for each node that only those with the same neighbours have: a sum over the items at the
 * other ends, in which the order of links does not count. */
static void mix_neighbours(const struct fabric *f, uint64_t *seen)
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
static int fold_rows(struct fabric *f, uint64_t *key, struct weft_err *err)
{
    uint64_t *seen = calloc(f->nnodes + 1, sizeof *seen);
    int code = seen ? 0 : no_memory(err);
    for (int pass = 0; pass < 2 && !code; pass++) {
        bool *is_long = long_rows(f);
        if (!is_long) {
            code = no_memory(err);
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

static int fold(struct fabric *f, struct weft_err *err)
{
    uint64_t *key = calloc(f->nnodes + 1, sizeof *key);
    if (!key)
        return no_memory(err);
    fold_hosts(f);
    for (size_t i = 0; i < f->nnodes; i++)
        key[i] = root_of(f, (uint32_t)i);
    int code = make_items(f, key, err);
    code = code ? code : fold_rows(f, key, err);
    free(key);
    return code;
}

/* ---- drawing ---- */

/* Links of one dimension, tier and rate. */
struct sort {
    uint32_t level;
    double rate, n, util;
};

/* Sorts links into kinds, the further ones into the last. Returns how many there are. */
static size_t sort_links(struct fabric *f, struct sort sorts[SORTS])
{
    size_t n = 0;
    for (size_t i = 0; i < f->nlinks; i++) {
        struct link *l = &f->link[i];
        size_t k = 0;
        while (k < n && (sorts[k].level != l->level || sorts[k].rate != l->rate))
            k++;
        if (k == n && n < SORTS)
            sorts[n++] = (struct sort){l->level, l->rate, 0, 0};
        l->sort = (uint32_t)(k < n ? k : n - 1);
        sorts[l->sort].n++;
        sorts[l->sort].util += l->util;
    }
    return n;
}

/* "64 of 100 Gbps in dimension 0, tier 1 ...". */
static const char *describe(struct fabric *f, struct weft_figure *figure)
{
    struct sort sorts[SORTS];
    const size_t n = sort_links(f, sorts);
    const char *all = "";
    for (size_t k = 0; k < n; k++)
        all = weft_figure_printf(
            figure,
            "%s%s%.0f of %.4g Gbps in dimension %u, tier %u (in use %.1f %% of "
            "the time, on average)",
            all, *all ? ", " : "", sorts[k].n, sorts[k].rate / 1e9, sorts[k].level / TIERS,
            sorts[k].level % TIERS, sorts[k].util / sorts[k].n);
    return all;
}

static void place(struct fabric *f)
{
    int y = 0;
    for (size_t i = 0; i < f->nitems;) {
        const size_t n = row_length(f, f->item[i].row);
        for (size_t k = 0; k < n; k++, i++) {
            struct item *x = &f->item[i];
            const double angle = 6.283185307179586 * (double)k / (double)n;
            x->x = f->switches ? ((double)k + 0.5) / (double)n : 0.5 + 0.42 * sin(angle);
            x->y = f->switches ? -y : 1.5 * cos(angle);
        }
        y++;
    }
}

/* The busiest link between each pair of items, and within each. */
static void draw_links(struct fabric *f, struct weft_curve *c)
{
    double *most = malloc(f->nitems * sizeof *most);
    for (size_t i = 0; i < f->nitems && most; i++) {
        for (size_t k = 0; k < f->nitems; k++)
            most[k] = NAN;
        for (size_t l = 0; l < f->nlinks; l++) {
            const uint32_t a = f->node[f->link[l].a]->item, b = f->node[f->link[l].b]->item;
            if (a == i || b == i)
                most[a == i ? b : a] = fmax(most[a == i ? b : a], f->link[l].util);
        }
        f->item[i].inside = most[i];
        for (size_t k = i + 1; k < f->nitems; k++)
            if (!isnan(most[k]))
                weft_curve_point(c, (const double[]){f->item[i].x, f->item[i].y, f->item[k].x,
                                                     f->item[k].y, most[k]});
    }
    c->figure->lost |= !most;
    free(most);
}

/* The sort of links between each pair of items. */
static void draw_sorts(struct fabric *f, struct weft_panel *p)
{
    struct sort sorts[SORTS];
    struct weft_curve *curve[SORTS] = {0};
    const size_t n = sort_links(f, sorts);
    uint32_t *between = malloc(f->nitems * sizeof *between);
    for (size_t k = 0; k < n; k++)
        curve[k] = weft_curve_add(
            p, WEFT_MARK_EDGES, (int)k,
            weft_figure_printf(p->figure, "%.0f links of %.4g Gbps, dimension %u, tier %u",
                               sorts[k].n, sorts[k].rate / 1e9, sorts[k].level / TIERS,
                               sorts[k].level % TIERS));
    for (size_t i = 0; i < f->nitems && between; i++) {
        memset(between, 0xff, f->nitems * sizeof *between);
        for (size_t l = 0; l < f->nlinks; l++) {
            const uint32_t a = f->node[f->link[l].a]->item, b = f->node[f->link[l].b]->item;
            if (a == i || b == i)
                between[a == i ? b : a] = f->link[l].sort;
        }
        for (size_t k = i + 1; k < f->nitems; k++)
            if (between[k] != UINT32_MAX)
                weft_curve_point(curve[between[k]], (const double[]){f->item[i].x, f->item[i].y,
                                                                     f->item[k].x, f->item[k].y});
    }
    p->figure->lost |= !between;
    free(between);
}

static void draw_items(const struct fabric *f, struct weft_panel *p)
{
    struct weft_curve *hosts = weft_curve_add(p, WEFT_MARK_BOXES, 12, "hosts"),
                      *switches = weft_curve_add(p, WEFT_MARK_BOXES, 6, "switches"),
                      *texts = weft_curve_add(p, WEFT_MARK_TEXT_MID, WEFT_FIGURE_INK, "");
    for (size_t i = 0; i < f->nitems; i++) {
        const struct item *x = &f->item[i];
        const double room = 1.0 / (double)(f->switches ? row_length(f, x->row) : 16);
        const double half = fmin(0.4 * room, 0.05), high = f->switches ? 0.11 : 0.12;
        const bool host = f->node[x->first]->host;
        weft_curve_point(host ? hosts : switches,
                         (const double[]){x->x - half, x->x + half, x->y - high, x->y + high});
        const char *first = f->node[x->first]->name, *last = f->node[x->last]->name;
        const char *name =
            x->n > 1 ? weft_figure_printf(p->figure, "%s-%s", first, last + 1) : first;
        if ((double)strlen(name) * 7.5 > room * 540)
            name = (double)strlen(first) * 7.5 > room * 540 ? "" : first;
        weft_curve_text(texts, x->x, x->y - high - 0.12, name);
    }
}

/* Names of rows: how many nodes, in how many boxes. */
static void name_rows(const struct fabric *f, struct weft_panel *p)
{
    for (size_t i = 0; i < f->nitems;) {
        const size_t n = row_length(f, f->item[i].row);
        const struct item *x = &f->item[i];
        size_t nodes = 0;
        for (size_t k = i; k < i + n; k++)
            nodes += f->item[k].n;
        const char *what = f->node[x->first]->host ? "hosts" : nodes == 1 ? "switch" : "switches";
        const char *dim = !f->node[x->first]->host && f->dims > 1
                              ? weft_figure_printf(p->figure, ", dim %d", f->node[x->first]->dim)
                              : "";
        weft_axis_tick(p, &p->y, x->y,
                       nodes > n ? weft_figure_printf(p->figure, "%zu %s%s (%zu box%s)", nodes,
                                                      what, dim, n, n == 1 ? "" : "es")
                                 : weft_figure_printf(p->figure, "%zu %s%s", nodes, what, dim));
        i += n;
    }
}

static void draw(struct fabric *f, struct weft_figure *figure, const char *title)
{
    struct weft_panel *p = weft_panel_add(figure, title, "", "");
    p->x.from = -0.02;
    p->x.to = 1.02;
    p->x.hidden = true;
    p->value.label = "busiest link, use in percent of the run";
    p->value.from = 0;
    p->value.to = 100;
    place(f);
    if (f->plain)
        draw_sorts(f, p);
    else
        draw_links(f, weft_curve_add(p, WEFT_MARK_SEGMENTS, 0, ""));
    draw_items(f, p);
    struct weft_curve *inside = weft_curve_add(p, WEFT_MARK_HEAT, 0, "");
    int rows = 0;
    for (size_t i = 0; i < f->nitems; i++) {
        const struct item *x = &f->item[i];
        const double half = fmin(0.2 / (double)(f->switches ? row_length(f, x->row) : 16), 0.025);
        if (!isnan(x->inside))
            weft_curve_point(inside, (const double[]){x->x - half, x->x + half, x->y - 0.07,
                                                      x->y + 0.07, x->inside});
        rows += !i || f->item[i - 1].row != x->row;
    }
    p->y.from = f->switches ? 0.4 - rows : -1.9;
    p->y.to = f->switches ? 0.35 : 1.8;
    p->y.hidden = !f->switches;
    p->height = f->switches ? 120 + 110 * rows : 560;
    if (f->switches)
        name_rows(f, p);
}

static int add_run(const struct weft_runs *runs, size_t i, struct weft_figure *figure,
                   struct weft_err *err)
{
    static const char *const columns[] = {"from", "to", "dim", "util_pct", "rate_bps", NULL};
    struct fabric f = {.arena = runs->arena};
    int rc = weft_run_rows(&runs->run[i], "links.csv", columns, link_row, &f, err);
    if (!rc && f.nlinks) {
        find_tiers(&f);
        rc = fold(&f, err);
    }
    if (!rc && f.nlinks) {
        draw(&f, figure, runs->n > 1 ? runs->run[i].label : "");
        figure->caption = weft_figure_printf(
            figure,
            "Each line is the busiest of the links between two boxes, in its busier direction; a "
            "patch in a box is the busiest link inside it. Directions of links: %s.",
            describe(&f, figure));
    }
    HASH_CLEAR(hh, f.by_name);
    free(f.node);
    free(f.link);
    free(f.item);
    return rc < 0 ? rc : 0;
}

int weft_fabric_figure(struct weft_figure *figure, const struct weft_drawn_link *links, size_t n,
                       struct weft_err *err)
{
    struct fabric f = {.arena = figure->arena, .plain = true};
    int code = 0;
    for (size_t i = 0; i < n && !code; i++)
        code = add_link(&f, links[i].from, links[i].to,
                        (struct link){.dim = links[i].dim, .rate = links[i].rate_bps}, err);
    if (!code && n) {
        find_tiers(&f);
        code = fold(&f, err);
    }
    if (!code && n)
        draw(&f, figure, "");
    HASH_CLEAR(hh, f.by_name);
    free(f.node);
    free(f.link);
    free(f.item);
    return code ? code : weft_figure_check(figure, err);
}

static int derive(const struct weft_runs *runs, struct weft_figure *f, struct weft_err *err)
{
    f->title = "The fabric and how busy its links were";
    for (size_t i = 0; i < runs->n && i < RUNS_MAX; i++)
        if (add_run(runs, i, f, err))
            return err->code;
    return f->panels ? 0 : weft_plot_nothing(err, "no links (links.csv) in %s", runs->run[0].dir);
}

const struct weft_plot weft_plot_links = {
    "links", "the fabric, large ones folded, with the use of links as colours", "links.csv",
    derive};
