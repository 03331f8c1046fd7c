/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The job: its lifetime and the names of its collectives.
 */
#include "workload/dag.h"

const char *weft_coll_kind_name(enum weft_coll_kind kind)
{
    static const char *const names[WEFT_COLL_KINDS] = {
        [WEFT_COLL_ALL_REDUCE] = "all-reduce",
        [WEFT_COLL_REDUCE] = "reduce",
        [WEFT_COLL_ALL_GATHER] = "all-gather",
        [WEFT_COLL_GATHER] = "gather",
        [WEFT_COLL_SCATTER] = "scatter",
        [WEFT_COLL_BROADCAST] = "broadcast",
        [WEFT_COLL_ALL_TO_ALL] = "all-to-all",
        [WEFT_COLL_REDUCE_SCATTER] = "reduce-scatter",
        [WEFT_COLL_REDUCE_SCATTER_BLOCK] = "reduce-scatter-block",
        [WEFT_COLL_BARRIER] = "barrier",
    };
    return (unsigned)kind < WEFT_COLL_KINDS ? names[kind] : "unknown";
}

void weft_workload_free(struct weft_workload *w)
{
    /* The struct itself lives in its arena. */
    if (w)
        weft_arena_free(w->arena);
}
