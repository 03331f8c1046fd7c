/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Chakra framing over plain or gzip bytes, from a file or from memory.
 *
 * Three layers: raw bytes (refill), the uncompressed stream (read_some), messages
 * (weft_chakra_next). Memory for a message grows with the bytes that really arrive, never with
 * the length that a broken prefix claims.
 */
#include "workload/chakra_stream.h"

#include "base/budget.h"
#include "base/file.h"
#include "base/grow.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { RAW_SIZE = 64 * 1024, VARINT32_MAX_BYTES = 5 };

struct weft_chakra_stream {
    const char *name;
    FILE *file;         /* NULL: memory */
    uint8_t *raw_own;   /* buffer of RAW_SIZE for a file */
    const uint8_t *raw; /* bytes not consumed yet */
    size_t raw_left;
    bool gzip;
    bool member_open; /* gzip: inside a member */
    z_stream z;
    bool z_ready;
    int64_t pos;    /* bytes of the uncompressed stream handed out */
    uint64_t taken; /* raw bytes so far */
    uint8_t *msg;
    size_t msg_cap;
};

int weft_chakra_err(const struct weft_chakra_stream *s, struct weft_err *err, int code,
                    int64_t offset, const char *fmt, ...)
{
    char text[WEFT_ERR_MSG_MAX];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    return weft_err_at_byte(err, code, s->name, offset, "%s%s", text,
                            s->gzip ? " (the byte counts uncompressed data)" : "");
}

/** Makes raw bytes available. 1: there are some; 0: end of input. */
static int refill(struct weft_chakra_stream *s, struct weft_err *err)
{
    if (s->raw_left > 0)
        return 1;
    if (!s->file)
        return 0;
    errno = 0;
    s->raw_left = fread(s->raw_own, 1, RAW_SIZE, s->file);
    s->raw = s->raw_own;
    if (s->raw_left == 0 && ferror(s->file))
        return weft_chakra_err(s, err, errno == ENOMEM ? WEFT_E_LIMIT : WEFT_E_IO, s->pos,
                               "cannot read: %s", strerror(errno));
    s->taken += s->raw_left;
    return s->raw_left > 0;
}

/** Starts the next gzip member. 1: started; 0: the input ends here. */
static int open_member(struct weft_chakra_stream *s, struct weft_err *err)
{
    int rc = refill(s, err);
    if (rc <= 0)
        return rc;
    if (s->raw[0] != 0x1f)
        return weft_chakra_err(s, err, WEFT_E_INPUT, s->pos,
                               "bytes that are not gzip follow the end of the gzip data");
    rc = s->z_ready ? inflateReset(&s->z) : inflateInit2(&s->z, 15 + 16);
    if (rc != Z_OK)
        return weft_err_no_memory(err, "zlib");
    s->z_ready = true;
    s->member_open = true;
    return 1;
}

/** Up to @p want uncompressed bytes. Returns how many, 0 at the end of the stream, WEFT_E_* on
 * failure. */
static int64_t read_some(struct weft_chakra_stream *s, uint8_t *out, size_t want,
                         struct weft_err *err)
{
    if (!s->gzip) {
        int rc = refill(s, err);
        if (rc <= 0)
            return rc;
        size_t n = want < s->raw_left ? want : s->raw_left;
        memcpy(out, s->raw, n);
        s->raw += n;
        s->raw_left -= n;
        s->pos += (int64_t)n;
        return (int64_t)n;
    }
    uInt room = want < RAW_SIZE ? (uInt)want : RAW_SIZE;
    for (;;) {
        int rc = s->member_open ? refill(s, err) : open_member(s, err);
        if (rc < 0)
            return rc;
        if (rc == 0 && !s->member_open)
            return 0;
        if (rc == 0)
            return weft_chakra_err(s, err, WEFT_E_INPUT, s->pos,
                                   "the gzip data ends too early: the file is truncated");
        uInt given = s->raw_left < RAW_SIZE ? (uInt)s->raw_left : RAW_SIZE;
        s->z.next_in = (Bytef *)(uintptr_t)s->raw; /* zlib does not write through it */
        s->z.avail_in = given;
        s->z.next_out = out;
        s->z.avail_out = room;
        rc = inflate(&s->z, Z_NO_FLUSH);
        s->raw += given - s->z.avail_in;
        s->raw_left -= given - s->z.avail_in;
        if (rc == Z_MEM_ERROR)
            return weft_err_no_memory(err, "zlib");
        uInt made = room - s->z.avail_out;
        if (rc != Z_OK && rc != Z_STREAM_END && rc != Z_BUF_ERROR)
            return weft_chakra_err(s, err, WEFT_E_INPUT, s->pos + (int64_t)made,
                                   "the gzip data is damaged: %s",
                                   s->z.msg ? s->z.msg : "wrong format");
        if (rc == Z_STREAM_END)
            s->member_open = false;
        s->pos += (int64_t)made;
        if ((uint64_t)s->pos > weft_budget(s->taken))
            return weft_chakra_err(s, err, WEFT_E_LIMIT, s->pos,
                                   "the first %" PRIu64 " bytes of the file unpack to more than %u "
                                   "times as much: damaged, or else unpack it with gunzip",
                                   s->taken, (unsigned)WEFT_BUDGET_FACTOR);
        if (made > 0)
            return (int64_t)made;
    }
}

