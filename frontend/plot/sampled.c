/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Figures of sampled series: one run, its largest series; several, the largest of each. What kinds
 * there are, and what they show of which table, is a table.
 */
#include "base/file.h"
#include "plot/plot.h"
#include "plot/time_series.h"
#include "series/packed.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SERIES_SHOWN = 6, COLUMNS_MAX = 24 };

/* ---- objects ---- */

static const char *const port_keys[] = {"from|node", "to|peer", "?prio", NULL};
static const char *const node_keys[] = {"node", NULL};
static const char *const qp_keys[] = {"from|src", "to|dst", "qpn", NULL};

static void port_name(const struct weft_row *row, char *buf, size_t size)
{
    const char *prio = weft_row_text(row, 2);
    snprintf(buf, size, "%s to %s%s%s", weft_row_text(row, 0), weft_row_text(row, 1),
             *prio ? ", p" : "", prio);
}

static void node_name(const struct weft_row *row, char *buf, size_t size)
{
    snprintf(buf, size, "%s", weft_row_text(row, 0));
}

static void qp_name(const struct weft_row *row, char *buf, size_t size)
{
    snprintf(buf, size, "h%s to h%s, QP %s", weft_row_text(row, 0), weft_row_text(row, 1),
             weft_row_text(row, 2));
}

/* ---- panels ---- */

/* What of a table makes a panel. */
struct source {
    const char *file;
    const char *const *keys;
    void (*name)(const struct weft_row *row, char *buf, size_t size);
    enum weft_time_series_rank_by rank;
    const char *momentary; /* columns that hold for no longer than their row's moment, on change */
    const char *order;     /* the column whose sums choose the series of every panel; NULL, or a run
                              without it: the panel's own numbers, by rank */
    const char *order_file; /* the table of that column; NULL: file */
};

/* The largest series of each run. */
struct chosen {
    struct weft_time_series_set *of; /* of each run */
    double last_ns, least, most;
    size_t n;
};

/* The series of the source's order, of each run. NULL: it has none, or *err says why not. */
static struct weft_time_series_set *read_order(const struct weft_runs *runs, const struct source *s,
                                               struct weft_err *err)
{
    struct weft_time_series_set *by = s->order ? calloc(runs->n, sizeof *by) : NULL;
    if (s->order && !by)
        weft_err_no_memory(err, "sampled series");
    for (size_t i = 0; by && !err->code && i < runs->n; i++)
        weft_time_series_read(runs, &runs->run[i], s->order_file ? s->order_file : s->file, s->keys,
                              s->name, s->order, &by[i], err);
    return by;
}

/* @p by: of each run the series whose sums choose; NULL: the column's own numbers do. */
static int sampled_choose(const struct weft_runs *runs, const struct source *s, const char *column,
                          struct weft_time_series_set *by, struct chosen *out, struct weft_err *err)
{
    const size_t shown = runs->n > 1 ? 1 : SERIES_SHOWN;
    *out = (struct chosen){.of = calloc(runs->n, sizeof *out->of), .least = INFINITY};
    if (!out->of)
        return weft_err_no_memory(err, "sampled series");
    for (size_t i = 0; i < runs->n; i++) {
        struct weft_time_series_set *t = &out->of[i];
        if (weft_time_series_read(runs, &runs->run[i], s->file, s->keys, s->name, column, t, err) <
            0)
            return err->code;
        if (t->on_change && s->momentary && strstr(s->momentary, column))
            weft_time_series_free(t);
        const bool ordered = by && by[i].n;
        if (ordered)
            weft_time_series_take_sums(t, &by[i]);
        weft_time_series_rank(t, ordered ? WEFT_TIME_SERIES_BY_SUM : s->rank, shown);
        out->n += t->n;
        for (size_t k = 0; k < t->n; k++) {
            out->least = fmin(out->least, t->list[k].least);
            out->most = fmax(out->most, t->list[k].most);
            out->last_ns = fmax(out->last_ns, t->list[k].t_ns[t->list[k].n - 1]);
        }
    }
    return 0;
}

static void free_chosen(const struct weft_runs *runs, struct chosen *c)
{
    for (size_t i = 0; c->of && i < runs->n; i++)
        weft_time_series_free(&c->of[i]);
    free(c->of);
}

