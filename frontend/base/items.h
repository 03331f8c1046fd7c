/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Lists of things with parameters in one text: "TYPE NAME=VALUE ...; TYPE NAME=VALUE ...", as in
 * topology multi.dimensions and fault.events. The items may be on lines of their own, and a
 * semicolon may follow the last.
 */
#ifndef WEFT_BASE_ITEMS_H
#define WEFT_BASE_ITEMS_H

#include "base/err.h"

/** Takes a parameter. */
typedef int (*weft_word_fn)(void *ctx, const char *name, const char *value, struct weft_err *err);

/** Reads "NAME=VALUE NAME=VALUE ...", cutting @p words up; NULL is an empty text. */
int weft_words_read(char *words, weft_word_fn set, void *ctx, struct weft_err *err);

/** What to do with the items. Each function returns 0, or a WEFT_E_* code with *err filled. The
 * texts that they get stay where they are as long as the list does. */
struct weft_items_reader {
    void *ctx;
    const char *what; /**< what an item is, for messages: "dimension" */
    int (*begin)(void *ctx, const char *type, struct weft_err *err); /**< an item begins */
    weft_word_fn set;                                                /**< one of its parameters */
    int (*end)(void *ctx, struct weft_err *err);                     /**< that was all of it */
};

/** Reads a list, cutting @p text up. Messages begin with "WHAT NUMBER", counted from 1, and the
 * type. */
int weft_items_read(char *text, const struct weft_items_reader *r, struct weft_err *err);

#endif
