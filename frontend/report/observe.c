/* SPDX-License-Identifier: GPL-2.0-only */
/* What happens during a run becomes rows and sums. */
#include "report/report_internal.h"

#include "base/grow.h"
#include "base/units.h"

#include <inttypes.h>
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
    case WEFT_OP_RECORDED:
    case WEFT_OP_RECORDED_RECV:
        return "recorded";
    case WEFT_OP_KINDS:
        break;
    }
    return "meta";
}

/* Writes a record into its file, if there is one. */
static void row(struct weft_report *r, enum weft_csv_file_id id, uint32_t job, const void *record)
{
    if (r->csv[id] && !r->err.code)
        weft_report_row(r, id, job, record, &r->err);
}

/* The number of the job whose message it is. */
static uint32_t job_of(const struct weft_report *r, const struct weft_msg *msg)
{
    return r->njobs > 1 ? weft_share_job_of(msg) : 0;
}

/* Nothing is faster than alone on the fabric, and what takes longer has causes. */
static void check_flow(struct weft_report *r, const struct weft_completion *w, int64_t fct_ps)
{
    char a[WEFT_UNIT_TEXT_MAX], b[WEFT_UNIT_TEXT_MAX];
    int64_t left_ps = fct_ps - w->ideal_ps;
    for (int k = 0; k < WEFT_DELAYS; k++)
        left_ps -= w->delay_ps[k];
    if (fct_ps >= w->ideal_ps && w->acked_ps >= w->received_ps) {
        if (left_ps && !r->err.code)
            weft_err_set(&r->err, WEFT_E_INTERNAL,
                         "message %" PRIu64 " (h%u->h%u): its delays leave %" PRId64
                         " ps unexplained",
                         w->id, w->msg.src, w->msg.dst, left_ps);
        return;
    }
    if (!r->err.code)
        weft_err_set(&r->err, WEFT_E_INTERNAL,
                     "message %" PRIu64 " (h%u->h%u, %" PRIu64
                     " bytes) took %s ns, less than its ideal %s ns, or was "
                     "acknowledged before it arrived",
                     w->id, w->msg.src, w->msg.dst, w->msg.bytes, weft_ps_as_ns(fct_ps, a),
                     weft_ps_as_ns(w->ideal_ps, b));
}

/* Counts what has ended. */
static void note_end(struct weft_report *r, const struct weft_completion *w)
{
    const uint32_t job = job_of(r, &w->msg);
    if (job >= r->njobs)
        return;
    r->jobs[job].ended++;
    r->jobs[job].ended_bytes += w->msg.gives_nothing ? 0 : w->msg.bytes;
}

static void observe_on_flow(void *ctx, const struct weft_completion *w)
{
    struct weft_report *r = (struct weft_report *)ctx;
    int64_t fct_ps = w->received_ps - w->post_ps;
    check_flow(r, w, fct_ps);
    const bool counts = w->post_ps >= r->from_ps && w->post_ps < r->to_ps;
    note_end(r, w);
    if (counts && r->njobs)
        weft_report_sample_job(r, w);
    if (counts && !r->err.code)
        weft_samples_add(&r->samples, w, &r->err);
    if (w->acked_ps > r->last_ps)
        r->last_ps = w->acked_ps;
    row(r, WEFT_CSV_FLOWS, job_of(r, &w->msg), w);
}

static void observe_on_pfc(void *ctx, const struct weft_net_pfc *w)
{
    struct weft_report *r = (struct weft_report *)ctx;
    const struct weft_fabric *f = r->fabric;
    const struct weft_fabric_port *p = &f->ports[w->port];
    struct weft_pfc_row record = {.pfc = *w};
    weft_fabric_node_name(f, p->node, record.node);
    weft_fabric_node_name(f, f->ports[p->peer].node, record.peer);
    row(r, WEFT_CSV_PFC, 0, &record);
}

