/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads a file by the reader of its format, and plays nothing: for weft import and tests/fuzz. */
#include "workload/workload.h"

#include <stdlib.h>

/** Room for ranks: as many as a file may have. */
#define TRY_RANKS 65536u

static int try_flows(const struct weft_workload_ops *ops, const void *params, struct weft_err *err)
{
    uint64_t *bps = calloc(TRY_RANKS, sizeof *bps);
    uint32_t *node = calloc(TRY_RANKS, sizeof *node);
    struct weft_flow_source *source = NULL;
    int rc = bps && node ? 0 : weft_err_no_memory(err, "flows");
    for (uint32_t i = 0; !rc && i < TRY_RANKS; i++)
        bps[i] = 1;
    if (!rc) {
        const struct weft_flow_site site = {
            .nranks = TRY_RANKS, .seed = 1, .access_bps = bps, .access_node = node};
        rc = ops->flows(params, &site, &source, err);
    }
    if (!rc)
        weft_flow_source_free(source);
    free(bps);
    free(node);
    return rc;
}

int weft_workload_try(const struct weft_workload_ops *ops, const char *path, struct weft_err *err)
{
    struct weft_workload *job = NULL;
    void *params = calloc(1, ops->params.struct_size);
    int rc = params ? weft_params_defaults(&ops->params, params, err)
                    : weft_err_no_memory(err, "parameters");
    if (!rc)
        rc = weft_params_set(&ops->params, params, "file", path, err);
    if (!rc)
        rc = ops->flows ? try_flows(ops, params, err) : ops->load(params, 0, &job, err);
    weft_workload_free(job);
    free(params);
    return rc;
}
