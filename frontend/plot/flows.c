/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads the messages of runs (flows.csv) for figures of completion times. */
#include "plot/flows.h"

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
    const char **more = weft_arena_calloc(p->arena, p->njobs + 1, sizeof *more);
    if (!more)
        return weft_err_no_memory(err, "the messages of a run");
    if (p->njobs)
        memcpy(more, p->job, p->njobs * sizeof *more);
    p->job = more;
    p->job[p->njobs] = weft_arena_strdup(p->arena, name);
    return p->job[p->njobs++] ? 0 : weft_err_no_memory(err, "the messages of a run");
}

static int flow_row(void *ctx, const struct weft_row *row, struct weft_err *err)
{
    const struct reading *r = (const struct reading *)ctx;
    struct weft_flow_points *p = r->p;
    struct weft_flow_point x;
    if (weft_row_number(row, 0, &x.bytes, err) || weft_row_number(row, 1, &x.start_ns, err) ||
        weft_row_number(row, 2, &x.fct_ns, err) || weft_row_number(row, 3, &x.slowdown, err) ||
        job_of(p, weft_row_text(row, 4), &x.job, err))
        return err->code;
    if (x.start_ns < r->runs->from_ns || x.start_ns > r->runs->to_ns)
        return 0;
    if (p->n == p->cap) {
        const size_t cap = p->cap ? 2 * p->cap : 1024;
        struct weft_flow_point *more = realloc(p->list, cap * sizeof *more);
        if (!more)
            return weft_err_no_memory(err, "the messages of a run");
        p->list = more;
        p->cap = cap;
    }
    p->list[p->n++] = x;
    return 0;
}

int weft_flow_points_read(const struct weft_runs *runs, const struct weft_run *run,
                          struct weft_flow_points *out, struct weft_err *err)
{
    static const char *const columns[] = {"size_bytes", "start_ns", "fct_ns",
                                          "slowdown",   "?job",     NULL};
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
