/* SPDX-License-Identifier: GPL-2.0-only */
/* Queues of all ports over time, as a map: a row for each port, colours for lengths. */
#include "plot/plot.h"
#include "plot/time_series.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_MAX = 128, NAMED_MAX = 40, BINS = 240 };

static const char *const keys[] = {"from|node", "to|peer", NULL};

static void queue_map_name(const struct weft_row *row, char *buf, size_t size)
{
    snprintf(buf, size, "%s to %s", weft_row_text(row, 0), weft_row_text(row, 1));
}

/* A row of the map. */
struct queue_map_port {
    const char *name;
    double most; /* its longest queue in any run */
};

/* What the panels of all runs have in common. */
struct queue_map {
    struct queue_map_port *port; /* n rows */
    size_t n;
    double from_ns, last_ns;
};

static int queue_map_by_most(const void *va, const void *vb)
{
    const struct queue_map_port *a = va, *b = vb;
    if (a->most != b->most)
        return a->most > b->most ? -1 : 1;
    return weft_compare_names(a->name, b->name);
}

static int queue_map_by_name(const void *va, const void *vb)
{
    const struct queue_map_port *a = va, *b = vb;
    return weft_compare_names(a->name, b->name);
}

/* Adds the ports with the longest queues of a run, so many as the map has @p rows. */
static void queue_map_add(struct queue_map *m, struct weft_time_series_set *t, size_t rows)
{
    weft_time_series_rank(t, WEFT_TIME_SERIES_BY_MOST, 0);
    for (size_t k = 0; k < t->n && k < rows && t->list[k].most > 0; k++) {
        size_t at = 0;
        while (at < m->n && strcmp(m->port[at].name, t->list[k].name) != 0)
            at++;
        if (at == m->n)
            m->port[m->n++] = (struct queue_map_port){t->list[k].name, 0};
        m->port[at].most = fmax(m->port[at].most, t->list[k].most);
    }
    for (size_t k = 0; k < t->n; k++)
        m->last_ns = fmax(m->last_ns, t->list[k].t_ns[t->list[k].n - 1]);
}

/* The series of a port; NULL: it never had a queue. */
static const struct weft_time_series *queue_map_find(const struct weft_time_series_set *t,
                                                     const char *port)
{
    for (size_t i = 0; i < t->n; i++)
        if (strcmp(t->list[i].name, port) == 0)
            return &t->list[i];
    return NULL;
}

/* The longest queue of a port in each bin of time. A sample holds until the next is due. */
static void fill_bins(const struct weft_time_series *t, const struct weft_time_series_set *of,
                      double from_ns, double width_ns, double bins[BINS])
{
    const struct weft_bins by = {from_ns, width_ns, BINS};
    memset(bins, 0, BINS * sizeof *bins);
    for (size_t i = 0; i < t->n; i++) {
        const double until_ns = !of->on_change ? t->t_ns[i] + of->interval_ns
                                : i + 1 < t->n ? t->t_ns[i + 1]
                                               : t->t_ns[i];
        size_t last;
        for (size_t b = weft_bins_touched(&by, t->t_ns[i], until_ns, &last); b <= last; b++)
            bins[b] = fmax(bins[b], t->v[i]);
    }
}

static void queue_map_draw_row(struct weft_curve *c, size_t row, const double bins[BINS],
                               double from, double width, double divisor)
{
    for (size_t b = 0; b < BINS; b++) {
        size_t end = b + 1;
        while (end < BINS && bins[end] == bins[b])
            end++;
        if (bins[b] > 0)
            weft_curve_point(c, (const double[]){from + (double)b * width,
                                                 from + (double)end * width, (double)row - 0.5,
                                                 (double)row + 0.5, bins[b] / divisor});
        b = end - 1;
    }
}

