/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * From counters to a summary.
 * Means over ranks are floored to a picosecond.
 */
#include "report/report_internal.h"
#include "base/int128.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void sum_flows(struct weft_report *r, struct weft_summary *s)
{
    struct weft_flow_summary f;
    weft_samples_sum(&r->samples, &f);
    s->messages = f.messages;
    s->message_bytes = f.bytes;
    s->fct_p50_ps = f.fct_p50_ps;
    s->fct_p99_ps = f.fct_p99_ps;
    s->fct_max_ps = f.fct_max_ps;
    s->slowdown_p50 = f.slowdown_p50;
    s->slowdown_p99 = f.slowdown_p99;
    s->slowdown_max = f.slowdown_max;
    memcpy(s->by_size, f.by_size, sizeof s->by_size);
}

/* Maximum and mean of one duration over ranks. */
struct spread {
    int64_t max_ps;
    weft_i128 sum_ps;
};

static void summarize_add(struct spread *d, int64_t ps)
{
    d->sum_ps += ps;
    if (ps > d->max_ps)
        d->max_ps = ps;
}

static void sum_ranks(const struct weft_report *r, const struct weft_jobs *jobs,
                      struct weft_summary *s)
{
    struct spread compute = {0}, comm = {0}, exposed = {0}, idle = {0};
    struct spread by[WEFT_CAUSES] = {{0}};
    uint64_t n = 0;
    for (uint32_t job = 0; job < weft_jobs_count(jobs); job++) {
        struct weft_job_result result;
        weft_jobs_result(jobs, job, &result);
        if (result.end_ps > s->end_ps)
            s->end_ps = result.end_ps;
        if (!weft_jobs_system(jobs, job))
            continue;
        n += weft_jobs_plan(jobs, job)->nranks;
        for (uint32_t rank = 0; rank < weft_jobs_plan(jobs, job)->nranks; rank++) {
            struct weft_rank_result x;
            weft_jobs_rank(jobs, job, rank, &x);
            if (x.end_ps > s->end_ps)
                s->end_ps = x.end_ps;
            if (x.compute_ps > compute.max_ps)
                s->compute_max_rank = rank;
            summarize_add(&compute, x.compute_ps);
            summarize_add(&comm, x.comm_ps);
            summarize_add(&exposed, x.exposed_comm_ps);
            summarize_add(&idle, x.idle_ps);
            for (int k = 0; k < WEFT_CAUSES; k++)
                summarize_add(&by[k], x.exposed_ps[k]);
        }
    }
    weft_jobs_progress(jobs, &s->ops_done, &s->ops_total);
    s->ranks = n;
    if (!n)
        return;
    s->compute_max_ps = compute.max_ps;
    s->compute_mean_ps = (int64_t)(compute.sum_ps / n);
    s->comm_max_ps = comm.max_ps;
    s->comm_mean_ps = (int64_t)(comm.sum_ps / n);
    s->exposed_max_ps = exposed.max_ps;
    s->exposed_mean_ps = (int64_t)(exposed.sum_ps / n);
    for (int k = 0; k < WEFT_CAUSES; k++) {
        s->exposed_by_max_ps[k] = by[k].max_ps;
        s->exposed_by_mean_ps[k] = (int64_t)(by[k].sum_ps / n);
    }
    for (int k = 0; k < WEFT_PARALLELISMS; k++)
        s->exposed_for_ps[k] = (int64_t)(r->exposed_for_ps[k] / n);
    s->idle_max_ps = idle.max_ps;
    s->idle_mean_ps = (int64_t)(idle.sum_ps / n);
}

/* Keeps the busiest ports in order; of equals the lower port number comes first. */
static void rank_link(struct weft_summary *s, uint32_t port, double utilisation)
{
    uint32_t at = s->ntop;
    while (at > 0 && s->top[at - 1].utilisation < utilisation)
        at--;
    if (at >= WEFT_TOP_LINKS)
        return;
    uint32_t last = s->ntop < WEFT_TOP_LINKS ? s->ntop++ : WEFT_TOP_LINKS - 1;
    memmove(&s->top[at + 1], &s->top[at], (last - at) * sizeof s->top[0]);
    s->top[at] = (struct weft_link_summary){port, utilisation};
}

/* Packets that nobody waits for any more, such as those sent twice, may outlast the last
 * acknowledgement. */
