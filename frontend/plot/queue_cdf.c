/* SPDX-License-Identifier: GPL-2.0-only */
/* How long queues were how long: exact, from their histograms over time. */
#include "plot/plot.h"

#include "base/grow.h"

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
    const char *ports; /* those that are wanted; NULL: all, each by itself */
    struct stretch *list;
    size_t n, cap;
};

/* Whether ports are taken together: "all", "hosts" (links of hosts), "switches" (the others). */
static bool is_class(const char *ports)
{
    return ports && (strcmp(ports, "all") == 0 || strcmp(ports, "hosts") == 0 ||
                     strcmp(ports, "switches") == 0);
}

/* Whether the port from @p from to @p to is one of "s16-h3,s17-s20", or of a class. */
static bool is_wanted(const char *ports, const char *from, const char *to)
{
    const bool of_host = *from == 'h' || *to == 'h';
    if (!ports || strcmp(ports, "all") == 0)
        return true;
    if (is_class(ports))
        return of_host == (*ports == 'h');
    for (const char *at = ports; *at;) {
        const size_t len = strcspn(at, ","), a = strlen(from), b = strlen(to);
        if (len == a + 1 + b && strncmp(at, from, a) == 0 && at[a] == '-' &&
            strncmp(at + a + 1, to, b) == 0)
            return true;
        at += len + (at[len] == ',');
    }
    return false;
}

