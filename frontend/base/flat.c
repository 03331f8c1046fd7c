/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Flat configuration files: the keys of a tree (tree.h), each with a value or a list.
 */
#include "base/flat.h"

#include "base/file.h"
#include "base/tree.h"
#include "base/units.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILE_MAX (1u << 20)

static int add_value(const struct weft_flat *f, struct weft_flat_key *k, const struct weft_tree *v,
                     struct weft_err *err)
{
    if (v->kind != WEFT_TREE_VALUE)
        return weft_tree_err(v, f->file, err, "lists hold plain values");
    if (v->missing)
        return weft_tree_err(v, f->file, err, "a value is missing");
    if (k->n == WEFT_FLAT_LIST_MAX)
        return weft_tree_err(v, f->file, err, "more than 16 values in a list");
    k->values[k->n++] = v->text;
    return 0;
}

static int add_key(struct weft_flat *f, const struct weft_tree *t, struct weft_err *err)
{
    struct weft_flat_key *k = &f->keys[f->nkeys];
    int rc = 0;
    if (f->nkeys == WEFT_FLAT_KEYS_MAX)
        return weft_tree_err(t, f->file, err, "more than 64 keys");
    *k = (struct weft_flat_key){
        .name = t->key, .line = t->key_line, .map = t->kind == WEFT_TREE_MAP};
    if (t->kind == WEFT_TREE_VALUE)
        rc = add_value(f, k, t, err);
    for (const struct weft_tree *v = t->first; v && t->kind == WEFT_TREE_LIST && !rc; v = v->next)
        rc = add_value(f, k, v, err);
    f->nkeys++;
    return rc;
}

int weft_flat_read(const char *path, struct weft_arena *a, struct weft_flat **out,
                   struct weft_err *err)
{
    struct weft_err local = {0};
    struct weft_tree *tree = NULL;
    char *text = NULL;
    size_t len;
    err = err ? err : &local;
    struct weft_flat *f = weft_arena_calloc(a, 1, sizeof *f);
    *out = f;
    if (!f)
        return weft_err_no_memory(err, "a list of values");
    f->file = path;
    int rc = weft_file_read(path, FILE_MAX, &text, &len, err);
    if (!rc)
        rc = weft_tree_parse_keys(text, len, path, a, &tree, err);
    for (const struct weft_tree *t = tree ? tree->first : NULL; t && !rc; t = t->next)
        rc = add_key(f, t, err);
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
