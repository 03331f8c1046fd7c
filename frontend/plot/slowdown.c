/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * FCT slowdown against the size of messages, as the figures of HPCC (SIGCOMM 2019) and of those
 * after it have it: messages sorted by size fall into 20 groups of equal number, or one for each
 * size where there are no more; those of one size stay together. A point stands at the largest size
 * of its group.
 */
#include "plot/flows.h"
#include "plot/plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { GROUPS = 20, JOBS_APART = 4, LINEAR_MOST = 20 };

static const unsigned percents[] = {50, 95, 99};
static const char *const percent_names[] = {"median", "95th percentile", "99th percentile"};
enum { PERCENTS = sizeof percents / sizeof percents[0] };

struct groups {
    size_t n;
    double bytes[GROUPS], slowdown[GROUPS][PERCENTS];
};

/* Sums up the messages from @p from to @p to, which are sorted by size. */
static void plot_slowdown_sum_up(struct groups *g, const struct weft_flow_point *list, size_t from,
                                 size_t to, double *room)
{
    for (size_t i = from; i < to; i++)
        room[i - from] = list[i].slowdown;
    qsort(room, to - from, sizeof *room, weft_by_f64);
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
    qsort(list, n, sizeof *list, weft_by_f64);
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

/* ---- several runs ---- */

/* Runs of one label, which differ in their seed, are one curve, in a band from the least to the
 * most of the seeds. */
struct several {
    const struct weft_runs *runs;
    struct weft_flow_points *flows; /* per run */
    const char **label;             /* per run, without its seed */
    struct weft_flow_point *list;   /* room for the messages of a curve; job is then the seed */
    size_t cap;
};

static int slowdown_read_all(struct several *s, struct weft_err *err)
{
    struct weft_flow_baseline baseline = {0};
    size_t with = 0;
    int rc = 0;
    for (size_t i = 0; i < s->runs->n && rc >= 0; i++) {
        rc = weft_flow_points_read(s->runs, &s->runs->run[i], &s->flows[i], err);
        with += rc == 0;
        s->cap += s->flows[i].n;
        s->label[i] = weft_run_label_seedless(s->runs, i);
        if (rc >= 0 && (!s->label[i] || weft_flow_baseline_add(&baseline, &s->flows[i], err)))
            rc = weft_err_no_memory(err, "slow-downs");
    }
    for (size_t i = 0; i < s->runs->n && rc >= 0; i++)
        weft_flow_baseline_apply(&baseline, &s->flows[i]);
    weft_flow_baseline_free(&baseline);
    if (rc < 0)
        return rc;
    s->list = calloc(s->cap + 1, sizeof *s->list);
    if (!s->list)
        return weft_err_no_memory(err, "slow-downs");
    return with ? 0 : weft_plot_nothing(err, "the runs have no messages (flows.csv)");
}

/* The messages of a workload (NULL: of all) in runs with the label of run @p first; returns how
 * many there are. */
static size_t take_curve(struct several *s, size_t first, const char *job, uint32_t *seeds)
{
    size_t n = 0;
    *seeds = 0;
    for (size_t i = first; i < s->runs->n; i++) {
        const struct weft_flow_points *p = &s->flows[i];
        const size_t before = n;
        if (strcmp(s->label[i], s->label[first]) != 0)
            continue;
        for (size_t k = 0; k < p->n; k++)
            if (!job || strcmp(p->job[p->list[k].job], job) == 0) {
                s->list[n] = p->list[k];
                s->list[n++].job = *seeds;
            }
        *seeds += n > before;
    }
    return n;
}

/* The least and the most that a percentile of the seeds is, of the messages of one group. */
static void add_band(struct weft_curve *band, const struct weft_flow_point *list, size_t n,
                     double over, double to, size_t percent, uint32_t seeds, double *room)
{
    double least = INFINITY, most = 0;
    for (uint32_t seed = 0; seed < seeds; seed++) {
        size_t have = 0;
        for (size_t i = 0; i < n; i++)
            if (list[i].job == seed && list[i].bytes > over && list[i].bytes <= to)
                room[have++] = list[i].slowdown;
        if (!have)
            continue;
        qsort(room, have, sizeof *room, weft_by_f64);
        const double v = weft_percentile(room, have, percents[percent]);
        least = fmin(least, v);
        most = fmax(most, v);
    }
    if (most > 0)
        weft_curve_point(band, (const double[]){to, least, most});
}

/* The curves of a label in the panels of a workload. */
static int add_curves(struct several *s, struct weft_panel *const *panels, size_t first,
                      const char *job, int colour, struct weft_err *err)
{
    struct groups g;
    uint32_t seeds;
    const size_t n = take_curve(s, first, job, &seeds);
    double *room = calloc(n + 1, sizeof *room);
    if (!room || plot_slowdown_group(s->list, n, &g)) {
        free(room);
        return weft_err_no_memory(err, "slow-downs");
    }
    for (size_t k = 0; k < PERCENTS && n; k++) {
        if (!panels[k])
            continue;
        if (seeds > 1) {
            struct weft_curve *band = weft_curve_add(panels[k], WEFT_MARK_BAND, colour, "");
            for (size_t i = 0; i < g.n; i++)
                add_band(band, s->list, n, i ? g.bytes[i - 1] : 0, g.bytes[i], k, seeds, room);
        }
        add_curve(panels[k], &g, k, colour, *s->label[first] ? s->label[first] : "all runs");
    }
    free(room);
    return 0;
}

/* The names of workloads of all runs; NULL: there is one, or more than are told apart. */
static size_t slowdown_list_jobs(const struct several *s, const char *jobs[JOBS_APART])
{
    size_t n = 0;
    for (size_t i = 0; i < s->runs->n; i++)
        for (size_t k = 0; k < s->flows[i].njobs; k++) {
            size_t at = 0;
            while (at < n && strcmp(jobs[at], s->flows[i].job[k]) != 0)
                at++;
            if (at == JOBS_APART)
                return 0;
            if (at == n)
                jobs[n++] = s->flows[i].job[k];
        }
    return n;
}

/* A panel for each percentile and workload, with a curve for each label. */
static int draw_several(struct several *s, struct weft_figure *f, struct weft_err *err)
{
    const char *jobs[JOBS_APART];
    const size_t n = slowdown_list_jobs(s, jobs), rows = n ? n : 1;
    for (size_t j = 0; j < rows; j++) {
        struct weft_panel *panels[PERCENTS] = {NULL};
        int colour = 0;
        for (size_t k = 0; k < PERCENTS; k++)
            if (n <= 1 || k != 1) /* of several workloads median and tail */
                panels[k] =
                    panel(f, n > 1 ? weft_figure_printf(f, "%s: %s", jobs[j], percent_names[k])
                                   : percent_names[k]);
        for (size_t i = 0; i < s->runs->n; i++) {
            size_t same = 0;
            while (same < i && strcmp(s->label[same], s->label[i]) != 0)
                same++;
            if (same == i && add_curves(s, panels, i, n > 1 ? jobs[j] : NULL, colour++, err))
                return err->code;
        }
    }
    return 0;
}

static int several(const struct weft_runs *runs, struct weft_figure *f, struct weft_err *err)
{
    struct several s = {.runs = runs};
    s.flows = calloc(runs->n, sizeof *s.flows);
    s.label = calloc(runs->n, sizeof *s.label);
    int rc =
        s.flows && s.label ? slowdown_read_all(&s, err) : weft_err_no_memory(err, "slow-downs");
    rc = rc ? rc : draw_several(&s, f, err);
    for (size_t i = 0; i < runs->n && s.flows; i++)
        weft_flow_points_free(&s.flows[i]);
    free(s.flows);
    free(s.label);
    free(s.list);
    return rc;
}

/* Tails that differ by orders of magnitude lie on a log scale. */
static void scale_tails(struct weft_figure *f)
{
    for (struct weft_panel *p = f->panels; p; p = p->next) {
        double most = 0;
        for (const struct weft_curve *c = p->curves; c; c = c->next)
            for (size_t i = 0; i < c->n; i++)
                most = fmax(most, c->v[(i + 1) * weft_mark_columns(c->mark) - 1]);
        if (most <= LINEAR_MOST)
            continue;
        p->y.log = true;
        p->y.label = "FCT slowdown (1: as alone, log scale)";
    }
}

static int plot_slowdown_derive(const struct weft_runs *runs, struct weft_figure *f,
                                struct weft_err *err)
{
    f->title = "FCT slowdown by message size";
    f->caption = "Slowdown is the completion time of a message divided by what it would take alone "
                 "on the empty fabric. Messages are sorted by size into 20 groups of equal number "
                 "(one for each size where there are few); a point stands at the largest size of "
                 "its group.";
    if (runs->n > 1) {
        f->caption = "Slowdown is the completion time of a message divided by what it would take "
                     "alone on the empty fabric, the least of any of these runs for its hosts and "
                     "size. Messages are sorted by size into 20 groups of equal number (one for "
                     "each size where there are few); a point stands at the largest size of its "
                     "group. Runs that differ in their seed are one curve, over the messages of "
                     "all; its band goes from the least to the most of the seeds.";
        const int code = several(runs, f, err);
        scale_tails(f);
        return code;
    }
    struct weft_flow_points flows;
    int rc = weft_flow_points_read(runs, &runs->run[0], &flows, err);
    if (rc == 1)
        rc = weft_plot_nothing(err, "no messages (flows.csv) in %s", runs->run[0].dir);
    rc = rc ? rc : one_run(&flows, f, err);
    scale_tails(f);
    weft_flow_points_free(&flows);
    return rc;
}

const struct weft_plot weft_plot_slowdown = {
    "slowdown", "FCT slowdown against message size: median, 95th and 99th percentile", "flows.csv",
    plot_slowdown_derive};
