/* SPDX-License-Identifier: GPL-2.0-only */
/* Durations of transmissions, from rates and from picoseconds per byte. */
#ifndef WEFT_ENGINE_GAP_H
#define WEFT_ENGINE_GAP_H

#include "base/int128.h"
#include "base/units.h"
#include <stdint.h>

/** Fixed point of "picoseconds per byte": 20 fractional bits. Exact for rates that divide into
 * whole ps per byte. */
#define GAP_SHIFT 20
/** The clock's end, 53 days: later than now by any duration is still a time. A frame takes 6 days
 * at most. */
#define LAST_PS (WEFT_NEVER / 2)
/** A duration that is too long to be waited for. */
#define FOREVER_PS (WEFT_NEVER / 4)

/** Duration of @p bytes at @p q (ps per byte, GAP_SHIFT), rounded to the nearest ps. */
static inline int64_t gap_ps(uint64_t bytes, uint64_t q)
{
    return (int64_t)(((weft_u128)bytes * q + (UINT64_C(1) << (GAP_SHIFT - 1))) >> GAP_SHIFT);
}
/** The same, rounded to a multiple of @p unit_ps (transport.time-quantum), 0: not. */
static inline int64_t gap_quantised(int64_t unit_ps, uint64_t bytes, uint64_t q)
{
    const int64_t ps = gap_ps(bytes, q);
    return __builtin_expect(unit_ps == 0, 1) ? ps : (ps + unit_ps / 2) / unit_ps * unit_ps;
}
/** Duration of @p bytes at @p bps, whose gap_of_rate is @p q. With a time quantum it is rounded
 * once, from the exact quotient: in two steps one packet in a thousand would be a quantum off. */
static inline int64_t gap_at_rate(int64_t unit_ps, uint64_t bytes, uint64_t bps, uint64_t q)
{
    if (__builtin_expect(unit_ps == 0, 1))
        return gap_ps(bytes, q);
    weft_u128 units = (weft_u128)bps * (uint64_t)unit_ps;
    weft_u128 twice = (weft_u128)bytes * 16 * (uint64_t)WEFT_PS_PER_S;
    return (int64_t)((twice + units) / (2 * units)) * unit_ps;
}
/** ps per byte of a rate, rounded to the nearest 2^-20 ps. */
static inline uint64_t gap_of_rate(uint64_t bps)
{
    const uint64_t num = 8 * (uint64_t)WEFT_PS_PER_S << GAP_SHIFT; /* below 2^63, as is bps / 2 */
    return (num + bps / 2) / bps;
}

#endif
