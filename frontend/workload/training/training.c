/* SPDX-License-Identifier: GPL-2.0-only */
/* Training jobs in memory and in files. */
#include "workload/training/training.h"

#include "base/file.h"
#include "base/json.h"
#include "workload/chakra_write.h"
#include "workload/trace_write.h"
#include "workload/convert.h"
#include "workload/training/alike.h"
#include "workload/training/memory.h"
#include "workload/training/schedule.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int no_memory(struct weft_err *err)
{
    return weft_err_set(err, WEFT_E_LIMIT, "out of memory for a training job");
}

/* Of an iteration of the job. */
static uint64_t tokens_of(const struct weft_training_plan *q)
{
    return q->model.sequence * q->p.microbatch * q->m * q->d;
}

/* Forward and backward, without recomputation. */
static double flops_of(const struct weft_training_plan *q)
{
    return 3 * (double)tokens_of(q) *
           (q->layered.n ? weft_layered_flops(&q->layered)
                         : weft_model_forward_flops(&q->model, q->model.sequence, q->p.causal));
}

static struct weft_steps steps_of(const struct weft_training_plan *q)
{
    struct weft_steps s = {q->p.iterations, flops_of(q), q->gpu.peak_flops, tokens_of(q), "tokens"};
    if (q->layered.n) {
        s.samples = q->p.microbatch * q->m * q->d;
        s.unit = q->layered.samples;
    }
    return s;
}

int weft_training_workload(const struct weft_training_plan *q, struct weft_workload **out,
                           struct weft_err *err)
{
    struct weft_err why = {0};
    struct weft_convert *c = weft_convert_new((uint32_t)q->world, NULL, &why);
    struct weft_training_alike *alike = c ? weft_training_alike_new(q) : NULL;
    int rc = !c ? weft_err_set(err, why.code, "%s", why.msg) : alike ? 0 : no_memory(err);
    for (uint32_t r = 0; !rc && r < q->world; r++) {
        struct weft_et *et = NULL;
        if (!weft_training_alike_first(alike, r)) {
            rc = weft_training_alike_share(alike, c, r, err);
            continue;
        }
        struct weft_arena *arena = weft_arena_new();
        rc = arena ? weft_training_et(q, r, true, arena, &et, err) : no_memory(err);
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
            (*out)->steps = steps_of(q);
    }
    weft_convert_free(c);
    return rc;
}

/* {"1": [0, 1], ...} */
static void groups_json(const struct weft_training_plan *q, struct weft_json *j)
{
    weft_json_object(j);
    for (int k = 0; k < WEFT_COMM_WORLD; k++) {
        const enum weft_comm comm = (enum weft_comm)k;
        const uint64_t n = weft_comm_size(q, comm), all = n > 1 ? weft_comm_count(q, comm) : 0;
        for (uint64_t i = 0; i < all; i++) {
            char number[24];
            snprintf(number, sizeof number, "%" PRIu64, weft_comm_number(q, comm, i));
            weft_json_key(j, number);
            weft_json_array(j);
            for (uint64_t m = 0; m < n; m++)
                weft_json_u64(j, weft_comm_member(q, comm, i, m));
            weft_json_end_array(j);
        }
    }
    weft_json_end_object(j);
}

static int write_groups(const struct weft_training_plan *q, const char *path, struct weft_err *err)
{
    struct weft_json j;
    struct weft_memfile text;
    if (weft_memfile_open(&text, path, err))
        return err->code;
    weft_json_init(&j, text.f, path, 0);
    groups_json(q, &j);
    int rc = weft_json_finish(&j, err);
    if (weft_memfile_close(&text, path, err))
        return WEFT_E_LIMIT;
    if (!rc)
        rc = weft_file_write(path, text.data, text.size, err);
    free(text.data);
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
        rc = w->arena ? weft_training_et(q, rank, false, w->arena, &w->et, err) : no_memory(err);
    }
    w->rank = rank;
    return rc;
}

static int write_rank(void *ctx, uint64_t rank, const char *path, struct weft_err *err)
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
        w.groups ? weft_trace_write(prefix, q->world, write_rank, &w, err) : no_memory(err);
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
    int rc = arena ? weft_training_et(q, rank, false, arena, &et, err) : no_memory(err);
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
    out->tokens = tokens_of(q);
    out->flops = flops_of(q);
    for (uint64_t stage = 0; stage < q->pp; stage++) {
        const uint64_t bytes = weft_training_memory_of(q, stage).total_bytes;
        /* Ranks of a stage differ in compute by the popularity of their experts alone. */
        const uint64_t differ = q->p.expert_skew > 0 ? q->e : 1, first = stage * (q->world / q->pp);
        for (uint64_t i = 0; i < differ; i++) {
            double s;
            if (rank_seconds(q, first + i * q->te, &s, err))
                return err->code;
            out->compute_s = s > out->compute_s ? s : out->compute_s;
        }
        if (bytes > out->memory_bytes) {
            out->memory_bytes = bytes;
            out->worst_stage = stage;
        }
    }
    out->mfu =
        out->flops / ((double)q->world * q->gpu.peak_flops * out->compute_s * (1 + out->bubble));
    return 0;
}
