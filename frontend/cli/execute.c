/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One run. The net runs in slices of simulated time, so that between slices the program can show progress, hand rows to the
 * operating system and notice an interrupt; the slice follows the wall clock and has no influence on results: events
 * execute in the same order however they are cut, and the last slice always ends when nothing is left to do or at
 * the limit.
 */
#include "cli/execute.h"

#include "base/progress.h"
#include "base/units.h"
#include "cli/interrupt.h"
#include "cli/last_words.h"
#include "cli/source.h"
#include "cli/versions.h"
#include "net/watch.h"

#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <time.h>

/* Wall time that a slice aims at. */
#define SLICE_MIN_NS INT64_C(20000000)
#define SLICE_MAX_NS INT64_C(100000000)
/* Wall time between two flushes of the CSV files, and between two checks of the conservation laws. */
#define FLUSH_NS INT64_C(1000000000)
/* Most sentences that explain an unfinished run, from the net and from the system. */
#define EXPLAIN_MAX 10
/* Most sentences on messages that do not get on while others do. */
#define LEFT_BEHIND_MAX 3

struct run {
    const struct weft_cli *cli;
    const struct weft_scenario *s;
    struct weft_report *report;
    struct weft_net *net;
    struct weft_system *system;
    struct weft_fault_player *faults; /* NULL: nothing goes wrong */
    struct weft_progress progress;
    uint64_t volume_bytes; /* payload that the workload moves; 0: nobody asks */
    int64_t limit_ps;      /* WEFT_NEVER without a limit */
    struct weft_watch watch;
    int64_t stuck_ps; /* when nothing had got on for run.stall-after; 0: that did not happen */
    struct weft_run_words words;
};

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

/* Between slices. */
static int pause_between(struct run *r, int64_t now_ns, int64_t *flushed_ns, struct weft_err *err)
{
    if (weft_progress_due(&r->progress)) {
        struct weft_progress_state s = {.sim_ps = r->net->ops->now_ps(r->net),
                                        .done_bytes = weft_net_arrived_bytes(r->net),
                                        .total_bytes = r->volume_bytes};
        weft_system_progress(r->system, &s.done, &s.total);
        weft_progress_update(&r->progress, &s);
    }
    if (now_ns - *flushed_ns < FLUSH_NS)
        return 0;
    *flushed_ns = now_ns;
    if (weft_report_flush(r->report, err))
        return err->code;
    return r->net->ops->check(r->net, err);
}

static void left_behind(void *ctx, const char *text)
{
    weft_log((struct weft_log *)ctx, WEFT_LOG_WARNING, "  %s", text);
}

void weft_warn_left_behind(const struct weft_cli *cli, struct weft_watch *watch)
{
    char after[WEFT_UNIT_TEXT_MAX];
    const uint64_t n = weft_watch_left_behind(watch);
    if (!n)
        return;
    weft_log(
        cli->log, WEFT_LOG_WARNING,
        "%llu queue pairs or connections have made no progress for %s (run.stall-after), while "
        "others have:",
        (unsigned long long)n, weft_format_time(watch->after_ps, after));
    watch->net->ops->explain_stuck(watch->net, LEFT_BEHIND_MAX, left_behind, cli->log);
}

