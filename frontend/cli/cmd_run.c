/* SPDX-License-Identifier: GPL-2.0-only */
/* weft run: one scenario, its summary, its expectations. */
#include "command/command.h"
#include "foreign/run_output.h"
#include "foreign/subject.h"
#include "report/expect.h"
#include "run/execute.h"
#include "run/interrupt.h"
#include "run/limits.h"
#include "run/processes_alone.h"
#include "run/processes_take.h"
#include "run/run_json.h"

#include <stdbool.h>
#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

struct run_opts {
    struct weft_source_opts source;
    const char *out;
    const char *expect, *time_limit, *memory_limit, *watchdog;
    struct weft_strings metrics;
    bool no_out, json, quiet, alone, explain_replay;
    int progress; /* enum */
};

#define WEFT_OPTS struct run_opts
static const struct weft_opt options[] = {
    WEFT_SOURCE_OPTS,
    WEFT_TEXT("out", 'o', out, "DIR", "run folder; default out/NAME of the scenario"),
    WEFT_FLAG("no-out", 0, no_out, "write no files"),
    WEFT_TEXT(
        "expect", 0, expect, "FILE",
        "check these bounds; default: expect.xml beside the scenario, unless it is overridden"),
    WEFT_FLAG("alone", 0, alone,
              "run each workload alone on the fabric, too: slow-downs in the summary and jobs.csv"),
    WEFT_TEXTS(
        "metric", 'm', metrics, "NAME",
        "print this metric ('weft show output'), also of a workload, in run.json; repeatable"),
    WEFT_FLAG("json", 0, json, "print the summary as JSON"),
    WEFT_FLAG("explain-replay", 0, explain_replay,
              "what repeated itself (run.replay), how often, and why the rest did not"),
    WEFT_LIMIT_OPTS,
    WEFT_CHOICE(
        "progress", 0, progress, "auto|always|never",
        "progress on stderr: a line that changes on a terminal, else one each 30 s; auto: not with "
        "--quiet"),
    WEFT_FLAG("quiet", 'q', quiet, "no summary, no progress, no notes; errors and warnings only"),
};

static void bound_text(const struct weft_bound *b, char *buf, size_t size)
{
    if (b->min_text && b->max_text)
        snprintf(buf, size, "%s .. %s", b->min_text, b->max_text);
    else if (b->min_text)
        snprintf(buf, size, "at least %s", b->min_text);
    else
        snprintf(buf, size, "at most %s", b->max_text);
}

/* Prints how each bound fared; returns how many were missed. */
static size_t print_bounds(const struct weft_cli *cli, const struct weft_expect *e,
                           const struct weft_summary *s, bool quiet)
{
    size_t missed = 0;
    if (!quiet)
        fprintf(cli->out, "expectations of %s\n", e->file);
    for (size_t i = 0; i < e->n; i++) {
        const struct weft_bound *b = &e->bounds[i];
        char value[WEFT_METRIC_TEXT_MAX], range[160];
        double v;
        bool ok = weft_bound_holds(b, s, &v);
        weft_metric_format(b->metric.metric, v, value);
        bound_text(b, range, sizeof range);
        if (!quiet)
            fprintf(cli->out, "  %-6s %s %s, expected %s\n", ok ? "ok" : "MISSED", b->metric.text,
                    value, range);
        if (ok)
            continue;
        missed++;
        weft_log(cli->log, WEFT_LOG_ERROR,
                 "%s:%" PRId64 ": expectation missed: %s is %s, expected %s%s%s", e->file, b->line,
                 b->metric.text, value, range, b->why[0] ? ": " : "", b->why);
    }
    return missed;
}

static void run_print_json(const struct weft_cli *cli, const struct weft_execution *x,
                           const char *out_dir, const struct weft_expect *e, int exit_code)
{
    struct weft_json j;
    weft_run_json_answer(&j, cli, "run", x, out_dir, exit_code);
    weft_json_kv_array(&j, "expectations");
    for (size_t i = 0; e && i < e->n; i++) {
        const struct weft_bound *b = &e->bounds[i];
        weft_json_object(&j);
        weft_json_kv_str(&j, "metric", b->metric.text);
        weft_json_kv_str(&j, "min", b->min_text);
        weft_json_kv_str(&j, "max", b->max_text);
        weft_json_kv_bool(&j, "holds", weft_bound_holds(b, &x->end.summary, NULL));
        weft_json_end_object(&j);
    }
    weft_json_end_array(&j);
    weft_json_end_object(&j);
    weft_json_finish(&j, NULL); /* whoever closes standard output reports what failed */
}

