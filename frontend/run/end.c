/* SPDX-License-Identifier: GPL-2.0-only */
/* Outcome of a run and its reason, as text and as JSON. */
#include "run/end.h"

#include "base/units.h"
#include "run/interrupt.h"
#include "run/limits.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

uint64_t weft_peak_rss_bytes(void)
{
    struct rusage u;
    return getrusage(RUSAGE_SELF, &u) ? 0 : (uint64_t)u.ru_maxrss * 1024;
}

double weft_cpu_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

struct weft_run_clock weft_run_clock_start(void)
{
    return (struct weft_run_clock){.start_ns = weft_clock_monotonic_ns(NULL),
                                   .start_cpu_s = weft_cpu_s()};
}

void weft_run_clock_stop(struct weft_run_clock *c)
{
    c->cpu_s = weft_cpu_s() - c->start_cpu_s;
    c->wall_s = (double)(weft_clock_monotonic_ns(NULL) - c->start_ns) / 1e9;
}

void weft_run_clock_summarize(const struct weft_run_clock *c, struct weft_summary *m)
{
    m->wall_s = c->wall_s;
    m->cpu_s = c->cpu_s;
    m->events_per_s = c->cpu_s > 0 ? (double)m->net.events / c->cpu_s : 0;
    m->hops_per_s = c->cpu_s > 0 ? (double)m->net.packet_hops / c->cpu_s : 0;
    m->peak_rss_bytes = weft_peak_rss_bytes();
}

int weft_run_end_interrupted(struct weft_run_end *x, const struct weft_cli *cli)
{
    x->summary.outcome = WEFT_OUTCOME_INTERRUPTED;
    snprintf(x->reason, sizeof x->reason, "%s", weft_signal_reason(*cli->interrupted));
    weft_log(cli->log, WEFT_LOG_ERROR, "%s", x->reason);
    return WEFT_E_INTERRUPTED;
}

int weft_run_end_over_limit(struct weft_run_end *x, const struct weft_cli *cli,
                            const struct weft_slices *s)
{
    x->summary.outcome = WEFT_OUTCOME_OVER_LIMIT;
    weft_limits_text(&s->limits, weft_clock_monotonic_ns(NULL) - s->started_ns, x->reason,
                     sizeof x->reason);
    weft_log(cli->log, WEFT_LOG_ERROR, "%s", x->reason);
    return WEFT_E_LIMIT;
}

void weft_run_end_stall_text(const struct weft_slices *s, char *text, size_t size)
{
    char at[WEFT_UNIT_TEXT_MAX], after[WEFT_UNIT_TEXT_MAX];
    snprintf(text, size,
             "stalled at %s: packets go round, but no message has got any further for %s "
             "(run.stall-after)",
             weft_human_time(s->stalled_ps, at), weft_format_time(s->stall_after_ps, after));
}

void weft_run_end_sentence(void *ctx, const char *text)
{
    weft_log((struct weft_log *)ctx, WEFT_LOG_ERROR, "  %s", text);
}

struct explanation {
    struct weft_log *log;
    const char *reason; /* has been said */
};

static void say_once(void *ctx, const char *text)
{
    const struct explanation *x = (const struct explanation *)ctx;
    if (!strstr(x->reason, text))
        weft_run_end_sentence(x->log, text);
}

void weft_run_end_explain(const struct weft_cli *cli, struct weft_net *net, const char *reason,
                          const char *what)
{
    struct explanation x = {cli->log, reason};
    const uint64_t n = net->ops->explain(net, WEFT_EXPLAIN_MAX, say_once, &x);
    if (n > 1)
        weft_log(cli->log, WEFT_LOG_ERROR, "  in all, %" PRIu64 " %s are under way", n, what);
}

bool weft_run_end_broken(struct weft_run_end *x, const struct weft_cli *cli,
                         const struct weft_err *failed)
{
    if (failed->code != WEFT_E_OUTCOME)
        return false;
    x->code = failed->code;
    weft_log(cli->log, WEFT_LOG_ERROR, "%s", x->reason);
    return true;
}

void weft_run_end_add_failure(struct weft_run_end *x, struct weft_err *failed, struct weft_err *e)
{
    if (!failed->code && e->code)
        *failed = *e;
    if (failed->code) {
        x->summary.outcome = WEFT_OUTCOME_FAILED;
        weft_err_format(failed, x->reason, sizeof x->reason);
    }
    *e = (struct weft_err){0};
}

void weft_run_end_saved(const struct weft_cli *cli, const char *dir, const struct weft_err *failed)
{
    char files[1024];
    if (!dir || failed->code != WEFT_E_IO)
        return;
    weft_report_saved(dir, files, sizeof files);
    weft_log(cli->log, WEFT_LOG_ERROR, "what had happened until then is in %s: %s", dir,
             files[0] ? files : "nothing");
}

void weft_outcome_json(struct weft_json *j, enum weft_outcome outcome, const char *reason)
{
    weft_json_kv_str(j, "outcome", weft_outcome_name(outcome));
    weft_json_kv_str(j, "reason", reason[0] ? reason : NULL);
    weft_json_kv_bool(j, "partial", weft_outcome_is_partial(outcome));
}

void weft_warn_unlocked(const struct weft_cli *cli, const struct weft_report *report,
                        const char *dir)
{
    if (!weft_report_locked(report))
        weft_log(cli->log, WEFT_LOG_WARNING,
                 "%s: its file system has no locks: see to it that no other run writes there", dir);
}
