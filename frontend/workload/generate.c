/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Generated workloads: collectives of the world and computation. The traces of all ranks are alike,
 * so one trace is made and every rank plays it, unless an all-to-all is uneven.
 */
#include "workload/generate.h"

#include "base/int128.h"
#include "base/units.h"
#include "workload/chakra_write.h"
#include "workload/convert.h"
#include "workload/et_build.h"
#include "workload/generate_matrix.h"
#include "workload/trace_files.h"
#include "workload/trace_write.h"
#include "workload/workload.h"

#include <inttypes.h>
#include <stdio.h>

#define NODES_MAX (UINT64_C(1) << 24) /* nodes of one rank */
#define NO_NODE UINT64_MAX

static const struct weft_param generate_params[] = {
    {WEFT_ROW_ENUM(struct weft_generate_params, pattern, "pattern", "microbenchmark",
                   "microbenchmark|data-parallel"),
     .help =
         "microbenchmark: collectives with computation between; data-parallel: a training loop"},
    {WEFT_ROW_U64(struct weft_generate_params, ranks, "ranks", "0", "0", "1048576"),
     .help = "ranks of the job, on the first hosts of the fabric; 0: as many as it has hosts"},
    {WEFT_ROW_ENUM(struct weft_generate_params, kind, "kind", "all-reduce",
                   "all-reduce|reduce|all-gather|gather|scatter|broadcast|all-to-all|reduce-"
                   "scatter|reduce-scatter-block|barrier"),
     .help = "the collective; data-parallel has all-reduce only"},
    {WEFT_ROW_SIZE(struct weft_generate_params, size_bytes, "size", "1MiB", NULL, NULL),
     .help = "bytes of one collective (all-gather: this rank's shard, else the full buffer); "
             "data-parallel: gradient bytes of one layer",
     .needs = "matrix-file="},
    {WEFT_ROW_F64(struct weft_generate_params, skew, "skew", "0", "0", "8"),
     .help = "all-to-all: receivers get shares by Zipf's law with this exponent, as popular "
             "experts do; 0: even",
     .needs = "kind=all-to-all and pattern=microbenchmark and matrix-file="},
    {WEFT_ROW_U64(struct weft_generate_params, seed, "seed", "1", NULL, NULL),
     .help = "skew: draws which receivers are popular", .needs = "skew!=0"},
    {WEFT_ROW_U64(struct weft_generate_params, shift, "shift", "0", NULL, "1048576"),
     .help = "all-to-all: each rank sends all of its buffer to the rank so many after it, as "
             "sendrecv of nccl-tests does with 1; 0: to every rank",
     .needs = "kind=all-to-all and pattern=microbenchmark and matrix-file= and skew=0"},
    {WEFT_ROW_STRING(struct weft_generate_params, matrix, "matrix-file", ""),
     .help = "all-to-all: file with what each rank sends to each, such as a measured routing: a "
             "line of numbers with commas for each sender",
     .needs = "kind=all-to-all and pattern=microbenchmark"},
    {WEFT_ROW_SIZE(struct weft_generate_params, matrix_unit_bytes, "matrix-unit", "1B", "1B", NULL),
     .help = "matrix-file: bytes of one unit of it, such as those of a token",
     .needs = "matrix-file!="},
    {WEFT_ROW_U64(struct weft_generate_params, count, "count", "1", "1", "1000000"),
     .help = "microbenchmark: number of collectives", .needs = "pattern=microbenchmark"},
    {WEFT_ROW_BOOL(struct weft_generate_params, overlap, "overlap", "false"),
     .help = "microbenchmark: collectives do not wait for each other",
     .needs = "pattern=microbenchmark"},
    {WEFT_ROW_TIME(struct weft_generate_params, compute_ps, "compute-time", "0", NULL, NULL),
     .help = "microbenchmark: computation before each collective, whole microseconds",
     .needs = "pattern=microbenchmark"},
    {WEFT_ROW_U64(struct weft_generate_params, layers, "layers", "8", "1", "100000"),
     .help = "data-parallel: layers of the model", .needs = "pattern=data-parallel"},
    {WEFT_ROW_U64(struct weft_generate_params, bucket_layers, "bucket-layers", "1", "1", "100000"),
     .help = "data-parallel: layers whose gradients share one all-reduce",
     .source = "PyTorch DDP gradient buckets", .needs = "pattern=data-parallel"},
    {WEFT_ROW_U64(struct weft_generate_params, iterations, "iterations", "1", "1", "100000"),
     .help = "data-parallel: training iterations", .needs = "pattern=data-parallel"},
    {WEFT_ROW_TIME(struct weft_generate_params, forward_ps, "forward-time", "10us", NULL, NULL),
     .help = "data-parallel: forward computation of one layer, whole microseconds",
     .needs = "pattern=data-parallel"},
    {WEFT_ROW_TIME(struct weft_generate_params, backward_ps, "backward-time", "20us", NULL, NULL),
     .help = "data-parallel: backward computation of one layer, whole microseconds",
     .needs = "pattern=data-parallel"},
    {WEFT_ROW_TIME(struct weft_generate_params, optimizer_ps, "optimizer-time", "10us", NULL, NULL),
     .help = "data-parallel: optimizer step, whole microseconds", .needs = "pattern=data-parallel"},
};
const struct weft_param_table weft_generate_param_table =
    WEFT_PARAM_TABLE(generate_params, struct weft_generate_params);

