/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * FCT slowdown against the size of messages, as the figures of HPCC (SIGCOMM 2019) and of those
 * after it have it: messages sorted by size fall into 20 groups of equal number, or one for each
 * size where there are no more; those of one size stay together. A point stands at the largest size
 * of its group.
 */
#include "plot/flows.h"
#include "plot/plot.h"

#include <stdlib.h>

enum { GROUPS = 20, JOBS_APART = 4 };

static const unsigned percents[] = {50, 95, 99};
static const char *const percent_names[] = {"median", "95th percentile", "99th percentile"};
enum { PERCENTS = sizeof percents / sizeof percents[0] };

struct groups {
    size_t n;
    double bytes[GROUPS], slowdown[GROUPS][PERCENTS];
};

static int by_size(const void *va, const void *vb)
{
    const struct weft_flow_point *a = va, *b = vb;
    return (a->bytes > b->bytes) - (a->bytes < b->bytes);
}

/* Sums up the messages from @p from to @p to, which are sorted by size. */
static void plot_slowdown_sum_up(struct groups *g, const struct weft_flow_point *list, size_t from,
                                 size_t to, double *room)
{
    for (size_t i = from; i < to; i++)
        room[i - from] = list[i].slowdown;
    qsort(room, to - from, sizeof *room, weft_by_value);
    for (size_t p = 0; p < PERCENTS; p++)
        g->slowdown[g->n][p] = weft_percentile(room, to - from, percents[p]);
    g->bytes[g->n++] = list[to - 1].bytes;
}

static size_t count_sizes(const struct weft_flow_point *list, size_t n)
{
    size_t sizes = n > 0;
    for (size_t i = 1; i < n; i++)
        sizes += list[i].bytes != list[i - 1].bytes;
    return sizes;
}

/* Groups @p n messages, which it sorts. -1: no memory. */
static int plot_slowdown_group(struct weft_flow_point *list, size_t n, struct groups *g)
{
    double *room = malloc((n + 1) * sizeof *room);
    *g = (struct groups){0};
    if (!room)
        return -1;
    qsort(list, n, sizeof *list, by_size);
    const bool few = count_sizes(list, n) <= GROUPS;
    for (size_t k = 1, from = 0; from < n; k++) {
        size_t to = few ? from + 1 : k * n / GROUPS;
        if (to <= from) /* its messages are as large as those of the group before, and in it */
            continue;
        while (to < n && list[to].bytes == list[to - 1].bytes)
            to++;
        plot_slowdown_sum_up(g, list, from, to, room);
        from = to;
    }
    free(room);
    return 0;
}

/* Messages of one job, behind each other; those of all jobs with @p job < 0. */
static size_t select_job(struct weft_flow_points *p, int job)
{
    size_t n = 0;
    for (size_t i = 0; i < p->n; i++)
        if (job < 0 || p->list[i].job == (uint32_t)job) {
            const struct weft_flow_point x = p->list[i];
            p->list[i] = p->list[n];
            p->list[n++] = x;
        }
    return n;
}

static struct weft_panel *panel(struct weft_figure *f, const char *title)
{
    struct weft_panel *p = weft_panel_add(f, title, "size of the message (bytes, log scale)",
                                          "FCT slowdown (1: as alone)");
    p->x.log = p->x.bytes = true;
    p->y.from = 1;
    p->height = 330;
    return p;
}

static void add_curve(struct weft_panel *p, const struct groups *g, size_t percent, int colour,
                      const char *label)
{
    struct weft_curve *c = weft_curve_add(p, WEFT_MARK_POINTS, colour, label);
    for (size_t i = 0; i < g->n; i++)
        weft_curve_xy(c, g->bytes[i], g->slowdown[i][percent]);
}

/* One run: its percentiles in one panel, and where it has jobs, in one for each. */
static int one_run(struct weft_flow_points *flows, struct weft_figure *f, struct weft_err *err)
{
    const int jobs = flows->njobs > 1 && flows->njobs <= JOBS_APART ? (int)flows->njobs : 0;
    struct groups g;
    for (int job = -1; job < jobs; job++) {
        if (plot_slowdown_group(flows->list, select_job(flows, job), &g))
            return weft_err_no_memory(err, "slow-downs");
        const char *title = job >= 0 ? weft_figure_printf(f, "workload %s", flows->job[job])
                            : jobs   ? "all messages"
                                     : "";
        struct weft_panel *p = panel(f, title);
        for (size_t k = 0; k < PERCENTS; k++)
            add_curve(p, &g, k, (int)k, percent_names[k]);
    }
    return 0;
}

/* Several: a panel for each percentile with a curve for each run. */
static int plot_slowdown_add_run(const struct weft_runs *runs, size_t i,
                                 struct weft_panel *const *panels, size_t *with,
                                 struct weft_err *err)
{
    struct weft_flow_points flows;
    struct groups g;
    int rc = weft_flow_points_read(runs, &runs->run[i], &flows, err);
    if (!rc && plot_slowdown_group(flows.list, flows.n, &g))
        rc = weft_err_no_memory(err, "slow-downs");
    for (size_t k = 0; k < PERCENTS && !rc; k++)
        add_curve(panels[k], &g, k, (int)i, runs->run[i].label);
    *with += !rc;
    weft_flow_points_free(&flows);
    return rc < 0 ? rc : 0;
}

static int several(const struct weft_runs *runs, struct weft_figure *f, struct weft_err *err)
{
    struct weft_panel *panels[PERCENTS];
    size_t with = 0;
    for (size_t k = 0; k < PERCENTS; k++)
        panels[k] = panel(f, percent_names[k]);
    for (size_t i = 0; i < runs->n; i++)
        if (plot_slowdown_add_run(runs, i, panels, &with, err))
            return err->code;
    return with ? 0 : weft_plot_nothing(err, "none of the runs has messages");
}

static int plot_slowdown_derive(const struct weft_runs *runs, struct weft_figure *f,
                                struct weft_err *err)
{
    f->title = "FCT slowdown by message size";
    f->caption = "Slowdown is the completion time of a message divided by what it would take alone "
                 "on the empty fabric. Messages are sorted by size into 20 groups of equal number "
                 "(one for each size where there are few); a point stands at the largest size of "
                 "its group.";
    if (runs->n > 1)
        return several(runs, f, err);
    struct weft_flow_points flows;
    int rc = weft_flow_points_read(runs, &runs->run[0], &flows, err);
    if (rc == 1)
        rc = weft_plot_nothing(err, "%s has no messages (flows.csv)", runs->run[0].dir);
    rc = rc ? rc : one_run(&flows, f, err);
    weft_flow_points_free(&flows);
    return rc;
}

const struct weft_plot weft_plot_slowdown = {
    "slowdown", "FCT slowdown against message size: median, 95th and 99th percentile", "flows.csv",
    plot_slowdown_derive};
