/* SPDX-License-Identifier: GPL-2.0-only */
/* jobs.csv and classes.csv: how jobs that share a fabric got on, and the messages of each traffic
 * class. */
#include "report/report_internal.h"

#include "base/units.h"

#include <math.h>

typedef struct weft_job_summary J;

WEFT_COLUMN_VALUE(J, job_name, text, r->name)
WEFT_COLUMN_VALUE(J, job_kind, text, r->kind)
WEFT_COLUMN_VALUE_IF(J, job_prio, u, r->prio, out->u != WEFT_PRIO_DEFAULT)
WEFT_COLUMN_VALUE_IF(J, job_transport, text, r->transport, out->text != NULL)
WEFT_COLUMN_VALUE(J, job_finished, u, r->result.finished)
WEFT_COLUMN_VALUE_IF(J, job_start, ps, r->result.start_ps, out->ps != WEFT_NEVER)
WEFT_COLUMN_VALUE_IF(J, job_duration, ps, r->duration_ps, out->ps != WEFT_NO_END)
WEFT_COLUMN_VALUE_IF(J, job_alone, ps, r->alone_ps, out->ps != 0)
WEFT_COLUMN_VALUE_IF(J, job_alone_fct, ps, r->alone_fct_ps, out->ps != 0)
WEFT_COLUMN_VALUE(J, job_slowdown, f, r->slowdown)
WEFT_COLUMN_VALUE(J, job_fct_slowdown, f, r->flows.slowdown_p99)

static const struct weft_column jobs[] = {
    WEFT_COLUMN_GET("job", TEXT, TEXT, job_name, 0, "its name"),
    WEFT_COLUMN_GET("type", TEXT, TEXT, job_kind, 0, "type of its workload"),
    WEFT_COLUMN_U32(J, "ranks", ranks, "its ranks"),
    WEFT_COLUMN_GET("prio", NUMBER, U64, job_prio, 0,
                    "traffic class of messages that ask for none; empty: the backend's"),
    WEFT_COLUMN_GET("transport", TEXT, TEXT, job_transport, 0,
                    "what carried its messages: roce, uet, tcp, both (two of them) or all; empty: "
                    "the backend has no "
                    "transports"),
    WEFT_COLUMN_GET("finished", NUMBER, U64, job_finished, 0, "1: all that it began has ended"),
    WEFT_COLUMN_U64(J, "repetitions", result.repetitions, "how often it was played to its end"),
    WEFT_COLUMN_U64(J, "done", result.done, "operations, or flows, that ended"),
    WEFT_COLUMN_GET("start_ns", NS, PS, job_start, 0, "it began; empty: it did not"),
    WEFT_COLUMN_GET("duration_ns", NS, PS, job_duration, 0,
                    "from then to the end of its last operation or flow; empty: it has not "
                    "finished, or has no end"),
    WEFT_COLUMN_GET("alone_ns", NS, PS, job_alone, 0,
                    "the same alone on the fabric; empty: it was not run alone"),
    WEFT_COLUMN_GET("slowdown", NUMBER, F64, job_slowdown, 6,
                    "duration_ns / alone_ns; of flows fct_mean_ns / alone_fct_mean_ns"),
    WEFT_COLUMN_NS(J, "compute_ns", compute_max_ps, "longest time that a rank computed"),
    WEFT_COLUMN_NS(J, "communication_ns", comm_max_ps,
                   "longest time that a rank had communication in progress"),
    WEFT_COLUMN_NS(J, "exposed_ns", exposed_max_ps,
                   "longest time that a rank had, and nothing else ran"),
    WEFT_COLUMN_NS(J, "exposed_mean_ns", exposed_mean_ps, "the same, mean over its ranks"),
    WEFT_COLUMN_U64(J, "messages", flows.messages, "messages delivered"),
    WEFT_COLUMN_BYTES(J, "bytes", flows.bytes, "their payload"),
    WEFT_COLUMN_NS(J, "fct_mean_ns", flows.fct_mean_ps, "their completion time, mean"),
    WEFT_COLUMN_GET("alone_fct_mean_ns", NS, PS, job_alone_fct, 0,
                    "the same alone on the fabric; empty: it was not run alone"),
    WEFT_COLUMN_NS(J, "fct_p50_ns", flows.fct_p50_ps, "completion time, median"),
    WEFT_COLUMN_NS(J, "fct_p99_ns", flows.fct_p99_ps, "completion time, 99th percentile"),
    WEFT_COLUMN_NS(J, "fct_max_ns", flows.fct_max_ps, "completion time, longest"),
    WEFT_COLUMN_GET("fct_slowdown_p99", NUMBER, F64, job_fct_slowdown, 6,
                    "completion time / ideal one, 99th percentile"),
    WEFT_COLUMN_U64(J, "requests", requests.messages,
                    "requests that are over (requests.csv); 0: it has none"),
    WEFT_COLUMN_NS(J, "request_mean_ns", requests.fct_mean_ps, "their latency, mean"),
    WEFT_COLUMN_NS(J, "request_p50_ns", requests.fct_p50_ps, "the same, median"),
    WEFT_COLUMN_NS(J, "request_p99_ns", requests.fct_p99_ps, "the same, 99th percentile"),
    WEFT_COLUMN_NS(J, "request_max_ns", requests.fct_max_ps, "the same, longest"),
    WEFT_COLUMN_NS(J, "request_network_p99_ns", transfers.fct_p99_ps,
                   "of their latency what messages took, 99th percentile"),
    WEFT_COLUMN_U64(J, "unfinished", unfinished,
                    "messages posted that had not ended when the run did; in none of the others"),
    WEFT_COLUMN_BYTES(J, "unfinished_bytes", unfinished_bytes, "their payload"),
};

