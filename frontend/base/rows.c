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
    PART_BYTES = 1 << 20    /* a part of a packed file has, and the rest of its last record */
};

struct weft_rows {
    int fd;
    char *buf;
    size_t used, cap;       /* bytes in buf */
    size_t enough;          /* as many, with a record's end, leave it */
    size_t whole;           /* of them in records that are ended */
    uint32_t end[ENDS_MAX]; /* where in buf they end, ascending; not of a packed file */
    uint32_t nends;
    int failed;         /* WEFT_E_* of the first failure */
    int failed_errno;   /* why, when the system failed */
    size_t failed_size; /* what there was no memory for */
    uint64_t size;      /* bytes handed over before it was packed */
    uint64_t pack_above;
    const struct weft_rows_packer *packer; /* NULL: it is never packed */
    void *packed;                          /* the packer's; NULL: it is not packed (yet) */
    off_t whole_parts;                     /* where the last whole part of the packed file ends */
    size_t shown;                          /* bytes of buf in the part behind it; 0: no such part */
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
    r->enough = ENOUGH_BYTES;
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

/* Drops the whole records of the buffer. */
static void empty(struct weft_rows *r)
{
    memmove(r->buf, r->buf + r->whole, r->used - r->whole);
    r->used -= r->whole;
    r->whole = 0;
    r->nends = 0;
}

/* Hands over whole records. */
static void write_plain(struct weft_rows *r)
{
    if (r->failed || r->whole == 0)
        return;
    const size_t taken = (size_t)weft_fd_write(r->fd, r->buf, r->whole);
    if (taken < r->whole) {
        fail_os(r);
        take_back(r, taken);
    }
    r->size += taken;
    empty(r);
}

/* ---- packed files ---- */

/*
 * Two runs that write the same rows write the same file, whenever they were flushed: a part is
 * packed from the text that it has and from nothing else, and it ends with the first record that
 * fills PART_BYTES. What a flush shows of a part that is not full is replaced by its next state.
 */

/* Packs @p size bytes into the file @p fd, as a part. */
static int pack(struct weft_rows *r, int fd, const void *data, size_t size)
{
    const void *part;
    const size_t n = r->packer->pack(r->packed, data, size, &part);
    errno = n ? 0 : ENOMEM;
    return n && weft_fd_write(fd, part, n) == (ssize_t)n ? 0 : -1;
}

/* Packs the file so far into @p fd. */
static int pack_so_far(struct weft_rows *r, int fd)
{
    char *text = r->buf + r->used;
    FILE *from = fopen(r->path, "re");
    if (!from)
        return -1;
    int rc = 0;
    for (size_t n; !rc && (n = fread(text, 1, PART_BYTES, from)) > 0;)
        rc = pack(r, fd, text, n);
    rc = ferror(from) ? -1 : rc;
    const int why = errno;
    fclose(from);
    errno = why;
    return rc;
}

static bool is_file(const char *path, int (*look)(const char *, struct stat *))
{
    struct stat st;
    return look(path, &st) == 0 ? S_ISREG(st.st_mode) : errno == ENOENT;
}

/* Takes the packed file for the other. */
static void begin_packing(struct weft_rows *r)
{
    const struct weft_rows_packer *packer = r->packer;
    char *end = r->path + strlen(r->path);
    if (!base_rows_reserve(r, PART_BYTES))
        return;
    char *packed_path = (char *)malloc((size_t)(end - r->path) + SUFFIX_MAX);
    r->packed = packed_path ? packer->open() : NULL;
    if (!r->packed) {
        free(packed_path);
        r->failed = WEFT_E_LIMIT;
        r->failed_size = PART_BYTES;
        return;
    }
    snprintf(packed_path, (size_t)(end - r->path) + SUFFIX_MAX, "%s%s", r->path, packer->suffix);
    const bool files = is_file(r->path, lstat) && is_file(packed_path, stat);
    const int fd =
        files ? open(packed_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY, 0666) : -1;
    if (fd >= 0 && pack_so_far(r, fd) == 0 && unlink(r->path) == 0) {
        close(r->fd);
        r->fd = fd;
        r->whole_parts = lseek(fd, 0, SEEK_CUR);
        snprintf(end, SUFFIX_MAX, "%s", packer->suffix);
    } else { /* the other is whole */
        if (files)
            fail_os(r);
        if (fd >= 0) {
            close(fd);
            unlink(packed_path);
        }
        packer->close(r->packed);
        r->packed = NULL;
        r->packer = NULL;
    }
    free(packed_path);
}

/* The file's last part becomes the first @p size bytes of the buffer. */
static int show(struct weft_rows *r, size_t size)
{
    if (r->shown && (ftruncate(r->fd, r->whole_parts) != 0 ||
                     lseek(r->fd, r->whole_parts, SEEK_SET) != r->whole_parts))
        return -1;
    r->shown = size;
    return size ? pack(r, r->fd, r->buf, size) : 0;
}

/* Hands over whole records. */
static void write_packed(struct weft_rows *r)
{
    const size_t shown = r->shown;
    if (!r->failed && r->whole > shown && show(r, r->whole) != 0) {
        fail_os(r);
        if (show(r, shown) != 0) /* as before; there was room for it */
            show(r, 0);
    }
    if (r->failed || r->whole < PART_BYTES)
        return;
    r->whole_parts = lseek(r->fd, 0, SEEK_CUR);
    r->shown = 0;
    empty(r);
}

/* A file that is packed once it has more than pack_above bytes is so from the record on that takes
 * it beyond, whenever others were written. */
static void look_ahead(struct weft_rows *r)
{
    if (r->packer && !r->packed && !r->failed && r->size > r->pack_above)
        begin_packing(r);
    const uint64_t left = r->packer ? r->pack_above - r->size : UINT64_MAX;
    r->enough = r->packed ? PART_BYTES : left < ENOUGH_BYTES ? (size_t)left + 1 : ENOUGH_BYTES;
}

static void write_out(struct weft_rows *r)
{
    if (r->packed) {
        write_packed(r);
    } else {
        write_plain(r);
        look_ahead(r);
    }
}

void weft_rows_pack_above(struct weft_rows *r, const struct weft_rows_packer *packer,
                          uint64_t bytes)
{
    write_plain(r);
    r->packer = packer;
    r->pack_above = bytes;
    look_ahead(r);
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
    if (r->used < r->enough && r->nends < ENDS_MAX)
        return 0;
    if (r->packed && r->used < r->enough)
        r->nends = 0;
    else
        write_out(r);
    return base_rows_report(r, err);
}

int weft_rows_flush(struct weft_rows *r, struct weft_err *err)
{
    write_out(r);
    return base_rows_report(r, err);
}

int weft_rows_close(struct weft_rows *r, struct weft_err *err)
{
    if (!r)
        return 0;
    write_out(r);
    if (close(r->fd) != 0)
        fail_os(r);
    if (r->packed)
        r->packer->close(r->packed);
    const int code = base_rows_report(r, err);
    free(r->buf);
    free(r);
    return code;
}
