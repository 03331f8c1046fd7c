/* SPDX-License-Identifier: GPL-2.0-only */
/* Metrics of one workload and of one traffic class, and finding any metric by what users write. */
#include "report/figure_text.h"
#include "report/summary.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define J(name, type, field, help)                                                                 \
    {                                                                                              \
        name, WEFT_PARAM_##type, offsetof(struct weft_job_summary, field), 0, help                 \
    }
#define C(name, type, field, help)                                                                 \
    {                                                                                              \
        name, WEFT_PARAM_##type, offsetof(struct weft_class_summary, field), 0, help               \
    }
/* What both say of their messages. */
#define FLOWS(M)                                                                                   \
    M("messages", U64, flows.messages, "messages delivered"),                                      \
        M("bytes", SIZE, flows.bytes, "their payload"),                                            \
        M("fct-mean", TIME, flows.fct_mean_ps, "their completion time, mean"),                     \
        M("fct-p50", TIME, flows.fct_p50_ps, "the same, median"),                                  \
        M("fct-p99", TIME, flows.fct_p99_ps, "the same, 99th percentile"),                         \
        M("fct-p999", TIME, flows.fct_p999_ps, "the same, 99.9th percentile"),                     \
        M("fct-max", TIME, flows.fct_max_ps, "the same, longest"),                                 \
        M("fct-slowdown-p50", F64, flows.slowdown_p50, "completion time / ideal one, median"),     \
        M("fct-slowdown-p99", F64, flows.slowdown_p99, "the same, 99th percentile"),               \
        M("fct-slowdown-p999", F64, flows.slowdown_p999, "the same, 99.9th percentile"),           \
        M("fct-slowdown-max", F64, flows.slowdown_max, "the same, largest"),                       \
        WEFT_METRICS_BY_SIZE(M, "fct-", flows.by_size)

static const struct weft_metric of_job[] = {
    J("time", TIME, duration_ps,
      "from its start to its end; none: it has not finished, or has no end"),
    J(WEFT_METRIC_ALONE, TIME, alone_ps, "the same alone on the fabric; asking for it runs that"),
    J(WEFT_METRIC_SLOWDOWN, F64, slowdown,
      "time / time alone; of flows the same of fct-mean; asking for it runs the workload alone"),
    J("compute", TIME, compute_max_ps, "longest time that a rank of it computed"),
    J("communication", TIME, comm_max_ps,
      "longest time that a rank of it had communication in progress"),
    J("exposed", TIME, exposed_max_ps, "longest time that a rank of it had, and nothing else ran"),
    J("exposed-mean", TIME, exposed_mean_ps, "the same, mean over its ranks"),
    J("requests", U64, requests.messages, "requests that are over"),
    J("request-mean", TIME, requests.fct_mean_ps, "their latency, mean"),
    J("request-p50", TIME, requests.fct_p50_ps, "the same, median"),
    J("request-p99", TIME, requests.fct_p99_ps, "the same, 99th percentile"),
    J("request-max", TIME, requests.fct_max_ps, "the same, longest"),
    J("request-network-p99", TIME, transfers.fct_p99_ps,
      "of their latency what messages took, 99th percentile"),
    J("unfinished", U64, unfinished, "messages posted that had not ended when the run did"),
    J("unfinished-bytes", SIZE, unfinished_bytes, "their payload"),
    J("repetitions", U64, result.repetitions, "how often it was played to its end"),
    J("done", U64, result.done, "operations, or flows, that ended"),
    FLOWS(J),
};
static const struct weft_metric of_class[] = {FLOWS(C)};

const struct weft_metric *weft_metrics_of(enum weft_metric_scope scope, size_t *n)
{
    if (scope == WEFT_METRIC_OF_RUN)
        return weft_metrics(n);
    *n = scope == WEFT_METRIC_OF_JOB ? sizeof of_job / sizeof of_job[0]
                                     : sizeof of_class / sizeof of_class[0];
    return scope == WEFT_METRIC_OF_JOB ? of_job : of_class;
}

static const struct {
    const char *word, *form;
} scopes[] = {[WEFT_METRIC_OF_RUN] = {"", "NAME"},
              [WEFT_METRIC_OF_JOB] = {"job.", "job.WORKLOAD.NAME"},
              [WEFT_METRIC_OF_CLASS] = {"class.", "class.PRIO.NAME"}};

const char *weft_metric_scope_prefix(enum weft_metric_scope scope)
{
    static const char *const prefixes[] = {"", "job.WORKLOAD.", "class.PRIO."};
    return prefixes[scope];
}

/* The entry called @p name; on an unknown name NULL, and *err names the nearest. */
static const struct weft_metric *job_metrics_find(enum weft_metric_scope scope, const char *name,
                                                  struct weft_err *err)
{
    enum { MOST = 64 };
    const char *names[MOST];
    char buf[WEFT_METRIC_TEXT_MAX];
    const char *other = weft_metric_other_name(name, buf, sizeof buf);
    size_t n;
    const struct weft_metric *m = weft_metrics_of(scope, &n);
    for (size_t i = 0; i < n && i < MOST; i++) {
        names[i] = m[i].name;
        if (strcmp(m[i].name, name) == 0 || (other && strcmp(m[i].name, other) == 0))
            return &m[i];
    }
    weft_err_set(err, WEFT_E_INPUT, "unknown metric '%s' of %s%s", name, scopes[scope].form,
                 WEFT_MEANT(name, names, n < MOST ? n : MOST, "; 'weft list metrics' lists them"));
    return NULL;
}