const struct weft_csv_file weft_jobs_csv =
    WEFT_CSV_FILE("jobs.csv", "one row per workload, at the end", jobs);

typedef struct weft_class_summary C;

WEFT_COLUMN_VALUE_IF(C, class_prio, u, r->prio, out->u != WEFT_PRIO_DEFAULT)
WEFT_COLUMN_VALUE(C, class_p50, f, r->flows.slowdown_p50)
WEFT_COLUMN_VALUE(C, class_p99, f, r->flows.slowdown_p99)
WEFT_COLUMN_VALUE(C, class_max, f, r->flows.slowdown_max)

static const struct weft_column classes[] = {
    WEFT_COLUMN_GET("prio", NUMBER, U64, class_prio, 0,
                    "traffic class; empty: of messages without one, the backend's"),
    WEFT_COLUMN_U64(C, "messages", flows.messages, "messages delivered"),
    WEFT_COLUMN_BYTES(C, "bytes", flows.bytes, "their payload"),
    WEFT_COLUMN_NS(C, "fct_mean_ns", flows.fct_mean_ps, "their completion time, mean"),
    WEFT_COLUMN_NS(C, "fct_p50_ns", flows.fct_p50_ps, "median"),
    WEFT_COLUMN_NS(C, "fct_p99_ns", flows.fct_p99_ps, "99th percentile"),
    WEFT_COLUMN_NS(C, "fct_max_ns", flows.fct_max_ps, "longest"),
    WEFT_COLUMN_GET("slowdown_p50", NUMBER, F64, class_p50, 6,
                    "completion time / ideal one, median"),
    WEFT_COLUMN_GET("slowdown_p99", NUMBER, F64, class_p99, 6, "99th percentile"),
    WEFT_COLUMN_GET("slowdown_max", NUMBER, F64, class_max, 6, "largest"),
};

const struct weft_csv_file weft_classes_csv =
    WEFT_CSV_FILE("classes.csv", "one row per traffic class with messages, at the end", classes);

typedef struct weft_request Q;

WEFT_COLUMN_VALUE(Q, request_what, text, r->what)
WEFT_COLUMN_VALUE(Q, request_latency, ps, r->end_ps - r->begin_ps)
WEFT_COLUMN_VALUE(Q, request_network, ps, r->end_ps - r->begin_ps - r->wait_ps - r->service_ps)

static const struct weft_column requests[] = {
    WEFT_COLUMN_GET(
        "request", TEXT, TEXT, request_what, 0,
        "what it is: checkpoint, read, write, prompt; of inference with output-tokens: prompt and "
        "decode, and request, both together, which alone is in statistics"),
    WEFT_COLUMN_U64(Q, "number", number, "0, 1, 2 ... of its rank; prompts: of the workload"),
    WEFT_COLUMN_U32(Q, "rank", rank, "the rank that it is of"),
    WEFT_COLUMN_BYTES(Q, "bytes", bytes, "its payload, copies counted once"),
    WEFT_COLUMN_NS(Q, "start_ns", begin_ps, "it came"),
    WEFT_COLUMN_NS(Q, "end_ns", end_ps, "all of it was done"),
    WEFT_COLUMN_GET("latency_ns", NS, PS, request_latency, 0,
                    "end_ns - start_ns: the sum of the next columns"),
    WEFT_COLUMN_NS(Q, "wait_ns", wait_ps, "of it, waited for its turn"),
    WEFT_COLUMN_NS(Q, "service_ns", service_ps, "of it, a host worked on it"),
    WEFT_COLUMN_GET("network_ns", NS, PS, request_network, 0,
                    "of it, the rest: messages on their way"),
};