/* Runs until nothing is left, the limit, an error or an interrupt. */
static int run_slices(struct run *r, struct weft_err *err)
{
    int64_t slice_ps = 10 * WEFT_PS_PER_US, until_ps = 0;
    int64_t flushed_ns = weft_clock_monotonic_ns(NULL);
    struct weft_net_totals t;
    uint64_t events = 0;
    weft_watch_init(&r->watch, r->net, r->s->run->stall_after_ps);
    while (until_ps < r->limit_ps) {
        until_ps = slice_ps < r->limit_ps - until_ps ? until_ps + slice_ps : r->limit_ps;
        if (weft_system_finished(r->system))
            until_ps = r->limit_ps; /* only acknowledgements and timers are left */
        until_ps = weft_watch_until(&r->watch, until_ps);
        int64_t start_ns = weft_clock_monotonic_ns(NULL);
        if (r->net->ops->run(r->net, until_ps, err))
            return err->code;
        const struct weft_err *inside = weft_system_error(r->system);
        if (!inside->code && r->faults)
            inside = weft_fault_player_error(r->faults);
        if (inside->code) {
            *err = *inside;
            return err->code;
        }
        if (*r->cli->interrupted)
            return 0;
        const bool stuck = weft_watch_look(&r->watch, until_ps);
        if (stuck && !(r->faults && weft_fault_player_ahead(r->faults))) {
            r->stuck_ps = until_ps;
            return 0;
        }
        if (!stuck)
            weft_warn_left_behind(r->cli, &r->watch);
        int64_t now_ns = weft_clock_monotonic_ns(NULL);
        r->net->ops->totals(r->net, &t);
        if (t.events == events) /* a quiet stretch: a long computation, or nothing left */
            slice_ps = slice_ps < WEFT_NEVER / 16 ? 8 * slice_ps : WEFT_NEVER;
        else if (now_ns - start_ns < SLICE_MIN_NS)
            slice_ps = slice_ps < WEFT_NEVER / 4 ? 2 * slice_ps : slice_ps;
        else if (now_ns - start_ns > SLICE_MAX_NS && slice_ps > 2)
            slice_ps /= 2;
        events = t.events;
        if (pause_between(r, now_ns, &flushed_ns, err))
            return err->code;
    }
    return 0;
}

static void sentence(void *ctx, const char *text)
{
    weft_log((struct weft_log *)ctx, WEFT_LOG_ERROR, "  %s", text);
}

/* Names the outcome of a run that no error ended, and why it is not a better one. */
static int judge(struct run *r, struct weft_execution *x)
{
    int finished =
        weft_system_finished(r->system) && r->net->ops->explain(r->net, 0, sentence, NULL) == 0;
    char a[WEFT_UNIT_TEXT_MAX], b[WEFT_UNIT_TEXT_MAX];
    x->reason[0] = '\0';
    if (finished) {
        x->summary.outcome = "finished";
        return 0;
    }
    if (*r->cli->interrupted) {
        x->summary.outcome = "interrupted";
        snprintf(x->reason, sizeof x->reason, "%s", weft_signal_reason(*r->cli->interrupted));
        weft_log(r->cli->log, WEFT_LOG_ERROR, "%s", x->reason);
        return WEFT_E_INTERRUPTED;
    }
    int at_limit = r->limit_ps != WEFT_NEVER && !r->stuck_ps;
    x->summary.outcome = at_limit ? "stopped-at-limit" : "stalled";
    if (at_limit)
        snprintf(x->reason, sizeof x->reason, "not finished at the limit run.until=%s",
                 weft_format_time(r->limit_ps, a));
    else if (r->stuck_ps)
        snprintf(x->reason, sizeof x->reason, "stalled at %s: " WEFT_STUCK_TEXT,
                 weft_human_time(r->stuck_ps, a), weft_format_time(r->s->run->stall_after_ps, b));
    else
        snprintf(x->reason, sizeof x->reason,
                 "stalled: nothing is left to happen, but not everything is done");
    weft_log(r->cli->log, WEFT_LOG_ERROR, "%s", x->reason);
    uint64_t n = weft_system_explain(r->system, EXPLAIN_MAX, sentence, r->cli->log);
    if (n > EXPLAIN_MAX)
        weft_log(r->cli->log, WEFT_LOG_ERROR, "  ... and %llu more ranks",
                 (unsigned long long)(n - EXPLAIN_MAX));
    n = r->net->ops->explain(r->net, EXPLAIN_MAX, sentence, r->cli->log);
    if (n > EXPLAIN_MAX)
        weft_log(r->cli->log, WEFT_LOG_ERROR, "  ... and %llu more messages",
                 (unsigned long long)(n - EXPLAIN_MAX));
    return WEFT_E_OUTCOME;
}

/* What run.json says. */
struct run_json {
    const struct weft_cli *cli;
    const struct weft_execution *x;
    const char *outcome, *reason; /* without a summary; NULL: those of the execution, with it */
};

void weft_outcome_json(struct weft_json *j, const char *outcome, const char *reason)
{
    weft_json_kv_str(j, "outcome", outcome);
    weft_json_kv_str(j, "reason", reason[0] ? reason : NULL);
    weft_json_kv_bool(j, "partial", weft_outcome_is_partial(outcome));
}

