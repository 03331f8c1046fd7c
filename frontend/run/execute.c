/* SPDX-License-Identifier: GPL-2.0-only */
/* One run of a scenario: what is built, run and written, in this order. */
#include "run/execute.h"

#include "base/units.h"
#include "report/place.h"
#include "run/again.h"
#include "run/alone.h"
#include "run/cost.h"
#include "run/interrupt.h"
#include "run/run_state.h"
#include "run/run_json.h"
#include "run/signal_run_json.h"
#include "run/source.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* An observer of operations beside that of a job, which hears everything, and first. */
struct op_tap {
    struct weft_system_observer inner;
    void (*op)(void *ctx, const struct weft_op_record *record);
    void *ctx;
};

struct run {
    struct weft_run_state on; /* first */
    const struct weft_cli *cli;
    const struct weft_scenario *s;
    const struct weft_execute_opts *o;
    struct op_tap tap;                  /* o->op hears of operations by it */
    const struct weft_run_files *files; /* open; NULL: none */
    struct weft_report *report;
    uint64_t volume_bytes; /* payload that the workload moves; 0: nobody asked */
    bool alone;            /* each job is run alone, too */
    const char *out_dir;   /* NULL: no files */
    bool samples_optional;
    bool again; /* it is to begin again */
    struct weft_slices slices;
    struct weft_series *series; /* NULL: nothing is sampled */
    struct weft_signal_run_json on_signal;
};

static void op_tap_op(void *ctx, const struct weft_op_record *record)
{
    const struct op_tap *t = (const struct op_tap *)ctx;
    if (t->inner.op)
        t->inner.op(t->inner.ctx, record);
    t->op(t->ctx, record);
}

static void op_tap_phase(void *ctx, const struct weft_phase_record *record)
{
    const struct op_tap *t = (const struct op_tap *)ctx;
    if (t->inner.phase)
        t->inner.phase(t->inner.ctx, record);
}

static void op_tap_path(void *ctx, const struct weft_path_record *record)
{
    const struct op_tap *t = (const struct op_tap *)ctx;
    if (t->inner.path)
        t->inner.path(t->inner.ctx, record);
}

static struct weft_system_observer op_tap_observer(struct op_tap *t)
{
    return (struct weft_system_observer){t, op_tap_op, op_tap_phase, op_tap_path};
}

static void fill_progress(void *ctx, struct weft_progress_state *s)
{
    struct run *r = (struct run *)ctx;
    if (!r->volume_bytes)
        r->volume_bytes = weft_jobs_volume(r->on.jobs);
    s->total_bytes = r->volume_bytes;
    weft_jobs_progress(r->on.jobs, &s->done, &s->total);
}

static int execute_flush(void *ctx, struct weft_err *err)
{
    struct run *r = (struct run *)ctx;
    int code = weft_report_flush(r->report, err);
    if (!code && r->files)
        code = r->files->flush(r->files->ctx, err);
    return !code && r->series ? weft_series_flush(r->series, err) : code;
}

/* Which ranks and messages stand, and why. */
static void execute_explain(struct run *r, const struct weft_run_end *x)
{
    const uint64_t ranks =
        weft_jobs_explain(r->on.jobs, WEFT_EXPLAIN_MAX, weft_run_end_sentence, r->cli->log);
    if (ranks > WEFT_EXPLAIN_MAX)
        weft_log(r->cli->log, WEFT_LOG_ERROR, "  ... and %" PRIu64 " more ranks",
                 ranks - WEFT_EXPLAIN_MAX);
    weft_run_end_explain(r->cli, r->on.net, x->reason, "messages");
}

