/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Percentiles of the slowdown by message size. Runs that differ in their seed alone are one row:
 * percentiles are over the messages of all seeds, and their confidence interval is that of the mean
 * of the percentiles of each seed.
 */
#include "plot/fct_table.h"

#include "base/grow.h"
#include "base/units.h"
#include "plot/flows.h"
#include "plot/plot.h"
#include "report/quantiles.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const unsigned weft_fct_percentiles[WEFT_FCT_PERCENTILES] = {50, 95, 99};

enum { ROWS_STEP = 64 };

/* Runs with their messages, and which of them belong together. */
struct making {
    const struct weft_runs *runs;
    struct weft_fct_table *t;
    const char *job;                /* NULL: each */
    struct weft_flow_points *flows; /* per run */
    const char **label;             /* per run, without its seed */
    struct weft_flow_baseline baseline;
    double *room; /* for the slow-downs of a cell */
    size_t cap;
};

int weft_fct_edges(const char *text, double edges[WEFT_FCT_BUCKETS_MAX], size_t *n,
                   struct weft_err *err)
{
    char one[64];
    *n = 0;
    for (const char *at = text ? text : "10KB,100KB,1MB"; *at;) {
        const size_t len = strcspn(at, ",");
        struct weft_err why = {0};
        uint64_t bytes;
        snprintf(one, sizeof one, "%.*s", (int)len, at);
        if (weft_parse_size_bytes(one, &bytes, &why))
            return weft_err_set(err, WEFT_E_USAGE, "--buckets %s: %s", one, why.msg);
        if (*n == WEFT_FCT_BUCKETS_MAX - 1 || bytes == 0 || (*n && edges[*n - 1] >= (double)bytes))
            return weft_err_set(err, WEFT_E_USAGE,
                                "--buckets %s: at most %d sizes above 0, each larger than the one "
                                "before",
                                text, WEFT_FCT_BUCKETS_MAX - 1);
        edges[(*n)++] = (double)bytes;
        at += len + (at[len] == ',');
    }
    return 0;
}

static int name_buckets(struct weft_fct_table *t, struct weft_err *err)
{
    char a[WEFT_UNIT_TEXT_MAX];
    for (size_t b = 0; b < t->nbuckets; b++) {
        const bool last = b + 1 == t->nbuckets;
        const double edge = t->edge[last && b ? b - 1 : b];
        t->bucket[b] = t->nbuckets == 1 ? "any"
                                        : weft_arena_printf(t->arena, "%s%s", last ? ">" : "<=",
                                                            weft_format_size((uint64_t)edge, a));
        if (!t->bucket[b])
            return weft_err_no_memory(err, "a table of completion times");
    }
    t->bucket[t->nbuckets] = "all";
    return 0;
}

static int fct_table_read(struct making *m, struct weft_err *err)
{
    bool any = false;
    for (size_t i = 0; i < m->runs->n; i++) {
        const int rc = weft_flow_points_read(m->runs, &m->runs->run[i], &m->flows[i], err);
        if (rc < 0 || weft_flow_baseline_add(&m->baseline, &m->flows[i], err))
            return err->code;
        any |= rc == 0;
        m->label[i] = weft_run_label_seedless(m->runs, i);
        if (!m->label[i])
            return weft_err_no_memory(err, "a table of completion times");
    }
    for (size_t i = 0; i < m->runs->n && m->t->one_baseline; i++)
        weft_flow_baseline_apply(&m->baseline, &m->flows[i]);
    return any ? 0
               : weft_err_set(err, WEFT_E_INPUT, "no messages (flows.csv) in %s",
                              m->runs->n == 1 ? m->runs->run[0].dir : "any of the runs");
}

static bool fct_table_is_in(const struct weft_fct_table *t, size_t bucket, double bytes)
{
    if (bucket == t->nbuckets)
        return true;
    return (bucket == 0 || bytes > t->edge[bucket - 1]) &&
           (bucket + 1 == t->nbuckets || bytes <= t->edge[bucket]);
}

/* Adds the slow-downs of a bucket of a run's workload to the room from @p n on; returns how many
 * there are then. */
static int fct_table_gather(struct making *m, size_t run, const char *job, size_t bucket, size_t *n,
                            struct weft_err *err)
{
    const struct weft_flow_points *p = &m->flows[run];
    if (!WEFT_GROW_TO(m->room, *n + p->n, &m->cap))
        return weft_err_no_memory(err, "a table of completion times");
    for (size_t i = 0; i < p->n; i++)
        if (strcmp(p->job[p->list[i].job], job) == 0 &&
            fct_table_is_in(m->t, bucket, p->list[i].bytes) && p->list[i].slowdown > 0)
            m->room[(*n)++] = p->list[i].slowdown;
    return 0;
}

