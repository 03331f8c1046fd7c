/* SPDX-License-Identifier: GPL-2.0-only */
/* What happens during a run becomes rows and sums. */
#include "report/internal.h"

#include "base/units.h"

#include <stdlib.h>
#include <string.h>

const char *weft_op_kind_word(const struct weft_op *op)
{
    switch (op->kind) {
    case WEFT_OP_META:
        return "meta";
    case WEFT_OP_COMP:
        return op->cpu ? "cpu" : "compute";
    case WEFT_OP_MEM:
        return "memory";
    case WEFT_OP_SEND:
        return "send";
    case WEFT_OP_RECV:
        return "recv";
    case WEFT_OP_COLL:
        return weft_coll_kind_name(op->coll);
    }
    return "meta";
}

/* Writes a record into its file, if there is one. */
static void row(struct weft_report *r, enum weft_csv_file_id id, const void *record)
{
    if (r->csv[id] && !r->err.code)
        weft_columns_row(weft_csv_files[id], r->csv[id], record, &r->err);
}

static void sample(struct weft_report *r, int64_t fct_ps, int64_t ideal_ps)
{
    struct weft_samples *s = &r->samples;
    if (s->n == s->cap) {
        size_t cap = s->cap ? 2 * s->cap : 1024;
        int64_t *fct = (int64_t *)realloc(s->fct_ps, cap * sizeof *fct);
        if (fct)
            s->fct_ps = fct;
        double *slow = (double *)realloc(s->slowdown, cap * sizeof *slow);
        if (slow)
            s->slowdown = slow;
        if (!fct || !slow) {
            if (!r->err.code)
                weft_err_set(&r->err, WEFT_E_LIMIT,
                             "out of memory for the statistics of %zu messages", s->n);
            return;
        }
        s->cap = cap;
    }
    s->fct_ps[s->n++] = fct_ps;
    if (ideal_ps > 0)
        s->slowdown[s->n_slowdown++] = (double)fct_ps / (double)ideal_ps;
}

/* Nothing is faster than alone on the fabric, and what takes longer has causes. */
static void check_flow(struct weft_report *r, const struct weft_net_flow *w, int64_t fct_ps)
{
    char a[WEFT_UNIT_TEXT_MAX], b[WEFT_UNIT_TEXT_MAX];
    int64_t left_ps = fct_ps - w->ideal_ps;
    for (int k = 0; k < WEFT_DELAYS; k++)
        left_ps -= w->delay_ps[k];
    if (fct_ps >= w->ideal_ps && w->acked_ps >= w->received_ps) {
        if (left_ps && !r->err.code)
            weft_err_set(&r->err, WEFT_E_INTERNAL,
                         "message %llu (h%u->h%u): its delays leave %lld ps unexplained",
                         (unsigned long long)w->id, w->msg.src, w->msg.dst, (long long)left_ps);
        return;
    }
    if (!r->err.code)
        weft_err_set(
            &r->err, WEFT_E_INTERNAL,
            "message %llu (h%u->h%u, %llu bytes) took %s ns, less than its ideal %s ns, or was "
            "acknowledged before it arrived",
            (unsigned long long)w->id, w->msg.src, w->msg.dst, (unsigned long long)w->msg.bytes,
            weft_ps_as_ns(fct_ps, a), weft_ps_as_ns(w->ideal_ps, b));
}

static void on_flow(void *ctx, const struct weft_net_flow *w)
{
    struct weft_report *r = (struct weft_report *)ctx;
    int64_t fct_ps = w->received_ps - w->post_ps;
    check_flow(r, w, fct_ps);
    sample(r, fct_ps, w->ideal_ps);
    r->message_bytes += w->msg.bytes;
    if (w->acked_ps > r->last_ps)
        r->last_ps = w->acked_ps;
    row(r, WEFT_CSV_FLOWS, w);
}

static void on_pfc(void *ctx, const struct weft_net_pfc *w)
{
    struct weft_report *r = (struct weft_report *)ctx;
    const struct weft_fabric *f = r->fabric;
    const struct weft_fabric_port *p = &f->ports[w->port];
    struct weft_pfc_row record = {.pfc = *w};
    weft_fabric_node_name(f, p->node, record.node);
    weft_fabric_node_name(f, f->ports[p->peer].node, record.peer);
    row(r, WEFT_CSV_PFC, &record);
}

