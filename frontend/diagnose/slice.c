/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Slices of long runs: fewer rounds of the same, fewer layers, less time.
 *
 * A slice keeps the fabric, the ranks and their groups. What is cut first changes a run least:
 * rounds, then layers, microbatches, tokens or bytes, each only as far as is still needed.
 */
#include "base/units.h"
#include "diagnose/diagnose.h"
#include "workload/training/plan.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Collectives stay bound by bandwidth, sequences by products. */
#define LEAST_BYTES 65536
#define LEAST_TOKENS 512

struct cutting {
    struct weft_arena *arena;
    const char *prefix; /* of the workload's settings */
    double left;        /* how many times shorter the run is still to become */
    struct weft_slice *out;
};

static void slice_add(struct weft_slice *out, const char *set)
{
    if (set && out->n < sizeof out->set / sizeof out->set[0])
        out->set[out->n++] = set;
}

/* Cuts a number to a multiple of @p step, @p least at least. @p unit: what is written behind it. */
static void cut_number(struct cutting *c, const char *param, uint64_t value, uint64_t step,
                       uint64_t least, const char *unit)
{
    const uint64_t few = (uint64_t)((double)value / c->left) / step * step,
                   to = few > least ? few : least;
    if (c->left <= 1 || to >= value)
        return;
    slice_add(c->out,
              weft_arena_printf(c->arena, "%s.%s=%" PRIu64 "%s", c->prefix, param, to, unit));
    c->left *= (double)to / (double)value;
}

static void cut_count(struct cutting *c, const char *param, uint64_t value, uint64_t step,
                      uint64_t least)
{
    cut_number(c, param, value, step, least, "");
}

static void cut_training(struct cutting *c, const struct weft_training_params *given)
{
    struct weft_training_params p = *given;
    struct weft_training_plan q;
    cut_count(c, "iterations", p.iterations, 1, 1);
    if (!p.ranks)
        p.ranks = p.tp * p.cp * p.pp * (p.dp ? p.dp : 1) + weft_training_servers(&p);
    if (weft_training_plan_make(&p, &q, &(struct weft_err){0}))
        return;
    const uint64_t chunks = q.pp * q.vpp / q.copies,
                   both_sorts = q.model.experts ? q.model.dense_layers + 1 : 1;
    if (!q.layered.n && !q.dlrm.ntables && !q.divided)
        cut_count(c, "layers", q.model.layers, chunks, (both_sorts + chunks - 1) / chunks * chunks);
    cut_count(c, "microbatches", q.microbatches, q.pp, q.pp * q.copies);
    if (q.layered.n || q.dlrm.ntables || (p.sequences && *p.sequences))
        return;
    uint64_t tokens = q.model.sequence;
    while ((double)q.model.sequence / (double)tokens < c->left && tokens / 2 >= LEAST_TOKENS &&
           tokens % (4 * q.cp * q.tp) == 0)
        tokens /= 2;
    cut_count(c, "sequence", q.model.sequence, tokens, tokens);
}

/* A time that is given becomes so many times shorter. */
static void cut_time(struct weft_slice *out, const struct weft_scenario_group *g, const char *param,
                     uint64_t times, struct weft_arena *arena)
{
    const char *value = g ? weft_group_value(g, param, arena) : "";
    char text[WEFT_UNIT_TEXT_MAX];
    int64_t ps;
    if (!*value || weft_parse_time_ps(value, &ps, &(struct weft_err){0}) || ps <= 0)
        return;
    ps /= (int64_t)times;
    slice_add(out, weft_arena_printf(arena, "%s.%s=%s", g->prefix, param,
                                     weft_format_time(ps > 1000 ? ps : 1000, text)));
}

void weft_diagnose_slice(const struct weft_scenario *s, const struct weft_scenario_job *job,
                         uint64_t times, struct weft_arena *arena, struct weft_slice *out)
{
    const struct weft_scenario_group *g = job ? &s->groups[job->group] : NULL;
    struct cutting c = {arena, g ? g->prefix : "", (double)times, out};
    *out = (struct weft_slice){0};
    if (job && strcmp(job->ops->name, "training") == 0)
        cut_training(&c, (const struct weft_training_params *)job->params);
    if (job && strcmp(job->ops->name, "generate") == 0) {
        uint64_t bytes = 0;
        cut_count(&c, "count", strtoull(weft_group_value(g, "count", arena), NULL, 10), 1, 1);
        cut_count(&c, "iterations", strtoull(weft_group_value(g, "iterations", arena), NULL, 10), 1,
                  1);
        weft_parse_size_bytes(weft_group_value(g, "size", arena), &bytes, &(struct weft_err){0});
        if (!*weft_group_value(g, "matrix-file", arena))
            cut_number(&c, "size", bytes, LEAST_BYTES, LEAST_BYTES, "B");
    }
    if (job && (strcmp(job->ops->name, "cdf") == 0 || strcmp(job->ops->name, "incast") == 0))
        cut_time(out, g, "duration", times, arena);
    cut_time(out, weft_scenario_group_of(s, "run"), "measure", times, arena);
}