/* One cell: the runs with the label of run @p first. */
static int fill_cell(struct making *m, size_t first, struct weft_fct_row *row, size_t bucket,
                     struct weft_err *err)
{
    struct weft_fct_cell *c = &row->cell[bucket];
    double *of_seed[WEFT_FCT_PERCENTILES], mean;
    size_t seeds = 0;
    for (size_t k = 0; k < WEFT_FCT_PERCENTILES; k++) {
        of_seed[k] = (double *)weft_arena_calloc(m->t->arena, m->runs->n, sizeof **of_seed);
        if (!of_seed[k])
            return weft_err_no_memory(err, "a table of completion times");
    }
    for (size_t i = first; i < m->runs->n; i++) {
        const size_t from = c->n;
        if (strcmp(m->label[i], m->label[first]) != 0)
            continue;
        if (fct_table_gather(m, i, row->job, bucket, &c->n, err))
            return err->code;
        if (c->n == from)
            continue;
        qsort(m->room + from, c->n - from, sizeof *m->room, weft_by_f64);
        for (size_t k = 0; k < WEFT_FCT_PERCENTILES; k++)
            of_seed[k][seeds] =
                weft_percentile(m->room + from, c->n - from, weft_fct_percentiles[k]);
        seeds++;
    }
    if (c->n == 0)
        return 0;
    qsort(m->room, c->n, sizeof *m->room, weft_by_f64);
    row->seeds = seeds > row->seeds ? seeds : row->seeds;
    for (size_t k = 0; k < WEFT_FCT_PERCENTILES; k++) {
        c->value[k] = weft_percentile(m->room, c->n, weft_fct_percentiles[k]);
        c->ci95[k] = weft_mean_ci95(of_seed[k], seeds, &mean);
        qsort(of_seed[k], seeds, sizeof **of_seed, weft_by_f64);
        c->least[k] = of_seed[k][0];
        c->most[k] = of_seed[k][seeds - 1];
    }
    return 0;
}

static struct weft_fct_row *fct_table_add_row(struct weft_fct_table *t, const char *run,
                                              const char *job, struct weft_err *err)
{
    if (!WEFT_ARENA_GROW(t->arena, t->row, t->nrows, &t->rows_cap)) {
        weft_err_no_memory(err, "a table of completion times");
        return NULL;
    }
    struct weft_fct_row *row = &t->row[t->nrows++];
    *row = (struct weft_fct_row){.run = weft_arena_strdup(t->arena, run),
                                 .job = weft_arena_strdup(t->arena, job)};
    if (row->run && row->job)
        return row;
    weft_err_no_memory(err, "a table of completion times");
    return NULL;
}

static bool fct_table_has_row(const struct weft_fct_table *t, const char *run, const char *job)
{
    for (size_t i = 0; i < t->nrows; i++)
        if (strcmp(t->row[i].run, run) == 0 && strcmp(t->row[i].job, job) == 0)
            return true;
    return false;
}

/* The rows of the label of run @p i, unless they are there. */
static int add_label(struct making *m, size_t i, struct weft_err *err)
{
    const struct weft_flow_points *p = &m->flows[i];
    for (size_t k = 0; k < p->njobs; k++) {
        if (fct_table_has_row(m->t, m->label[i], p->job[k]) ||
            (m->job && strcmp(m->job, p->job[k]) != 0))
            continue;
        struct weft_fct_row *row = fct_table_add_row(m->t, m->label[i], p->job[k], err);
        for (size_t b = 0; row && b <= m->t->nbuckets; b++)
            if (fill_cell(m, i, row, b, err))
                return err->code;
        if (!row)
            return err->code;
    }
    return 0;
}

int weft_fct_table_make(const struct weft_runs *runs, const double *edges, size_t nedges,
                        const char *job, struct weft_fct_table *out, struct weft_err *err)
{
    struct making m = {.runs = runs, .t = out, .job = job};
    *out = (struct weft_fct_table){
        .arena = weft_arena_new(), .nbuckets = nedges + 1, .one_baseline = runs->n > 1};
    m.flows = calloc(runs->n, sizeof *m.flows);
    m.label = calloc(runs->n, sizeof *m.label);
    int code = out->arena && m.flows && m.label
                   ? 0
                   : weft_err_no_memory(err, "a table of completion times");
    memcpy(out->edge, edges, nedges * sizeof *edges);
    code = code ? code : name_buckets(out, err);
    code = code ? code : fct_table_read(&m, err);
    for (size_t i = 0; i < runs->n && !code; i++)
        code = add_label(&m, i, err);
    if (!code && !out->nrows)
        code = weft_err_set(err, WEFT_E_INPUT, "no run has messages of a workload '%s'", job);
    for (size_t i = 0; i < runs->n && m.flows; i++)
        weft_flow_points_free(&m.flows[i]);
    weft_flow_baseline_free(&m.baseline);
    free(m.flows);
    free(m.label);
    free(m.room);
    return code;
}

void weft_fct_table_free(struct weft_fct_table *t)
{
    weft_arena_free(t->arena);
    *t = (struct weft_fct_table){0};
}
