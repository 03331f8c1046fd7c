/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How pauses spread: a tree over time. Each node stands where it first had to stop, with an arrow
 * from the node that it had to obey; hosts below one node are drawn as one. Below, how many ports
 * are stopped.
 */
#include "plot/pause_list.h"
#include "plot/plot.h"

#include <math.h>
#include <stdlib.h>

enum { ROWS_MAX = 36, BINS = 300, HOPS = 4 };

/* A node, or the hosts below one. */
struct member {
    uint32_t node;  /* the first of them */
    uint32_t count; /* hosts; 1: a node alone */
    double first_ns, stopped_ns;
};

struct tree {
    const struct weft_pause_list *p;
    struct member *member; /* in the order of rows */
    size_t n;
    uint32_t *row; /* of each node; UINT32_MAX: none yet */
    size_t left;   /* nodes for which there was no room */
    double from_ns, to_ns;
};

static double first_ns(const struct weft_pause_list *p, uint32_t node)
{
    const struct weft_pause_node *x = &p->node[node];
    const size_t i = x->parent == UINT32_MAX ? x->first_asked : x->first_stopped;
    return p->list[i].from_ns;
}

/* Adds the hosts below @p parent as one member. */
static void add_hosts(struct tree *t, uint32_t parent)
{
    struct member m = {0, 0, INFINITY, 0};
    for (uint32_t k = 0; k < t->p->nnodes; k++) {
        const struct weft_pause_node *x = &t->p->node[k];
        if (!x->host || x->parent != parent)
            continue;
        if (first_ns(t->p, k) < m.first_ns) {
            m.first_ns = first_ns(t->p, k);
            m.node = k;
        }
        m.count++;
        m.stopped_ns += x->stopped_ns;
        t->row[k] = (uint32_t)t->n;
    }
    if (m.count && t->n < ROWS_MAX)
        t->member[t->n++] = m;
    else
        t->left += m.count;
}

/* Adds a node and what is below it. Deep trees end at the last row. */
static void spread_add_node(struct tree *t, uint32_t node)
{
    if (t->n == ROWS_MAX) {
        t->left++;
        return;
    }
    t->row[node] = (uint32_t)t->n;
    t->member[t->n++] = (struct member){node, 1, first_ns(t->p, node), t->p->node[node].stopped_ns};
    add_hosts(t, node);
    for (uint32_t k = 0; k < t->p->nnodes; k++)
        if (t->p->node[k].parent == node && !t->p->node[k].host)
            spread_add_node(t, k);
}

static const char *label_of(struct weft_figure *f, const struct tree *t, const struct member *m)
{
    const struct weft_pause_node *x = &t->p->node[m->node];
    const char *time = weft_figure_time(f, m->stopped_ns);
    if (x->parent == UINT32_MAX)
        return weft_figure_printf(f, "%s: root", x->name);
    if (m->count > 1)
        return weft_figure_printf(f, "%u hosts (first %s): stopped %s together", m->count, x->name,
                                  time);
    return weft_figure_printf(f, "%s: stopped %s", x->name, time);
}

static void draw_tree(const struct tree *t, struct weft_figure *f, const char *title,
                      const struct weft_figure_unit *u)
{
    struct weft_panel *p = weft_panel_add(
        f, title, weft_figure_printf(f, "simulated time of the first pause (%s)", u->name), "");
    struct weft_curve *arrows = weft_curve_add(p, WEFT_MARK_ARROWS, 6, "");
    struct weft_curve *roots =
        weft_curve_add(p, WEFT_MARK_DOTS, 1, "root: congested and free itself");
    struct weft_curve *nodes = weft_curve_add(p, WEFT_MARK_DOTS, 4, "switch that had to stop");
    struct weft_curve *hosts = weft_curve_add(p, WEFT_MARK_DOTS, 0, "hosts that had to stop");
    struct weft_curve *texts = weft_curve_add(p, WEFT_MARK_TEXT, WEFT_FIGURE_INK, "");
    const double span = (t->to_ns - t->from_ns) / u->divisor;
    p->x.from = t->from_ns / u->divisor - 0.03 * span - 1e-9;
    p->x.to = t->to_ns / u->divisor + 0.75 * span + 1e-9; /* room for the texts */
    p->y.from = -0.7;
    p->y.to = (double)t->n - 0.3;
    p->y.hidden = true;
    p->downwards = true;
    p->height = 130 + 20 * (double)t->n;
    for (size_t i = 0; i < t->n; i++) {
        const struct member *m = &t->member[i];
        const struct weft_pause_node *x = &t->p->node[m->node];
        const double at = m->first_ns / u->divisor, y = (double)i;
        if (x->parent != UINT32_MAX) {
            const double parent = (double)t->row[x->parent];
            const double from = t->member[t->row[x->parent]].first_ns / u->divisor;
            weft_curve_point(arrows, (const double[]){from, parent, at, y});
        }
        weft_curve_xy(x->parent == UINT32_MAX ? roots : x->host ? hosts : nodes, at, y);
        weft_curve_text(texts, at, y, label_of(f, t, m));
    }
}

