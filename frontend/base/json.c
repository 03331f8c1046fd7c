/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Streaming JSON writer. A stack of open levels decides where commas, line ends and keys belong
 * and catches calls that would break the document.
 */
#include "base/json.h"

#include "base/file.h"
#include "base/units.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

void weft_json_init(struct weft_json *j, FILE *f, const char *name, int indent)
{
    memset(j, 0, sizeof *j);
    j->f = f;
    j->name = name;
    j->indent = indent;
}

static void misuse(struct weft_json *j, const char *why)
{
    if (!j->failed) {
        j->failed = WEFT_E_INTERNAL;
        j->misuse = why;
    }
}

static void json_put(struct weft_json *j, const char *s, size_t n)
{
    if (!j->failed && n > 0 && fwrite(s, 1, n, j->f) != n) {
        j->failed = WEFT_E_IO;
        j->failed_errno = errno;
    }
}

static void put_str(struct weft_json *j, const char *s)
{
    json_put(j, s, strlen(s));
}

static void new_line(struct weft_json *j)
{
    if (j->indent == 0)
        return;
    json_put(j, "\n", 1);
    for (int i = 0; i < j->depth * j->indent; i++)
        json_put(j, " ", 1);
}

/* Puts the comma and the line end in front of a member of the innermost level. */
static void member(struct weft_json *j)
{
    if (j->filled[j->depth - 1])
        json_put(j, ",", 1);
    j->filled[j->depth - 1] = 1;
    new_line(j);
}

/* To be called in front of each value. Returns 1 when the value may be written. */
static int json_value(struct weft_json *j)
{
    if (j->failed)
        return 0;
    if (j->depth == 0) {
        if (j->done)
            misuse(j, "a second top-level value");
        j->done = true;
    } else if (j->kind[j->depth - 1] == '[') {
        member(j);
    } else if (j->after_key) {
        j->after_key = 0;
    } else {
        misuse(j, "a value without key in an object");
    }
    return !j->failed;
}

static void open_level(struct weft_json *j, char kind)
{
    if (!json_value(j))
        return;
    if (j->depth == WEFT_JSON_DEPTH_MAX) {
        misuse(j, "too many nested objects and arrays");
        return;
    }
    json_put(j, &kind, 1);
    j->kind[j->depth] = kind;
    j->filled[j->depth] = 0;
    j->depth++;
}

static void close_level(struct weft_json *j, char kind)
{
    if (j->failed)
        return;
    if (j->depth == 0 || j->kind[j->depth - 1] != kind) {
        misuse(j, kind == '{' ? "the end of an object that is not open"
                              : "the end of an array that is not open");
        return;
    }
    if (j->after_key) {
        misuse(j, "a key without value");
        return;
    }
    j->depth--;
    if (j->filled[j->depth])
        new_line(j);
    json_put(j, kind == '{' ? "}" : "]", 1);
}

void weft_json_object(struct weft_json *j)
{
    open_level(j, '{');
}

void weft_json_end_object(struct weft_json *j)
{
    close_level(j, '{');
}

void weft_json_array(struct weft_json *j)
{
    open_level(j, '[');
}

void weft_json_end_array(struct weft_json *j)
{
    close_level(j, '[');
}

size_t weft_utf8_length(const unsigned char *s)
{
    size_t n;
    uint32_t c;
    if (s[0] < 0x80)
        return 1;
    if (s[0] >= 0xc2 && s[0] < 0xe0) {
        n = 2;
        c = s[0] & 0x1fu;
    } else if ((s[0] & 0xf0) == 0xe0) {
        n = 3;
        c = s[0] & 0x0fu;
    } else if (s[0] >= 0xf0 && s[0] < 0xf5) {
        n = 4;
        c = s[0] & 0x07u;
    } else {
        return 0;
    }
    for (size_t i = 1; i < n; i++) {
        if ((s[i] & 0xc0) != 0x80)
            return 0;
        c = c << 6 | (s[i] & 0x3fu);
    }
    if ((n == 3 && c < 0x800) || (n == 4 && c < 0x10000) || c > 0x10ffff ||
        (c >= 0xd800 && c < 0xe000))
        return 0;
    return n;
}

static void put_quoted(struct weft_json *j, const char *text)
{
    const unsigned char *s = (const unsigned char *)text;
    char escape[8];
    json_put(j, "\"", 1);
    while (*s) {
        static const char specials[] = "\"\\\b\f\n\r\t";
        static const char letters[] = "\"\\bfnrt";
        const char *special = strchr(specials, *s);
        size_t n = weft_utf8_length(s);
        if (special) {
            escape[0] = '\\';
            escape[1] = letters[special - specials];
            json_put(j, escape, 2);
        } else if (*s < 0x20 || *s == 0x7f) {
            json_put(j, escape, (size_t)snprintf(escape, sizeof escape, "\\u%04x", *s));
        } else if (n == 0) {
            put_str(j, "\xef\xbf\xbd"); /* U+FFFD */
            n = 1;
        } else {
            json_put(j, (const char *)s, n);
        }
        s += n;
    }
    json_put(j, "\"", 1);
}

void weft_json_key(struct weft_json *j, const char *key)
{
    if (j->failed)
        return;
    if (j->depth == 0 || j->kind[j->depth - 1] != '{') {
        misuse(j, "a key outside of an object");
        return;
    }
    if (j->after_key) {
        misuse(j, "a key without value");
        return;
    }
    member(j);
    put_quoted(j, key);
    json_put(j, ": ", j->indent == 0 ? 1 : 2);
    j->after_key = 1;
}

void weft_json_str(struct weft_json *j, const char *s)
{
    if (!s)
        weft_json_null(j);
    else if (json_value(j))
        put_quoted(j, s);
}

void weft_json_u64(struct weft_json *j, uint64_t v)
{
    char text[24];
    snprintf(text, sizeof text, "%" PRIu64, v);
    if (json_value(j))
        put_str(j, text);
}

void weft_json_i64(struct weft_json *j, int64_t v)
{
    char text[24];
    snprintf(text, sizeof text, "%" PRId64, v);
    if (json_value(j))
        put_str(j, text);
}

void weft_json_f64(struct weft_json *j, double v)
{
    char text[WEFT_UNIT_TEXT_MAX];
    if (!isfinite(v))
        weft_json_null(j);
    else if (json_value(j))
        put_str(j, weft_format_f64(v, text));
}

void weft_json_bool(struct weft_json *j, int v)
{
    if (json_value(j))
        put_str(j, v ? "true" : "false");
}

void weft_json_null(struct weft_json *j)
{
    if (json_value(j))
        put_str(j, "null");
}

int weft_json_finish(struct weft_json *j, struct weft_err *err)
{
    if (j->depth > 0)
        misuse(j, "an object or array that is still open at the end");
    else if (!j->done)
        misuse(j, "an empty document");
    json_put(j, "\n", 1);
    if (!j->failed && fflush(j->f) != 0) {
        j->failed = WEFT_E_IO;
        j->failed_errno = errno;
    }
    if (j->failed == WEFT_E_IO)
        return weft_file_error(err, j->name, "write", j->failed_errno);
    if (j->failed)
        return weft_err_at(err, j->failed, j->name, 0, 0, "JSON writer: %s", j->misuse);
    return 0;
}
