/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Preconditions of small functions on hot paths: WEFT_REQUIRE(cond) ends the program where
 * WEFT_CHECKED is defined, as the builds dev and asan do, and costs nothing elsewhere.
 */
#ifndef WEFT_BASE_REQUIRE_H
#define WEFT_BASE_REQUIRE_H

#ifdef WEFT_CHECKED
#include <assert.h>
#define WEFT_REQUIRE(cond) assert(cond)
#else
#define WEFT_REQUIRE(cond) ((void)0)
#endif

#endif
