/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * weft sweep: a scenario run with every combination of some settings, as one table.
 *
 * The values of the first --vary change slowest. The last one is what is compared: the speed-up of
 * a row is the end-to-end time with the first value of it, everything else the same, divided by
 * that of the row.
 */
#include "cli/execute.h"
#include "cli/interrupt.h"
#include "cli/signal_run_json.h"
#include "cli/source.h"
#include "cli/sweep.h"
#include "report/place.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_ROWS = 4096 };

struct sweep_opts {
    struct weft_source_opts source;
    struct weft_strings vary, metrics;
    const char *out;
    bool json;
};

static const struct weft_opt options[] = {
    {"vary", 'v', WEFT_OPT_TEXTS, offsetof(struct sweep_opts, vary), "KEY=A|B|C", NULL,
     "run with each of these values of a setting; repeatable: every combination"},
    {"metric", 'm', WEFT_OPT_TEXTS, offsetof(struct sweep_opts, metrics), "NAME", NULL,
     "show this metric ('weft show output'); repeatable; default: end-to-end, "
     "dimension-utilisation"},
    WEFT_SOURCE_OPTS(sweep_opts),
    {"out", 'o', WEFT_OPT_TEXT, offsetof(struct sweep_opts, out), "DIR", NULL,
     "write sweep.csv and a run folder per row there; default: no files"},
    {"json", 0, WEFT_OPT_FLAG, offsetof(struct sweep_opts, json), NULL, NULL, "print as JSON"},
};

static int read_opts(const struct sweep_opts *o, struct weft_sweep *s, struct weft_err *err)
{
    static const char *const usual[] = {"end-to-end", "dimension-utilisation"};
    const char *const *names = o->metrics.n ? o->metrics.list : usual;
    s->nmetrics = o->metrics.n ? o->metrics.n : sizeof usual / sizeof usual[0];
    if (!o->vary.n)
        return weft_err_set(err, WEFT_E_USAGE,
                            "nothing to vary: --vary KEY=VALUE|VALUE, such as "
                            "--vary system.inter-dimension='baseline|themis'");
    if (o->vary.n > WEFT_SWEEP_KEYS || s->nmetrics > WEFT_SWEEP_METRICS)
        return weft_err_set(err, WEFT_E_LIMIT, "more than %d --vary or %d --metric",
                            WEFT_SWEEP_KEYS, WEFT_SWEEP_METRICS);
    s->nrows = 1;
    for (; s->naxes < o->vary.n; s->naxes++) {
        struct weft_sweep_axis *a = &s->axis[s->naxes];
        if (weft_sweep_read_axis(o->vary.list[s->naxes], a, err))
            return err->code;
        for (size_t k = 0; k < s->naxes; k++)
            if (strcmp(s->axis[k].key, a->key) == 0)
                return weft_err_set(err, WEFT_E_USAGE, "--vary %s is given twice", a->key);
        s->nrows *= a->n;
        if (s->nrows > MAX_ROWS)
            return weft_err_set(err, WEFT_E_LIMIT, "more than %d combinations", MAX_ROWS);
    }
    for (size_t m = 0; m < s->nmetrics; m++) {
        if (weft_metric_choose(names[m], &s->metric[m], err))
            return err->code;
    }
    s->rows = (struct weft_sweep_row *)calloc(s->nrows, sizeof *s->rows);
    return s->rows ? 0 : weft_err_set(err, WEFT_E_LIMIT, "out of memory for %zu rows", s->nrows);
}

/* The settings of a row: those of the command line, then its values. The caller frees what is new.
 */
static int row_settings(const struct sweep_opts *o, const struct weft_sweep *s, size_t row,
                        struct weft_source_opts *source, char *text[WEFT_SWEEP_KEYS],
                        struct weft_err *err)
{
    const char **list = (const char **)calloc(o->source.set.n + s->naxes, sizeof *source->set.list);
    *source = o->source;
    source->set.list = list;
    if (!list)
        return weft_err_set(err, WEFT_E_LIMIT, "out of memory for settings");
    if (o->source.set.n)
        memcpy(list, o->source.set.list, o->source.set.n * sizeof *list);
    for (size_t k = 0; k < s->naxes; k++) {
        size_t size = strlen(s->axis[k].key) + strlen(weft_sweep_value(s, k, row)) + 2;
        text[k] = (char *)malloc(size);
        if (!text[k])
            return weft_err_set(err, WEFT_E_LIMIT, "out of memory for settings");
        snprintf(text[k], size, "%s=%s", s->axis[k].key, weft_sweep_value(s, k, row));
        list[source->set.n++] = text[k];
    }
    return 0;
}

