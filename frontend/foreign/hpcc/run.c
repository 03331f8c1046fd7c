/* SPDX-License-Identifier: GPL-2.0-only */
/* Playing what `weft hpcc` has read, and writing the results. */
#include "base/units.h"
#include "foreign/hpcc/run.h"
#include "run/again.h"
#include "run/interrupt.h"

#include <stdlib.h>
#include <string.h>

/* Whether switches hash as HPCC's do. */
static bool has_ecmp_of_hpcc(const struct weft_scenario *s)
{
    char text[WEFT_PARAM_TEXT_MAX];
    for (size_t g = 0; g < s->ngroups; g++)
        for (size_t k = 0; k < s->groups[g].table->n; k++)
            if (strcmp(s->groups[g].element, "transport") == 0 &&
                strcmp(s->groups[g].table->params[k].name, "ecmp") == 0)
                return strcmp(weft_scenario_value_text(&s->groups[g], k, text), "hpcc") == 0;
    return false;
}

/* Finds what is sampled. */
static int choose_series(struct weft_hpcc_run *r, bool samples_optional, struct weft_err *err)
{
    if (!r->out_dir && samples_optional)
        return 0;
    if (r->s->sample->what[0] && !r->out_dir)
        return weft_err_set(
            err, WEFT_E_INPUT,
            "sample.what needs a run folder to write to: leave out --no-out, or set "
            "sample.what=");
    return weft_scenario_choose_series(r->s, r->job.fabric, &r->choice, err);
}

static int open_series(struct weft_hpcc_run *r, struct weft_err *err)
{
    if (!r->choice)
        return 0;
    r->series = weft_series_new(r->choice, r->net, r->out_dir, err);
    return r->series ? 0 : err->code;
}

/* The end of queue samples: at the latest that of the run, and of a clock without end the last
 * start of a flow and 10 s. */
static int64_t qlen_end(const struct weft_hpcc_run *r)
{
    const struct weft_hpcc_flows *l = r->job.flows;
    const int64_t last_ps = l->n ? l->list[l->n - 1].start_ps : 0;
    int64_t end_ps = r->job.config->qlen_mon_end_ps;
    if (r->s->run->until_ps && r->s->run->until_ps < end_ps)
        end_ps = r->s->run->until_ps;
    return end_ps < WEFT_NEVER ? end_ps : last_ps + 10 * WEFT_PS_PER_S;
}

/* Opens the run folder. */
static int open_folder(struct weft_hpcc_run *r, struct weft_err *err)
{
    const struct weft_report_config rc = {
        .dir = r->out_dir, .fabric = r->job.fabric, .output = r->s->output};
    r->x.report = weft_report_new(&rc, err);
    if (!r->x.report)
        return err->code;
    weft_warn_unlocked(r->cli, r->x.report, r->out_dir);
    r->outcome = WEFT_OUTCOME_INTERRUPTED;
    snprintf(r->x.end.reason, sizeof r->x.end.reason,
             "a signal, or the watchdog, ended the program before there were results");
    if (weft_signal_run_json_push(&r->on_signal, r->out_dir, weft_hpcc_run_json, r, err))
        return err->code;
    r->outcome = WEFT_OUTCOME_RUNNING;
    r->x.end.reason[0] = '\0';
    return weft_report_write_run(r->x.report, weft_hpcc_run_json, r, err);
}

static const char *path_of(const struct weft_hpcc_run *r, enum weft_hpcc_file which)
{
    return r->out_dir && r->names[which] ? r->paths[which] : NULL;
}

