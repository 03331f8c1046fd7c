/* SPDX-License-Identifier: GPL-2.0-only */
/* Members of requests, and text of answers. */
#include "lib/serve_internal.h"

#include "base/grow.h"
#include "base/json.h"
#include "base/units.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static bool text_reserve(struct serve_text *t, size_t more)
{
    t->failed |= !WEFT_GROW_TO(t->at, t->n + more, &t->cap);
    return !t->failed;
}

void serve_put(struct serve_text *t, const char *text, size_t n)
{
    if (!text_reserve(t, n) || n == 0)
        return;
    memcpy(t->at + t->n, text, n);
    t->n += n;
}

void serve_print(struct serve_text *t, const char *fmt, ...)
{
    char buf[512];
    va_list args;
    va_start(args, fmt);
    const int n = vsnprintf(buf, sizeof buf, fmt, args);
    va_end(args);
    serve_put(t, buf, (size_t)n < sizeof buf ? (size_t)n : sizeof buf - 1);
}

void serve_print_string(struct serve_text *t, const char *text)
{
    static const char short_names[] = {['\b'] = 'b', ['\t'] = 't', ['\n'] = 'n', ['\f'] = 'f',
                                       ['\r'] = 'r', ['"'] = '"',  ['\\'] = '\\'};
    serve_put(t, "\"", 1);
    for (const unsigned char *p = (const unsigned char *)text; *p;) {
        const size_t n = weft_utf8_length(p);
        if (*p < sizeof short_names && short_names[*p])
            serve_print(t, "\\%c", short_names[*p]);
        else if (n == 0) /* names of files may have any byte */
            serve_print(t, "\\ufffd");
        else if (*p < 0x20)
            serve_print(t, "\\u%04x", *p);
        else
            serve_put(t, (const char *)p, n);
        p += n ? n : 1;
    }
    serve_put(t, "\"", 1);
}

static int get_wrong(const char *key, const char *what, struct weft_err *err)
{
    return weft_err_set(err, WEFT_E_INPUT, "'%.60s' must be %s", key, what);
}

int serve_get_u64(const json_t *o, const char *key, uint64_t max, uint64_t *out,
                  struct weft_err *err)
{
    const json_t *v = json_object_get(o, key);
    char what[64];
    uint64_t number = 0;
    bool good = json_is_integer(v) && json_integer_value(v) >= 0;
    if (!v)
        return 0;
    if (good)
        number = (uint64_t)json_integer_value(v);
    else if (json_is_string(v)) /* JSON's integers end at 2^63 here */
        good = weft_parse_u64(json_string_value(v), &number, NULL) == 0;
    if (good && number <= max) {
        *out = number;
        return 0;
    }
    snprintf(what, sizeof what, "a whole number from 0 to %" PRIu64, max);
    return get_wrong(key, what, err);
}

int serve_get_i64(const json_t *o, const char *key, int64_t *out, struct weft_err *err)
{
    const json_t *v = json_object_get(o, key);
    if (!v)
        return 0;
    if (!json_is_integer(v))
        return get_wrong(key, "a whole number", err);
    *out = json_integer_value(v);
    return 0;
}

int serve_get_bool(const json_t *o, const char *key, bool *out, struct weft_err *err)
{
    const json_t *v = json_object_get(o, key);
    if (!v)
        return 0;
    if (!json_is_boolean(v))
        return get_wrong(key, "true or false", err);
    *out = json_is_true(v);
    return 0;
}

int serve_get_text(const json_t *o, const char *key, const char **out, struct weft_err *err)
{
    const json_t *v = json_object_get(o, key);
    if (!v || json_is_null(v))
        return 0;
    if (!json_is_string(v) || strlen(json_string_value(v)) != json_string_length(v))
        return get_wrong(key, "a text", err);
    *out = json_string_value(v);
    return 0;
}

int serve_get_array(const json_t *o, const char *key, const json_t **out, struct weft_err *err)
{
    *out = json_object_get(o, key);
    if (*out && !json_is_array(*out))
        return get_wrong(key, "a list", err);
    return 0;
}

int serve_check_keys(const json_t *o, const char *const *known, const char *what,
                     struct weft_err *err)
{
    size_t n = 0;
    while (known[n])
        n++;
    for (void *i = json_object_iter((json_t *)o); i; i = json_object_iter_next((json_t *)o, i)) {
        const char *key = json_object_iter_key(i);
        bool found = false;
        for (size_t k = 0; k < n && !found; k++)
            found = strcmp(key, known[k]) == 0;
        if (found)
            continue;
        return weft_err_set(err, WEFT_E_INPUT, "%s has no member '%.60s'%s", what, key,
                            WEFT_MEANT(key, known, n, ""));
    }
    return 0;
}

static const struct {
    uint32_t kind;
    const char *name;
} kinds[] = {{WEFT_STARTED, "started"},     {WEFT_SENT, "sent"},
             {WEFT_DELIVERED, "delivered"}, {WEFT_ACKNOWLEDGED, "acknowledged"},
             {WEFT_MATCHED, "matched"},     {WEFT_TIMER, "timer"}};

uint32_t serve_kind(const char *name)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(name, kinds[i].name) == 0)
            return kinds[i].kind;
    return 0;
}

const char *serve_kind_name(uint32_t kind)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (kind == kinds[i].kind)
            return kinds[i].name;
    return "?";
}
