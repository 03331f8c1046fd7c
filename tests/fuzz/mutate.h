/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Mutations that keep the shape of an input: edits of trees for XML, of messages and fields for
 * execution traces, of tokens and lines for text. Names and values come from weft's own tables
 * (words.c).
 */
#ifndef WEFT_TESTS_FUZZ_MUTATE_H
#define WEFT_TESTS_FUZZ_MUTATE_H

#include "target.h"

#include "base/rng.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Mutates bytes, whatever they mean, as LLVMFuzzerMutate does: returns the new size, at most @p
 * max. */
typedef size_t (*weft_fuzz_bytes_fn)(uint8_t *data, size_t size, size_t max);

/** Mutates an input of @p t in place, the same way for the same @p seed. Returns its new size, at
 * most @p max. */
size_t weft_fuzz_mutate(const struct weft_fuzz_target *t, uint8_t *data, size_t size, size_t max,
                        unsigned seed, weft_fuzz_bytes_fn bytes);

/** Mutates bytes without libFuzzer. */
size_t weft_fuzz_bytes(uint8_t *data, size_t size, size_t max, struct weft_rng *rng);

/* Each returns the new size, or 0 when the input has not the shape or the result would be too
 * large. */
size_t weft_fuzz_mutate_text(uint8_t *data, size_t size, size_t max, struct weft_rng *rng);
size_t weft_fuzz_mutate_xml(uint8_t *data, size_t size, size_t max, struct weft_rng *rng);
size_t weft_fuzz_mutate_et(uint8_t *data, size_t size, size_t max, struct weft_rng *rng);

/** A name, a value or a number. */
const char *weft_fuzz_word(struct weft_rng *rng);
/** A whole number at the edge of something, or any. */
uint64_t weft_fuzz_number(struct weft_rng *rng);

#ifdef __cplusplus
}
#endif
#endif
