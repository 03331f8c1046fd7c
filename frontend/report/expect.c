/* SPDX-License-Identifier: GPL-2.0-only */
/* expect.xml: reading bounds and testing a summary against them. */
#include "report/expect.h"

#include "base/file.h"
#include "base/units.h"
#include "base/xml.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int parse_value(enum weft_param_type type, const char *text, double *out,
                       struct weft_err *err)
{
    int64_t ps;
    uint64_t u;
    int code;
    switch (type) {
    case WEFT_PARAM_TIME:
        code = weft_parse_time_ps(text, &ps, err);
        *out = code ? 0 : (double)ps;
        return code;
    case WEFT_PARAM_SIZE:
        code = weft_parse_size_bytes(text, &u, err);
        break;
    case WEFT_PARAM_RATE:
        code = weft_parse_rate_bps(text, &u, err);
        break;
    case WEFT_PARAM_U64:
        code = weft_parse_u64(text, &u, err);
        break;
    default:
        return weft_parse_f64(text, out, err);
    }
    *out = code ? 0 : (double)u;
    return code;
}

static int read_bound(const struct weft_xml_elem *e, const char *file, struct weft_bound *b,
                      struct weft_err *err)
{
    static const char *const names[] = {"metric", "min", "max", "why"};
    *b = (struct weft_bound){.min = -INFINITY, .max = INFINITY, .why = "", .line = e->line};
    const struct weft_xml_attr *m = weft_xml_get(e, "metric");
    if (!m)
        return weft_err_at(err, WEFT_E_INPUT, file, e->line, e->col,
                           "<bound> needs the attribute 'metric'");
    if (weft_metric_choose(m->value, &b->metric, err))
        return weft_err_locate(err, file, m->line, m->col);
    if (b->metric.metric->host_dependent)
        return weft_err_at(err, WEFT_E_INPUT, file, m->line, m->col,
                           "'%s' depends on the machine; bounds are for simulated results",
                           m->value);
    for (const struct weft_xml_attr *a = e->attrs; a; a = a->next) {
        int code = 0;
        if (strcmp(a->name, "min") == 0) {
            b->min_text = a->value;
            code = parse_value(b->metric.metric->type, a->value, &b->min, err);
        } else if (strcmp(a->name, "max") == 0) {
            b->max_text = a->value;
            code = parse_value(b->metric.metric->type, a->value, &b->max, err);
        } else if (strcmp(a->name, "why") == 0) {
            b->why = a->value;
        } else if (a != m) {
            return weft_err_at(err, WEFT_E_INPUT, file, a->line, a->col,
                               "unknown attribute '%s' in <bound>%s", a->name,
                               WEFT_MEANT(a->name, names, 4, "; valid: metric, min, max, why"));
        }
        if (code) {
            weft_err_prepend(err, "<bound metric=\"%s\">: '%s'", m->value, a->name);
            return weft_err_locate(err, file, a->line, a->col);
        }
    }
    if (!b->min_text && !b->max_text)
        return weft_err_at(err, WEFT_E_INPUT, file, e->line, e->col,
                           "<bound> needs 'min', 'max' or both");
    if (b->min > b->max)
        return weft_err_at(err, WEFT_E_INPUT, file, e->line, e->col,
                           "<bound metric=\"%s\">: min %s is above max %s", m->value, b->min_text,
                           b->max_text);
    return 0;
}

static int expect_read_all(struct weft_expect *x, const char *text, size_t len,
                           struct weft_err *err)
{
    struct weft_xml_elem *root;
    if (weft_xml_parse(text, len, x->file, x->arena, &root, err))
        return err->code;
    if (strcmp(root->name, "expect") != 0 || root->attrs || root->text[0])
        return weft_err_at(err, WEFT_E_INPUT, x->file, root->line, root->col,
                           "the root element must be <expect> with nothing but <bound> elements");
    size_t n = 0;
    for (const struct weft_xml_elem *e = root->children; e; e = e->next)
        n++;
    x->bounds = (struct weft_bound *)weft_arena_calloc(x->arena, n, sizeof *x->bounds);
    if (!x->bounds)
        return weft_err_no_memory(err, "expectations");
    for (const struct weft_xml_elem *e = root->children; e; e = e->next) {
        if (strcmp(e->name, "bound") != 0 || e->children || e->text[0])
            return weft_err_at(
                err, WEFT_E_INPUT, x->file, e->line, e->col,
                "<expect> holds empty <bound metric=... min=... max=.../> elements, not <%s>",
                e->name);
        if (read_bound(e, x->file, &x->bounds[x->n], err))
            return err->code;
        x->n++;
    }
    return 0;
}

struct weft_expect *weft_expect_parse(const char *text, size_t len, const char *file,
                                      struct weft_err *err)
{
    struct weft_arena *a = weft_arena_new();
    struct weft_expect *x = a ? (struct weft_expect *)weft_arena_alloc(a, sizeof *x) : NULL;
    if (x) {
        x->arena = a;
        x->file = weft_arena_strdup(a, file);
    }
    if (!x || !x->file) {
        weft_err_no_memory(err, "expectations");
    } else if (!expect_read_all(x, text, len, err)) {
        return x;
    }
    weft_arena_free(a);
    return NULL;
}

struct weft_expect *weft_expect_load(const char *file, struct weft_err *err)
{
    char *text;
    size_t len;
    if (weft_file_read(file, WEFT_XML_MAX_BYTES, &text, &len, err))
        return NULL;
    struct weft_expect *x = weft_expect_parse(text, len, file, err);
    free(text);
    return x;
}

int weft_expect_check(const struct weft_expect *e, const char *const *jobs, size_t n,
                      struct weft_err *err)
{
    for (size_t i = 0; i < e->n; i++)
        if (weft_metric_check(&e->bounds[i].metric, jobs, n, err))
            return weft_err_locate(err, e->file, e->bounds[i].line, 0);
    return 0;
}

unsigned weft_expect_needs(const struct weft_expect *e)
{
    unsigned needs = 0;
    for (size_t i = 0; e && i < e->n; i++)
        needs |= weft_metric_needs(&e->bounds[i].metric);
    return needs;
}

void weft_expect_free(struct weft_expect *e)
{
    if (e)
        weft_arena_free(e->arena); /* e itself lives in it */
}

int weft_bound_holds(const struct weft_bound *b, const struct weft_summary *s, double *value)
{
    const double v = weft_metric_choice_value(&b->metric, s);
    if (value)
        *value = v;
    return v >= b->min && v <= b->max; /* false for NaN */
}
