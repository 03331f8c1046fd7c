/* SPDX-License-Identifier: GPL-2.0-only */
/* What the points of a sweep's row come to: means and confidence intervals over seeds. */
#include "sweep/sweep.h"

#include <math.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

/* Probability that Student's t with @p nu degrees of freedom is within +- sqrt(nu) tan(theta);
 * Abramowitz and Stegun, 26.7.3 and 26.7.4. */
static double within(double theta, size_t nu)
{
    const double c2 = cos(theta) * cos(theta);
    double term = nu % 2 ? cos(theta) : 1, sum = 0;
    for (size_t k = nu % 2 ? 3 : 2; k <= nu; k += 2) {
        sum += term;
        term *= c2 * (double)(k - 1) / (double)k;
    }
    return nu % 2 ? 2 / pi * (theta + sin(theta) * sum) : sin(theta) * sum;
}

/* The quantile of Student's t that leaves 2.5 % on either side. */
static double t_975(size_t nu)
{
    double low = 0, high = pi / 2;
    for (int i = 0; i < 60; i++) {
        const double mid = (low + high) / 2;
        if (within(mid, nu) < 0.95)
            low = mid;
        else
            high = mid;
    }
    return sqrt((double)nu) * tan(low);
}

double weft_sweep_ci95(const double *v, size_t n, double *mean)
{
    double sum = 0, squares = 0;
    *mean = NAN;
    if (n == 0)
        return NAN;
    for (size_t i = 0; i < n; i++)
        sum += v[i];
    *mean = sum / (double)n;
    if (n < 2)
        return NAN;
    for (size_t i = 0; i < n; i++)
        squares += (v[i] - *mean) * (v[i] - *mean);
    return t_975(n - 1) * sqrt(squares / (double)(n - 1) / (double)n);
}

/* Mean time to the end of a row's points; NaN unless all finished. */
static double mean_end(const struct weft_sweep *s, size_t row)
{
    const size_t per_row = weft_sweep_points_per_row(s);
    double sum = 0;
    for (size_t i = row * per_row; i < (row + 1) * per_row; i++) {
        const struct weft_sweep_point *p = &s->point[i];
        if (p->state != WEFT_POINT_DONE || p->outcome != WEFT_OUTCOME_FINISHED || !(p->end_ns > 0))
            return NAN;
        sum += p->end_ns;
    }
    return sum / (double)per_row;
}

static void stats_sum_up(const struct weft_sweep *s, size_t row, size_t m,
                         struct weft_sweep_row *out)
{
    const size_t per_row = weft_sweep_points_per_row(s);
    double v[WEFT_SWEEP_VALUES];
    size_t n = 0;
    for (size_t i = 0; i < per_row; i++) {
        const struct weft_sweep_point *p = &s->point[row * per_row + i];
        if (p->state == WEFT_POINT_DONE && p->summed_up && !isnan(p->metric[m]))
            v[n++] = p->metric[m];
    }
    out->ci95[m] = weft_sweep_ci95(v, n, &out->metric[m]);
}

void weft_sweep_row(const struct weft_sweep *s, size_t row, struct weft_sweep_row *out)
{
    const size_t per_row = weft_sweep_points_per_row(s);
    const size_t last = s->naxes ? s->axis[s->naxes - 1].n : 1;
    *out = (struct weft_sweep_row){.outcome = WEFT_OUTCOME_MISSING};
    size_t done = 0;
    for (size_t i = 0; i < per_row; i++) {
        const struct weft_sweep_point *p = &s->point[row * per_row + i];
        if (p->state != WEFT_POINT_DONE)
            continue;
        if (!out->there ||
            (weft_outcome_is_good(out->outcome) && !weft_outcome_is_good(p->outcome)))
            out->outcome = p->outcome;
        out->there = true;
        done++;
        out->nseeds += p->summed_up;
        out->reason = out->reason ? out->reason : p->reason;
    }
    if (done < per_row && weft_outcome_is_good(out->outcome))
        out->outcome = WEFT_OUTCOME_INTERRUPTED;
    for (size_t m = 0; m < s->nmetrics; m++)
        stats_sum_up(s, row, m, out);
    out->speed_up = mean_end(s, row - row % last) / mean_end(s, row);
}

bool weft_sweep_take(struct weft_sweep *s, size_t point, const struct weft_result *r)
{
    struct weft_metric_choice end;
    struct weft_err ignored = {0};
    struct weft_sweep_point *p = &s->point[point];
    p->summed_up = weft_result_has_summary(r);
    p->outcome = weft_result_outcome(r);
    p->end_ns = NAN;
    if (p->summed_up && !weft_metric_choose("end-to-end", &end, &ignored))
        (void)weft_result_metric(r, &end, &p->end_ns);
    bool all = true;
    for (size_t m = 0; m < s->nmetrics; m++) {
        p->metric[m] = NAN;
        if (p->summed_up)
            all = weft_result_metric(r, &s->metric[m], &p->metric[m]) && all;
    }
    return all;
}

const char *weft_sweep_metric_text(const struct weft_metric *m, double v,
                                   char buf[WEFT_METRIC_TEXT_MAX])
{
    return weft_metric_format(m, m->type == WEFT_PARAM_TIME ? round(v * 1000) : v, buf);
}
