/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads tables that are packed, or not: see packed.h. */
#include "series/packed.h"

#include "base/budget.h"
#include "base/file.h"
#include "base/os.h"

#include <errno.h>
#include <stdlib.h>
#include <zstd.h>
#include <zstd_errors.h>

struct unpacker {
    FILE *f;
    ZSTD_DCtx *context;
    void *room;
    size_t size;
    ZSTD_inBuffer in;
    uint64_t taken, made; /* bytes of the file, of the text */
};

/* errno for an error of zstd's. */
static int errno_of(size_t rc)
{
    switch (ZSTD_getErrorCode(rc)) {
    case ZSTD_error_memory_allocation:
        return ENOMEM;
    case ZSTD_error_frameParameter_windowTooLarge:
        return EFBIG;
    default:
        return EBADMSG;
    }
}

static ssize_t read_some(void *cookie, char *buf, size_t size)
{
    struct unpacker *u = (struct unpacker *)cookie;
    ZSTD_outBuffer out = {buf, size, 0};
    while (out.pos == 0) {
        if (u->in.pos == u->in.size) {
            u->in = (ZSTD_inBuffer){u->room, fread(u->room, 1, u->size, u->f), 0};
            if (ferror(u->f))
                return -1;
            u->taken += u->in.size;
        }
        const bool over = u->in.size == 0;
        const size_t rc = ZSTD_decompressStream(u->context, &out, &u->in);
        if (ZSTD_isError(rc)) {
            errno = errno_of(rc);
            return -1;
        }
        if (over)
            break;
    }
    u->made += out.pos;
    if (u->made > WEFT_BUDGET_MIN && u->made / WEFT_SERIES_RATIO > u->taken) {
        errno = EFBIG;
        return -1;
    }
    return (ssize_t)out.pos;
}

static int close_unpacker(void *cookie)
{
    struct unpacker *u = (struct unpacker *)cookie;
    if (u->f)
        fclose(u->f);
    ZSTD_freeDCtx(u->context);
    free(u->room);
    free(u);
    return 0;
}

FILE *weft_series_unpack(const char *path, struct weft_err *err)
{
    static const struct weft_os_stream functions = {.read = read_some, .close = close_unpacker};
    struct unpacker *u = (struct unpacker *)calloc(1, sizeof *u);
    FILE *f = NULL;
    if (u) {
        u->size = ZSTD_DStreamInSize();
        u->room = malloc(u->size);
        u->context = ZSTD_createDCtx();
    }
    if (!u || !u->room || !u->context ||
        ZSTD_isError(
            ZSTD_DCtx_setParameter(u->context, ZSTD_d_windowLogMax, WEFT_SERIES_WINDOW_LOG))) {
        weft_err_at(err, WEFT_E_LIMIT, path, 0, 0, "out of memory for reading it");
    } else if (!(u->f = fopen(path, "r"))) {
        weft_input_error(err, path, "open", errno);
    } else if (!(f = weft_os_stream_open(u, &functions))) {
        weft_err_at(err, WEFT_E_LIMIT, path, 0, 0, "out of memory for reading it");
    }
    if (!f && u)
        close_unpacker(u);
    return f;
}

/* FILE.zst of FILE. */
static bool packed_path(const char *path, char out[WEFT_PATH_MAX])
{
    return snprintf(out, WEFT_PATH_MAX, "%s%s", path, WEFT_SERIES_PACKED) < WEFT_PATH_MAX &&
           weft_file_is_regular(out);
}

bool weft_series_table_exists(const char *path)
{
    char packed[WEFT_PATH_MAX];
    return weft_file_is_regular(path) || packed_path(path, packed);
}

int weft_series_table_open(struct weft_csv_reader *r, const char *path, struct weft_err *err)
{
    char packed[WEFT_PATH_MAX];
    if (weft_file_is_regular(path) || !packed_path(path, packed))
        return weft_csv_reader_open(r, path, err);
    *r = (struct weft_csv_reader){.path = path};
    FILE *f = weft_series_unpack(packed, err);
    return f ? weft_csv_reader_begin(r, f, path, err) : err->code;
}
