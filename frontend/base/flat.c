/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reads flat configuration files, keys with a value or a list, through libyaml (JSON is a part of
 * YAML).
 */
#include "base/flat.h"

#include "base/file.h"
#include "base/units.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#define FILE_MAX (1u << 20)

struct reader {
    struct weft_flat *flat;
    struct weft_arena *arena;
    struct weft_err *err;
    yaml_parser_t parser;
    yaml_event_t event; /* the latest */
};

static int fail_at(struct reader *r, const yaml_mark_t *at, const char *what)
{
    return weft_err_at(r->err, WEFT_E_INPUT, r->flat->file, (int64_t)at->line + 1,
                       (int64_t)at->column + 1, "%s", what);
}

static int flat_fail(struct reader *r, const char *what)
{
    return fail_at(r, &r->event.start_mark, what);
}

/* What is wrong with the text, at the place where the thing begins that is wrong. */
static int fail_parse(struct reader *r)
{
    const yaml_parser_t *p = &r->parser;
    char text[WEFT_ERR_MSG_MAX];
    if (p->error == YAML_MEMORY_ERROR)
        return weft_err_no_memory(r->err, "a list of values");
    snprintf(text, sizeof text, "%s%s%s", p->context ? p->context : "", p->context ? ", " : "",
             p->problem ? p->problem : "this is no YAML");
    return fail_at(r, p->context ? &p->context_mark : &p->problem_mark, text);
}

static int flat_next(struct reader *r)
{
    yaml_event_delete(&r->event);
    return yaml_parser_parse(&r->parser, &r->event) ? 0 : fail_parse(r);
}

/* The text of the scalar at hand. */
static int scalar(struct reader *r, const char **out)
{
    const char *text = (const char *)r->event.data.scalar.value;
    const size_t len = r->event.data.scalar.length;
    if (memchr(text, 0, len))
        return flat_fail(r, "a text has a NUL character");
    *out = weft_arena_strndup(r->arena, text, len);
    return *out ? 0 : weft_err_no_memory(r->err, "a list of values");
}

static int add_value(struct reader *r, struct weft_flat_key *k)
{
    if (r->event.type != YAML_SCALAR_EVENT)
        return flat_fail(r, "lists hold plain values");
    if (r->event.data.scalar.length == 0 && r->event.data.scalar.style == YAML_PLAIN_SCALAR_STYLE)
        return flat_fail(r, "a value is missing");
    if (k->n == WEFT_FLAT_LIST_MAX)
        return flat_fail(r, "more than 16 values in a list");
    const int rc = scalar(r, &k->values[k->n]);
    k->n += !rc;
    return rc;
}

/* The rest of a map, with whatever is in it. */
static int skip_map(struct reader *r)
{
    int rc = 0;
    for (unsigned depth = 1; depth > 0 && !(rc = flat_next(r));)
        switch (r->event.type) {
        case YAML_MAPPING_START_EVENT:
        case YAML_SEQUENCE_START_EVENT:
            depth++;
            break;
        case YAML_MAPPING_END_EVENT:
        case YAML_SEQUENCE_END_EVENT:
            depth--;
            break;
        default:
            break;
        }
    return rc;
}

/* The values behind a key. */
static int values(struct reader *r, struct weft_flat_key *k)
{
    int rc = flat_next(r);
    if (rc || r->event.type == YAML_SCALAR_EVENT)
        return rc ? rc : add_value(r, k);
    k->map = r->event.type == YAML_MAPPING_START_EVENT;
    if (k->map)
        return skip_map(r);
    if (r->event.type != YAML_SEQUENCE_START_EVENT)
        return flat_fail(r, "a value must be plain, a list or a map, not an alias");
    while (!(rc = flat_next(r)) && r->event.type != YAML_SEQUENCE_END_EVENT)
        if ((rc = add_value(r, k)))
            return rc;
    return rc;
}

/* The keys of one document. */
static int read_keys(struct reader *r)
{
    struct weft_flat *f = r->flat;
    int rc = flat_next(r);
    if (!rc && r->event.type != YAML_MAPPING_START_EVENT)
        return flat_fail(r, "expected 'key: value' or 'key: [values]'");
    while (!rc && !(rc = flat_next(r)) && r->event.type != YAML_MAPPING_END_EVENT) {
        struct weft_flat_key *k = &f->keys[f->nkeys];
        if (f->nkeys == WEFT_FLAT_KEYS_MAX)
            return flat_fail(r, "more than 64 keys");
        if (r->event.type != YAML_SCALAR_EVENT)
            return flat_fail(r, "a key must be a word");
        *k = (struct weft_flat_key){.line = (int64_t)r->event.start_mark.line + 1};
        if ((rc = scalar(r, &k->name)))
            return rc;
        if (weft_flat_find(f, k->name))
            return flat_fail(r, "a key is given twice");
        rc = values(r, k);
        f->nkeys++;
    }
    return rc ? rc : flat_next(r); /* the end of the document */
}

static int read_documents(struct reader *r, const char *text, size_t len)
{
    if (!yaml_parser_initialize(&r->parser))
        return weft_err_no_memory(r->err, "a list of values");
    yaml_parser_set_input_string(&r->parser, (const unsigned char *)text, len);
    int rc = flat_next(r);
    while (!rc && !(rc = flat_next(r)) && r->event.type == YAML_DOCUMENT_START_EVENT)
        rc = read_keys(r);
    yaml_event_delete(&r->event);
    yaml_parser_delete(&r->parser);
    return rc;
}

int weft_flat_read(const char *path, struct weft_arena *a, struct weft_flat **out,
                   struct weft_err *err)
{
    struct weft_err local = {0};
    char *text = NULL;
    size_t len;
    err = err ? err : &local;
    struct weft_flat *f = weft_arena_calloc(a, 1, sizeof *f);
    *out = f;
    if (!f)
        return weft_err_no_memory(err, "a list of values");
    f->file = path;
    int rc = weft_file_read(path, FILE_MAX, &text, &len, err);
    if (!rc) {
        struct reader r = {.flat = f, .arena = a, .err = err};
        rc = read_documents(&r, text, len);
    }
    free(text);
    return rc;
}

const struct weft_flat_key *weft_flat_find(const struct weft_flat *f, const char *name)
{
    for (uint32_t i = 0; i < f->nkeys; i++)
        if (strcmp(f->keys[i].name, name) == 0)
            return &f->keys[i];
    return NULL;
}

int weft_flat_number(const struct weft_flat *f, const struct weft_flat_key *k, uint32_t i,
                     double *out, struct weft_err *err)
{
    if (i >= k->n)
        return weft_flat_err(f, k, err, "'%s' has %u value%s, but more are needed", k->name, k->n,
                             k->n == 1 ? "" : "s");
    if (weft_parse_f64(k->values[i], out, err)) {
        weft_err_prepend(err, "'%s'", k->name);
        return weft_err_locate(err, f->file, k->line, 0);
    }
    return 0;
}

int weft_flat_err(const struct weft_flat *f, const struct weft_flat_key *k, struct weft_err *err,
                  const char *fmt, ...)
{
    char text[WEFT_ERR_MSG_MAX];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    return weft_err_at(err, WEFT_E_INPUT, f->file, k ? k->line : 0, 0, "%s", text);
}
