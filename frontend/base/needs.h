/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * When a parameter can have an effect.
 *
 * A parameter may say what it needs (struct weft_param, `needs`), as text that people can read:
 *
 *   needs     = all-of { " or " all-of }
 *   all-of    = condition { " and " condition }
 *   condition = KEY=WORD{|WORD}   the value is one of the words; "0" is any zero, nothing is ""
 *             | KEY!=WORD{|WORD}  it is none of them
 *             | KEY has X         KEY is a bit mask with bit X, or a list of words with the word X
 *             | KEY lacks X       the opposite
 *
 * KEY is a parameter of the same table, or "section.parameter" of another. A WORD or X that starts
 * with '$' is the value of the key that follows.
 */
#ifndef WEFT_BASE_NEEDS_H
#define WEFT_BASE_NEEDS_H

#include "base/param.h"

WEFT_C_BEGIN

/** A table with its values, and where the values of other tables are. */
struct weft_needs_scope {
    const struct weft_param_table *table;
    const void *values;
    const char *prefix; /**< of the table's own keys in messages: "pfc" */
    /** Optional. The value of "section.parameter", in @p buf or elsewhere; NULL: no such key. */
    const char *(*lookup)(void *ctx, const char *key, char *buf, size_t size);
    void *ctx;
};

/**
 * Whether @p p can have an effect. 1: yes, or what it needs lies in a table that is not there;
 * 0: no, and @p why (may be NULL) says which values rule it out ("pfc.quanta is 0");
 * WEFT_E_INTERNAL: its `needs` is malformed or names a key that no table has.
 */
int weft_param_effective(const struct weft_param *p, const struct weft_needs_scope *scope,
                         char *why, size_t size, struct weft_err *err);

/** WEFT_E_INPUT if a parameter that differs from its default can't have an effect. */
int weft_params_refuse_idle(const struct weft_needs_scope *scope, struct weft_err *err);

/** Fills @p values, a struct of @p table: defaults, then the "NAME=VALUE ..." of @p words (NULL:
 * none), which are cut up. WEFT_E_INPUT also for one that can't have an effect. */
int weft_params_read(const struct weft_param_table *table, const char *prefix, void *values,
                     char *words, struct weft_err *err);

WEFT_C_END
#endif
