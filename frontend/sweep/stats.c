/* SPDX-License-Identifier: GPL-2.0-only */
/* What the points of a sweep's row come to: means and confidence intervals over seeds. */
#include "report/quantiles.h"
#include "sweep/sweep.h"

#include <math.h>

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
    out->ci95[m] = weft_mean_ci95(v, n, &out->metric[m]);
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
