/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Communicator groups in JSON, through jansson.
 *
 * jansson knows places only for syntax errors; for a wrong value the place of its key is
 * found again in the text.
 */
#include "workload/groups_json.h"

#include "base/file.h"
#include "json/json_read.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FILE_MAX_BYTES = 256 << 20 };

/** Turns a JSON array into ranks and hands the definition on. */
static int groups_json_take(const char *name, const json_t *list, uint32_t nranks,
                            bool empty_is_all, enum weft_parallelism use, weft_groups_json_fn fn,
                            void *ctx, struct weft_err *err)
{
    if (!json_is_array(list))
        return weft_err_set(err, WEFT_E_INPUT,
                            "process group '%s' needs a list of ranks, like [0, 1, 2]", name);
    size_t n = json_array_size(list);
    if (n == 0 && !empty_is_all)
        return weft_err_set(err, WEFT_E_INPUT, "process group '%s' has no ranks", name);
    if (n > nranks)
        return weft_err_set(err, WEFT_E_INPUT,
                            "process group '%s' lists %zu ranks, but the job has only %" PRIu32,
                            name, n, nranks);
    uint32_t *ranks = calloc(n + 1, sizeof *ranks);
    uint8_t *seen = calloc(nranks, 1);
    int rc = ranks && seen ? 0 : weft_err_no_memory(err, "process groups");
    for (size_t i = 0; i < n && rc == 0; i++) {
        const json_t *v = json_array_get(list, i);
        json_int_t r = json_integer_value(v);
        if (!json_is_integer(v))
            rc = weft_err_set(err, WEFT_E_INPUT,
                              "process group '%s': entry %zu of its ranks is not a whole number",
                              name, i + 1);
        else if (r < 0 || r >= (json_int_t)nranks)
            rc = weft_err_set(err, WEFT_E_INPUT,
                              "process group '%s' lists rank %" JSON_INTEGER_FORMAT
                              ", but the job's ranks are 0 .. %" PRIu32,
                              name, r, nranks - 1);
        else if (seen[r]++)
            rc = weft_err_set(err, WEFT_E_INPUT,
                              "process group '%s' lists rank %" JSON_INTEGER_FORMAT " twice", name,
                              r);
        else
            ranks[i] = (uint32_t)r;
    }
    if (rc == 0) {
        struct weft_group def = {name, ranks, (uint32_t)n, use};
        rc = fn(ctx, &def, err);
    }
    free(ranks);
    free(seen);
    return rc;
}

static char *read_text(const char *path, size_t *size, struct weft_err *err)
{
    FILE *f = fopen(path, "rb");
    if (!f) {
        weft_input_error(err, path, "open the groups file", errno);
        return NULL;
    }
    char *text = NULL;
    size_t used = 0, cap = 0, n;
    do {
        if (used + 1 >= cap) {
            cap = cap ? cap * 2 : 4096;
            char *p = cap <= FILE_MAX_BYTES ? realloc(text, cap) : NULL;
            if (!p) {
                weft_err_at(err, WEFT_E_LIMIT, path, 0, 0,
                            cap <= FILE_MAX_BYTES ? "out of memory for the groups file"
                                                  : "the groups file is too large");
                goto fail;
            }
            text = p;
        }
        n = fread(text + used, 1, cap - used - 1, f);
        used += n;
    } while (n > 0);
    if (ferror(f)) {
        weft_file_error(err, path, "read", errno);
        goto fail;
    }
    fclose(f);
    text[used] = '\0';
    *size = used;
    return text;
fail:
    fclose(f);
    free(text);
    return NULL;
}

/** Finds `"key" :` in the text; leaves 0, 0 when the key is written with escapes. */
static void find_key(const char *text, const char *key, int64_t *line, int64_t *col)
{
    size_t len = strlen(key);
    const char *line_start = text;
    int64_t at = 1;
    *line = *col = 0;
    for (const char *p = text; *p; p++) {
        if (*p == '\n') {
            at++;
            line_start = p + 1;
        } else if (*p == '"' && strncmp(p + 1, key, len) == 0 && p[1 + len] == '"' &&
                   p[2 + len + strspn(p + 2 + len, " \t\r\n")] == ':') {
            *line = at;
            *col = p - line_start + 1;
            return;
        }
    }
}