static int make_player(struct weft_hpcc_run *r, struct weft_err *err)
{
    const struct weft_hpcc_config *c = r->job.config;
    const int64_t qlen_end_ps = qlen_end(r);
    const struct weft_hpcc_play_config pc = {
        .fabric = r->job.fabric,
        .flows = r->job.flows,
        .payload_bytes = c->payload_bytes,
        .down_ps = c->link_down.after_us
                       ? c->flowgen_start_ps + (int64_t)c->link_down.after_us * WEFT_PS_PER_US
                       : WEFT_NEVER,
        .down_a = (uint32_t)c->link_down.a,
        .down_b = (uint32_t)c->link_down.b,
        .whole_ns = r->taking.compat,
        .numbers_are_ports = has_ecmp_of_hpcc(r->s),
        .fct_path = path_of(r, WEFT_HPCC_FCT),
        .pfc_path = path_of(r, WEFT_HPCC_PFC),
        .qlen_path = c->qlen_mon_start_ps < qlen_end_ps ? path_of(r, WEFT_HPCC_QLEN) : NULL,
        .qlen_start_ps = c->qlen_mon_start_ps,
        .qlen_end_ps = qlen_end_ps,
        .mix_path = path_of(r, WEFT_HPCC_MIX),
        .traced = &r->job.traced,
        .pause_us = (uint64_t)(c->pause_time_ps / WEFT_PS_PER_US),
        .window_bytes = r->job.pairs.max_bdp_bytes,
        .inner = weft_report_net_observer(r->x.report),
    };
    r->play = weft_hpcc_play_new(&pc, err);
    return r->play ? 0 : err->code;
}

int weft_hpcc_run_check(struct weft_hpcc_run *r, struct weft_err *err)
{
    const struct weft_net_config config = weft_scenario_net_config(r->s, r->job.fabric);
    if (r->s->cc && r->s->cc->check && r->s->cc->check(r->s->cc_params, err))
        return weft_err_prepend(err, "%s", r->job.config->file);
    if (r->s->backend->check && r->s->backend->check(&config, err))
        return weft_err_prepend(err, "%s", r->job.config->file);
    return 0;
}

static int hpcc_run_prepare(struct weft_hpcc_run *r, const struct weft_execute_opts *o,
                            struct weft_err *err)
{
    struct weft_net_config config = weft_scenario_net_config(r->s, r->job.fabric);
    if (weft_hpcc_run_check(r, err) || weft_hpcc_run_name_outputs(r, o->out_dir, err) ||
        choose_series(r, o->samples_optional, err))
        return err->code;
    if (r->cli->peers && r->choice)
        return weft_err_set(err, WEFT_E_ALONE, "sample.what looks at all of the fabric");
    if (open_folder(r, err) || make_player(r, err))
        return err->code;
    config.observer = weft_hpcc_play_observer(r->play);
    config.out_dir = r->out_dir;
    config.interrupted = r->cli->peers ? NULL : r->cli->interrupted;
    config.peers = r->cli->peers;
    if (r->s->backend->create(&config, &r->net, err))
        return err->code;
    if (o->needs & WEFT_METRIC_NEEDS_QUEUES && weft_report_note_queues(r->x.report, r->net, err))
        return err->code;
    return open_series(r, err) ? err->code : weft_hpcc_play_start(r->play, r->net, err);
}

static bool is_done(void *ctx)
{
    const struct weft_hpcc_run *r = (const struct weft_hpcc_run *)ctx;
    return weft_hpcc_play_done(r->play) == r->job.flows->n;
}

static const struct weft_err *first_error(void *ctx)
{
    return weft_hpcc_play_error(((const struct weft_hpcc_run *)ctx)->play);
}

static bool faults_ahead(void *ctx)
{
    return weft_hpcc_play_ahead(((const struct weft_hpcc_run *)ctx)->play);
}

static void fill_progress(void *ctx, struct weft_progress_state *s)
{
    const struct weft_hpcc_run *r = (const struct weft_hpcc_run *)ctx;
    s->done = weft_hpcc_play_done(r->play);
    s->total = r->job.flows->n;
    s->total_bytes = r->volume_bytes;
}

static int hpcc_run_flush(void *ctx, struct weft_err *err)
{
    struct weft_hpcc_run *r = (struct weft_hpcc_run *)ctx;
    int code = weft_report_flush(r->x.report, err);
    if (!code && r->series)
        code = weft_series_flush(r->series, err);
    return code ? code : weft_hpcc_play_flush(r->play, err);
}

