/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Quantities with units: integers to text, exactly (weft_format_*) or for people (weft_human_*).
 */
#include "base/units.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

struct unit {
    const char *name;
    uint64_t factor;
};

#define K UINT64_C(1000)
#define KI UINT64_C(1024)
#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* Each largest first, ending in the unit that prints anything. */
static const struct unit time_units[] = {
    {"s", K *K *K *K}, {"ms", K *K *K}, {"us", K *K}, {"ns", K}, {"ps", 1}};
static const struct unit size_units[] = {{"TiB", KI *KI *KI *KI},
                                         {"TB", K *K *K *K},
                                         {"GiB", KI *KI *KI},
                                         {"GB", K *K *K},
                                         {"MiB", KI *KI},
                                         {"MB", K *K},
                                         {"KiB", KI},
                                         {"KB", K},
                                         {"B", 1}};
static const struct unit decimal_size_units[] = {
    {"TB", K *K *K *K}, {"GB", K *K *K}, {"MB", K *K}, {"KB", K}, {"B", 1}};
static const struct unit rate_units[] = {
    {"Tbps", K *K *K *K}, {"Gbps", K *K *K}, {"Mbps", K *K}, {"kbps", K}, {"bps", 1}};

static uint64_t magnitude(int64_t v)
{
    return v < 0 ? -(uint64_t)v : (uint64_t)v;
}

/* Prints in the largest decimal unit of which there is at least one and that needs at most 3
 * decimals. */
static void format_decimal(const char *sign, uint64_t v, const struct unit *u, size_t n, char *buf)
{
    size_t i = 0;
    while (i + 1 < n && (v < u[i].factor || v % (u[i].factor >= K ? u[i].factor / K : 1) != 0))
        i++;
    uint64_t thousandths = u[i].factor >= K ? v % u[i].factor / (u[i].factor / K) : 0;
    char decimals[8] = "";
    if (thousandths != 0) {
        int len = snprintf(decimals, sizeof decimals, ".%03" PRIu64, thousandths);
        while (decimals[len - 1] == '0')
            decimals[--len] = '\0';
    }
    snprintf(buf, WEFT_UNIT_TEXT_MAX, "%s%" PRIu64 "%s%s", sign, v / u[i].factor, decimals,
             u[i].name);
}

const char *weft_format_time(int64_t ps, char buf[WEFT_UNIT_TEXT_MAX])
{
    const uint64_t v = magnitude(ps);
    const char *sign = ps < 0 ? "-" : "";
    const uint64_t minute = 60 * (uint64_t)WEFT_PS_PER_S, hour = 60 * minute;
    if (v == 0)
        snprintf(buf, WEFT_UNIT_TEXT_MAX, "0ps");
    else if (v % hour == 0)
        snprintf(buf, WEFT_UNIT_TEXT_MAX, "%s%" PRIu64 "h", sign, v / hour);
    else if (v % minute == 0)
        snprintf(buf, WEFT_UNIT_TEXT_MAX, "%s%" PRIu64 "min", sign, v / minute);
    else
        format_decimal(sign, v, time_units, COUNT(time_units), buf);
    return buf;
}

const char *weft_format_size(uint64_t bytes, char buf[WEFT_UNIT_TEXT_MAX])
{
    size_t best = COUNT(size_units) - 1;
    if (bytes != 0) {
        /* Whole units only; the one that leaves the smallest number. */
        best = 0;
        while (bytes % size_units[best].factor != 0)
            best++;
    }
    snprintf(buf, WEFT_UNIT_TEXT_MAX, "%" PRIu64 "%s", bytes / size_units[best].factor,
             size_units[best].name);
    return buf;
}

const char *weft_format_rate(uint64_t bps, char buf[WEFT_UNIT_TEXT_MAX])
{
    format_decimal("", bps, rate_units, COUNT(rate_units), buf);
    return buf;
}

/* Four significant digits; a value that rounds up to 1000 of a unit is 1 of the next. */
static void human(double v, const struct unit *u, size_t n, char *buf)
{
    char digits[32];
    size_t i = 0;
    while (i + 1 < n && fabs(v) / (double)u[i].factor < 0.99995)
        i++;
    const double scaled = v / (double)u[i].factor;
    /* %g would turn to an exponent above the largest unit and below the smallest. */
    snprintf(digits, sizeof digits, fabs(scaled) >= 9999.5 && fabs(scaled) < 1e15 ? "%.0f" : "%.4g",
             scaled);
    snprintf(buf, WEFT_UNIT_TEXT_MAX, "%s %s", digits, u[i].name);
}

const char *weft_human_time(int64_t ps, char buf[WEFT_UNIT_TEXT_MAX])
{
    human((double)ps, time_units, COUNT(time_units), buf);
    return buf;
}

const char *weft_human_size(uint64_t bytes, char buf[WEFT_UNIT_TEXT_MAX])
{
    human((double)bytes, decimal_size_units, COUNT(decimal_size_units), buf);
    return buf;
}

const char *weft_human_rate(double bps, char buf[WEFT_UNIT_TEXT_MAX])
{
    human(bps, rate_units, COUNT(rate_units), buf);
    return buf;
}

const char *weft_ps_as_ns(int64_t ps, char buf[WEFT_UNIT_TEXT_MAX])
{
    const uint64_t v = magnitude(ps);
    snprintf(buf, WEFT_UNIT_TEXT_MAX, "%s%" PRIu64 ".%03" PRIu64, ps < 0 ? "-" : "", v / K, v % K);
    return buf;
}
