/* SPDX-License-Identifier: GPL-2.0-only */
/* Training jobs in memory and in files. */
#include "workload/training/training.h"

#include "workload/chakra_write.h"
#include "workload/trace_write.h"
#include "workload/convert.h"
#include "workload/groups_file.h"
#include "workload/training/alike.h"
#include "workload/training/memory.h"
#include "workload/training/schedule.h"
#include "workload/training/vary.h"

#include <inttypes.h>
#include <stdio.h>

/* Of an iteration of the job. */
static uint64_t tokens_of_one(const struct weft_training_plan *q)
{
    return q->model.sequence * q->p.microbatch * q->microbatches * q->dp;
}

/* Forward and backward, without recomputation. */
static double flops_of_one(const struct weft_training_plan *q)
{
    return (q->p.frozen ? 2 : 3) * (double)tokens_of_one(q) * q->density *
           (q->layered.n ? weft_layered_flops(&q->layered)
                         : weft_model_forward_flops(&q->model, q->model.sequence, q->p.causal));
}

/* The peak that utilisation is a share of: that of the products' precision. */
static double peak_flops(const struct weft_training_plan *q)
{
    return q->p.precision == WEFT_PRECISION_FP8 ? q->gpu.fp8_flops : q->gpu.peak_flops;
}

/* The mean of an iteration. */
static void means_of(const struct weft_training_plan *q, uint64_t *tokens, double *flops)
{
    const uint64_t n = weft_training_varies(q) ? q->p.iterations : 1;
    uint64_t all = 0;
    *flops = 0;
    for (uint64_t k = 0; k < n; k++) {
        struct weft_training_plan at;
        weft_training_plan_at(q, k, &at);
        all += tokens_of_one(&at);
        *flops += flops_of_one(&at) / (double)n;
    }
    *tokens = all / n;
}

static struct weft_steps training_steps_of(const struct weft_training_plan *q)
{
    struct weft_steps s = {q->p.iterations, 0, peak_flops(q), 0, "tokens"};
    means_of(q, &s.samples, &s.flops);
    if (q->layered.n) {
        s.samples = q->p.microbatch * q->microbatches * q->dp;
        s.unit = q->layered.samples;
    }
    return s;
}

int weft_training_workload(const struct weft_training_plan *q, struct weft_workload **out,
                           struct weft_err *err)
{
    struct weft_err why = {0};
    struct weft_convert *c = weft_convert_new((uint32_t)weft_training_ranks(q), NULL, &why);
    struct weft_training_alike *alike = c ? weft_training_alike_new(q) : NULL;
    int rc = !c      ? weft_err_set(err, why.code, "%s", why.msg)
             : alike ? 0
                     : weft_err_no_memory(err, "a training job");
    for (uint32_t r = 0; !rc && r < weft_training_ranks(q); r++) {
        struct weft_et *et = NULL;
        if (!weft_training_alike_first(alike, r)) {
            rc = weft_training_alike_share(alike, c, r, err);
            continue;
        }
        struct weft_arena *arena = weft_arena_new();
        rc = arena ? weft_training_et(q, r, true, arena, &et, err)
                   : weft_err_no_memory(err, "a training job");
        if (!rc)
            rc = weft_convert_rank(c, r, et, err);
        if (!rc)
            rc = weft_training_alike_keep(alike, c, r, err);
        weft_arena_free(arena);
    }
    weft_training_alike_free(alike);
    if (!rc) {
        rc = weft_convert_finish(c, out, err);
        c = NULL;
        if (!rc)
            (*out)->steps = training_steps_of(q);
    }
    weft_convert_free(c);
    return rc;
}

/* The communicators of a kind behind @p n others in @p out; their number in *n. */
static int add_groups(const struct weft_training_plan *q, enum weft_comm comm,
                      struct weft_arena *arena, struct weft_group *out, size_t *n)
{
    const uint64_t size = weft_comm_size(q, comm), all = size > 1 ? weft_comm_count(q, comm) : 0;
    for (uint64_t i = 0; i < all; i++) {
        uint32_t *ranks = weft_arena_calloc(arena, size, sizeof *ranks);
        const char *name = weft_arena_printf(arena, "%" PRIu64, weft_comm_number(q, comm, i));
        if (!ranks || !name)
            return WEFT_E_LIMIT;
        for (uint64_t m = 0; m < size; m++)
            ranks[m] = (uint32_t)weft_comm_member(q, comm, i, m);
        out[(*n)++] = (struct weft_group){name, ranks, (uint32_t)size,
                                          weft_parallelism_of(weft_comm_name(comm))};
    }
    return 0;
}

