/* SPDX-License-Identifier: GPL-2.0-only */
/* Jobs and traffic classes of a summary, for people and for programs. */
#include "report/summary.h"

#include "base/units.h"

#include <inttypes.h>
#include <math.h>

static const char *time_or(int64_t ps, char *buf)
{
    return ps == WEFT_NO_END || ps == 0 ? "-" : weft_human_time(ps, buf);
}

static void number_or(double v, char buf[16])
{
    if (isnan(v))
        snprintf(buf, 16, "-");
    else
        snprintf(buf, 16, "%.3f", v);
}

/* A job's state, in a word. */
static const char *jobs_text_state(const struct weft_job_summary *j)
{
    if (j->result.start_ps == WEFT_NEVER)
        return "not begun";
    if (j->result.finished)
        return "finished";
    return j->result.endless ? "going on" : "unfinished";
}

static void job_line(FILE *out, const struct weft_job_summary *j)
{
    char took[WEFT_UNIT_TEXT_MAX], exposed[WEFT_UNIT_TEXT_MAX], bytes[WEFT_UNIT_TEXT_MAX];
    char p50[WEFT_UNIT_TEXT_MAX], p99[WEFT_UNIT_TEXT_MAX], slow[16];
    number_or(j->slowdown, slow);
    fprintf(out, "    %-16s %-10s %-5s %6u  %-10s %-12s %-9s %-12s %-11s %-11s %s\n", j->name,
            j->kind, j->transport ? j->transport : "-", j->ranks, jobs_text_state(j),
            time_or(j->duration_ps, took), slow, time_or(j->exposed_max_ps, exposed),
            weft_human_size(j->flows.bytes, bytes), time_or(j->flows.fct_p50_ps, p50),
            time_or(j->flows.fct_p99_ps, p99));
}

static void class_line(FILE *out, const struct weft_class_summary *c)
{
    char name[16], bytes[WEFT_UNIT_TEXT_MAX], slow[16];
    char p50[WEFT_UNIT_TEXT_MAX], p99[WEFT_UNIT_TEXT_MAX], max[WEFT_UNIT_TEXT_MAX];
    snprintf(name, sizeof name, c->prio < WEFT_NET_PRIOS ? "%u" : "default", c->prio);
    number_or(c->flows.slowdown_p99, slow);
    fprintf(out, "    %-8s %-5s %10" PRIu64 "  %-11s %-11s %-11s %-11s %s\n", name,
            c->transport ? c->transport : "-", c->flows.messages,
            weft_human_size(c->flows.bytes, bytes), time_or(c->flows.fct_p50_ps, p50),
            time_or(c->flows.fct_p99_ps, p99), time_or(c->flows.fct_max_ps, max), slow);
}

static void request_line(FILE *out, const struct weft_job_summary *j)
{
    char bytes[WEFT_UNIT_TEXT_MAX], p50[WEFT_UNIT_TEXT_MAX], p99[WEFT_UNIT_TEXT_MAX],
        max[WEFT_UNIT_TEXT_MAX], net[WEFT_UNIT_TEXT_MAX];
    fprintf(
        out, "    %-16s %8" PRIu64 "  %-11s %-11s %-11s %-11s %s\n", j->name, j->requests.messages,
        weft_human_size(j->requests.bytes, bytes), weft_human_time(j->requests.fct_p50_ps, p50),
        weft_human_time(j->requests.fct_p99_ps, p99), weft_human_time(j->requests.fct_max_ps, max),
        weft_human_time(j->transfers.fct_p99_ps, net));
}

static void requests_text(FILE *out, const struct weft_summary *s)
{
    bool any = false;
    for (uint32_t i = 0; i < s->njobs; i++)
        any = any || s->jobs[i].requests.messages;
    if (!any)
        return;
    fprintf(out, "  %-18s %8s  %-11s %-11s %-11s %-11s %s\n", "requests of", "done", "payload",
            "latency p50", "p99", "max", "network p99");
    for (uint32_t i = 0; i < s->njobs; i++)
        if (s->jobs[i].requests.messages)
            request_line(out, &s->jobs[i]);
}

void weft_jobs_text(FILE *out, const struct weft_summary *s)
{
    if (!s->reports_jobs)
        return;
    fprintf(out, "  %-18s %-10s %-5s %6s  %-10s %-12s %-9s %-12s %-11s %-11s %s\n", "workloads",
            "type", "by", "ranks", "", "duration", "slowdown", "exposed max", "delivered",
            "FCT p50", "p99");
    for (uint32_t i = 0; i < s->njobs; i++)
        job_line(out, &s->jobs[i]);
    requests_text(out, s);
    fprintf(out, "  %-10s %-5s %10s  %-11s %-11s %-11s %-11s %s\n", "classes", "by", "messages",
            "delivered", "FCT p50", "p99", "max", "FCT slowdown p99");
    for (uint32_t k = 0; k < s->nclasses; k++)
        class_line(out, &s->classes[k]);
}

