/* SPDX-License-Identifier: GPL-2.0-only */
/* Distributions of flow sizes. */
#include "base/cdf.h"

#include "base/grow.h"
#include "base/scan.h"

#include <inttypes.h>
#include <stdlib.h>

static int add_point(struct weft_cdf *c, size_t *cap, double bytes, double percent,
                     struct weft_err *err)
{
    size_t same = *cap;
    if (!WEFT_GROW(c->bytes, c->n, &same) || !WEFT_GROW(c->percent, c->n, cap))
        return weft_err_no_memory(err, "flow sizes");
    c->bytes[c->n] = bytes;
    c->percent[c->n++] = percent;
    return 0;
}

static int base_cdf_read_all(struct weft_scan *s, struct weft_cdf *c, struct weft_err *err)
{
    size_t cap = 0;
    while (weft_scan_next(s)) {
        double bytes, percent;
        int64_t line = s->tok_line;
        s->again = true; /* it was only looked at: read it as a number */
        int rc = weft_scan_f64(s, "a flow size", &bytes, err);
        if (!rc && !(bytes >= 0 && bytes <= 1e18))
            rc = weft_scan_err(s, err, WEFT_E_INPUT,
                               "a flow size must be from 0 to 10^18, got '%s'", s->tok);
        if (!rc && c->n && !(bytes >= c->bytes[c->n - 1]))
            rc =
                weft_scan_err(s, err, WEFT_E_INPUT, "sizes must not decrease, but %s follows %.17g",
                              s->tok, c->bytes[c->n - 1]);
        if (!rc)
            rc = weft_scan_f64(s, "the percentile of that size", &percent, err);
        if (!rc && s->tok_line != line)
            rc = weft_scan_err(s, err, WEFT_E_INPUT,
                               "line %" PRId64 " has a size without a percentile", line);
        if (!rc && c->n == 0 && percent != 0)
            rc = weft_scan_err(s, err, WEFT_E_INPUT, "the first percentile must be 0, got '%s'",
                               s->tok);
        if (!rc && c->n && !(percent >= c->percent[c->n - 1] && percent <= 100))
            rc = weft_scan_err(s, err, WEFT_E_INPUT,
                               "percentiles must increase up to 100, but '%s' follows %.17g",
                               s->tok, c->percent[c->n - 1]);
        if (!rc && c->n && percent == c->percent[c->n - 1] && bytes == c->bytes[c->n - 1])
            rc = weft_scan_err(s, err, WEFT_E_INPUT, "%.17g %s is there twice", bytes, s->tok);
        if (!rc)
            rc = add_point(c, &cap, bytes, percent, err);
        if (rc)
            return rc;
    }
    if (c->n < 2)
        return weft_scan_err(s, err, WEFT_E_INPUT,
                             "a distribution needs at least two lines 'size percent'");
    if (c->percent[c->n - 1] == 1) /* probabilities */
        for (size_t i = 0; i < c->n; i++)
            c->percent[i] *= 100;
    if (c->percent[c->n - 1] != 100)
        return weft_scan_err(s, err, WEFT_E_INPUT, "the last percentile must be 100, not %.17g",
                             c->percent[c->n - 1]);
    return 0;
}

/* Flows have whole bytes, at least one: what the sizes below that add to the mean. */
static double added_bytes(const struct weft_cdf *c)
{
    double sum = 0;
    for (size_t i = 1; i < c->n && c->bytes[i - 1] < 1; i++) {
        const double top = c->bytes[i] < 1 ? c->bytes[i] : 1, low = c->bytes[i - 1];
        const double part = c->bytes[i] > low ? (top - low) / (c->bytes[i] - low) : 1;
        sum += (1 - (low + top) / 2) * (c->percent[i] - c->percent[i - 1]) / 100 * part;
    }
    return sum;
}

static int check_bytes(const struct weft_scan *s, const struct weft_cdf *c, struct weft_err *err)
{
    const double mean = weft_cdf_mean_bytes(c), played = mean + added_bytes(c);
    if (played <= 1.01 * mean)
        return 0;
    return weft_scan_err(
        s, err, WEFT_E_INPUT,
        "sizes are in bytes, and a flow has at least one: with a mean of %.3g the load "
        "would be %.3g times the requested one; are these another unit?",
        mean, played / mean);
}

struct weft_cdf *weft_cdf_read(const char *path, struct weft_err *err)
{
    struct weft_scan s = {0};
    struct weft_cdf *c = weft_err_calloc(1, sizeof *c, "flow sizes", err);
    if (!c)
        return NULL;
    int rc = weft_scan_open(&s, path, err);
    if (!rc)
        rc = base_cdf_read_all(&s, c, err);
    if (!rc)
        rc = check_bytes(&s, c, err);
    weft_scan_close(&s);
    if (rc) {
        weft_cdf_free(c);
        return NULL;
    }
    return c;
}

struct weft_cdf *weft_cdf_copy(const struct weft_cdf *c, struct weft_err *err)
{
    struct weft_cdf *n = (struct weft_cdf *)calloc(1, sizeof *n);
    size_t cap = 0;
    int rc = n ? 0 : weft_err_no_memory(err, "flow sizes");
    for (size_t i = 0; !rc && i < c->n; i++)
        rc = add_point(n, &cap, c->bytes[i], c->percent[i], err);
    if (!rc)
        return n;
    weft_cdf_free(n);
    return NULL;
}

void weft_cdf_free(struct weft_cdf *c)
{
    if (!c)
        return;
    free(c->bytes);
    free(c->percent);
    free(c);
}

double weft_cdf_mean_bytes(const struct weft_cdf *c)
{
    double sum = 0;
    for (size_t i = 1; i < c->n; i++)
        sum += (c->bytes[i] + c->bytes[i - 1]) / 2 * (c->percent[i] - c->percent[i - 1]) / 100;
    return sum;
}

double weft_cdf_quantile_bytes(const struct weft_cdf *c, double percent)
{
    size_t low = 0, high = c->n - 1; /* percent[low] <= percent <= percent[high] */
    while (high - low > 1) {
        size_t mid = low + (high - low) / 2;
        if (c->percent[mid] < percent)
            low = mid;
        else
            high = mid;
    }
    const double wide = c->percent[high] - c->percent[low];
    if (!(wide > 0)) /* the first percentile, of several sizes */
        return c->bytes[high];
    return c->bytes[low] + (c->bytes[high] - c->bytes[low]) * (percent - c->percent[low]) / wide;
}
