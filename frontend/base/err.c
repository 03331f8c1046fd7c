/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Errors as values: recording, adding context, printing, exit codes.
 *
 * Arguments may point into the error that is being rewritten (its old message as context of
 * the new one), so every message is formatted in a local buffer first.
 */
#include "base/err.h"

#include "base/os.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Shortens @p s, a string cut at @p size bytes, so that it ends in "..." and in no half UTF-8
 * character. */
static void mark_cut(char *s, size_t size)
{
    size_t end = size - 4;
    while (end > 0 && ((unsigned char)s[end] & 0xc0) == 0x80)
        end--;
    memcpy(s + end, "...", 4);
}

static void format_msg(char *buf, size_t size, const char *fmt, va_list ap)
{
    int n = vsnprintf(buf, size, fmt, ap);
    if (n < 0)
        snprintf(buf, size, "(message could not be formatted)");
    else if ((size_t)n >= size)
        mark_cut(buf, size);
}

/* Who is out of memory is told which limits are in force, once. */
static void add_limits(char *msg, size_t size)
{
    const size_t n = strlen(msg);
    char limits[256];
    if (!strstr(msg, "out of memory") || strstr(msg, "; this process has "))
        return;
    weft_os_memory_limits(limits, sizeof limits);
    snprintf(msg + n, size - n, "%s", limits);
}

/* Copies a file name; of one that is too long the tail, which tells files apart. */
static void set_file(struct weft_err *err, const char *file)
{
    if (!file)
        file = "";
    size_t n = strlen(file);
    if (n < sizeof err->file) {
        memmove(err->file, file, n + 1);
        return;
    }
    const size_t keep = sizeof err->file - 4;
    memcpy(err->file, "...", 3);
    memcpy(err->file + 3, file + n - keep, keep + 1);
}

static void record(struct weft_err *err, int code, const char *file, int64_t line, int64_t col,
                   int64_t offset, const char *fmt, va_list ap)
{
    char msg[WEFT_ERR_MSG_MAX];
    format_msg(msg, sizeof msg, fmt, ap);
    if (code == WEFT_E_LIMIT)
        add_limits(msg, sizeof msg);
    set_file(err, file);
    memcpy(err->msg, msg, sizeof msg);
    err->code = code;
    err->line = line;
    err->col = col;
    err->offset = offset;
}

int weft_err_set(struct weft_err *err, int code, const char *fmt, ...)
{
    if (err) {
        va_list ap;
        va_start(ap, fmt);
        record(err, code, "", 0, 0, -1, fmt, ap);
        va_end(ap);
    }
    return code;
}

int weft_err_at(struct weft_err *err, int code, const char *file, int64_t line, int64_t col,
                const char *fmt, ...)
{
    if (err) {
        va_list ap;
        va_start(ap, fmt);
        record(err, code, file, line, col, -1, fmt, ap);
        va_end(ap);
    }
    return code;
}

int weft_err_at_byte(struct weft_err *err, int code, const char *file, int64_t offset,
                     const char *fmt, ...)
{
    if (err) {
        va_list ap;
        va_start(ap, fmt);
        record(err, code, file, 0, 0, offset, fmt, ap);
        va_end(ap);
    }
    return code;
}

int weft_err_prepend(struct weft_err *err, const char *fmt, ...)
{
    if (!err)
        return WEFT_OK;
    char context[WEFT_ERR_MSG_MAX];
    char whole[2 * WEFT_ERR_MSG_MAX + 2];
    va_list ap;
    va_start(ap, fmt);
    format_msg(context, sizeof context, fmt, ap);
    va_end(ap);
    int n = snprintf(whole, sizeof whole, "%s: %s", context, err->msg);
    if (n >= (int)sizeof err->msg)
        mark_cut(whole, sizeof err->msg);
    memcpy(err->msg, whole, sizeof err->msg - 1);
    err->msg[sizeof err->msg - 1] = '\0';
    return err->code;
}

int weft_err_locate(struct weft_err *err, const char *file, int64_t line, int64_t col)
{
    if (!err)
        return WEFT_OK;
    if (err->code != WEFT_OK && err->file[0] == '\0') {
        set_file(err, file);
        err->line = line;
        err->col = col;
        err->offset = -1;
    }
    return err->code;
}

const char *weft_err_format(const struct weft_err *err, char *buf, size_t size)
{
    if (size == 0)
        return buf;
    if (err->file[0] == '\0')
        snprintf(buf, size, "%s", err->msg);
    else if (err->line > 0 && err->col > 0)
        snprintf(buf, size, "%s:%" PRId64 ":%" PRId64 ": %s", err->file, err->line, err->col,
                 err->msg);
    else if (err->line > 0)
        snprintf(buf, size, "%s:%" PRId64 ": %s", err->file, err->line, err->msg);
    else if (err->offset >= 0)
        snprintf(buf, size, "%s: at byte %" PRId64 ": %s", err->file, err->offset, err->msg);
    else
        snprintf(buf, size, "%s: %s", err->file, err->msg);
    return buf;
}

int weft_exit_code(int code)
{
    switch (code) {
    case WEFT_OK:
    case WEFT_E_OUTCOME:
    case WEFT_E_USAGE:
    case WEFT_E_INPUT:
    case WEFT_E_IO:
    case WEFT_E_LIMIT:
    case WEFT_E_INTERRUPTED:
        return -code;
    case WEFT_E_ALONE:
        return -WEFT_E_INPUT;
    default:
        return -WEFT_E_INTERNAL; /* an unknown code is itself a bug */
    }
}