/* Names the outcome; explains flows that are not complete. */
static enum weft_outcome name_outcome(struct weft_hpcc_run *r)
{
    const size_t left = r->job.flows->n - weft_hpcc_play_done(r->play);
    char at[WEFT_UNIT_TEXT_MAX], text[WEFT_ERR_MSG_MAX];
    r->x.end.reason[0] = '\0';
    if (left == 0)
        return WEFT_OUTCOME_FINISHED;
    if (*r->cli->interrupted) {
        r->x.end.code = weft_run_end_interrupted(&r->x.end, r->cli);
        return r->x.end.summary.outcome;
    }
    if (r->slices.over_limit) {
        r->x.end.code = weft_run_end_over_limit(&r->x.end, r->cli, &r->slices);
        return r->x.end.summary.outcome;
    }
    r->x.end.code = WEFT_E_OUTCOME;
    snprintf(r->x.end.reason, sizeof r->x.end.reason, "%zu of %zu flows are not complete at %s",
             left, r->job.flows->n, weft_human_time(r->net->ops->now_ps(r->net), at));
    weft_log(r->cli->log, WEFT_LOG_ERROR, "%s", r->x.end.reason);
    if (r->slices.stalled_ps) {
        weft_run_end_stall_text(&r->slices, text, sizeof text);
        weft_log(r->cli->log, WEFT_LOG_ERROR, "%s", text);
    }
    weft_run_end_explain(r->cli, r->net, r->x.end.reason, "flows");
    return r->slices.stalled_ps ? WEFT_OUTCOME_STALLED : WEFT_OUTCOME_STOPPED_AT_LIMIT;
}

static void write_tables(struct weft_hpcc_run *r, struct weft_err *failed)
{
    struct weft_err e = {0};
    size_t n;
    weft_hpcc_play_finish(r->play, r->slices.reached_ps, &e);
    weft_run_end_add_failure(&r->x.end, failed, &e);
    weft_report_flush(r->x.report, &e);
    weft_run_end_add_failure(&r->x.end, failed, &e);
    if (r->series)
        weft_series_finish(r->series, r->slices.reached_ps, &e);
    weft_run_end_add_failure(&r->x.end, failed, &e);
    weft_report_write_connections(r->x.report, r->net, &e);
    weft_run_end_add_failure(&r->x.end, failed, &e);
    weft_report_write_links(r->x.report, r->net, r->x.end.summary.elapsed_ps, &e);
    weft_run_end_add_failure(&r->x.end, failed, &e);
    struct weft_hpcc_fct *fcts = weft_hpcc_play_fcts(r->play, &n);
    weft_hpcc_slowdown(fcts, n, r->buckets);
    if (r->out_dir)
        weft_hpcc_slowdown_csv(r->paths[WEFT_HPCC_SLOWDOWN], r->buckets, &e);
    weft_run_end_add_failure(&r->x.end, failed, &e);
}

/* Sums up and writes what comes last, also of a run that @p failed. */
static void hpcc_run_conclude(struct weft_hpcc_run *r, const struct weft_run_clock *clock,
                              struct weft_err *failed)
{
    struct weft_summary *m = &r->x.end.summary;
    struct weft_err e = {0};
    enum weft_outcome outcome = failed->code ? WEFT_OUTCOME_FAILED : name_outcome(r);
    const bool broken = weft_run_end_broken(&r->x.end, r->cli, failed);
    if (broken)
        weft_run_end_explain(r->cli, r->net, r->x.end.reason, "flows");
    int64_t reached_ps = 0;
    if (outcome == WEFT_OUTCOME_STOPPED_AT_LIMIT)
        reached_ps = r->s->run->until_ps;
    else if (outcome != WEFT_OUTCOME_FINISHED)
        reached_ps = r->net->ops->now_ps(r->net);
    weft_report_summarize(r->x.report, r->net, NULL, reached_ps, m);
    m->scenario = weft_path_base(r->job.config->file);
    m->outcome = outcome;
    weft_again_summarize(r->s, m);
    m->left_behind = r->slices.left_behind;
    m->victims = r->slices.victims;
    m->victim_ps = r->slices.victim_ps;
    weft_run_clock_summarize(clock, m);
    r->x.summed_up = 1;
    write_tables(r, failed);
    weft_signal_run_json_pop(&r->on_signal);
    r->outcome = WEFT_OUTCOME_NONE;
    weft_report_write_run(r->x.report, weft_hpcc_run_json, r, &e);
    weft_run_end_add_failure(&r->x.end, failed, &e);
    if (!failed->code && !weft_outcome_is_partial(outcome))
        weft_report_mark_finished(r->x.report, outcome, &e);
    weft_run_end_add_failure(&r->x.end, failed, &e);
    if (broken) /* has been said */
        *failed = (struct weft_err){0};
}

