/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Parameter tables: defaults, setting one value from text, printing one value.
 */
#include "base/param.h"

#include "base/list.h"
#include "base/scale.h"
#include "base/units.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define MAX_NAMES 64 /* parameters that are searched for a suggestion */

const struct weft_param *weft_params_find(const struct weft_param_table *table, const char *name)
{
    for (size_t i = 0; i < table->n; i++)
        if (strcmp(table->params[i].name, name) == 0)
            return &table->params[i];
    return NULL;
}

static void store(const struct weft_param *p, void *dst, const union weft_param_value *v)
{
    char *field = (char *)dst + p->offset;
    switch (p->type) {
    case WEFT_PARAM_BOOL:
        memcpy(field, &v->truth, sizeof v->truth);
        break;
    case WEFT_PARAM_ENUM:
        memcpy(field, &v->index, sizeof v->index);
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
    union weft_param_value v;
    if (p->scale && strcmp(text, WEFT_PARAM_AUTO) == 0) {
        weft_param_set_auto(p, dst);
        return 0;
    }
    int rc = weft_param_parse(p, text, &v, err);
    if (rc == 0 && p->list)
        rc = weft_list_check(p->list, text, err);
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
    char list[524] = "; valid are ";
    const size_t begun = strlen(list);
    size_t n = 0;
    if (table->n == 0)
        return weft_err_set(err, WEFT_E_INPUT, "unknown parameter '%.60s'; there are none here",
                            name);
    for (; n < table->n && n < MAX_NAMES; n++)
        names[n] = table->params[n].name;
    weft_names_joined(list + begun, sizeof list - begun, names, n);
    return weft_err_set(err, WEFT_E_INPUT, "unknown parameter '%.60s'%s", name,
                        WEFT_MEANT(name, names, n, list));
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
    union weft_param_value v;
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
        memcpy(&v.index, field, sizeof v.index);
        word = weft_param_choice(p->choices, v.index, &len);
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
