/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reads YAML and JSON through libyaml into a tree of maps, lists and values, each with its line and
 * column.
 */
#include "base/tree.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

enum { DEPTH_MAX = 32 };

struct reader {
    struct weft_arena *arena;
    struct weft_err *err;
    const char *file;
    bool keys; /* each document is a map */
    yaml_parser_t parser;
    yaml_event_t event;                /* the latest */
    struct weft_tree *open[DEPTH_MAX]; /* lists and maps that have begun */
    struct weft_tree **tail[DEPTH_MAX];
    const char *key[DEPTH_MAX]; /* of a map, waiting for its value */
    int64_t key_line[DEPTH_MAX];
    uint32_t depth;
};

static int fail_at(const struct reader *r, const yaml_mark_t *at, const char *what)
{
    return weft_err_at(r->err, WEFT_E_INPUT, r->file, (int64_t)at->line + 1,
                       (int64_t)at->column + 1, "%s", what);
}

static int tree_fail(const struct reader *r, const char *what)
{
    return fail_at(r, &r->event.start_mark, what);
}

static int tree_next(struct reader *r)
{
    const yaml_parser_t *p = &r->parser;
    char text[256];
    yaml_event_delete(&r->event);
    if (yaml_parser_parse(&r->parser, &r->event))
        return 0;
    if (p->error == YAML_MEMORY_ERROR)
        return weft_err_no_memory(r->err, "a structured file");
    snprintf(text, sizeof text, "%s%s%s", p->context ? p->context : "", p->context ? ", " : "",
             p->problem ? p->problem : "this is neither YAML nor JSON");
    return fail_at(r, p->context ? &p->context_mark : &p->problem_mark, text);
}

/* A new member of what is open. */
static struct weft_tree *tree_add(struct reader *r, enum weft_tree_kind kind)
{
    struct weft_tree *t = weft_arena_calloc(r->arena, 1, sizeof *t);
    if (!t)
        return NULL;
    t->kind = kind;
    t->text = "";
    t->line = (int64_t)r->event.start_mark.line + 1;
    t->col = (int64_t)r->event.start_mark.column + 1;
    if (r->depth) {
        struct weft_tree *in = r->open[r->depth - 1];
        t->key = r->key[r->depth - 1];
        t->key_line = r->key_line[r->depth - 1];
        r->key[r->depth - 1] = NULL;
        *r->tail[r->depth - 1] = t;
        r->tail[r->depth - 1] = &t->next;
        in->n++;
    }
    return t;
}

static int scalar(struct reader *r)
{
    const char *text = (const char *)r->event.data.scalar.value;
    const size_t len = r->event.data.scalar.length;
    if (memchr(text, 0, len))
        return tree_fail(r, "a text has a NUL character");
    const char *copy = weft_arena_strndup(r->arena, text, len);
    if (!copy)
        return weft_err_no_memory(r->err, "a structured file");
    if (r->depth && r->open[r->depth - 1]->kind == WEFT_TREE_MAP && !r->key[r->depth - 1]) {
        r->key[r->depth - 1] = copy;
        r->key_line[r->depth - 1] = (int64_t)r->event.start_mark.line + 1;
        return 0;
    }
    struct weft_tree *t = tree_add(r, WEFT_TREE_VALUE);
    if (!t)
        return weft_err_no_memory(r->err, "a structured file");
    t->text = copy;
    t->missing = len == 0 && r->event.data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
    return 0;
}

static int tree_begin(struct reader *r, enum weft_tree_kind kind)
{
    if (r->depth && r->open[r->depth - 1]->kind == WEFT_TREE_MAP && !r->key[r->depth - 1])
        return tree_fail(r, "a key must be a word");
    if (r->depth == DEPTH_MAX)
        return tree_fail(r, "more than 32 lists and maps within each other");
    struct weft_tree *t = tree_add(r, kind);
    if (!t)
        return weft_err_no_memory(r->err, "a structured file");
    r->open[r->depth] = t;
    r->tail[r->depth] = &t->first;
    r->key[r->depth++] = NULL;
    return 0;
}

static int tree_by_key(const void *a, const void *b)
{
    const struct weft_tree *const *x = a, *const *y = b;
    const int order = strcmp((*x)->key, (*y)->key);
    return order                      ? order
           : (*x)->line != (*y)->line ? ((*x)->line < (*y)->line ? -1 : 1)
           : (*x)->col < (*y)->col    ? -1
                                      : (*x)->col > (*y)->col;
}

