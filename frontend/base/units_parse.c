/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Quantities with units: text to integers.
 *
 * A decimal number is held as mantissa / 10^decimals in 128 bits and multiplied by the unit's
 * whole factor; powers of ten are cancelled as twos and fives on both sides, so that the result is
 * exact or the value isn't a whole number of the base unit. No floating point takes part.
 */
#include "base/int128.h"
#include "base/units.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

typedef weft_u128 u128;

/* A decimal number, and what follows it. */
struct number {
    u128 mantissa;
    unsigned decimals;  /* value = mantissa / 10^decimals; no trailing zero among them */
    int start, len;     /* the number's own characters in the text */
    int unit, unit_len; /* the unit's characters, without blanks around it */
};

/* A unit's name and its factor to the base unit. */
struct unit {
    const char *name;
    uint64_t factor;
};

/* What a quantity is called, and its units in the order in which they are suggested. */
struct quantity {
    const char *what;     /* "time" */
    const char *base;     /* "picoseconds" */
    const char *listing;  /* the units, for error messages */
    const char *max_text; /* the largest value, for error messages */
    uint64_t max;
    const struct unit *units;
    size_t n_units;
    bool (*same_unit)(const char *given, size_t len, const char *name);
};

#define CLIP 60 /* characters of the user's text that a message quotes */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Reads "[digits][.digits] unit". Blanks at both ends and before the unit are skipped. */
static int scan_number(const char *text, const char *what, struct number *n, struct weft_err *err)
{
    const char *p = text;
    memset(n, 0, sizeof *n);
    while (is_blank(*p))
        p++;
    if (*p == '\0')
        return weft_err_set(err, WEFT_E_INPUT, "an empty text is not a %s", what);
    if (*p == '-')
        return weft_err_set(err, WEFT_E_INPUT, "'%.*s' is negative; a %s must not be", CLIP, text,
                            what);
    n->start = (int)(p - text);
    bool any = false, point = false;
    unsigned zeros = 0; /* zeros after the point that no other digit has followed yet */
    for (;; p++) {
        if (*p == '.' && !point && is_digit(p[1])) {
            point = true;
            continue;
        }
        if (!is_digit(*p))
            break;
        any = true;
        const unsigned digit = (unsigned)(*p - '0');
        if (point && digit == 0) {
            zeros++;
            continue;
        }
        for (unsigned k = 0; k < (point ? zeros + 1 : 1); k++) {
            if (n->mantissa > (~(u128)0 - 9) / 10)
                return weft_err_set(err, WEFT_E_INPUT, "'%.*s' has too many digits", CLIP, text);
            n->mantissa *= 10;
        }
        n->mantissa += digit;
        if (point)
            n->decimals += zeros + 1;
        zeros = 0;
    }
    if (!any)
        return weft_err_set(err, WEFT_E_INPUT, "'%.*s' is not a %s: it must start with a number",
                            CLIP, text, what);
    n->len = (int)(p - text) - n->start;
    while (is_blank(*p))
        p++;
    n->unit = (int)(p - text);
    size_t rest = strlen(p);
    while (rest > 0 && is_blank(p[rest - 1]))
        rest--;
    n->unit_len = (int)rest;
    if (n->mantissa == 0)
        n->decimals = 0;
    return 0;
}

/* out = n * factor, exactly. Returns 0, or 1 when it isn't whole, or 2 when it is above @p max. */
static int scale(const struct number *n, uint64_t factor, uint64_t max, uint64_t *out)
{
    static const unsigned primes[2] = {2, 5};
    u128 m = n->mantissa;
    for (unsigned i = 0; i < n->decimals; i++) {
        for (int k = 0; k < 2; k++) {
            if (m % primes[k] == 0)
                m /= primes[k];
            else if (factor % primes[k] == 0)
                factor /= primes[k];
            else
                return 1;
        }
    }
    if (m > max / factor)
        return 2;
    *out = (uint64_t)m * factor;
    return 0;
}

/* The unit that the user most likely meant, or NULL: one that begins alike, else the nearest. */
static const char *suggest_unit(const struct quantity *q, const char *given)
{
    const char *names[16];
    const size_t len = strlen(given);
    for (size_t i = 0; i < q->n_units; i++)
        names[i] = q->units[i].name;
    /* "kb" for a size differs from a unit in case only: that one, not the first that starts with a
     * k. */
    for (size_t i = 0; i < q->n_units; i++)
        if (strcasecmp(names[i], given) == 0)
            return names[i];
    for (size_t i = 0; i < q->n_units; i++)
        if (strncasecmp(names[i], given, len) == 0)
            return names[i];
    return weft_nearest(given, names, q->n_units);
}