static int64_t last_sent_ps(const struct weft_report *r, struct weft_net *net)
{
    int64_t last_ps = 0;
    for (uint32_t p = 0; p < r->fabric->nports; p++) {
        struct weft_port_counters st;
        net->ops->port_stats(net, p, &st);
        last_ps = st.last_ps > last_ps ? st.last_ps : last_ps;
    }
    return last_ps;
}

static void sum_queue(const struct weft_fabric *f, uint32_t port, uint64_t bytes,
                      struct weft_summary *s)
{
    if (bytes > s->max_queue_bytes) {
        s->max_queue_bytes = bytes;
        s->max_queue_port = port;
    }
    if (f->nodes[f->ports[port].node].kind == WEFT_NODE_SWITCH && bytes > s->max_switch_queue_bytes)
        s->max_switch_queue_bytes = bytes;
}

/* Bytes that wait at a port of a switch, mean over time: bins of queues count as their middle. */
static double mean_queue(struct weft_net *net, uint32_t port, int64_t end_ps)
{
    int64_t time_ps[WEFT_QUEUE_BINS];
    double sum = 0;
    for (uint32_t prio = 0; prio < WEFT_NET_PRIOS; prio++)
        if (net->ops->state->queue_times(net, port, prio, end_ps, time_ps))
            for (uint32_t bin = 1; bin < WEFT_QUEUE_BINS; bin++)
                sum += (double)time_ps[bin] *
                       (double)(weft_queue_bin_from(bin) + weft_queue_bin_from(bin + 1) - 1) / 2;
    return end_ps > 0 ? sum / (double)end_ps : 0;
}

int weft_report_note_queues(struct weft_report *r, struct weft_net *net, struct weft_err *err)
{
    const struct weft_net_state_ops *state = net->ops->state;
    uint8_t *prios = (uint8_t *)calloc((size_t)r->fabric->nports + 1, 1);
    if (!prios)
        return weft_err_no_memory(err, "times of queues");
    for (uint32_t p = 0; p < r->fabric->nports; p++)
        prios[p] = weft_fabric_forwards(r->fabric, r->fabric->ports[p].node) ? 0xff : 0;
    r->queues = state && state->note_queues && !state->note_queues(net, prios, err);
    free(prios);
    return err->code;
}

static void sum_links(const struct weft_report *r, struct weft_net *net, struct weft_summary *s)
{
    const int64_t sent_ps = last_sent_ps(r, net);
    if (sent_ps > s->elapsed_ps)
        s->elapsed_ps = sent_ps;
    s->mean_queue_bytes = NAN;
    for (uint32_t p = 0; p < r->fabric->nports; p++) {
        struct weft_port_counters st;
        net->ops->port_stats(net, p, &st);
        sum_queue(r->fabric, p, st.max_queue_bytes, s);
        if (r->queues)
            s->mean_queue_bytes = fmax(s->mean_queue_bytes, mean_queue(net, p, s->elapsed_ps));
        s->pause_ps += st.paused_ps;
        if (s->elapsed_ps > 0 && st.busy_ps > 0)
            rank_link(s, p, (double)st.busy_ps / (double)s->elapsed_ps);
    }
    if (s->ntop) {
        s->link_utilisation_max = s->top[0].utilisation;
        s->busiest_port = s->top[0].port;
    }
}

/* What the links of a rank carry, of the fastest: those of its hosts. 0: no link carried anything,
 * as where messages have no path. */
static double rank_bps(const struct weft_report *r, struct weft_net *net)
{
    double most = 0, nics = 1;
    uint64_t carried = 0;
    for (uint32_t h = 0; h < r->fabric->nhosts; h++) {
        const struct weft_fabric_node *n = &r->fabric->nodes[r->fabric->hosts[h]];
        double bps = 0;
        for (uint32_t p = n->first_port; p < n->first_port + n->nports; p++) {
            struct weft_port_counters st;
            net->ops->port_stats(net, p, &st);
            carried += st.tx_payload_bytes;
            bps += (double)r->fabric->links[r->fabric->ports[p].link].rate_bps;
        }
        most = bps > most ? bps : most;
    }
    for (uint32_t i = 0; i < r->njobs; i++)
        if (r->plans[i].nnics > nics)
            nics = r->plans[i].nnics;
    return carried ? most * nics : 0;
}

