/* SPDX-License-Identifier: GPL-2.0-only */
/* Orders of qsort and bsearch: ascending, by a number or a text, which may be the first member of a
 * record. */
#ifndef WEFT_BASE_COMPARE_H
#define WEFT_BASE_COMPARE_H

#include <stdint.h>
#include <string.h>

static inline int weft_by_u32(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static inline int weft_by_u64(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static inline int weft_by_f64(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static inline int weft_by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

#endif