/* Room for the collective of number @p instance. */
static bool reserve_span(struct weft_report *r, size_t instance)
{
    if (instance < r->nspans)
        return true;
    const size_t n = 2 * instance + 64;
    struct weft_coll_span *spans = (struct weft_coll_span *)realloc(r->spans, n * sizeof *spans);
    if (!spans) {
        if (!r->err.code)
            weft_err_set(&r->err, WEFT_E_LIMIT,
                         "out of memory for the statistics of %zu collectives", instance);
        return false;
    }
    memset(spans + r->nspans, 0, (n - r->nspans) * sizeof *spans);
    r->spans = spans;
    r->nspans = n;
    return true;
}

static void span(struct weft_report *r, const struct weft_op_record *w)
{
    if (!reserve_span(r, w->instance))
        return;
    struct weft_coll_span *s = &r->spans[w->instance];
    s->kind = w->op->coll;
    s->bus_bytes = weft_coll_bus_bytes(w->op->coll, w->op->bytes, w->members);
    if (w->end_ps - w->ready_ps > s->longest_ps)
        s->longest_ps = w->end_ps - w->ready_ps;
}

static void on_op(void *ctx, const struct weft_op_record *w)
{
    struct weft_report *r = (struct weft_report *)ctx;
    const struct weft_op *op = w->op;
    if (w->end_ps > r->last_ps)
        r->last_ps = w->end_ps;
    if (op->kind == WEFT_OP_COLL) {
        r->coll[op->coll].ops++;
        r->coll[op->coll].bytes += op->bytes;
        span(r, w);
    }
    if (!r->csv[WEFT_CSV_OPS])
        return;
    struct weft_op_row record = {.op = *w};
    for (int k = 0; k < WEFT_CAUSE_OPEN; k++) { /* what ended has nothing open */
        record.exposed_ps[k] = w->exposed_ps[k];
        record.exposed_sum_ps += w->exposed_ps[k];
    }
    row(r, WEFT_CSV_OPS, &record);
}

static void on_phase(void *ctx, const struct weft_phase_record *w)
{
    struct weft_report *r = (struct weft_report *)ctx;
    if (w->dim >= 0)
        r->dim_bytes[w->dim] += w->bytes;
    row(r, WEFT_CSV_COLLECTIVES, w);
}

/* Keeps the longest steps in order; of equals the earlier one comes first. */
static void rank_step(struct weft_path_summary *s, const struct weft_path_record *w)
{
    uint32_t at = s->ntop;
    const int64_t ps = w->end_ps - w->begin_ps;
    while (at > 0 && s->top[at - 1].end_ps - s->top[at - 1].begin_ps < ps)
        at--;
    if (at >= WEFT_TOP_STEPS)
        return;
    uint32_t last = s->ntop < WEFT_TOP_STEPS ? s->ntop++ : WEFT_TOP_STEPS - 1;
    memmove(&s->top[at + 1], &s->top[at], (last - at) * sizeof s->top[0]);
    s->top[at] = *w;
}

static void on_path(void *ctx, const struct weft_path_record *w)
{
    struct weft_report *r = (struct weft_report *)ctx;
    const struct weft_path_row record = {r->path.steps, *w};
    r->path.steps += 1 + w->folded;
    for (int k = 0; k < WEFT_CAUSES; k++)
        r->path.spent_ps[k] += w->spent_ps[k];
    r->path.messages += w->messages;
    r->path.crossings += w->rank != w->from_rank;
    rank_step(&r->path, w);
    row(r, WEFT_CSV_PATH, &record);
}

void weft_report_fault(struct weft_report *r, const struct weft_fault_record *w)
{
    const struct weft_fabric_link *l = &r->fabric->links[w->stretch->link];
    struct weft_fault_row record = {.fault = *w, .entry = (uint32_t)w->stretch->item + 1};
    r->faults++;
    r->fault_losses += w->lost_packets;
    weft_fabric_node_name(r->fabric, l->a, record.a);
    weft_fabric_node_name(r->fabric, l->b, record.b);
    row(r, WEFT_CSV_FAULTS, &record);
}

struct weft_net_observer weft_report_net_observer(struct weft_report *r)
{
    return (struct weft_net_observer){.ctx = r, .flow = on_flow, .pfc = on_pfc};
}

struct weft_system_observer weft_report_system_observer(struct weft_report *r)
{
    return (struct weft_system_observer){.ctx = r, .op = on_op, .phase = on_phase, .path = on_path};
}
