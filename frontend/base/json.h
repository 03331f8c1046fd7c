/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * JSON (RFC 8259), written as a stream.
 *
 *   struct weft_json j;
 *   weft_json_init(&j, f, "run.json", 2);
 *   weft_json_object(&j);
 *   weft_json_key(&j, "seed");  weft_json_u64(&j, 1);
 *   weft_json_end_object(&j);
 *   rc = weft_json_finish(&j, &err);
 *
 * Writers do not return anything: the first failure (a write that failed, or a call that would
 * make invalid JSON) is kept, nothing is written after it, and weft_json_finish reports it.
 * Output depends on the calls alone: same calls, same bytes.
 */
#ifndef WEFT_BASE_JSON_H
#define WEFT_BASE_JSON_H

#include "base/err.h"

#include <stdbool.h>
#include <stdio.h>

WEFT_C_BEGIN

/** Bytes of the UTF-8 character at @p s, 0 when it is none (overlong, surrogate, cut). */
size_t weft_utf8_length(const unsigned char *s);

/** Deepest nesting of objects and arrays. */
#define WEFT_JSON_DEPTH_MAX 64

/** The writer; its fields are its own. */
struct weft_json {
    FILE *f;
    const char *name;
    int indent;
    int depth;
    char kind[WEFT_JSON_DEPTH_MAX];   /* '{' or '[' of each open level */
    char filled[WEFT_JSON_DEPTH_MAX]; /* whether the level has a member yet */
    int after_key;
    bool done; /* the one top-level value is complete */
    int failed;
    int failed_errno;
    const char *misuse;
};

/** Starts a document on @p f, which stays the caller's; @p name stands for it in errors. @p indent
 * 0 writes one line. */
void weft_json_init(struct weft_json *j, FILE *f, const char *name, int indent);

void weft_json_object(struct weft_json *j);
void weft_json_end_object(struct weft_json *j);
void weft_json_array(struct weft_json *j);
void weft_json_end_array(struct weft_json *j);
/** The name of the next member of an object. */
void weft_json_key(struct weft_json *j, const char *key);

/** Text; bytes that are not valid UTF-8 become U+FFFD. NULL is null. */
void weft_json_str(struct weft_json *j, const char *s);
/** All 64 bits are written; a reader that keeps numbers as doubles loses those above 2^53. */
void weft_json_u64(struct weft_json *j, uint64_t v);
void weft_json_i64(struct weft_json *j, int64_t v);
/** The fewest digits that read back as the same double; null when not finite. */
void weft_json_f64(struct weft_json *j, double v);
void weft_json_bool(struct weft_json *j, int v);
void weft_json_null(struct weft_json *j);

/** Key and value in one call; of an array or an object, its begin. */
#define weft_json_kv_array(j, key) (weft_json_key(j, key), weft_json_array(j))
#define weft_json_kv_object(j, key) (weft_json_key(j, key), weft_json_object(j))
#define weft_json_kv_str(j, key, s) (weft_json_key(j, key), weft_json_str(j, s))
#define weft_json_kv_u64(j, key, v) (weft_json_key(j, key), weft_json_u64(j, v))
#define weft_json_kv_i64(j, key, v) (weft_json_key(j, key), weft_json_i64(j, v))
#define weft_json_kv_f64(j, key, v) (weft_json_key(j, key), weft_json_f64(j, v))
#define weft_json_kv_bool(j, key, v) (weft_json_key(j, key), weft_json_bool(j, v))

/** Ends the document with a line end and flushes. WEFT_E_INTERNAL on misuse (something is still
 * open), WEFT_E_IO. */
int weft_json_finish(struct weft_json *j, struct weft_err *err);

WEFT_C_END
#endif
