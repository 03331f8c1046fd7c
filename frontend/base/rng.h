/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Seeded, named random streams.
 *
 * A stream's numbers depend only on (seed, name, index): adding a user of randomness never
 * shifts what another one draws. The generator is SplitMix64 (Steele, Lea, Flood: "Fast
 * splittable pseudorandom number generators", OOPSLA 2014): 8 bytes of state, so that every
 * switch port can own one.
 */
#ifndef WEFT_BASE_RNG_H
#define WEFT_BASE_RNG_H

#include "base/linkage.h"
#include "base/int128.h"

#include <stdint.h>

WEFT_C_BEGIN

/** One stream. */
struct weft_rng {
    uint64_t state;
};

/** The finaliser of SplitMix64: a bijective mix of 64 bits. */
static inline uint64_t weft_mix64(uint64_t z)
{
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/** Opens the stream (@p seed, @p name, @p index), for instance (1, "ecn", port number). */
static inline struct weft_rng weft_rng_stream(uint64_t seed, const char *name, uint64_t index)
{
    uint64_t h = UINT64_C(0xcbf29ce484222325); /* FNV-1a over the name */
    for (const char *p = name; *p; p++)
        h = (h ^ (uint64_t)(unsigned char)*p) * UINT64_C(0x100000001b3);
    struct weft_rng r = {weft_mix64(seed + UINT64_C(0x9e3779b97f4a7c15)) ^ weft_mix64(h) ^
                         weft_mix64(index * UINT64_C(0x9e3779b97f4a7c15) + 1)};
    return r;
}

/** The next 64 uniform bits. */
static inline uint64_t weft_rng_u64(struct weft_rng *r)
{
    r->state += UINT64_C(0x9e3779b97f4a7c15);
    return weft_mix64(r->state);
}

/** A uniform double in [0, 1) with 53 random bits. */
static inline double weft_rng_f64(struct weft_rng *r)
{
    return (double)(weft_rng_u64(r) >> 11) * 0x1.0p-53;
}

/** A uniform integer in [0, n), n > 0 (Lemire's multiply-shift; bias below n / 2^64). */
static inline uint64_t weft_rng_below(struct weft_rng *r, uint64_t n)
{
    return (uint64_t)(((weft_u128)weft_rng_u64(r) * n) >> 64);
}

WEFT_C_END
#endif