/* Room for the collective of number @p instance. */
static bool reserve_span(struct weft_report *r, size_t instance)
{
    if (WEFT_GROW_ZEROED(r->spans, instance + 1, &r->nspans))
        return true;
    if (!r->err.code)
        weft_err_set(&r->err, WEFT_E_LIMIT, "out of memory for the statistics of %zu collectives",
                     instance);
    return false;
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

/* Names of messages say it in training jobs alone. */
static enum weft_parallelism used_for(const struct weft_workload *w, const struct weft_op *op)
{
    if (op->kind == WEFT_OP_SEND || op->kind == WEFT_OP_RECV)
        return weft_parallelism_of_message(op->name);
    return op->kind == WEFT_OP_COLL ? w->groups[op->group].use : WEFT_PARALLEL_OTHER;
}

static void on_op(void *ctx, const struct weft_op_record *w)
{
    struct weft_report_job *j = (struct weft_report_job *)ctx;
    struct weft_report *r = j->report;
    const struct weft_op *op = w->op;
    if (w->end_ps > r->last_ps)
        r->last_ps = w->end_ps;
    if (op->kind == WEFT_OP_COLL) {
        r->coll[op->coll].ops++;
        r->coll[op->coll].bytes += op->bytes;
        span(r, w);
    }
    const struct weft_workload *graphs = j->number < r->njobs ? r->plans[j->number].workload : NULL;
    const bool training = graphs && graphs->steps.iterations;
    if (!training && !r->csv[WEFT_CSV_OPS])
        return;
    struct weft_op_row record = {.op = *w,
                                 .use = training ? used_for(graphs, op) : WEFT_PARALLEL_OTHER};
    for (int k = 0; k < WEFT_CAUSE_OPEN; k++) { /* what ended has nothing open */
        record.exposed_ps[k] = w->exposed_ps[k];
        record.exposed_sum_ps += w->exposed_ps[k];
    }
    if (training)
        r->exposed_for_ps[record.use] += record.exposed_sum_ps;
    if (r->csv[WEFT_CSV_OPS])
        row(r, WEFT_CSV_OPS, j->number, &record);
}

static void on_phase(void *ctx, const struct weft_phase_record *w)
{
    struct weft_report_job *j = (struct weft_report_job *)ctx;
    struct weft_report *r = j->report;
    if (w->dim >= 0)
        r->dim_bytes[w->dim] += w->bytes;
    row(r, WEFT_CSV_COLLECTIVES, j->number, w);
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
    struct weft_report_job *j = (struct weft_report_job *)ctx;
    struct weft_report *r = j->report;
    const struct weft_path_row record = {j->path.steps, *w};
    j->path.steps += 1 + w->folded;
    for (int k = 0; k < WEFT_CAUSES; k++)
        j->path.spent_ps[k] += w->spent_ps[k];
    j->path.messages += w->messages;
    j->path.crossings += w->rank != w->from_rank;
    rank_step(&j->path, w);
    row(r, WEFT_CSV_PATH, j->number, &record);
}

void weft_report_fault(struct weft_report *r, const struct weft_fault_record *w)
{
    const struct weft_fabric_link *l = &r->fabric->links[w->stretch->link];
    struct weft_fault_row record = {.fault = *w, .entry = (uint32_t)w->stretch->item + 1};
    r->faults++;
    r->fault_losses += w->lost_packets;
    weft_fabric_node_name(r->fabric, l->a, record.a);
    weft_fabric_node_name(r->fabric, l->b, record.b);
    row(r, WEFT_CSV_FAULTS, 0, &record);
}

struct weft_net_observer weft_report_net_observer(struct weft_report *r)
{
    return (struct weft_net_observer){.ctx = r, .flow = observe_on_flow, .pfc = observe_on_pfc};
}

struct weft_system_observer weft_report_system_observer(struct weft_report *r, uint32_t job)
{
    return (struct weft_system_observer){
        .ctx = &r->jobs[job], .op = on_op, .phase = on_phase, .path = on_path};
}
