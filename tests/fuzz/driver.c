/* SPDX-License-Identifier: GPL-2.0-only */
/* libFuzzer's entry points. The environment variable WEFT_FUZZ_TARGET names the target. */
#include "mutate.h"

#include <string.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max);

static const struct weft_fuzz_target *target;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    size_t n;
    (void)argc;
    (void)argv;
    target = weft_fuzz_find(getenv("WEFT_FUZZ_TARGET"));
    if (target)
        return 0;
    const struct weft_fuzz_target *all = weft_fuzz_targets(&n);
    fprintf(stderr, "WEFT_FUZZ_TARGET must be one of:");
    for (size_t i = 0; i < n; i++)
        fprintf(stderr, " %s", all[i].name);
    fprintf(stderr, "\n");
    exit(2);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    target->run(data, size);
    return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
    return weft_fuzz_mutate(target, data, size, max, seed, LLVMFuzzerMutate);
}
