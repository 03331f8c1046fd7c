/* SPDX-License-Identifier: GPL-2.0-only */
/* Queues of all ports over time, as a map: a row for each port, colours for lengths. */
#include "plot/plot.h"
#include "plot/time_series.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_MAX = 128, NAMED_MAX = 40, BINS = 240, RUNS_SHOWN = 12 };

static const char *const keys[] = {"from|node", "to|peer", NULL};

static void queue_map_name(const struct weft_row *row, char *buf, size_t size)
{
    snprintf(buf, size, "%s to %s", weft_row_text(row, 0), weft_row_text(row, 1));
}

static int queue_map_by_name(const void *va, const void *vb)
{
    const struct weft_time_series *a = (const struct weft_time_series *)va;
    const struct weft_time_series *b = (const struct weft_time_series *)vb;
    return weft_compare_names(a->name, b->name);
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

static void queue_map_draw_run(const struct weft_runs *runs, size_t run,
                               struct weft_time_series_set *t, struct weft_figure *f)
{
    double last_ns = 0, most = 0, first_ns = INFINITY;
    weft_time_series_rank(t, WEFT_TIME_SERIES_BY_MOST, ROWS_MAX);
    size_t n = t->n < ROWS_MAX ? t->n : ROWS_MAX;
    qsort(t->list, n, sizeof *t->list, queue_map_by_name);
    for (size_t i = 0; i < n; i++) {
        first_ns = fmin(first_ns, t->list[i].t_ns[0]);
        last_ns = fmax(last_ns, t->list[i].t_ns[t->list[i].n - 1]);
        most = fmax(most, t->list[i].most);
    }
    if (!(most > 0))
        return;
    const struct weft_figure_unit time = weft_figure_time_unit(last_ns),
                                  size = weft_figure_size_unit(most);
    const double from = fmax(runs->from_ns, 0), width = (last_ns - from) / BINS;
    struct weft_panel *p =
        weft_panel_add(f, runs->n > 1 ? runs->run[run].label : "",
                       weft_figure_printf(f, "simulated time (%s)", time.name), "");
    struct weft_curve *c = weft_curve_add(p, WEFT_MARK_HEAT, 0, "");
    p->downwards = true;
    p->y.from = -0.5;
    p->y.to = (double)n - 0.5;
    p->x.from = from / time.divisor;
    p->x.to = last_ns / time.divisor;
    p->value.label = weft_figure_printf(f, "queue (%s)", size.name);
    p->value.from = 0;
    p->value.to = most / size.divisor;
    p->height = fmin(700, 110 + 14 * (double)(n < NAMED_MAX ? n : NAMED_MAX));
    for (size_t i = 0; i < n; i++) {
        double bins[BINS];
        fill_bins(&t->list[i], t, from, width > 0 ? width : 1, bins);
        queue_map_draw_row(c, i, bins, from / time.divisor, width / time.divisor, size.divisor);
        if (i % (1 + n / NAMED_MAX) == 0)
            weft_axis_tick(p, &p->y, (double)i, t->list[i].name);
    }
}

static int queue_map_derive(const struct weft_runs *runs, struct weft_figure *f,
                            struct weft_err *err)
{
    for (size_t i = 0; i < runs->n && i < RUNS_SHOWN; i++) {
        struct weft_time_series_set t = {0};
        const int rc = weft_time_series_read(runs, &runs->run[i], "queue.csv", keys, queue_map_name,
                                             "queue_bytes", &t, err);
        if (rc == 0)
            queue_map_draw_run(runs, i, &t, f);
        weft_time_series_free(&t);
        if (rc < 0)
            return err->code;
    }
    f->title = "Queues of all ports over time";
    f->caption = weft_figure_printf(
        f,
        "Each row is an egress port, in the order of names; the colour is the longest queue in a "
        "240th of the time. Ports that never had one are left out; %d ports at most, those with "
        "the longest.%s",
        ROWS_MAX, runs->n > RUNS_SHOWN ? " The first twelve runs are shown." : "");
    return f->panels ? 0
                     : weft_plot_nothing(err,
                                         "%s has no queues over time: run with --set "
                                         "sample.what=queue",
                                         runs->run[0].dir);
}

const struct weft_plot weft_plot_queue_map = {"queue-map",
                                              "queues of all ports over time, as a heat map",
                                              "series/queue.csv", queue_map_derive};
