/* SPDX-License-Identifier: GPL-2.0-only */
/* Kernel times by shape: tables, rooflines, interpolation. */
#include "workload/training/kernel_times.h"

#include "workload/training/csv_table.h"

#include <math.h>
#include <stdlib.h>

enum { NEAREST = 8, TERMS = 4 };

static const struct weft_kernel_time shipped[] = {
#define K(symbol, rows, columns, inner, time)                                                      \
    {WEFT_KERNEL_KIND_##symbol, rows, columns, inner, time},
#include "workload/training/kernels_h100.def"
#undef K
};

const struct weft_kernel_time *weft_kernel_times_shipped(size_t *n)
{
    *n = sizeof shipped / sizeof shipped[0];
    return shipped;
}

/* Seconds of a kernel at the roofline of @p g as gpus.def has it, without launch. */
static double kernel_roofline_s(const struct weft_gpu *g, enum weft_kernel_kind kind, double m,
                                double n, double k)
{
    switch (kind) {
    case WEFT_KERNEL_KIND_GEMM:
    case WEFT_KERNEL_KIND_GEMM_FP8:
        return weft_gpu_product_s(g, kind == WEFT_KERNEL_KIND_GEMM_FP8, m, n, k, 1,
                                  g->gemm_efficiency);
    case WEFT_KERNEL_KIND_ATTENTION:
        return 2 * m * m * n * k / (g->peak_flops * g->forward_efficiency);
    case WEFT_KERNEL_KIND_ATTENTION_BACKWARD:
        return 5 * m * m * n * k / (g->peak_flops * g->backward_efficiency);
    case WEFT_KERNEL_KIND_NORM:
        return 4 * m * n / (g->memory_bps * g->memory_efficiency);
    case WEFT_KERNEL_KIND_ELEMENTWISE:
        return m / (g->memory_bps * g->memory_efficiency);
    case WEFT_KERNEL_KIND_OPTIMIZER:
        return 30 * m / (g->memory_bps * g->memory_efficiency);
    default:
        return 0;
    }
}

void weft_kernel_times_fill(struct weft_kernel_times *out, const struct weft_gpu *g,
                            const struct weft_kernel_time *time, size_t n)
{
    double launch_us =
        4; /* of the shipped times: what the smallest copies take beyond their bytes */
    *out = (struct weft_kernel_times){0};
    for (size_t i = 0; i < n; i++)
        if (time[i].kind == WEFT_KERNEL_KIND_LAUNCH)
            launch_us = time[i].us;
    for (int kind = 0; kind < WEFT_KERNEL_KINDS; kind++) {
        for (size_t i = 0; i < n; i++) {
            const struct weft_kernel_time *t = &time[i];
            if ((int)t->kind != kind || kind == WEFT_KERNEL_KIND_LAUNCH)
                continue;
            const double us = fmax(t->us - launch_us, 0.1);
            out->row[out->n].at[0] = (float)log(t->m);
            out->row[out->n].at[1] = (float)log(t->n);
            out->row[out->n].at[2] = (float)log(t->k);
            out->row[out->n++].share =
                (float)log(kernel_roofline_s(g, t->kind, t->m, t->n, t->k) / (us * 1e-6));
        }
        out->end[kind] = out->n;
    }
}

bool weft_kernel_times_has(const struct weft_kernel_times *t, enum weft_kernel_kind kind)
{
    return t->end[kind] > (kind ? t->end[kind - 1] : 0);
}

/* A shape near the one that is looked for. */
struct near {
    double distance2, by[3], share; /* squared; by coordinate; logarithm */
};

/* The nearest shapes, nearest first; returns their number. */
static int kernel_times_nearest(const struct weft_kernel_times *t, enum weft_kernel_kind kind,
                                const double at[3], struct near near[NEAREST])
{
    int found = 0;
    for (uint32_t i = kind ? t->end[kind - 1] : 0; i < t->end[kind]; i++) {
        struct near x = {.share = (double)t->row[i].share};
        for (int d = 0; d < 3; d++) {
            x.by[d] = (double)t->row[i].at[d] - at[d];
            x.distance2 += x.by[d] * x.by[d];
        }
        int place = found < NEAREST ? found++ : NEAREST;
        while (place > 0 && near[place - 1].distance2 > x.distance2) {
            if (place < NEAREST)
                near[place] = near[place - 1];
            place--;
        }
        if (place < NEAREST)
            near[place] = x;
    }
    return found;
}

/* Solves a x = b for the first unknown: Gauss with the pivots of a positive definite matrix. */
static double kernel_times_solve(double a[TERMS][TERMS], double b[TERMS])
{
    for (int i = TERMS - 1; i > 0; i--)
        for (int r = 0; r < i; r++) {
            const double f = a[r][i] / a[i][i];
            for (int c = 0; c < TERMS; c++)
                a[r][c] -= f * a[i][c];
            b[r] -= f * b[i];
        }
    return b[0] / a[0][0];
}

double weft_kernel_share(const struct weft_kernel_times *t, enum weft_kernel_kind kind, double m,
                         double n, double k)
{
    struct near near[NEAREST];
    const double at[3] = {log(m), log(n), log(k)};
    const int found = kernel_times_nearest(t, kind, at, near);
    double a[TERMS][TERMS] = {{0}}, b[TERMS] = {0}, low = INFINITY, high = -INFINITY;
    for (int i = 0; i < found; i++) {
        const double weight = 1 / (near[i].distance2 + 1e-6);
        const double x[TERMS] = {1, near[i].by[0], near[i].by[1], near[i].by[2]};
        for (int r = 0; r < TERMS; r++) {
            for (int c = 0; c < TERMS; c++)
                a[r][c] += weight * x[r] * x[c];
            b[r] += weight * x[r] * near[i].share;
        }
        low = fmin(low, near[i].share);
        high = fmax(high, near[i].share);
    }
    for (int r = 1; r < TERMS; r++)
        a[r][r] += 0.1 * NEAREST; /* no slope along what the eight have in common */
    return exp(fmin(fmax(kernel_times_solve(a, b), low), high));
}

double weft_kernel_s(const struct weft_kernel_times *t, const struct weft_gpu *g,
                     enum weft_kernel_kind kind, double m, double n, double k)
{
    if (m <= 0 || n <= 0 || k <= 0)
        return 0;
    return kernel_roofline_s(g, kind, m, n, k) / weft_kernel_share(t, kind, m, n, k) + g->launch_s;
}

enum { KIND, M, N, K, US, COLUMNS };
static const char *const columns[COLUMNS] = {"kind", "m", "n", "k", "us"};
static const char *const kinds[] = {
#define WEFT_KERNEL_KIND(symbol, name, what) name,
#include "workload/training/kernel_kinds.def"
#undef WEFT_KERNEL_KIND
};

/* What has been read of a file. */
struct reading {
    struct weft_kernel_time *time;
    size_t n;
};

static int kernel_times_line(struct weft_csv_table *t, void *ctx)
{
    struct reading *in = ctx;
    struct weft_kernel_time x = {.m = 1, .n = 1, .k = 1};
    double *const sizes[] = {&x.m, &x.n, &x.k};
    const int kind = weft_csv_table_word(t, KIND, kinds, WEFT_KERNEL_KINDS);
    if (kind < 0)
        return t->err->code;
    x.kind = (enum weft_kernel_kind)kind;
    for (int i = 0; i < 3; i++) {
        if (*t->field[M + i] && weft_csv_table_number(t, M + i, 1e15, sizes[i]))
            return t->err->code;
        if (!(*sizes[i] >= 1))
            return weft_csv_table_err(t, M + i, "%s is '%s', but must be at least 1",
                                      columns[M + i], t->field[M + i]);
    }
    if (weft_csv_table_number(t, US, 1e9, &x.us))
        return t->err->code;
    if (!(x.us > 0))
        return weft_csv_table_err(t, US, "us is '%s', but must be above 0", t->field[US]);
    if (in->n == WEFT_KERNEL_TIMES_MAX)
        return weft_err_at(t->err, WEFT_E_LIMIT, t->path, t->line, 1, "more than %d kernels",
                           WEFT_KERNEL_TIMES_MAX);
    in->time[in->n++] = x;
    return 0;
}

int weft_kernel_times_read(const char *path, const struct weft_gpu *g,
                           struct weft_kernel_times *out, struct weft_err *err)
{
    struct reading in = {.time = calloc(WEFT_KERNEL_TIMES_MAX, sizeof *in.time)};
    int rc = in.time ? weft_csv_table_read(path, columns, COLUMNS, kernel_times_line, &in, err)
                     : weft_err_no_memory(err, "kernel times");
    if (!rc) {
        weft_kernel_times_fill(out, g, in.time, in.n);
        if (!weft_kernel_times_has(out, WEFT_KERNEL_KIND_GEMM))
            rc = weft_err_at(err, WEFT_E_INPUT, path, 1, 1, "no line of the kind gemm");
    }
    free(in.time);
    return rc;
}