static struct weft_chakra_stream *stream_new(const char *name, struct weft_err *err)
{
    struct weft_chakra_stream *s = weft_err_calloc(1, sizeof *s, "a trace", err);
    if (!s)
        return NULL;
    s->name = name;
    return s;
}

struct weft_chakra_stream *weft_chakra_open_memory(const char *name, const void *data, size_t size,
                                                   struct weft_err *err)
{
    struct weft_chakra_stream *s = stream_new(name, err);
    if (!s)
        return NULL;
    s->raw = data;
    s->raw_left = size;
    s->taken = size;
    s->gzip = size >= 2 && s->raw[0] == 0x1f && s->raw[1] == 0x8b;
    return s;
}

struct weft_chakra_stream *weft_chakra_open(const char *path, struct weft_err *err)
{
    struct weft_chakra_stream *s = stream_new(path, err);
    if (!s)
        return NULL;
    s->file = fopen(path, "rb");
    if (!s->file) {
        weft_input_error(err, path, "open", errno);
        goto fail;
    }
    s->raw_own = malloc(RAW_SIZE);
    if (!s->raw_own) {
        weft_err_no_memory(err, "a trace");
        goto fail;
    }
    if (refill(s, err) < 0)
        goto fail;
    s->gzip = s->raw_left >= 2 && s->raw[0] == 0x1f && s->raw[1] == 0x8b;
    return s;
fail:
    weft_chakra_close(s);
    return NULL;
}

void weft_chakra_close(struct weft_chakra_stream *s)
{
    if (!s)
        return;
    if (s->file)
        fclose(s->file);
    if (s->z_ready)
        inflateEnd(&s->z);
    free(s->raw_own);
    free(s->msg);
    free(s);
}

bool weft_chakra_is_gzip(const struct weft_chakra_stream *s)
{
    return s->gzip;
}

uint64_t weft_chakra_taken(const struct weft_chakra_stream *s)
{
    return s->taken;
}

/** Reads a length prefix that starts at @p start. 1: got it; 0: clean end of the file. */
static int read_length(struct weft_chakra_stream *s, int64_t start, uint32_t *out,
                       struct weft_err *err)
{
    uint64_t value = 0;
    for (int i = 0; i < VARINT32_MAX_BYTES; i++) {
        uint8_t byte;
        int64_t n = read_some(s, &byte, 1, err);
        if (n < 0)
            return (int)n;
        if (n == 0 && i == 0)
            return 0;
        if (n == 0)
            return weft_chakra_err(s, err, WEFT_E_INPUT, start,
                                   "the file ends inside a message length, after %d byte%s of "
                                   "it: the file is truncated",
                                   i, i == 1 ? "" : "s");
        value |= (uint64_t)(byte & 0x7f) << (7 * i);
        if (byte & 0x80)
            continue;
        if (value > WEFT_CHAKRA_MESSAGE_MAX)
            return weft_chakra_err(s, err, WEFT_E_INPUT, start,
                                   "a message of %" PRIu64 " bytes is over the limit of %" PRIu32
                                   " bytes: not a Chakra trace, or damaged here",
                                   value, (uint32_t)WEFT_CHAKRA_MESSAGE_MAX);
        *out = (uint32_t)value;
        return 1;
    }
    return weft_chakra_err(s, err, WEFT_E_INPUT, start,
                           "a message length takes more than %d bytes: not a Chakra trace, or "
                           "damaged here",
                           VARINT32_MAX_BYTES);
}

/** Makes room for @p need bytes of message in total. */
static int chakra_stream_reserve(struct weft_chakra_stream *s, size_t need, struct weft_err *err)
{
    if (WEFT_GROW_TO(s->msg, need, &s->msg_cap))
        return 0;
    return weft_err_set(err, WEFT_E_LIMIT, "out of memory for a message of %zu bytes", need);
}

int weft_chakra_next(struct weft_chakra_stream *s, const uint8_t **data, size_t *size,
                     int64_t *offset, struct weft_err *err)
{
    int64_t start = s->pos;
    uint32_t len = 0;
    int rc = read_length(s, start, &len, err);
    if (rc <= 0)
        return rc;
    size_t have = 0;
    rc = chakra_stream_reserve(s, 1, err); /* so that an empty message has an address */
    while (rc == 0 && have < len) {
        size_t step = len - have < RAW_SIZE ? len - have : RAW_SIZE;
        rc = chakra_stream_reserve(s, have + step, err);
        if (rc < 0)
            break;
        int64_t n = read_some(s, s->msg + have, step, err);
        if (n < 0)
            return (int)n;
        if (n == 0)
            return weft_chakra_err(s, err, WEFT_E_INPUT, start,
                                   "a message of %" PRIu32
                                   " bytes starts here, but the file has only %zu of them: the "
                                   "file is truncated",
                                   len, have);
        have += (size_t)n;
    }
    if (rc < 0)
        return rc;
    *data = s->msg;
    *size = len;
    *offset = start;
    return 1;
}
