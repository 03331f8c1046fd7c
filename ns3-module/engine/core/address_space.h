/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Places for arrays that grow without moving: ranges of addresses that are taken for one array and
 * are mapped step by step.
 *
 * An address that is not mapped costs nothing: it counts in no limit (ulimit -v) and is no part of
 * the size of the process. The ranges lie far from where the system puts what has no place of its
 * own, so that nothing comes between. They are listed for the process as a whole, as addresses
 * are.
 */
#ifndef WEFT_ENGINE_ADDRESS_SPACE_H
#define WEFT_ENGINE_ADDRESS_SPACE_H

#include "base/linkage.h"

#include <stdbool.h>
#include <stddef.h>

/** Bytes in which ranges are mapped: a huge page of x86-64 and of ARM with pages of 4 KiB. */
#define ADDRESS_STEP ((size_t)2 << 20)

WEFT_C_BEGIN
#pragma GCC visibility push(hidden)

/** Takes a range of @p most bytes, of which the first ADDRESS_STEP are mapped, zero. NULL: there is
 * none, or no memory. */
void *address_take(size_t most);
/** Maps the bytes from @p mapped up to @p bytes of the range at @p at, multiples of ADDRESS_STEP.
 */
bool address_extend(void *at, size_t mapped, size_t bytes);
/** Gives the range at @p at back, of which @p mapped bytes are mapped. */
void address_give(void *at, size_t mapped);

/** Maps @p bytes anywhere, zero; no swap space is reserved for them. NULL: refused. */
void *address_map(size_t bytes);

#pragma GCC visibility pop
WEFT_C_END
#endif