/* Names the outcome of a run that no error ended, and why it is not a better one. */
static int name_outcome(struct run *r, struct weft_run_end *x)
{
    const bool finished = weft_run_state_over(&r->on);
    char a[WEFT_UNIT_TEXT_MAX];
    x->reason[0] = '\0';
    if (finished) {
        x->summary.outcome = WEFT_OUTCOME_FINISHED;
        return 0;
    }
    if (*r->cli->interrupted)
        return weft_run_end_interrupted(x, r->cli);
    if (r->slices.over_limit)
        return weft_run_end_over_limit(x, r->cli, &r->slices);
    const bool at_limit = r->slices.until_ps && !r->slices.stalled_ps;
    if (at_limit && (r->s->run->measure_ps || weft_jobs_all_endless(r->on.jobs) ||
                     (weft_jobs_any_endless(r->on.jobs) && weft_jobs_ends_finished(r->on.jobs)))) {
        x->summary.outcome = WEFT_OUTCOME_MEASURED; /* as intended */
        return 0;
    }
    x->summary.outcome = at_limit ? WEFT_OUTCOME_STOPPED_AT_LIMIT : WEFT_OUTCOME_STALLED;
    if (at_limit)
        snprintf(x->reason, sizeof x->reason, "not finished at the limit run.until=%s",
                 weft_format_time(r->slices.until_ps, a));
    else if (r->slices.stalled_ps)
        weft_run_end_stall_text(&r->slices, x->reason, sizeof x->reason);
    else
        snprintf(x->reason, sizeof x->reason,
                 "stalled: nothing is left to happen, but not everything is done");
    weft_log(r->cli->log, WEFT_LOG_ERROR, "%s", x->reason);
    execute_explain(r, x);
    return WEFT_E_OUTCOME;
}

static void on_fault(void *ctx, const struct weft_fault_record *w)
{
    weft_report_fault(((struct run *)ctx)->report, w);
}

/* Lets go wrong what the scenario lists. */
static int prepare_faults(struct run *r, const struct weft_scenario_parts *parts,
                          struct weft_err *err)
{
    struct weft_fault_play play = {parts->faults, r->on.net, &r->on, weft_run_state_over, on_fault};
    if (!parts->faults)
        return 0;
    r->on.faults = weft_fault_player_new(&play, err);
    return r->on.faults ? 0 : err->code;
}

/* Opens the series that the scenario asks for. */
static int prepare_series(struct run *r, const struct weft_scenario_parts *parts,
                          const char *out_dir, struct weft_err *err)
{
    if (!parts->series)
        return 0;
    if (!out_dir && r->samples_optional)
        return 0;
    if (!out_dir)
        return weft_err_set(
            err, WEFT_E_INPUT,
            "sample.what needs a run folder to write to: leave out --no-out, or set "
            "sample.what=");
    r->series = weft_series_new(parts->series, r->on.net, out_dir, err);
    return r->series ? 0 : err->code;
}

/* Reports what is still wrong, and what the run did not live to see. */
static void conclude_faults(struct run *r)
{
    const size_t never = r->on.faults ? weft_fault_player_finish(r->on.faults) : 0;
    if (never)
        weft_log(r->cli->log, WEFT_LOG_WARNING,
                 "the run was over before all of fault.events: %zu failure%s did not happen", never,
                 never == 1 ? "" : "s");
}

int weft_execute_prepare(const struct weft_scenario *s, const struct weft_scenario_parts *parts,
                         const struct weft_net_config *config,
                         const struct weft_system_observer *observers, struct weft_report *report,
                         struct weft_net **net, struct weft_jobs **jobs, struct weft_err *err)
{
    *jobs = NULL;
    if (s->backend->create(config, net, err))
        return err->code;
    const struct weft_jobs_config jc = {.plans = parts->jobs,
                                        .n = parts->njobs,
                                        .system = s->system,
                                        .seed = s->run->seed,
                                        .fabric = parts->fabric,
                                        .manner = weft_scenario_manner(s, parts->fabric),
                                        .net = *net,
                                        .tuner = parts->tuner,
                                        .observers = observers,
                                        .requests = report ? weft_report_request : NULL,
                                        .requests_ctx = report,
                                        .keep_on = s->run->measure_ps > 0};
    *jobs = weft_jobs_new(&jc, err);
    return *jobs ? 0 : err->code;
}

/* Whether @p path lies in the folder whose real path is @p dir, as a file that a run writes. */
static bool is_replaced(const char *path, const char *dir)
{
    char real[WEFT_PATH_MAX];
    const size_t n = strlen(dir);
    return *path && realpath(path, real) && strncmp(real, dir, n) == 0 && real[n] == '/' &&
           weft_place_takes(real + n + 1);
}

/* Refuses a run into the folder @p dir (NULL: none) that would replace a file which the scenario
 * reads. */