/* Longest word that is compared; nobody mistypes a longer one. */
#define NEAREST_MAX 64

static int lower(char c)
{
    return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : (unsigned char)c;
}

static size_t min_size(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* What it costs to insert or delete a character. */
static size_t gap_cost(char c)
{
    return c != '-' && c != '_';
}

/*
 * Edit distance: insertions, deletions, substitutions and swaps of neighbours each cost 1
 * (optimal string alignment); letter case and what joins words cost nothing.
 */
static size_t edit_distance(const char *a, size_t na, const char *b, size_t nb)
{
    size_t rows[3][NEAREST_MAX + 1];
    size_t *before = rows[0], *prev = rows[1], *cur = rows[2];
    for (size_t j = 0; j <= nb; j++) {
        before[j] = 0; /* not read before it is a real row */
        prev[j] = j ? prev[j - 1] + gap_cost(b[j - 1]) : 0;
    }
    for (size_t i = 1; i <= na; i++) {
        cur[0] = prev[0] + gap_cost(a[i - 1]);
        for (size_t j = 1; j <= nb; j++) {
            size_t d = prev[j - 1] + (lower(a[i - 1]) != lower(b[j - 1]));
            d = min_size(d, prev[j] + gap_cost(a[i - 1]));
            d = min_size(d, cur[j - 1] + gap_cost(b[j - 1]));
            if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
                lower(a[i - 2]) == lower(b[j - 1]))
                d = min_size(d, before[j - 2] + 1);
            cur[j] = d;
        }
        size_t *spare = before;
        before = prev;
        prev = cur;
        cur = spare;
    }
    return prev[nb];
}

/* The nearest name so far. */
struct nearest {
    const char *given, *best;
    size_t len, distance; /* of given; allowed, then that of best */
};

static struct nearest nearest_to(const char *given)
{
    const size_t len = given ? strnlen(given, NEAREST_MAX + 1) : NEAREST_MAX + 1;
    return (struct nearest){.given = given, .len = len, .distance = 1 + len / 3};
}

static void consider(struct nearest *n, const char *name)
{
    const size_t m = strnlen(name, NEAREST_MAX + 1);
    if (n->len > NEAREST_MAX || m > NEAREST_MAX)
        return;
    const size_t d = edit_distance(n->given, n->len, name, m);
    /* A distance as long as the word means that nothing of it was recognised. */
    if (d < n->distance + (n->best == NULL) && d < (n->len > m ? n->len : m)) {
        n->best = name;
        n->distance = d;
    }
}

const char *weft_nearest(const char *given, const char *const *names, size_t n)
{
    struct nearest near = nearest_to(given);
    for (size_t i = 0; i < n; i++)
        consider(&near, names[i]);
    return near.best;
}

bool weft_is_one_of(const char *word, const char *const *words, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(word, words[i]) == 0)
            return true;
    return false;
}

bool weft_begins_with_one_of(const char *text, const char *const *words, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strncmp(text, words[i], strlen(words[i])) == 0)
            return true;
    return false;
}

const char *weft_meant(char buf[WEFT_MEANT_MAX], const char *given, const char *const *names,
                       size_t n, const char *otherwise)
{
    const char *near = weft_nearest(given, names, n);
    if (near)
        snprintf(buf, WEFT_MEANT_MAX, "; did you mean '%s'?", near);
    return near ? buf : otherwise;
}

const char *weft_names_joined(char *buf, size_t size, const char *const *names, size_t n)
{
    buf[0] = '\0';
    for (size_t i = 0, used = 0; i < n; i++) {
        const int more = snprintf(buf + used, size - used, "%s%s", i ? ", " : "", names[i]);
        if (more < 0 || (size_t)more >= size - used) {
            buf[used] = '\0';
            break;
        }
        used += (size_t)more;
    }
    return buf;
}

size_t weft_find_named(const char *name, weft_name_of_fn name_of, size_t n, const char *what,
                       struct weft_err *err)
{
    struct nearest near = nearest_to(name);
    for (size_t i = 0; i < n; i++) {
        if (strcmp(name_of(i), name) == 0)
            return i;
        consider(&near, name_of(i));
    }
    if (near.best) {
        weft_err_set(err, WEFT_E_INPUT, "unknown %s '%.60s'; did you mean '%s'?", what, name,
                     near.best);
        return n;
    }
    char all[WEFT_ERR_MSG_MAX - 128];
    size_t used = 0;
    for (size_t i = 0; i < n && used < sizeof all; i++)
        used += (size_t)snprintf(all + used, sizeof all - used, "%s%s", i ? ", " : "", name_of(i));
    weft_err_set(err, WEFT_E_INPUT, "unknown %s '%.60s'; there are: %s", what, name, all);
    return n;
}

int weft_err_no_memory(struct weft_err *err, const char *what)
{
    return weft_err_set(err, WEFT_E_LIMIT, "out of memory for %s", what);
}

void *weft_err_calloc(size_t n, size_t size, const char *what, struct weft_err *err)
{
    void *p = calloc(n, size);
    if (!p)
        weft_err_no_memory(err, what);
    return p;
}