/* Prints the metrics that were asked for. */
static void print_metrics(const struct weft_cli *cli, const struct weft_execution *x)
{
    char value[WEFT_METRIC_TEXT_MAX];
    for (size_t i = 0; i < x->nmetrics; i++) {
        const struct weft_metric_choice *c = &x->metrics[i];
        weft_metric_format(c->metric, weft_metric_choice_value(c, &x->end.summary), value);
        fprintf(cli->out, "  %-24s %s\n", c->text, value);
    }
}

/* Prints what came out of a run; the code is that of the run and what it is to be. */
static int run_print(const struct weft_cli *cli, const struct run_opts *o,
                     const struct weft_subject *subject, const struct weft_execution *x,
                     const char *out_dir, bool replaced, const struct weft_expect *e, int code)
{
    size_t missed = 0;
    if (!o->json && !o->quiet) {
        weft_summary_text(cli->out, &x->end.summary, x->parts.fabric);
        weft_source_offered_text(cli->out, "  offered load             ", x->scenario);
        weft_processes_text(cli);
        print_metrics(cli, x);
    }
    if (o->explain_replay && !o->json) /* asked for, so that --quiet leaves it */
        weft_replay_text(cli->out, &x->end.summary.replay, x->end.summary.net.packet_hops);
    if (!o->json && !o->quiet)
        weft_subject_text(cli->out, subject);
    if (code != WEFT_OK && code != WEFT_E_OUTCOME)
        e = NULL; /* of what is not complete nothing is expected */
    if (e)
        missed = print_bounds(cli, e, &x->end.summary, o->json || o->quiet);
    if (missed && !code)
        code = WEFT_E_OUTCOME;
    if (o->json)
        run_print_json(cli, x, out_dir, e, weft_exit_code(code));
    else if (out_dir && !o->quiet)
        fprintf(cli->out, "results in %s/%s\n", out_dir,
                replaced ? ", in place of those of an earlier run" : "");
    return code;
}

/* The metrics that are asked for; the caller frees *out. */
static int choose_metrics(const struct run_opts *o, const struct weft_scenario *s,
                          struct weft_metric_choice **out, unsigned *needs, struct weft_err *err)
{
    *out = (struct weft_metric_choice *)calloc(o->metrics.n + 1, sizeof **out);
    if (!*out)
        return weft_err_no_memory(err, "metrics");
    for (size_t i = 0; i < o->metrics.n; i++)
        if (weft_metric_choose(o->metrics.list[i], &(*out)[i], err))
            return err->code;
    return weft_source_check_metrics(s, *out, o->metrics.n, needs, err);
}

/* The bounds that apply to this run, or NULL for none. */
static int load_expect(const struct weft_cli *cli, const struct run_opts *o,
                       const struct weft_scenario *s, struct weft_expect **out,
                       struct weft_err *err)
{
    char dir[WEFT_PATH_MAX], path[WEFT_PATH_MAX];
    *out = NULL;
    if (o->expect) {
        *out = weft_expect_load(o->expect, err);
        return *out ? 0 : err->code;
    }
    if (!s->file[0])
        return 0;
    if (weft_path_dir(dir, s->file, err) || weft_path_join(path, dir, "expect.xml", err))
        return err->code;
    if (!weft_file_is_regular(path))
        return 0;
    if (s->noverrides) {
        if (!o->quiet)
            weft_log(cli->log, WEFT_LOG_INFO,
                     "%s is not checked: overrides change the scenario (--expect FILE checks)",
                     path);
        return 0;
    }
    *out = weft_expect_load(path, err);
    return *out ? 0 : err->code;
}

static int check_expect(const struct weft_scenario *s, const struct weft_expect *e,
                        struct weft_err *err)
{
    const char *const *names = weft_source_job_names(s, err);
    return names ? weft_expect_check(e, names, s->njobs, err) : err->code;
}

