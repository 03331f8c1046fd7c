/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The random numbers of ns-3 and of the GNU C library, for repeating another simulator's very
 * draws. Where nothing is to be repeated, use rng.h.
 *
 * weft_ns3_rng: MRG32k3a (L'Ecuyer, "Good parameters and implementations for combined multiple
 * recursive random number generators", Operations Research 47, 1999) cut into streams 2^127 and
 * substreams 2^76 apart (L'Ecuyer, Simard, Chen, Kelton, Operations Research 50, 2002), as ns-3
 * uses it: each new random variable takes the next stream, the run number is the substream, and
 * seed s starts the generator with six times s.
 *
 * weft_libc_rand: the additive feedback generator x[i] = x[i-3] + x[i-31] mod 2^32 whose upper 31
 * bits rand() returns, seeded by the minimal standard generator (16807) and stirred 310 times.
 */
#ifndef WEFT_NS3_RNG_H
#define WEFT_NS3_RNG_H

#include "base/linkage.h"

#include <stdint.h>

WEFT_C_BEGIN

/** A series of new random variables of which each is asked for one number. */
struct weft_ns3_rng {
    uint32_t state[6];        /**< start of the next stream */
    uint32_t to_run[2][3][3]; /**< from the start of a stream to its substream */
    uint32_t to_next[2][3][3];
};

/** The next variable gets stream @p first of run @p run; ns-3's default seed and run are 1. */
void weft_ns3_rng_init(struct weft_ns3_rng *r, uint32_t seed, uint64_t run, uint64_t first);
/** The first number, in (0, 1), of a new variable. */
double weft_ns3_rng_fresh(struct weft_ns3_rng *r);

/** rand() after srand(seed). */
struct weft_libc_rand {
    uint32_t x[31];
    uint32_t at; /**< of the oldest */
};
void weft_libc_rand_init(struct weft_libc_rand *r, uint32_t seed);
/** 0 to 2^31 - 1. */
uint32_t weft_libc_rand_next(struct weft_libc_rand *r);

WEFT_C_END
#endif
