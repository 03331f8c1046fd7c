/* SPDX-License-Identifier: GPL-2.0-only */
/* Percentiles of a stream of values in bounded memory. */
#include "report/quantiles.h"

#include "base/compare.h"
#include "base/grow.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* A bin is an exponent and the upper bits of a mantissa, as a double has them; those of values from
 * 2^-1 to 2^64, and one for smaller ones. */
enum { BITS = 12, FIRST_EXPONENT = 1022, EXPONENTS = 65, NBINS = (EXPONENTS << BITS) + 1 };

static size_t bin_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    const uint64_t at = bits >> (52 - BITS), first = (uint64_t)FIRST_EXPONENT << BITS;
    if (at < first)
        return 0;
    return at - first < NBINS - 1 ? (size_t)(at - first) + 1 : NBINS - 1;
}

/* The lower end of a bin that is not the first. */
static double edge_of(size_t bin)
{
    const uint64_t bits = ((uint64_t)(bin - 1) + ((uint64_t)FIRST_EXPONENT << BITS)) << (52 - BITS);
    double edge;
    memcpy(&edge, &bits, sizeof edge);
    return edge;
}

/* Counts what was kept in bins. */
static int to_bins(struct weft_quantiles *q, struct weft_err *err)
{
    q->bins = (uint64_t *)calloc(NBINS, sizeof *q->bins);
    if (!q->bins)
        return weft_err_no_memory(err, "the statistics of messages");
    for (size_t i = 0; i < q->n; i++)
        q->bins[bin_of(q->values[i])]++;
    free(q->values);
    q->values = NULL;
    return 0;
}

int weft_quantiles_add(struct weft_quantiles *q, double value, struct weft_err *err)
{
    if (q->n == WEFT_QUANTILES_EXACT && !q->bins && to_bins(q, err))
        return err ? err->code : WEFT_E_LIMIT;
    if (!q->bins && !WEFT_GROW(q->values, q->n, &q->cap))
        return weft_err_no_memory(err, "the statistics of messages");
    if (q->bins)
        q->bins[bin_of(value)]++;
    else
        q->values[q->n] = value;
    q->max = q->n == 0 || value > q->max ? value : q->max;
    q->n++;
    return 0;
}

int weft_quantiles_copy(struct weft_quantiles *to, const struct weft_quantiles *from,
                        struct weft_err *err)
{
    const size_t size = from->bins ? NBINS * sizeof *from->bins : from->n * sizeof *from->values;
    void *copy = malloc(size ? size : 1);
    if (!copy)
        return weft_err_no_memory(err, "the statistics of messages");
    if (size)
        memcpy(copy, from->bins ? (const void *)from->bins : from->values, size);
    *to = *from;
    to->values = from->bins ? NULL : (double *)copy;
    to->bins = from->bins ? (uint64_t *)copy : NULL;
    to->cap = from->bins ? from->cap : from->n;
    return 0;
}

/* The bits of numbers that are not negative are in the order of the numbers: they are sorted by
 * DIGIT_BITS of them at a time, from the lowest on, which is several times as fast as comparing. */
enum { DIGIT_BITS = 11, DIGITS = 6, FEW = 512 };

static unsigned digit(double v, unsigned place)
{
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    return (unsigned)(bits >> place * DIGIT_BITS) & ((1u << DIGIT_BITS) - 1);
}

/* Moves all to @p to by a digit. False: all have the same, nothing was done. */
static bool sort_by(unsigned place, const double *from, double *to, size_t n)
{
    size_t begin[1u << DIGIT_BITS] = {0}, sum = 0;
    for (size_t i = 0; i < n; i++)
        begin[digit(from[i], place)]++;
    if (begin[digit(from[0], place)] == n)
        return false;
    for (unsigned d = 0; d < 1u << DIGIT_BITS; d++) {
        const size_t many = begin[d];
        begin[d] = sum;
        sum += many;
    }
    for (size_t i = 0; i < n; i++)
        to[begin[digit(from[i], place)]++] = from[i];
    return true;
}

static bool is_sorted(const struct weft_quantiles *q)
{
    for (size_t i = 1; i < q->n; i++)
        if (q->values[i - 1] > q->values[i])
            return false;
    return true;
}

void weft_quantiles_sort(struct weft_quantiles *q)
{
    if (!q->values || is_sorted(q))
        return;
    double *from = q->values, *to = q->n > FEW ? (double *)malloc(q->n * sizeof *to) : NULL;
    if (!to) {
        qsort(q->values, q->n, sizeof *q->values, weft_by_f64);
        return;
    }
    for (unsigned place = 0; place < DIGITS; place++)
        if (sort_by(place, from, to, q->n)) {
            double *was = from;
            from = to;
            to = was;
        }
    free(to);
    q->values = from;
    q->cap = q->n;
}

double weft_quantile(const struct weft_quantiles *q, double percent)
{
    const size_t permille = (size_t)(percent * 10 + 0.5);
    const size_t nearest = q->n / 1000 * permille + (q->n % 1000 * permille + 999) / 1000;
    const size_t rank = nearest ? nearest : 1;
    if (!q->bins)
        return q->values[rank - 1];
    uint64_t seen = q->bins[0];
    size_t bin = 0;
    while (seen < rank && bin < NBINS - 1)
        seen += q->bins[++bin];
    const double middle = bin == 0 ? 0 : (edge_of(bin) + edge_of(bin + 1)) / 2;
    return middle < q->max ? middle : q->max;
}

void weft_quantiles_free(struct weft_quantiles *q)
{
    free(q->values);
    free(q->bins);
    *q = (struct weft_quantiles){0};
}