static int unknown_unit(const struct quantity *q, const char *text, const struct number *n,
                        struct weft_err *err)
{
    char given[CLIP + 1];
    snprintf(given, sizeof given, "%.*s", n->unit_len, text + n->unit);
    const char *meant = suggest_unit(q, given);
    if (meant)
        return weft_err_set(err, WEFT_E_INPUT,
                            "unknown unit '%s' in '%.*s'; did you mean %s? (units of %s: %s)",
                            given, CLIP, text, meant, q->what, q->listing);
    return weft_err_set(err, WEFT_E_INPUT, "unknown unit '%s' in '%.*s'; units of %s are %s", given,
                        CLIP, text, q->what, q->listing);
}

/* Says what a number without unit could have meant: itself in the base unit, or a likely unit. */
static int missing_unit(const struct quantity *q, const char *text, const struct number *n,
                        struct weft_err *err)
{
    const int len = n->len < CLIP ? n->len : CLIP;
    const char *number = text + n->start;
    const int whole = n->decimals == 0 && n->mantissa <= q->max;
    char pretty[WEFT_UNIT_TEXT_MAX];
    switch (q->what[0]) {
    case 's':
        if (whole && n->mantissa >= 1000) {
            weft_format_size((uint64_t)n->mantissa, pretty);
            const int longer = strncmp(pretty, number, (size_t)len) != 0;
            return weft_err_set(err, WEFT_E_INPUT,
                                "'%.*s' has no unit; write for example %.*sB%s%s", len, number, len,
                                number, longer ? " or " : "", longer ? pretty : "");
        }
        return weft_err_set(err, WEFT_E_INPUT,
                            "'%.*s' has no unit; write for example %.*s%s or %.*sKiB", len, number,
                            len, number, whole ? "B" : "MB", len, number);
    case 'r':
        if (whole && n->mantissa >= 1000000)
            return weft_err_set(err, WEFT_E_INPUT,
                                "'%.*s' has no unit; write for example %.*sbps or %s", len, number,
                                len, number, weft_format_rate((uint64_t)n->mantissa, pretty));
        return weft_err_set(err, WEFT_E_INPUT,
                            "'%.*s' has no unit; write for example %.*sGbps or %.*sMbps", len,
                            number, len, number, len, number);
    default:
        return weft_err_set(err, WEFT_E_INPUT,
                            "'%.*s' has no unit; write for example %.*sns, %.*sus or %.*ss", len,
                            number, len, number, len, number, len, number);
    }
}

static int parse_quantity(const struct quantity *q, const char *text, uint64_t *out,
                          struct weft_err *err)
{
    struct number n;
    if (!text)
        text = "";
    int rc = scan_number(text, q->what, &n, err);
    if (rc)
        return rc;
    if (n.unit_len == 0) {
        if (n.mantissa != 0)
            return missing_unit(q, text, &n, err);
        *out = 0;
        return 0;
    }
    for (size_t i = 0; i < q->n_units; i++) {
        if (!q->same_unit(text + n.unit, (size_t)n.unit_len, q->units[i].name))
            continue;
        switch (scale(&n, q->units[i].factor, q->max, out)) {
        case 0:
            return 0;
        case 1:
            return weft_err_set(err, WEFT_E_INPUT, "'%.*s' is not a whole number of %s", CLIP, text,
                                q->base);
        default:
            return weft_err_set(err, WEFT_E_INPUT, "'%.*s' is too large; the largest %s is %s",
                                CLIP, text, q->what, q->max_text);
        }
    }
    return unknown_unit(q, text, &n, err);
}

/* Letter case never matters in a time. */
static bool same_time_unit(const char *given, size_t len, const char *name)
{
    return strlen(name) == len && strncasecmp(given, name, len) == 0;
}

/* In a size and a rate, a letter's case matters for B (byte) and b (bit) only. */
static bool same_letters(const char *given, size_t len, const char *name)
{
    if (strlen(name) != len)
        return false;
    for (size_t i = 0; i < len; i++) {
        const char g = given[i], c = name[i];
        if (g == 'b' || g == 'B' ? g != c : tolower((unsigned char)g) != tolower((unsigned char)c))
            return false;
    }
    return true;
}