/** Chakra's duration_micros counts whole microseconds. */
static int check_time(const char *name, int64_t ps, struct weft_err *err)
{
    char text[WEFT_UNIT_TEXT_MAX], down[WEFT_UNIT_TEXT_MAX], up[WEFT_UNIT_TEXT_MAX];
    if (ps >= 0 && ps % WEFT_PS_PER_US == 0)
        return 0;
    const int64_t floor_ps = ps < 0 ? 0 : ps - ps % WEFT_PS_PER_US;
    const bool last = floor_ps > INT64_MAX - WEFT_PS_PER_US;
    return weft_err_set(err, WEFT_E_INPUT,
                        "workload 'generate': %s is %s, but a Chakra trace counts whole "
                        "microseconds; nearest %s %s%s%s",
                        name, weft_format_time(ps, text), last ? "is" : "are",
                        weft_format_time(floor_ps, down), last ? "" : " and ",
                        last ? "" : weft_format_time(floor_ps + WEFT_PS_PER_US, up));
}

/** How many nodes one rank gets; saturates. */
static uint64_t count_nodes(const struct weft_generate_params *p)
{
    weft_u128 n;
    if (p->pattern == WEFT_GENERATE_MICROBENCHMARK) {
        n = (weft_u128)p->count * (p->compute_ps > 0 ? 2 : 1);
    } else {
        uint64_t buckets = p->layers / p->bucket_layers + (p->layers % p->bucket_layers != 0);
        n = (2 * (weft_u128)p->layers + buckets + 1) * p->iterations;
    }
    return n > UINT64_MAX ? UINT64_MAX : (uint64_t)n;
}

static int generate_check(const struct weft_generate_params *p, struct weft_err *err)
{
    int rc = check_time("compute-time", p->compute_ps, err);
    if (rc == 0)
        rc = check_time("forward-time", p->forward_ps, err);
    if (rc == 0)
        rc = check_time("backward-time", p->backward_ps, err);
    if (rc == 0)
        rc = check_time("optimizer-time", p->optimizer_ps, err);
    if (rc < 0)
        return rc;
    if (p->count == 0 || p->layers == 0 || p->bucket_layers == 0 || p->iterations == 0)
        return weft_err_set(err, WEFT_E_INPUT,
                            "workload 'generate': count, layers, bucket-layers and iterations "
                            "must be at least 1");
    if (p->ranks == 0 || p->ranks > WEFT_TRACE_RANKS_MAX)
        return weft_err_set(err, WEFT_E_INPUT,
                            "workload 'generate': ranks must be 1 .. %" PRIu32 ", got %" PRIu64,
                            WEFT_TRACE_RANKS_MAX, p->ranks);
    if (p->pattern == WEFT_GENERATE_DATA_PARALLEL && p->kind != WEFT_COLL_ALL_REDUCE)
        return weft_err_set(err, WEFT_E_INPUT,
                            "workload 'generate': the pattern data-parallel has kind all-reduce "
                            "only, got %s",
                            weft_coll_kind_name((enum weft_coll_kind)p->kind));
    weft_u128 bucket = (weft_u128)p->size_bytes *
                       (p->pattern == WEFT_GENERATE_DATA_PARALLEL ? p->bucket_layers : 1);
    if (bucket > INT64_MAX)
        return weft_err_set(err, WEFT_E_INPUT,
                            "workload 'generate': one collective of size times bucket-layers "
                            "bytes is over 2^63 - 1");
    if (count_nodes(p) > NODES_MAX)
        return weft_err_set(err, WEFT_E_LIMIT,
                            "workload 'generate': %" PRIu64
                            " operations for each rank are over the limit of %" PRIu64,
                            count_nodes(p), NODES_MAX);
    return 0;
}