static void sampled_draw(const struct weft_runs *runs, const struct chosen *c, const char *column,
                         bool log, struct weft_figure *f)
{
    const size_t end = strlen(column);
    const bool bytes = end > 6 && strcmp(column + end - 6, "_bytes") == 0;
    char words[96];
    const struct weft_figure_unit u = weft_figure_time_unit(c->last_ns),
                                  y = weft_figure_column_unit(column, c->most, words);
    const char *label =
        *y.name ? weft_figure_printf(f, "%s (%s%s)", words, y.name, log ? WEFT_LOG_SCALE : "")
                : words;
    struct weft_panel *p =
        weft_panel_add(f, "", weft_figure_printf(f, "simulated time (%s)", u.name), label);
    p->y.log = log;
    p->y.from = log ? 1e3 / y.divisor : 0; /* queues of less than 1 KB do not show */
    p->height = 310;
    for (size_t i = 0; i < runs->n; i++) {
        const struct weft_time_series_set *t = &c->of[i];
        const size_t shown = runs->n > 1 ? 1 : SERIES_SHOWN;
        for (size_t k = 0; k < t->n && k < shown; k++) {
            const char *name =
                runs->n > 1 ? weft_figure_printf(f, "%s: %s", runs->run[i].label, t->list[k].name)
                            : t->list[k].name;
            weft_time_series_draw(t, k,
                                  weft_curve_add(p, t->on_change ? WEFT_MARK_STEPS : WEFT_MARK_LINE,
                                                 (int)(runs->n > 1 ? i : k), name),
                                  bytes ? WEFT_TIME_SERIES_MOST : WEFT_TIME_SERIES_MEAN, u.divisor,
                                  y.divisor);
        }
    }
}

/* Adds the panel of a column, if it is ever anything but 0; @p varied: and not the same always. */
static int add_panel(const struct weft_runs *runs, const struct source *s, const char *column,
                     struct weft_time_series_set *by, bool varied, struct weft_figure *f,
                     struct weft_err *err)
{
    struct chosen c;
    const int rc = sampled_choose(runs, s, column, by, &c, err);
    if (!rc && c.n && c.most > 0 && (!varied || c.least < c.most))
        sampled_draw(runs, &c, column, false, f);
    if (!rc && c.most > 1e4 && runs->n > 1 && strcmp(column, "queue_bytes") == 0)
        sampled_draw(runs, &c, column, true, f); /* controls differ by orders of magnitude */
    free_chosen(runs, &c);
    return rc;
}

/* ---- kinds ---- */

/* What never changes has a panel only where nothing does. */
static int panels_of(const struct weft_runs *runs, const struct source *s,
                     const char *const *columns, struct weft_figure *f, struct weft_err *err)
{
    struct weft_time_series_set *by = read_order(runs, s, err);
    for (size_t k = 0; columns[k] && !err->code; k++)
        add_panel(runs, s, columns[k], by, !s->order || strcmp(columns[k], s->order) != 0, f, err);
    for (size_t k = 0; columns[k] && !err->code && !f->panels; k++)
        add_panel(runs, s, columns[k], by, false, f, err);
    for (size_t i = 0; by && i < runs->n; i++)
        weft_time_series_free(&by[i]);
    free(by);
    return err->code;
}

static int sampled_finish(const struct weft_runs *runs, struct weft_figure *f, const char *title,
                          const char *caption, const char *what, struct weft_err *err)
{
    bool change = false;
    for (size_t i = 0; i < runs->n; i++) {
        const char *on = weft_run_setting(&runs->run[i], "sample", "on");
        change |= on && strcmp(on, "change") == 0;
    }
    f->title = title;
    f->caption = weft_figure_printf(
        f, "%s %s%s", caption, change ? "Steps are changes, recorded as they happened. " : "",
        runs->n > 1 ? "Of each run the largest is shown." : "The largest are shown, six at most.");
    return f->panels
               ? 0
               : weft_plot_nothing(
                     err,
                     "%s has no such series that is ever above 0; --set sample.what=%s records one",
                     runs->run[0].dir, what);
}

static const struct source queue_source = {"queue.csv", port_keys, port_name},
                           buffer_source = {"buffer.csv", node_keys, node_name},
                           link_source = {"throughput.csv", port_keys, port_name,
                                          WEFT_TIME_SERIES_BY_SUM},
                           qp_source = {"qp.csv", qp_keys, qp_name,
                                        .momentary = "goodput_bps in_flight_bytes rtt_ns",
                                        .order = "goodput_bps"},
                           control_source = {"control.csv", qp_keys, qp_name,
                                             .order = "goodput_bps", .order_file = "qp.csv"};

static int derive_queue(const struct weft_runs *runs, struct weft_figure *f, struct weft_err *err)
{
    static const char *const columns[] = {"queue_bytes", NULL};
    if (panels_of(runs, &queue_source, columns, f, err))
        return err->code;
    return sampled_finish(
        runs, f, "Queues over time",
        "Bytes that wait at an egress port, by priority; where rows are many, the largest of "
        "several.",
        "queue", err);
}

static int derive_buffer(const struct weft_runs *runs, struct weft_figure *f, struct weft_err *err)
{
    static const char *const columns[] = {"used_bytes", "headroom_bytes", NULL};
    if (panels_of(runs, &buffer_source, columns, f, err))
        return err->code;
    return sampled_finish(
        runs, f, "Buffers of switches over time",
        "Packet buffer that is occupied, and what of it lies in headroom, which holds what "
        "still comes in after a pause was sent.",
        "buffer", err);
}

