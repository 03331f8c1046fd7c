/* SPDX-License-Identifier: GPL-2.0-only */
/* weft hpcc: runs a configuration of the HPCC simulator. */
#include "base/progress.h"
#include "base/units.h"
#include "cli/cli.h"
#include "cli/execute.h"
#include "cli/interrupt.h"
#include "cli/last_words.h"
#include "cli/source.h"
#include "congestion/cc.h"
#include "hpcc/job.h"
#include "hpcc/play.h"
#include "hpcc/profile.h"
#include "net/watch.h"
#include "report/place.h"
#include "report/report.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct hpcc_opts {
    struct weft_source_opts source;
    const char *config, *control, *out;
    int compat, flow_format, no_out, quiet, show;
};

static const struct weft_opt options[] = {
    {"config", 'c', WEFT_OPT_TEXT, offsetof(struct hpcc_opts, config), "FILE", NULL,
     "HPCC's config.txt"},
    {"compat", 0, WEFT_OPT_FLAG, offsetof(struct hpcc_opts, compat), NULL, NULL,
     "wire sizes, rounding, ACKs, buffer and hash as in the simulator"},
    {"control", 0, WEFT_OPT_TEXT, offsetof(struct hpcc_opts, control), "NAME", NULL,
     "weft's NAME with its own defaults in place of CC_MODE; names: weft list cc"},
    WEFT_SOURCE_OPTS(hpcc_opts),
    {"out", 'o', WEFT_OPT_TEXT, offsetof(struct hpcc_opts, out), "DIR", NULL,
     "run folder; default out/NAME of the configuration's folder"},
    {"no-out", 0, WEFT_OPT_FLAG, offsetof(struct hpcc_opts, no_out), NULL, NULL, "write no files"},
    {"flow-format", 0, WEFT_OPT_CHOICE, offsetof(struct hpcc_opts, flow_format), NULL,
     "hpcc|conweave", "columns of the flow list; conweave has no port"},
    {"show-settings", 0, WEFT_OPT_FLAG, offsetof(struct hpcc_opts, show), NULL, NULL,
     "print the resolved settings instead of running"},
    {"quiet", 'q', WEFT_OPT_FLAG, offsetof(struct hpcc_opts, quiet), NULL, NULL,
     "no summary and no progress; errors and warnings only"},
};

/* Wall time that a slice of the run aims at, and between two flushes of the files. */
#define SLICE_MIN_NS INT64_C(20000000)
#define SLICE_MAX_NS INT64_C(100000000)
#define FLUSH_NS INT64_C(1000000000)
enum { EXPLAIN_MAX = 10, PATHS = 4 };

struct run {
    const struct weft_cli *cli;
    const struct hpcc_opts *o;
    struct weft_hpcc_job job;
    struct weft_hpcc_profile *profile;
    struct weft_scenario *s;
    struct weft_report *report;
    struct weft_hpcc_play *play;
    struct weft_net *net;
    const char *out_dir;
    char dir[WEFT_PATH_MAX], paths[PATHS][WEFT_PATH_MAX];
    const char *names[PATHS]; /* of the files in the folder; NULL: not written */
    struct weft_summary summary;
    int64_t stuck_ps; /* when nothing had got on for run.stall-after; 0: that did not happen */
    struct weft_run_words words;
    const char *outcome;                               /* of a run without a summary */
    char reason[WEFT_ERR_MSG_MAX + WEFT_ERR_FILE_MAX]; /* why it is not "finished"; "": it is */
    int code; /* what the outcome means for the exit code */
};
enum { FCT, PFC, QLEN, SLOWDOWN };

/* Settings that the configuration makes, and where. */
static int check_free(const char *set, struct weft_err *err)
{
    static const struct {
        const char *prefix, *why;
    } fixed[] = {
        {"topology.", "topology and flows are those of the configuration"},
        {"workload.", "topology and flows are those of the configuration"},
        {"system.", "topology and flows are those of the configuration"},
        {"trouble.", "what goes wrong is LINK_DOWN of the configuration and the error rates of its "
                     "topology"},
        {"congestion-control.name=", "it is that of CC_MODE; another in its place: --control NAME"},
    };
    for (size_t k = 0; k < sizeof fixed / sizeof fixed[0]; k++)
        if (strncmp(set, fixed[k].prefix, strlen(fixed[k].prefix)) == 0)
            return weft_err_set(err, WEFT_E_INPUT, "--set %s: %s", set, fixed[k].why);
    return 0;
}