static int keep_inputs(const struct weft_scenario *s, const char *dir, struct weft_err *err)
{
    char real[WEFT_PATH_MAX], buf[WEFT_PARAM_TEXT_MAX];
    if (!dir || !realpath(dir, real))
        return 0;
    for (size_t i = 0; i < s->ngroups; i++)
        for (size_t k = 0; k < s->groups[i].table->n; k++) {
            const struct weft_scenario_group *g = &s->groups[i];
            const char *name = g->table->params[k].name,
                       *path = weft_scenario_value_text(g, k, buf);
            if (weft_scenario_key_is_path(name) && is_replaced(path, real))
                return weft_err_set(err, WEFT_E_INPUT,
                                    "%s.%s: the run reads '%s' and would replace it: choose "
                                    "another folder for its results than '%s'",
                                    g->prefix, name, path, dir);
        }
    return 0;
}

/* Builds the net and the jobs over the parts of @p x. */
static int execute_prepare(struct run *r, struct weft_execution *x,
                           const struct weft_execute_opts *o, struct weft_err *err)
{
    const struct weft_scenario *s = r->s;
    if (r->cli->peers && (x->parts.series || o->needs & WEFT_METRIC_NEEDS_QUEUES))
        return weft_err_set(err, WEFT_E_ALONE, "%s looks at all of the fabric",
                            x->parts.series ? "sample.what" : WEFT_METRIC_MEAN_QUEUE);
    struct weft_report_config rc = {.dir = o->out_dir,
                                    .fabric = x->parts.fabric,
                                    .jobs = x->parts.jobs,
                                    .njobs = x->parts.njobs,
                                    .faults = x->parts.faults != NULL,
                                    .output = s->output};
    rc.transport = weft_scenario_own_transport(s);
    struct weft_scenario_classes others;
    weft_scenario_classes(s, &others);
    rc.tcp_classes = others.tcp;
    rc.uet_classes = others.uet;
    weft_scenario_window(s, &rc.from_ps, &rc.to_ps);
    if (keep_inputs(s, o->out_dir, err))
        return err->code;
    r->report = x->report = weft_report_new(&rc, err);
    if (!r->report)
        return err->code;
    weft_warn_unlocked(r->cli, r->report, o->out_dir);
    struct weft_run_json_source running = {r->cli, x, WEFT_OUTCOME_RUNNING, ""};
    struct weft_run_json_source interrupted = {
        r->cli, x, WEFT_OUTCOME_INTERRUPTED,
        "a signal, or the watchdog, ended the program before there were results"};
    if (weft_report_write_run(r->report, weft_run_json_of_scenario, &running, err) ||
        weft_signal_run_json_push(&r->on_signal, o->out_dir, weft_run_json_of_scenario,
                                  &interrupted, err))
        return err->code;
    struct weft_net_config config = weft_scenario_net_config(s, x->parts.fabric);
    config.observer = weft_report_net_observer(r->report);
    config.out_dir = o->out_dir;
    config.interrupted = r->cli->peers ? NULL : r->cli->interrupted;
    config.peers = r->cli->peers;
    config.links_stay = !x->parts.faults;
    if (x->files && x->files->open) {
        if (x->files->open(x->files->ctx, o->out_dir, x->parts.fabric, &config.observer, err))
            return err->code;
        r->files = x->files;
    }
    x->observers = (struct weft_system_observer *)calloc(x->parts.njobs, sizeof *x->observers);
    if (!x->observers)
        return weft_err_no_memory(err, "jobs");
    for (uint32_t i = 0; i < x->parts.njobs; i++)
        x->observers[i] = weft_report_system_observer(r->report, i);
    if (o->op) {
        r->tap = (struct op_tap){x->observers[0], o->op, o->op_ctx};
        x->observers[0] = op_tap_observer(&r->tap);
    }
    int code = weft_execute_prepare(s, &x->parts, &config, x->observers, r->report, &r->on.net,
                                    &r->on.jobs, err);
    if (!code)
        code = weft_memo_give(&x->memo, r->on.net, err);
    if (!code)
        code = prepare_series(r, &x->parts, o->out_dir, err);
    if (!code && o->needs & WEFT_METRIC_NEEDS_QUEUES)
        code = weft_report_note_queues(r->report, r->on.net, err);
    return code ? code : prepare_faults(r, &x->parts, err);
}

