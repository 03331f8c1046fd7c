/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Bus bandwidth of collectives against their size, as nccl-tests reports it. The rows of a
 * collective (one for each phase) all say the bandwidth of the whole; how long that took is in
 * ops.csv. Equal collectives of equal size are summed up as in the summary: bus bytes / time.
 */
#include "base/grow.h"
#include "base/hash.h"
#include "plot/plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A collective on a rank; of a repeated one, `order` tells which time. */
struct key {
    uint64_t job, rank, node;
    size_t order;
};

struct op {
    struct key key;
    double duration_ns;
};

struct group {
    struct key key;
    double algbw, busbw;
    const char *name; /* of the curve */
};

struct reading {
    struct weft_arena *arena;
    struct op *ops;
    struct group *groups;
    size_t nops, ngroups, cap_ops, cap_groups;
};

/* Columns 0 to 2 of both tables. */
static int read_key(const struct weft_row *row, size_t order, struct key *out, struct weft_err *err)
{
    double rank, node;
    if (weft_row_number(row, 1, &rank, err) || weft_row_number(row, 2, &node, err))
        return err->code;
    const char *job = weft_row_text(row, 0);
    *out = (struct key){weft_hash64(job, strlen(job)), (uint64_t)rank, (uint64_t)node, order};
    return 0;
}

static bool is_same(const struct key *a, const struct key *b)
{
    return a->job == b->job && a->rank == b->rank && a->node == b->node;
}

static int busbw_by_key(const void *va, const void *vb)
{
    const struct key *a = va, *b = vb;
    if (a->job != b->job)
        return a->job < b->job ? -1 : 1;
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    if (a->node != b->node)
        return a->node < b->node ? -1 : 1;
    return (a->order > b->order) - (a->order < b->order);
}

static int op_row(void *ctx, const struct weft_row *row, struct weft_err *err)
{
    struct reading *r = ctx;
    struct op x;
    if (read_key(row, r->nops, &x.key, err) || weft_row_number(row, 3, &x.duration_ns, err))
        return err->code;
    if (!WEFT_GROW(r->ops, r->nops, &r->cap_ops))
        return weft_err_no_memory(err, "collectives");
    r->ops[r->nops++] = x;
    return 0;
}

static int phase_row(void *ctx, const struct weft_row *row, struct weft_err *err)
{
    struct reading *r = ctx;
    struct group x;
    if (read_key(row, r->ngroups, &x.key, err))
        return err->code;
    if (r->ngroups && is_same(&r->groups[r->ngroups - 1].key, &x.key)) /* a further phase */
        return 0;
    if (!*weft_row_text(row, 6)) /* it took no time, or moved nothing */
        return 0;
    const bool whole = !*weft_row_text(row, 7);
    x.name = weft_arena_printf(r->arena, whole ? "%s, %s" : "%s over dimensions",
                               weft_row_text(row, 3), weft_row_text(row, 4));
    if (!x.name || !WEFT_GROW(r->groups, r->ngroups, &r->cap_groups))
        return weft_err_no_memory(err, "collectives");
    if (weft_row_number(row, 5, &x.algbw, err) || weft_row_number(row, 6, &x.busbw, err))
        return err->code;
    r->groups[r->ngroups++] = x;
    return 0;
}

/* ---- points ---- */

/* Collectives of a curve that have one size. */
struct point {
    const char *run, *what; /* "": the only run; collective and algorithm */
    double bytes, bus_bits, ns;
};

struct points {
    struct point *list;
    size_t n, cap;
};

static bool is_one_curve(const struct point *a, const struct point *b)
{
    return strcmp(a->run, b->run) == 0 && strcmp(a->what, b->what) == 0;
}

static int add_point(struct points *p, const struct point *x, struct weft_err *err)
{
    for (size_t i = 0; i < p->n; i++)
        if (p->list[i].bytes == x->bytes && is_one_curve(&p->list[i], x)) {
            p->list[i].bus_bits += x->bus_bits;
            p->list[i].ns += x->ns;
            return 0;
        }
    if (!WEFT_GROW(p->list, p->n, &p->cap))
        return weft_err_no_memory(err, "collectives");
    p->list[p->n++] = *x;
    return 0;
}

/* Pairs collectives with their durations, both sorted by the same key. */
static int pair(const struct weft_runs *runs, size_t run, struct reading *r, struct points *out,
                struct weft_err *err)
{
    const char *label = runs->n > 1 ? weft_run_label_without(runs, run, "generate.size") : "";
    size_t at = 0;
    if (!label)
        return weft_err_no_memory(err, "collectives");
    if (r->nops)
        qsort(r->ops, r->nops, sizeof *r->ops, busbw_by_key);
    if (r->ngroups)
        qsort(r->groups, r->ngroups, sizeof *r->groups, busbw_by_key);
    for (size_t i = 0; i < r->ngroups; i++) {
        const struct group *g = &r->groups[i];
        while (at < r->nops && busbw_by_key(&r->ops[at].key, &g->key) < 0 &&
               !is_same(&r->ops[at].key, &g->key))
            at++;
        if (at == r->nops || !is_same(&r->ops[at].key, &g->key))
            continue;
        const double ns = r->ops[at++].duration_ns;
        const struct point x = {label, weft_arena_strdup(runs->arena, g->name),
                                round(g->algbw * ns / 8e9), g->busbw * ns, ns};
        if (!x.what)
            return weft_err_no_memory(err, "collectives");
        if (add_point(out, &x, err))
            return err->code;
    }
    return 0;
}