/* The mean number of ports that are stopped, in equal parts of the time. */
static void draw_ports(const struct weft_pause_list *p, struct weft_figure *f, const char *title,
                       const struct weft_figure_unit *u, double from, double to)
{
    static const char *const names[HOPS] = {"next to the congestion", "2nd hop", "3rd hop",
                                            "4th hop and more"};
    static const int colours[HOPS] = {1, 4, 0, 5};
    struct weft_panel *panel = weft_panel_add(
        f, title, weft_figure_printf(f, "simulated time (%s)", u->name), "stopped ports, mean");
    const double width = (to - from) / BINS;
    const struct weft_bins bins = {from, width, BINS};
    panel->y.from = 0;
    panel->height = *title ? 220 : 280;
    for (uint32_t h = 1; h <= HOPS && width > 0; h++) {
        double bin[BINS] = {0}, sum = 0;
        for (size_t i = 0; i < p->n; i++) {
            const struct weft_pause *x = &p->list[i];
            if ((x->hop < HOPS ? x->hop : HOPS) != h)
                continue;
            size_t last;
            for (size_t b = weft_bins_touched(&bins, x->from_ns, x->to_ns, &last); b <= last; b++) {
                const double part = weft_bins_part(&bins, b, x->from_ns, x->to_ns);
                bin[b] += part / width;
                sum += part;
            }
        }
        if (!(sum > 0))
            continue;
        struct weft_curve *c = weft_curve_add(panel, WEFT_MARK_STEPS, colours[h - 1], names[h - 1]);
        for (size_t b = 0; b < BINS; b++)
            weft_curve_xy(c, (from + (double)b * width) / u->divisor, bin[b]);
        weft_curve_xy(c, to / u->divisor, bin[BINS - 1]);
    }
}

/* @p several: of which this is one run. */
static void spread_describe(const struct tree *t, struct weft_figure *f, bool several)
{
    const struct weft_pause_list *p = t->p;
    uint32_t roots = 0, switches = 0, hosts = 0, first = UINT32_MAX;
    for (uint32_t k = 0; k < p->nnodes; k++) {
        const bool root = p->node[k].parent == UINT32_MAX;
        roots += root;
        hosts += !root && p->node[k].host;
        switches += !root && !p->node[k].host;
        if (root && (first == UINT32_MAX || first_ns(p, k) < first_ns(p, first)))
            first = k;
    }
    f->caption = weft_figure_printf(
        f,
        "%sA root paused others before it was paused itself: one of its ports is congested.%s%s%s",
        several ? ""
                : weft_figure_printf(
                      f, "Pauses began at %s%s. ", first == UINT32_MAX ? "-" : p->node[first].name,
                      roots > 1 ? weft_figure_printf(f, " and %u more", roots - 1) : ""),
        several
            ? ""
            : weft_figure_printf(f, " Pauses spread to %u switches and %u hosts.", switches, hosts),
        f->columns > 1 ? " Of more than two runs the trees are left out."
                       : " Each stands at its first pause, with an arrow from the node that paused "
                         "it.",
        t->left && f->columns == 1
            ? weft_figure_printf(f, " For %zu more nodes there is no room.", t->left)
            : "");
}

static int spread_draw(const struct weft_pause_list *p, struct weft_figure *f, const char *title,
                       struct weft_err *err)
{
    struct tree t = {.p = p,
                     .member = calloc(ROWS_MAX, sizeof *t.member),
                     .row = malloc(p->nnodes * sizeof *t.row),
                     .from_ns = INFINITY};
    if (!t.member || !t.row) {
        free(t.member);
        free(t.row);
        return weft_err_no_memory(err, "pauses");
    }
    for (uint32_t k = 0; k < p->nnodes; k++)
        if (p->node[k].parent == UINT32_MAX)
            spread_add_node(&t, k);
    double end = 0, begin = INFINITY;
    for (size_t i = 0; i < p->n; i++) {
        begin = fmin(begin, p->list[i].from_ns);
        end = fmax(end, p->list[i].to_ns);
    }
    for (size_t i = 0; i < t.n; i++) {
        t.from_ns = fmin(t.from_ns, t.member[i].first_ns);
        t.to_ns = fmax(t.to_ns, t.member[i].first_ns);
    }
    const struct weft_figure_unit u = weft_figure_time_unit(fmax(end, f->until_ns));
    const bool beside = f->columns > 1; /* no room for names */
    if (!beside)
        draw_tree(&t, f, title, &u);
    draw_ports(p, f, beside ? title : "", &u, begin, end);
    spread_describe(&t, f, *title);
    free(t.member);
    free(t.row);
    return 0;
}

static int spread_derive(const struct weft_runs *runs, struct weft_figure *f, struct weft_err *err)
{
    f->title = "How PFC pauses spread";
    return weft_pause_list_draw(runs, f, spread_draw, err);
}

const struct weft_plot weft_plot_spread = {
    "pause-tree", "how PFC pauses spread: root, spread and victims as a tree over time", "pfc.csv",
    spread_derive};
