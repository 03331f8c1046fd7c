/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Parameter tables: defaults, setting one value from text, printing one value.
 */
#include "base/param.h"

#include "base/scale.h"
#include "base/units.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define MAX_NAMES 64 /* parameters, or words of a choice, that are searched for a suggestion */

/* A value of any type on its way from text to field. */
union value {
    int truth; /* BOOL and ENUM */
    uint64_t u64;
    int64_t i64;
    double f64;
    const char *text;
};

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

const struct weft_param *weft_params_find(const struct weft_param_table *table, const char *name)
{
    for (size_t i = 0; i < table->n; i++)
        if (strcmp(table->params[i].name, name) == 0)
            return &table->params[i];
    return NULL;
}

/* The word at index @p index of "a|b|c" and its length; NULL when there are fewer. */
static const char *choice_word(const char *choices, int index, size_t *len)
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

static int unknown_choice(const struct weft_param *p, const char *text, struct weft_err *err)
{
    char copy[512];
    const char *words[MAX_NAMES];
    size_t n = 0;
    snprintf(copy, sizeof copy, "%s", p->choices);
    char *rest = copy;
    for (char *w; n < MAX_NAMES && (w = strsep(&rest, "|")) != NULL;)
        words[n++] = w;
    const char *meant = weft_nearest(text, words, n);
    if (meant)
        return weft_err_set(err, WEFT_E_INPUT, "'%.60s' is not one of %s; did you mean %s?", text,
                            p->choices, meant);
    return weft_err_set(err, WEFT_E_INPUT, "'%.60s' is not one of %s", text, p->choices);
}

/* Text to value by the parameter's type; no range check. */
static int parse_value(const struct weft_param *p, const char *text, union value *v,
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
    case WEFT_PARAM_ENUM: {
        size_t len = 0;
        const char *word;
        for (int i = 0; (word = choice_word(p->choices, i, &len)) != NULL; i++) {
            if (strlen(text) == len && strncmp(word, text, len) == 0) {
                v->truth = i;
                return 0;
            }
        }
        return unknown_choice(p, text, err);
    }
    }
    return weft_err_set(err, WEFT_E_INTERNAL, "unknown parameter type %d", (int)p->type);
}

/* -1, 0 or 1; values of types without an order are equal. */
static int compare(enum weft_param_type type, const union value *a, const union value *b)
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

static int check_range(const struct weft_param *p, const char *text, const union value *v,
                       struct weft_err *err)
{
    union value bound;
    int below = 0, above = 0;
    if (p->min) {
        if (parse_value(p, p->min, &bound, err))
            return weft_err_set(err, WEFT_E_INTERNAL, "its minimum '%s' is invalid", p->min);
        below = compare(p->type, v, &bound) < 0;
    }
    if (p->max) {
        if (parse_value(p, p->max, &bound, err))
            return weft_err_set(err, WEFT_E_INTERNAL, "its maximum '%s' is invalid", p->max);
        above = compare(p->type, v, &bound) > 0;
    }
    if (!below && !above)
        return 0;
    if (p->min && p->max)
        return weft_err_set(err, WEFT_E_INPUT, "%.60s is out of range; valid is %s to %s", text,
                            p->min, p->max);
    return weft_err_set(err, WEFT_E_INPUT, "%.60s is out of range; it must be at %s %s", text,
                        below ? "least" : "most", below ? p->min : p->max);
}

static void store(const struct weft_param *p, void *dst, const union value *v)
{
    char *field = (char *)dst + p->offset;
    switch (p->type) {
    case WEFT_PARAM_BOOL:
    case WEFT_PARAM_ENUM:
        memcpy(field, &v->truth, sizeof v->truth);
        break;
    case WEFT_PARAM_U64:
    case WEFT_PARAM_SIZE:
    case WEFT_PARAM_RATE:
        memcpy(field, &v->u64, sizeof v->u64);
        break;
    case WEFT_PARAM_TIME:
        memcpy(field, &v->i64, sizeof v->i64);
        break;
    case WEFT_PARAM_F64:
        memcpy(field, &v->f64, sizeof v->f64);
        break;
    case WEFT_PARAM_STRING:
        memcpy(field, &v->text, sizeof v->text);
        break;
    }
}

