/* SPDX-License-Identifier: GPL-2.0-only */
/* Writes tables packed: see packed.h. */
#include "series/packed.h"

#include <errno.h>
#include <stdlib.h>
#include <zstd.h>

/* A ninth of the size; for rows of numbers no larger than at levels 2 and 3, in half the time. */
#define LEVEL 1

struct packer {
    ZSTD_CCtx *context;
    void *out;
    size_t room;
};

static void close_packer(void *state)
{
    struct packer *p = (struct packer *)state;
    ZSTD_freeCCtx(p->context);
    free(p->out);
    free(p);
}

static void *open_packer(void)
{
    struct packer *p = (struct packer *)calloc(1, sizeof *p);
    if (!p)
        return NULL;
    p->room = ZSTD_CStreamOutSize();
    p->out = malloc(p->room);
    p->context = ZSTD_createCCtx();
    if (p->out && p->context &&
        !ZSTD_isError(ZSTD_CCtx_setParameter(p->context, ZSTD_c_compressionLevel, LEVEL)) &&
        !ZSTD_isError(ZSTD_CCtx_setParameter(p->context, ZSTD_c_checksumFlag, 1)))
        return p;
    close_packer(p);
    return NULL;
}

static int pack(void *state, const void *data, size_t size, bool end,
                int (*put)(void *ctx, const void *data, size_t size), void *ctx)
{
    struct packer *p = (struct packer *)state;
    ZSTD_inBuffer in = {data, size, 0};
    size_t left;
    do {
        ZSTD_outBuffer out = {p->out, p->room, 0};
        left = ZSTD_compressStream2(p->context, &out, &in, end ? ZSTD_e_end : ZSTD_e_continue);
        if (ZSTD_isError(left)) {
            errno = ENOMEM; /* nothing else is left to fail */
            return -1;
        }
        if (out.pos && put(ctx, p->out, out.pos))
            return -1;
    } while (end ? left > 0 : in.pos < in.size);
    return 0;
}

const struct weft_rows_packer weft_series_packer = {
    .suffix = WEFT_SERIES_PACKED, .open = open_packer, .pack = pack, .close = close_packer};
