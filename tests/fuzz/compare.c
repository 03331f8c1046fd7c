/* SPDX-License-Identifier: GPL-2.0-only */
/* run.json of two runs: one compared with itself has not moved. */
#include "target.h"

#include "report/compare.h"

void weft_fuzz_compare(const uint8_t *data, size_t size)
{
    struct weft_err err = {0};
    const struct weft_compared_text one = {(const char *)data, size, "run.json", "out"};
    const struct weft_compared_text both[2] = {one, one};
    struct weft_comparison *c = weft_compare_texts(both, &err);
    REQUIRE(c || err.code);
    if (weft_fuzz_ok(c ? 0 : err.code, &err))
        REQUIRE(c->nmoved == 0 && c->nsettings == 0 && c->none_sided == 0);
    weft_comparison_free(c);
}