static int read_run(const struct weft_runs *runs, size_t run, struct points *out,
                    struct weft_err *err)
{
    static const char *const of_ops[] = {"?job", "rank", "node_id", "duration_ns", NULL};
    static const char *const of_phases[] = {"?job",       "rank",      "node_id",
                                            "collective", "algorithm", "algbw_bps",
                                            "busbw_bps",  "dim",       NULL};
    struct reading r = {.arena = weft_arena_new()};
    int rc = r.arena ? 0 : weft_err_no_memory(err, "collectives");
    if (!rc)
        rc = weft_run_rows(&runs->run[run], "collectives.csv", of_phases, phase_row, &r, err);
    if (!rc)
        rc = weft_run_rows(&runs->run[run], "ops.csv", of_ops, op_row, &r, err);
    if (!rc)
        rc = pair(runs, run, &r, out, err);
    free(r.ops);
    free(r.groups);
    weft_arena_free(r.arena);
    return rc < 0 ? rc : 0;
}

static int by_curve(const void *va, const void *vb)
{
    const struct point *a = va, *b = vb;
    int c = weft_compare_names(a->run, b->run);
    c = c ? c : weft_compare_names(a->what, b->what);
    return c ? c : (a->bytes > b->bytes) - (a->bytes < b->bytes);
}

/* Whether each run has one curve, so that its name is the run's. */
static bool is_named_by_run(const struct points *p)
{
    for (size_t i = 0; i < p->n; i++)
        if (!*p->list[i].run || (i && strcmp(p->list[i].run, p->list[i - 1].run) == 0 &&
                                 !is_one_curve(&p->list[i], &p->list[i - 1])))
            return false;
    return true;
}

/* What all of them are: "all-reduce, ring", "all-reduce", or nothing that they share. */
static const char *shared(const struct points *p, struct weft_figure *f)
{
    const char *what = p->n ? p->list[0].what : "";
    const size_t word = strcspn(what, ",");
    bool same = true, alike = true;
    for (size_t i = 0; i < p->n; i++) {
        same &= strcmp(p->list[i].what, what) == 0;
        alike &= strncmp(p->list[i].what, what, word) == 0 && strcspn(p->list[i].what, ",") == word;
    }
    return same ? what : alike ? weft_figure_printf(f, "%.*s", (int)word, what) : "";
}

static void busbw_draw(const struct points *p, struct weft_panel *panel)
{
    const char *title = is_named_by_run(p) ? shared(p, panel->figure) : "";
    struct weft_curve *c = NULL;
    int colour = 0;
    panel->title = title;
    for (size_t i = 0; i < p->n; i++) {
        const struct point *x = &p->list[i];
        if (!i || !is_one_curve(x, x - 1))
            c = weft_curve_add(panel, WEFT_MARK_POINTS, colour++,
                               *title ? x->run
                               : *x->run
                                   ? weft_figure_printf(panel->figure, "%s: %s", x->run, x->what)
                                   : x->what);
        weft_curve_xy(c, x->bytes, x->bus_bits / x->ns / 1e9);
    }
}

static int busbw_derive(const struct weft_runs *runs, struct weft_figure *f, struct weft_err *err)
{
    struct points p = {0};
    int code = 0;
    for (size_t i = 0; i < runs->n && !code; i++)
        code = read_run(runs, i, &p, err);
    f->title = "Bus bandwidth of collectives by size";
    f->caption =
        "Bus bandwidth is what nccl-tests calls busbw: the data that must pass each rank's link, "
        "divided by the time of the collective. It can be compared with the speed of the link, "
        "whatever the collective and the number of ranks. The size is that of the whole operation, "
        "the shards of all ranks together.";
    struct weft_panel *panel =
        weft_panel_add(f, "", "size of the operation (bytes, log scale)", "bus bandwidth (Gbps)");
    panel->x.log = panel->x.bytes = true;
    panel->y.from = 0;
    if (p.n)
        qsort(p.list, p.n, sizeof *p.list, by_curve);
    busbw_draw(&p, panel);
    if (!code && !p.n)
        code = weft_plot_nothing(err, "no collectives (collectives.csv) in %s", runs->run[0].dir);
    free(p.list);
    return code;
}

const struct weft_plot weft_plot_busbw = {"busbw", "bus bandwidth of collectives against size",
                                          "collectives.csv, ops.csv", busbw_derive};
