/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The constants of NCCL's model that are fitted, and library.constants, which replaces them.
 *
 * What each was fitted on: nccl_tables.h, scenarios/hardware/README.md.
 */
#include "system/library.h"

#include <stdlib.h>
#include <string.h>

const char *const weft_library_fitted_name[WEFT_NCCL_FITTED] = {
    "sync-ll-us",  "sync-ll128-us",  "sync-simple-us", "ring-GBps",
    "ll128-share", "nvls-copy-GBps", "nvls-copy-us",   "proxy-merged"};

double weft_library_fitted_default(enum weft_nccl_gpu gpu, enum weft_nccl_fitted which)
{
    const struct weft_nccl_gpu_constants *k = &weft_nccl_gpus[gpu];
    const double v[WEFT_NCCL_FITTED] = {
        k->sync_us[WEFT_NCCL_LL],       k->sync_us[WEFT_NCCL_LL128],
        k->sync_us[WEFT_NCCL_SIMPLE],   k->ring,
        [WEFT_NCCL_LL128_SHARE] = 0.56, [WEFT_NCCL_NVLS_COPY_GBPS] = 38.5,
        [WEFT_NCCL_NVLS_COPY_US] = 3,   [WEFT_NCCL_PROXY_MERGED] = 2.2,
    };
    return v[which];
}

/* Where the value of a fitted constant is in library.constants; NULL: it is not there. */
static const char *fitted_value(const char *list, const char *name)
{
    for (const char *at = list; *at; at += strcspn(at, ",") + (at[strcspn(at, ",")] != 0))
        if (strncmp(at, name, strlen(name)) == 0 && at[strlen(name)] == '=')
            return at + strlen(name) + 1;
    return NULL;
}

double weft_library_fitted(const struct weft_library_params *l, enum weft_nccl_fitted which)
{
    const char *own = fitted_value(l->constants, weft_library_fitted_name[which]);
    return own ? strtod(own, NULL) : weft_library_fitted_default((enum weft_nccl_gpu)l->gpu, which);
}

int weft_library_fitted_check(const char *list, struct weft_err *err)
{
    for (const char *at = list; *at;) {
        const size_t size = strcspn(at, ",");
        char *end = NULL;
        int i = 0;
        while (i < WEFT_NCCL_FITTED && fitted_value(at, weft_library_fitted_name[i]) !=
                                           at + strlen(weft_library_fitted_name[i]) + 1)
            i++;
        const double v =
            i < WEFT_NCCL_FITTED ? strtod(at + strlen(weft_library_fitted_name[i]) + 1, &end) : 0;
        if (!(v > 0 && v < 1e6) || end != at + size)
            return weft_err_set(err, WEFT_E_INPUT,
                                "library.constants: '%.*s' is no NAME=NUMBER of a fitted constant; "
                                "see 'weft show library nccl'",
                                (int)size, at);
        at += size + (at[size] != 0);
    }
    return 0;
}
