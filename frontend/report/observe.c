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

static void row(struct weft_report *r, struct weft_csv *csv)
{
    if (!r->err.code)
        weft_csv_row(csv, &r->err);
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
    struct weft_csv *csv = r->csv[WEFT_CSV_FLOWS];
    if (!csv)
        return;
    weft_csv_u64(csv, w->id);
    weft_csv_u64(csv, w->msg.src);
    weft_csv_u64(csv, w->msg.dst);
    weft_csv_u64(csv, w->msg.tag);
    if (w->msg.prio == WEFT_NET_PRIO_DEFAULT)
        weft_csv_empty(csv);
    else
        weft_csv_u64(csv, w->msg.prio);
    weft_csv_u64(csv, w->msg.bytes);
    weft_csv_ps_as_ns(csv, w->post_ps);
    weft_csv_ps_as_ns(csv, fct_ps);
    weft_csv_ps_as_ns(csv, w->acked_ps - w->post_ps);
    weft_csv_ps_as_ns(csv, w->ideal_ps);
    if (w->ideal_ps > 0)
        weft_csv_f64(csv, (double)fct_ps / (double)w->ideal_ps, 6);
    else
        weft_csv_empty(csv);
    weft_csv_u64(csv, w->retx_bytes);
    weft_csv_u64(csv, w->cnps);
    if (w->qpn)
        weft_csv_u64(csv, w->qpn);
    else
        weft_csv_empty(csv);
    for (int k = 0; k < WEFT_DELAYS; k++)
        weft_csv_ps_as_ns(csv, w->delay_ps[k]);
    row(r, csv);
}

static void on_pfc(void *ctx, const struct weft_net_pfc *w)
{
    struct weft_report *r = (struct weft_report *)ctx;
    struct weft_csv *csv = r->csv[WEFT_CSV_PFC];
    if (!csv)
        return;
    const struct weft_fabric *f = r->fabric;
    const struct weft_fabric_port *p = &f->ports[w->port];
    char name[WEFT_NODE_NAME_MAX];
    weft_csv_ps_as_ns(csv, w->t_ps);
    weft_csv_u64(csv, w->port);
    weft_csv_str(csv, weft_fabric_node_name(f, p->node, name));
    weft_csv_str(csv, weft_fabric_node_name(f, f->ports[p->peer].node, name));
    weft_csv_u64(csv, w->prio);
    weft_csv_str(csv, w->pause ? "pause" : "resume");
    row(r, csv);
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

/* The sum and its parts, but what is open, which no operation that ended can have. */
static void exposed(struct weft_csv *csv, const int64_t *ps)
{
    static const enum weft_spent kinds[] = WEFT_EXPOSED_COLUMNS;
    const size_t n = sizeof kinds / sizeof kinds[0] - 1;
    int64_t sum_ps = 0;
    for (size_t k = 0; k < n; k++)
        sum_ps += ps[kinds[k]];
    weft_csv_ps_as_ns(csv, sum_ps);
    for (size_t k = 0; k < n; k++)
        weft_csv_ps_as_ns(csv, ps[kinds[k]]);
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
    struct weft_csv *csv = r->csv[WEFT_CSV_OPS];
    if (!csv)
        return;
    weft_csv_u64(csv, w->rank);
    weft_csv_u64(csv, op->id);
    weft_csv_str(csv, op->name);
    weft_csv_str(csv, weft_op_kind_word(op));
    weft_csv_u64(csv, op->kind == WEFT_OP_MEM ? op->tensor_bytes : op->bytes);
    weft_csv_ps_as_ns(csv, w->ready_ps);
    weft_csv_ps_as_ns(csv, w->start_ps);
    weft_csv_ps_as_ns(csv, w->end_ps);
    weft_csv_ps_as_ns(csv, w->end_ps - w->ready_ps);
    exposed(csv, w->exposed_ps);
    row(r, csv);
}

static void bandwidth(struct weft_csv *csv, double bytes, int64_t ps)
{
    if (ps > 0)
        weft_csv_f64(csv, bytes * 8 * (double)WEFT_PS_PER_S / (double)ps, 0);
    else
        weft_csv_empty(csv);
}

static void on_phase(void *ctx, const struct weft_phase_record *w)
{
    struct weft_report *r = (struct weft_report *)ctx;
    struct weft_csv *csv = r->csv[WEFT_CSV_COLLECTIVES];
    if (w->dim >= 0)
        r->dim_bytes[w->dim] += w->bytes;
    if (!csv)
        return;
    weft_csv_u64(csv, w->rank);
    weft_csv_u64(csv, w->op->id);
    weft_csv_str(csv, w->op->name);
    weft_csv_str(csv, weft_coll_kind_name(w->op->coll));
    weft_csv_str(csv, w->algorithm);
    if (w->dim < 0)
        weft_csv_empty(csv);
    else
        weft_csv_u64(csv, (uint64_t)w->dim);
    weft_csv_str(csv, weft_coll_kind_name(w->kind));
    weft_csv_u64(csv, w->chunks);
    weft_csv_u64(csv, w->messages);
    weft_csv_u64(csv, w->bytes);
    weft_csv_ps_as_ns(csv, w->begin_ps);
    weft_csv_ps_as_ns(csv, w->end_ps);
    weft_csv_ps_as_ns(csv, w->queue_ps);
    weft_csv_ps_as_ns(csv, w->busy_ps);
    weft_csv_ps_as_ns(csv, w->reduce_ps);
    const int64_t op_ps = w->op_end_ps - w->op_ready_ps;
    bandwidth(csv, weft_coll_alg_bytes(w->op->coll, w->op->bytes, w->members), op_ps);
    bandwidth(csv, weft_coll_bus_bytes(w->op->coll, w->op->bytes, w->members), op_ps);
    row(r, csv);
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
    static const enum weft_spent kinds[] = WEFT_PATH_COLUMNS;
    struct weft_report *r = (struct weft_report *)ctx;
    const uint64_t step = r->path.steps;
    r->path.steps += 1 + w->folded;
    for (int k = 0; k < WEFT_SPENT_KINDS; k++)
        r->path.spent_ps[k] += w->spent_ps[k];
    r->path.messages += w->messages;
    r->path.crossings += w->rank != w->from_rank;
    rank_step(&r->path, w);
    struct weft_csv *csv = r->csv[WEFT_CSV_PATH];
    if (!csv)
        return;
    weft_csv_u64(csv, step);
    weft_csv_u64(csv, w->rank);
    weft_csv_u64(csv, w->from_rank);
    weft_csv_u64(csv, w->op->id);
    weft_csv_str(csv, w->op->name);
    weft_csv_str(csv, weft_op_kind_word(w->op));
    weft_csv_ps_as_ns(csv, w->begin_ps);
    weft_csv_ps_as_ns(csv, w->end_ps);
    weft_csv_ps_as_ns(csv, w->end_ps - w->begin_ps);
    weft_csv_u64(csv, w->messages);
    weft_csv_u64(csv, w->folded);
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++)
        weft_csv_ps_as_ns(csv, w->spent_ps[kinds[k]]);
    row(r, csv);
}

