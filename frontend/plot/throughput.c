/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Goodput over time from the table of messages: each message's bytes spread evenly over its life,
 * as sums of workloads (or runs), and Jain's index of fairness of the messages that are under way.
 */
#include "plot/flows.h"
#include "plot/plot.h"

#include <math.h>
#include <stdlib.h>

enum { BINS = 300 };

struct bins {
    struct weft_bins by;
    double bits[BINS];          /* carried in each */
    double sum[BINS], sq[BINS]; /* of rates of the messages under way, and of their squares */
    uint32_t n[BINS];
};

static void throughput_add(struct bins *b, const struct weft_flow_point *x)
{
    const double end = x->start_ns + x->fct_ns, rate = x->bytes * 8 / x->fct_ns;
    if (!(x->fct_ns > 0))
        return;
    size_t last;
    for (size_t k = weft_bins_touched(&b->by, x->start_ns, end, &last); k <= last; k++) {
        const double part = weft_bins_part(&b->by, k, x->start_ns, end);
        b->bits[k] += part * rate;
        if (part > 0) {
            b->n[k]++;
            b->sum[k] += rate;
            b->sq[k] += rate * rate;
        }
    }
}

/* Time that any message of any run is under way. */
static int find_span(const struct weft_runs *runs, double *from, double *to, struct weft_err *err)
{
    *from = INFINITY;
    *to = 0;
    for (size_t i = 0; i < runs->n; i++) {
        struct weft_flow_points p;
        const int rc = weft_flow_points_read(runs, &runs->run[i], &p, err);
        for (size_t k = 0; k < p.n; k++) {
            *from = fmin(*from, p.list[k].start_ns);
            *to = fmax(*to, p.list[k].start_ns + p.list[k].fct_ns);
        }
        weft_flow_points_free(&p);
        if (rc < 0)
            return rc;
    }
    *to = fmin(*to, runs->to_ns);
    return 0;
}

struct drawing {
    struct weft_panel *goodput, *fairness;
    struct weft_figure_unit u;
    double from_ns, to_ns;
};

static double at(const struct drawing *d, size_t k)
{
    return (d->from_ns + (double)k * (d->to_ns - d->from_ns) / BINS) / d->u.divisor;
}

static void draw_goodput(const struct drawing *d, const struct bins *b, int colour,
                         const char *label)
{
    struct weft_curve *c = weft_curve_add(d->goodput, WEFT_MARK_STEPS, colour, label);
    for (size_t k = 0; k < BINS; k++)
        weft_curve_xy(c, at(d, k), b->bits[k] / b->by.width);
}

/* Where a single message is under way there is nothing to be fair to. */
static void draw_fairness(const struct drawing *d, const struct bins *b, int colour,
                          const char *label)
{
    struct weft_curve *c = NULL;
    for (size_t k = 0; k < BINS; k++) {
        if (b->n[k] < 2)
            continue;
        c = c ? c : weft_curve_add(d->fairness, WEFT_MARK_STEPS, colour, label);
        weft_curve_xy(c, at(d, k), b->sum[k] * b->sum[k] / ((double)b->n[k] * b->sq[k]));
    }
}

/* Rates of the messages of a job, or (-1) of all. */
static void throughput_fill(struct bins *b, const struct drawing *d,
                            const struct weft_flow_points *p, int job)
{
    *b = (struct bins){.by = {d->from_ns, (d->to_ns - d->from_ns) / BINS, BINS}};
    for (size_t k = 0; k < p->n; k++)
        if (job < 0 || p->list[k].job == (uint32_t)job)
            throughput_add(b, &p->list[k]);
}

static int throughput_add_run(const struct weft_runs *runs, size_t i, const struct drawing *d,
                              struct weft_err *err)
{
    struct weft_flow_points p;
    struct bins *b = malloc(sizeof *b);
    int rc = weft_flow_points_read(runs, &runs->run[i], &p, err);
    if (!b)
        rc = weft_err_no_memory(err, "throughput");
    const int jobs = !rc && runs->n == 1 && p.njobs > 1 ? (int)p.njobs : 0;
    const char *label = runs->n > 1 ? runs->run[i].label : "";
    for (int job = 0; job < jobs && !rc; job++) {
        throughput_fill(b, d, &p, job);
        draw_goodput(d, b, job, p.job[job]);
        draw_fairness(d, b, job, p.job[job]);
    }
    if (!rc) {
        throughput_fill(b, d, &p, -1);
        if (!jobs)
            draw_goodput(d, b, (int)i, label);
        draw_fairness(d, b, jobs ? WEFT_FIGURE_INK : (int)i, jobs ? "all together" : label);
    }
    free(b);
    weft_flow_points_free(&p);
    return rc < 0 ? rc : 0;
}

/* Gives the panel a unit in which its numbers are short. */
static void throughput_scale(struct weft_figure *f, struct weft_panel *p)
{
    double most = 0;
    for (const struct weft_curve *c = p->curves; c; c = c->next)
        for (size_t i = 0; i < c->n; i++)
            most = fmax(most, c->v[2 * i + 1]);
    const struct weft_figure_unit u = weft_figure_rate_unit(1e9 * most);
    for (struct weft_curve *c = p->curves; c; c = c->next)
        for (size_t i = 0; i < c->n; i++)
            c->v[2 * i + 1] *= 1e9 / u.divisor;
    p->y.label = weft_figure_printf(f, "goodput, all hosts together (%s)", u.name);
}

static int throughput_derive(const struct weft_runs *runs, struct weft_figure *f,
                             struct weft_err *err)
{
    struct drawing d;
    if (find_span(runs, &d.from_ns, &d.to_ns, err))
        return err->code;
    if (!(d.to_ns > d.from_ns))
        return weft_plot_nothing(err, "no messages (flows.csv) in %s", runs->run[0].dir);
    f->title = "Goodput and fairness over time";
    f->caption =
        "The bytes of each message are spread evenly over the time from its posting to its end, so "
        "what happens within a message does not show. Jain's index of the rates of the messages "
        "under way is 1 when all have the same and 1/n when one of n has all; messages of "
        "different sizes and places need not have the same. It has no value while there is one.";
    d.u = weft_figure_time_unit(d.to_ns);
    const char *x = weft_figure_printf(f, "simulated time (%s)", d.u.name);
    d.goodput = weft_panel_add(f, "", x, "");
    d.fairness = weft_panel_add(f, "", x, "Jain's index of message rates");
    d.goodput->y.from = 0;
    d.goodput->height = 320;
    d.goodput->x.from = d.fairness->x.from = d.from_ns / d.u.divisor;
    d.goodput->x.to = d.fairness->x.to = d.to_ns / d.u.divisor;
    d.fairness->y.from = 0;
    d.fairness->y.to = 1.02;
    d.fairness->height = 260;
    for (size_t i = 0; i < runs->n; i++)
        if (throughput_add_run(runs, i, &d, err))
            return err->code;
    throughput_scale(f, d.goodput);
    return 0;
}

const struct weft_plot weft_plot_throughput = {
    "throughput", "goodput and fairness (Jain) over time, from the lives of messages", "flows.csv",
    throughput_derive};
