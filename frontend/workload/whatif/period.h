/* SPDX-License-Identifier: GPL-2.0-only */
/* How often a rank's operations repeat: iterations of a training loop. */
#ifndef WEFT_PERIOD_H
#define WEFT_PERIOD_H

#include "base/err.h"

/** Of @p n symbols, the largest k for which they are k times the same sequence; 1 for n = 0. 0: out
 * of memory. */
uint32_t weft_period_count(const uint64_t *symbols, uint32_t n);

#endif
