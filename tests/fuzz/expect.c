/* SPDX-License-Identifier: GPL-2.0-only */
/* expect.xml: bounds, tested against a summary of zeros. */
#include "target.h"

#include "report/expect.h"

void weft_fuzz_expect(const uint8_t *data, size_t size)
{
    struct weft_err err = {0};
    struct weft_summary s = {0};
    struct weft_expect *e = weft_expect_parse((const char *)data, size, "expect.xml", &err);
    REQUIRE(e || err.code);
    if (weft_fuzz_ok(e ? 0 : err.code, &err))
        for (size_t i = 0; i < e->n; i++) {
            double value;
            REQUIRE(e->bounds[i].min <= e->bounds[i].max);
            weft_bound_holds(&e->bounds[i], &s, &value);
        }
    weft_expect_free(e);
}