/* The simulated time that an unfinished run came to; 0: it has finished. */
static int64_t reached_ps(const struct run *r, enum weft_outcome outcome)
{
    const int64_t now_ps = r->on.net->ops->now_ps(r->on.net);
    if (outcome == WEFT_OUTCOME_FINISHED)
        return 0;
    if (outcome == WEFT_OUTCOME_STOPPED_AT_LIMIT || outcome == WEFT_OUTCOME_MEASURED)
        return r->slices.until_ps;
    return now_ps > 0 ? now_ps : 1; /* interrupted before anything happened */
}

struct algorithms {
    struct weft_arena *arena;
    const char **text; /* by kind of collective */
    const char *job;   /* of several; NULL: there is one */
};

static void add_algorithm(void *ctx, enum weft_coll_kind kind, const char *text)
{
    struct algorithms *a = (struct algorithms *)ctx;
    const char **at = &a->text[kind];
    if (*at && strstr(*at, text)) /* another job has it, too */
        return;
    *at = *at ? weft_arena_printf(a->arena, "%s; %s%s%s", *at, a->job ? a->job : "",
                                  a->job ? ": " : "", text)
              : weft_arena_strdup(a->arena, text);
}

/* Says in the summary how collectives were played. */
static int name_algorithms(const struct run *r, struct weft_execution *x, struct weft_err *err)
{
    struct algorithms a = {r->s->arena, x->end.summary.algorithm, NULL};
    for (uint32_t i = 0; i < x->parts.njobs; i++) {
        a.job = x->parts.njobs > 1 ? x->parts.jobs[i].name : NULL;
        const struct weft_system_env env = weft_scenario_job_env(r->s, &x->parts, i);
        if (x->parts.jobs[i].workload &&
            weft_system_algorithms(x->parts.jobs[i].workload, r->s->system, &env, add_algorithm, &a,
                                   err))
            return err->code;
    }
    return 0;
}

static void execute_close_files(struct run *r, struct weft_err *err)
{
    if (r->files)
        r->files->close(r->files->ctx, err);
    r->files = NULL;
}

/* Writes the tables of the end. */
static void write_tables(struct run *r, struct weft_execution *x, struct weft_err *failed)
{
    struct weft_summary *m = &x->end.summary;
    struct weft_err e = {0};
    weft_report_flush(r->report, &e);
    weft_run_end_add_failure(&x->end, failed, &e);
    execute_close_files(r, &e);
    weft_run_end_add_failure(&x->end, failed, &e);
    if (r->series)
        weft_series_finish(r->series, r->slices.reached_ps, &e);
    weft_run_end_add_failure(&x->end, failed, &e);
    weft_report_write_ranks(r->report, r->on.jobs, &e);
    weft_run_end_add_failure(&x->end, failed, &e);
    weft_report_write_dims(r->report, m, &e);
    weft_run_end_add_failure(&x->end, failed, &e);
    weft_report_write_connections(r->report, r->on.net, &e);
    weft_run_end_add_failure(&x->end, failed, &e);
    weft_report_write_links(r->report, r->on.net, m->elapsed_ps, &e);
    weft_run_end_add_failure(&x->end, failed, &e);
}

/* Runs each workload alone, now that all is known of them together. */
static void run_alone(struct run *r, struct weft_execution *x, struct weft_err *failed)
{
    struct weft_err e = {0};
    const int64_t stopped_ps = weft_jobs_stopped_ps(r->on.jobs);
    if (!x->end.summary.reports_jobs)
        weft_log(r->cli->log, WEFT_LOG_WARNING,
                 "--alone has no effect: the scenario has one workload, which is alone");
    weft_agreed_release(&r->on); /* there may be one at a time */
    weft_run_alone(r->cli, r->s, &x->parts, stopped_ps, r->slices.until_ps, &x->end.summary, &e);
    weft_run_end_add_failure(&x->end, failed, &e);
}

/* Says that the threads asked for had nothing to share. */
static void print_threads(const struct run *r)
{
    const struct weft_net_ops *ops = r->on.net->ops;
    struct weft_thread_figures f = {0};
    if (r->s->plain || weft_run_threads(r->s->run) < 2) /* or as many as there are processors */
        return;
    if (ops->threads)
        ops->threads(r->on.net, &f);
    if (f.windows == 0)
        weft_log(r->cli->log, WEFT_LOG_WARNING, "run.threads had no effect: %s",
                 ops->threads ? "no window that was simulated had nodes and events enough for "
                                "several threads (docs/explanation/threads-and-processes.md)"
                              : "this backend has no packets to share out");
}

