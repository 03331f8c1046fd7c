/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Completion times and slow-downs of messages.
 *
 * Percentiles are nearest-rank: the p-th of n sorted values is number ceil(p * n / 100), counted
 * from 1; so each is a value that occurred.
 */
#include "report/internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int weft_samples_add(struct weft_samples *s, const struct weft_completion *w, struct weft_err *err)
{
    const int64_t fct_ps = w->received_ps - w->post_ps;
    if (s->n == s->cap) {
        size_t cap = s->cap ? 2 * s->cap : 1024;
        int64_t *fct = (int64_t *)realloc(s->fct_ps, cap * sizeof *fct);
        if (fct)
            s->fct_ps = fct;
        double *slow = (double *)realloc(s->slowdown, cap * sizeof *slow);
        if (slow)
            s->slowdown = slow;
        if (!fct || !slow)
            return weft_err_set(err, WEFT_E_LIMIT,
                                "out of memory for the statistics of %zu messages", s->n);
        s->cap = cap;
    }
    s->fct_ps[s->n++] = fct_ps;
    s->bytes += w->msg.bytes;
    s->fct_sum_ps += fct_ps;
    if (w->ideal_ps > 0)
        s->slowdown[s->n_slowdown++] = (double)fct_ps / (double)w->ideal_ps;
    return 0;
}

int weft_samples_copy(struct weft_samples *to, const struct weft_samples *from,
                      struct weft_err *err)
{
    *to = *from;
    to->cap = from->n ? from->n : 1;
    to->fct_ps = (int64_t *)malloc(to->cap * sizeof *to->fct_ps);
    to->slowdown = (double *)malloc(to->cap * sizeof *to->slowdown);
    if (!to->fct_ps || !to->slowdown) {
        weft_samples_free(to);
        return weft_err_set(err, WEFT_E_LIMIT, "out of memory for the statistics of %zu messages",
                            from->n);
    }
    if (from->n)
        memcpy(to->fct_ps, from->fct_ps, from->n * sizeof *to->fct_ps);
    if (from->n_slowdown)
        memcpy(to->slowdown, from->slowdown, from->n_slowdown * sizeof *to->slowdown);
    return 0;
}

static int by_time(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static int by_ratio(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Index of the p-th percentile of n > 0 sorted values. */
static size_t percentile(size_t n, unsigned p)
{
    size_t rank = n / 100 * p + (n % 100 * p + 99) / 100;
    return rank ? rank - 1 : 0;
}

void weft_samples_sum(struct weft_samples *v, struct weft_flow_summary *s)
{
    *s = (struct weft_flow_summary){.messages = v->n, .bytes = v->bytes};
    s->slowdown_p50 = s->slowdown_p99 = s->slowdown_max = NAN;
    if (v->n) {
        qsort(v->fct_ps, v->n, sizeof v->fct_ps[0], by_time);
        s->fct_mean_ps = (int64_t)(v->fct_sum_ps / (weft_i128)v->n);
        s->fct_p50_ps = v->fct_ps[percentile(v->n, 50)];
        s->fct_p99_ps = v->fct_ps[percentile(v->n, 99)];
        s->fct_max_ps = v->fct_ps[v->n - 1];
    }
    if (v->n_slowdown) {
        qsort(v->slowdown, v->n_slowdown, sizeof v->slowdown[0], by_ratio);
        s->slowdown_p50 = v->slowdown[percentile(v->n_slowdown, 50)];
        s->slowdown_p99 = v->slowdown[percentile(v->n_slowdown, 99)];
        s->slowdown_max = v->slowdown[v->n_slowdown - 1];
    }
}

void weft_samples_free(struct weft_samples *s)
{
    free(s->fct_ps);
    free(s->slowdown);
    *s = (struct weft_samples){0};
}