static void fill_run_json(struct weft_json *j, const void *ctx)
{
    const struct run_json *c = (const struct run_json *)ctx;
    const struct weft_scenario *s = c->x->scenario;
    struct weft_version v[WEFT_VERSIONS];
    struct utsname host;
    char started[32] = "";
    struct tm tm;
    time_t t = (time_t)c->x->started_unix_s;
    weft_json_kv_str(j, "scenario", s->name);
    weft_json_kv_str(j, "file", s->file);
    if (c->outcome)
        weft_outcome_json(j, c->outcome, c->reason);
    else
        weft_outcome_json(j, c->x->summary.outcome, c->x->reason);
    weft_json_key(j, "versions");
    weft_json_object(j);
    weft_versions(c->cli, v);
    for (int i = 0; i < WEFT_VERSIONS; i++)
        weft_json_kv_str(j, v[i].name, v[i].value);
    weft_json_end_object(j);
    weft_json_key(j, "machine");
    weft_json_object(j);
    if (uname(&host) == 0) {
        weft_json_kv_str(j, "name", host.nodename);
        weft_json_kv_str(j, "kernel", host.release);
        weft_json_kv_str(j, "architecture", host.machine);
    }
    if (gmtime_r(&t, &tm))
        strftime(started, sizeof started, "%Y-%m-%dT%H:%M:%SZ", &tm);
    weft_json_kv_str(j, "started", started);
    weft_json_end_object(j);
    weft_json_key(j, "warnings");
    weft_source_warnings_json(j, s);
    weft_json_key(j, "config");
    weft_source_config_json(j, s);
    weft_json_key(j, "overrides");
    weft_json_array(j);
    for (size_t i = 0; i < s->ngroups; i++) {
        const struct weft_scenario_group *g = &s->groups[i];
        char key[160];
        if (g->selector && g->selected_from.kind == WEFT_ORIGIN_OVERRIDE) {
            snprintf(key, sizeof key, "%s.%s", g->element, g->selector);
            weft_json_str(j, key);
        }
        for (size_t k = 0; k < g->table->n; k++) {
            if (g->origins[k].kind != WEFT_ORIGIN_OVERRIDE)
                continue;
            snprintf(key, sizeof key, "%s.%s", g->prefix, g->table->params[k].name);
            weft_json_str(j, key);
        }
    }
    weft_json_end_array(j);
    if (!c->outcome) {
        weft_json_key(j, "summary");
        weft_summary_json(j, &c->x->summary, c->x->parts.fabric);
    }
}

static int is_over(void *ctx)
{
    return weft_system_finished(((const struct run *)ctx)->system);
}

static void on_fault(void *ctx, const struct weft_fault_record *w)
{
    weft_report_fault(((struct run *)ctx)->report, w);
}

/* Lets go wrong what the scenario lists. */
static int prepare_faults(struct run *r, const struct weft_scenario_parts *parts,
                          struct weft_err *err)
{
    struct weft_fault_play play = {parts->faults, r->net, r, is_over, on_fault};
    if (!parts->faults)
        return 0;
    r->faults = weft_fault_player_new(&play, err);
    return r->faults ? 0 : err->code;
}

/* Reports what is still wrong, and what the run did not live to see. */
static void conclude_faults(struct run *r)
{
    const size_t never = r->faults ? weft_fault_player_finish(r->faults) : 0;
    if (never)
        weft_log(r->cli->log, WEFT_LOG_WARNING,
                 "the run was over before all of trouble.events: %zu failures did not happen",
                 never);
}

int weft_execute_prepare(const struct weft_scenario *s, const struct weft_scenario_parts *parts,
                         const struct weft_net_config *config,
                         const struct weft_system_observer *observer, struct weft_net **net,
                         struct weft_system **system, struct weft_err *err)
{
    struct weft_dims dims;
    struct weft_system_env env = weft_scenario_system_env(s, parts->fabric, &dims);
    *system = NULL;
    if (s->backend->create(config, net, err))
        return err->code;
    *system = weft_system_new(parts->workload, s->system, &env, *net, observer, err);
    return *system ? 0 : err->code;
}

