/* SPDX-License-Identifier: GPL-2.0-only */
/* Rows by group are found by place: there is one per (group, kind); the others are sums of those.
 */
#include "workload/survey.h"
#include "base/units.h"

#include <stdlib.h>

#define KINDS ((size_t)WEFT_COLL_KINDS + 1) /* the last: messages */

static void survey_count(struct weft_survey_row *r, uint64_t bytes)
{
    if (r->ops++ == 0 || bytes < r->least_bytes)
        r->least_bytes = bytes;
    if (bytes > r->most_bytes)
        r->most_bytes = bytes;
    r->bytes += (double)bytes;
}

static void survey_add(struct weft_survey_row *to, const struct weft_survey_row *r)
{
    if (to->ops == 0 || r->least_bytes < to->least_bytes)
        to->least_bytes = r->least_bytes;
    if (r->most_bytes > to->most_bytes)
        to->most_bytes = r->most_bytes;
    to->ops += r->ops;
    to->groups += r->groups;
    to->bytes += r->bytes;
}

static int by_kind(const void *x, const void *y)
{
    const struct weft_survey_row *a = x, *b = y;
    if (a->op != b->op)
        return a->op == WEFT_OP_COLL ? -1 : 1;
    if (a->coll != b->coll)
        return a->coll < b->coll ? -1 : 1;
    return a->size < b->size ? -1 : a->size > b->size;
}

/* Leaves out what there is none of. */
static size_t drop_empty(struct weft_survey_row *rows, size_t n)
{
    size_t kept = 0;
    for (size_t i = 0; i < n; i++)
        if (rows[i].ops)
            rows[kept++] = rows[i];
    return kept;
}

/* Sums of sorted rows of one kind and size. */
static size_t survey_sum_up(struct weft_survey_row *rows, size_t n)
{
    size_t kept = 0;
    for (size_t i = 0; i < n; i++)
        if (kept && by_kind(&rows[kept - 1], &rows[i]) == 0) {
            survey_add(&rows[kept - 1], &rows[i]);
        } else {
            rows[kept] = rows[i];
            rows[kept++].group = UINT32_MAX;
        }
    return kept;
}

static void count_op(struct weft_survey *s, const struct weft_op *op)
{
    int64_t *sum = &s->duration_ps[op->kind];
    s->ops[op->kind]++;
    if (op->kind == WEFT_OP_COMP || op->kind == WEFT_OP_MEM)
        *sum = weft_ps_add(*sum, op->duration_ps);
    s->undated += op->kind == WEFT_OP_COMP && op->has_flops && op->duration_ps == 0;
    s->flops += op->kind == WEFT_OP_COMP ? op->flops : 0;
    if (op->kind == WEFT_OP_COLL)
        survey_count(&s->by_group[op->group * KINDS + op->coll], op->bytes);
    else if (op->kind == WEFT_OP_SEND)
        survey_count(&s->by_group[KINDS - 1], op->bytes);
}

static void count_rank(struct weft_survey *s, const struct weft_workload *w, uint32_t rank)
{
    int64_t busy_ps = 0;
    for (uint32_t i = 0; i < w->dags[rank].nops; i++) {
        const struct weft_op *op = weft_workload_visit(w, rank, i);
        count_op(s, op);
        if (op->kind == WEFT_OP_COMP && !op->cpu)
            busy_ps = weft_ps_add(busy_ps, op->duration_ps);
    }
    if (busy_ps > s->busiest_ps) {
        s->busiest_ps = busy_ps;
        s->busiest = rank;
    }
}

int weft_survey_make(const struct weft_workload *w, struct weft_survey *out, struct weft_err *err)
{
    const size_t n = (w->ngroups ? w->ngroups : 1) * KINDS;
    *out = (struct weft_survey){0};
    out->by_group = calloc(n, sizeof *out->by_group);
    out->rows = calloc(n, sizeof *out->rows);
    if (!out->by_group || !out->rows)
        return weft_err_set(err, WEFT_E_LIMIT, "out of memory for %u groups", w->ngroups);
    for (size_t i = 0; i < n; i++) {
        const bool messages = i % KINDS == KINDS - 1;
        out->by_group[i] = (struct weft_survey_row){
            .op = messages ? WEFT_OP_SEND : WEFT_OP_COLL,
            .coll = messages ? 0 : (enum weft_coll_kind)(i % KINDS),
            .size = messages ? 2 : w->groups[i / KINDS].n,
            .group = (uint32_t)(i / KINDS),
            .groups = !messages,
        };
    }
    for (uint32_t r = 0; r < w->nranks; r++)
        count_rank(out, w, r);
    out->nby_group = drop_empty(out->by_group, n);
    for (size_t i = 0; i < out->nby_group; i++)
        out->rows[i] = out->by_group[i];
    qsort(out->rows, out->nby_group, sizeof *out->rows, by_kind);
    out->nrows = survey_sum_up(out->rows, out->nby_group);
    return 0;
}

void weft_survey_free(struct weft_survey *s)
{
    free(s->by_group);
    free(s->rows);
}
