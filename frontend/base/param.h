/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Parameter tables.
 *
 * Everything that a user can set (a congestion control, a topology, the switch buffer, a
 * scenario section) declares its parameters as a static array of struct weft_param. That one table
 * makes the scenario attribute, the `--set section.name=value` override, the ns-3 attribute, the
 * RELAX NG schema, the help text and the check of values. Values live in a plain C struct of
 * the plug-in; each entry says at which offset.
 *
 * Defaults and bounds are text with units, parsed by the same code that parses what users write.
 */
#ifndef WEFT_BASE_PARAM_H
#define WEFT_BASE_PARAM_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

WEFT_C_BEGIN

/** The type of a parameter and of the struct field that holds it. */
enum weft_param_type {
    WEFT_PARAM_BOOL,   /**< bool */
    WEFT_PARAM_U64,    /**< uint64_t, a count */
    WEFT_PARAM_F64,    /**< double, a ratio */
    WEFT_PARAM_TIME,   /**< int64_t, picoseconds */
    WEFT_PARAM_SIZE,   /**< uint64_t, bytes */
    WEFT_PARAM_RATE,   /**< uint64_t, bit/s */
    WEFT_PARAM_STRING, /**< const char *, not owned: the text given must outlive the struct */
    WEFT_PARAM_ENUM    /**< int: the index of the chosen word in `choices` */
};

/** A value of any type. */
union weft_param_value {
    bool truth;
    int index; /**< ENUM: of the chosen word */
    uint64_t u64;
    int64_t i64;
    double f64;
    const char *text;
};

/** What a default grows or shrinks with (base/scale.h). */
enum weft_basis {
    WEFT_BASIS_LINE_RATE, /**< def x line rate / at */
    WEFT_BASIS_LINE_TIME, /**< def x at / line rate: the time that line rate takes for as many bits
                           */
    WEFT_BASIS_BASE_RTT,  /**< def x base RTT / at */
    WEFT_BASIS_CONTROL    /**< what the congestion control is tuned for (struct weft_cc_marking) */
};

/** A default that follows from the path. Its value is WEFT_PARAM_AUTO until a path is known. */
struct weft_scale {
    enum weft_basis basis;
    const char
        *at; /**< line rate or base RTT for which `def` is meant, as text; NULL for CONTROL */
    const char *least; /**< the default is never smaller, as text; NULL: no such bound */
    const char *most;  /**< the default is never larger, as text; NULL: no such bound */
};

/** What users write for the default of a parameter with a scale, and what weft_params_format
 * prints. */
#define WEFT_PARAM_AUTO "auto"

struct weft_list_form;

/** One parameter. */
struct weft_param {
    const char *name; /**< lower-case words joined by '-': "rate-ai" */
    enum weft_param_type type;
    size_t offset;       /**< offsetof() of the field in the plug-in's struct */
    const char *def;     /**< default as text with unit; NULL: the user must give it */
    const char *min;     /**< smallest valid value as text, NULL: none */
    const char *max;     /**< largest valid value as text, NULL: none */
    const char *choices; /**< WEFT_PARAM_ENUM: the words, joined by '|'; else NULL */
    const char *help;    /**< one sentence, no full stop needed */
    const char *source;  /**< paper and section, RFC, or datasheet; NULL when it is weft's own */
    const char *needs;   /**< when it can have an effect, see base/needs.h; NULL: always */
    const struct weft_scale *scale;    /**< how the default follows from the path; NULL: it is `def`
                                          everywhere.    Only for U64, F64, TIME, SIZE and RATE */
    const struct weft_list_form *list; /**< the text is a list or a map of this form (base/list.h),
                                          or empty; NULL: any text. Only for STRING */
};

/*
 * The first designators of a row: name, type, place, default and range, as in
 * `{WEFT_ROW_TIME(struct params, timer_ps, "timer", "55us", "1ps", "1s"), .help = "..."}`. A field
 * of another C type than that of the parameter does not compile. Bounds may be NULL: none.
 */
/** A yes or no. */
#define WEFT_ROW_BOOL(owner, field, key, value) WEFT_ROW_(BOOL, owner, field, key, value, bool : 0)
/** A count. */
#define WEFT_ROW_U64(owner, field, key, value, least, most)                                        \
    WEFT_ROW_(U64, owner, field, key, value, uint64_t : 0), .min = least, .max = most
