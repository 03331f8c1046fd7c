/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The table of workloads, from workload_table.def.
 */
#include "workload/workload.h"

#include "base/family.h"

#include <inttypes.h>

#define WEFT_WORKLOAD(symbol) extern const struct weft_workload_ops weft_workload_##symbol;
#include "workload/workload_table.def"
#undef WEFT_WORKLOAD

/* Their number. */
enum {
#define WEFT_WORKLOAD(x) TABLE_OF_##x,
#include "workload/workload_table.def"
#undef WEFT_WORKLOAD
    TABLE_OWN
};

/* Those of the program, then those that are loaded at run time. */
static const struct weft_workload_ops *table[TABLE_OWN + WEFT_PLUGIN_ROOM] = {
#define WEFT_WORKLOAD(x) &weft_workload_##x,
#include "workload/workload_table.def"
#undef WEFT_WORKLOAD
};
WEFT_FAMILY(weft_workload, "workload")

int weft_workload_ranks(const char *name, uint64_t ranks, uint32_t nhosts, uint32_t *out,
                        struct weft_err *err)
{
    if (nhosts > 0 && ranks > nhosts)
        return weft_err_set(err, WEFT_E_INPUT,
                            "workload '%s': ranks is %" PRIu64 ", but the fabric has %" PRIu32
                            " hosts",
                            name, ranks, nhosts);
    *out = ranks ? (uint32_t)ranks : nhosts;
    return 0;
}