static void queue_map_draw_run(const struct queue_map *m, double most,
                               const struct weft_time_series_set *set, const char *title,
                               struct weft_figure *f)
{
    const struct weft_figure_unit time = weft_figure_time_unit(m->last_ns),
                                  size = weft_figure_size_unit(most);
    const double from = m->from_ns, width = (m->last_ns - from) / BINS;
    struct weft_panel *p =
        weft_panel_add(f, title, weft_figure_printf(f, "simulated time (%s)", time.name), "");
    struct weft_curve *c = weft_curve_add(p, WEFT_MARK_HEAT, 0, "");
    p->downwards = true;
    p->y.from = -0.5;
    p->y.to = (double)m->n - 0.5;
    p->x.from = from / time.divisor;
    p->x.to = m->last_ns / time.divisor;
    p->value.label = weft_figure_printf(f, "queue (%s)", size.name);
    p->value.from = 0;
    p->value.to = most / size.divisor;
    p->height =
        fmin(700, (f->columns > 1 ? 70 : 110) + 14 * (double)(m->n < NAMED_MAX ? m->n : NAMED_MAX));
    /* what is not longer than 0 has the colour of 0 */
    weft_curve_point(c, (const double[]){p->x.from, p->x.to, p->y.from, p->y.to, 0});
    for (size_t i = 0; i < m->n; i++) {
        double bins[BINS];
        const struct weft_time_series *t = queue_map_find(set, m->port[i].name);
        weft_axis_tick(p, &p->y, (double)i, m->port[i].name);
        if (!t)
            continue;
        fill_bins(t, set, from, width > 0 ? width : 1, bins);
        queue_map_draw_row(c, i, bins, from / time.divisor, width / time.divisor, size.divisor);
    }
}

static int queue_map_read(const struct weft_runs *runs, size_t run, struct weft_time_series_set *t,
                          struct weft_err *err)
{
    return weft_time_series_read(runs, &runs->run[run], "queue.csv", keys, queue_map_name,
                                 "queue_bytes", t, err);
}

/* Reads runs twice, not to have the series of all in memory: what all have in common comes first.
 */
static int queue_map_derive(const struct weft_runs *runs, struct weft_figure *f,
                            struct weft_err *err)
{
    const size_t n = weft_plot_runs(runs, f), rows = weft_plot_rows(f, ROWS_MAX);
    struct queue_map m = {.port = calloc(n * rows, sizeof *m.port),
                          .from_ns = fmax(runs->from_ns, 0)};
    int rc = m.port ? 0 : weft_err_no_memory(err, "queues");
    for (size_t i = 0; i < n && rc >= 0; i++) {
        struct weft_time_series_set t;
        rc = queue_map_read(runs, i, &t, err);
        if (rc >= 0)
            queue_map_add(&m, &t, rows);
        weft_time_series_free(&t);
    }
    if (m.n)
        qsort(m.port, m.n, sizeof *m.port, queue_map_by_most);
    const double most = m.n ? m.port[0].most : 0;
    m.n = m.n < rows ? m.n : rows;
    if (m.n)
        qsort(m.port, m.n, sizeof *m.port, queue_map_by_name);
    for (size_t i = 0; i < n && m.n && rc >= 0; i++) {
        struct weft_time_series_set t;
        rc = queue_map_read(runs, i, &t, err);
        if (rc >= 0)
            queue_map_draw_run(&m, most, &t, runs->n > 1 ? runs->run[i].label : "", f);
        weft_time_series_free(&t);
    }
    free(m.port);
    f->title = "Queues of all ports over time";
    f->caption = weft_figure_printf(
        f,
        "Each row is an egress port, in the order of names; the colour is the longest queue in a "
        "240th of the time. Ports that never had one are left out; %zu ports at most, those with "
        "the longest%s.%s",
        rows, runs->n > 1 ? " in any run, the same of each" : "", weft_plot_left_out(runs, f));
    if (rc < 0)
        return rc;
    return f->panels ? 0
                     : weft_plot_nothing(err,
                                         "%s has no queues over time: run with --set "
                                         "sample.what=queue",
                                         runs->run[0].dir);
}

const struct weft_plot weft_plot_queue_map = {"queue-map",
                                              "queues of all ports over time, as a heat map",
                                              "series/queue.csv", queue_map_derive};
