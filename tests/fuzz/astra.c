/* SPDX-License-Identifier: GPL-2.0-only */
/* Experiments of ASTRA-sim: the system configuration, and what kind the network configuration is.
 */
#include "target.h"

#include "foreign/astra/experiment.h"
#include "workload/astra_text/astra_text.h"

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

void weft_fuzz_astra_text(const uint8_t *data, size_t size)
{
    struct weft_err err = {0};
    struct weft_astra_text *t = NULL;
    if (!weft_fuzz_ok(
            weft_astra_text_read(weft_fuzz_file(data, size), WEFT_ASTRA_DIALECT_AUTO, &t, &err),
            &err))
        return;
    REQUIRE(t->nlayers >= 1 && t->dialect != WEFT_ASTRA_DIALECT_AUTO);
    const uint64_t unit = (t->tp ? t->tp : 1) * (t->ep ? t->ep : 1);
    const uint64_t nranks = unit <= 64 ? 2 * unit : 8;
    struct weft_workload *w = NULL;
    if (weft_fuzz_ok(weft_astra_text_job(t, nranks, 2, &w, &err), &err))
        for (uint32_t r = 0; r < w->nranks; r++)
            for (uint32_t i = 0; i < w->dags[r].nops; i++) {
                struct weft_op own;
                const struct weft_op *op = weft_dag_op(&w->dags[r], i, &own);
                REQUIRE(op->kind != WEFT_OP_COLL || (op->bytes > 0 && op->group < w->ngroups));
            }
    weft_workload_free(w);
    weft_astra_text_free(t);
}
