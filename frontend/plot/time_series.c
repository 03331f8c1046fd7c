/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads the sampled series of a run: one number of one object over time. */
#include "plot/time_series.h"

#include "base/file.h"
#include "base/grow.h"
#include "plot/plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { KEYS_MAX = 8 };

struct reading {
    const struct weft_runs *runs;
    struct weft_time_series_set *series;
    void (*name)(const struct weft_row *row, char *buf, size_t size);
    size_t value; /* its place among the columns asked for; t_ns is before it */
    double last_ns;
};

/* The series called @p name: objects come in turns. NULL: no memory. */
static struct weft_time_series *time_series_find(struct reading *r, const char *name)
{
    struct weft_time_series_set *t = r->series;
    for (size_t i = 0; i < t->n; i++) {
        const size_t k = (t->last + 1 + i) % t->n;
        if (strcmp(t->list[k].name, name) == 0)
            return &t->list[t->last = k];
    }
    if (!WEFT_GROW(t->list, t->n, &t->cap))
        return NULL;
    t->list[t->n] = (struct weft_time_series){.name = weft_arena_strdup(r->runs->arena, name)};
    t->last = t->n;
    return t->list[t->n].name ? &t->list[t->n++] : NULL;
}

static int time_series_add(struct weft_time_series *t, double at, double v)
{
    size_t same = t->cap;
    if (!WEFT_GROW(t->t_ns, t->n, &same) || !WEFT_GROW(t->v, t->n, &t->cap))
        return -1;
    t->t_ns[t->n] = at;
    t->v[t->n++] = v;
    t->least = t->n > 1 ? fmin(t->least, v) : v;
    t->most = fmax(t->most, v);
    t->sum += v;
    return 0;
}

static int series_row(void *ctx, const struct weft_row *row, struct weft_err *err)
{
    struct reading *r = ctx;
    char name[128];
    double at, v;
    if (!*weft_row_text(row, r->value))
        return 0;
    if (weft_row_number(row, r->value - 1, &at, err) || weft_row_number(row, r->value, &v, err))
        return err->code;
    if (at > r->last_ns && r->last_ns >= 0 &&
        (r->series->interval_ns == 0 || at - r->last_ns < r->series->interval_ns))
        r->series->interval_ns = at - r->last_ns;
    r->last_ns = at;
    if (at < r->runs->from_ns || at > r->runs->to_ns)
        return 0;
    r->name(row, name, sizeof name);
    struct weft_time_series *t = time_series_find(r, name);
    return t && !time_series_add(t, at, v) ? 0 : weft_err_no_memory(err, "sampled series");
}

int weft_time_series_read(const struct weft_runs *runs, const struct weft_run *run,
                          const char *file, const char *const *keys,
                          void (*name)(const struct weft_row *row, char *buf, size_t size),
                          const char *value, struct weft_time_series_set *out, struct weft_err *err)
{
    const char *columns[KEYS_MAX + 3] = {0};
    char path[WEFT_PATH_MAX], optional[128];
    struct reading r = {runs, out, name, 0, -1};
    const char *on = weft_run_setting(run, "sample", "on");
    *out = (struct weft_time_series_set){.on_change = on && strcmp(on, "change") == 0};
    for (; keys[r.value] && r.value < KEYS_MAX; r.value++)
        columns[r.value] = keys[r.value];
    snprintf(path, sizeof path, "series/%s", file);
    snprintf(optional, sizeof optional, "?%s", value);
    columns[r.value++] = "t_ns";
    columns[r.value] = optional;
    const int rc = weft_run_rows(run, path, columns, series_row, &r, err);
    return rc ? rc : out->n == 0;
}

void weft_time_series_free(struct weft_time_series_set *t)
{
    for (size_t i = 0; i < t->n; i++) {
        free(t->list[i].t_ns);
        free(t->list[i].v);
    }
    free(t->list);
    *t = (struct weft_time_series_set){0};
}

static int by_most(const void *va, const void *vb)
{
    const struct weft_time_series *a = va, *b = vb;
    if (a->most != b->most)
        return a->most > b->most ? -1 : 1;
    return weft_compare_names(a->name, b->name);
}

static int by_sum(const void *va, const void *vb)
{
    const struct weft_time_series *a = va, *b = vb;
    if (a->sum != b->sum)
        return a->sum > b->sum ? -1 : 1;
    return weft_compare_names(a->name, b->name);
}

static int time_series_by_name(const void *va, const void *vb)
{
    const struct weft_time_series *a = va, *b = vb;
    return weft_compare_names(a->name, b->name);
}

void weft_time_series_rank(struct weft_time_series_set *t, enum weft_time_series_rank_by rank,
                           size_t shown)
{
    if (t->n)
        qsort(t->list, t->n, sizeof *t->list, rank == WEFT_TIME_SERIES_BY_SUM ? by_sum : by_most);
    if (t->n)
        qsort(t->list, t->n < shown ? t->n : shown, sizeof *t->list, time_series_by_name);
}

void weft_time_series_take_sums(struct weft_time_series_set *t, struct weft_time_series_set *of)
{
    if (of->n)
        qsort(of->list, of->n, sizeof *of->list, time_series_by_name);
    for (size_t i = 0; i < t->n; i++) {
        const struct weft_time_series *it =
            of->n ? bsearch(&t->list[i], of->list, of->n, sizeof *of->list, time_series_by_name)
                  : NULL;
        t->list[i].sum = it ? it->sum : 0;
    }
}

/* What becomes of the rows from @p from to before @p to: the largest, or the mean, of steps by how
 * long each holds. */
static double reduced(const struct weft_time_series *t, size_t from, size_t to, bool steps,
                      enum weft_time_series_reduce reduce)
{
    double most = t->v[from], sum = 0, weight = 0;
    for (size_t i = from; i < to; i++) {
        const double holds = !steps ? 1 : i + 1 < t->n ? t->t_ns[i + 1] - t->t_ns[i] : 0;
        most = fmax(most, t->v[i]);
        sum += t->v[i] * holds;
        weight += holds;
    }
    if (reduce == WEFT_TIME_SERIES_MOST)
        return most;
    return weight > 0 ? sum / weight : t->v[to - 1];
}

void weft_time_series_draw(const struct weft_time_series_set *series, size_t k,
                           struct weft_curve *c, enum weft_time_series_reduce reduce,
                           double x_divisor, double y_divisor)
{
    const struct weft_time_series *t = &series->list[k];
    const double interval_ns = series->interval_ns;
    const size_t each = (t->n + WEFT_TRACK_POINTS - 1) / WEFT_TRACK_POINTS;
    for (size_t from = 0; from < t->n; from += each) {
        const size_t to = from + each < t->n ? from + each : t->n;
        const double gap = from ? t->t_ns[from] - t->t_ns[from - 1] : 0;
        if (!series->on_change && from && t->v[from - 1] == 0 && gap > 1.5 * interval_ns)
            weft_curve_xy(c, (t->t_ns[from] - interval_ns) / x_divisor, 0);
        weft_curve_xy(c, t->t_ns[from] / x_divisor,
                      reduced(t, from, to, series->on_change, reduce) / y_divisor);
    }
    if (series->on_change && each > 1) /* as it is at the end */
        weft_curve_xy(c, t->t_ns[t->n - 1] / x_divisor, t->v[t->n - 1] / y_divisor);
}