static int set_value(const struct weft_param *p, void *dst, const char *text, struct weft_err *err)
{
    union value v;
    memset(&v, 0, sizeof v);
    if (p->scale && strcmp(text, WEFT_PARAM_AUTO) == 0) {
        weft_param_set_auto(p, dst);
        return 0;
    }
    int rc = parse_value(p, text, &v, err);
    if (rc == 0)
        rc = check_range(p, text, &v, err);
    if (rc == 0)
        store(p, dst, &v);
    return rc;
}

int weft_params_defaults(const struct weft_param_table *table, void *dst, struct weft_err *err)
{
    if (table->struct_size > 0)
        memset(dst, 0, table->struct_size);
    for (size_t i = 0; i < table->n; i++) {
        const struct weft_param *p = &table->params[i];
        if (p->def && set_value(p, dst, p->def, err)) {
            /* A table that contradicts itself is weft's fault, not the user's. */
            weft_err_prepend(err, "default of parameter '%s'", p->name);
            if (err)
                err->code = WEFT_E_INTERNAL;
            return WEFT_E_INTERNAL;
        }
        if (p->scale)
            weft_param_set_auto(p, dst);
    }
    return 0;
}

static int unknown_name(const struct weft_param_table *table, const char *name,
                        struct weft_err *err)
{
    const char *names[MAX_NAMES];
    char list[512] = "";
    size_t n = 0, used = 0;
    if (table->n == 0)
        return weft_err_set(err, WEFT_E_INPUT, "unknown parameter '%.60s'; there are none here",
                            name);
    for (; n < table->n && n < MAX_NAMES; n++) {
        names[n] = table->params[n].name;
        if (used < sizeof list)
            used +=
                (size_t)snprintf(list + used, sizeof list - used, "%s%s", n ? ", " : "", names[n]);
    }
    const char *meant = weft_nearest(name, names, n);
    if (meant)
        return weft_err_set(err, WEFT_E_INPUT, "unknown parameter '%.60s'; did you mean '%s'?",
                            name, meant);
    return weft_err_set(err, WEFT_E_INPUT, "unknown parameter '%.60s'; valid are %s", name, list);
}

int weft_params_set(const struct weft_param_table *table, void *dst, const char *name,
                    const char *value, struct weft_err *err)
{
    const struct weft_param *p = weft_params_find(table, name);
    if (!p)
        return unknown_name(table, name, err);
    int rc = set_value(p, dst, value, err);
    if (rc)
        weft_err_prepend(err, "parameter '%s'", name);
    return rc;
}

const char *weft_params_format(const struct weft_param *p, const void *src, char *buf, size_t size)
{
    const char *field = (const char *)src + p->offset;
    char text[WEFT_UNIT_TEXT_MAX] = "";
    union value v;
    size_t len = 0;
    const char *word;
    memset(&v, 0, sizeof v);
    if (weft_param_is_auto(p, src)) {
        snprintf(buf, size, "%s", WEFT_PARAM_AUTO);
        return buf;
    }
    switch (p->type) {
    case WEFT_PARAM_BOOL:
        memcpy(&v.truth, field, sizeof v.truth);
        snprintf(buf, size, "%s", v.truth ? "true" : "false");
        return buf;
    case WEFT_PARAM_ENUM:
        memcpy(&v.truth, field, sizeof v.truth);
        word = choice_word(p->choices, v.truth, &len);
        snprintf(buf, size, "%.*s", (int)len, word ? word : "");
        return buf;
    case WEFT_PARAM_STRING:
        memcpy(&v.text, field, sizeof v.text);
        snprintf(buf, size, "%s", v.text ? v.text : "");
        return buf;
    case WEFT_PARAM_U64:
        memcpy(&v.u64, field, sizeof v.u64);
        snprintf(text, sizeof text, "%" PRIu64, v.u64);
        break;
    case WEFT_PARAM_SIZE:
        memcpy(&v.u64, field, sizeof v.u64);
        weft_format_size(v.u64, text);
        break;
    case WEFT_PARAM_RATE:
        memcpy(&v.u64, field, sizeof v.u64);
        weft_format_rate(v.u64, text);
        break;
    case WEFT_PARAM_TIME:
        memcpy(&v.i64, field, sizeof v.i64);
        weft_format_time(v.i64, text);
        break;
    case WEFT_PARAM_F64:
        memcpy(&v.f64, field, sizeof v.f64);
        weft_format_f64(v.f64, text);
        break;
    }
    snprintf(buf, size, "%s", text);
    return buf;
}
