/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Bins of histograms of queues: one for the empty queue, then 64 bytes wide up to 512 bytes, then
 * eight in each power of two, so that none is wider than an eighth of what it holds.
 */
#ifndef WEFT_BASE_QUEUE_BINS_H
#define WEFT_BASE_QUEUE_BINS_H

#include <stdint.h>

/** Bins, for queues of less than 4 GiB. */
#define WEFT_QUEUE_BINS 193

/** The bin of a queue. */
static inline uint32_t weft_queue_bin(uint32_t bytes)
{
    if (bytes == 0)
        return 0;
    const uint32_t u = (bytes - 1) / 64;
    if (u < 8)
        return 1 + u;
    const uint32_t e = 31 - (uint32_t)__builtin_clz(u);
    return 9 + (e - 3) * 8 + ((u >> (e - 3)) & 7);
}

/** Fewest bytes in a bin; most are one less than those of the next. */
static inline uint64_t weft_queue_bin_from(uint32_t bin)
{
    if (bin == 0)
        return 0;
    if (bin < 9)
        return (uint64_t)(bin - 1) * 64 + 1;
    return (((uint64_t)8 + (bin - 9) % 8) << ((bin - 9) / 8)) * 64 + 1;
}

#endif
