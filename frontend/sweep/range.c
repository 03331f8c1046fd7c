/* SPDX-License-Identifier: GPL-2.0-only */
/* The values of a setting: "A|B|C", each of them a value or a range "FROM..TO*FACTOR",
 * "FROM..TO+STEP". */
#include "base/units.h"
#include "sweep/sweep.h"

#include <math.h>
#include <string.h>

/* Ends that are met but for rounding. */
#define NEARLY (1 + 1e-9)

static bool is_number(int type)
{
    return type == WEFT_PARAM_U64 || type == WEFT_PARAM_F64 || type == WEFT_PARAM_TIME ||
           type == WEFT_PARAM_SIZE || type == WEFT_PARAM_RATE;
}

/* Reads @p text as a number of @p type. A long double has all of them without rounding. */
static bool read_as(const char *text, int type, long double *out)
{
    struct weft_err ignored = {0};
    uint64_t u = 0;
    int64_t ps = 0;
    double real = 0;
    bool ok = false;
    switch (type) {
    case WEFT_PARAM_U64:
        ok = !weft_parse_u64(text, &u, &ignored);
        break;
    case WEFT_PARAM_SIZE:
        ok = !weft_parse_size_bytes(text, &u, &ignored);
        break;
    case WEFT_PARAM_RATE:
        ok = !weft_parse_rate_bps(text, &u, &ignored);
        break;
    case WEFT_PARAM_TIME:
        ok = !weft_parse_time_ps(text, &ps, &ignored);
        break;
    case WEFT_PARAM_F64:
        ok = !weft_parse_f64(text, &real, &ignored);
        *out = real;
        return ok;
    default:
        return false;
    }
    *out = type == WEFT_PARAM_TIME ? (long double)ps : (long double)u;
    return ok;
}

/* What @p text is a number of; -1: it is none. Zero needs no unit, so it may be anything. */
static int guess(const char *text)
{
    static const int types[] = {WEFT_PARAM_U64, WEFT_PARAM_SIZE, WEFT_PARAM_TIME, WEFT_PARAM_RATE,
                                WEFT_PARAM_F64};
    long double ignored;
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (read_as(text, types[i], &ignored))
            return types[i];
    return -1;
}

bool weft_sweep_number(const char *text, int type, double *out)
{
    long double number = 0;
    const bool ok = read_as(text, type < 0 ? guess(text) : type, &number);
    *out = (double)number;
    return ok;
}

static const char *format(int type, long double v, char buf[WEFT_UNIT_TEXT_MAX])
{
    switch (type) {
    case WEFT_PARAM_SIZE:
        return weft_format_size((uint64_t)v, buf);
    case WEFT_PARAM_RATE:
        return weft_format_rate((uint64_t)v, buf);
    case WEFT_PARAM_TIME:
        return weft_format_time((int64_t)v, buf);
    case WEFT_PARAM_U64:
        snprintf(buf, WEFT_UNIT_TEXT_MAX, "%.0Lf", v);
        return buf;
    default:
        snprintf(buf, WEFT_UNIT_TEXT_MAX, "%.12Lg", v);
        return buf;
    }
}

static int range_add(struct weft_sweep_values *v, struct weft_arena *arena, const char *text,
                     struct weft_err *err)
{
    if (v->n == WEFT_SWEEP_VALUES)
        return weft_err_set(err, WEFT_E_LIMIT, "more than %d values", WEFT_SWEEP_VALUES);
    if (!v->list)
        v->list = (const char **)weft_arena_calloc(arena, WEFT_SWEEP_VALUES, sizeof *v->list);
    const char *own = v->list ? weft_arena_strdup(arena, text) : NULL;
    if (!own)
        return weft_err_no_memory(err, "values");
    v->list[v->n++] = own;
    return 0;
}

/* A range taken apart. */
struct range {
    const char *text; /* all of it */
    int type;
    long double from, to, by;
    bool grows_by_factor;
};

