/* SPDX-License-Identifier: GPL-2.0-only */
/* The summary for people and for programs. */
#include "report/report.h"

#include "base/units.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

static const char *link_name(const struct weft_fabric *f, uint32_t port, char *buf, size_t size)
{
    char from[WEFT_NODE_NAME_MAX], to[WEFT_NODE_NAME_MAX];
    const struct weft_fabric_port *p = &f->ports[port];
    snprintf(buf, size, "%s->%s", weft_fabric_node_name(f, p->node, from),
             weft_fabric_node_name(f, f->ports[p->peer].node, to));
    return buf;
}

static void max_and_mean(FILE *out, const char *label, int64_t max_ps, int64_t mean_ps,
                         const char *meaning)
{
    char a[WEFT_UNIT_TEXT_MAX], b[WEFT_UNIT_TEXT_MAX];
    fprintf(out, "    %-26s %-12s %-12s %s\n", label, weft_human_time(max_ps, a),
            weft_human_time(mean_ps, b), meaning);
}

/* The causes that took any time. */
static void exposed(FILE *out, const struct weft_summary *s)
{
    char label[40];
    for (int k = 0; k < WEFT_CAUSES; k++) {
        snprintf(label, sizeof label, "  %s", weft_cause_name((enum weft_cause)k));
        if (s->exposed_by_max_ps[k])
            max_and_mean(out, label, s->exposed_by_max_ps[k], s->exposed_by_mean_ps[k],
                         weft_cause_meaning((enum weft_cause)k));
    }
}

/* What exposed communication was for, where that is known of more than a job's rest. */
static void exposed_for(FILE *out, const struct weft_summary *s)
{
    static const struct {
        int of;
        const char *name, *meaning;
    } kinds[] = {
        {WEFT_PARALLEL_TP, "tensor parallelism (tp)", ""},
        {WEFT_PARALLEL_CP, "context parallelism (cp)", ""},
        {WEFT_PARALLEL_EP, "expert parallelism (ep)", ""},
        {WEFT_PARALLEL_DP, "data parallelism (dp)", ""},
        {WEFT_PARALLEL_PP, "pipeline (pp)",
         "transfers between stages, and the bubble: waiting for stages that had not come so "
         "far"},
        {WEFT_PARALLEL_OTHER, "anything else", "such as the norm of the gradients"}};
    char mean[WEFT_UNIT_TEXT_MAX];
    bool known = false;
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++)
        known |= kinds[k].of != WEFT_PARALLEL_OTHER && s->exposed_for_ps[kinds[k].of] > 0;
    if (!known)
        return;
    fputs("    of it, for                              mean\n", out);
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++)
        if (s->exposed_for_ps[kinds[k].of] > 0)
            fprintf(out, "      %-37s %-*s%s\n", kinds[k].name, kinds[k].meaning[0] ? 13 : 0,
                    weft_human_time(s->exposed_for_ps[kinds[k].of], mean), kinds[k].meaning);
}

static void ranks(FILE *out, const struct weft_summary *s)
{
    fprintf(out, "  per rank                     max          mean over %" PRIu64 " rank%s\n",
            s->ranks, WEFT_PLURAL(s->ranks));
    max_and_mean(out, "compute", s->compute_max_ps, s->compute_mean_ps, "its accelerator ran");
    max_and_mean(out, "communication", s->comm_max_ps, s->comm_mean_ps,
                 "a send, receive or collective was in progress");
    max_and_mean(out, "exposed communication", s->exposed_max_ps, s->exposed_mean_ps,
                 "nothing else was in progress; the rank waited for:");
    exposed(out, s);
    exposed_for(out, s);
    max_and_mean(out, "idle", s->idle_max_ps, s->idle_mean_ps, "none of these, before its end");
}

