/* SPDX-License-Identifier: GPL-2.0-only */
/* One value of a parameter: from text, in its range. */
#include "base/param.h"

#include "base/units.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { MAX_WORDS = 64 /* of a choice, that are searched for a suggestion */ };

const char *weft_param_type_name(enum weft_param_type type)
{
    switch (type) {
    case WEFT_PARAM_BOOL:
        return "bool";
    case WEFT_PARAM_U64:
        return "count";
    case WEFT_PARAM_F64:
        return "ratio";
    case WEFT_PARAM_TIME:
        return "time";
    case WEFT_PARAM_SIZE:
        return "size";
    case WEFT_PARAM_RATE:
        return "rate";
    case WEFT_PARAM_STRING:
        return "text";
    case WEFT_PARAM_ENUM:
        return "choice";
    }
    return "unknown";
}

const char *weft_param_choice(const char *choices, int index, size_t *len)
{
    const char *p = choices;
    while (p) {
        const char *bar = strchr(p, '|');
        if (index-- == 0) {
            *len = bar ? (size_t)(bar - p) : strlen(p);
            return p;
        }
        p = bar ? bar + 1 : NULL;
    }
    return NULL;
}

int weft_param_choice_of(const char *choices, const char *text, size_t len)
{
    size_t n = 0;
    const char *word;
    for (int i = 0; (word = weft_param_choice(choices, i, &n)); i++)
        if (n == len && strncmp(word, text, len) == 0)
            return i;
    return -1;
}

static int unknown_choice(const struct weft_param *p, const char *text, struct weft_err *err)
{
    char copy[512];
    const char *words[MAX_WORDS];
    size_t n = 0;
    snprintf(copy, sizeof copy, "%s", p->choices);
    char *rest = copy;
    for (char *w; n < MAX_WORDS && (w = strsep(&rest, "|")) != NULL;)
        words[n++] = w;
    const char *meant = weft_nearest(text, words, n);
    if (meant)
        return weft_err_set(err, WEFT_E_INPUT, "'%.60s' is not one of %s; did you mean %s?", text,
                            p->choices, meant);
    return weft_err_set(err, WEFT_E_INPUT, "'%.60s' is not one of %s", text, p->choices);
}

/* Text to value by the parameter's type; no range check. */
static int parse_value(const struct weft_param *p, const char *text, union weft_param_value *v,
                       struct weft_err *err)
{
    switch (p->type) {
    case WEFT_PARAM_BOOL:
        return weft_parse_bool(text, &v->truth, err);
    case WEFT_PARAM_U64:
        return weft_parse_u64(text, &v->u64, err);
    case WEFT_PARAM_F64:
        return weft_parse_f64(text, &v->f64, err);
    case WEFT_PARAM_TIME:
        return weft_parse_time_ps(text, &v->i64, err);
    case WEFT_PARAM_SIZE:
        return weft_parse_size_bytes(text, &v->u64, err);
    case WEFT_PARAM_RATE:
        return weft_parse_rate_bps(text, &v->u64, err);
    case WEFT_PARAM_STRING:
        v->text = text;
        return 0;
    case WEFT_PARAM_ENUM:
        v->index = weft_param_choice_of(p->choices, text, strlen(text));
        return v->index >= 0 ? 0 : unknown_choice(p, text, err);
    }
    return weft_err_set(err, WEFT_E_INTERNAL, "unknown parameter type %d", (int)p->type);
}

/* -1, 0 or 1; values of types without an order are equal. */
static int param_value_compare(enum weft_param_type type, const union weft_param_value *a,
                               const union weft_param_value *b)
{
    switch (type) {
    case WEFT_PARAM_U64:
    case WEFT_PARAM_SIZE:
    case WEFT_PARAM_RATE:
        return (a->u64 > b->u64) - (a->u64 < b->u64);
    case WEFT_PARAM_TIME:
        return (a->i64 > b->i64) - (a->i64 < b->i64);
    case WEFT_PARAM_F64:
        return (a->f64 > b->f64) - (a->f64 < b->f64);
    default:
        return 0;
    }
}

static int check_range(const struct weft_param *p, const char *text,
                       const union weft_param_value *v, struct weft_err *err)
{
    union weft_param_value bound;
    int below = 0, above = 0;
    if (p->min) {
        if (parse_value(p, p->min, &bound, err))
            return weft_err_set(err, WEFT_E_INTERNAL, "its minimum '%s' is invalid", p->min);
        below = param_value_compare(p->type, v, &bound) < 0;
    }
    if (p->max) {
        if (parse_value(p, p->max, &bound, err))
            return weft_err_set(err, WEFT_E_INTERNAL, "its maximum '%s' is invalid", p->max);
        above = param_value_compare(p->type, v, &bound) > 0;
    }
    if (!below && !above)
        return 0;
    if (p->min && p->max)
        return weft_err_set(err, WEFT_E_INPUT, "%.60s is out of range; valid is %s to %s", text,
                            p->min, p->max);
    return weft_err_set(err, WEFT_E_INPUT, "%.60s is out of range; it must be at %s %s", text,
                        below ? "least" : "most", below ? p->min : p->max);
}

int weft_param_parse(const struct weft_param *p, const char *text, union weft_param_value *out,
                     struct weft_err *err)
{
    memset(out, 0, sizeof *out);
    const int rc = parse_value(p, text, out, err);
    return rc ? rc : check_range(p, text, out, err);
}

bool weft_param_same(enum weft_param_type type, const union weft_param_value *a,
                     const union weft_param_value *b)
{
    switch (type) {
    case WEFT_PARAM_BOOL:
        return a->truth == b->truth;
    case WEFT_PARAM_ENUM:
        return a->index == b->index;
    case WEFT_PARAM_STRING:
        return strcmp(a->text, b->text) == 0;
    default:
        return param_value_compare(type, a, b) == 0;
    }
}
