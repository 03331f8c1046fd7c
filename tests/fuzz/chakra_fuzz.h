/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The fuzz target for .et files and how far an input got.
 */
#ifndef WEFT_TESTS_CHAKRA_FUZZ_H
#define WEFT_TESTS_CHAKRA_FUZZ_H

#include <stddef.h>
#include <stdint.h>

enum weft_fuzz_depth {
    WEFT_FUZZ_REFUSED,   /**< not a trace */
    WEFT_FUZZ_READ,      /**< a trace that is no valid job */
    WEFT_FUZZ_CONVERTED, /**< a valid job */
    WEFT_FUZZ_DEPTHS
};

/** Plays one input; aborts when a promise is broken. */
enum weft_fuzz_depth weft_fuzz_chakra(const uint8_t *data, size_t size);
/** libFuzzer's entry point. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
