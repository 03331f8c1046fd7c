/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Errors as values.
 *
 * Every function of weft that can fail returns 0 on success or a negative WEFT_E_* code and
 * fills the struct weft_err that its caller passed. Only the command line prints an error or
 * exits; everything below hands it up, prepending context on the way
 * ("scenario.xml:12:5: <topology>: 'radix' must be even, got 7").
 */
#ifndef WEFT_BASE_ERR_H
#define WEFT_BASE_ERR_H

#include "base/linkage.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

WEFT_C_BEGIN

/** Longest message kept, with its terminator; a longer one is cut and ends in "...". */
#define WEFT_ERR_MSG_MAX 1024
/** Longest file name kept, with its terminator; a longer one keeps its tail. */
#define WEFT_ERR_FILE_MAX 256

/** What went wrong. The process exit code of a code c is weft_exit_code(c). */
enum weft_err_code {
    WEFT_OK = 0,
    WEFT_E_OUTCOME =
        -1,            /**< ran, but the outcome is bad: unfinished flows, deadlock, missed bound */
    WEFT_E_USAGE = -2, /**< wrong command line */
    WEFT_E_INPUT = -3, /**< invalid input file or value */
    WEFT_E_IO = -4,    /**< the operating system refused to read or write */
    WEFT_E_LIMIT = -5, /**< out of memory, or over a limit of this program */
    WEFT_E_ALONE =
        -33, /**< several processes can't do it together, one can: the message says why */
    WEFT_E_INTERNAL = -70,    /**< a broken invariant: a bug in weft */
    WEFT_E_INTERRUPTED = -130 /**< the user asked to stop */
};

/** One error: what, where, why. Zero-initialise before first use: {0} means "no error". */
struct weft_err {
    int code;                     /**< enum weft_err_code; 0 when nothing went wrong */
    char file[WEFT_ERR_FILE_MAX]; /**< input file, "" when the error has no file */
    int64_t line;                 /**< 1-based line, 0 when unknown or the file is binary */
    int64_t col;                  /**< 1-based column, 0 when unknown */
    int64_t offset;               /**< byte offset in a binary file, -1 or 0 with line>0: unused */
    char msg[WEFT_ERR_MSG_MAX];   /**< one sentence: what, why, nearest valid */
};

/** Records an error without a place. Returns @p code, so that `return weft_err_set(...)` works. @p
 * err may be NULL. */
int weft_err_set(struct weft_err *err, int code, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/** WEFT_E_LIMIT: "out of memory for @p what". */
int weft_err_no_memory(struct weft_err *err, const char *what);
/** calloc() of memory for @p what. */
void *weft_err_calloc(size_t n, size_t size, const char *what, struct weft_err *err);

/** Records an error at a place in a text file (line and col are 1-based, 0 = unknown). Returns @p
 * code. */
int weft_err_at(struct weft_err *err, int code, const char *file, int64_t line, int64_t col,
                const char *fmt, ...) __attribute__((format(printf, 6, 7)));

/** Records an error at a byte offset of a binary file. Returns @p code. */
int weft_err_at_byte(struct weft_err *err, int code, const char *file, int64_t offset,
                     const char *fmt, ...) __attribute__((format(printf, 5, 6)));

/** Puts "context: " in front of the message already in @p err. Returns err->code. */
int weft_err_prepend(struct weft_err *err, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/** Gives an error that has no file yet the place @p file:@p line:@p col; leaves one that has a
 * place alone. Returns err->code. */
int weft_err_locate(struct weft_err *err, const char *file, int64_t line, int64_t col);

/** Formats "file:line:col: msg" (or "file: at byte N: msg", or "msg") into @p buf; always
 * terminates. Returns @p buf. */
const char *weft_err_format(const struct weft_err *err, char *buf, size_t size);

/** Maps an error code to the exit code of the process: 0, 1, 2, 3, 4, 5, 70 or 130. */
int weft_exit_code(int code);

/**
 * The entry of @p names (count @p n) nearest to @p given by edit distance, the first of equals, or
 * NULL when none is near enough to be worth suggesting (distance at most 1 + strlen/3, and less
 * than the longer word's length). Swapped neighbours count as one edit, letter case and '-', '_' as
 * none.
 */
const char *weft_nearest(const char *given, const char *const *names, size_t n);

/** Whether @p word is one of @p n words. */
bool weft_is_one_of(const char *word, const char *const *words, size_t n);
/** Whether @p text begins with one of them. */
bool weft_begins_with_one_of(const char *text, const char *const *words, size_t n);
/** The same of an array. */
#define WEFT_IS_ONE_OF(word, words) weft_is_one_of(word, words, sizeof(words) / sizeof *(words))
#define WEFT_BEGINS_WITH_ONE_OF(text, words)                                                       \
    weft_begins_with_one_of(text, words, sizeof(words) / sizeof *(words))

/** Room for what weft_meant says. */
#define WEFT_MEANT_MAX 160
/** What a message goes on with about a name that there is not: "; did you mean 'NAME'?" of the
 * nearest, in @p buf, or @p otherwise. */
const char *weft_meant(char buf[WEFT_MEANT_MAX], const char *given, const char *const *names,
                       size_t n, const char *otherwise);
/** The same in an own buffer, for an argument of a message. */
#define WEFT_MEANT(given, names, n, otherwise)                                                     \
    weft_meant((char[WEFT_MEANT_MAX]){0}, given, names, n, otherwise)
/** All names in @p buf, joined by commas, as far as there is room. */
const char *weft_names_joined(char *buf, size_t size, const char *const *names, size_t n);

/** What @p n things are called: the names of a table, by index. */
typedef const char *(*weft_name_of_fn)(size_t i);

/**
 * The index of the thing called @p name; @p n when there is none, with a WEFT_E_INPUT that says so
 * and names the nearest, or else all. @p what: what such a thing is called.
 */
size_t weft_find_named(const char *name, weft_name_of_fn name_of, size_t n, const char *what,
                       struct weft_err *err);

WEFT_C_END
#endif
