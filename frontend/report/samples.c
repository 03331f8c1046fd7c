/* SPDX-License-Identifier: GPL-2.0-only */
/* Completion times and slow-downs of messages. */
#include "report/report_internal.h"

#include <math.h>

/* Largest messages of the classes by size, but of the last. */
static const uint64_t edges[WEFT_SIZE_CLASSES - 1] = {10000, 100000, 1000000};
static const double percents[WEFT_SIZE_PERCENTILES] = {50, 95, 99};

static int samples_add_slowdown(struct weft_samples *s, uint64_t bytes, double slowdown,
                                struct weft_err *err)
{
    size_t k = 0;
    while (k < WEFT_SIZE_CLASSES - 1 && bytes > edges[k])
        k++;
    const int rc = weft_quantiles_add(&s->slowdown, slowdown, err);
    return rc ? rc : weft_quantiles_add(&s->by_size[k], slowdown, err);
}

int weft_samples_add(struct weft_samples *s, const struct weft_completion *w, struct weft_err *err)
{
    const int64_t fct_ps = w->received_ps - w->post_ps;
    int rc = weft_quantiles_add(&s->fct_ps, (double)fct_ps, err);
    if (!rc && w->ideal_ps > 0)
        rc = samples_add_slowdown(s, w->msg.bytes, (double)fct_ps / (double)w->ideal_ps, err);
    s->bytes += w->msg.bytes;
    s->fct_sum_ps += fct_ps;
    return rc;
}

int weft_samples_copy(struct weft_samples *to, const struct weft_samples *from,
                      struct weft_err *err)
{
    struct weft_samples copy = {.bytes = from->bytes, .fct_sum_ps = from->fct_sum_ps};
    int rc = weft_quantiles_copy(&copy.fct_ps, &from->fct_ps, err);
    rc = rc ? rc : weft_quantiles_copy(&copy.slowdown, &from->slowdown, err);
    for (size_t k = 0; k < WEFT_SIZE_CLASSES; k++)
        rc = rc ? rc : weft_quantiles_copy(&copy.by_size[k], &from->by_size[k], err);
    if (rc)
        weft_samples_free(&copy);
    *to = copy;
    return rc;
}

void weft_samples_sum(struct weft_samples *v, struct weft_flow_summary *s)
{
    *s = (struct weft_flow_summary){.messages = v->fct_ps.n, .bytes = v->bytes};
    s->slowdown_p50 = s->slowdown_p99 = s->slowdown_p999 = s->slowdown_max = NAN;
    s->fct_mean_ps = s->fct_p50_ps = s->fct_p99_ps = s->fct_p999_ps = s->fct_max_ps = WEFT_NO_END;
    weft_quantiles_sort(&v->fct_ps);
    weft_quantiles_sort(&v->slowdown);
    if (v->fct_ps.n) {
        s->fct_mean_ps = (int64_t)(v->fct_sum_ps / (weft_i128)v->fct_ps.n);
        s->fct_p50_ps = (int64_t)weft_quantile(&v->fct_ps, 50);
        s->fct_p99_ps = (int64_t)weft_quantile(&v->fct_ps, 99);
        s->fct_p999_ps = (int64_t)weft_quantile(&v->fct_ps, 99.9);
        s->fct_max_ps = (int64_t)v->fct_ps.max;
    }
    for (size_t k = 0; k < WEFT_SIZE_CLASSES; k++) {
        weft_quantiles_sort(&v->by_size[k]);
        for (size_t p = 0; p < WEFT_SIZE_PERCENTILES; p++)
            s->by_size[k][p] = v->by_size[k].n ? weft_quantile(&v->by_size[k], percents[p]) : NAN;
    }
    if (v->slowdown.n) {
        s->slowdown_p50 = weft_quantile(&v->slowdown, 50);
        s->slowdown_p99 = weft_quantile(&v->slowdown, 99);
        s->slowdown_p999 = weft_quantile(&v->slowdown, 99.9);
        s->slowdown_max = v->slowdown.max;
    }
}

void weft_samples_free(struct weft_samples *s)
{
    weft_quantiles_free(&s->fct_ps);
    weft_quantiles_free(&s->slowdown);
    for (size_t k = 0; k < WEFT_SIZE_CLASSES; k++)
        weft_quantiles_free(&s->by_size[k]);
    *s = (struct weft_samples){0};
}