const struct weft_csv_file weft_requests_csv = WEFT_JOBS_CSV_FILE(
    "requests.csv", "one row per request of a workload, when it is over", requests);

void weft_report_request(void *report, uint32_t job, const struct weft_request *w)
{
    struct weft_report *r = (struct weft_report *)report;
    /* As a message that was posted when it came and arrived when it was over. */
    const struct weft_completion span = {.msg = {.bytes = w->bytes},
                                         .post_ps = w->begin_ps,
                                         .received_ps = w->end_ps,
                                         .ideal_ps = 0};
    struct weft_completion net = span;
    net.post_ps += w->wait_ps + w->service_ps;
    if (!w->is_part && w->begin_ps >= r->from_ps && w->begin_ps < r->to_ps && !r->err.code &&
        !weft_samples_add(&r->jobs[job].requests, &span, &r->err))
        weft_samples_add(&r->jobs[job].transfers, &net, &r->err);
    if (r->dir && !r->csv[WEFT_CSV_REQUESTS] && !r->err.code)
        weft_report_open_csv(r, WEFT_CSV_REQUESTS, &r->err);
    if (r->csv[WEFT_CSV_REQUESTS] && !r->err.code)
        weft_report_row(r, WEFT_CSV_REQUESTS, job, w, &r->err);
}

bool weft_report_has_jobs(const struct weft_report *r)
{
    return r->njobs > 1 || (r->njobs == 1 && r->plans[0].flows);
}

/* Whether the messages of a single job have all been of one class. */
static bool one_class(const struct weft_report *r)
{
    const uint32_t seen = r->jobs[0].classes;
    return !(seen & (seen - 1));
}

/* Place of the one class of which the bit is set. */
static uint32_t class_in(uint32_t bits)
{
    uint32_t k = 0;
    while (bits >>= 1)
        k++;
    return k;
}

void weft_report_sample_job(struct weft_report *r, const struct weft_completion *w)
{
    const uint32_t job = r->njobs > 1 ? weft_share_job_of(&w->msg) : 0;
    const uint32_t k = w->msg.prio < WEFT_NET_PRIOS ? w->msg.prio : WEFT_NET_PRIOS;
    const bool lists = weft_report_has_jobs(r);
    if (job >= r->njobs)
        return;
    const uint32_t before = r->jobs[job].classes;
    r->jobs[job].classes = before | 1u << k;
    if (!lists && !(before & (before - 1)) && before != 1u << k && before && !r->err.code)
        weft_samples_copy(&r->classes[class_in(before)], &r->samples, &r->err);
    if (!lists && one_class(r))
        return; /* all that there is */
    if (lists && !r->err.code)
        weft_samples_add(&r->jobs[job].samples, w, &r->err);
    if (!r->err.code)
        weft_samples_add(&r->classes[k], w, &r->err);
}

/* By what messages of the classes @p used go. */
static const char *carriers(const struct weft_report *r, uint32_t used)
{
    if (!r->transport)
        return NULL;
    const bool tcp = used & r->tcp_classes, uet = used & r->uet_classes;
    const bool run = used & ~(r->tcp_classes | r->uet_classes);
    if (tcp + uet + run > 1)
        return tcp + uet + run > 2 ? "all" : "both";
    return tcp ? "tcp" : uet ? "uet" : r->transport;
}

/* By what the messages of a job went; of one without messages by what its class goes. */
static const char *transport_of(const struct weft_report *r, uint32_t i)
{
    const uint32_t prio = r->plans[i].prio;
    const uint32_t own = 1u << (prio < WEFT_NET_PRIOS ? prio : WEFT_NET_PRIOS);
    return carriers(r, r->jobs[i].classes ? r->jobs[i].classes : own);
}

