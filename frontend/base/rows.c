/* SPDX-License-Identifier: GPL-2.0-only */
/* See rows.h. */
#include "base/rows.h"

#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    ENOUGH_BYTES = 1 << 16, /* are written without being asked */
    ENDS_MAX = 4096         /* as many records are, too */
};

struct weft_rows {
    int fd;
    char *buf;
    size_t used, cap;       /* bytes in buf */
    size_t whole;           /* of them in records that are ended */
    uint32_t end[ENDS_MAX]; /* where in buf they end, ascending; the last is whole */
    uint32_t nends;
    int failed;         /* WEFT_E_* of the first failure */
    int failed_errno;   /* why, when the system failed */
    size_t failed_size; /* what there was no memory for */
    char path[];
};

struct weft_rows *weft_rows_open(const char *path, struct weft_err *err)
{
    const size_t size = strlen(path) + 1;
    struct weft_rows *r = (struct weft_rows *)calloc(1, sizeof *r + size);
    char *buf = (char *)malloc(2 * ENOUGH_BYTES);
    if (!r || !buf) {
        weft_err_at(err, WEFT_E_LIMIT, path, 0, 0, "out of memory for a buffer of %d bytes",
                    2 * ENOUGH_BYTES);
        free(buf);
        free(r);
        return NULL;
    }
    memcpy(r->path, path, size);
    r->buf = buf;
    r->cap = 2 * ENOUGH_BYTES;
    r->fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY, 0666);
    if (r->fd < 0) {
        weft_file_error(err, path, "create", errno);
        free(buf);
        free(r);
        return NULL;
    }
    return r;
}

static void fail_os(struct weft_rows *r)
{
    if (!r->failed) {
        r->failed = WEFT_E_IO;
        r->failed_errno = errno;
    }
}

static bool reserve(struct weft_rows *r, size_t more)
{
    if (more <= r->cap - r->used)
        return true;
    const size_t cap = 2 * r->cap + more;
    char *buf = (char *)realloc(r->buf, cap);
    if (!buf) {
        r->failed = WEFT_E_LIMIT;
        r->failed_size = cap;
        return false;
    }
    r->buf = buf;
    r->cap = cap;
    return true;
}

void weft_rows_put(struct weft_rows *r, const void *data, size_t size)
{
    if (r->failed || size == 0 || !reserve(r, size))
        return;
    memcpy(r->buf + r->used, data, size);
    r->used += size;
}

void weft_rows_printf(struct weft_rows *r, const char *fmt, ...)
{
    char text[512];
    va_list ap;
    va_start(ap, fmt);
    const int n = vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    if (n >= 0 && (size_t)n < sizeof text) {
        weft_rows_put(r, text, (size_t)n);
        return;
    }
    if (n < 0 || r->failed || !reserve(r, (size_t)n + 1))
        return;
    va_start(ap, fmt);
    vsnprintf(r->buf + r->used, (size_t)n + 1, fmt, ap);
    va_end(ap);
    r->used += (size_t)n;
}

/* Of @p taken bytes of the buffer that are in the file, those behind the last whole record leave
 * it. */
static void take_back(struct weft_rows *r, size_t taken)
{
    uint32_t i = r->nends;
    while (i > 0 && r->end[i - 1] > taken)
        i--;
    const size_t keep = i ? r->end[i - 1] : 0;
    const off_t at = lseek(r->fd, 0, SEEK_CUR); /* fails where nothing can be taken back */
    if (at >= (off_t)(taken - keep) && ftruncate(r->fd, at - (off_t)(taken - keep)) != 0)
        return; /* it is the full disk that is reported */
}

static void write_out(struct weft_rows *r)
{
    if (r->failed || r->whole == 0)
        return;
    const size_t taken = (size_t)weft_fd_write(r->fd, r->buf, r->whole);
    if (taken < r->whole) {
        fail_os(r);
        take_back(r, taken);
    }
    memmove(r->buf, r->buf + r->whole, r->used - r->whole);
    r->used -= r->whole;
    r->whole = 0;
    r->nends = 0;
}

static int report(const struct weft_rows *r, struct weft_err *err)
{
    if (r->failed == WEFT_E_LIMIT)
        return weft_err_at(err, WEFT_E_LIMIT, r->path, 0, 0, "out of memory for a row of %zu bytes",
                           r->failed_size);
    return r->failed ? weft_file_error(err, r->path, "write", r->failed_errno) : 0;
}

int weft_rows_end(struct weft_rows *r, struct weft_err *err)
{
    if (__builtin_expect(r->failed, 0))
        return report(r, err);
    r->whole = r->used;
    r->end[r->nends++] = (uint32_t)r->used;
    if (r->used >= ENOUGH_BYTES || r->nends == ENDS_MAX)
        return weft_rows_flush(r, err);
    return 0;
}

int weft_rows_flush(struct weft_rows *r, struct weft_err *err)
{
    write_out(r);
    return report(r, err);
}

int weft_rows_close(struct weft_rows *r, struct weft_err *err)
{
    if (!r)
        return 0;
    write_out(r);
    if (close(r->fd) != 0)
        fail_os(r);
    const int code = report(r, err);
    free(r->buf);
    free(r);
    return code;
}