/* Adds the values of a range: from + i x step or from x factor^i, up to its end. */
static int expand(const struct range *r, struct weft_arena *arena, struct weft_sweep_values *out,
                  struct weft_err *err)
{
    char buf[WEFT_UNIT_TEXT_MAX];
    const bool whole = r->type != WEFT_PARAM_F64, exact = whole && !r->grows_by_factor;
    const long double most = exact ? r->to : fmaxl(r->to, r->to * NEARLY);
    for (unsigned i = 0;; i++) {
        long double v =
            r->grows_by_factor ? (double)r->from * pow((double)r->by, i) : r->from + i * r->by;
        if (whole)
            v = roundl(v);
        if (!(v <= most) || (whole && v >= 0x1p63L))
            return 0;
        if (i > 0 && strcmp(format(r->type, v, buf), out->list[out->n - 1]) == 0)
            return weft_err_set(err, WEFT_E_USAGE, "'%s': the factor or step is too small",
                                r->text);
        if (range_add(out, arena, format(r->type, v, buf), err))
            return err->code;
    }
}

/* Takes "FROM..TO*FACTOR" apart, whose dots are at @p dots. */
static int read_range(char *text, char *dots, int type, struct range *r, struct weft_err *err)
{
    char *to = dots + 2, *by = to + strcspn(to, "*+");
    const char sign = *by;
    *dots = '\0';
    if (sign)
        *by++ = '\0';
    r->type = type < 0 ? guess(strcmp(text, "0") == 0 ? to : text) : type;
    r->grows_by_factor = sign == '*';
    if (!read_as(text, r->type, &r->from) || !read_as(to, r->type, &r->to))
        return weft_err_set(err, WEFT_E_USAGE, "'%s': '%s' is not %s%s", r->text,
                            read_as(text, r->type, &r->from) ? to : text, "a ",
                            r->type < 0 ? "number"
                                        : weft_param_type_name((enum weft_param_type)r->type));
    if (!sign && r->type != WEFT_PARAM_U64)
        return weft_err_set(err, WEFT_E_USAGE,
                            "'%s': a range needs a factor or a step: %s..%s*2 or %s..%s+%s",
                            r->text, text, to, text, to, text);
    r->by = 1;
    if (sign && !read_as(by, r->grows_by_factor ? WEFT_PARAM_F64 : r->type, &r->by))
        return weft_err_set(err, WEFT_E_USAGE, "'%s': '%s' is no %s", r->text, by,
                            r->grows_by_factor ? "factor" : "step of that kind");
    if (r->type != WEFT_PARAM_F64 && r->to >= 0x1p63L)
        return weft_err_set(err, WEFT_E_USAGE, "'%s': a range must end below 2^63", r->text);
    if (r->to < r->from)
        return weft_err_set(err, WEFT_E_USAGE, "'%s': it ends before it begins", r->text);
    if (r->grows_by_factor ? !(r->by > 1 && r->from > 0) : !(r->by > 0))
        return weft_err_set(err, WEFT_E_USAGE, "'%s': %s", r->text,
                            r->grows_by_factor ? "factors are above 1, and begin above 0"
                                               : "the step must be above 0");
    return 0;
}

/* One value, or a range of them. Texts with dots that are no numbers stay what they are. */
static int range_read_value(const char *text, int type, struct weft_arena *arena,
                            struct weft_sweep_values *out, struct weft_err *err)
{
    const char *dots = strstr(text, "..");
    const bool digit = text[0] >= '0' && text[0] <= '9';
    if (!dots || (type >= 0 ? !is_number(type) : !digit))
        return range_add(out, arena, text, err);
    struct range r = {.text = text};
    char *own = weft_arena_strdup(arena, text);
    if (!own)
        return weft_err_no_memory(err, "values");
    return read_range(own, own + (dots - text), type, &r, err) ? err->code
                                                               : expand(&r, arena, out, err);
}

int weft_sweep_read_values(const char *text, int type, struct weft_arena *arena,
                           struct weft_sweep_values *out, struct weft_err *err)
{
    char *p = weft_arena_strdup(arena, text);
    if (!p)
        return weft_err_no_memory(err, "values");
    for (char *next; p; p = next) {
        next = strchr(p, '|');
        if (next)
            *next++ = '\0';
        if (range_read_value(p, type, arena, out, err))
            return err->code;
    }
    return 0;
}