static void sum_job(struct weft_report *r, const struct weft_jobs *all, uint32_t i, J *s)
{
    const struct weft_job_plan *p = &r->plans[i];
    weft_i128 exposed_ps = 0;
    *s = (J){.name = p->name,
             .kind = p->kind,
             .transport = transport_of(r, i),
             .graphs = p->workload != NULL,
             .ranks = p->nranks,
             .prio = p->prio,
             .slowdown = NAN};
    weft_jobs_result(all, i, &s->result);
    weft_samples_sum(weft_report_has_jobs(r) ? &r->jobs[i].samples : &r->samples, &s->flows);
    weft_samples_sum(&r->jobs[i].requests, &s->requests);
    weft_samples_sum(&r->jobs[i].transfers, &s->transfers);
    s->unfinished =
        s->result.messages > r->jobs[i].ended ? s->result.messages - r->jobs[i].ended : 0;
    s->unfinished_bytes = s->unfinished ? s->result.bytes - r->jobs[i].ended_bytes : 0;
    s->duration_ps = WEFT_NO_END;
    if (s->result.finished && !s->result.endless) /* without flows it ended before it began */
        s->duration_ps =
            s->result.end_ps > s->result.start_ps ? s->result.end_ps - s->result.start_ps : 0;
    for (uint32_t rank = 0; weft_jobs_system(all, i) && rank < p->nranks; rank++) {
        struct weft_rank_result x;
        weft_jobs_rank(all, i, rank, &x);
        s->compute_max_ps = x.compute_ps > s->compute_max_ps ? x.compute_ps : s->compute_max_ps;
        s->comm_max_ps = x.comm_ps > s->comm_max_ps ? x.comm_ps : s->comm_max_ps;
        s->exposed_max_ps =
            x.exposed_comm_ps > s->exposed_max_ps ? x.exposed_comm_ps : s->exposed_max_ps;
        exposed_ps += x.exposed_comm_ps;
    }
    s->exposed_mean_ps = p->nranks ? (int64_t)(exposed_ps / p->nranks) : 0;
}

void weft_report_sum_jobs(struct weft_report *r, const struct weft_jobs *all,
                          struct weft_summary *s)
{
    s->jobs = r->summaries;
    s->njobs = r->njobs;
    for (uint32_t i = 0; i < r->njobs; i++) {
        sum_job(r, all, i, &s->jobs[i]);
        s->unfinished += s->jobs[i].unfinished;
        s->unfinished_bytes += s->jobs[i].unfinished_bytes;
    }
    const bool all_in_one = !s->reports_jobs && r->njobs && one_class(r);
    for (uint32_t k = 0; k < WEFT_CLASSES; k++) {
        struct weft_samples *v =
            all_in_one && (r->jobs[0].classes >> k & 1) ? &r->samples : &r->classes[k];
        if (!v->fct_ps.n)
            continue;
        struct weft_class_summary *c = &s->classes[s->nclasses++];
        c->prio = k < WEFT_NET_PRIOS ? k : WEFT_PRIO_DEFAULT;
        c->transport = carriers(r, 1u << k);
        weft_samples_sum(v, &c->flows);
    }
}

void weft_job_summary_alone(struct weft_job_summary *j, int64_t alone_ps, int64_t alone_fct_ps)
{
    j->alone_ps = alone_ps;
    j->alone_fct_ps = alone_fct_ps > 0 ? alone_fct_ps : 0;
    j->slowdown = NAN;
    if (j->graphs && alone_ps > 0 && j->duration_ps != WEFT_NO_END)
        j->slowdown = (double)j->duration_ps / (double)alone_ps;
    if (!j->graphs && j->result.finished && alone_fct_ps > 0 && j->flows.fct_mean_ps > 0)
        j->slowdown = (double)j->flows.fct_mean_ps / (double)alone_fct_ps;
}

int weft_report_write_jobs(struct weft_report *r, const struct weft_summary *s,
                           struct weft_err *err)
{
    if (!r->dir || !s->reports_jobs)
        return 0;
    int code = weft_report_open_csv(r, WEFT_CSV_JOBS, err);
    for (uint32_t i = 0; !code && i < s->njobs; i++)
        code = weft_columns_row(&weft_jobs_csv, r->csv[WEFT_CSV_JOBS], &s->jobs[i], err);
    if (!code)
        code = weft_report_open_csv(r, WEFT_CSV_CLASSES, err);
    for (uint32_t k = 0; !code && k < s->nclasses; k++)
        code = weft_columns_row(&weft_classes_csv, r->csv[WEFT_CSV_CLASSES], &s->classes[k], err);
    for (int i = WEFT_CSV_JOBS; i <= WEFT_CSV_CLASSES; i++) {
        const int closed = weft_csv_close(r->csv[i], code ? NULL : err);
        r->csv[i] = NULL;
        code = code ? code : closed;
    }
    return code;
}
