/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads the messages of runs (flows.csv) for figures of completion times. */
#include "plot/flows.h"

#include "base/grow.h"
#include "base/rng.h"

#include <stdlib.h>
#include <string.h>

struct reading {
    const struct weft_runs *runs;
    struct weft_flow_points *p;
};

static int job_of(struct weft_flow_points *p, const char *name, uint32_t *out, struct weft_err *err)
{
    for (*out = 0; *out < p->njobs; ++*out)
        if (strcmp(p->job[*out], name) == 0)
            return 0;
    if (!WEFT_ARENA_GROW(p->arena, p->job, p->njobs, &p->jobs_cap))
        return weft_err_no_memory(err, "the messages of a run");
    p->job[p->njobs] = weft_arena_strdup(p->arena, name);
    return p->job[p->njobs++] ? 0 : weft_err_no_memory(err, "the messages of a run");
}

static int flow_row(void *ctx, const struct weft_row *row, struct weft_err *err)
{
    const struct reading *r = (const struct reading *)ctx;
    struct weft_flow_points *p = r->p;
    struct weft_flow_point x;
    if (r->runs->job && strcmp(weft_row_text(row, 4), r->runs->job) != 0)
        return 0;
    if (weft_row_number(row, 0, &x.bytes, err) || weft_row_number(row, 1, &x.start_ns, err) ||
        weft_row_number(row, 2, &x.fct_ns, err) || weft_row_number(row, 3, &x.slowdown, err) ||
        job_of(p, weft_row_text(row, 4), &x.job, err) || weft_row_number(row, 5, &x.ideal_ns, err))
        return err->code;
    x.src = (uint32_t)strtoul(weft_row_text(row, 6), NULL, 10);
    x.dst = (uint32_t)strtoul(weft_row_text(row, 7), NULL, 10);
    if (x.start_ns < r->runs->from_ns || x.start_ns > r->runs->to_ns)
        return 0;
    if (!WEFT_GROW(p->list, p->n, &p->cap))
        return weft_err_no_memory(err, "the messages of a run");
    p->list[p->n++] = x;
    return 0;
}

int weft_flow_points_read(const struct weft_runs *runs, const struct weft_run *run,
                          struct weft_flow_points *out, struct weft_err *err)
{
    static const char *const columns[] = {"size_bytes", "start_ns", "fct_ns",
                                          "slowdown",   "?job",     "?ideal_fct_ns",
                                          "?from|src",  "?to|dst",  NULL};
    struct reading r = {runs, out};
    *out = (struct weft_flow_points){.arena = weft_arena_new()};
    if (!out->arena)
        return weft_err_no_memory(err, "the messages of a run");
    const int rc = weft_run_rows(run, "flows.csv", columns, flow_row, &r, err);
    return rc ? rc : out->n == 0;
}

void weft_flow_points_free(struct weft_flow_points *p)
{
    free(p->list);
    weft_arena_free(p->arena);
    *p = (struct weft_flow_points){0};
}

/* ---- one baseline for several runs ---- */

static struct weft_flow_alone *baseline_slot(const struct weft_flow_baseline *b,
                                             const struct weft_flow_point *x)
{
    const uint64_t bytes = (uint64_t)x->bytes;
    size_t i =
        (size_t)weft_mix64(bytes + weft_mix64((uint64_t)x->src << 32 | x->dst)) & (b->cap - 1);
    while (b->list[i].ns > 0 &&
           (b->list[i].bytes != bytes || b->list[i].src != x->src || b->list[i].dst != x->dst))
        i = (i + 1) & (b->cap - 1);
    return &b->list[i];
}

static int baseline_grow(struct weft_flow_baseline *b, struct weft_err *err)
{
    struct weft_flow_baseline more = {.cap = b->cap ? 2 * b->cap : 4096, .n = b->n};
    more.list = calloc(more.cap, sizeof *more.list);
    if (!more.list)
        return weft_err_no_memory(err, "the messages of runs");
    for (size_t i = 0; i < b->cap; i++) {
        const struct weft_flow_alone *a = &b->list[i];
        const struct weft_flow_point x = {.bytes = (double)a->bytes, .src = a->src, .dst = a->dst};
        if (a->ns > 0)
            *baseline_slot(&more, &x) = *a;
    }
    free(b->list);
    *b = more;
    return 0;
}

int weft_flow_baseline_add(struct weft_flow_baseline *b, const struct weft_flow_points *p,
                           struct weft_err *err)
{
    for (size_t i = 0; i < p->n; i++) {
        const struct weft_flow_point *x = &p->list[i];
        if (!(x->ideal_ns > 0))
            continue;
        if (2 * (b->n + 1) > b->cap && baseline_grow(b, err))
            return err->code;
        struct weft_flow_alone *a = baseline_slot(b, x);
        b->n += !(a->ns > 0);
        if (!(a->ns > 0) || x->ideal_ns < a->ns)
            *a = (struct weft_flow_alone){(uint64_t)x->bytes, x->src, x->dst, x->ideal_ns};
    }
    return 0;
}

void weft_flow_baseline_apply(const struct weft_flow_baseline *b, struct weft_flow_points *p)
{
    for (size_t i = 0; i < p->n && b->cap; i++) {
        const struct weft_flow_alone *a = baseline_slot(b, &p->list[i]);
        if (a->ns > 0)
            p->list[i].slowdown = p->list[i].fct_ns / a->ns;
    }
}

void weft_flow_baseline_free(struct weft_flow_baseline *b)
{
    free(b->list);
    *b = (struct weft_flow_baseline){0};
}
