/* SPDX-License-Identifier: GPL-2.0-only */
/* Writes files that grow by whole records: rows of text, frames of a capture. */
#include "base/rows.h"

#include "base/file.h"
#include "base/grow.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Longest suffix of packed files, with its end. */
#define SUFFIX_MAX 8

enum {
    ENOUGH_BYTES = 1 << 16, /* are written without being asked */
    ENDS_MAX = 4096,        /* as many records are, too */
    PART_BYTES = 1 << 20    /* of a packed file are a part, also without being asked */
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
    uint64_t size;      /* bytes handed over before it was packed */
    uint64_t pack_above;
    const struct weft_rows_packer *packer; /* NULL: it is never packed */
    void *packed;                          /* the packer's; NULL: it is not packed (yet) */
    size_t part_bytes;                     /* what was packed after the last whole part */
    off_t whole_parts;                     /* end of that */
    char path[];
};

struct weft_rows *weft_rows_open(const char *path, struct weft_err *err)
{
    const size_t size = strlen(path) + 1;
    struct weft_rows *r = (struct weft_rows *)calloc(1, sizeof *r + size + SUFFIX_MAX);
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

static bool base_rows_reserve(struct weft_rows *r, size_t more)
{
    if (WEFT_GROW_TO(r->buf, r->used + more, &r->cap))
        return true;
    r->failed = WEFT_E_LIMIT;
    r->failed_size = r->used + more;
    return false;
}

void weft_rows_put(struct weft_rows *r, const void *data, size_t size)
{
    if (r->failed || size == 0 || !base_rows_reserve(r, size))
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
    if (n < 0 || r->failed || !base_rows_reserve(r, (size_t)n + 1))
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

/* ---- packed files ---- */

static int put_packed(void *ctx, const void *data, size_t size)
{
    const int *fd = (const int *)ctx;
    return weft_fd_write(*fd, data, size) == (ssize_t)size ? 0 : -1;
}

/* Packs the bytes of @p r into the file @p fd. */
static int pack(struct weft_rows *r, int fd, const void *data, size_t size, bool end)
{
    errno = 0;
    const int rc = r->packer->pack(r->packed, data, size, end, put_packed, &fd);
    if (rc)
        errno = errno ? errno : EIO;
    return rc;
}

/* Packs the file so far into @p fd. */
static int pack_so_far(struct weft_rows *r, int fd)
{
    char part[1 << 14];
    ssize_t n = -1;
    int rc = 0;
    const int from = open(r->path, O_RDONLY | O_CLOEXEC);
    while (from >= 0 && !rc && (n = read(from, part, sizeof part)) > 0)
        rc = pack(r, fd, part, (size_t)n, false);
    const int why = errno;
    if (from >= 0)
        close(from);
    errno = why;
    return from < 0 || rc || n < 0 ? -1 : pack(r, fd, NULL, 0, true);
}

/* Takes the packed file for the other. */
static void begin_packing(struct weft_rows *r)
{
    struct stat st;
    char *end = r->path + strlen(r->path);
    const struct weft_rows_packer *packer = r->packer;
    if (lstat(r->path, &st) != 0 || !S_ISREG(st.st_mode)) {
        r->packer = NULL;
        return;
    }
    char *packed_path = (char *)malloc((size_t)(end - r->path) + SUFFIX_MAX);
    r->packed = packed_path ? packer->open() : NULL;
    if (!r->packed) {
        free(packed_path);
        r->failed = WEFT_E_LIMIT;
        r->failed_size = r->used;
        return;
    }
    snprintf(packed_path, (size_t)(end - r->path) + SUFFIX_MAX, "%s%s", r->path, packer->suffix);
    const int fd = open(packed_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY, 0666);
    if (fd < 0 || pack_so_far(r, fd) != 0 || unlink(r->path) != 0) {
        fail_os(r);
        if (fd >= 0) {
            close(fd);
            unlink(packed_path);
        }
        packer->close(r->packed);
        r->packed = NULL; /* the other is whole */
    } else {
        close(r->fd);
        r->fd = fd;
        r->whole_parts = lseek(fd, 0, SEEK_CUR);
        snprintf(end, SUFFIX_MAX, "%s", packer->suffix);
    }
    free(packed_path);
}

static void write_packed(struct weft_rows *r, bool end)
{
    r->part_bytes += r->whole;
    end |= r->part_bytes >= PART_BYTES;
    if (pack(r, r->fd, r->buf, r->whole, end) != 0) {
        fail_os(r);
        if (r->whole_parts >= 0 && ftruncate(r->fd, r->whole_parts) != 0)
            return; /* it is the full disk that is reported */
    }
    if (!end || r->failed)
        return;
    r->part_bytes = 0;
    r->whole_parts = lseek(r->fd, 0, SEEK_CUR);
}

void weft_rows_pack_above(struct weft_rows *r, const struct weft_rows_packer *packer,
                          uint64_t bytes)
{
    r->packer = packer;
    r->pack_above = bytes;
}

/* Hands over whole records; @p end: so that they can be read. */
static void write_out(struct weft_rows *r, bool end)
{
    if (!r->failed && r->packer && !r->packed && r->size + r->whole > r->pack_above)
        begin_packing(r);
    if (r->failed || (r->whole == 0 && !(end && r->part_bytes)))
        return;
    if (r->packed) {
        write_packed(r, end);
    } else {
        const size_t taken = (size_t)weft_fd_write(r->fd, r->buf, r->whole);
        if (taken < r->whole) {
            fail_os(r);
            take_back(r, taken);
        }
        r->size += taken;
    }
    memmove(r->buf, r->buf + r->whole, r->used - r->whole);
    r->used -= r->whole;
    r->whole = 0;
    r->nends = 0;
}

static int base_rows_report(const struct weft_rows *r, struct weft_err *err)
{
    if (r->failed == WEFT_E_LIMIT)
        return weft_err_at(err, WEFT_E_LIMIT, r->path, 0, 0, "out of memory for a row of %zu bytes",
                           r->failed_size);
    return r->failed ? weft_file_error(err, r->path, "write", r->failed_errno) : 0;
}

int weft_rows_end(struct weft_rows *r, struct weft_err *err)
{
    if (__builtin_expect(r->failed, 0))
        return base_rows_report(r, err);
    r->whole = r->used;
    r->end[r->nends++] = (uint32_t)r->used;
    if (r->used < ENOUGH_BYTES && r->nends < ENDS_MAX)
        return 0;
    write_out(r, false);
    return base_rows_report(r, err);
}

int weft_rows_flush(struct weft_rows *r, struct weft_err *err)
{
    write_out(r, true);
    return base_rows_report(r, err);
}

int weft_rows_close(struct weft_rows *r, struct weft_err *err)
{
    if (!r)
        return 0;
    write_out(r, true);
    if (close(r->fd) != 0)
        fail_os(r);
    if (r->packed)
        r->packer->close(r->packed);
    const int code = base_rows_report(r, err);
    free(r->buf);
    free(r);
    return code;
}
