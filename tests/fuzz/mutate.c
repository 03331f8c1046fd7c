/* SPDX-License-Identifier: GPL-2.0-only */
/* Choosing a mutation; mutations of bytes. */
#include "mutate.h"

#include <string.h>

enum { MUTATIONS_MAX = 4, PIECE_MAX = 16 };

size_t weft_fuzz_bytes(uint8_t *data, size_t size, size_t max, struct weft_rng *rng)
{
    static const uint8_t edges[] = {0x00, 0x01, 0x7f, 0x80, 0xff, 0x08, 0x0a, 0x12, 0x18, 0x52};
    const size_t at = size ? (size_t)weft_rng_below(rng, size) : 0;
    const size_t n = 1 + (size_t)weft_rng_below(rng, PIECE_MAX);
    /* Gentle mutations more often: the violent ones rarely get past the first check. */
    switch (weft_rng_below(rng, 8)) {
    case 0:
    case 1:
    case 2:
        if (size)
            data[at] ^= (uint8_t)(1u << weft_rng_below(rng, 8));
        return size;
    case 3:
    case 4:
        if (size)
            data[at] = edges[weft_rng_below(rng, sizeof edges)];
        return size;
    case 5: /* insert a run of a byte, or any */
        if (size + n > max)
            return size;
        memmove(data + at + n, data + at, size - at);
        memset(data + at, edges[weft_rng_below(rng, sizeof edges)], n);
        for (size_t i = 0; i < n && weft_rng_below(rng, 2); i++)
            data[at + i] = (uint8_t)weft_rng_u64(rng);
        return size + n;
    case 6:
        if (n > size - at)
            return size;
        memmove(data + at, data + at + n, size - at - n);
        return size - n;
    default:
        return weft_rng_below(rng, 4) ? size : at;
    }
}

size_t weft_fuzz_mutate(const struct weft_fuzz_target *t, uint8_t *data, size_t size, size_t max,
                        unsigned seed, weft_fuzz_bytes_fn bytes)
{
    static size_t (*const shaped[])(uint8_t *, size_t, size_t,
                                    struct weft_rng *) = {[WEFT_FUZZ_TEXT] = weft_fuzz_mutate_text,
                                                          [WEFT_FUZZ_XML] = weft_fuzz_mutate_xml,
                                                          [WEFT_FUZZ_ET] = weft_fuzz_mutate_et};
    struct weft_rng rng = weft_rng_stream(seed, "mutate", 0);
    for (uint64_t n = 1 + weft_rng_below(&rng, MUTATIONS_MAX); n; n--) {
        const size_t next = weft_rng_below(&rng, 4) ? shaped[t->shape](data, size, max, &rng) : 0;
        size = next    ? next
               : bytes ? bytes(data, size, max)
                       : weft_fuzz_bytes(data, size, max, &rng);
    }
    return size;
}
