/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The job: its lifetime and the names of its collectives.
 */
#include "workload/dag.h"

#include <string.h>

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

enum weft_parallelism weft_parallelism_of(const char *desc)
{
    static const struct {
        const char *desc;
        enum weft_parallelism use;
    } known[] = {
        {"tp", WEFT_PARALLEL_TP},    {"etp", WEFT_PARALLEL_TP},     {"cp", WEFT_PARALLEL_CP},
        {"ep", WEFT_PARALLEL_EP},    {"dp", WEFT_PARALLEL_DP},      {"edp", WEFT_PARALLEL_DP},
        {"shard", WEFT_PARALLEL_DP}, {"replica", WEFT_PARALLEL_DP}, {"embedding", WEFT_PARALLEL_PP},
    };
    for (size_t i = 0; desc && i < sizeof known / sizeof *known; i++)
        if (strcmp(desc, known[i].desc) == 0)
            return known[i].use;
    return WEFT_PARALLEL_OTHER;
}

const char *weft_parallelism_word(enum weft_parallelism use)
{
    static const char *const words[WEFT_PARALLELISMS] = {
        [WEFT_PARALLEL_OTHER] = "", [WEFT_PARALLEL_TP] = "tp", [WEFT_PARALLEL_CP] = "cp",
        [WEFT_PARALLEL_EP] = "ep",  [WEFT_PARALLEL_DP] = "dp", [WEFT_PARALLEL_PP] = "pp"};
    return words[use];
}

enum weft_parallelism weft_parallelism_of_message(const char *name)
{
    if (strstr(name, ".kv."))
        return WEFT_PARALLEL_CP;
    return strstr(name, ".fwd.") || strstr(name, ".bwd.") ? WEFT_PARALLEL_PP : WEFT_PARALLEL_DP;
}

void weft_workload_free(struct weft_workload *w)
{
    /* The struct itself lives in its arena. */
    if (w)
        weft_arena_free(w->arena);
}
