/* SPDX-License-Identifier: GPL-2.0-only */
/* Writes tables packed: see packed.h. */
#include "series/packed.h"

#include "base/grow.h"

#include <stdlib.h>
#include <zstd.h>

/* A ninth of the size; for rows of numbers no larger than at levels 2 and 3, in half the time. */
#define LEVEL 1

struct packer {
    ZSTD_CCtx *context;
    char *part;
    size_t room;
};

static void close_packer(void *state)
{
    struct packer *p = (struct packer *)state;
    ZSTD_freeCCtx(p->context);
    free(p->part);
    free(p);
}

static void *open_packer(void)
{
    struct packer *p = (struct packer *)calloc(1, sizeof *p);
    if (!p)
        return NULL;
    p->context = ZSTD_createCCtx();
    if (p->context &&
        !ZSTD_isError(ZSTD_CCtx_setParameter(p->context, ZSTD_c_compressionLevel, LEVEL)) &&
        !ZSTD_isError(ZSTD_CCtx_setParameter(p->context, ZSTD_c_checksumFlag, 1)))
        return p;
    close_packer(p);
    return NULL;
}

static size_t pack(void *state, const void *data, size_t size, const void **part)
{
    struct packer *p = (struct packer *)state;
    if (!WEFT_GROW_TO(p->part, ZSTD_compressBound(size), &p->room))
        return 0;
    const size_t n = ZSTD_compress2(p->context, p->part, p->room, data, size);
    *part = p->part;
    return ZSTD_isError(n) ? 0 : n; /* nothing but memory is left to fail */
}

const struct weft_rows_packer weft_series_packer = {
    .suffix = WEFT_SERIES_PACKED, .open = open_packer, .pack = pack, .close = close_packer};