static void report_text_step(FILE *out, const struct weft_step_summary *s)
{
    char a[WEFT_UNIT_TEXT_MAX];
    if (s->step_ps <= 0)
        return;
    fprintf(out, "  %-24s %s", "training step", weft_human_time(s->step_ps, a));
    if (s->iterations > 1)
        fprintf(out, ", mean of %" PRIu64, s->iterations);
    fprintf(out,
            "; %.4g %s/s, %.4g per rank; model FLOPs %.1f TFLOP/s per rank, %.1f %% of its peak "
            "(MFU)\n",
            s->per_s, s->unit, s->per_s_rank, s->flops_rank / 1e12, 100 * s->model_flops_util);
}

static void critical_path(FILE *out, const struct weft_summary *s)
{
    const struct weft_path_summary *p = &s->path;
    char a[WEFT_UNIT_TEXT_MAX];
    int64_t sum_ps = 0;
    for (int k = 0; k < WEFT_CAUSES; k++)
        sum_ps += p->spent_ps[k];
    if (!sum_ps)
        return;
    if (p->steps == 1)
        fprintf(out, "  %-24s one operation; in it", "critical path");
    else
        fprintf(out,
                "  %-24s %" PRIu64 " operations one after the other, %" PRIu64
                " of them begun by another rank; in them",
                "critical path", p->steps, p->crossings);
    const char *comma = "";
    for (int k = 0; k < WEFT_CAUSES; k++) {
        if (!p->spent_ps[k])
            continue;
        fprintf(out, "%s %s %s (%.1f %%)", comma, weft_cause_name((enum weft_cause)k),
                weft_human_time(p->spent_ps[k], a), 100 * (double)p->spent_ps[k] / (double)sum_ps);
        comma = ",";
    }
    fprintf(out, "\n  %-24s", p->ntop == 1 ? "its operation" : "longest of them");
    for (uint32_t i = 0; i < p->ntop; i++) {
        const struct weft_path_record *t = &p->top[i];
        fprintf(out, "%s %s '%s' ending on rank %u %s", i ? "," : "", weft_op_kind_word(t->op),
                t->op->name, t->rank, weft_human_time(t->end_ps - t->begin_ps, a));
    }
    fputc('\n', out);
}

const char *weft_summary_beyond_links(const struct weft_summary *s, int kind, bool *impossible)
{
    const char *algorithm = s->algorithm[kind];
    *impossible = !algorithm || !strstr(algorithm, "in-network");
    if (!(s->coll[kind].of_links > 1.0005))
        return NULL;
    return *impossible ? "which no fabric does: messages never meet (ideal.contention=none)"
                       : "as switches add up and copy: each byte crosses a rank's links once";
}

static void collectives(FILE *out, const struct weft_summary *s)
{
    for (int k = 0; k < WEFT_COLL_KINDS; k++) {
        const struct weft_coll_summary *c = &s->coll[k];
        char size[WEFT_UNIT_TEXT_MAX], rate[WEFT_UNIT_TEXT_MAX];
        bool impossible;
        if (!c->ops)
            continue;
        fprintf(out, "  %-24s %" PRIu64 " call%s (each rank calls each once), mean size %s",
                weft_coll_kind_name((enum weft_coll_kind)k), c->ops, WEFT_PLURAL(c->ops),
                weft_human_size(c->bytes / c->ops, size));
        if (!isnan(c->bus_bps))
            fprintf(out, ", bus bandwidth %s", weft_human_rate(c->bus_bps, rate));
        const char *beyond = weft_summary_beyond_links(s, k, &impossible);
        if (beyond)
            fprintf(out, "\n    %-22s %.3g times what the links of a rank carry, %s", "bandwidth",
                    c->of_links, beyond);
        if (s->algorithm[k])
            fprintf(out, "\n    %-22s %s", "played by", s->algorithm[k]);
        fputc('\n', out);
    }
}

