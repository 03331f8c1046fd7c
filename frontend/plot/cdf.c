/* SPDX-License-Identifier: GPL-2.0-only */
/* Distributions of completion times and slow-downs: a curve for each run and job. */
#include "plot/flows.h"
#include "plot/plot.h"

#include <stdlib.h>

enum { POINTS = 500 };

/* What is distributed. */
struct quantity {
    const char *title, *caption, *axis;
    double (*of)(const struct weft_flow_point *x);
};

/* Values of the messages of a job (all with @p job < 0), sorted. NULL: no memory. */
static double *values_of(const struct weft_flow_points *flows, int job, const struct quantity *q,
                         size_t *n)
{
    double *v = malloc((flows->n + 1) * sizeof *v);
    *n = 0;
    for (size_t i = 0; i < flows->n && v; i++)
        if (job < 0 || flows->list[i].job == (uint32_t)job)
            v[(*n)++] = q->of(&flows->list[i]);
    if (v)
        qsort(v, *n, sizeof *v, weft_by_f64);
    return v;
}

/* The share of values that are at most x, at each value, or of many at the POINTS-th parts. */
static void add_distribution(struct weft_curve *c, const double *v, size_t n)
{
    size_t last = n;
    for (size_t k = 0; k <= POINTS; k++) {
        const size_t i = n > POINTS ? (n - 1) * k / POINTS : k;
        if (i >= n || i == last)
            continue;
        weft_curve_xy(c, v[i], (double)(i + 1) / (double)n);
        last = i;
    }
}

static int plot_cdf_add_run(const struct weft_runs *runs, size_t i, struct weft_panel *p,
                            const struct quantity *q, size_t *with, struct weft_err *err)
{
    struct weft_flow_points flows;
    int rc = weft_flow_points_read(runs, &runs->run[i], &flows, err);
    const int jobs = runs->n == 1 && !rc && flows.njobs > 1 ? (int)flows.njobs : 0;
    for (int job = jobs ? 0 : -1; job < jobs && !rc; job++) {
        size_t n;
        double *v = values_of(&flows, job, q, &n);
        if (!v)
            rc = weft_err_no_memory(err, "a distribution");
        else
            add_distribution(weft_curve_add(p, WEFT_MARK_STEPS, job < 0 ? (int)i : job,
                                            job < 0       ? runs->n > 1 ? runs->run[i].label : ""
                                            : flows.njobs ? flows.job[job]
                                                          : ""),
                             v, n);
        free(v);
    }
    *with += !rc;
    weft_flow_points_free(&flows);
    return rc < 0 ? rc : 0;
}

static int distribution(const struct weft_runs *runs, struct weft_figure *f,
                        const struct quantity *q, struct weft_err *err)
{
    struct weft_panel *p = weft_panel_add(f, "", q->axis, "share of messages (0 to 1)");
    size_t with = 0;
    f->title = q->title;
    f->caption = q->caption;
    p->x.log = true;
    p->y.from = 0;
    p->y.to = 1;
    for (size_t i = 0; i < runs->n; i++)
        if (plot_cdf_add_run(runs, i, p, q, &with, err))
            return err->code;
    return with ? 0 : weft_plot_nothing(err, "no messages (flows.csv) in %s", runs->run[0].dir);
}

static double slowdown_of(const struct weft_flow_point *x)
{
    return x->slowdown;
}

static double fct_us_of(const struct weft_flow_point *x)
{
    return x->fct_ns / 1e3;
}

static int derive_slowdown(const struct weft_runs *runs, struct weft_figure *f,
                           struct weft_err *err)
{
    static const struct quantity q = {
        "Distribution of FCT slowdown",
        "The share of messages whose slowdown is at most x. A slowdown of 1 is as fast as alone on "
        "the empty fabric; a long tail to the right means that a few messages waited long.",
        "FCT slowdown (1: as alone, log scale)", slowdown_of};
    return distribution(runs, f, &q, err);
}

static int derive_fct(const struct weft_runs *runs, struct weft_figure *f, struct weft_err *err)
{
    static const struct quantity q = {
        "Distribution of completion times",
        "The share of messages that took at most x from being posted to their last byte's arrival.",
        "flow completion time (\u00b5s, log scale)", fct_us_of};
    return distribution(runs, f, &q, err);
}

const struct weft_plot weft_plot_slowdown_cdf = {"slowdown-cdf", "distribution of FCT slowdown",
                                                 "flows.csv", derive_slowdown};
const struct weft_plot weft_plot_fct_cdf = {"fct-cdf", "distribution of completion times",
                                            "flows.csv", derive_fct};
