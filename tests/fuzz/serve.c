/* SPDX-License-Identifier: GPL-2.0-only */
/* Sessions of weft serve: in one piece and in two, which must be the same. */
#include "target.h"

#include "lib/serve.h"

#include <string.h>

static const struct weft_net_backend *const backends[] = {&weft_net_ideal};

/* Whether each list of settings asks for little. */
static bool fuzz_small_settings(const uint8_t *data, size_t size)
{
    static const char word[] = "\"settings\"", nodes[] = "\"node_count\"";
    bool small = true;
    for (size_t i = 0; small && i + sizeof word <= size; i++)
        if (memcmp(data + i, word, sizeof word - 1) == 0 ||
            (i + sizeof nodes <= size && memcmp(data + i, nodes, sizeof nodes - 1) == 0)) {
            const char *from = (const char *)data + i, *end = memchr(from, ']', size - i);
            const size_t n = end ? (size_t)(end - from) : size - i;
            small = weft_fuzz_small(from, data[i + 1] == 'n' && n > 24 ? 24 : n);
        }
    return small;
}

static struct weft_serve *fed(const struct weft_serve_config *c, const uint8_t *data, size_t size,
                              size_t cut)
{
    struct weft_serve *s = weft_serve_new(c);
    struct weft_err err = {0};
    REQUIRE(s);
    weft_serve_feed(s, (const char *)data, cut);
    weft_serve_feed(s, (const char *)data + cut, size - cut);
    weft_serve_end(s, &err);
    return s;
}

void weft_fuzz_serve(const uint8_t *data, size_t size)
{
    const struct weft_serve_config c = {
        .backends = backends, .nbackends = 1, .frame_bytes = 2048, .open_max = 100};
    if (!fuzz_small_settings(data, size))
        return;
    struct weft_serve *whole = fed(&c, data, size, 0), *halves = fed(&c, data, size, size / 2);
    size_t a, b;
    const char *x = weft_serve_output(whole, &a), *y = weft_serve_output(halves, &b);
    REQUIRE(a == b && (a == 0 || memcmp(x, y, a) == 0));
    weft_serve_free(whole);
    weft_serve_free(halves);
}
