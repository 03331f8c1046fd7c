/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The table of workloads, from workload_table.def.
 */
#include "workload/workload.h"

#include <inttypes.h>

#define WEFT_WORKLOAD(symbol) extern const struct weft_workload_ops weft_workload_##symbol;
#include "workload/workload_table.def"
#undef WEFT_WORKLOAD

static const struct weft_workload_ops *const table[] = {
#define WEFT_WORKLOAD(symbol) &weft_workload_##symbol,
#include "workload/workload_table.def"
#undef WEFT_WORKLOAD
};
enum { TABLE_SIZE = sizeof table / sizeof table[0] };

const struct weft_workload_ops *const *weft_workload_table(size_t *n)
{
    *n = TABLE_SIZE;
    return table;
}

static const char *workload_table_name_of(size_t i)
{
    return table[i]->name;
}

const struct weft_workload_ops *weft_workload_find(const char *name, struct weft_err *err)
{
    const size_t i = weft_find_named(name, workload_table_name_of, TABLE_SIZE, "workload", err);
    return i < TABLE_SIZE ? table[i] : NULL;
}

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
