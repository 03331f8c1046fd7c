/* SPDX-License-Identifier: GPL-2.0-only */
/* Mutations of text: tokens and lines are replaced, doubled, swapped and left out. */
#include "mutate.h"

#include <ctype.h>
#include <string.h>

struct piece {
    size_t at, n;
};

static bool in_token(uint8_t c)
{
    return isalnum(c) || strchr("._-#", c);
}

/* Some token or, when @p line, some line with its end. */
static struct piece pick(const uint8_t *data, size_t size, bool line, struct weft_rng *rng)
{
    struct piece p = {(size_t)weft_rng_below(rng, size), 0};
    if (line) {
        while (p.at && data[p.at - 1] != '\n')
            p.at--;
        while (p.at + p.n < size && data[p.at + p.n++] != '\n')
            continue;
        return p;
    }
    while (p.at < size && !in_token(data[p.at]))
        p.at++;
    while (p.at && in_token(data[p.at - 1]))
        p.at--;
    while (p.at + p.n < size && in_token(data[p.at + p.n]))
        p.n++;
    return p;
}

/* Puts @p n bytes in the place of a piece. */
static size_t replace(uint8_t *data, size_t size, size_t max, struct piece p, const void *by,
                      size_t n)
{
    if (size - p.n + n > max)
        return 0;
    memmove(data + p.at + n, data + p.at + p.n, size - p.at - p.n);
    if (n)
        memcpy(data + p.at, by, n);
    return size - p.n + n;
}

size_t weft_fuzz_mutate_text(uint8_t *data, size_t size, size_t max, struct weft_rng *rng)
{
    if (!size || memchr(data, 0, size))
        return 0;
    const bool line = weft_rng_below(rng, 3) == 0;
    const struct piece a = pick(data, size, line, rng), b = pick(data, size, line, rng);
    const char *word = weft_fuzz_word(rng);
    char number[24];
    uint8_t *copy;
    switch (weft_rng_below(rng, 6)) {
    case 0:
        return replace(data, size, max, a, word, strlen(word));
    case 1:
        snprintf(number, sizeof number, "%llu", (unsigned long long)weft_fuzz_number(rng));
        return replace(data, size, max, a, number, strlen(number));
    case 2:
        return replace(data, size, max, a, "", 0);
    case 3: /* a word more */
        return replace(data, size, max, (struct piece){a.at, 0}, word, strlen(word));
    default: /* another piece, in its place or before it */
        copy = (uint8_t *)weft_fuzz_text(data + b.at, b.n);
        size = replace(data, size, max, weft_rng_below(rng, 2) ? a : (struct piece){a.at, 0}, copy,
                       b.n);
        free(copy);
        return size;
    }
}