static void flows(FILE *out, const struct weft_summary *s)
{
    char a[WEFT_UNIT_TEXT_MAX], b[WEFT_UNIT_TEXT_MAX], c[WEFT_UNIT_TEXT_MAX];
    fprintf(out, "  %-24s %" PRIu64 " delivered, together %s\n", "messages", s->messages,
            weft_human_size(s->message_bytes, a));
    if (s->unfinished)
        fprintf(out, "  %-24s %" PRIu64 ", together %s: posted, not ended, in no statistics\n",
                "unfinished messages", s->unfinished, weft_human_size(s->unfinished_bytes, a));
    if (!s->messages)
        return;
    fprintf(out, "  %-24s p50 %s, p99 %s, max %s\n", "completion time (FCT)",
            weft_human_time(s->fct_p50_ps, a), weft_human_time(s->fct_p99_ps, b),
            weft_human_time(s->fct_max_ps, c));
    if (!isnan(s->slowdown_p50))
        fprintf(out, "  %-24s p50 %.3f, p99 %.3f, max %.3f (FCT / FCT alone on an empty fabric)\n",
                "FCT slowdown", s->slowdown_p50, s->slowdown_p99, s->slowdown_max);
}

static void dimensions(FILE *out, const struct weft_summary *s)
{
    bool twice = false;
    if (isnan(s->dim_use_mean))
        return;
    fprintf(out, "  %-24s", "dimensions used");
    for (uint32_t d = 0; d < s->ndims; d++) {
        fprintf(out, "%s %u: %.1f %%", d ? "," : "", d, 100 * s->dim[d].utilisation);
        twice |= s->dim[d].utilisation > 1.0005;
    }
    if (s->ndims > 1)
        fprintf(out, "; average %.1f %%", 100 * s->dim_use_mean);
    fprintf(out, " (payload / bandwidth of NPUs %s)%s\n",
            s->reports_jobs ? "over the whole run" : "during communication",
            twice
                ? "; above 100 %: messages never meet, so several have the whole of a link at once "
                  "(ideal.contention=none)"
                : "");
}

static void network(FILE *out, const struct weft_summary *s, const struct weft_fabric *f)
{
    char a[WEFT_UNIT_TEXT_MAX], name[2 * WEFT_NODE_NAME_MAX + 4];
    const struct weft_totals *t = &s->net;
    fprintf(out, "  %-24s", "busiest links");
    for (uint32_t i = 0; i < s->ntop; i++)
        fprintf(out, "%s %s %.1f %%", i ? "," : "", link_name(f, s->top[i].port, name, sizeof name),
                100 * s->top[i].utilisation);
    fputs(s->ntop ? "\n" : " none\n", out);
    dimensions(out, s);
    if (!t->packet_hops)
        return;
    fprintf(out, "  %-24s %" PRIu64 " ECN mark%s, %" PRIu64 " CNP%s, ", "queues, ECN and PFC",
            t->ecn_marks, WEFT_PLURAL(t->ecn_marks), t->sent[WEFT_PKT_CNP],
            WEFT_PLURAL(t->sent[WEFT_PKT_CNP]));
    if (t->sent[WEFT_PKT_WARNING])
        fprintf(out, "%" PRIu64 " warning%s, ", t->sent[WEFT_PKT_WARNING],
                WEFT_PLURAL(t->sent[WEFT_PKT_WARNING]));
    fprintf(out, "%" PRIu64 " PFC pause%s", t->pfc_pauses, WEFT_PLURAL(t->pfc_pauses));
    if (t->pfc_refreshes)
        fprintf(out, " repeated %" PRIu64 " time%s", t->pfc_refreshes,
                WEFT_PLURAL(t->pfc_refreshes));
    fprintf(out, " (ports paused %s in sum); longest queue of a port",
            weft_human_time(s->pause_ps, a));
    fprintf(out, " %s", weft_human_size(s->max_queue_bytes, a));
    if (s->max_queue_bytes)
        fprintf(out, ", %s", link_name(f, s->max_queue_port, name, sizeof name));
    fputc('\n', out);
    if (s->victims)
        fprintf(out,
                "  %-24s %" PRIu64
                ", which waited behind pauses with the rest of their path free, %s in sum\n",
                "head-of-line victims", s->victims, weft_human_time(s->victim_ps, a));
    fprintf(out, "  %-24s %" PRIu64 " drop%s", "losses", s->drops, WEFT_PLURAL(s->drops));
    if (s->drops > t->drops_data)
        fprintf(out, " (%" PRIu64 " of data, %" PRIu64 " of ACKs and other control packets)",
                t->drops_data, s->drops - t->drops_data);
    fputs(", ", out);
    if (t->trims)
        fprintf(out, "%" PRIu64 " trimmed packet%s, ", t->trims, WEFT_PLURAL(t->trims));
    fprintf(out, "%" PRIu64 " retransmitted packet%s, %" PRIu64 " timeout%s\n", t->retx_packets,
            WEFT_PLURAL(t->retx_packets), t->rtos, WEFT_PLURAL(t->rtos));
    if (s->left_behind)
        fprintf(out,
                "  %-24s %" PRIu64
                " queue pair%s or connection%s made no progress for run.stall-after while "
                "others did\n",
                "left behind", s->left_behind, WEFT_PLURAL(s->left_behind),
                WEFT_PLURAL(s->left_behind));
    if (s->faults)
        fprintf(out,
                "  %-24s %" PRIu64 " time%s that a link was down, slow or had bit errors; %" PRIu64
                " packet%s lost on them\n",
                "faults", s->faults, WEFT_PLURAL(s->faults), s->fault_losses,
                WEFT_PLURAL(s->fault_losses));
    fprintf(out, "  %-24s %" PRIu64 " with data; %" PRIu64 " of any kind on links, one per hop",
            "packets", t->sent[WEFT_PKT_DATA], t->packet_hops);
    if (s->train > 1)
        fprintf(out, "; trains of up to %" PRIu32 " count as one", s->train);
    fputc('\n', out);
}