/* "Gb/s" and "Gbit/s" are other spellings of "Gbps", and "GBps" is one of "GB/s". */
static bool same_rate_unit(const char *given, size_t len, const char *name)
{
    char canon[8];
    size_t n = 0;
    while (n < len && n < 3 && given[n] != 'b' && given[n] != 'B') {
        canon[n] = given[n];
        n++;
    }
    if (n == len || n == 3)
        return false;
    const char *tail = given + n + 1;
    size_t tail_len = len - n - 1;
    int bit = given[n] == 'b';
    if (tail_len > 2 && strncasecmp(tail, "it", 2) == 0) {
        bit = 1; /* a written-out "Bit" is one */
        tail += 2;
        tail_len -= 2;
    }
    if (tail_len != 2 || (strncasecmp(tail, "ps", 2) != 0 && strncasecmp(tail, "/s", 2) != 0))
        return false;
    memcpy(canon + n, bit ? "bps" : "B/s", 4);
    return same_letters(canon, n + 3, name);
}

#define K UINT64_C(1000)
#define KI UINT64_C(1024)

static const struct unit time_units[] = {
    {"ns", K},
    {"us", K *K},
    {"ms", K *K *K},
    {"s", K *K *K *K},
    {"ps", 1},
    {"min", 60 * K *K *K *K},
    {"h", 3600 * K *K *K *K},
};

static const struct unit size_units[] = {
    {"B", 1},    {"KB", K},       {"MB", K *K},        {"GB", K *K *K},         {"TB", K *K *K *K},
    {"KiB", KI}, {"MiB", KI *KI}, {"GiB", KI *KI *KI}, {"TiB", KI *KI *KI *KI},
};

static const struct unit rate_units[] = {
    {"Gbps", K *K *K},
    {"Mbps", K *K},
    {"Tbps", K *K *K *K},
    {"kbps", K},
    {"bps", 1},
    {"GB/s", 8 * K *K *K},
    {"MB/s", 8 * K *K},
    {"TB/s", 8 * K *K *K *K},
    {"KB/s", 8 * K},
    {"B/s", 8},
    {"GiB/s", 8 * KI *KI *KI},
    {"MiB/s", 8 * KI *KI},
    {"TiB/s", 8 * KI *KI *KI *KI},
    {"KiB/s", 8 * KI},
};

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static const struct quantity quantity_time = {
    "time",    "picoseconds", "ps ns us ms s min h", "9223372036854775807ps, about 106 days",
    INT64_MAX, time_units,    COUNT(time_units),     same_time_unit};
static const struct quantity quantity_size = {"size",
                                              "bytes",
                                              "B KB MB GB TB KiB MiB GiB TiB",
                                              "18446744073709551615B",
                                              UINT64_MAX,
                                              size_units,
                                              COUNT(size_units),
                                              same_letters};
static const struct quantity quantity_rate = {
    "rate",
    "bit/s",
    "bps kbps Mbps Gbps Tbps, or B/s KB/s MB/s GB/s TB/s KiB/s MiB/s GiB/s TiB/s",
    "18446744073709551615bps",
    UINT64_MAX,
    rate_units,
    COUNT(rate_units),
    same_rate_unit};

int weft_parse_time_ps(const char *text, int64_t *out_ps, struct weft_err *err)
{
    uint64_t ps = 0;
    int rc = parse_quantity(&quantity_time, text, &ps, err);
    if (rc == 0)
        *out_ps = (int64_t)ps;
    return rc;
}

int weft_parse_size_bytes(const char *text, uint64_t *out_bytes, struct weft_err *err)
{
    return parse_quantity(&quantity_size, text, out_bytes, err);
}

int weft_parse_rate_bps(const char *text, uint64_t *out_bps, struct weft_err *err)
{
    return parse_quantity(&quantity_rate, text, out_bps, err);
}

int weft_parse_u64(const char *text, uint64_t *out, struct weft_err *err)
{
    struct number n;
    if (!text)
        text = "";
    int rc = scan_number(text, "count", &n, err);
    if (rc)
        return rc;
    if (n.unit_len != 0)
        return weft_err_set(err, WEFT_E_INPUT,
                            "'%.*s' is not a count: it must be a whole number without unit", CLIP,
                            text);
    if (memchr(text + n.start, '.', (size_t)n.len))
        return weft_err_set(err, WEFT_E_INPUT, "'%.*s' is not a whole number", CLIP, text);
    if (n.mantissa > UINT64_MAX)
        return weft_err_set(err, WEFT_E_INPUT,
                            "'%.*s' is too large; the largest count is 18446744073709551615", CLIP,
                            text);
    *out = (uint64_t)n.mantissa;
    return 0;
}