/* A map that is over has each key once: readers would differ about which of two counts. */
static int check_keys(const struct reader *r, const struct weft_tree *map)
{
    const struct weft_tree **members = malloc((map->n + 1) * sizeof *members), *twice = NULL;
    size_t n = 0;
    if (!members)
        return weft_err_no_memory(r->err, "a structured file");
    for (const struct weft_tree *t = map->first; t; t = t->next)
        members[n++] = t;
    qsort(members, n, sizeof *members, tree_by_key);
    for (size_t i = 1; i < n; i++)
        if (strcmp(members[i - 1]->key, members[i]->key) == 0 &&
            (!twice || members[i]->line < twice->line ||
             (members[i]->line == twice->line && members[i]->col < twice->col)))
            twice = members[i];
    free(members);
    return twice ? weft_err_at(r->err, WEFT_E_INPUT, r->file, twice->line, twice->col,
                               "the key '%.60s' is there twice in a map", twice->key)
                 : 0;
}

static const char no_keys[] = "expected 'key: value' or 'key: [values]'";

static int read_document(struct reader *r, struct weft_tree **out)
{
    int rc = 0;
    do {
        rc = tree_next(r);
        if (rc)
            break;
        switch (r->event.type) {
        case YAML_SCALAR_EVENT:
            if (r->depth == 0)
                return tree_fail(r, r->keys ? no_keys : "this is a word, not a map or list");
            rc = scalar(r);
            break;
        case YAML_SEQUENCE_START_EVENT:
        case YAML_MAPPING_START_EVENT:
            if (r->depth == 0 && r->keys && r->event.type == YAML_SEQUENCE_START_EVENT)
                return tree_fail(r, no_keys);
            rc = tree_begin(r, r->event.type == YAML_SEQUENCE_START_EVENT ? WEFT_TREE_LIST
                                                                          : WEFT_TREE_MAP);
            *out = r->open[0];
            break;
        case YAML_SEQUENCE_END_EVENT:
        case YAML_MAPPING_END_EVENT:
            r->depth--;
            if (r->event.type == YAML_MAPPING_END_EVENT)
                rc = check_keys(r, r->open[r->depth]);
            break;
        case YAML_ALIAS_EVENT:
            return tree_fail(r, "an alias stands here; write out what it stands for");
        default:
            break;
        }
    } while (!rc && r->event.type != YAML_DOCUMENT_END_EVENT &&
             r->event.type != YAML_STREAM_END_EVENT);
    if (!rc && !*out && !r->keys)
        return tree_fail(r, "there is nothing in the file");
    return rc;
}

/* Moves the keys of documents that follow to the map of the first. */
static int read_more(struct reader *r, struct weft_tree *first)
{
    struct weft_tree **tail = r->tail[0];
    int rc = 0;
    while (!rc && r->event.type == YAML_DOCUMENT_START_EVENT) {
        struct weft_tree *more = NULL;
        rc = read_document(r, &more);
        if (!rc) {
            *tail = more->first;
            tail = more->n ? r->tail[0] : tail;
            first->n += more->n;
            rc = check_keys(r, first);
        }
        rc = rc ? rc : tree_next(r);
    }
    return rc;
}

static int tree_read(struct reader *r, const char *text, size_t len, struct weft_tree **out)
{
    *out = NULL;
    if (!yaml_parser_initialize(&r->parser))
        return weft_err_no_memory(r->err, "a structured file");
    yaml_parser_set_input_string(&r->parser, (const unsigned char *)text, len);
    int rc = read_document(r, out);
    if (!rc && r->event.type != YAML_STREAM_END_EVENT)
        rc = tree_next(r);
    if (!rc && r->keys && *out)
        rc = read_more(r, *out);
    if (!rc && r->event.type != YAML_STREAM_END_EVENT)
        rc = tree_fail(r, "a second document begins here; one is read");
    yaml_event_delete(&r->event);
    yaml_parser_delete(&r->parser);
    return rc;
}

int weft_tree_parse(const char *text, size_t len, const char *file, struct weft_arena *a,
                    struct weft_tree **out, struct weft_err *err)
{
    struct weft_err local = {0};
    struct reader r = {.arena = a, .err = err ? err : &local, .file = file};
    return tree_read(&r, text, len, out);
}

int weft_tree_parse_keys(const char *text, size_t len, const char *file, struct weft_arena *a,
                         struct weft_tree **out, struct weft_err *err)
{
    struct reader r = {.arena = a, .err = err, .file = file, .keys = true};
    return tree_read(&r, text, len, out);
}

const struct weft_tree *weft_tree_get(const struct weft_tree *t, const char *key)
{
    if (!t || t->kind != WEFT_TREE_MAP)
        return NULL;
    for (t = t->first; t; t = t->next)
        if (strcmp(t->key, key) == 0)
            return t;
    return NULL;
}

const char *weft_tree_text(const struct weft_tree *t, const char *key, const char *none)
{
    const struct weft_tree *v = weft_tree_get(t, key);
    return v && v->kind == WEFT_TREE_VALUE ? v->text : none;
}
