/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A set of packet numbers at or above a base: a circular bitmap that grows by doubling.
 * Allocates with the first number added. Every bit outside [base, base + capacity) is 0.
 */
#ifndef WEFT_ENGINE_PSN_SET_H
#define WEFT_ENGINE_PSN_SET_H

#include "base/require.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

struct psn_set {
    uint64_t base;  /**< no number below it is in the set */
    uint64_t cap;   /**< numbers it can hold: 0 or a power of two, 64 or more */
    uint64_t n;     /**< numbers in the set */
    uint64_t *bits; /**< bit (psn mod cap) */
};

static inline bool psn_set_has(const struct psn_set *s, uint64_t psn)
{
    if (psn < s->base || psn - s->base >= s->cap)
        return false;
    uint64_t at = psn & (s->cap - 1);
    return s->bits[at / 64] >> at % 64 & 1;
}

static inline bool psn_set_grow(struct psn_set *s, uint64_t need)
{
    uint64_t cap = s->cap ? s->cap : 64;
    while (cap < need)
        cap *= 2;
    uint64_t *bits = (uint64_t *)calloc(cap / 64, sizeof *bits);
    if (!bits)
        return false;
    for (uint64_t p = s->base; p < s->base + s->cap; p++)
        if (psn_set_has(s, p))
            bits[(p & (cap - 1)) / 64] |= UINT64_C(1) << (p & (cap - 1)) % 64;
    free(s->bits);
    s->bits = bits;
    s->cap = cap;
    return true;
}

/** Adds @p psn >= base; false when out of memory. */
static inline bool psn_set_add(struct psn_set *s, uint64_t psn)
{
    WEFT_REQUIRE(psn >= s->base);
    if (psn_set_has(s, psn))
        return true;
    if (psn - s->base >= s->cap && !psn_set_grow(s, psn - s->base + 1))
        return false;
    uint64_t at = psn & (s->cap - 1);
    s->bits[at / 64] |= UINT64_C(1) << at % 64;
    s->n++;
    return true;
}

static inline void psn_set_remove(struct psn_set *s, uint64_t psn)
{
    if (!psn_set_has(s, psn))
        return;
    const uint64_t at = psn & (s->cap - 1);
    s->bits[at / 64] &= ~(UINT64_C(1) << at % 64);
    s->n--;
}

/** The 64 numbers from @p psn on: bit i is psn + i. */
static inline uint64_t psn_set_from(const struct psn_set *s, uint64_t psn)
{
    const uint64_t below = psn < s->base ? s->base - psn : 0;
    const uint64_t end = s->base + s->cap;
    if (!s->n || below >= 64 || psn >= end)
        return 0;
    const uint64_t at = psn & (s->cap - 1), next = (at / 64 + 1) & (s->cap / 64 - 1);
    uint64_t bits = s->bits[at / 64] >> at % 64;
    if (at % 64)
        bits |= s->bits[next] << (64 - at % 64);
    if (end - psn < 64)
        bits &= (UINT64_C(1) << (end - psn)) - 1;
    return bits >> below << below;
}

/** The lowest number of the set, UINT64_MAX: it is empty. */
static inline uint64_t psn_set_first(const struct psn_set *s)
{
    for (uint64_t p = s->base; s->n && p - s->base < s->cap;) {
        const uint64_t at = p & (s->cap - 1), rest = s->bits[at / 64] >> at % 64;
        if (rest)
            return p + (uint64_t)__builtin_ctzll(rest);
        p += 64 - at % 64;
    }
    return UINT64_MAX;
}

/** Removes everything below @p base and moves the base there. */
static inline void psn_set_rise(struct psn_set *s, uint64_t base)
{
    for (; s->n && s->base < base; s->base++) {
        uint64_t at = s->base & (s->cap - 1), bit = UINT64_C(1) << at % 64;
        s->n -= (s->bits[at / 64] & bit) != 0;
        s->bits[at / 64] &= ~bit;
    }
    if (s->base < base)
        s->base = base;
}

static inline void psn_set_free(struct psn_set *s)
{
    free(s->bits);
    *s = (struct psn_set){0, 0, 0, NULL};
}

#endif
