/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finds how often the operations of a rank repeat, by the failure function of Knuth, Morris and
 * Pratt: the longest border gives the shortest period.
 */
#include "workload/whatif/period.h"

#include <stdlib.h>

uint32_t weft_period_count(const uint64_t *symbols, uint32_t n)
{
    uint32_t *border = malloc(((size_t)n + 1) * sizeof *border), k = 0;
    if (!border)
        return 0;
    border[0] = 0;
    for (uint32_t i = 1; i < n; i++) {
        while (k > 0 && symbols[i] != symbols[k])
            k = border[k - 1];
        k += symbols[i] == symbols[k];
        border[i] = k;
    }
    const uint32_t period = n ? n - border[n - 1] : 1;
    free(border);
    return n && n % period == 0 ? n / period : 1;
}