/** A ratio. */
#define WEFT_ROW_F64(owner, field, key, value, least, most)                                        \
    WEFT_ROW_(F64, owner, field, key, value, double : 0), .min = least, .max = most
/** A time. */
#define WEFT_ROW_TIME(owner, field, key, value, least, most)                                       \
    WEFT_ROW_(TIME, owner, field, key, value, int64_t : 0), .min = least, .max = most
/** Bytes. */
#define WEFT_ROW_SIZE(owner, field, key, value, least, most)                                       \
    WEFT_ROW_(SIZE, owner, field, key, value, uint64_t : 0), .min = least, .max = most
/** Bits per second. */
#define WEFT_ROW_RATE(owner, field, key, value, least, most)                                       \
    WEFT_ROW_(RATE, owner, field, key, value, uint64_t : 0), .min = least, .max = most
/** Text. */
#define WEFT_ROW_STRING(owner, field, key, value)                                                  \
    WEFT_ROW_(STRING, owner, field, key, value, const char * : 0)
/** One of the words of @p words, such as "a|b"; the field is an int or an enum. */
#define WEFT_ROW_ENUM(owner, field, key, value, words)                                             \
    WEFT_ROW_(ENUM, owner, field, key, value, int : 0, unsigned : 0), .choices = words
/** What these have in common; last, the C types that the field may have: those of _Generic. */
#define WEFT_ROW_(kind, owner, member, key, value, ...)                                            \
    .name = key, .type = WEFT_PARAM_##kind,                                                        \
    .offset = offsetof(owner, member) + _Generic(((owner *)0)->member, __VA_ARGS__), .def = value

/** A table with its length. */
struct weft_param_table {
    const struct weft_param *params;
    size_t n;
    size_t struct_size; /**< sizeof the struct that the offsets point into */
};

/** Defines a table from an array and its struct. */
#define WEFT_PARAM_TABLE(array, type)                                                              \
    {                                                                                              \
        (array), sizeof(array) / sizeof((array)[0]), sizeof(type)                                  \
    }
/** The empty table: a plug-in without parameters. */
#define WEFT_PARAM_TABLE_NONE                                                                      \
    {                                                                                              \
        NULL, 0, 0                                                                                 \
    }

/** Zeroes @p dst and fills in every default, WEFT_PARAM_AUTO where it has a scale. A parameter
 * whose default is NULL is left zero. */
int weft_params_defaults(const struct weft_param_table *table, void *dst, struct weft_err *err);

/**
 * Sets one parameter from text; WEFT_PARAM_AUTO restores a default that has a scale. Unknown name:
 * WEFT_E_INPUT with the nearest valid one. Bad value or out of range: WEFT_E_INPUT naming the
 * parameter, the value and the range.
 */
int weft_params_set(const struct weft_param_table *table, void *dst, const char *name,
                    const char *value, struct weft_err *err);

/** The entry called @p name, or NULL. */
const struct weft_param *weft_params_find(const struct weft_param_table *table, const char *name);

/** Longest text that weft_params_format writes for anything but a string parameter. */
#define WEFT_PARAM_TEXT_MAX 64
/** Prints the value that @p src holds for @p p, exactly, so that weft_params_set reads it back.
 * Returns @p buf. */
const char *weft_params_format(const struct weft_param *p, const void *src, char *buf, size_t size);

/** Reads a value of the type of @p p and checks its range: WEFT_E_INPUT says what is valid. */
int weft_param_parse(const struct weft_param *p, const char *text, union weft_param_value *out,
                     struct weft_err *err);
/** Whether two values of a type are the same. */
bool weft_param_same(enum weft_param_type type, const union weft_param_value *a,
                     const union weft_param_value *b);
/** The word at @p index of "a|b|c" and its length; NULL when there are fewer. */
const char *weft_param_choice(const char *choices, int index, size_t *len);
/** The index of the word of "a|b|c" that the @p len bytes of @p text are; -1: there is none. */
int weft_param_choice_of(const char *choices, const char *text, size_t len);

/** The word for a type, for help texts and schemas: "bool" "count" "ratio" "time" "size" "rate"
 * "text" "choice". */
const char *weft_param_type_name(enum weft_param_type type);

WEFT_C_END
#endif
