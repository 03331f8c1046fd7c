/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Lists and maps as text: "8,16" and "all-to-all:2,send:5". What items mean is up to whom they are for.
 */
#ifndef WEFT_BASE_LIST_H
#define WEFT_BASE_LIST_H

#include "base/err.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Longest key, and longest value. */
#define WEFT_LIST_WORD_MAX 63

/** One item. */
struct weft_list_item {
    char key[WEFT_LIST_WORD_MAX + 1];   /**< of a map: before ':'; of a list: the item */
    char value[WEFT_LIST_WORD_MAX + 1]; /**< of a map: behind ':'; of a list: "" */
};

/** A text that is being read. */
struct weft_list {
    const char *text;    /**< all of it */
    const char *example; /**< what one is like, for errors: "8,16" */
    size_t at;           /**< read so far */
};

/** Takes the next item of a list: 1, or 0 at the end. An empty or too long item, or a comma at the end: WEFT_E_INPUT. */
int weft_list_next(struct weft_list *list, struct weft_list_item *out, struct weft_err *err);
/** The same for a map: items have a key and a value. */
int weft_map_next(struct weft_list *map, struct weft_list_item *out, struct weft_err *err);

#ifdef __cplusplus
}
#endif
#endif