void weft_report_trouble(struct weft_report *r, const struct weft_trouble_record *w)
{
    static const char *const events[] = {[WEFT_LINK_DOWN] = "down",
                                         [WEFT_LINK_RATE] = "rate",
                                         [WEFT_LINK_BIT_ERRORS] = "bit-errors"};
    const struct weft_trouble_stretch *s = w->stretch;
    struct weft_csv *csv = r->csv[WEFT_CSV_TROUBLE];
    char name[WEFT_NODE_NAME_MAX];
    r->troubles++;
    r->trouble_losses += w->lost_packets;
    if (!csv)
        return;
    weft_csv_u64(csv, s->item + 1);
    weft_csv_str(csv, w->kind);
    weft_csv_str(csv, events[s->what]);
    weft_csv_u64(csv, s->link);
    weft_csv_str(csv, weft_fabric_node_name(r->fabric, r->fabric->links[s->link].a, name));
    weft_csv_str(csv, weft_fabric_node_name(r->fabric, r->fabric->links[s->link].b, name));
    weft_csv_ps_as_ns(csv, s->begin_ps);
    if (w->end_ps == WEFT_NEVER)
        weft_csv_empty(csv);
    else
        weft_csv_ps_as_ns(csv, w->end_ps);
    if (s->what == WEFT_LINK_RATE)
        weft_csv_u64(csv, s->rate_bps);
    else
        weft_csv_empty(csv);
    if (s->what == WEFT_LINK_BIT_ERRORS)
        weft_csv_f64(csv, s->bit_error_rate, 15);
    else
        weft_csv_empty(csv);
    weft_csv_u64(csv, w->tx_packets);
    weft_csv_u64(csv, w->lost_packets);
    row(r, csv);
}

struct weft_net_observer weft_report_net_observer(struct weft_report *r)
{
    return (struct weft_net_observer){.ctx = r, .flow = on_flow, .pfc = on_pfc};
}

struct weft_system_observer weft_report_system_observer(struct weft_report *r)
{
    return (struct weft_system_observer){.ctx = r, .op = on_op, .phase = on_phase, .path = on_path};
}
