/* SPDX-License-Identifier: GPL-2.0-only */
/* Jain's index of series over time; see time_series.h. */
#include "base/compare.h"
#include "plot/time_series.h"

#include <stdlib.h>

struct value {
    double t_ns, v;
};

/* The index of the n values from v on; all of them 0 is fair. */
static double jain(const struct value *v, size_t n)
{
    double sum = 0, sq = 0;
    for (size_t i = 0; i < n; i++) {
        sum += v[i].v;
        sq += v[i].v * v[i].v;
    }
    return sq > 0 ? sum * sum / ((double)n * sq) : 1;
}

/* Finds the next moment with two values or more: from *at on, until *end. */
static bool next_moment(const struct value *v, size_t n, size_t *at, size_t *end)
{
    for (size_t i = *at; i < n; i = *end) {
        for (*end = i + 1; *end < n && v[*end].t_ns == v[i].t_ns; ++*end)
            ;
        *at = i;
        if (*end - i > 1)
            return true;
    }
    return false;
}

int weft_time_series_jain(const struct weft_time_series_set *t, struct weft_curve *c,
                          double x_divisor, struct weft_err *err)
{
    size_t n = 0, moments = 0, at, end;
    for (size_t i = 0; i < t->n; i++)
        n += t->list[i].n;
    struct value *v = malloc((n + 1) * sizeof *v);
    if (!v)
        return weft_err_no_memory(err, "sampled series");
    n = 0;
    for (size_t i = 0; i < t->n; i++)
        for (size_t k = 0; k < t->list[i].n; k++)
            v[n++] = (struct value){t->list[i].t_ns[k], t->list[i].v[k]};
    qsort(v, n, sizeof *v, weft_by_f64);
    for (at = 0; next_moment(v, n, &at, &end); at = end)
        moments++;
    const size_t each = (moments + WEFT_TRACK_POINTS - 1) / WEFT_TRACK_POINTS;
    double sum = 0;
    size_t some = 0;
    for (at = 0; next_moment(v, n, &at, &end); at = end) {
        sum += jain(v + at, end - at);
        if (++some < each)
            continue;
        weft_curve_xy(c, v[at].t_ns / x_divisor, sum / (double)some);
        sum = 0;
        some = 0;
    }
    free(v);
    return 0;
}
