/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reads outcome, metrics and settings from a run.json. A metric is in the object `metrics` if it
 * was asked for, else in the summary under its key.
 */
#include "report/result.h"

#include "base/file.h"
#include "json/json_read.h"

#include <math.h>
#include <stdlib.h>

#define RUN_JSON_MAX ((size_t)64 << 20)

struct weft_result {
    json_t *root;
};

struct weft_result *weft_result_parse(const char *text, size_t len, const char *path,
                                      struct weft_err *err)
{
    json_error_t why;
    struct weft_result *r = (struct weft_result *)calloc(1, sizeof *r);
    if (r)
        r->root = weft_json_load(text, len, 0, &why);
    if (!r)
        weft_err_at(err, WEFT_E_LIMIT, path, 0, 0, "out of memory for its contents");
    else if (!r->root)
        weft_json_load_error(err, path, &why, "no valid JSON: ");
    else if (!json_is_string(json_object_get(r->root, "outcome")))
        weft_err_at(err, WEFT_E_INPUT, path, 0, 0, "not of a run: it has no 'outcome'");
    else
        return r;
    weft_result_free(r);
    return NULL;
}

struct weft_result *weft_result_load(const char *dir, struct weft_err *err)
{
    char path[WEFT_PATH_MAX], *text;
    size_t len;
    if (weft_path_join(path, dir, "run.json", err) ||
        weft_file_read(path, RUN_JSON_MAX, &text, &len, err))
        return NULL;
    struct weft_result *r = weft_result_parse(text, len, path, err);
    free(text);
    return r;
}

void weft_result_free(struct weft_result *r)
{
    if (!r)
        return;
    json_decref(r->root);
    free(r);
}

enum weft_outcome weft_result_outcome(const struct weft_result *r)
{
    return weft_outcome_of(json_string_value(json_object_get(r->root, "outcome")));
}

const char *weft_result_reason(const struct weft_result *r)
{
    return json_string_value(json_object_get(r->root, "reason"));
}

bool weft_result_has_summary(const struct weft_result *r)
{
    return json_is_object(json_object_get(r->root, "summary"));
}

bool weft_result_metric(const struct weft_result *r, const struct weft_metric_choice *c,
                        double *out)
{
    char key[WEFT_METRIC_KEY_MAX];
    const json_t *summary = json_object_get(r->root, "summary");
    const json_t *v =
        json_object_get(json_object_get(r->root, "metrics"), weft_metric_choice_key(c, key));
    if (!v && c->scope == WEFT_METRIC_OF_RUN)
        v = json_object_get(c->metric->host_dependent ? json_object_get(summary, "host") : summary,
                            key);
    *out = json_is_number(v) ? json_number_value(v) : NAN;
    return v != NULL;
}

const char *weft_result_setting(const struct weft_result *r, const char *label, const char *name)
{
    const json_t *config = json_object_get(r->root, "config");
    return json_string_value(json_object_get(json_object_get(config, label), name));
}

const char *weft_result_text(const struct weft_result *r, const char *in, const char *name,
                             size_t i)
{
    const json_t *v = json_object_get(in ? json_object_get(r->root, in) : r->root, name);
    if (json_is_array(v))
        return json_string_value(json_array_get(v, i));
    return i == 0 ? json_string_value(v) : NULL;
}

bool weft_result_given(const struct weft_result *r,
                       void (*fn)(void *ctx, const char *key, const char *value, const char *from),
                       void *ctx)
{
    json_t *given = json_object_get(r->root, "given"), *v;
    const char *key;
    json_object_foreach(given, key, v)
    {
        const char *value = json_string_value(json_object_get(v, "value")),
                   *from = json_string_value(json_object_get(v, "from"));
        if (value && from)
            fn(ctx, key, value, from);
    }
    return json_is_object(given);
}

void weft_result_failed_rows(const struct weft_result *r,
                             void (*fn)(void *ctx, uint64_t row, const char *reason), void *ctx)
{
    const json_t *row;
    size_t i;
    json_array_foreach(json_object_get(r->root, "failed_rows"), i, row)
    {
        const json_int_t number = json_integer_value(json_object_get(row, "row"));
        const char *reason = json_string_value(json_object_get(row, "reason"));
        if (number > 0 && reason)
            fn(ctx, (uint64_t)number, reason);
    }
}