/* Whether the folder holds a run, whose files will be removed. */
static bool holds_run(const char *out_dir)
{
    char path[WEFT_PATH_MAX];
    return out_dir && !weft_path_join(path, out_dir, "run.json", &(struct weft_err){0}) &&
           weft_file_is_regular(path);
}

static int run_run(const struct weft_cli *cli, const void *opts, char **args, int nargs,
                   struct weft_err *err)
{
    const struct run_opts *o = (const struct run_opts *)opts;
    struct weft_subject subject;
    struct weft_expect *expect = NULL;
    struct weft_execution x = {0};
    char dir[WEFT_PATH_MAX];
    if (o->out && o->no_out)
        return weft_err_set(err, WEFT_E_USAGE, "--out and --no-out exclude each other");
    int code = weft_subject_load(cli, &o->source, args, nargs, &subject, err);
    struct weft_scenario *s = subject.s;
    if (code) {
        weft_subject_free(&subject);
        return code;
    }
    if (o->explain_replay && !s->replays)
        code = weft_err_set(err, WEFT_E_USAGE,
                            "--explain-replay explains nothing with run.replay=off, or auto with "
                            "run.victims: --set run.replay=exact, or a tolerance such as 1%%");
    if (!code)
        code = load_expect(cli, o, s, &expect, err);
    if (!code && expect)
        code = check_expect(s, expect, err);
    struct weft_execute_opts eo = {.out_dir = o->out,
                                   .needs = (o->alone ? WEFT_METRIC_NEEDS_ALONE : 0) |
                                            weft_expect_needs(code ? NULL : expect)};
    struct weft_metric_choice *metrics = NULL;
    if (!code)
        code = choose_metrics(o, s, &metrics, &eo.needs, err);
    eo.metrics = metrics;
    eo.nmetrics = o->metrics.n;
    if (!code)
        code = weft_run_folder(&eo, o->no_out, s->name, dir, err);
    const bool replaced = !code && holds_run(eo.out_dir);
    if (!code && cli->peers)
        code = weft_processes_take(cli->peers, s, o->time_limit || o->memory_limit, &eo, err);
    code = code ? code
                : weft_limits_read(o->time_limit, o->memory_limit, o->watchdog, &eo.limits, err);
    if (cli->peers)
        eo.progress = NULL;
    else if (o->progress == WEFT_PROGRESS_ALWAYS ||
             (o->progress == WEFT_PROGRESS_AUTO && !o->quiet)) {
        eo.progress = cli->err;
        eo.progress_is_tty = cli->err_is_tty;
    }
    if (!code)
        code = weft_subject_execute(cli, &subject, &eo, &x, err);
    weft_interrupt_saved();
    if (x.summed_up && err->code != WEFT_E_ALONE)
        code =
            run_print(cli, o, &subject, &x, eo.out_dir, replaced, expect, code ? code : x.end.code);
    weft_execution_free(&x);
    weft_expect_free(expect);
    weft_subject_free(&subject);
    free(metrics);
    return code;
}

const struct weft_command weft_command_run = {
    .name = "run",
    .summary = "Run a scenario and print what came out",
    .usage = "[SCENARIO] [--set KEY=VALUE]... [--out DIR]",
    .example = "weft run scenarios/allreduce-clos16 --set dcqcn.rate-ai=40Mbps",
    .details = "SCENARIO is a scenario file, a folder that holds scenario.xml, or a name from "
               "'weft list scenarios';\nor a configuration of the HPCC simulator, which its "
               "content shows: as 'weft hpcc', whose help lists its settings.\n"
               "Without it, everything comes from defaults and --set; topology.type and "
               "workload.type must be given.\n"
               "An unfinished run says what it waits for and exits 1, and so does one that misses "
               "a bound of expect.xml.\n"
               "A folder holds one run: it is locked, and what an earlier run wrote there is "
               "removed. A run that is interrupted or\nfails leaves what had happened until then, "
               "marked partial in run.json, and no file 'finished'.\n"
               "Under mpirun ('mpirun -n 2 weft run ...') the processes share the fabric out, "
               "or one of them does alone what can't be; results are the same. 'weft doctor' says "
               "whether\nMPI is built in.",
    WEFT_COMMAND_OPTS(options, WEFT_OPTS),
    .run = run_run,
};