static int class_row(void *ctx, const struct weft_row *row, struct weft_err *err)
{
    struct reading *r = ctx;
    struct stretch x;
    if (!is_wanted(r->ports, weft_row_text(row, 0), weft_row_text(row, 1)))
        return 0;
    if (!WEFT_GROW(r->list, r->n, &r->cap))
        return weft_err_no_memory(err, "histograms");
    if (is_class(r->ports))
        x.name = *r->ports == 'a'   ? "all ports"
                 : *r->ports == 'h' ? "ports of hosts' links"
                                    : "ports between switches";
    else
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

static int by_bytes(const void *va, const void *vb)
{
    const struct stretch *a = va, *b = vb;
    return (a->to_bytes > b->to_bytes) - (a->to_bytes < b->to_bytes);
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

/* A run's histograms, its ports ranked. */
struct ranked {
    struct reading r;
    struct port *ports;
    size_t n;
};

/* Puts classes of one port together, which stand apart where several runs are read. */
static int queue_cdf_by_port(const void *va, const void *vb)
{
    const struct stretch *a = va, *b = vb;
    const int order = strcmp(a->name, b->name);
    return order ? order : by_bytes(va, vb);
}

static const char *queue_cdf_label(const struct weft_runs *runs, size_t run)
{
    const char *label = runs->n > 1 ? weft_run_label_seedless(runs, run) : "";
    return label ? label : "";
}

/* Whether an earlier run differs from it in its seed alone. */
static bool queue_cdf_is_seed(const struct weft_runs *runs, size_t run)
{
    for (size_t i = 0; i < run; i++)
        if (strcmp(queue_cdf_label(runs, i), queue_cdf_label(runs, run)) == 0)
            return true;
    return false;
}

/* Reads a run, and those that differ from it in their seed alone. */
static int queue_cdf_rank(const struct weft_runs *runs, size_t run, struct ranked *out,
                          struct weft_err *err)
{
    size_t seeds = 0;
    static const char *const columns[] = {"from|node", "to|peer", "prio",
                                          "to_bytes",  "time_ns", NULL};
    *out = (struct ranked){.r = {.arena = runs->arena, .ports = runs->ports}};
    for (size_t i = run; i < runs->n && !queue_cdf_is_seed(runs, run); i++) {
        if (strcmp(queue_cdf_label(runs, i), queue_cdf_label(runs, run)) != 0)
            continue;
        seeds++;
        if (weft_run_rows(&runs->run[i], "series/queue_histogram.csv", columns, class_row, &out->r,
                          err) < 0)
            return err->code;
    }
    out->ports = malloc((out->r.n + 1) * sizeof *out->ports);
    if (!out->ports)
        return weft_err_no_memory(err, "histograms");
    if (out->r.n && (is_class(runs->ports) || seeds > 1))
        qsort(out->r.list, out->r.n, sizeof *out->r.list,
              is_class(runs->ports) ? by_bytes : queue_cdf_by_port);
    out->n = find_ports(&out->r, out->ports);
    return 0;
}

static const char *queue_cdf_port_name(const struct ranked *x, size_t i)
{
    return x->r.list[x->ports[i].first].name;
}

static void draw_port(const struct weft_runs *runs, size_t run, const struct ranked *x, size_t i,
                      double divisor, struct weft_panel *panel)
{
    const struct stretch *s = &x->r.list[x->ports[i].first];
    const char *of = queue_cdf_label(runs, run);
    const char *label = runs->n == 1 ? s->name
                        : is_class(runs->ports)
                            ? of
                            : weft_figure_printf(panel->figure, "%s: %s", of, s->name);
    size_t colour = 0;
    for (size_t k = 0; k < run; k++)
        colour += !queue_cdf_is_seed(runs, k);
    struct weft_curve *c =
        weft_curve_add(panel, WEFT_MARK_STEPS, (int)(runs->n > 1 ? colour : i), label);
    double ns = 0;
    for (size_t k = 0; k < x->ports[i].n; k++) {
        ns += s[k].ns;
        if (k + 1 == x->ports[i].n || s[k + 1].to_bytes > s[k].to_bytes) /* of the last port */
            weft_curve_xy(c, s[k].to_bytes / divisor, ns / x->ports[i].ns);
    }
}

/* The port with the longest mean queue in any run, which is then shown of each. */
static const char *longest(const struct ranked *x, size_t n)
{
    const char *name = NULL;
    double most = -1;
    for (size_t i = 0; i < n; i++)
        if (x[i].n && x[i].ports[0].mean > most) {
            most = x[i].ports[0].mean;
            name = queue_cdf_port_name(&x[i], 0);
        }
    return name;
}

static void queue_cdf_draw_all(const struct weft_runs *runs, const struct ranked *x,
                               struct weft_panel *panel)
{
    double most = 0;
    for (size_t run = 0; run < runs->n; run++)
        for (size_t i = 0; i < x[run].r.n; i++)
            most = fmax(most, x[run].r.list[i].to_bytes);
    const struct weft_figure_unit u = weft_figure_size_unit(most);
    panel->x.label = weft_figure_printf(panel->figure, "queue at most (%s)", u.name);
    const char *only = runs->n > 1 && !runs->ports ? longest(x, runs->n) : NULL;
    for (size_t run = 0; run < runs->n; run++)
        for (size_t i = 0; i < x[run].n; i++) {
            const bool shown =
                only ? strcmp(queue_cdf_port_name(&x[run], i), only) == 0
                : runs->ports
                    ? i < SHOWN
                    : i < SHOWN && (i == 0 || x[run].ports[i].mean >= LEAST * x[run].ports[0].mean);
            if (shown)
                draw_port(runs, run, &x[run], i, u.divisor, panel);
        }
}

/* Where the axis begins: curves of ports that are nearly always empty lie near 1. */
static double least_share(const struct weft_panel *p)
{
    double least = 1;
    for (const struct weft_curve *c = p->curves; c; c = c->next)
        for (size_t i = 0; i < c->n; i++)
            least = fmin(least, c->v[2 * i + 1]);
    return least > 0.5 ? floor(10 * least) / 10 - (least == 1 ? 0.1 : 0) : 0;
}

static int queue_cdf_derive(const struct weft_runs *runs, struct weft_figure *f,
                            struct weft_err *err)
{
    struct weft_panel *p = weft_panel_add(f, "", "", "share of the run (0 to 1)");
    struct ranked *x = calloc(runs->n, sizeof *x);
    int rc = x ? 0 : weft_err_no_memory(err, "histograms");
    p->y.from = 0;
    p->y.to = 1.02;
    for (size_t i = 0; i < runs->n && !rc; i++)
        rc = queue_cdf_rank(runs, i, &x[i], err);
    if (!rc) {
        queue_cdf_draw_all(runs, x, p);
        p->y.from = least_share(p);
    }
    for (size_t i = 0; x && i < runs->n; i++) {
        free(x[i].r.list);
        free(x[i].ports);
    }
    free(x);
    f->title = "Distribution of queues over time";
    f->caption = weft_figure_printf(
        f, "The share of the run in which a queue was at most so long, exact and not sampled. %s",
        is_class(runs->ports) ? "Ports are taken together: --ports."
        : runs->ports         ? ""
        : runs->n > 1
            ? "Of each run the same port is shown, that with the longest mean queue in "
              "any of them; --ports all takes all together."
            : "Ports with the longest mean queue are shown, six at most, and none below a "
              "thousandth of the longest.");
    if (!rc && !p->curves)
        return weft_plot_nothing(err,
                                 "%s has no histograms of %s: run with --set "
                                 "sample.what=queue-histogram",
                                 runs->run[0].dir, runs->ports ? "these ports" : "queues");
    return rc;
}

const struct weft_plot weft_plot_queue_cdf = {"queue-cdf", "distribution of queues over time",
                                              "series/queue_histogram.csv", queue_cdf_derive};