/* Takes over what came out of a row: nothing, when it could not begin. */
static void take_row(struct weft_sweep *s, size_t row, const struct weft_execution *x)
{
    struct weft_sweep_row *r = &s->rows[row];
    const struct weft_sweep_row *first = &s->rows[row - row % s->axis[s->naxes - 1].n];
    r->summed_up = x->summed_up;
    r->outcome = x->summed_up ? x->end.summary.outcome : "failed";
    r->end_ps = x->summed_up ? (double)x->end.summary.end_ps : 0;
    for (size_t m = 0; m < s->nmetrics; m++)
        r->metric[m] =
            x->summed_up ? weft_metric_choice_value(&s->metric[m], &x->end.summary) : NAN;
    r->speed_up = NAN;
    if (r->end_ps > 0 && strcmp(r->outcome, "finished") == 0 &&
        strcmp(first->outcome, "finished") == 0)
        r->speed_up = first->end_ps / r->end_ps;
    s->ndone = row + 1;
}

/* Whether the row has the workloads that metrics name, and whether those are to run alone. */
static int check_metrics(const struct weft_sweep *s, const struct weft_scenario *scenario,
                         struct weft_execute_opts *eo, struct weft_err *err)
{
    const char *const *names = weft_source_job_names(scenario, err);
    for (size_t m = 0; names && m < s->nmetrics; m++) {
        if (weft_metric_check(&s->metric[m], names, scenario->njobs, err))
            return err->code;
        eo->alone = eo->alone || weft_metric_needs_alone(&s->metric[m]);
    }
    return names ? 0 : err->code;
}

static int run_row(const struct weft_cli *cli, const struct sweep_opts *o, struct weft_sweep *s,
                   size_t row, char **args, int nargs, struct weft_err *err)
{
    struct weft_source_opts source;
    struct weft_execution x = {0};
    struct weft_scenario *scenario = NULL;
    struct weft_execute_opts eo = {0};
    char dir[WEFT_PATH_MAX], name[32], *text[WEFT_SWEEP_KEYS] = {0};
    weft_interrupt_set(WEFT_INTERRUPT_SOON);
    int code = row_settings(o, s, row, &source, text, err);
    if (!code && o->out) {
        snprintf(name, sizeof name, "%zu", row + 1);
        code = weft_path_join(dir, o->out, name, err);
        eo.out_dir = dir;
    }
    code = code ? code : weft_source_load(cli, &source, args, nargs, &scenario, err);
    if (!code && *cli->interrupted)
        code = weft_err_set(err, WEFT_E_INTERRUPTED, "interrupted before row %zu began", row + 1);
    code = code ? code : check_metrics(s, scenario, &eo, err);
    code = code ? code : weft_execute(cli, scenario, &eo, &x, err);
    weft_interrupt_set(WEFT_INTERRUPT_DEFER);
    if (code != WEFT_E_INTERRUPTED)
        take_row(s, row, &x);
    code = code ? code : x.end.code;
    weft_execution_free(&x);
    weft_scenario_free(scenario);
    for (size_t k = 0; k < s->naxes; k++)
        free(text[k]);
    free(source.set.list);
    return code;
}

/* A sweep under way. */
struct sweep {
    const struct weft_cli *cli;
    const struct sweep_opts *o;
    struct weft_sweep s;
    struct weft_place *place; /* NULL: no folder */
    struct weft_csv *csv;
    struct weft_signal_run_json on_signal;
    char run_json[WEFT_PATH_MAX], reason[WEFT_ERR_MSG_MAX + WEFT_ERR_FILE_MAX];
    char last[WEFT_ERR_MSG_MAX]; /* why the row before failed */
    size_t again;                /* rows that failed for the same reason as one that was told */
    int code;                    /* of the first row that was bad */
};

/* The folder's state, and what is left of it should a signal end the program. */
static int save_state(struct sweep *w, const char *outcome, struct weft_err *err)
{
    if (!w->o->out)
        return 0;
    weft_signal_run_json_pop(&w->on_signal);
    if (strcmp(outcome, "running") == 0) {
        w->s.outcome = "interrupted";
        w->s.reason = "a signal ended the program within a row";
        if (weft_signal_run_json_push(&w->on_signal, w->o->out, weft_sweep_run_json, &w->s, err))
            return err->code;
        w->s.reason = "";
    }
    w->s.outcome = outcome;
    return weft_run_json_write(w->run_json, weft_sweep_run_json, &w->s, err);
}

static int open_folder(struct sweep *w, struct weft_err *err)
{
    const char *dir = w->o->out;
    w->s.reason = w->reason;
    if (!dir)
        return 0;
    w->place = weft_place_open(dir, err);
    if (!w->place || weft_path_join(w->run_json, dir, "run.json", err) ||
        save_state(w, "running", err))
        return err->code;
    w->csv = weft_sweep_csv_open(dir, &w->s, err);
    return w->csv ? 0 : err->code;
}

/* A row failed: says why, once for all rows in a row that fail alike. */
static void tell_failure(struct sweep *w, size_t row, struct weft_err *e)
{
    char text[WEFT_ERR_MSG_MAX + WEFT_ERR_FILE_MAX];
    const int alike = strcmp(w->last, e->msg) == 0;
    memcpy(w->last, e->msg, sizeof w->last);
    for (size_t k = w->s.naxes; k-- > 0;)
        weft_err_prepend(e, "%s=%s", w->s.axis[k].key, weft_sweep_value(&w->s, k, row));
    weft_err_format(e, text, sizeof text);
    w->s.rows[row].reason = strdup(text); /* without memory it is said on stderr alone */
    if (alike)
        w->again++;
    else
        weft_log(w->cli->log, WEFT_LOG_ERROR, "%s", text);
}

