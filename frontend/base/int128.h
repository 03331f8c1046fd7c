/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef WEFT_BASE_INT128_H
#define WEFT_BASE_INT128_H

/*
 * Integers of 128 bits, for products of bytes, rates and picoseconds that need more than 64. They
 * are an extension of GCC and Clang on 64-bit machines; __extension__ says so to -Wpedantic, which
 * ns-3 builds with.
 */

__extension__ typedef unsigned __int128 weft_u128; /**< 0 .. 2^128 - 1. */
__extension__ typedef __int128 weft_i128;          /**< -2^127 .. 2^127 - 1. */

#endif /* WEFT_BASE_INT128_H */