static int resolve(struct run *r, struct weft_err *err)
{
    const struct hpcc_opts *o = r->o;
    struct weft_hpcc_profile_input in = {r->job.config, r->job.topology_path, r->job.fabric,
                                         r->job.flows,  &r->job.pairs,        o->compat,
                                         o->control};
    if (o->control && !weft_cc_find(o->control, err))
        return weft_err_prepend(err, "--control");
    r->profile = weft_hpcc_profile_new(&in, err);
    if (!r->profile)
        return err->code;
    size_t n = r->profile->nsets, implied = n;
    const char **sets =
        (const char **)calloc(n + o->source.set.n + WEFT_SOURCE_SHORTS, sizeof *sets);
    char *texts = NULL;
    if (!sets)
        return weft_err_set(err, WEFT_E_LIMIT, "out of memory for a run");
    memcpy(sets, r->profile->sets, n * sizeof *sets);
    int code = 0;
    for (size_t i = 0; !code && i < o->source.set.n; i++) {
        sets[n++] = o->source.set.list[i];
        code = check_free(sets[n - 1], err);
    }
    if (!code)
        code = weft_source_shorts(&o->source, sets, &n, &texts, err);
    struct weft_scenario_options so = {r->cli->backends, r->cli->nbackends, sets, n, implied};
    if (!code)
        code = weft_scenario_load(NULL, &so, &r->s, err);
    free(texts);
    free(sets);
    if (!code)
        code = weft_scenario_warn_pauses(r->s, r->job.fabric, err);
    for (size_t i = 0; !code && i < r->profile->nwarnings; i++)
        weft_log(r->cli->log, WEFT_LOG_WARNING, "%s", r->profile->warnings[i]);
    for (size_t i = 0; !code && i < r->s->nwarnings; i++)
        weft_log(r->cli->log, WEFT_LOG_WARNING, "%s", r->s->warnings[i]);
    return code;
}

/* A file of the configuration's may be called neither as one of weft's nor as an earlier one of its own. */
static int check_name(const struct run *r, const char *const *keys, int i, struct weft_err *err)
{
    const char *name = r->names[i];
    if (!name[0] || name[0] == '.')
        weft_err_set(err, WEFT_E_INPUT, "must end in the name of a file, not '%s'", name);
    else if (weft_place_takes(name))
        weft_err_set(err, WEFT_E_INPUT,
                     "weft itself writes a '%s' into the run folder: choose another name", name);
    for (int k = 0; k < i && !err->code; k++)
        if (strcmp(r->names[k], name) == 0)
            weft_err_set(err, WEFT_E_INPUT,
                         "%s has the same name, '%s', and both lie in the run folder", keys[k],
                         name);
    if (!err->code)
        return 0;
    weft_err_prepend(err, "%s", keys[i]);
    return weft_err_locate(err, r->job.config->file, 0, 0);
}