static bool is_class(const struct weft_metric_choice *c)
{
    return (c->len == 1 && *c->subject >= '0' && *c->subject < '0' + WEFT_NET_PRIOS) ||
           (c->len == 7 && memcmp(c->subject, "default", 7) == 0);
}

int weft_metric_choose(const char *text, struct weft_metric_choice *out, struct weft_err *err)
{
    *out = (struct weft_metric_choice){.text = text, .scope = WEFT_METRIC_OF_RUN};
    for (int s = WEFT_METRIC_OF_JOB; s <= WEFT_METRIC_OF_CLASS; s++)
        if (strncmp(text, scopes[s].word, strlen(scopes[s].word)) == 0)
            out->scope = (enum weft_metric_scope)s;
    if (out->scope == WEFT_METRIC_OF_RUN) {
        out->metric = weft_metric_find(text, err);
        return out->metric ? 0 : err->code;
    }
    out->subject = text + strlen(scopes[out->scope].word);
    const char *dot = strchr(out->subject, '.');
    out->len = dot ? (size_t)(dot - out->subject) : 0;
    if (!dot || out->len == 0 || out->len > WEFT_METRIC_SUBJECT_MAX)
        return weft_err_set(err, WEFT_E_INPUT, "'%s' is not of the form %s", text,
                            scopes[out->scope].form);
    if (out->scope == WEFT_METRIC_OF_CLASS && !is_class(out))
        return weft_err_set(err, WEFT_E_INPUT, "'%s': classes are 0 to 7 and default", text);
    out->metric = job_metrics_find(out->scope, dot + 1, err);
    return out->metric ? 0 : err->code;
}

unsigned weft_metric_needs(const struct weft_metric_choice *c)
{
    const char *name = c->metric->name;
    if (c->scope == WEFT_METRIC_OF_RUN)
        return strcmp(name, WEFT_METRIC_MEAN_QUEUE) == 0 ? WEFT_METRIC_NEEDS_QUEUES : 0;
    return c->scope == WEFT_METRIC_OF_JOB &&
                   (strcmp(name, WEFT_METRIC_ALONE) == 0 || strcmp(name, WEFT_METRIC_SLOWDOWN) == 0)
               ? WEFT_METRIC_NEEDS_ALONE
               : 0;
}

static bool names(const struct weft_metric_choice *c, const char *job)
{
    return strlen(job) == c->len && memcmp(job, c->subject, c->len) == 0;
}

int weft_metric_check(const struct weft_metric_choice *c, const char *const *jobs, size_t n,
                      struct weft_err *err)
{
    char list[256] = "";
    size_t used = 0;
    if (c->scope != WEFT_METRIC_OF_JOB)
        return 0;
    for (size_t i = 0; i < n; i++) {
        if (names(c, jobs[i]))
            return 0;
        const int more = used < sizeof list ? snprintf(list + used, sizeof list - used, "%s%s",
                                                       i ? ", " : "", jobs[i])
                                            : 0;
        used += more > 0 ? (size_t)more : 0;
    }
    return weft_err_set(err, WEFT_E_INPUT,
                        "metric '%s': no workload of the scenario is called '%.*s'; there %s: %s",
                        c->text, (int)c->len, c->subject, n == 1 ? "is" : "are", list);
}

/* A value in a summary with these messages; NaN where there was nothing to measure. */
static double known(const struct weft_metric_choice *c, int64_t alone_ps,
                    const struct weft_flow_summary *flows, const void *in)
{
    const bool of_messages = strncmp(c->metric->name, "fct-", 4) == 0;
    if ((of_messages && !flows->messages) ||
        (strcmp(c->metric->name, WEFT_METRIC_ALONE) == 0 && alone_ps == 0))
        return NAN;
    return weft_metric_value_in(c->metric, in);
}

double weft_metric_choice_value(const struct weft_metric_choice *c, const struct weft_summary *s)
{
    if (c->scope == WEFT_METRIC_OF_RUN)
        return weft_metric_value(c->metric, s);
    for (uint32_t i = 0; c->scope == WEFT_METRIC_OF_JOB && i < s->njobs; i++)
        if (names(c, s->jobs[i].name))
            return known(c, s->jobs[i].alone_ps, &s->jobs[i].flows, &s->jobs[i]);
    for (uint32_t i = 0; c->scope == WEFT_METRIC_OF_CLASS && i < s->nclasses; i++) {
        const uint32_t prio = s->classes[i].prio;
        if (prio == WEFT_PRIO_DEFAULT ? c->len != 1 : c->len == 1 && *c->subject - '0' == (int)prio)
            return known(c, 0, &s->classes[i].flows, &s->classes[i]);
    }
    return weft_metric_counts(c->metric) ? 0 : NAN;
}

const char *weft_metric_choice_key(const struct weft_metric_choice *c,
                                   char buf[WEFT_METRIC_KEY_MAX])
{
    char own[WEFT_METRIC_TEXT_MAX];
    weft_metric_key(c->metric, own);
    if (c->scope == WEFT_METRIC_OF_RUN)
        snprintf(buf, WEFT_METRIC_KEY_MAX, "%s", own);
    else
        snprintf(buf, WEFT_METRIC_KEY_MAX, "%s%.*s.%s", scopes[c->scope].word, (int)c->len,
                 c->subject, own);
    return buf;
}
