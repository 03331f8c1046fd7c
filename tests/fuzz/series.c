/* SPDX-License-Identifier: GPL-2.0-only */
/* sample.what on a fabric of hosts and switches, and packed tables. */
#include "target.h"

#include "congestion/cc.h"
#include "congestion/cc_table.h"
#include "series/series.h"

#include <string.h>

void weft_fuzz_samples(const uint8_t *data, size_t size)
{
    char *text = weft_fuzz_text(data, size);
    bool taken[2];
    for (int change = 0; change < 2; change++) {
        struct weft_err err = {0};
        struct weft_sample_params p = {.interval_ps = 1000,
                                       .what = text,
                                       .on = change ? WEFT_SAMPLE_CHANGE : WEFT_SAMPLE_INTERVAL};
        const struct weft_cc_ops *cc = weft_cc_find("dcqcn", &err);
        struct weft_series_choice *c =
            weft_series_choose(&p, weft_fuzz_fabric(), cc, NULL, UINT64_MAX, &err);
        taken[change] = weft_fuzz_ok(c ? 0 : err.code, &err);
        REQUIRE(taken[change] == (c != NULL));
        weft_series_choice_free(c);
    }
    REQUIRE(taken[0] || !taken[1]); /* changes are of what there is */
    free(text);
}

void weft_fuzz_packed(const uint8_t *data, size_t size)
{
    struct weft_err err = {0};
    struct weft_csv_reader r;
    const char *path = weft_fuzz_file(data, size);
    FILE *f = weft_series_unpack(path, &err);
    REQUIRE(f);
    int rc = weft_csv_reader_begin(&r, f, path, &err);
    while (!rc && (rc = weft_csv_reader_next(&r, &err)) == 1)
        rc = 0;
    weft_fuzz_ok(rc, &err);
    weft_csv_reader_close(&r);
}