/* How long it took, or how far it got. */
static void progress(FILE *out, const struct weft_summary *s)
{
    char a[WEFT_UNIT_TEXT_MAX];
    const bool over = s->end_ps != WEFT_NO_END;
    fprintf(out, "  %-24s %s simulated, %" PRIu64 " of %" PRIu64 " operation%s done",
            over                                  ? "end-to-end time"
            : s->outcome == WEFT_OUTCOME_MEASURED ? "measured until"
                                                  : "not finished",
            weft_human_time(over ? s->end_ps : s->elapsed_ps, a), s->ops_done, s->ops_total,
            WEFT_PLURAL(s->ops_total));
    if (!over && !isnan(s->arrived_share))
        fprintf(out, ", %s of payload arrived (%.1f %% of all)",
                weft_human_size(s->arrived_bytes, a), 100 * s->arrived_share);
    fputc('\n', out);
}

static double percent(uint64_t n, uint64_t of)
{
    return of ? 100 * (double)n / (double)of : 0;
}

/* How much was skipped within the tolerance, and what error that means. */
static void skipped(FILE *out, const struct weft_summary *s)
{
    const struct weft_replay_figures *r = &s->replay;
    const uint64_t all = s->net.packet_hops, played = r->hops + r->skipped_hops;
    fprintf(out, "  %-24s of the packet-hops %.1f %% simulated, %.1f %% repeated, %.1f %% skipped",
            "replay", percent(all > played ? all - played : 0, all), percent(r->hops, all),
            percent(r->skipped_hops, all));
    if (!r->taken) {
        fprintf(out, "%s%s\n", r->why ? "; at the last inspection: " : "", r->why ? r->why : "");
        return;
    }
    if (r->resamples)
        fprintf(out, "; estimated error of the mean completion time %.2g %%", 100 * r->error);
    else
        fprintf(out,
                "; estimated error of completion times %.2g %% in the mean, %.2g %% at the 99th "
                "percentile, of the end %.2g %%",
                100 * r->error, 100 * r->error_bound, 100 * r->end_error);
    if (r->checks)
        fprintf(out, ", measured on %" PRIu64 " messages; %" PRIu64 " taken over", r->checks,
                r->taken);
    else
        fprintf(out, ", a bound: none of %" PRIu64 " messages taken over was simulated as well",
                r->taken);
    fputc('\n', out);
}