int weft_groups_json_file(const char *path, uint32_t nranks, weft_groups_json_fn fn, void *ctx,
                          struct weft_err *err)
{
    size_t size = 0;
    char *text = read_text(path, &size, err);
    if (!text)
        return err ? err->code : WEFT_E_IO;
    json_error_t where;
    json_t *root = weft_json_load(text, size, JSON_REJECT_DUPLICATES, &where);
    int rc = 0;
    if (!root) {
        rc = weft_json_load_error(err, path, &where, "");
    } else if (!json_is_object(root)) {
        rc = weft_err_at(err, WEFT_E_INPUT, path, 1, 1,
                         "a groups file is an object from group names to lists of ranks, like "
                         "{\"1\": [0, 1]}");
    } else {
        const char *key;
        json_t *value;
        json_object_foreach(root, key, value)
        {
            rc = *key ? groups_json_take(key, value, nranks, false, WEFT_PARALLEL_OTHER, fn, ctx,
                                         err)
                      : weft_err_set(err, WEFT_E_INPUT,
                                     "a process group has the name \"\", which "
                                     "means the world");
            if (rc < 0) {
                int64_t line, col;
                find_key(text, key, &line, &col);
                weft_err_locate(err, path, line, col);
                break;
            }
        }
    }
    json_decref(root);
    free(text);
    return rc;
}

/** Undoes Python's quoting of the one string of a list, "['...']". NULL: not of that form. */
static char *unquote(const char *values)
{
    size_t len = strlen(values);
    if (len < 4 || values[0] != '[' || values[len - 1] != ']' || values[1] != values[len - 2] ||
        (values[1] != '\'' && values[1] != '"'))
        return NULL;
    char *out = malloc(len);
    if (!out)
        return NULL;
    size_t n = 0;
    for (size_t i = 2; i < len - 2; i++) {
        if (values[i] == '\\' && i + 1 < len - 2 &&
            (values[i + 1] == '\\' || values[i + 1] == '\'' || values[i + 1] == '"'))
            i++;
        out[n++] = values[i];
    }
    out[n] = '\0';
    return out;
}

/* The ranks of a map from ranks to places in the group, as PyTorch 2.1 writes it; NULL when it is
 * none. */
static json_t *in_order(const json_t *map)
{
    const size_t n = json_object_size(map);
    const char *key;
    json_t *place, *list = json_array();
    for (size_t i = 0; i < n; i++)
        json_array_append_new(list, json_null());
    json_object_foreach((json_t *)(uintptr_t)map, key, place)
    {
        const json_int_t at = json_integer_value(place);
        char *end;
        const int64_t rank = strtoll(key, &end, 10);
        if (!json_is_integer(place) || at < 0 || (size_t)at >= n || end == key || *end ||
            !json_is_null(json_array_get(list, (size_t)at))) {
            json_decref(list);
            return NULL;
        }
        json_array_set_new(list, (size_t)at, json_integer(rank));
    }
    return list;
}

static int take_pytorch(const json_t *item, uint32_t nranks, weft_groups_json_fn fn, void *ctx,
                        struct weft_err *err)
{
    char number[32];
    const json_t *name = json_object_get(item, "pg_name");
    const char *text;
    if (!name)
        name = json_object_get(item, "pg_id"); /* PyTorch 2.1 and before */
    text = json_string_value(name);
    if (json_is_integer(name)) {
        snprintf(number, sizeof number, "%" JSON_INTEGER_FORMAT, json_integer_value(name));
        text = number;
    }
    if (!text || !*text)
        return weft_err_set(err, WEFT_E_INPUT, "a process group without a pg_name");
    const enum weft_parallelism use =
        weft_parallelism_of(json_string_value(json_object_get(item, "pg_desc")));
    const json_t *ranks = json_object_get(item, "ranks");
    if (!json_is_object(ranks))
        return groups_json_take(text, ranks, nranks, true, use, fn, ctx, err);
    json_t *list = in_order(ranks);
    const int rc = list ? groups_json_take(text, list, nranks, true, use, fn, ctx, err)
                        : weft_err_set(err, WEFT_E_INPUT,
                                       "process group '%s': its ranks do not map ranks to 0, 1, "
                                       "2 ... as {\"4\": 0, \"5\": 1} does",
                                       text);
    json_decref(list);
    return rc;
}

int weft_groups_json_pytorch(const char *values, uint32_t nranks, weft_groups_json_fn fn, void *ctx,
                             struct weft_err *err)
{
    char *text = unquote(values);
    json_error_t where;
    json_t *root = text ? weft_json_load(text, strlen(text), 0, &where) : NULL;
    int rc = 0;
    if (!text)
        rc = weft_err_set(err, WEFT_E_INPUT,
                          "the process groups in inputs.values are not a list of one string");
    else if (!root && json_error_code(&where) == json_error_out_of_memory)
        rc = weft_err_no_memory(err, "the process groups");
    else if (!root)
        rc = weft_err_set(err, WEFT_E_INPUT,
                          "the process groups in inputs.values are not JSON: %s, at character %d",
                          where.text, where.position);
    else if (!json_is_array(root))
        rc = weft_err_set(err, WEFT_E_INPUT,
                          "the process groups in inputs.values are not a JSON list");
    for (size_t i = 0; rc == 0 && i < json_array_size(root); i++)
        rc = take_pytorch(json_array_get(root, i), nranks, fn, ctx, err);
    json_decref(root);
    free(text);
    return rc;
}
