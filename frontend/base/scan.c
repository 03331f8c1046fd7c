/* SPDX-License-Identifier: GPL-2.0-only */
/* Tokens of text files. */
#include "base/int128.h"
#include "base/scan.h"

#include "base/file.h"
#include "base/units.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Larger files are refused: a flow line takes about 40 bytes, so this is 25 million flows. */
#define MAX_BYTES ((size_t)1 << 30)

int weft_scan_open(struct weft_scan *s, const char *path, struct weft_err *err)
{
    *s = (struct weft_scan){.file = path, .line = 1, .col = 1};
    const int rc = weft_file_read(path, MAX_BYTES, &s->text, &s->len, err);
    s->pos = rc ? 0 : weft_utf8_mark(s->text);
    return rc;
}

int weft_scan_text(struct weft_scan *s, const char *name, const char *text, struct weft_err *err)
{
    *s = (struct weft_scan){.file = name, .line = 1, .col = 1, .len = strlen(text)};
    s->text = (char *)malloc(s->len + 1);
    if (!s->text)
        return weft_err_set(err, WEFT_E_LIMIT, "out of memory for %s", name);
    memcpy(s->text, text, s->len + 1);
    return 0;
}

void weft_scan_close(struct weft_scan *s)
{
    free(s->text);
    s->text = NULL;
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\v' || c == '\f';
}

static void scan_advance(struct weft_scan *s)
{
    if (s->text[s->pos++] == '\n') {
        s->line++;
        s->col = 1;
    } else {
        s->col++;
    }
}

bool weft_scan_more(struct weft_scan *s)
{
    if (s->again)
        return true;
    while (s->pos < s->len && is_space(s->text[s->pos]))
        scan_advance(s);
    s->tok_line = s->line;
    s->tok_col = s->col;
    return s->pos < s->len;
}

bool weft_scan_next(struct weft_scan *s)
{
    const bool more = weft_scan_more(s);
    if (s->again) {
        s->again = false;
        return true;
    }
    s->tok = s->text + s->pos;
    if (!more)
        return false;
    while (s->pos < s->len && !is_space(s->text[s->pos])) {
        unsigned char c = (unsigned char)s->text[s->pos];
        if (c < 0x20 || c > 0x7e)
            s->text[s->pos] = '?';
        scan_advance(s);
    }
    if (s->pos < s->len) {
        size_t end = s->pos;
        scan_advance(s);
        s->text[end] = '\0';
    }
    return true;
}

int weft_scan_need(struct weft_scan *s, const char *what, struct weft_err *err)
{
    if (weft_scan_next(s))
        return 0;
    return weft_scan_err(s, err, WEFT_E_INPUT, "the file ends where %s should be", what);
}

int weft_scan_u64(struct weft_scan *s, const char *what, uint64_t max, uint64_t *out,
                  struct weft_err *err)
{
    int rc = weft_scan_need(s, what, err);
    if (rc)
        return rc;
    uint64_t v = 0;
    bool fits = true;
    if (strspn(s->tok, "0123456789") != strlen(s->tok))
        return weft_scan_err(s, err, WEFT_E_INPUT, "%s must be a whole number, got '%.64s'", what,
                             s->tok);
    for (const char *c = s->tok; *c && fits; c++) {
        uint64_t d = (uint64_t)(*c - '0');
        fits = v <= (UINT64_MAX - d) / 10;
        v = v * 10 + d;
    }
    if (!fits || v > max)
        return weft_scan_err(s, err, WEFT_E_INPUT, "%s must be at most %" PRIu64 ", got %.64s",
                             what, max, s->tok);
    *out = v;
    return 0;
}

int weft_scan_f64(struct weft_scan *s, const char *what, double *out, struct weft_err *err)
{
    int rc = weft_scan_need(s, what, err);
    struct weft_err why = {0};
    if (!rc && weft_parse_f64(s->tok, out, &why))
        rc = weft_scan_err(s, err, WEFT_E_INPUT, "%s must be a number, got '%.64s'", what, s->tok);
    return rc;
}