/* Names the run folder and HPCC's files in it. */
static int name_outputs(struct run *r, struct weft_err *err)
{
    const struct weft_hpcc_config *c = r->job.config;
    char dir[WEFT_PATH_MAX];
    if (r->o->no_out)
        return 0;
    if (weft_path_dir(dir, c->file, err))
        return err->code;
    const char *name = weft_path_base(dir);
    if (!name[0] || strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
        name = "hpcc";
    if (weft_path_join(r->dir, "out", name, err))
        return err->code;
    r->out_dir = r->o->out ? r->o->out : r->dir;
    static const char *const keys[] = {"FCT_OUTPUT_FILE", "PFC_OUTPUT_FILE", "QLEN_MON_FILE"};
    r->names[FCT] = weft_path_base(c->fct_output_file);
    r->names[PFC] = weft_path_base(c->pfc_output_file);
    r->names[QLEN] = c->qlen_mon_file[0] ? weft_path_base(c->qlen_mon_file) : NULL;
    r->names[SLOWDOWN] = "fct_slowdown.csv";
    for (int i = 0; i < SLOWDOWN; i++)
        if (r->names[i] && check_name(r, keys, i, err))
            return err->code;
    for (int i = 0; i < PATHS; i++)
        if (r->names[i] && weft_path_join(r->paths[i], r->out_dir, r->names[i], err))
            return err->code;
    return 0;
}

static void fill_run_json(struct weft_json *j, const void *ctx)
{
    const struct run *r = (const struct run *)ctx;
    weft_json_kv_str(j, "scenario", r->s->name);
    weft_json_kv_str(j, "file", r->job.config->file);
    weft_json_kv_bool(j, "compat", r->o->compat);
    weft_outcome_json(j, r->outcome ? r->outcome : r->summary.outcome, r->reason);
    weft_json_key(j, "files");
    weft_json_array(j);
    for (int i = 0; i < PATHS; i++)
        if (r->names[i])
            weft_json_str(j, r->names[i]);
    weft_json_end_array(j);
    weft_json_key(j, "warnings");
    weft_json_array(j);
    for (size_t i = 0; i < r->profile->nwarnings; i++)
        weft_json_str(j, r->profile->warnings[i]);
    for (size_t i = 0; i < r->s->nwarnings; i++)
        weft_json_str(j, r->s->warnings[i]);
    weft_json_end_array(j);
    weft_json_key(j, "config");
    weft_source_config_json(j, r->s);
    if (!r->outcome) {
        weft_json_key(j, "summary");
        weft_summary_json(j, &r->summary, r->job.fabric);
    }
}

/* HPCC counts all queues of a port together. */
static uint64_t port_queue_bytes(void *ctx, uint32_t port)
{
    const struct weft_net *net = ((const struct run *)ctx)->net;
    uint64_t bytes = 0;
    for (uint32_t prio = 0; prio < WEFT_NET_PRIOS; prio++)
        bytes += net->ops->queue_bytes(net, port, prio);
    return bytes;
}

static int prepare(struct run *r, struct weft_err *err)
{
    const struct weft_hpcc_config *c = r->job.config;
    struct weft_net_config config = weft_scenario_net_config(r->s, r->job.fabric);
    if (r->s->cc && r->s->cc->check && r->s->cc->check(r->s->cc_params, err))
        return weft_err_prepend(err, "%s", c->file);
    if (r->s->backend->check && r->s->backend->check(&config, err))
        return weft_err_prepend(err, "%s", c->file);
    if (name_outputs(r, err))
        return err->code;
    struct weft_report_config rc = {r->out_dir, r->job.fabric, NULL};
    r->report = weft_report_new(&rc, err);
    if (!r->report)
        return err->code;
    weft_warn_unlocked(r->cli, r->report, r->out_dir);
    r->outcome = "interrupted";
    snprintf(r->reason, sizeof r->reason, "a signal ended the program before there were results");
    if (weft_run_words_push(&r->words, r->out_dir, fill_run_json, r, err))
        return err->code;
    r->outcome = "running";
    r->reason[0] = '\0';
    if (weft_report_write_run(r->report, fill_run_json, r, err))
        return err->code;
    struct weft_hpcc_play_config pc = {
        .fabric = r->job.fabric,
        .flows = r->job.flows,
        .payload_bytes = c->payload_bytes,
        .down_ps = c->link_down.after_us
                       ? 2 * WEFT_PS_PER_S + (int64_t)c->link_down.after_us * WEFT_PS_PER_US
                       : WEFT_NEVER,
        .down_a = (uint32_t)c->link_down.a,
        .down_b = (uint32_t)c->link_down.b,
        .whole_ns = r->o->compat,
        .fct_path = r->out_dir ? r->paths[FCT] : NULL,
        .pfc_path = r->out_dir ? r->paths[PFC] : NULL,
        .qlen_path = r->out_dir && c->qlen_mon_file[0] && c->qlen_mon_start_ps < c->qlen_mon_end_ps
                         ? r->paths[QLEN]
                         : NULL,
        .qlen_start_ps = c->qlen_mon_start_ps,
        .qlen_end_ps = c->qlen_mon_end_ps,
        .queues = {r, port_queue_bytes},
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
    return weft_hpcc_play_start(r->play, r->net, err);
}

/* Runs to the end in slices that follow the wall clock; how it is cut does not matter. */
static int run_slices(struct run *r, int64_t limit_ps, struct weft_err *err)
{
    struct weft_progress progress;
    FILE *to = r->cli->err_is_tty && !r->o->quiet ? r->cli->err : NULL;
    int64_t slice_ps = 10 * WEFT_PS_PER_US, until_ps = 0;
    int64_t flushed_ns = weft_clock_monotonic_ns(NULL);
    struct weft_net_totals t;
    uint64_t events = 0, volume_bytes = 0;
    struct weft_watch watch;
    int code = 0;
    for (size_t i = 0; i < r->job.flows->n; i++)
        volume_bytes += r->job.flows->list[i].bytes;
    weft_watch_init(&watch, r->net, r->s->run->stall_after_ps);
    weft_progress_init(&progress, to, r->cli->err_is_tty, "flows", NULL, NULL);
    while (!code && until_ps < limit_ps && !*r->cli->interrupted) {
        until_ps = slice_ps < limit_ps - until_ps ? until_ps + slice_ps : limit_ps;
        if (weft_hpcc_play_done(r->play) == r->job.flows->n)
            until_ps = limit_ps;
        until_ps = weft_watch_until(&watch, until_ps);
        int64_t start_ns = weft_clock_monotonic_ns(NULL);
        code = r->net->ops->run(r->net, until_ps, err);
        const struct weft_err *inside = weft_hpcc_play_error(r->play);
        if (!code && inside->code) {
            *err = *inside;
            code = err->code;
        }
        const bool stuck = !code && weft_watch_look(&watch, until_ps);
        if (stuck && !weft_hpcc_play_ahead(r->play)) {
            r->stuck_ps = until_ps;
            break;
        }
        if (!code && !stuck)
            weft_warn_left_behind(r->cli, &watch);
        int64_t now_ns = weft_clock_monotonic_ns(NULL);
        r->net->ops->totals(r->net, &t);
        if (t.events == events)
            slice_ps = slice_ps < WEFT_NEVER / 16 ? 8 * slice_ps : WEFT_NEVER;
        else if (now_ns - start_ns < SLICE_MIN_NS)
            slice_ps = slice_ps < WEFT_NEVER / 4 ? 2 * slice_ps : slice_ps;
        else if (now_ns - start_ns > SLICE_MAX_NS && slice_ps > 2)
            slice_ps /= 2;
        events = t.events;
        if (weft_progress_due(&progress)) {
            const struct weft_progress_state s = {.sim_ps = r->net->ops->now_ps(r->net),
                                                  .done = weft_hpcc_play_done(r->play),
                                                  .total = r->job.flows->n,
                                                  .done_bytes = weft_net_arrived_bytes(r->net),
                                                  .total_bytes = volume_bytes};
            weft_progress_update(&progress, &s);
        }
        if (!code && now_ns - flushed_ns >= FLUSH_NS) {
            flushed_ns = now_ns;
            code = weft_report_flush(r->report, err);
            if (!code)
                code = weft_hpcc_play_flush(r->play, err);
            if (!code)
                code = r->net->ops->check(r->net, err);
        }
    }
    weft_progress_finish(&progress);
    return code;
}

static void sentence(void *ctx, const char *text)
{
    weft_log((struct weft_log *)ctx, WEFT_LOG_ERROR, "  %s", text);
}

/* Names the outcome; explains flows that are not complete. */
static const char *judge(struct run *r)
{
    size_t left = r->job.flows->n - weft_hpcc_play_done(r->play);
    char at[WEFT_UNIT_TEXT_MAX], after[WEFT_UNIT_TEXT_MAX];
    r->reason[0] = '\0';
    if (left == 0)
        return "finished";
    if (*r->cli->interrupted) {
        r->code = WEFT_E_INTERRUPTED;
        snprintf(r->reason, sizeof r->reason, "%s", weft_signal_reason(*r->cli->interrupted));
        weft_log(r->cli->log, WEFT_LOG_ERROR, "%s", r->reason);
        return "interrupted";
    }
    r->code = WEFT_E_OUTCOME;
    snprintf(r->reason, sizeof r->reason, "%zu of %zu flows are not complete at %s", left,
             r->job.flows->n, weft_human_time(r->net->ops->now_ps(r->net), at));
    weft_log(r->cli->log, WEFT_LOG_ERROR, "%s", r->reason);
    if (r->stuck_ps)
        weft_log(r->cli->log, WEFT_LOG_ERROR, "stalled at %s: " WEFT_STUCK_TEXT,
                 weft_human_time(r->stuck_ps, at),
                 weft_format_time(r->s->run->stall_after_ps, after));
    uint64_t n = r->net->ops->explain(r->net, EXPLAIN_MAX, sentence, r->cli->log);
    if (n > EXPLAIN_MAX)
        weft_log(r->cli->log, WEFT_LOG_ERROR, "  ... and %llu more flows",
                 (unsigned long long)(n - EXPLAIN_MAX));
    return r->stuck_ps ? "stalled" : "stopped-at-limit";
}

/* A failure while results are written: the first one counts, and what can be written is. */
static void note(struct run *r, struct weft_err *failed, struct weft_err *e)
{
    if (!failed->code && e->code)
        *failed = *e;
    if (failed->code) {
        r->summary.outcome = "failed";
        weft_err_format(failed, r->reason, sizeof r->reason);
    }
    *e = (struct weft_err){0};
}

static void write_tables(struct run *r, struct weft_hpcc_bucket *buckets, struct weft_err *failed)
{
    struct weft_err e = {0};
    size_t n;
    weft_hpcc_play_finish(r->play, &e);
    note(r, failed, &e);
    weft_report_flush(r->report, &e);
    note(r, failed, &e);
    weft_report_write_connections(r->report, r->net, &e);
    note(r, failed, &e);
    weft_report_write_links(r->report, r->net, r->summary.elapsed_ps, &e);
    note(r, failed, &e);
    struct weft_hpcc_fct *fcts = weft_hpcc_play_fcts(r->play, &n);
    weft_hpcc_slowdown(fcts, n, buckets);
    if (r->out_dir)
        weft_hpcc_slowdown_csv(r->paths[SLOWDOWN], buckets, &e);
    note(r, failed, &e);
}

/* Sums up, writes what comes last and prints, also of a run that @p failed. */
static void conclude(struct run *r, double wall_s, double cpu_s, struct weft_err *failed)
{
    struct weft_hpcc_bucket buckets[WEFT_HPCC_BUCKETS + 1];
    struct weft_summary *m = &r->summary;
    struct weft_err e = {0};
    const char *outcome = failed->code ? "failed" : judge(r);
    int64_t reached_ps = 0;
    if (strcmp(outcome, "stopped-at-limit") == 0)
        reached_ps = r->s->run->until_ps;
    else if (strcmp(outcome, "finished") != 0)
        reached_ps = r->net->ops->now_ps(r->net);
    weft_report_summarize(r->report, r->net, NULL, reached_ps, m);
    m->scenario = weft_path_base(r->job.config->file);
    m->outcome = outcome;
    m->wall_s = wall_s;
    m->cpu_s = cpu_s;
    m->events_per_s = cpu_s > 0 ? (double)m->net.events / cpu_s : 0;
    m->hops_per_s = cpu_s > 0 ? (double)m->net.packet_hops / cpu_s : 0;
    m->peak_rss_bytes = weft_peak_rss_bytes();
    if (!failed->code)
        r->net->ops->check(r->net, &e);
    note(r, failed, &e);
    write_tables(r, buckets, failed);
    weft_run_words_pop(&r->words);
    r->outcome = NULL;
    weft_report_write_run(r->report, fill_run_json, r, &e);
    note(r, failed, &e);
    if (!failed->code && r->code != WEFT_E_INTERRUPTED)
        weft_report_mark_finished(r->report, outcome, &e);
    note(r, failed, &e);
    weft_interrupt_saved();
    if (r->o->quiet)
        return;
    weft_summary_text(r->cli->out, m, r->job.fabric);
    if (buckets[WEFT_HPCC_BUCKETS].flows)
        weft_hpcc_slowdown_text(r->cli->out, buckets);
    if (r->out_dir)
        fprintf(r->cli->out, "results in %s/\n", r->out_dir);
}

/* Leaves the reason in the folder of a run that came to nothing. */
static void say_why(struct run *r, const struct weft_err *err)
{
    struct weft_err ignored = {0};
    r->outcome = "failed";
    weft_err_format(err, r->reason, sizeof r->reason);
    if (r->report)
        weft_report_write_run(r->report, fill_run_json, r, &ignored);
}

static int play(struct run *r, struct weft_err *err)
{
    int code = prepare(r, err);
    weft_interrupt_set(WEFT_INTERRUPT_DEFER); /* from here on there is something to save */
    if (code) {
        say_why(r, err);
        return code;
    }
    int64_t start_ns = weft_clock_monotonic_ns(NULL);
    double start_cpu_s = weft_cpu_s();
    run_slices(r, r->s->run->until_ps ? r->s->run->until_ps : WEFT_NEVER, err);
    double cpu_s = weft_cpu_s() - start_cpu_s;
    double wall_s = (double)(weft_clock_monotonic_ns(NULL) - start_ns) / 1e9;
    conclude(r, wall_s, cpu_s, err);
    return err->code ? err->code : r->code;
}

static int run(const struct weft_cli *cli, const void *opts, char **args, int nargs,
               struct weft_err *err)
{
    const struct hpcc_opts *o = (const struct hpcc_opts *)opts;
    if (nargs)
        return weft_err_set(err, WEFT_E_USAGE, "'%s' is not an option; the file is --config FILE",
                            args[0]);
    if (!o->config)
        return weft_err_set(err, WEFT_E_USAGE, "--config must be given");
    if (o->out && o->no_out)
        return weft_err_set(err, WEFT_E_USAGE, "--out and --no-out exclude each other");
    struct run *r = (struct run *)calloc(1, sizeof *r);
    if (!r)
        return weft_err_set(err, WEFT_E_LIMIT, "out of memory for a run");
    r->cli = cli;
    r->o = o;
    int code =
        weft_hpcc_job_read(&r->job, o->config, (enum weft_hpcc_flow_format)o->flow_format, err);
    if (!code)
        code = resolve(r, err);
    if (!code && o->show)
        weft_source_config_text(cli->out, r->s);
    else if (!code)
        code = play(r, err);
    if (r->net)
        r->net->ops->free(r->net);
    weft_hpcc_play_free(r->play);
    weft_run_words_pop(&r->words);
    weft_report_free(r->report);
    weft_scenario_free(r->s);
    weft_hpcc_profile_free(r->profile);
    weft_hpcc_job_free(&r->job);
    free(r);
    return code;
}

extern const struct weft_command weft_command_hpcc;
const struct weft_command weft_command_hpcc = {
    .name = "hpcc",
    .summary = "Run a configuration of the HPCC simulator",
    .usage = "--config FILE [--compat] [--set KEY=VALUE]... [--out DIR]",
    .example = "weft hpcc --config mix/config.txt --compat --out out/mix",
    .details =
        "Reads config.txt and the topology, flow and trace lists that it names; writes fct.txt, "
        "pfc.txt, fct_slowdown.csv and, where QLEN_MON_FILE is set, qlen.txt beside weft's own "
        "outputs.\n"
        "The congestion controls of CC_MODE run as the simulator does them; --compat makes wire "
        "sizes, rounding, "
        "ACKs, switch buffers and path choice the simulator's too.\n"
        "Keys without effect are reported; values that weft can't honour are errors. The packet "
        "trace of TRACE_OUTPUT_FILE is not written.",
    .opts = options,
    .nopts = sizeof options / sizeof options[0],
    .opts_size = sizeof(struct hpcc_opts),
    .run = run,
};