/* Sums up and writes what comes last, also of a run that @p failed. */
static void execute_conclude(struct run *r, struct weft_execution *x,
                             const struct weft_run_clock *clock, struct weft_err *failed)
{
    struct weft_summary *m = &x->end.summary;
    struct weft_err e = {0};
    if (!failed->code)
        x->end.code = name_outcome(r, &x->end);
    const bool broken = weft_run_end_broken(&x->end, r->cli, failed);
    if (broken)
        execute_explain(r, &x->end);
    enum weft_outcome outcome = m->outcome;
    if (!failed->code)
        weft_jobs_reach(r->on.jobs, reached_ps(r, outcome));
    weft_jobs_conclude(r->on.jobs, &e);
    weft_run_end_add_failure(&x->end, failed, &e);
    if (failed->code != WEFT_E_ALONE) /* or one process plays them all again */
        conclude_faults(r);
    weft_report_summarize(r->report, r->on.net, r->on.jobs, reached_ps(r, outcome), m);
    name_algorithms(r, x, &e);
    weft_run_end_add_failure(&x->end, failed, &e);
    print_threads(r);
    weft_again_summarize(r->s, m);
    m->left_behind = r->slices.left_behind;
    m->victims = r->slices.victims;
    m->victim_ps = r->slices.victim_ps;
    m->scenario = r->s->name;
    m->outcome = failed->code ? WEFT_OUTCOME_FAILED : outcome;
    weft_run_clock_summarize(clock, m);
    x->summed_up = 1;
    char warm_up[WEFT_UNIT_TEXT_MAX];
    if (!failed->code && r->s->run->warm_up_ps > 0 && m->messages == 0)
        weft_log(r->cli->log, WEFT_LOG_WARNING,
                 "no message was posted after run.warm-up=%s and ended: statistics of messages are "
                 "empty",
                 weft_format_time(r->s->run->warm_up_ps, warm_up));
    write_tables(r, x, failed);
    if (!failed->code && !r->o->memo_stays)
        weft_memo_write(&x->memo, r->on.net, &e);
    weft_run_end_add_failure(&x->end, failed, &e);
    if (r->o->ended)
        r->o->ended(r->o->ended_ctx, r->on.jobs);
    if (r->alone && !failed->code && x->end.code == 0)
        run_alone(r, x, failed);
    weft_report_write_jobs(r->report, m, &e);
    weft_run_end_add_failure(&x->end, failed, &e);
    weft_signal_run_json_pop(&r->on_signal);
    struct weft_run_json_source rj = {r->cli, x, WEFT_OUTCOME_NONE, NULL};
    weft_report_write_run(r->report, weft_run_json_of_scenario, &rj, &e);
    weft_run_end_add_failure(&x->end, failed, &e);
    if (!failed->code && !weft_outcome_is_partial(m->outcome))
        weft_report_mark_finished(r->report, m->outcome, &e);
    weft_run_end_add_failure(&x->end, failed, &e);
    weft_run_end_saved(r->cli, r->out_dir, failed);
    if (broken) /* has been said */
        *failed = (struct weft_err){0};
}

/* Runs what was prepared, and writes the results. */
static int run_to_end(struct run *r, struct weft_execution *x, const struct weft_execute_opts *o,
                      struct weft_err *err)
{
    struct weft_run_clock clock = weft_run_clock_start();
    r->slices = (struct weft_slices){
        .cli = r->cli,
        .net = r->on.net,
        .player = {&r->on, weft_run_state_done, weft_run_state_error, weft_run_state_faults_ahead,
                   fill_progress, execute_flush},
        .until_ps = weft_scenario_until_ps(r->s),
        .stall_after_ps = r->s->run->stall_after_ps,
        .victims_ps = r->s->run->victims_ps,
        .by_events = r->s->replays || r->cli->peers,
        .series = r->series,
        .progress = o->progress,
        .progress_is_tty = o->progress_is_tty,
        .unit = "ops",
        .limits = o->limits,
        .started_ns = x->started_ns,
    };
    if (!weft_jobs_start(r->on.jobs, err) && !weft_slices_run(&r->slices, err))
        r->on.net->ops->check(r->on.net, err);
    weft_run_clock_stop(&clock);
    r->again = weft_again_wanted(r->cli, r->s, r->on.net, err);
    if (r->again)
        return err->code;
    weft_run_end_add_failure(&x->end, err, &(struct weft_err){0});
    execute_conclude(r, x, &clock, err);
    return err->code;
}

