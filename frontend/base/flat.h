/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Flat configuration files: keys with a value or a list of plain values, as YAML (flow or block
 * lists; the keys of all documents of the file together) or as JSON with one object. What
 * ASTRA-sim's configurations are made of. What maps within maps hold is not read.
 */
#ifndef WEFT_BASE_FLAT_H
#define WEFT_BASE_FLAT_H

#include "base/arena.h"
#include "base/err.h"

#include <stdbool.h>

WEFT_C_BEGIN

/** Longest list, and most keys of a file. */
#define WEFT_FLAT_LIST_MAX 16u
#define WEFT_FLAT_KEYS_MAX 64u

/** One key and its values, as text without quotes. */
struct weft_flat_key {
    const char *name;
    int64_t line;
    const char *values[WEFT_FLAT_LIST_MAX];
    uint32_t n; /**< number of values; an empty list has 0, and so has a map */
    bool map;   /**< its value is a map, whose keys are not kept */
};

/** The keys of a file, each once, in their order. */
struct weft_flat {
    const char *file;
    struct weft_flat_key keys[WEFT_FLAT_KEYS_MAX];
    uint32_t nkeys;
};

/** Reads the file @p path, whose name must outlive the arena @p a that the result lives in. */
int weft_flat_read(const char *path, struct weft_arena *a, struct weft_flat **out,
                   struct weft_err *err);
/** The key called @p name, or NULL. */
const struct weft_flat_key *weft_flat_find(const struct weft_flat *f, const char *name);
/** Value @p i of a key as a number into *out; an error where it has fewer. */
int weft_flat_number(const struct weft_flat *f, const struct weft_flat_key *k, uint32_t i,
                     double *out, struct weft_err *err);
/** The line of a key; 0: of none. */
static inline int64_t weft_flat_line(const struct weft_flat_key *k)
{
    return k ? k->line : 0;
}
/** Records an error at a key (NULL: at the file), as printf. Returns WEFT_E_INPUT. */
#define weft_flat_err(f, k, err, ...)                                                              \
    weft_err_at(err, WEFT_E_INPUT, (f)->file, weft_flat_line(k), 0, __VA_ARGS__)

WEFT_C_END
#endif