/* Runs all rows. Returns the error that ends the sweep; a row that is bad does not. */
static int run_rows(struct sweep *w, char **args, int nargs, struct weft_err *err)
{
    for (size_t row = 0; row < w->s.nrows; row++) {
        struct weft_err e = {0};
        const int code = run_row(w->cli, w->o, &w->s, row, args, nargs, &e);
        if (e.code && code != WEFT_E_INTERRUPTED)
            tell_failure(w, row, &e);
        if (w->csv && w->s.ndone == row + 1 && weft_sweep_csv_row(w->csv, &w->s, row, err))
            return err->code;
        w->code = w->code ? w->code : code;
        if (code == WEFT_E_INTERRUPTED || *w->cli->interrupted)
            return weft_err_set(
                err, WEFT_E_INTERRUPTED, "%zu of %zu rows were not run: the sweep was %s",
                w->s.nrows - w->s.ndone, w->s.nrows, weft_signal_reason(*w->cli->interrupted));
        if (code == WEFT_E_IO || code == WEFT_E_USAGE)
            return weft_err_set(err, code, "%zu of %zu rows were not run", w->s.nrows - row - 1,
                                w->s.nrows);
        if (save_state(w, "running", err))
            return err->code;
    }
    return 0;
}

/* Whether any row has something to show. */
static bool has_results(const struct weft_sweep *s)
{
    for (size_t r = 0; r < s->ndone; r++)
        if (s->rows[r].summed_up)
            return true;
    return false;
}

/* Writes what comes last, also of a sweep that @p err ended. */
static int conclude(struct sweep *w, struct weft_err *err)
{
    struct weft_err e = {0};
    int code = err->code;
    if (w->again)
        weft_log(w->cli->log, WEFT_LOG_ERROR, "%zu more rows failed for the same reason", w->again);
    if (weft_csv_close(w->csv, &e) && !code) {
        *err = e;
        code = e.code;
    }
    if (code)
        weft_err_format(err, w->reason, sizeof w->reason);
    w->s.reason = w->reason;
    const char *outcome = !code                        ? "finished"
                          : code == WEFT_E_INTERRUPTED ? "interrupted"
                                                       : "failed";
    w->s.outcome = outcome;
    e = (struct weft_err){0};
    if (w->place &&
        (save_state(w, outcome, &e) || (!code && weft_mark_finished(w->o->out, outcome, &e))) &&
        !code) {
        *err = e;
        code = e.code;
    }
    weft_interrupt_saved();
    if (w->o->json)
        weft_sweep_json(w->cli->out, &w->s);
    else if (has_results(&w->s))
        weft_sweep_text(w->cli->out, &w->s);
    return code;
}

static int sweep(const struct weft_cli *cli, const void *opts, char **args, int nargs,
                 struct weft_err *err)
{
    struct sweep *w = (struct sweep *)calloc(1, sizeof *w);
    if (!w)
        return weft_err_set(err, WEFT_E_LIMIT, "out of memory for a sweep");
    w->cli = cli;
    w->o = (const struct sweep_opts *)opts;
    int code = read_opts(w->o, &w->s, err);
    if (!code)
        code = open_folder(w, err);
    if (!code) {
        run_rows(w, args, nargs, err);
        code = conclude(w, err);
    } else {
        weft_csv_close(w->csv, NULL);
    }
    code = code ? code : w->code;
    weft_signal_run_json_pop(&w->on_signal);
    weft_place_close(w->place);
    for (size_t k = 0; k < WEFT_SWEEP_KEYS; k++)
        free(w->s.axis[k].text);
    for (size_t r = 0; r < w->s.ndone; r++)
        free(w->s.rows[r].reason);
    free(w->s.rows);
    free(w);
    return code;
}

const struct weft_command weft_command_sweep = {
    .name = "sweep",
    .summary = "Run a scenario with every combination of some settings and compare",
    .usage = "[SCENARIO] --vary KEY=A|B... [--vary ...] [--metric NAME]... [--set KEY=VALUE]...",
    .example = "weft sweep scenarios/schedulers-4x4x4 --vary "
               "'system.inter-dimension=baseline|round-robin|themis'",
    .details = "The first --vary changes slowest. 'speed-up' compares the values of the last one: "
               "the end-to-end time with\nits first value, everything else the same, divided by "
               "that of the row.\n"
               "Quote the bars for the shell. Rows that did not finish show the outcome instead, "
               "and the exit code is 1.\n"
               "A row that fails says why and the others go on; the exit code is that of the first "
               "such row. A full disk or a\nsignal ends the sweep: the rows so far are printed and "
               "written, and run.json says why it ended.",
    .opts = options,
    .nopts = sizeof options / sizeof options[0],
    .opts_size = sizeof(struct sweep_opts),
    .run = sweep,
};
