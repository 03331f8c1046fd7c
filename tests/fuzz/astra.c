/* SPDX-License-Identifier: GPL-2.0-only */
/* Experiments of ASTRA-sim: the system configuration, and what kind the network configuration is.
 */
#include "target.h"

#include "astra/experiment.h"

#include <string.h>

void weft_fuzz_astra_experiment(const uint8_t *data, size_t size)
{
    const char *file = weft_fuzz_file(data, size);
    for (int backend = WEFT_ASTRA_AUTO; backend <= WEFT_ASTRA_PACKET; backend++) {
        struct weft_err err = {0};
        const struct weft_astra_options o = {.workload = "w",
                                             .system = file,
                                             .network = file,
                                             .logical = file,
                                             .queues = "2",
                                             .backend = (enum weft_astra_backend)backend};
        struct weft_astra_experiment *x = weft_astra_experiment_new(&o, &err);
        REQUIRE(x || err.code);
        if (weft_fuzz_ok(x ? 0 : err.code, &err))
            for (size_t i = 0; i < x->nsets; i++)
                REQUIRE(strchr(x->sets[i], '.') && strchr(x->sets[i], '='));
        weft_astra_experiment_free(x);
    }
}
