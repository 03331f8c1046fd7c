/* SPDX-License-Identifier: GPL-2.0-only */
/* FCT slowdown per flow size. */
#include "foreign/hpcc/slowdown.h"

#include "base/csv.h"
#include "base/units.h"

#include <stdlib.h>

static int by_size(const void *va, const void *vb)
{
    const struct weft_hpcc_fct *a = (const struct weft_hpcc_fct *)va;
    const struct weft_hpcc_fct *b = (const struct weft_hpcc_fct *)vb;
    if (a->bytes != b->bytes)
        return a->bytes < b->bytes ? -1 : 1;
    return a->slowdown < b->slowdown ? -1 : a->slowdown > b->slowdown;
}

static int by_slowdown(const void *va, const void *vb)
{
    const struct weft_hpcc_fct *a = (const struct weft_hpcc_fct *)va;
    const struct weft_hpcc_fct *b = (const struct weft_hpcc_fct *)vb;
    return a->slowdown < b->slowdown ? -1 : a->slowdown > b->slowdown;
}

static double at(const struct weft_hpcc_fct *list, size_t n, size_t percent)
{
    return list[n * percent / 100].slowdown;
}

/* Sums up @p n flows, and leaves them sorted by slowdown. */
static struct weft_hpcc_bucket hpcc_slowdown_sum_up(struct weft_hpcc_fct *list, size_t n)
{
    struct weft_hpcc_bucket b = {.flows = n};
    double sum = 0;
    if (n == 0)
        return b;
    qsort(list, n, sizeof *list, by_slowdown);
    for (size_t i = 0; i < n; i++) {
        sum += list[i].slowdown;
        if (list[i].bytes > b.max_bytes)
            b.max_bytes = list[i].bytes;
    }
    b.mean = sum / (double)n;
    b.p50 = at(list, n, 50);
    b.p95 = at(list, n, 95);
    b.p99 = at(list, n, 99);
    return b;
}

void weft_hpcc_slowdown(struct weft_hpcc_fct *list, size_t n,
                        struct weft_hpcc_bucket out[WEFT_HPCC_BUCKETS + 1])
{
    if (n)
        qsort(list, n, sizeof *list, by_size);
    for (size_t i = 0; i < WEFT_HPCC_BUCKETS; i++) {
        size_t from = i * n / WEFT_HPCC_BUCKETS, to = (i + 1) * n / WEFT_HPCC_BUCKETS;
        out[i] = n ? hpcc_slowdown_sum_up(list + from, to - from) : (struct weft_hpcc_bucket){0};
    }
    out[WEFT_HPCC_BUCKETS] = n ? hpcc_slowdown_sum_up(list, n) : (struct weft_hpcc_bucket){0};
}

/* How many percent of the flows are at most as large as those of bucket @p i. */
static unsigned percent(size_t i)
{
    return (unsigned)((i + 1) * 100 / WEFT_HPCC_BUCKETS);
}

void weft_hpcc_slowdown_text(FILE *out, const struct weft_hpcc_bucket b[WEFT_HPCC_BUCKETS + 1])
{
    char size[WEFT_UNIT_TEXT_MAX];
    fprintf(out, "slowdown (fct / standalone) by flow size\n");
    fprintf(out, "  %-10s %-12s %8s %8s %8s %8s %8s\n", "flows", "up to size", "number", "mean",
            "p50", "p95", "p99");
    for (size_t i = 0; i <= WEFT_HPCC_BUCKETS; i++) {
        char name[16];
        if (b[i].flows == 0)
            continue;
        if (i < WEFT_HPCC_BUCKETS)
            snprintf(name, sizeof name, "%u-%u%%", percent(i) - 100 / WEFT_HPCC_BUCKETS,
                     percent(i));
        else
            snprintf(name, sizeof name, "all");
        fprintf(out, "  %-10s %-12s %8zu %8.3f %8.3f %8.3f %8.3f\n", name,
                weft_human_size(b[i].max_bytes, size), b[i].flows, b[i].mean, b[i].p50, b[i].p95,
                b[i].p99);
    }
}

int weft_hpcc_slowdown_csv(const char *path, const struct weft_hpcc_bucket b[WEFT_HPCC_BUCKETS + 1],
                           struct weft_err *err)
{
    static const char *const columns[] = {"upto_pct",      "max_bytes",    "flows",
                                          "slowdown_mean", "slowdown_p50", "slowdown_p95",
                                          "slowdown_p99"};
    struct weft_csv *csv = weft_csv_open(path, columns, sizeof columns / sizeof columns[0], err);
    if (!csv)
        return err->code;
    int rc = 0;
    for (size_t i = 0; !rc && i < WEFT_HPCC_BUCKETS; i++) {
        if (b[i].flows == 0)
            continue;
        weft_csv_u64(csv, percent(i));
        weft_csv_u64(csv, b[i].max_bytes);
        weft_csv_u64(csv, b[i].flows);
        weft_csv_f64(csv, b[i].mean, 6);
        weft_csv_f64(csv, b[i].p50, 6);
        weft_csv_f64(csv, b[i].p95, 6);
        weft_csv_f64(csv, b[i].p99, 6);
        rc = weft_csv_row(csv, err);
    }
    if (rc)
        weft_csv_close(csv, NULL);
    else
        rc = weft_csv_close(csv, err);
    return rc;
}
