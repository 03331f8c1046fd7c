/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Numbers as decimal text, as printf writes them, in a part of its time.
 */
#ifndef WEFT_BASE_DECIMAL_H
#define WEFT_BASE_DECIMAL_H

#include "base/linkage.h"

#include <stdbool.h>
#include <stdint.h>

WEFT_C_BEGIN

/** Decimal digits of @p v: 1 of 0. */
int weft_decimal_length(uint64_t v);
/** Writes the decimal digits of @p v, at least @p least of them, before @p end; where they begin.
 */
char *weft_decimal_digits(char *end, uint64_t v, int least);
/** Writes those digits at @p at; where they end. */
char *weft_decimal_write(char *at, uint64_t v);
/** 10^@p decimals times the magnitude of @p v, to the nearest integer, of two the even one, from
 * all bits of @p v, as printf rounds. False: that is 10^18 or more, @p v is 2^52 or more, infinite
 * or no number, or @p decimals (not negative) is more than 9. */
bool weft_decimal_scaled(double v, int decimals, uint64_t *to);

WEFT_C_END
#endif
