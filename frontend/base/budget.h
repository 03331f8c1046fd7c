/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How much memory a reader may take for an input. A small file must not be able to fill the
 * machine: what would take more is refused (WEFT_E_LIMIT) with the reason and what to do about it.
 */
#ifndef WEFT_BASE_BUDGET_H
#define WEFT_BASE_BUDGET_H

#include <stdint.h>

/** Times the size of an input. */
#define WEFT_BUDGET_FACTOR UINT64_C(100)
/** What every input may take, bytes. */
#define WEFT_BUDGET_MIN (UINT64_C(64) << 20)

/** Bytes of memory that an input of @p input_bytes may take. */
static inline uint64_t weft_budget(uint64_t input_bytes)
{
    if (input_bytes > UINT64_MAX / WEFT_BUDGET_FACTOR)
        return UINT64_MAX;
    const uint64_t bytes = input_bytes * WEFT_BUDGET_FACTOR;
    return bytes > WEFT_BUDGET_MIN ? bytes : WEFT_BUDGET_MIN;
}

#endif