static int write_groups(const struct weft_training_plan *q, const char *path, struct weft_err *err)
{
    uint64_t most = 0;
    size_t n = 0;
    for (int k = 0; k < WEFT_COMM_WORLD; k++)
        most += weft_comm_count(q, (enum weft_comm)k);
    struct weft_arena *arena = weft_arena_new();
    struct weft_group *groups = arena ? weft_arena_calloc(arena, most + 1, sizeof *groups) : NULL;
    int rc = groups ? 0 : WEFT_E_LIMIT;
    for (int k = 0; !rc && k < WEFT_COMM_WORLD; k++)
        rc = add_groups(q, (enum weft_comm)k, arena, groups, &n);
    rc = rc ? weft_err_no_memory(err, "a training job") : weft_groups_write(path, groups, n, err);
    weft_arena_free(arena);
    return rc;
}

/* A job on its way to files. */
struct writing {
    const struct weft_training_plan *q;
    const char *groups;       /* the file of groups */
    struct weft_arena *arena; /* of the trace written last; NULL: none yet */
    struct weft_et *et;
    uint64_t rank; /* whose it is */
};

/* The trace of @p rank, out of the one before where they are alike. */
static int next_trace(struct writing *w, uint64_t rank, struct weft_err *err)
{
    const struct weft_training_plan *q = w->q;
    int rc;
    if (w->et && weft_training_sort(q, rank) == weft_training_sort(q, w->rank)) {
        rc = weft_training_et_as(q, w->et, w->rank, rank, w->arena, err);
    } else {
        weft_arena_free(w->arena);
        w->et = NULL;
        w->arena = weft_arena_new();
        rc = w->arena ? weft_training_et(q, rank, false, w->arena, &w->et, err)
                      : weft_err_no_memory(err, "a training job");
    }
    w->rank = rank;
    return rc;
}

static int training_write_rank(void *ctx, uint64_t rank, const char *path, struct weft_err *err)
{
    struct writing *w = ctx;
    int rc = next_trace(w, rank, err);
    if (!rc && rank == 0) /* the last */
        rc = write_groups(w->q, w->groups, err);
    return rc ? rc : weft_chakra_write_et(w->et, path, err);
}

int weft_training_write(const struct weft_training_plan *q, const char *prefix,
                        struct weft_err *err)
{
    struct weft_arena *arena = weft_arena_new();
    struct writing w = {.q = q};
    if (arena)
        w.groups = weft_arena_printf(arena, "%.*s.json", (int)weft_trace_stem(prefix), prefix);
    const int rc =
        w.groups ? weft_trace_write(prefix, weft_training_ranks(q), training_write_rank, &w, err)
                 : weft_err_no_memory(err, "a training job");
    weft_arena_free(w.arena);
    weft_arena_free(arena);
    return rc;
}

/* Compute time of one iteration of a rank: the sum of its computations. */
static int rank_seconds(const struct weft_training_plan *q, uint64_t rank, double *out,
                        struct weft_err *err)
{
    struct weft_et *et = NULL;
    struct weft_arena *arena = weft_arena_new();
    uint64_t us = 0;
    int rc = arena ? weft_training_et(q, rank, false, arena, &et, err)
                   : weft_err_no_memory(err, "a training job");
    for (size_t i = 0; !rc && i < et->nnodes; i++)
        us += et->nodes[i].duration_us;
    *out = (double)us * 1e-6 / (double)q->p.iterations;
    weft_arena_free(arena);
    return rc;
}

int weft_training_summarize(const struct weft_training_plan *q, struct weft_training_summary *out,
                            struct weft_err *err)
{
    *out = (struct weft_training_summary){.params = q->layered.n ? weft_layered_params(&q->layered)
                                                                 : weft_model_params(&q->model),
                                          .bubble = weft_schedule_bubble(q)};
    means_of(q, &out->tokens, &out->flops);
    for (uint64_t stage = 0; stage < q->pp; stage++) {
        const uint64_t bytes = weft_training_memory_of(q, stage).total_bytes;
        /* Ranks of a stage differ in compute by the popularity of their experts or by their tables
         * alone. */
        const uint64_t differ = (weft_training_sorts(q) - q->servers) / q->pp,
                       first = stage * (q->world / q->pp);
        for (uint64_t i = 0; i < differ; i++) {
            double s;
            if (rank_seconds(q, first + i * q->etp, &s, err))
                return err->code;
            out->compute_s = s > out->compute_s ? s : out->compute_s;
        }
        if (bytes > out->memory_bytes) {
            out->memory_bytes = bytes;
            out->worst_stage = stage;
        }
    }
    out->mfu = out->flops / ((double)q->world * peak_flops(q) * out->compute_s * (1 + out->bubble));
    return 0;
}