static int derive_link(const struct weft_runs *runs, struct weft_figure *f, struct weft_err *err)
{
    static const char *const columns[] = {"throughput_bps", NULL};
    if (panels_of(runs, &link_source, columns, f, err))
        return err->code;
    return sampled_finish(
        runs, f, "Throughput of links over time",
        "Bytes on the wire, headers and all, between samples. The largest are those "
        "that carried most.",
        "throughput", err);
}

/* How fair goodput is at each moment, where there are several queue pairs at once. */
static int add_fairness(const struct weft_runs *runs, struct weft_figure *f, struct weft_err *err)
{
    struct chosen c;
    int rc = sampled_choose(runs, &qp_source, "goodput_bps", NULL, &c, err);
    const struct weft_figure_unit u = weft_figure_time_unit(c.last_ns);
    struct weft_panel *p = NULL;
    for (size_t i = 0; i < runs->n && !rc; i++) {
        if (c.of[i].n < 2)
            continue;
        if (!p) {
            p = weft_panel_add(f, "", weft_figure_printf(f, "simulated time (%s)", u.name),
                               "Jain's index of goodput");
            p->x.from = fmax(runs->from_ns, 0) / u.divisor;
            p->x.to = c.last_ns / u.divisor;
            p->y.from = 0;
            p->y.to = 1.02;
            p->height = 260;
        }
        rc = weft_time_series_jain(
            &c.of[i],
            weft_curve_add(p, WEFT_MARK_LINE, (int)i,
                           runs->n > 1 ? runs->run[i].label : "all queue pairs"),
            u.divisor, err);
    }
    free_chosen(runs, &c);
    return rc;
}

static int derive_rate(const struct weft_runs *runs, struct weft_figure *f, struct weft_err *err)
{
    static const char *const columns[] = {"rate_bps",        "goodput_bps", "window_bytes",
                                          "in_flight_bytes", "rtt_ns",      NULL};
    if (panels_of(runs, &qp_source, columns, f, err) || add_fairness(runs, f, err))
        return err->code;
    return sampled_finish(
        runs, f, "Queue pairs over time",
        "Rate is what congestion control allows, goodput what the receiver acknowledged "
        "between samples. Jain's index is 1 when all queue pairs that have something to "
        "send have the same goodput, 1/n when one of n has all.",
        "rate", err);
}

/* Columns of a table of series that are no keys. */
static int own_columns(const struct weft_run *run, const char *file, struct weft_arena *arena,
                       const char **out, struct weft_err *err)
{
    static const char *const known[] = {"t_ns", "qpn",  "from", "to",         "src",
                                        "dst",  "prio", "qp",   "connection", "job"};
    char path[WEFT_PATH_MAX];
    struct weft_csv_reader r;
    size_t n = 0;
    snprintf(path, sizeof path, "%s/series/%s", run->dir, file);
    struct weft_err ignored = {0};
    if (weft_series_table_open(&r, path, &ignored) == 0)
        for (size_t i = 0; i < r.ncolumns && n + 1 < COLUMNS_MAX; i++) {
            bool is_known = false;
            for (size_t k = 0; k < sizeof known / sizeof known[0]; k++)
                is_known |= strcmp(r.name[i], known[k]) == 0;
            if (!is_known && !(out[n++] = weft_arena_strdup(arena, r.name[i])))
                weft_err_no_memory(err, "sampled series");
        }
    weft_csv_reader_close(&r);
    out[n] = NULL;
    return err->code;
}

static int derive_control(const struct weft_runs *runs, struct weft_figure *f, struct weft_err *err)
{
    static const char *const rate[] = {"rate_bps", NULL};
    const char *columns[COLUMNS_MAX] = {0};
    if (own_columns(&runs->run[0], "control.csv", runs->arena, columns, err) ||
        (columns[0] && panels_of(runs, &qp_source, rate, f, err)) ||
        panels_of(runs, &control_source, columns, f, err))
        return err->code;
    return sampled_finish(
        runs, f, "Inside the congestion control",
        "The rate that queue pairs may send at, where that was sampled, and what their "
        "congestion control keeps ('weft show cc NAME' explains it).",
        "rate,control", err);
}

const struct weft_plot weft_plot_queue = {
    "queue", "queues over time: the longest, or the longest of each run", "series/queue.csv",
    derive_queue};
const struct weft_plot weft_plot_buffer = {"buffer", "buffers of switches and headroom over time",
                                           "series/buffer.csv", derive_buffer};
const struct weft_plot weft_plot_link = {"link-throughput", "throughput of links over time",
                                         "series/throughput.csv", derive_link};
const struct weft_plot weft_plot_rate = {
    "rate", "rate, goodput, window, RTT of queue pairs over time", "series/qp.csv", derive_rate};
const struct weft_plot weft_plot_control = {
    "control", "what congestion control keeps over time: alpha, target rate, utilisation ...",
    "series/control.csv, series/qp.csv", derive_control};