/* How much was taken over from repetitions, or why nothing was. */
static void replay(FILE *out, const struct weft_summary *s)
{
    const struct weft_replay_figures *r = &s->replay;
    if (s->fallbacks)
        fprintf(out, "  %-24s %" PRIu64 ", without run.replay and run.threads: %s\n", "begun again",
                s->fallbacks, s->fallback);
    if (!r->on)
        return;
    if (r->tolerant)
        skipped(out, s);
    else if (r->hops)
        fprintf(
            out,
            "  %-24s %s%.1f %% of the packet-hops repeat what went before: taken over, with the "
            "same results\n",
            "replay", 2000 * r->hops < s->net.packet_hops ? "under " : "",
            fmax(percent(r->hops, s->net.packet_hops), 0.1));
    else if (!s->replay_auto)
        fprintf(out, "  %-24s nothing was taken over from repetitions%s%s\n", "replay",
                r->why ? "; at the last inspection instead: " : "", r->why ? r->why : "");
}

void weft_replay_text(FILE *out, const struct weft_replay_figures *r, uint64_t hops)
{
    static const char *const kinds[] = {[WEFT_REPLAY_PACKETS] = "periods of packets",
                                        [WEFT_REPLAY_MESSAGES] = "periods of messages",
                                        [WEFT_REPLAY_MEMO] = "messages"};
    fprintf(out, "replay: %" PRIu64 " states written down, %" PRIu64 " compared\n", r->looks,
            r->compares);
    fprintf(out, "  %-18s %12s  %s\n", "what", "times", "what came of it");
    fprintf(out, "  %-18s %12" PRIu64 "  skipped, %" PRIu64 " periods in all\n",
            "periods of packets", r->jumps, r->periods);
    fprintf(out, "  %-18s %12" PRIu64 "  taken over from components in the same state\n",
            "components", r->copies);
    fprintf(out, "  %-18s %12" PRIu64 "  played, %" PRIu64 " whole periods in all\n",
            "periods of messages", r->plays, r->played_periods);
    if (r->tolerant)
        fprintf(out,
                "  %-18s %12" PRIu64 "  taken over, %.1f %% of the packet-hops; %" PRIu64
                " checks\n",
                "messages", r->taken, percent(r->skipped_hops, hops), r->checks);
    for (uint32_t i = 0; i < r->nreasons; i++)
        fprintf(out, "  %-18s %12" PRIu64 "  not: %s\n", kinds[r->reasons[i].kind],
                r->reasons[i].times, r->reasons[i].why);
}

void weft_summary_text(FILE *out, const struct weft_summary *s, const struct weft_fabric *f)
{
    char a[WEFT_UNIT_TEXT_MAX];
    fprintf(out, "%s: %s%s\n", s->scenario, weft_outcome_name(s->outcome),
            weft_outcome_is_partial(s->outcome) ? " (partial results)" : "");
    fprintf(out, "  %-24s hosts %" PRIu64 ", switches %" PRIu64 ", links %" PRIu64 "\n", "fabric",
            s->hosts, s->switches, s->links);
    if (s->ops_total)
        progress(out, s);
    report_text_step(out, &s->step);
    if (s->ranks) {
        ranks(out, s);
        critical_path(out, s);
        collectives(out, s);
    }
    weft_jobs_text(out, s);
    flows(out, s);
    network(out, s, f);
    fprintf(out, "  %-24s %.2f s wall, %.2f s CPU, ", "simulator", s->wall_s, s->cpu_s);
    if (s->threads > 1)
        fprintf(out, "%" PRIu64 " threads, ", s->threads);
    fprintf(out, "%.3g events/s of CPU time, peak memory %s\n", s->events_per_s,
            weft_human_size(s->peak_rss_bytes, a));
    replay(out, s);
}

static void metric(struct weft_json *j, const struct weft_metric *m, const struct weft_summary *s)
{
    char key[WEFT_METRIC_TEXT_MAX];
    const char *field = (const char *)s + m->offset;
    weft_json_key(j, weft_metric_key(m, key));
    if (m->type == WEFT_PARAM_SIZE || m->type == WEFT_PARAM_U64)
        weft_json_u64(j, *(const uint64_t *)field);
    else
        weft_json_f64(j, weft_metric_in_unit(m, weft_metric_value(m, s)));
}