/* Bus bandwidth: what all collectives of a kind moved, by the time that each of them took. */
static void sum_collectives(const struct weft_report *r, struct weft_net *net,
                            struct weft_summary *s)
{
    const double links_bps = rank_bps(r, net);
    double bytes[WEFT_COLL_KINDS] = {0}, ps[WEFT_COLL_KINDS] = {0};
    for (size_t i = 0; i < r->nspans; i++) {
        bytes[r->spans[i].kind] += r->spans[i].bus_bytes;
        ps[r->spans[i].kind] += (double)r->spans[i].longest_ps;
    }
    for (int k = 0; k < WEFT_COLL_KINDS; k++) {
        s->coll[k] = r->coll[k];
        s->coll[k].bus_bps = ps[k] > 0 && bytes[k] > 0 ? bytes[k] * 8e12 / ps[k] : NAN;
        s->coll[k].of_links = links_bps > 0 ? s->coll[k].bus_bps / links_bps : NAN;
    }
}

/* The throughput of the one training job that there is. */
static void sum_step(const struct weft_jobs *jobs, struct weft_step_summary *s)
{
    const struct weft_job_plan *found = NULL;
    struct weft_job_result result;
    *s = (struct weft_step_summary){.step_ps = WEFT_NO_END,
                                    .per_s = NAN,
                                    .per_s_rank = NAN,
                                    .flops_rank = NAN,
                                    .model_flops_util = NAN};
    for (uint32_t job = 0; job < weft_jobs_count(jobs); job++) {
        const struct weft_job_plan *p = weft_jobs_plan(jobs, job);
        if (!p->workload || !p->workload->steps.iterations)
            continue;
        if (found)
            return;
        found = p;
        weft_jobs_result(jobs, job, &result);
    }
    if (!found || !result.finished || result.end_ps <= result.start_ps)
        return;
    const struct weft_steps *w = &found->workload->steps;
    s->iterations = w->iterations * result.repetitions;
    s->unit = w->unit;
    s->step_ps = (result.end_ps - result.start_ps) / (int64_t)s->iterations;
    const double step_s = (double)s->step_ps / 1e12, ranks = (double)found->nranks;
    s->per_s = (double)w->samples / step_s;
    s->per_s_rank = s->per_s / ranks;
    s->flops_rank = w->flops / step_s / ranks;
    s->model_flops_util = s->flops_rank / w->peak_flops;
}

/* How much of what the workload moves has come. */
static void sum_arrived(struct weft_net *net, const struct weft_jobs *jobs, bool finished,
                        struct weft_summary *s)
{
    s->arrived_bytes = weft_net_arrived_bytes(net);
    const uint64_t volume = finished || !jobs ? s->arrived_bytes : weft_jobs_volume(jobs);
    s->arrived_share = !volume                     ? NAN
                       : s->arrived_bytes < volume ? (double)s->arrived_bytes / (double)volume
                                                   : 1;
}

static void sum_threads(struct weft_net *net, struct weft_summary *s)
{
    struct weft_thread_figures f = {.threads = 1};
    if (net->ops->threads)
        net->ops->threads(net, &f);
    s->threads = f.threads;
}

void weft_report_summarize(struct weft_report *r, struct weft_net *net,
                           const struct weft_jobs *jobs, int64_t reached_ps, struct weft_summary *s)
{
    *s = (struct weft_summary){0};
    s->hosts = r->fabric->nhosts;
    s->switches = r->fabric->nswitches;
    s->links = r->fabric->nlinks;
    if (jobs)
        sum_ranks(r, jobs, s);
    s->elapsed_ps = r->last_ps > s->end_ps ? r->last_ps : s->end_ps;
    if (reached_ps > s->elapsed_ps)
        s->elapsed_ps = reached_ps;
    if (reached_ps)
        s->end_ps = WEFT_NO_END;
    sum_arrived(net, jobs, !reached_ps, s);
    sum_flows(r, s);
    if (jobs)
        sum_step(jobs, &s->step);
    if (r->njobs < 2) /* of several jobs each has one */
        s->path = r->jobs[0].path;
    sum_collectives(r, net, s);
    s->faults = r->faults;
    s->fault_losses = r->fault_losses;
    net->ops->totals(net, &s->net);
    if (net->ops->replay)
        net->ops->replay(net, &s->replay);
    sum_threads(net, s);
    s->drops = weft_totals_drops(&s->net);
    sum_links(r, net, s);
    weft_report_sum_dims(r, net, jobs, s);
    s->reports_jobs = jobs && weft_report_has_jobs(r);
    if (jobs)
        weft_report_sum_jobs(r, jobs, s);
}
