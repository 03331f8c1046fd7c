/* SPDX-License-Identifier: GPL-2.0-only */
/* The mean of a few values and its confidence interval. */
#include "report/quantiles.h"

#include <math.h>

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

double weft_mean_ci95(const double *v, size_t n, double *mean)
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
