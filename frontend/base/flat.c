/* SPDX-License-Identifier: GPL-2.0-only */
/* See flat.h. */
#include "base/flat.h"

#include "base/file.h"
#include "base/units.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILE_MAX (1u << 20)

struct reader {
    struct weft_flat *flat;
    const char *at;
    int64_t line;
    struct weft_arena *arena;
    struct weft_err *err;
};

static int fail(struct reader *r, const char *what)
{
    return weft_err_at(r->err, WEFT_E_INPUT, r->flat->file, r->line, 0, "%s", what);
}

/* Moves over white space, comments and what `also` has. */
static void skip(struct reader *r, const char *also)
{
    for (; *r->at; r->at++) {
        if (*r->at == '\n')
            r->line++;
        if (*r->at == '#')
            while (r->at[1] && r->at[1] != '\n')
                r->at++;
        else if (!strchr(" \t\r\n", *r->at) && !strchr(also, *r->at))
            return;
    }
}

/* A word, quoted or up to a separator. NULL: none. */
static const char *word(struct reader *r)
{
    const char *from = r->at;
    if (*from == '"' || *from == '\'') {
        const char *end = strchr(from + 1, *from);
        if (!end)
            return NULL;
        r->at = end + 1;
        return weft_arena_strndup(r->arena, from + 1, (size_t)(end - from - 1));
    }
    size_t n = strcspn(from, ":,[]{}#\r\n");
    r->at += n;
    while (n && (from[n - 1] == ' ' || from[n - 1] == '\t'))
        n--;
    return n ? weft_arena_strndup(r->arena, from, n) : NULL;
}

static int add_value(struct reader *r, struct weft_flat_key *k)
{
    if (k->n == WEFT_FLAT_LIST_MAX)
        return fail(r, "more than 16 values in a list");
    k->values[k->n] = word(r);
    if (!k->values[k->n])
        return fail(r, "a value is missing or not closed");
    k->n++;
    return 0;
}

/* The values behind "key:". */
static int values(struct reader *r, struct weft_flat_key *k)
{
    int rc = 0;
    skip(r, "");
    if (*r->at == '[') {
        r->at++;
        for (skip(r, ","); *r->at && *r->at != ']' && !rc; skip(r, ","))
            rc = strchr("[{:}", *r->at) ? fail(r, "lists hold plain values") : add_value(r, k);
        if (!rc && *r->at != ']')
            rc = fail(r, "a list is not closed");
        r->at += !rc;
    } else if (*r->at == '-' && (r->at[1] == ' ' || r->at[1] == '\t')) {
        while (*r->at == '-' && !rc) {
            r->at++;
            skip(r, "");
            rc = add_value(r, k);
            skip(r, "");
        }
    } else if (*r->at == '{') {
        rc = fail(r, "a value must be plain or a list, not a map");
    } else {
        rc = add_value(r, k);
    }
    return rc;
}

static int read_keys(struct reader *r)
{
    struct weft_flat *f = r->flat;
    int rc = 0;
    for (skip(r, ",{}"); *r->at && !rc; skip(r, ",{}")) {
        if (strncmp(r->at, "---", 3) == 0) {
            r->at += 3;
            continue;
        }
        if (f->nkeys == WEFT_FLAT_KEYS_MAX)
            return fail(r, "more than 64 keys");
        struct weft_flat_key *k = &f->keys[f->nkeys];
        *k = (struct weft_flat_key){.line = r->line};
        k->name = word(r);
        skip(r, "");
        if (!k->name || *r->at != ':')
            return fail(r, "expected 'key: value' or 'key: [values]'");
        r->at++;
        if (weft_flat_find(f, k->name))
            return fail(r, "a key is given twice");
        rc = values(r, k);
        f->nkeys++;
    }
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
        return weft_err_set(err, WEFT_E_LIMIT, "out of memory for a list of values");
    f->file = path;
    int rc = weft_file_read(path, FILE_MAX, &text, &len, err);
    if (!rc && memchr(text, 0, len))
        rc = weft_err_at(err, WEFT_E_INPUT, path, 0, 0, "this is not a text file");
    if (!rc) {
        struct reader r = {f, text, 1, a, err};
        rc = read_keys(&r);
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
    if (i >= k->n && k->n != 1)
        return weft_flat_err(f, k, err, "'%s' has %u values, but there are more dimensions",
                             k->name, k->n);
    if (weft_parse_f64(k->values[i < k->n ? i : 0], out, err)) {
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