/* Says what a long run will cost, where progress is shown. */
static void print_cost(const struct run *r, const struct weft_execution *x)
{
    struct weft_cost cost;
    FILE *out = r->o->progress;
    if (!out || r->cli->peers ||
        !weft_cost_may_be_long(r->s, &x->parts, (double)weft_jobs_volume(r->on.jobs)))
        return;
    weft_cost_estimate_apart(r->cli, r->s, &x->parts, WEFT_COST_BUDGET_S, &cost);
    if (!cost.seen || cost.cpu_s < WEFT_COST_LONG_S)
        return;
    fputs("cost: ", out);
    weft_cost_text(out, &cost);
    fputc('\n', out);
}

/* Leaves the reason in the folder of a run that came to nothing. */
static void write_reason(struct run *r, struct weft_execution *x, const struct weft_err *err)
{
    struct weft_err ignored = {0};
    weft_err_format(err, x->end.reason, sizeof x->end.reason);
    struct weft_run_json_source rj = {r->cli, x, WEFT_OUTCOME_FAILED, x->end.reason};
    if (r->report)
        weft_report_write_run(r->report, weft_run_json_of_scenario, &rj, &ignored);
}

static int execute(const struct weft_cli *cli, struct weft_scenario *s,
                   const struct weft_execute_opts *o, struct weft_execution *x, bool *again,
                   struct weft_err *err)
{
    struct run r = {.cli = cli,
                    .s = s,
                    .o = o,
                    .alone = o->needs & WEFT_METRIC_NEEDS_ALONE,
                    .out_dir = o->out_dir,
                    .samples_optional = o->samples_optional};
    *x = (struct weft_execution){.scenario = s,
                                 .started_unix_s = (int64_t)time(NULL),
                                 .started_ns = weft_clock_monotonic_ns(NULL),
                                 .metrics = o->metrics,
                                 .nmetrics = o->nmetrics,
                                 .files = o->out_dir ? o->files : NULL};
    int code = weft_scenario_build(s, &x->parts, err);
    if (!code)
        weft_source_fabric_notes(cli, x->parts.fabric);
    weft_source_workload_notes(cli, &x->parts);
    if (!code)
        code = weft_source_advise(cli, s, &x->parts, err);
    if (!code)
        weft_source_scaled_notes(cli, s);
    if (!code)
        code = weft_memo_open(&x->memo, cli, s, x->parts.fabric, err);
    if (!code)
        code = execute_prepare(&r, x, o, err);
    if (!cli->peers) /* several processes can't all stop at the same moment */
        weft_interrupt_set(WEFT_INTERRUPT_DEFER); /* from here on there is something to save */
    if (code) {
        write_reason(&r, x, err);
    } else {
        print_cost(&r, x);
        code = run_to_end(&r, x, o, err);
    }
    weft_signal_run_json_pop(&r.on_signal);
    weft_series_free(r.series);
    weft_agreed_release(&r.on);
    execute_close_files(&r, NULL); /* after a failure before the run; the network has told it all */
    *again = r.again;
    return code;
}

int weft_execute(const struct weft_cli *cli, struct weft_scenario *s,
                 const struct weft_execute_opts *o, struct weft_execution *x, struct weft_err *err)
{
    bool again;
    const int code = execute(cli, s, o, x, &again, err);
    if (!again)
        return code;
    weft_execution_free(x);
    weft_again_begin(cli, s, err);
    if (o->again)
        o->again(o->op_ctx);
    return execute(cli, s, o, x, &again, err);
}

void weft_execution_free(struct weft_execution *x)
{
    weft_report_free(x->report);
    x->report = NULL;
    weft_memo_free(&x->memo);
    free(x->observers);
    x->observers = NULL;
    weft_scenario_parts_free(&x->parts);
}