/* Builds the net and the system over the parts of @p x. */
static int prepare(struct run *r, struct weft_execution *x, const struct weft_execute_opts *o,
                   struct weft_err *err)
{
    const struct weft_scenario *s = r->s;
    struct weft_report_config rc = {o->out_dir, x->parts.fabric, x->parts.workload,
                                    x->parts.faults != NULL};
    r->report = x->report = weft_report_new(&rc, err);
    if (!r->report)
        return err->code;
    weft_warn_unlocked(r->cli, r->report, o->out_dir);
    struct run_json running = {r->cli, x, "running", ""};
    struct run_json interrupted = {r->cli, x, "interrupted",
                                   "a signal ended the program before there were results"};
    if (weft_report_write_run(r->report, fill_run_json, &running, err) ||
        weft_run_words_push(&r->words, o->out_dir, fill_run_json, &interrupted, err))
        return err->code;
    struct weft_net_config config = weft_scenario_net_config(s, x->parts.fabric);
    config.observer = weft_report_net_observer(r->report);
    config.out_dir = o->out_dir;
    config.interrupted = r->cli->interrupted;
    struct weft_system_observer so = weft_report_system_observer(r->report);
    int code = weft_execute_prepare(s, &x->parts, &config, &so, &r->net, &r->system, err);
    return code ? code : prepare_faults(r, &x->parts, err);
}

/* The simulated time that an unfinished run came to; 0: it has finished. */
static int64_t reached_ps(const struct run *r, const char *outcome)
{
    const int64_t now_ps = r->net->ops->now_ps(r->net);
    if (strcmp(outcome, "finished") == 0)
        return 0;
    if (strcmp(outcome, "stopped-at-limit") == 0)
        return r->limit_ps;
    return now_ps > 0 ? now_ps : 1; /* interrupted before anything happened */
}

struct algorithms {
    struct weft_arena *arena;
    const char **text; /* by kind of collective */
};

static void note_algorithm(void *ctx, enum weft_coll_kind kind, const char *text)
{
    struct algorithms *a = (struct algorithms *)ctx;
    const char **at = &a->text[kind];
    *at =
        *at ? weft_arena_printf(a->arena, "%s; %s", *at, text) : weft_arena_strdup(a->arena, text);
}

/* Says in the summary how collectives were played. */
static int name_algorithms(const struct run *r, struct weft_execution *x, struct weft_err *err)
{
    struct weft_dims dims;
    const struct weft_system_env env = weft_scenario_system_env(r->s, x->parts.fabric, &dims);
    struct algorithms a = {r->s->arena, x->summary.algorithm};
    return weft_system_algorithms(x->parts.workload, r->s->system, &env, note_algorithm, &a, err);
}

void weft_warn_unlocked(const struct weft_cli *cli, const struct weft_report *report,
                        const char *dir)
{
    if (!weft_report_locked(report))
        weft_log(cli->log, WEFT_LOG_WARNING,
                 "%s: its file system has no locks: see to it that no other run writes there", dir);
}

/* A failure while results are written: the first one counts, and what can be written is. */
static void note(struct weft_execution *x, struct weft_err *failed, struct weft_err *e)
{
    if (!failed->code && e->code)
        *failed = *e;
    if (failed->code) {
        x->summary.outcome = "failed";
        weft_err_format(failed, x->reason, sizeof x->reason);
    }
    *e = (struct weft_err){0};
}

/* Writes the tables of the end. */
static void write_tables(struct run *r, struct weft_execution *x, struct weft_err *failed)
{
    struct weft_summary *m = &x->summary;
    struct weft_err e = {0};
    weft_report_flush(r->report, &e);
    note(x, failed, &e);
    weft_report_write_ranks(r->report, r->system, &e);
    note(x, failed, &e);
    weft_report_write_dims(r->report, m, &e);
    note(x, failed, &e);
    weft_report_write_connections(r->report, r->net, &e);
    note(x, failed, &e);
    weft_report_write_links(r->report, r->net, m->elapsed_ps, &e);
    note(x, failed, &e);
}

