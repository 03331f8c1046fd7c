/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Structured files: maps, lists and plain values within each other, as YAML or as JSON, each with
 * its place in the file. One document; no aliases.
 */
#ifndef WEFT_BASE_TREE_H
#define WEFT_BASE_TREE_H

#include "base/arena.h"
#include "base/err.h"

#include <stdbool.h>

enum weft_tree_kind { WEFT_TREE_VALUE, WEFT_TREE_LIST, WEFT_TREE_MAP };

/** A value, list or map. */
struct weft_tree {
    enum weft_tree_kind kind;
    const char *key;  /**< in a map; else NULL */
    const char *text; /**< VALUE, without quotes; "" for none */
    bool missing;     /**< VALUE: nothing stands there, not even quotes */
    int64_t key_line; /**< in a map: of its key */
    int64_t line, col;
    struct weft_tree *first; /**< LIST, MAP: what is in it, in its order */
    struct weft_tree *next;  /**< in the list or map that it is in */
    uint32_t n;              /**< how many are in it */
};

/** Reads a text of @p len bytes into the arena; @p file is its name in messages. */
int weft_tree_parse(const char *text, size_t len, const char *file, struct weft_arena *a,
                    struct weft_tree **out, struct weft_err *err);
/** The same of files whose documents are maps: their keys are those of one map. */
int weft_tree_parse_keys(const char *text, size_t len, const char *file, struct weft_arena *a,
                         struct weft_tree **out, struct weft_err *err);
/** What a map has under a key; NULL when it is no map, or @p t is NULL, or there is none. */
const struct weft_tree *weft_tree_get(const struct weft_tree *t, const char *key);
/** The text of a value under a key, @p none without one. */
const char *weft_tree_text(const struct weft_tree *t, const char *key, const char *none);
/** Records an error at @p t (NULL: at the file), as printf. Returns WEFT_E_INPUT. */
#define weft_tree_err(t, file, err, ...)                                                           \
    weft_err_at(err, WEFT_E_INPUT, file, (t) ? (t)->line : 0, (t) ? (t)->col : 0, __VA_ARGS__)

#endif
