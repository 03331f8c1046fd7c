/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A whole Chakra job: find the files, read and convert rank by rank, one trace in memory at a time.
 */
#include "workload/chakra_read.h"

#include "workload/trace_files.h"
#include "workload/workload.h"

#include <inttypes.h>

static int read_rank(struct weft_convert *c, uint32_t rank, const char *path, size_t memory_bytes,
                     struct weft_err *err)
{
    struct weft_et *et = NULL;
    struct weft_arena *arena = weft_arena_new();
    if (!arena)
        return weft_err_no_memory(err, "a trace");
    if (memory_bytes)
        weft_arena_spill(arena, memory_bytes);
    int rc = weft_chakra_read_et(path, arena, &et, err);
    if (rc == 0)
        rc = weft_convert_rank(c, rank, et, err);
    weft_arena_free(arena);
    return rc;
}

/* memory_bytes 0: everything */
static int read_job(const char *prefix, uint32_t nranks, const char *groups_file,
                    uint64_t memory_bytes, const struct weft_convert_options *how,
                    struct weft_workload **out, struct weft_err *err)
{
    struct weft_err local = {0};
    struct weft_convert *c = NULL;
    const char **paths = NULL;
    uint32_t n = 0;
    const size_t half = (size_t)(memory_bytes / 2); /* for the job, and for the rank being read */
    if (!err)
        err = &local;
    struct weft_arena *arena = weft_arena_new();
    int rc = arena ? weft_trace_files(prefix, nranks, arena, &paths, &n, err)
                   : weft_err_no_memory(err, "a trace");
    if (rc == 0) {
        c = weft_convert_new(n, groups_file, err);
        rc = c ? weft_convert_take_options(c, how, err) : err->code;
        if (c && half)
            weft_convert_spill(c, half);
    }
    for (uint32_t r = 0; rc == 0 && r < n; r++)
        rc = read_rank(c, r, paths[r], half, err);
    if (rc == 0) {
        rc = weft_convert_finish(c, out, err);
        c = NULL;
    }
    weft_convert_free(c);
    weft_arena_free(arena);
    return rc;
}

int weft_chakra_read_within(const char *prefix, uint32_t nranks, const char *groups_file,
                            uint64_t memory_bytes, const struct weft_convert_options *how,
                            struct weft_workload **out, struct weft_err *err)
{
    return read_job(prefix, nranks, groups_file, memory_bytes < 2 ? 2 : memory_bytes, how, out,
                    err);
}

int weft_chakra_read(const char *prefix, uint32_t nranks, const char *groups_file,
                     struct weft_workload **out, struct weft_err *err)
{
    const struct weft_convert_options how = {.elem_bytes = WEFT_CHAKRA_ELEM_BYTES};
    return read_job(prefix, nranks, groups_file, 0, &how, out, err);
}

struct chakra_params {
    const char *path;
    const char *groups;
    uint64_t ranks;
    uint64_t memory_bytes;
    uint64_t elem_bytes;
    bool replay;
    const char *algorithms;
};

static const struct weft_param chakra_params[] = {
    {WEFT_ROW_STRING(struct chakra_params, path, "path", NULL),
     .help = "prefix of the trace: rank r is PATH.<r>.et or PATH.<r>.et.gz"},
    {WEFT_ROW_STRING(struct chakra_params, groups, "groups", ""),
     .help = "JSON file of communicator groups, {\"1\": [0, 1]}; empty: none",
     .source = "ASTRA-sim --comm-group-configuration"},
    {WEFT_ROW_U64(struct chakra_params, ranks, "ranks", "0", "0", "1048576"),
     .help = "ranks that the trace must have, on the first hosts of the fabric; 0: as many as it "
             "has hosts"},
    {WEFT_ROW_SIZE(struct chakra_params, memory_bytes, "memory", "1GiB", NULL, NULL),
     .help = "memory for graphs; larger ones lie in a temporary file in $TMPDIR, else /var/tmp"},
    {WEFT_ROW_U64(struct chakra_params, elem_bytes, "elem-bytes", "2", "1", "64"),
     .help = "bytes of an element in traces of STG, whose sizes count elements; others count bytes",
     .source = "STG (astra-sim/symbolic_tensor_graph), convert_chakra.py"},
    {WEFT_ROW_BOOL(struct chakra_params, replay, "replay", "false"),
     .help = "every operation takes its recorded duration (at least 1 ns), communication too, "
             "which then needs no network and no peers",
     .source = "ASTRA-sim replay-only, Workload::issue_replay"},
    {WEFT_ROW_STRING(struct chakra_params, algorithms, "algorithms", ""),
     .help = "algorithms of collectives by node id, in place of those of their kinds: "
             "7:direct,12:chakra:file=all_reduce",
     .source = "ASTRA-sim per-node-custom-implementation", .list = &weft_node_algorithms_form},
};

static int load(const void *params, uint32_t nranks, struct weft_workload **out,
                struct weft_err *err)
{
    const struct chakra_params *p = params;
    if (!p->path || !*p->path)
        return weft_err_set(err, WEFT_E_INPUT,
                            "workload 'chakra' needs 'path', the prefix of the trace's files");
    uint32_t n;
    if (weft_workload_ranks("chakra", p->ranks, nranks, &n, err))
        return err->code;
    const struct weft_convert_options how = {(uint32_t)p->elem_bytes, p->replay, p->algorithms};
    return weft_chakra_read_within(p->path, n, p->groups, p->memory_bytes, &how, out, err);
}

const struct weft_workload_ops weft_workload_chakra = {
    .name = "chakra",
    .title = "Chakra execution traces, one .et file per rank",
    .source = "Chakra 0.0.4 and 1.0.0 (MLCommons)",
    .params = WEFT_PARAM_TABLE(chakra_params, struct chakra_params),
    .load = load,
};