/* Sums up and writes what comes last, also of a run that @p failed. */
static void conclude(struct run *r, struct weft_execution *x, double wall_s, double cpu_s,
                     struct weft_err *failed)
{
    struct weft_summary *m = &x->summary;
    struct weft_err e = {0};
    if (!failed->code)
        x->code = judge(r, x);
    const char *outcome = m->outcome;
    weft_system_conclude(r->system, &e);
    note(x, failed, &e);
    conclude_faults(r);
    weft_report_summarize(r->report, r->net, r->system, reached_ps(r, outcome), m);
    name_algorithms(r, x, &e);
    note(x, failed, &e);
    m->left_behind = r->watch.behind;
    m->scenario = r->s->name;
    m->outcome = failed->code ? "failed" : outcome;
    m->wall_s = wall_s;
    m->cpu_s = cpu_s;
    m->events_per_s = cpu_s > 0 ? (double)m->net.events / cpu_s : 0;
    m->hops_per_s = cpu_s > 0 ? (double)m->net.packet_hops / cpu_s : 0;
    m->peak_rss_bytes = weft_peak_rss_bytes();
    x->summed_up = 1;
    if (!failed->code)
        r->net->ops->check(r->net, &e);
    note(x, failed, &e);
    write_tables(r, x, failed);
    weft_run_words_pop(&r->words);
    struct run_json rj = {r->cli, x, NULL, NULL};
    weft_report_write_run(r->report, fill_run_json, &rj, &e);
    note(x, failed, &e);
    if (!failed->code && x->code != WEFT_E_INTERRUPTED)
        weft_report_mark_finished(r->report, m->outcome, &e);
    note(x, failed, &e);
}

/* Runs what was prepared, and writes the results. */
static int run_to_end(struct run *r, struct weft_execution *x, const struct weft_execute_opts *o,
                      struct weft_err *err)
{
    const int64_t start_ns = weft_clock_monotonic_ns(NULL);
    const double start_cpu_s = weft_cpu_s();
    weft_progress_init(&r->progress, o->progress, o->progress_is_tty, "ops", NULL, NULL);
    if (o->progress)
        r->volume_bytes = weft_system_volume(r->system);
    if (!weft_system_start(r->system, err))
        run_slices(r, err);
    const double cpu_s = weft_cpu_s() - start_cpu_s;
    const double wall_s = (double)(weft_clock_monotonic_ns(NULL) - start_ns) / 1e9;
    weft_progress_finish(&r->progress);
    note(x, err, &(struct weft_err){0});
    conclude(r, x, wall_s, cpu_s, err);
    return err->code;
}

/* Leaves the reason in the folder of a run that came to nothing. */
static void say_why(struct run *r, struct weft_execution *x, const struct weft_err *err)
{
    struct weft_err ignored = {0};
    weft_err_format(err, x->reason, sizeof x->reason);
    struct run_json rj = {r->cli, x, "failed", x->reason};
    if (r->report)
        weft_report_write_run(r->report, fill_run_json, &rj, &ignored);
}

int weft_execute(const struct weft_cli *cli, struct weft_scenario *s,
                 const struct weft_execute_opts *o, struct weft_execution *x, struct weft_err *err)
{
    struct run r = {
        .cli = cli, .s = s, .limit_ps = s->run->until_ps ? s->run->until_ps : WEFT_NEVER};
    *x = (struct weft_execution){.scenario = s, .started_unix_s = (int64_t)time(NULL)};
    int code = weft_scenario_build(s, &x->parts, err);
    if (!code)
        weft_source_fabric_notes(cli, x->parts.fabric);
    if (!code)
        code = weft_source_advise(cli, s, &x->parts, err);
    if (!code)
        code = prepare(&r, x, o, err);
    weft_interrupt_set(WEFT_INTERRUPT_DEFER); /* from here on there is something to save */
    if (code)
        say_why(&r, x, err);
    else
        code = run_to_end(&r, x, o, err);
    weft_run_words_pop(&r.words);
    weft_system_free(r.system);
    weft_fault_player_free(r.faults);
    if (r.net)
        r.net->ops->free(r.net);
    return code;
}

void weft_execution_free(struct weft_execution *x)
{
    weft_report_free(x->report);
    x->report = NULL;
    weft_scenario_parts_free(&x->parts);
}