/* Digits before the point, 12 after it at most: the rest is rounded off by the caller. */
struct decimal {
    uint64_t whole, frac12; /* frac12 in units of 10^-12 */
};

static bool decimal(const char *t, struct decimal *out)
{
    uint64_t scale = UINT64_C(100000000000);
    int digits = 0, round_up = 0;
    *out = (struct decimal){0};
    for (; *t >= '0' && *t <= '9'; t++, digits++) {
        if (out->whole <= UINT64_C(100000000000000000)) /* beyond, it is too large in any unit */
            out->whole = out->whole * 10 + (uint64_t)(*t - '0');
    }
    if (*t == '.') {
        int first_lost = 1;
        for (t++; *t >= '0' && *t <= '9'; t++, digits++) {
            if (scale) {
                out->frac12 += scale * (uint64_t)(*t - '0');
                scale /= 10;
            } else if (first_lost) {
                round_up = *t >= '5';
                first_lost = 0;
            }
        }
    }
    out->frac12 += (uint64_t)round_up;
    return *t == '\0' && digits > 0;
}

/* Reads a duration; WEFT_NEVER when it lies beyond the clock. */
static int scan_time(struct weft_scan *s, const char *what, const char *unit, int64_t *out_ps,
                     struct weft_err *err)
{
    static const struct {
        const char *unit;
        int64_t ps;
    } units[] = {{"s", WEFT_PS_PER_S}, {"us", WEFT_PS_PER_US}, {"ns", WEFT_PS_PER_NS}};
    struct decimal d;
    int64_t per = 1;
    int rc = weft_scan_need(s, what, err);
    if (rc)
        return rc;
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        if (strcmp(units[i].unit, unit) == 0)
            per = units[i].ps;
    if (!decimal(s->tok, &d))
        return weft_scan_err(s, err, WEFT_E_INPUT,
                             "%s must be a number (of %s, not negative), got '%.64s'", what, unit,
                             s->tok);
    /* Both factors are below 2^63, so 128 bits hold the products. */
    weft_u128 frac = ((weft_u128)d.frac12 * (uint64_t)per + WEFT_PS_PER_S / 2) / WEFT_PS_PER_S;
    weft_u128 ps = (weft_u128)d.whole * (uint64_t)per + frac;
    *out_ps = ps < (weft_u128)WEFT_NEVER ? (int64_t)ps : WEFT_NEVER;
    return 0;
}

int weft_scan_time(struct weft_scan *s, const char *what, const char *unit, int64_t *out_ps,
                   struct weft_err *err)
{
    int64_t ps = 0;
    const int rc = scan_time(s, what, unit, &ps, err);
    if (!rc && ps == WEFT_NEVER)
        return weft_scan_err(s, err, WEFT_E_INPUT, "%s is later than weft's 106 days: '%.64s' %s",
                             what, s->tok, unit);
    if (!rc)
        *out_ps = ps;
    return rc;
}

int weft_scan_time_clamped(struct weft_scan *s, const char *what, const char *unit, int64_t *out_ps,
                           struct weft_err *err)
{
    return scan_time(s, what, unit, out_ps, err);
}

int weft_scan_rate(struct weft_scan *s, const char *what, uint64_t *out_bps, struct weft_err *err)
{
    char text[80];
    struct weft_err why = {0};
    int rc = weft_scan_need(s, what, err);
    if (rc)
        return rc;
    int bare = strspn(s->tok, "0123456789.") == strlen(s->tok);
    snprintf(text, sizeof text, "%.70s%s", s->tok, bare ? "bps" : "");
    if (weft_parse_rate_bps(text, out_bps, &why))
        return weft_scan_err(s, err, WEFT_E_INPUT, "%s: %s", what, why.msg);
    return 0;
}
