/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How bytes are cut: a collective into chunks, its units into blocks, and what an instruction
 * moves.
 */
#include "collective/collective.h"

static uint64_t ceil_div(uint64_t a, uint64_t b)
{
    return a / b + (a % b != 0);
}

static uint64_t coll_cut_offset(uint64_t bytes, uint64_t n, uint64_t i)
{
    uint64_t at;
    if (__builtin_mul_overflow(ceil_div(bytes, n), i, &at))
        return bytes;
    return at < bytes ? at : bytes;
}

uint64_t weft_coll_cut(uint64_t bytes, uint64_t n, uint64_t i)
{
    uint64_t piece = ceil_div(bytes, n), at;
    if (__builtin_mul_overflow(piece, i, &at) || at >= bytes)
        return 0;
    return bytes - at < piece ? bytes - at : piece;
}

uint64_t weft_coll_units(const struct weft_coll_call *c)
{
    switch (c->kind) {
    case WEFT_COLL_ALL_TO_ALL:
        return (uint64_t)c->n * c->n;
    case WEFT_COLL_REDUCE_SCATTER:
    case WEFT_COLL_SCATTER:
    case WEFT_COLL_ALL_GATHER:
    case WEFT_COLL_GATHER:
        return c->n;
    default:
        return 1;
    }
}

uint64_t weft_coll_unit_bytes(const struct weft_coll_call *c, uint64_t unit)
{
    switch (c->kind) {
    case WEFT_COLL_ALL_TO_ALL:
        if (c->pairs)
            return c->pairs->bytes(c->pairs->ctx, (uint32_t)(unit / c->n), (uint32_t)(unit % c->n));
        return weft_coll_cut(c->bytes, c->n, unit % c->n);
    case WEFT_COLL_REDUCE_SCATTER:
    case WEFT_COLL_SCATTER:
        return weft_coll_cut(c->bytes, c->n, unit);
    case WEFT_COLL_ALL_GATHER:
        return c->cut ? weft_coll_cut(c->bytes, c->n, unit) : c->bytes;
    default:
        return c->bytes;
    }
}

uint64_t weft_coll_parts(const struct weft_coll_ops *ops, const struct weft_coll_call *c)
{
    return ops->parts ? ops->parts(c) : 1;
}

uint64_t weft_coll_block_bytes(const struct weft_coll_call *c, uint64_t parts, uint64_t block)
{
    if (parts == 1)
        return weft_coll_unit_bytes(c, block);
    return weft_coll_cut(weft_coll_unit_bytes(c, block / parts), parts, block % parts);
}

uint64_t weft_coll_range_bytes(const struct weft_coll_call *c, uint64_t parts, uint64_t first,
                               uint64_t n)
{
    uint64_t sum = 0;
    if (weft_coll_units(c) == 1)
        return coll_cut_offset(c->bytes, parts, first + n) -
               coll_cut_offset(c->bytes, parts, first);
    for (uint64_t b = first; b < first + n; b++)
        sum += weft_coll_block_bytes(c, parts, b);
    return sum;
}

uint32_t weft_coll_lanes(const struct weft_coll_ops *ops, const struct weft_coll_call *c,
                         uint32_t rank)
{
    return ops->lanes ? ops->lanes(c, rank) : 1;
}

uint64_t weft_coll_nth_block(const struct weft_coll_ops *ops, const struct weft_coll_call *c,
                             uint32_t rank, uint32_t lane, uint64_t i,
                             const struct weft_coll_instr *in, uint64_t nblocks, uint64_t j)
{
    if (in->listed)
        return ops->block(c, rank, lane, i, j);
    uint64_t b = in->first_block + j * (in->stride ? in->stride : 1);
    return b < nblocks ? b : b % nblocks;
}

/* Size of every block, when all are equal; else 0 with *equal 0. */
static uint64_t equal_blocks(const struct weft_coll_call *c, uint64_t parts, int *equal)
{
    uint64_t unit = c->bytes;
    *equal = 0;
    if (c->kind == WEFT_COLL_ALL_TO_ALL && c->pairs)
        return 0;
    if (weft_coll_units(c) > 1 && (c->kind != WEFT_COLL_ALL_GATHER || c->cut) &&
        c->kind != WEFT_COLL_GATHER) {
        if (unit % c->n)
            return 0;
        unit /= c->n;
    }
    *equal = unit % parts == 0;
    return unit / parts;
}

/* The pieces first + j * stride, j < n, of `bytes` cut into `pieces`: whole ones, then one rest. */
static uint64_t strided_bytes(uint64_t bytes, uint64_t pieces, uint64_t first, uint64_t n,
                              uint64_t stride)
{
    uint64_t piece = ceil_div(bytes, pieces);
    if (piece == 0)
        return 0;
    uint64_t whole = bytes / piece; /* pieces 0 .. whole-1 are whole */
    uint64_t m = first < whole ? ceil_div(whole - first, stride) : 0;
    uint64_t rest = whole >= first && (whole - first) % stride == 0 && (whole - first) / stride < n;
    return (m < n ? m : n) * piece + (rest ? bytes % piece : 0);
}

uint64_t weft_coll_instr_bytes(const struct weft_coll_ops *ops, const struct weft_coll_call *c,
                               uint32_t rank, uint32_t lane, uint64_t i,
                               const struct weft_coll_instr *in)
{
    int equal;
    if (ops->bytes)
        return ops->bytes(c, rank, lane, i);
    uint64_t parts = weft_coll_parts(ops, c);
    if (in->nblocks == 1 && !in->listed)
        return weft_coll_block_bytes(c, parts, in->first_block);
    uint64_t each = equal_blocks(c, parts, &equal);
    if (equal)
        return each * in->nblocks;
    uint64_t nblocks = weft_coll_units(c) * parts, sum = 0;
    uint64_t stride = in->stride ? in->stride : 1;
    int one_cut = nblocks == parts || (parts == 1 && nblocks == c->n); /* bytes cut into nblocks */
    if (one_cut && !in->listed && in->first_block + (in->nblocks - 1) * stride < nblocks)
        return strided_bytes(c->bytes, nblocks, in->first_block, in->nblocks, stride);
    for (uint64_t j = 0; j < in->nblocks; j++)
        sum += weft_coll_block_bytes(c, parts,
                                     weft_coll_nth_block(ops, c, rank, lane, i, in, nblocks, j));
    return sum;
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

uint64_t weft_coll_bytes_up_and_down(const struct weft_coll_call *c)
{
    return 2 * (uint64_t)(c->n - 1) * c->bytes;
}

uint64_t weft_coll_sent_bytes(const struct weft_coll_ops *ops, const struct weft_coll_call *c)
{
    uint64_t sum = 0;
    for (uint32_t r = 0; r < c->n; r++)
        for (uint32_t l = 0; l < ops->lanes(c, r); l++)
            for (uint64_t i = 0; i < ops->count(c, r, l); i++) {
                struct weft_coll_instr in = {0};
                ops->instr(c, r, l, i, &in);
                if (in.action == WEFT_COLL_SEND)
                    sum += ops->bytes(c, r, l, i);
            }
    return sum;
}