void weft_hpcc_run_text(FILE *out, const struct weft_hpcc_run *r)
{
    if (r->buckets[WEFT_HPCC_BUCKETS].flows)
        weft_hpcc_slowdown_text(out, r->buckets);
}

/* Leaves the reason in the folder of a run that came to nothing. */
static void write_reason(struct weft_hpcc_run *r, const struct weft_err *err)
{
    struct weft_err ignored = {0};
    r->outcome = WEFT_OUTCOME_FAILED;
    weft_err_format(err, r->x.end.reason, sizeof r->x.end.reason);
    if (r->x.report)
        weft_report_write_run(r->x.report, weft_hpcc_run_json, r, &ignored);
}

static void run_to_end(struct weft_hpcc_run *r, const struct weft_execute_opts *o,
                       struct weft_err *err)
{
    struct weft_run_clock clock = weft_run_clock_start();
    r->volume_bytes = 0;
    for (size_t i = 0; i < r->job.flows->n; i++)
        r->volume_bytes += r->job.flows->list[i].bytes;
    r->slices = (struct weft_slices){
        .cli = r->cli,
        .net = r->net,
        .player = {r, is_done, first_error, faults_ahead, fill_progress, hpcc_run_flush},
        .until_ps = r->s->run->until_ps,
        .stall_after_ps = r->s->run->stall_after_ps,
        .victims_ps = r->s->run->victims_ps,
        .by_events = r->s->replays || r->cli->peers,
        .series = r->series,
        .limits = o->limits,
        .started_ns = r->x.started_ns,
        .progress = o->progress,
        .progress_is_tty = o->progress_is_tty,
        .unit = "flows",
    };
    if (!weft_slices_run(&r->slices, err))
        r->net->ops->check(r->net, err);
    weft_run_clock_stop(&clock);
    r->again = weft_again_wanted(r->cli, r->s, r->net, err);
    if (!r->again)
        hpcc_run_conclude(r, &clock, err);
}

/* What is needed only while it runs. */
static void release_net(struct weft_hpcc_run *r)
{
    weft_series_free(r->series);
    weft_series_choice_free(r->choice);
    if (r->net)
        r->net->ops->free(r->net);
    weft_hpcc_play_free(r->play);
    r->series = NULL;
    r->choice = NULL;
    r->net = NULL;
    r->play = NULL;
}

static int hpcc_run_play(struct weft_hpcc_run *r, const struct weft_execute_opts *o,
                         struct weft_err *err)
{
    r->x.metrics = o->metrics;
    r->x.nmetrics = o->nmetrics;
    const int code = hpcc_run_prepare(r, o, err);
    if (!r->cli->peers)                           /* they can't all stop at the same moment */
        weft_interrupt_set(WEFT_INTERRUPT_DEFER); /* from here on there is something to save */
    if (code)
        write_reason(r, err);
    else
        run_to_end(r, o, err);
    weft_signal_run_json_pop(&r->on_signal);
    release_net(r);
    return err->code;
}

int weft_hpcc_run_play(struct weft_hpcc_run *r, const struct weft_execute_opts *o,
                       struct weft_err *err)
{
    const int code = hpcc_run_play(r, o, err);
    if (!r->again)
        return code;
    weft_report_free(r->x.report);
    r->x.report = NULL;
    weft_again_begin(r->cli, r->s, err);
    return hpcc_run_play(r, o, err);
}

void weft_hpcc_run_release(struct weft_hpcc_run *r)
{
    release_net(r);
    weft_signal_run_json_pop(&r->on_signal);
    weft_report_free(r->x.report);
    weft_scenario_free(r->s);
    weft_hpcc_profile_free(r->profile);
    weft_hpcc_job_free(&r->job);
    free(r->sets);
}
