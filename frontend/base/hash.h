/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Fingerprints: a 64-bit hash of bytes that is the same on every machine and in every version
 * (XXH64 of libxxhash with seed 0). It tells results apart; it resists no attacker.
 */
#ifndef WEFT_BASE_HASH_H
#define WEFT_BASE_HASH_H

#include "base/linkage.h"

#include <stddef.h>
#include <stdint.h>

WEFT_C_BEGIN

/** The fingerprint of @p size bytes; @p data may be NULL when size is 0. */
uint64_t weft_hash64(const void *data, size_t size);

WEFT_C_END
#endif