/* Picoseconds as nanoseconds; null: there is no such value. */
static void ns_or_null(struct weft_json *j, const char *key, int64_t ps, bool known)
{
    weft_json_kv_f64(j, key, known ? (double)ps / 1000.0 : NAN);
}

static void flows_json(struct weft_json *j, const struct weft_flow_summary *f)
{
    weft_json_kv_u64(j, "messages", f->messages);
    weft_json_kv_u64(j, "bytes", f->bytes);
    ns_or_null(j, "fct_mean_ns", f->fct_mean_ps, f->messages != 0);
    ns_or_null(j, "fct_p50_ns", f->fct_p50_ps, f->messages != 0);
    ns_or_null(j, "fct_p99_ns", f->fct_p99_ps, f->messages != 0);
    ns_or_null(j, "fct_p999_ns", f->fct_p999_ps, f->messages != 0);
    ns_or_null(j, "fct_max_ns", f->fct_max_ps, f->messages != 0);
    weft_json_kv_f64(j, "fct_slowdown_p50", f->slowdown_p50);
    weft_json_kv_f64(j, "fct_slowdown_p99", f->slowdown_p99);
    weft_json_kv_f64(j, "fct_slowdown_p999", f->slowdown_p999);
    weft_json_kv_f64(j, "fct_slowdown_max", f->slowdown_max);
}

static void prio_json(struct weft_json *j, uint32_t prio)
{
    weft_json_key(j, "prio");
    if (prio < WEFT_NET_PRIOS)
        weft_json_u64(j, prio);
    else
        weft_json_f64(j, NAN);
}

static void transport_json(struct weft_json *j, const char *transport)
{
    weft_json_key(j, "transport");
    if (transport)
        weft_json_str(j, transport);
    else
        weft_json_f64(j, NAN);
}

static void job_json(struct weft_json *j, const struct weft_job_summary *s)
{
    weft_json_object(j);
    weft_json_kv_str(j, "job", s->name);
    weft_json_kv_str(j, "type", s->kind);
    weft_json_kv_u64(j, "ranks", s->ranks);
    prio_json(j, s->prio);
    transport_json(j, s->transport);
    weft_json_kv_bool(j, "finished", s->result.finished);
    weft_json_kv_u64(j, "repetitions", s->result.repetitions);
    weft_json_kv_u64(j, "done", s->result.done);
    ns_or_null(j, "start_ns", s->result.start_ps, s->result.start_ps != WEFT_NEVER);
    ns_or_null(j, "duration_ns", s->duration_ps, s->duration_ps != WEFT_NO_END);
    ns_or_null(j, "alone_ns", s->alone_ps, s->alone_ps != 0);
    ns_or_null(j, "alone_fct_mean_ns", s->alone_fct_ps, s->alone_fct_ps != 0);
    weft_json_kv_f64(j, "slowdown", s->slowdown);
    ns_or_null(j, "compute_ns", s->compute_max_ps, s->graphs);
    ns_or_null(j, "communication_ns", s->comm_max_ps, s->graphs);
    ns_or_null(j, "exposed_ns", s->exposed_max_ps, s->graphs);
    ns_or_null(j, "exposed_mean_ns", s->exposed_mean_ps, s->graphs);
    flows_json(j, &s->flows);
    weft_json_kv_u64(j, "requests", s->requests.messages);
    if (s->requests.messages) {
        ns_or_null(j, "request_mean_ns", s->requests.fct_mean_ps, true);
        ns_or_null(j, "request_p50_ns", s->requests.fct_p50_ps, true);
        ns_or_null(j, "request_p99_ns", s->requests.fct_p99_ps, true);
        ns_or_null(j, "request_max_ns", s->requests.fct_max_ps, true);
        ns_or_null(j, "request_network_p99_ns", s->transfers.fct_p99_ps, true);
    }
    weft_json_kv_u64(j, "unfinished", s->unfinished);
    weft_json_kv_u64(j, "unfinished_bytes", s->unfinished_bytes);
    weft_json_end_object(j);
}

void weft_jobs_json(struct weft_json *j, const struct weft_summary *s)
{
    if (!s->reports_jobs)
        return;
    weft_json_kv_array(j, "jobs");
    for (uint32_t i = 0; i < s->njobs; i++)
        job_json(j, &s->jobs[i]);
    weft_json_end_array(j);
    weft_json_kv_array(j, "classes");
    for (uint32_t k = 0; k < s->nclasses; k++) {
        weft_json_object(j);
        prio_json(j, s->classes[k].prio);
        transport_json(j, s->classes[k].transport);
        flows_json(j, &s->classes[k].flows);
        weft_json_end_object(j);
    }
    weft_json_end_array(j);
}
