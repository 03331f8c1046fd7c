/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The name of a flow, and the hash by which it goes among paths of equal cost: the engine's, and
 * that of estimates which follow its messages without it.
 */
#ifndef WEFT_BASE_FLOW_H
#define WEFT_BASE_FLOW_H

#include "base/rng.h"

/** Names flow @p number between two hosts in class @p prio (0..7). */
static inline uint64_t weft_flow_key(uint32_t src, uint32_t dst, uint32_t prio, uint32_t number)
{
    return weft_mix64(((uint64_t)src << 32 | dst) * 8 + prio) + number;
}

/** Its hash in a run of @p seed: the low half is that of data, the high one that of ACKs. */
static inline uint64_t weft_flow_entropy(uint64_t key, uint64_t seed)
{
    return weft_mix64(key ^ weft_rng_stream(seed, "ecmp", 0).state);
}

#endif