static void depend(struct weft_et_build *b, uint64_t on)
{
    if (on != NO_NODE)
        weft_et_build_data_dep(b, on);
}

static void microbenchmark(struct weft_et_build *b, const struct weft_generate_params *p,
                           const struct weft_generate_matrix *m, uint64_t rank)
{
    const uint64_t bytes = m->bytes ? weft_generate_matrix_sum(m, rank) : p->size_bytes;
    const char *kind = weft_coll_kind_name((enum weft_coll_kind)p->kind);
    char name[64];
    uint64_t id = 0, last = NO_NODE; /* what the next node of the chain waits for */
    for (uint64_t i = 0; i < p->count; i++) {
        uint64_t before = last;
        if (p->compute_ps > 0) {
            snprintf(name, sizeof name, "compute_%" PRIu64, i);
            weft_et_build_comp(b, id, name, (uint64_t)(p->compute_ps / WEFT_PS_PER_US));
            depend(b, last);
            before = last = id++;
        }
        snprintf(name, sizeof name, "%s_%" PRIu64, kind, i);
        weft_et_build_coll(b, id, name, p->kind, bytes, "");
        if (m->bytes)
            weft_generate_matrix_sizes(m, rank, b);
        depend(b, before);
        if (!p->overlap)
            last = id;
        id++;
    }
}

/** One iteration. @p id is the next free id, @p start what the first layer waits for; returns the
 * optimizer node. */
static uint64_t iteration(struct weft_et_build *b, const struct weft_generate_params *p, uint64_t i,
                          uint64_t *id, uint64_t start)
{
    char name[64];
    uint64_t last = start;
    for (uint64_t l = 0; l < p->layers; l++, last = (*id)++) {
        snprintf(name, sizeof name, "it%" PRIu64 "_forward_%" PRIu64, i, l);
        weft_et_build_comp(b, *id, name, (uint64_t)(p->forward_ps / WEFT_PS_PER_US));
        depend(b, last);
    }
    uint64_t first_backward = *id, in_bucket = 0, bucket = 0;
    for (uint64_t done = 0; done < p->layers; done++) {
        uint64_t l = p->layers - 1 - done;
        snprintf(name, sizeof name, "it%" PRIu64 "_backward_%" PRIu64, i, l);
        weft_et_build_comp(b, *id, name, (uint64_t)(p->backward_ps / WEFT_PS_PER_US));
        depend(b, last);
        last = (*id)++;
        if (++in_bucket < p->bucket_layers && l > 0)
            continue;
        snprintf(name, sizeof name, "it%" PRIu64 "_grad_%" PRIu64, i, bucket++);
        weft_et_build_coll(b, *id, name, WEFT_COLL_ALL_REDUCE, p->size_bytes * in_bucket, "");
        depend(b, last);
        (*id)++;
        in_bucket = 0;
    }
    snprintf(name, sizeof name, "it%" PRIu64 "_optimizer", i);
    uint64_t optimizer = (*id)++;
    weft_et_build_comp(b, optimizer, name, (uint64_t)(p->optimizer_ps / WEFT_PS_PER_US));
    depend(b, last);
    for (uint64_t k = first_backward; k < optimizer && !b->out_of_memory; k++)
        if (b->et->nodes[k].type == WEFT_ET_COMM_COLL_NODE)
            depend(b, k); /* ids are indices here */
    return optimizer;
}

