/* SPDX-License-Identifier: GPL-2.0-only */
/* Playing what `weft hpcc` has read, and writing the results. */
#include "base/units.h"
#include "cli/hpcc_run.h"
#include "cli/interrupt.h"

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
static int choose_series(struct weft_hpcc_run *r, struct weft_err *err)
{
    if (r->s->sample->what[0] && r->o->no_out)
        return weft_err_set(err, WEFT_E_INPUT,
                            "sample.what needs a run folder to write to: leave out --no-out");
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

static int prepare(struct weft_hpcc_run *r, struct weft_err *err)
{
    const struct weft_hpcc_config *c = r->job.config;
    struct weft_net_config config = weft_scenario_net_config(r->s, r->job.fabric);
    if (r->s->cc && r->s->cc->check && r->s->cc->check(r->s->cc_params, err))
        return weft_err_prepend(err, "%s", c->file);
    if (r->s->backend->check && r->s->backend->check(&config, err))
        return weft_err_prepend(err, "%s", c->file);
    if (choose_series(r, err) || weft_hpcc_run_name_outputs(r, err))
        return err->code;
    struct weft_report_config rc = {.dir = r->out_dir, .fabric = r->job.fabric};
    r->report = weft_report_new(&rc, err);
    if (!r->report)
        return err->code;
    weft_warn_unlocked(r->cli, r->report, r->out_dir);
    r->outcome = "interrupted";
    snprintf(r->end.reason, sizeof r->end.reason,
             "a signal ended the program before there were results");
    if (weft_signal_run_json_push(&r->on_signal, r->out_dir, weft_hpcc_run_json, r, err))
        return err->code;
    r->outcome = "running";
    r->end.reason[0] = '\0';
    if (weft_report_write_run(r->report, weft_hpcc_run_json, r, err))
        return err->code;
    const int64_t qlen_end_ps = qlen_end(r);
    struct weft_hpcc_play_config pc = {
        .fabric = r->job.fabric,
        .flows = r->job.flows,
        .payload_bytes = c->payload_bytes,
        .down_ps = c->link_down.after_us
                       ? c->flowgen_start_ps + (int64_t)c->link_down.after_us * WEFT_PS_PER_US
                       : WEFT_NEVER,
        .down_a = (uint32_t)c->link_down.a,
        .down_b = (uint32_t)c->link_down.b,
        .whole_ns = r->o->compat,
        .numbers_are_ports = has_ecmp_of_hpcc(r->s),
        .fct_path = r->out_dir ? r->paths[WEFT_HPCC_FCT] : NULL,
        .pfc_path = r->out_dir ? r->paths[WEFT_HPCC_PFC] : NULL,
        .qlen_path = r->out_dir && c->qlen_mon_file[0] && c->qlen_mon_start_ps < qlen_end_ps
                         ? r->paths[WEFT_HPCC_QLEN]
                         : NULL,
        .qlen_start_ps = c->qlen_mon_start_ps,
        .qlen_end_ps = qlen_end_ps,
        .inner = weft_report_net_observer(r->report),
    };
    r->play = weft_hpcc_play_new(&pc, err);
    if (!r->play)
        return err->code;
    config.observer = weft_hpcc_play_observer(r->play);
    config.out_dir = r->out_dir;
    config.interrupted = r->cli->interrupted;
    if (r->s->backend->create(&config, &r->net, err))
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

static int flush(void *ctx, struct weft_err *err)
{
    struct weft_hpcc_run *r = (struct weft_hpcc_run *)ctx;
    int code = weft_report_flush(r->report, err);
    if (!code && r->series)
        code = weft_series_flush(r->series, err);
    return code ? code : weft_hpcc_play_flush(r->play, err);
}

/* Names the outcome; explains flows that are not complete. */
static const char *name_outcome(struct weft_hpcc_run *r)
{
    const size_t left = r->job.flows->n - weft_hpcc_play_done(r->play);
    char at[WEFT_UNIT_TEXT_MAX], text[WEFT_ERR_MSG_MAX];
    r->end.reason[0] = '\0';
    if (left == 0)
        return "finished";
    if (*r->cli->interrupted) {
        r->end.code = weft_run_end_interrupted(&r->end, r->cli);
        return r->end.summary.outcome;
    }
    if (r->slices.over_limit) {
        r->end.code = weft_run_end_over_limit(&r->end, r->cli, &r->slices);
        return r->end.summary.outcome;
    }
    r->end.code = WEFT_E_OUTCOME;
    snprintf(r->end.reason, sizeof r->end.reason, "%zu of %zu flows are not complete at %s", left,
             r->job.flows->n, weft_human_time(r->net->ops->now_ps(r->net), at));
    weft_log(r->cli->log, WEFT_LOG_ERROR, "%s", r->end.reason);
    if (r->slices.stalled_ps) {
        weft_run_end_stall_text(&r->slices, text, sizeof text);
        weft_log(r->cli->log, WEFT_LOG_ERROR, "%s", text);
    }
    weft_run_end_explain(r->cli, r->net, "flows");
    return r->slices.stalled_ps ? "stalled" : "stopped-at-limit";
}

static void write_tables(struct weft_hpcc_run *r, struct weft_hpcc_bucket *buckets,
                         struct weft_err *failed)
{
    struct weft_err e = {0};
    size_t n;
    weft_hpcc_play_finish(r->play, r->slices.reached_ps, &e);
    weft_run_end_add_failure(&r->end, failed, &e);
    weft_report_flush(r->report, &e);
    weft_run_end_add_failure(&r->end, failed, &e);
    if (r->series)
        weft_series_finish(r->series, r->slices.reached_ps, &e);
    weft_run_end_add_failure(&r->end, failed, &e);
    weft_report_write_connections(r->report, r->net, &e);
    weft_run_end_add_failure(&r->end, failed, &e);
    weft_report_write_links(r->report, r->net, r->end.summary.elapsed_ps, &e);
    weft_run_end_add_failure(&r->end, failed, &e);
    struct weft_hpcc_fct *fcts = weft_hpcc_play_fcts(r->play, &n);
    weft_hpcc_slowdown(fcts, n, buckets);
    if (r->out_dir)
        weft_hpcc_slowdown_csv(r->paths[WEFT_HPCC_SLOWDOWN], buckets, &e);
    weft_run_end_add_failure(&r->end, failed, &e);
}

static void print_json(const struct weft_hpcc_run *r)
{
    struct weft_json j;
    weft_json_init(&j, r->cli->out, "standard output", 2);
    weft_json_object(&j);
    weft_json_kv_u64(&j, "schema_version", WEFT_JSON_SCHEMA_VERSION);
    weft_json_kv_str(&j, "command", "hpcc");
    weft_json_kv_str(&j, "out", r->out_dir);
    weft_hpcc_run_json(&j, r);
    weft_json_end_object(&j);
    weft_json_finish(&j, NULL);
}

/* Sums up, writes what comes last and prints, also of a run that @p failed. */
static void conclude(struct weft_hpcc_run *r, const struct weft_run_clock *clock,
                     struct weft_err *failed)
{
    struct weft_hpcc_bucket buckets[WEFT_HPCC_BUCKETS + 1];
    struct weft_summary *m = &r->end.summary;
    struct weft_err e = {0};
    const char *outcome = failed->code ? "failed" : name_outcome(r);
    int64_t reached_ps = 0;
    if (strcmp(outcome, "stopped-at-limit") == 0)
        reached_ps = r->s->run->until_ps;
    else if (strcmp(outcome, "finished") != 0)
        reached_ps = r->net->ops->now_ps(r->net);
    weft_report_summarize(r->report, r->net, NULL, reached_ps, m);
    m->scenario = weft_path_base(r->job.config->file);
    m->outcome = outcome;
    m->left_behind = r->slices.left_behind;
    weft_run_clock_summarize(clock, m);
    if (!failed->code)
        r->net->ops->check(r->net, &e);
    weft_run_end_add_failure(&r->end, failed, &e);
    write_tables(r, buckets, failed);
    weft_signal_run_json_pop(&r->on_signal);
    r->outcome = NULL;
    weft_report_write_run(r->report, weft_hpcc_run_json, r, &e);
    weft_run_end_add_failure(&r->end, failed, &e);
    if (!failed->code && !weft_outcome_is_partial(outcome))
        weft_report_mark_finished(r->report, outcome, &e);
    weft_run_end_add_failure(&r->end, failed, &e);
    weft_interrupt_saved();
    if (r->o->json)
        print_json(r);
    if (r->o->quiet || r->o->json)
        return;
    weft_summary_text(r->cli->out, m, r->job.fabric);
    if (buckets[WEFT_HPCC_BUCKETS].flows)
        weft_hpcc_slowdown_text(r->cli->out, buckets);
    if (r->out_dir)
        fprintf(r->cli->out, "results in %s/\n", r->out_dir);
}

/* Leaves the reason in the folder of a run that came to nothing. */
static void write_reason(struct weft_hpcc_run *r, const struct weft_err *err)
{
    struct weft_err ignored = {0};
    r->outcome = "failed";
    weft_err_format(err, r->end.reason, sizeof r->end.reason);
    if (r->report)
        weft_report_write_run(r->report, weft_hpcc_run_json, r, &ignored);
}

int weft_hpcc_run_play(struct weft_hpcc_run *r, struct weft_err *err)
{
    const int code = prepare(r, err);
    weft_interrupt_set(WEFT_INTERRUPT_DEFER); /* from here on there is something to save */
    if (code) {
        write_reason(r, err);
        return code;
    }
    struct weft_run_clock clock = weft_run_clock_start();
    for (size_t i = 0; i < r->job.flows->n; i++)
        r->volume_bytes += r->job.flows->list[i].bytes;
    r->slices = (struct weft_slices){
        .cli = r->cli,
        .net = r->net,
        .player = {r, is_done, first_error, faults_ahead, fill_progress, flush},
        .until_ps = r->s->run->until_ps,
        .stall_after_ps = r->s->run->stall_after_ps,
        .series = r->series,
        .limits = r->limits,
        .started_ns = r->started_ns,
        .progress = r->o->quiet ? NULL : r->cli->err,
        .progress_is_tty = r->cli->err_is_tty,
        .unit = "flows",
    };
    weft_slices_run(&r->slices, err);
    weft_run_clock_stop(&clock);
    conclude(r, &clock, err);
    return err->code ? err->code : r->end.code;
}

void weft_hpcc_run_release(struct weft_hpcc_run *r)
{
    weft_series_free(r->series);
    weft_series_choice_free(r->choice);
    if (r->net)
        r->net->ops->free(r->net);
    weft_hpcc_play_free(r->play);
    weft_signal_run_json_pop(&r->on_signal);
    weft_report_free(r->report);
    weft_scenario_free(r->s);
    weft_hpcc_profile_free(r->profile);
    weft_hpcc_job_free(&r->job);
}
