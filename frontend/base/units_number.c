/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Dimensionless values: real numbers and truth values, text to number and back.
 *
 * Assumes the "C" locale for the decimal point, which a program has unless it calls setlocale.
 */
#include "base/units.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define CLIP 60
#define NUMBER_MAX 512 /* longest real number that is read */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Length of the decimal number at @p s: "[-+]digits[.digits][e[-+]digits]", 0 when there is none.
 */
static size_t decimal_length(const char *s, int *has_exponent)
{
    size_t i = 0, digits = 0;
    *has_exponent = 0;
    if (s[i] == '-' || s[i] == '+')
        i++;
    for (; s[i] >= '0' && s[i] <= '9'; i++)
        digits++;
    if (s[i] == '.' && s[i + 1] >= '0' && s[i + 1] <= '9') {
        for (i++; s[i] >= '0' && s[i] <= '9'; i++)
            digits++;
    }
    if (digits == 0)
        return 0;
    if (s[i] == 'e' || s[i] == 'E') {
        size_t j = i + 1;
        if (s[j] == '-' || s[j] == '+')
            j++;
        if (s[j] >= '0' && s[j] <= '9') {
            while (s[j] >= '0' && s[j] <= '9')
                j++;
            *has_exponent = 1;
            i = j;
        }
    }
    return i;
}

static int not_a_number(const char *text, struct weft_err *err)
{
    return weft_err_set(err, WEFT_E_INPUT,
                        "'%.*s' is not a number; write for example 0.05, 5%% or 1/20", CLIP, text);
}

int weft_parse_f64(const char *text, double *out, struct weft_err *err)
{
    char copy[NUMBER_MAX + 4]; /* room for "e-2" */
    if (!text)
        text = "";
    const char *p = text;
    while (is_blank(*p))
        p++;
    size_t len = strlen(p);
    while (len > 0 && is_blank(p[len - 1]))
        len--;
    if (len == 0)
        return weft_err_set(err, WEFT_E_INPUT, "an empty text is not a number");
    if (len > NUMBER_MAX)
        return not_a_number(text, err);
    memcpy(copy, p, len);
    copy[len] = '\0';

    int exponent;
    const size_t n = decimal_length(copy, &exponent);
    if (n == 0)
        return not_a_number(text, err);
    double value;
    if (n == len) {
        value = strtod(copy, NULL);
    } else if (n + 1 == len && copy[n] == '%' && !exponent) {
        memcpy(copy + n, "e-2", 4); /* rounds once, so that 0.1% equals 0.001 */
        value = strtod(copy, NULL);
    } else if (copy[n] == '/') {
        const char *below = copy + n + 1;
        int ignored;
        if (n + 1 + decimal_length(below, &ignored) != len || n + 1 == len)
            return not_a_number(text, err);
        const double denominator = strtod(below, NULL);
        if (denominator == 0)
            return weft_err_set(err, WEFT_E_INPUT, "'%.*s' divides by zero", CLIP, text);
        value = strtod(copy, NULL) / denominator;
    } else {
        return not_a_number(text, err);
    }
    if (!isfinite(value))
        return weft_err_set(err, WEFT_E_INPUT, "'%.*s' is too large for a number", CLIP, text);
    *out = value;
    return 0;
}

int weft_parse_bool(const char *text, bool *out, struct weft_err *err)
{
    static const char *const words[] = {"false", "true", "off", "on", "no", "yes", "0", "1"};
    const size_t n = sizeof words / sizeof words[0];
    if (!text)
        text = "";
    for (size_t i = 0; i < n; i++) {
        if (strcasecmp(text, words[i]) == 0) {
            *out = i % 2 != 0;
            return 0;
        }
    }
    const char *meant = weft_nearest(text, words, n);
    if (meant)
        return weft_err_set(err, WEFT_E_INPUT, "'%.*s' is neither true nor false; did you mean %s?",
                            CLIP, text, meant);
    return weft_err_set(err, WEFT_E_INPUT,
                        "'%.*s' is neither true nor false (nor on, off, yes, no, 1, 0)", CLIP,
                        text);
}

const char *weft_format_f64(double v, char buf[WEFT_UNIT_TEXT_MAX])
{
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(buf, WEFT_UNIT_TEXT_MAX, "%.*g", digits, v);
        if (strtod(buf, NULL) == v)
            break;
    }
    return buf;
}