/** The trace of a rank, which every rank plays without a matrix. */
static int build(const struct weft_generate_params *p, const struct weft_generate_matrix *m,
                 uint32_t rank, struct weft_arena *arena, struct weft_et **out,
                 struct weft_err *err)
{
    struct weft_et_build b;
    weft_et_build_start(&b, arena);
    if (p->pattern == WEFT_GENERATE_MICROBENCHMARK) {
        microbenchmark(&b, p, m, rank);
    } else {
        uint64_t id = 0, last = NO_NODE;
        for (uint64_t i = 0; i < p->iterations; i++)
            last = iteration(&b, p, i, &id, last);
    }
    return weft_et_build_finish(&b, out, err);
}

static int convert_rank(const struct weft_generate_params *p, const struct weft_generate_matrix *m,
                        uint32_t rank, struct weft_convert *c, struct weft_err *err)
{
    struct weft_et *et = NULL;
    struct weft_arena *arena = weft_arena_new();
    int rc = arena ? build(p, m, rank, arena, &et, err) : weft_err_no_memory(err, "a trace");
    rc = rc ? rc : weft_convert_rank(c, rank, et, err);
    weft_arena_free(arena);
    return rc;
}

int weft_generate_workload(const struct weft_generate_params *p, struct weft_workload **out,
                           struct weft_err *err)
{
    struct weft_convert *c = NULL;
    struct weft_generate_matrix m = {0};
    int rc = generate_check(p, err);
    rc = rc ? rc : weft_generate_matrix_make(p, &m, err);
    if (rc == 0) {
        struct weft_err why = {0};
        c = weft_convert_new((uint32_t)p->ranks, NULL, &why);
        rc = c ? 0 : weft_err_set(err, why.code, "%s", why.msg);
    }
    for (uint32_t r = 0; rc == 0 && r < (m.bytes ? p->ranks : 1); r++)
        rc = convert_rank(p, &m, r, c, err);
    for (uint32_t r = 1; rc == 0 && !m.bytes && r < p->ranks; r++)
        weft_convert_share(c, r, 0);
    if (rc == 0) {
        rc = weft_convert_finish(c, out, err);
        c = NULL;
    }
    weft_convert_free(c);
    weft_generate_matrix_free(&m);
    return rc;
}

/* What ranks are written from. */
struct writing {
    const struct weft_generate_params *p;
    struct weft_generate_matrix m;
};

static int generate_write_rank(void *ctx, uint64_t rank, const char *path, struct weft_err *err)
{
    const struct writing *w = (const struct writing *)ctx;
    struct weft_et *et = NULL;
    struct weft_arena *arena = weft_arena_new();
    int rc = arena ? build(w->p, &w->m, (uint32_t)rank, arena, &et, err)
                   : weft_err_no_memory(err, "a trace");
    rc = rc ? rc : weft_chakra_write_et(et, path, err);
    weft_arena_free(arena);
    return rc;
}

int weft_generate_write(const struct weft_generate_params *p, const char *prefix,
                        struct weft_err *err)
{
    struct writing w = {.p = p};
    int rc = generate_check(p, err);
    rc = rc ? rc : weft_generate_matrix_make(p, &w.m, err);
    rc = rc ? rc : weft_trace_write(prefix, p->ranks, generate_write_rank, &w, err);
    weft_generate_matrix_free(&w.m);
    return rc;
}

static int load(const void *params, uint32_t nranks, struct weft_workload **out,
                struct weft_err *err)
{
    struct weft_generate_params p = *(const struct weft_generate_params *)params;
    uint32_t n;
    if (weft_workload_ranks("generate", p.ranks, nranks, &n, err))
        return err->code;
    p.ranks = n;
    return weft_generate_workload(&p, out, err);
}

static int write(const void *params, const char *prefix, uint64_t *nranks, struct weft_err *err)
{
    *nranks = ((const struct weft_generate_params *)params)->ranks;
    if (*nranks == 0)
        return weft_err_set(err, WEFT_E_USAGE, "how many ranks? give --set ranks=N");
    return weft_generate_write(params, prefix, err);
}

const struct weft_workload_ops weft_workload_generate = {
    .name = "generate",
    .title = "collective microbenchmarks and a data-parallel training loop",
    .source = NULL,
    .params = WEFT_PARAM_TABLE(generate_params, struct weft_generate_params),
    .load = load,
    .write = write,
};
