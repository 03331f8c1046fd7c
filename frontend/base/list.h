/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Lists and maps as text: "8,16", "0,4-7" and "all-to-all:2,send:5". Items are joined by commas,
 * the fields of an item by colons, unless the form says otherwise; blanks around an item do not
 * count. A parameter whose text is
 * one names its form (struct weft_param, `list`), and weft_params_set refuses a text that has
 * another.
 */
#ifndef WEFT_BASE_LIST_H
#define WEFT_BASE_LIST_H

#include "base/param.h"

#include <stdbool.h>

WEFT_C_BEGIN

/** Most fields of an item. */
#define WEFT_LIST_FIELDS_MAX 4

/** How a list is written. */
struct weft_list_form {
    const char *like; /**< for errors, with an example: "RANK:FACTOR,..., such as 3:1.5,7:2" */
    /** What the fields are; only type, choices, min and max count. The last takes in all further
     * joints of fields if it is a STRING. */
    const struct weft_param *fields;
    size_t nfields; /**< 1 to WEFT_LIST_FIELDS_MAX */
    const char
        *rest_word;    /**< may stand for all fields behind the first: "off"; NULL: nothing may */
    const char *words; /**< any of these may stand for the whole list: "group|rail"; NULL: none */
    bool unique;       /**< no two items have the same first field */
    char joint;        /**< what joins items, such as the x of 4x4x2; 0: a comma */
    char field_joint;  /**< what joins the fields of an item; 0: a colon */
    /** the only field is a U64, and an item one number or a range: "4-7"; not with unique */
    bool ranges;
};

/** A part of an item. */
struct weft_list_field {
    const char *text; /**< not terminated: the list goes on behind it */
    size_t len;
    union weft_param_value value; /**< a STRING has none but its text */
};

/** One item. */
struct weft_list_item {
    const char *text; /**< not terminated */
    size_t len;
    struct weft_list_field field[WEFT_LIST_FIELDS_MAX];
    uint64_t to;       /**< ranges: the last number; field[0] is the first */
    bool rest_is_word; /**< rest_word stands for the fields behind the first, which are empty */
};

/** A text that is being read; at = 0 before the first item. */
struct weft_list {
    const char *text; /**< all of it */
    const struct weft_list_form *form;
    size_t at; /**< read so far */
};

/**
 * Takes the next item: 1, or 0 at the end. WEFT_E_INPUT: it is not of the form, a field is not of
 * its type or range, or what is unique is there twice. One of `words` is no item: see
 * weft_list_is_word.
 */
int weft_list_next(struct weft_list *list, struct weft_list_item *out, struct weft_err *err);
/** Which of the form's words @p text is, from 0; -1: none. */
int weft_list_is_word(const struct weft_list_form *form, const char *text);
/** Numbers and ranges of them, such as ranks: "0,4-7". */
extern const struct weft_list_form weft_ranges_form;
/** Whether all of @p text is of the form: 0, or what weft_list_next says. */
int weft_list_check(const struct weft_list_form *form, const char *text, struct weft_err *err);

WEFT_C_END
#endif
