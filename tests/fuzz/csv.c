/* SPDX-License-Identifier: GPL-2.0-only */
/* Tables of a run: all fields of all rows, as numbers and times. */
#include "target.h"

#include "base/csv_read.h"

void weft_fuzz_csv(const uint8_t *data, size_t size)
{
    struct weft_err err = {0};
    struct weft_csv_reader r;
    int rc = weft_csv_reader_open(&r, weft_fuzz_file(data, size), &err);
    while (!rc && (rc = weft_csv_reader_next(&r, &err)) == 1) {
        for (size_t i = 0; i < r.ncolumns; i++) {
            struct weft_err ignored = {0};
            int64_t ps = 0;
            uint64_t n;
            REQUIRE(r.field[i]);
            if (weft_csv_reader_ps(&r, (int)i, &ps, &ignored) == 0)
                REQUIRE(ps >= 0);
            weft_csv_reader_u64(&r, (int)i, &n, &ignored);
        }
        rc = 0;
    }
    weft_fuzz_ok(rc, &err);
    weft_csv_reader_close(&r);
}