void weft_summary_json(struct weft_json *j, const struct weft_summary *s,
                       const struct weft_fabric *f)
{
    size_t n;
    const struct weft_metric *m = weft_metrics(&n);
    char name[2 * WEFT_NODE_NAME_MAX + 4];
    weft_json_object(j);
    weft_json_kv_str(j, "scenario", s->scenario);
    weft_json_kv_str(j, "outcome", weft_outcome_name(s->outcome));
    weft_json_kv_u64(j, "hosts", s->hosts);
    weft_json_kv_u64(j, "switches", s->switches);
    weft_json_kv_u64(j, "links", s->links);
    for (size_t i = 0; i < n; i++)
        if (!m[i].host_dependent)
            metric(j, &m[i], s);
    weft_json_kv_array(j, "collectives");
    for (int k = 0; k < WEFT_COLL_KINDS; k++) {
        if (!s->coll[k].ops)
            continue;
        weft_json_object(j);
        weft_json_kv_str(j, "kind", weft_coll_kind_name((enum weft_coll_kind)k));
        weft_json_kv_str(j, "algorithm", s->algorithm[k]);
        weft_json_kv_u64(j, "rank_operations", s->coll[k].ops);
        weft_json_kv_u64(j, "bytes", s->coll[k].bytes);
        weft_json_kv_f64(j, "bus_bandwidth_bps", s->coll[k].bus_bps);
        weft_json_kv_f64(j, "bus_bandwidth_of_links", s->coll[k].of_links);
        weft_json_end_object(j);
    }
    weft_json_end_array(j);
    weft_jobs_json(j, s);
    weft_json_kv_array(j, "longest_path_steps");
    for (uint32_t i = 0; i < s->path.ntop; i++) {
        const struct weft_path_record *t = &s->path.top[i];
        weft_json_object(j);
        weft_json_kv_u64(j, "rank", t->rank);
        weft_json_kv_u64(j, "node_id", t->op->id);
        weft_json_kv_str(j, "name", t->op->name);
        weft_json_kv_str(j, "kind", weft_op_kind_word(t->op));
        weft_json_kv_f64(j, "begin_ns", (double)t->begin_ps / 1000.0);
        weft_json_kv_f64(j, "end_ns", (double)t->end_ps / 1000.0);
        weft_json_end_object(j);
    }
    weft_json_end_array(j);
    weft_json_kv_array(j, "busiest_links");
    for (uint32_t i = 0; i < s->ntop; i++) {
        weft_json_object(j);
        weft_json_kv_u64(j, "port", s->top[i].port);
        weft_json_kv_str(j, "link", link_name(f, s->top[i].port, name, sizeof name));
        weft_json_kv_f64(j, "utilisation", s->top[i].utilisation);
        weft_json_end_object(j);
    }
    weft_json_end_array(j);
    weft_json_kv_array(j, "dimensions");
    for (uint32_t d = 0; d < s->ndims; d++) {
        const struct weft_dim_summary *m = &s->dim[d];
        weft_json_object(j);
        weft_json_kv_str(j, "kind", m->kind);
        weft_json_kv_u64(j, "size", m->size);
        weft_json_kv_f64(j, "rate_bps", m->rate_bps);
        weft_json_kv_str(j, "counted", s->dims_by_phases ? "phases" : "links");
        weft_json_kv_u64(j, "bytes", m->bytes);
        weft_json_kv_f64(j, "utilisation", m->utilisation);
        weft_json_kv_f64(j, "busy", m->busy);
        weft_json_end_object(j);
    }
    weft_json_end_array(j);
    weft_json_kv_object(j, "host");
    for (size_t i = 0; i < n; i++)
        if (m[i].host_dependent)
            metric(j, &m[i], s);
    weft_json_end_object(j);
    weft_json_end_object(j);
}
