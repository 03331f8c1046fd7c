/* SPDX-License-Identifier: GPL-2.0-only */
/* ASTRA-sim's remote memory configuration. */
#include "target.h"

#include "system/remote.h"

void weft_fuzz_remote_memory(const uint8_t *data, size_t size)
{
    struct weft_err err = {0};
    struct weft_workload w = {.nranks = 8};
    struct weft_system_params p;
    REQUIRE(weft_params_defaults(&weft_system_param_table, &p, &err) == 0);
    p.remote_file = weft_fuzz_file(data, size);
    weft_fuzz_ok(weft_remote_read(&w, &p, &err), &err);
}
