/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The table of collective algorithms, made from coll_table.def, and what all of them share: how
 * bytes are cut into chunks and blocks.
 */
#include "collective/collective.h"

#include <stdio.h>
#include <string.h>

#define WEFT_COLL(x) extern const struct weft_coll_ops weft_coll_##x;
#include "collective/coll_table.def"
#undef WEFT_COLL

static const struct weft_coll_ops *const table[] = {
#define WEFT_COLL(x) &weft_coll_##x,
#include "collective/coll_table.def"
#undef WEFT_COLL
};
#define TABLE_N (sizeof(table) / sizeof(table[0]))

const struct weft_coll_ops *const *weft_coll_table(size_t *n)
{
    *n = TABLE_N;
    return table;
}

const struct weft_coll_ops *weft_coll_find(const char *name, struct weft_err *err)
{
    const char *names[TABLE_N];
    char list[256];
    size_t used = 0;
    list[0] = '\0';
    for (size_t i = 0; i < TABLE_N; i++) {
        if (strcmp(table[i]->name, name) == 0)
            return table[i];
        names[i] = table[i]->name;
        int w = snprintf(list + used, sizeof(list) - used, "%s%s", i ? ", " : "", names[i]);
        used += w > 0 && used + (size_t)w < sizeof(list) ? (size_t)w : 0;
    }
    const char *near = weft_nearest(name, names, TABLE_N);
    if (near)
        weft_err_set(err, WEFT_E_INPUT,
                     "no collective algorithm is called '%s', did you mean '%s'? (there are: %s)",
                     name, near, list);
    else
        weft_err_set(err, WEFT_E_INPUT, "no collective algorithm is called '%s' (there are: %s)",
                     name, list);
    return NULL;
}

static uint64_t ceil_div(uint64_t a, uint64_t b)
{
    return a / b + (a % b != 0);
}

uint64_t weft_coll_blocks(enum weft_coll_kind kind, uint32_t n)
{
    return kind == WEFT_COLL_ALL_TO_ALL ? (uint64_t)n * n : n;
}

/* Where block b of a buffer of `bytes` in n blocks begins. */
static uint64_t block_offset(uint32_t n, uint64_t bytes, uint64_t b)
{
    unsigned __int128 at = (unsigned __int128)ceil_div(bytes, n) * b;
    return at < bytes ? (uint64_t)at : bytes;
}

uint64_t weft_coll_range_bytes(enum weft_coll_kind kind, uint32_t n, uint64_t bytes,
                               uint64_t first_block, uint64_t nblocks)
{
    uint64_t end = first_block + nblocks;
    switch (kind) {
    case WEFT_COLL_ALL_GATHER:
        return nblocks * bytes;
    case WEFT_COLL_ALL_TO_ALL:
        return (end / n) * bytes + block_offset(n, bytes, end % n) -
               ((first_block / n) * bytes + block_offset(n, bytes, first_block % n));
    default:
        return block_offset(n, bytes, end) - block_offset(n, bytes, first_block);
    }
}

int weft_coll_played_as(enum weft_coll_kind kind, enum weft_coll_kind *as, struct weft_err *err)
{
    switch (kind) {
    case WEFT_COLL_ALL_REDUCE:
    case WEFT_COLL_ALL_GATHER:
    case WEFT_COLL_REDUCE_SCATTER:
    case WEFT_COLL_ALL_TO_ALL:
        *as = kind;
        return 0;
    case WEFT_COLL_BARRIER:
        *as = WEFT_COLL_ALL_REDUCE;
        return 0;
    case WEFT_COLL_REDUCE_SCATTER_BLOCK:
        *as = WEFT_COLL_REDUCE_SCATTER;
        return 0;
    default:
        return weft_err_set(err, WEFT_E_INPUT,
                            "%s cannot be simulated: the collectives that can are all-reduce, "
                            "all-gather, reduce-scatter, all-to-all and barrier",
                            weft_coll_kind_name(kind));
    }
}

uint64_t weft_coll_chunks(uint64_t bytes, uint64_t max_chunks)
{
    return bytes == 0 ? 1 : ceil_div(bytes, ceil_div(bytes, max_chunks));
}

uint64_t weft_coll_chunk_bytes(uint64_t bytes, uint64_t max_chunks, uint64_t i)
{
    uint64_t piece = ceil_div(bytes, max_chunks);
    uint64_t left = bytes - i * piece;
    return left < piece ? left : piece;
}
