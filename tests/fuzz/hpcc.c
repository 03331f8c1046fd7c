/* SPDX-License-Identifier: GPL-2.0-only */
/* The text files of the HPCC simulator. */
#include "target.h"

#include "base/cdf.h"
#include "foreign/hpcc/config.h"
#include "foreign/hpcc/flow.h"
#include "foreign/hpcc/trace.h"

void weft_fuzz_hpcc_config(const uint8_t *data, size_t size)
{
    struct weft_err err = {0};
    struct weft_hpcc_config *c = weft_hpcc_config_read(weft_fuzz_file(data, size), NULL, &err);
    REQUIRE(c || err.code);
    if (weft_fuzz_ok(c ? 0 : err.code, &err))
        for (int k = 0; k < WEFT_HPCC_KEYS; k++) {
            char text[WEFT_HPCC_VALUE_MAX];
            weft_hpcc_value_text(c, (enum weft_hpcc_key)k, text);
        }
    weft_hpcc_config_free(c);
}

void weft_fuzz_hpcc_flows(const uint8_t *data, size_t size)
{
    static const enum weft_hpcc_flow_format formats[] = {WEFT_HPCC_FLOW_AUTO, WEFT_HPCC_FLOW_HPCC,
                                                         WEFT_HPCC_FLOW_CONWEAVE};
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        struct weft_err err = {0};
        struct weft_hpcc_flows *l =
            weft_hpcc_flows_read(weft_fuzz_file(data, size), formats[i], &err);
        REQUIRE(l || err.code);
        if (weft_fuzz_ok(l ? 0 : err.code, &err))
            for (size_t k = 1; k < l->n; k++)
                REQUIRE(l->list[k - 1].start_ps <= l->list[k].start_ps);
        weft_hpcc_flows_free(l);
    }
}

void weft_fuzz_hpcc_trace(const uint8_t *data, size_t size)
{
    struct weft_err err = {0};
    struct weft_hpcc_trace t = {0};
    if (weft_fuzz_ok(weft_hpcc_trace_read(weft_fuzz_file(data, size), 100, &t, &err), &err))
        for (size_t i = 0; i < t.n; i++)
            REQUIRE(t.nodes[i] < 100);
    weft_hpcc_trace_free(&t);
}

void weft_fuzz_cdf(const uint8_t *data, size_t size)
{
    struct weft_err err = {0};
    struct weft_cdf *c = weft_cdf_read(weft_fuzz_file(data, size), &err);
    REQUIRE(c || err.code);
    if (weft_fuzz_ok(c ? 0 : err.code, &err)) {
        const double largest = weft_cdf_quantile_bytes(c, 100);
        double last = 0;
        for (int p = 0; p <= 100; p++) {
            const double bytes = weft_cdf_quantile_bytes(c, p);
            REQUIRE(bytes >= last * (1 - 1e-9) && bytes <= largest * (1 + 1e-9));
            last = bytes;
        }
        const double mean = weft_cdf_mean_bytes(c);
        REQUIRE(mean >= 0 && mean <= largest * (1 + 1e-9));
    }
    weft_cdf_free(c);
}
