/* SPDX-License-Identifier: GPL-2.0-only */
/* How long queues were how long: exact, from their histograms over time. */
#include "plot/plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN = 6 };
/* Ports whose mean queue is a smaller part of the longest would be a line at the top. */
static const double LEAST = 0.001;

/* A class of a port's histogram. */
struct stretch {
    const char *name; /* of the port */
    double to_bytes, ns;
};

struct reading {
    struct weft_arena *arena;
    struct stretch *list;
    size_t n, cap;
};

static int class_row(void *ctx, const struct weft_row *row, struct weft_err *err)
{
    struct reading *r = ctx;
    struct stretch x;
    if (r->n == r->cap) {
        const size_t cap = r->cap ? 2 * r->cap : 1024;
        struct stretch *more = realloc(r->list, cap * sizeof *more);
        if (!more)
            return weft_err_no_memory(err, "histograms");
        r->list = more;
        r->cap = cap;
    }
    x.name = weft_arena_printf(r->arena, "%s to %s, p%s", weft_row_text(row, 0),
                               weft_row_text(row, 1), weft_row_text(row, 2));
    if (!x.name)
        return weft_err_no_memory(err, "histograms");
    if (weft_row_number(row, 3, &x.to_bytes, err) || weft_row_number(row, 4, &x.ns, err))
        return err->code;
    r->list[r->n++] = x;
    return 0;
}

/* A port of a histogram: its classes from @p first, and the mean queue that it is ranked by. */
struct port {
    size_t first, n;
    double ns, mean;
};

static int by_mean(const void *va, const void *vb)
{
    const struct port *a = va, *b = vb;
    if (a->mean != b->mean)
        return a->mean > b->mean ? -1 : 1;
    return a->first < b->first ? -1 : a->first > b->first;
}

static size_t find_ports(const struct reading *r, struct port *ports)
{
    size_t n = 0;
    for (size_t i = 0; i < r->n; i++) {
        if (!i || strcmp(r->list[i].name, r->list[i - 1].name) != 0)
            ports[n++] = (struct port){.first = i};
        struct port *p = &ports[n - 1];
        p->n++;
        p->ns += r->list[i].ns;
        p->mean += r->list[i].ns * r->list[i].to_bytes;
    }
    for (size_t i = 0; i < n; i++)
        ports[i].mean /= ports[i].ns > 0 ? ports[i].ns : 1;
    qsort(ports, n, sizeof *ports, by_mean);
    return n;
}

static int queue_cdf_draw(const struct weft_runs *runs, size_t run, const struct reading *r,
                          struct weft_panel *panel, struct weft_err *err)
{
    struct port *ports = malloc((r->n + 1) * sizeof *ports);
    if (!ports)
        return weft_err_no_memory(err, "histograms");
    const size_t n = find_ports(r, ports), shown = runs->n > 1 ? 1 : SHOWN;
    for (size_t i = 0; i < n && i < shown && (i == 0 || ports[i].mean >= LEAST * ports[0].mean);
         i++) {
        const struct stretch *x = &r->list[ports[i].first];
        const char *label =
            runs->n > 1 ? weft_figure_printf(panel->figure, "%s: %s", runs->run[run].label, x->name)
                        : x->name;
        struct weft_curve *c =
            weft_curve_add(panel, WEFT_MARK_STEPS, (int)(runs->n > 1 ? run : i), label);
        double ns = 0;
        for (size_t k = 0; k < ports[i].n; k++) {
            ns += x[k].ns;
            weft_curve_xy(c, x[k].to_bytes / 1e3, ns / ports[i].ns);
        }
    }
    free(ports);
    return 0;
}

static int queue_cdf_derive(const struct weft_runs *runs, struct weft_figure *f,
                            struct weft_err *err)
{
    static const char *const columns[] = {"node", "peer", "prio", "to_bytes", "time_ns", NULL};
    struct weft_panel *p = weft_panel_add(f, "", "queue at most (KB)", "share of the run (0 to 1)");
    p->y.from = 0;
    p->y.to = 1.02;
    for (size_t i = 0; i < runs->n; i++) {
        struct reading r = {.arena = runs->arena};
        int rc =
            weft_run_rows(&runs->run[i], "series/queue_histogram.csv", columns, class_row, &r, err);
        if (!rc && r.n)
            rc = queue_cdf_draw(runs, i, &r, p, err);
        free(r.list);
        if (rc < 0)
            return rc;
    }
    f->title = "Distribution of queues over time";
    f->caption = weft_figure_printf(
        f, "The share of the run in which a queue was at most so long, exact and not sampled. %s",
        runs->n > 1 ? "Of each run the port with the longest mean queue is shown."
                    : "Ports with the longest mean queue are shown, six at most, and none below a "
                      "thousandth of the longest.");
    if (!p->curves)
        return weft_plot_nothing(err,
                                 "%s has no histograms of queues: run with --set "
                                 "sample.what=queue-histogram",
                                 runs->run[0].dir);
    return 0;
}

const struct weft_plot weft_plot_queue_cdf = {"queue-cdf", "distribution of queues over time",
                                              "series/queue_histogram.csv", queue_cdf_derive};
