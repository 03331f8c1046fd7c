/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * weft sweep: a scenario run with every combination of some settings, as one table.
 *
 * The values of the first --vary change slowest. The last one is what is compared: the speed-up of
 * a row is the end-to-end time with the first value of it, everything else the same, divided by
 * that of the row.
 */
#include "base/units.h"
#include "report/place.h"
#include "run/interrupt.h"
#include "run/limits.h"
#include "run/signal_run_json.h"
#include "sweep/request.h"
#include "sweep/bound.h"
#include "sweep/find.h"
#include "sweep/page.h"
#include "sweep/run.h"
#include "sweep/log.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A sweep under way. */
struct sweep {
    struct weft_sweep_base base;
    const struct weft_sweep_opts *o;
    struct weft_sweep s;
    struct weft_sweep_find find;
    struct weft_sweep_bounds bounds;
    const struct weft_sweep_request *request;
    struct weft_sweep_record record;
    struct weft_place *place; /* NULL: no folder */
    struct weft_csv *csv;
    struct weft_signal_run_json on_signal;
    struct weft_progress progress;
    char run_json[WEFT_PATH_MAX], reason[WEFT_ERR_MSG_MAX + WEFT_ERR_FILE_MAX];
    char last[WEFT_ERR_MSG_MAX]; /* why the row before failed */
    size_t again;                /* rows that failed for the same reason as one that was told */
    size_t next;                 /* point that is the next to start */
    size_t nreported;            /* points whose end was told, in order */
    struct weft_strings output;  /* per point: what it said and was not told yet */
    struct weft_sweep_log lines;
    int fatal; /* a point ended so that no others can be run: its code */
};

/* The folder's state, and what is left of it should a signal end the program. */
static int save_state(struct sweep *w, enum weft_outcome outcome, struct weft_err *err)
{
    if (!w->place)
        return 0;
    weft_signal_run_json_pop(&w->on_signal);
    if (outcome == WEFT_OUTCOME_RUNNING) {
        w->s.outcome = WEFT_OUTCOME_INTERRUPTED;
        w->s.reason = "a signal ended the program within a row";
        if (weft_signal_run_json_push(&w->on_signal, w->base.out, weft_sweep_run_json, &w->record,
                                      err))
            return err->code;
        w->s.reason = "";
    }
    w->s.outcome = outcome;
    return weft_run_json_write(w->run_json, weft_sweep_run_json, &w->record, err);
}

/* Takes over what an earlier sweep left in the folder, where that is asked for. */
static int take_over(struct sweep *w, struct weft_err *err)
{
    const struct weft_sweep_takeover how = {w->o->retry_failed, w->o->collect != NULL};
    if (!w->o->resume && !w->o->retry_failed && !w->o->collect)
        return 0;
    return weft_sweep_take_over(&w->base, &w->s, &how, err);
}

static int open_folder(struct sweep *w, struct weft_err *err)
{
    const char *dir = w->base.out;
    char earlier[WEFT_PATH_MAX];
    const bool keep = w->o->resume || w->o->retry_failed || w->o->collect;
    w->s.reason = "";
    if (!dir)
        return 0;
    if (!keep && !weft_path_join(earlier, dir, "sweep.csv", err) && weft_file_is_regular(earlier))
        weft_log(w->base.cli->log, WEFT_LOG_INFO,
                 "%s: the rows of an earlier sweep are removed (--resume takes over those that are "
                 "the same)",
                 dir);
    w->place = keep ? weft_place_keep(dir, err) : weft_place_open(dir, err);
    if (!w->place || take_over(w, err) || weft_path_join(w->run_json, dir, "run.json", err) ||
        save_state(w, WEFT_OUTCOME_RUNNING, err))
        return err->code;
    if (w->o->emit)
        return 0;
    w->csv = weft_sweep_csv_open(dir, &w->s, err);
    return w->csv ? 0 : err->code;
}

/* Whether a point that cannot be run tells a search that its value is not enough: what is asked
 * for holds at the far end. */
static bool is_answer(const struct weft_sweep *s, const struct weft_sweep_point *p)
{
    const size_t point = (size_t)(p - s->point);
    return s->find && p->code == WEFT_E_INPUT &&
           weft_sweep_find_answers(s->find, s, weft_sweep_row_of(s, point));
}

/* A point failed: says why, once for all points in a row that fail alike. */
static void print_failure(struct sweep *w, const struct weft_sweep_point *p)
{
    const char *message = p->message ? p->message : p->reason;
    const bool alike = message && strcmp(w->last, message) == 0;
    snprintf(w->last, sizeof w->last, "%s", message ? message : "");
    if (alike)
        w->again++;
    else
        weft_log(w->base.cli->log, is_answer(&w->s, p) ? WEFT_LOG_WARNING : WEFT_LOG_ERROR, "%s",
                 p->reason ? p->reason : "a row failed for want of memory");
}

/* The rows whose points are all done, and those before them, go into the table. */
static int write_rows(struct sweep *w, size_t before, size_t after, struct weft_err *err)
{
    for (size_t row = weft_sweep_row_of(&w->s, before); row < weft_sweep_row_of(&w->s, after);
         row++)
        if (w->csv && !w->s.find && weft_sweep_csv_row(w->csv, &w->s, row, err))
            return err->code;
    return 0;
}

/* Tells a point that is done. */
static void sweep_log_lines(struct sweep *w, size_t point)
{
    const struct weft_sweep_point *p = &w->s.point[point];
    const char *output = w->output.list[point];
    weft_progress_finish(&w->progress);
    if (output)
        weft_sweep_log_print(&w->lines, output, w->base.cli->err);
    free((void *)(uintptr_t)output);
    w->output.list[point] = NULL;
    if (p->reason && p->code != WEFT_E_INTERRUPTED)
        print_failure(w, p);
}

/* Tells the points that are done in their order, as far as they go. */
static int print_in_order(struct sweep *w, struct weft_err *err)
{
    const size_t before = w->nreported;
    while (w->nreported < w->s.npoints && w->s.point[w->nreported].state == WEFT_POINT_DONE)
        sweep_log_lines(w, w->nreported++);
    return write_rows(w, before, w->nreported, err);
}

static int point_done(void *ctx, size_t point, char *output, struct weft_err *err)
{
    struct sweep *w = (struct sweep *)ctx;
    const int code = w->s.point[point].code;
    w->output.list[point] = output;
    if (w->s.find)
        sweep_log_lines(w, point);
    else if (print_in_order(w, err))
        return err->code;
    if (code == WEFT_E_IO || code == WEFT_E_USAGE || code == WEFT_E_INTERRUPTED)
        w->fatal = w->fatal ? w->fatal : code;
    return save_state(w, WEFT_OUTCOME_RUNNING, err);
}

static bool next_point(void *ctx, size_t *point)
{
    struct sweep *w = (struct sweep *)ctx;
    if (w->fatal)
        return false;
    if (w->s.find)
        return weft_sweep_find_next(w->s.find, &w->s, point);
    while (w->next < w->s.npoints && w->s.point[w->next].state != WEFT_POINT_WAITS)
        w->next++;
    *point = w->next;
    return w->next < w->s.npoints;
}

/* How many points are in a state. */
static size_t sweep_count(const struct weft_sweep *s, enum weft_sweep_state state)
{
    size_t n = 0;
    for (size_t i = 0; i < s->npoints; i++)
        n += s->point[i].state == state;
    return n;
}

static void print_status(const struct sweep *w)
{
    fprintf(w->base.cli->err, "%zu of %zu rows done, running:\n",
            sweep_count(&w->s, WEFT_POINT_DONE), w->s.npoints);
    for (size_t i = 0; i < w->s.npoints; i++) {
        struct weft_err e = {0};
        if (w->s.point[i].state != WEFT_POINT_RUNS)
            continue;
        weft_err_set(&e, 0, "row %zu", i + 1);
        weft_sweep_prepend(&w->s, i, &e);
        fprintf(w->base.cli->err, "  %s\n", e.msg);
    }
}

static void show_progress(void *ctx)
{
    struct sweep *w = (struct sweep *)ctx;
    if (weft_interrupt_requested()) {
        weft_progress_finish(&w->progress);
        print_status(w);
    }
    if (!weft_progress_due(&w->progress))
        return;
    const struct weft_progress_state state = {.sim_ps = WEFT_PROGRESS_NO_SIM,
                                              .done = sweep_count(&w->s, WEFT_POINT_DONE),
                                              .total = w->s.find ? 0 : w->s.npoints};
    weft_progress_update(&w->progress, &state);
}

/* In the process of a point: what is the sweep's is not its. */
static void in_child(void *ctx)
{
    struct sweep *w = (struct sweep *)ctx;
    weft_signal_run_json_pop(&w->on_signal);
}

/* Runs all points. Returns the error that ends the sweep; a point that is bad does not. */
static int run_points(struct sweep *w, struct weft_err *err)
{
    const struct weft_cli *cli = w->base.cli;
    const struct weft_sweep_jobs jobs = {w, next_point, point_done, show_progress, in_child};
    weft_interrupt_set(WEFT_INTERRUPT_DEFER);
    int code = print_in_order(w, err);
    if (!code)
        code = weft_sweep_run_jobs(&w->base, &w->s, w->o->parallel, &jobs, err);
    weft_progress_finish(&w->progress);
    if (code)
        return code;
    const size_t left = sweep_count(&w->s, WEFT_POINT_WAITS);
    if (*cli->interrupted || w->fatal == WEFT_E_INTERRUPTED)
        return weft_err_set(err, WEFT_E_INTERRUPTED,
                            "%zu of %zu runs were not begun: the sweep was %s", left, w->s.npoints,
                            *cli->interrupted ? weft_signal_reason(*cli->interrupted)
                                              : "interrupted: a process of a row was");
    if (w->fatal)
        return weft_err_set(err, w->fatal, "%zu of %zu runs were not begun", left, w->s.npoints);
    return 0;
}

/* What --collect does instead. */
static int sweep_gather(struct sweep *w, struct weft_err *err)
{
    for (size_t i = 0; i < w->s.npoints; i++)
        if (w->s.point[i].state == WEFT_POINT_DONE)
            sweep_log_lines(w, i);
    if (write_rows(w, 0, w->s.npoints, err))
        return err->code;
    const size_t missing = w->s.npoints - sweep_count(&w->s, WEFT_POINT_DONE);
    return missing ? weft_err_set(err, WEFT_E_OUTCOME, "%zu of %zu rows are not there yet", missing,
                                  w->s.npoints)
                   : 0;
}

/* What --emit does instead. */
static int emit(struct sweep *w, struct weft_err *err)
{
    const char *dir = w->base.out;
    const bool slurm = w->o->emit == WEFT_SWEEP_EMIT_SLURM;
    if (weft_sweep_emit(&w->base, &w->s, slurm, err))
        return err->code;
    weft_signal_run_json_pop(&w->on_signal);
    if (slurm)
        fprintf(w->base.cli->out, "sbatch %s/points.sbatch\n", dir);
    else
        fprintf(w->base.cli->out, "parallel < %s/points.sh\n", dir);
    fprintf(w->base.cli->out, "weft sweep --collect %s\n", dir);
    return 0;
}

/* Whether any row has something to show. */
static bool has_results(const struct weft_sweep *s)
{
    for (size_t i = 0; i < s->npoints; i++)
        if (s->point[i].state == WEFT_POINT_DONE && s->point[i].summed_up)
            return true;
    return false;
}

/* What is not in sweep.csv yet: of a sweep that ended early, or of a search. */
static int write_rest(struct sweep *w, struct weft_err *err)
{
    struct weft_sweep_row r;
    size_t row = w->s.find ? 0 : weft_sweep_row_of(&w->s, w->nreported);
    if (!w->csv || w->o->collect)
        return 0;
    for (; row < w->s.nrows; row++) {
        weft_sweep_row(&w->s, row, &r);
        if (r.there && weft_sweep_csv_row(w->csv, &w->s, row, err))
            return err->code;
    }
    for (size_t i = w->nreported; i < w->s.npoints && !w->s.find; i++)
        if (w->s.point[i].state == WEFT_POINT_DONE)
            sweep_log_lines(w, i);
    return w->s.find ? weft_sweep_find_csv(w->base.out, w->s.find, &w->s, err) : 0;
}

static void keep_first(struct weft_err *err, struct weft_err *e)
{
    if (!err->code && e->code)
        *err = *e;
    *e = (struct weft_err){0};
}

/* All that a sweep says at its end, for people. On a page the answers of a search stand for the
 * many rows that it took. */
static void print_text(const struct sweep *w, bool page, FILE *out)
{
    if (!page || !w->s.find)
        weft_sweep_text(out, &w->s);
    if (w->s.find)
        weft_sweep_find_text(out, w->s.find, &w->s);
    weft_sweep_bounds_text(out, &w->bounds, &w->s);
}

/* What of a scenario with several sweeps this is. */
static void print_title(const struct sweep *w)
{
    const struct weft_sweep_request *a = w->request;
    if (a->name)
        fprintf(w->base.cli->out, "%s%s%s\n", a->name, a->title ? ": " : "",
                a->title ? a->title : "");
}

/* Puts the tables into a page. */
static int update_page(const struct sweep *w, struct weft_err *err)
{
    struct weft_memfile t;
    if (weft_memfile_open(&t, "the tables of a sweep", err))
        return err->code;
    print_text(w, true, t.f);
    int code = weft_memfile_close(&t, "the tables of a sweep", err);
    const size_t blank = code ? 0 : strspn(t.data, "\n");
    code = code ? code
                : weft_sweep_page_update(w->o->update, w->request->name, t.data + blank,
                                         t.size - blank, err);
    free(t.data);
    return code;
}

static int sweep_print(struct sweep *w, struct weft_err *err)
{
    if (w->o->json) {
        weft_sweep_json(w->base.cli->out, &w->s, &w->bounds);
        return 0;
    }
    if (!has_results(&w->s))
        return 0;
    print_title(w);
    print_text(w, false, w->base.cli->out);
    if (!w->request->last)
        fputc('\n', w->base.cli->out);
    return w->o->update && !err->code ? update_page(w, err) : 0;
}

/* Writes what comes last, also of a sweep that @p err ended. */
static int sweep_conclude(struct sweep *w, struct weft_err *err)
{
    struct weft_err e = {0};
    write_rest(w, &e);
    keep_first(err, &e);
    if (w->again)
        weft_log(w->base.cli->log, WEFT_LOG_INFO, "%zu more run%s failed for the same reason",
                 w->again, WEFT_PLURAL(w->again));
    if (w->lines.again)
        weft_log(w->base.cli->log, WEFT_LOG_INFO, "%zu more line%s as above, of other rows",
                 w->lines.again, WEFT_PLURAL(w->lines.again));
    weft_csv_close(w->csv, &e);
    keep_first(err, &e);
    if (err->code)
        weft_err_format(err, w->reason, sizeof w->reason);
    w->s.reason = w->reason;
    enum weft_outcome outcome = !err->code                        ? WEFT_OUTCOME_FINISHED
                                : err->code == WEFT_E_INTERRUPTED ? WEFT_OUTCOME_INTERRUPTED
                                                                  : WEFT_OUTCOME_FAILED;
    w->s.outcome = outcome;
    if (w->place && !save_state(w, outcome, &e) && !err->code)
        weft_mark_finished(w->base.out, outcome, &e);
    keep_first(err, &e);
    weft_interrupt_saved();
    sweep_print(w, err);
    return err->code;
}

static bool has_failed(const struct weft_sweep *s, const struct weft_sweep_point *p)
{
    return p->state == WEFT_POINT_DONE && p->code && !is_answer(s, p);
}

/* The code of the first point that was bad. */
static int worst(const struct weft_sweep *s)
{
    for (size_t i = 0; i < s->npoints; i++)
        if (has_failed(s, &s->point[i]))
            return s->point[i].code;
    return 0;
}

/* Of a sweep in which something failed: how much of it. Each reason has been told. */
static void print_failures(const struct sweep *w)
{
    const struct weft_sweep *s = &w->s;
    size_t n = 0;
    for (size_t i = 0; i < s->npoints; i++)
        n += has_failed(s, &s->point[i]);
    if (n && s->npoints > 1)
        weft_log(w->base.cli->log, WEFT_LOG_ERROR,
                 n == s->npoints ? "all %zu runs of the sweep failed"
                                 : "%zu of %zu runs of the sweep failed",
                 n, s->npoints);
}

static int sweep_begin(struct sweep *w, const struct weft_sweep_request *request,
                       struct weft_err *err)
{
    const struct weft_cli *cli = w->base.cli;
    w->base.source = request->source;
    w->base.args = (char **)(uintptr_t)&request->scenario;
    w->base.nargs = request->scenario != NULL;
    w->base.out = request->out;
    w->request = request;
    w->base.texts = request->texts;
    w->base.dir = request->dir;
    w->base.find = request->find;
    w->record = (struct weft_sweep_record){&w->s, &w->base};
    if (weft_sweep_plan(&w->s, cli, &request->texts, err))
        return err->code;
    if (request->find && weft_sweep_find_read(&w->find, &w->s, request->find, err))
        return err->code;
    w->s.find = request->find ? &w->find : NULL;
    if (weft_sweep_bounds_read(&w->bounds, &w->s, request->bounds, request->nbounds, request->file,
                               err))
        return err->code;
    if (w->s.find && (w->o->emit || w->o->collect))
        return weft_err_set(err, WEFT_E_USAGE,
                            "--find chooses rows as it goes: --emit and --collect exclude it");
    w->output.list = (const char **)calloc(w->s.npoints, sizeof *w->output.list);
    if (!w->output.list)
        return weft_err_no_memory(err, "rows");
    return open_folder(w, err);
}

static int sweep_run(struct sweep *w, const struct weft_sweep_request *request,
                     struct weft_err *err)
{
    const struct weft_cli *cli = w->base.cli;
    int code = sweep_begin(w, request, err);
    if (code || w->o->emit) {
        weft_csv_close(w->csv, NULL);
        return code ? code : emit(w, err);
    }
    weft_progress_init(&w->progress,
                       w->o->progress == WEFT_PROGRESS_NEVER || w->o->collect ? NULL : cli->err,
                       cli->err_is_tty, "rows", NULL, NULL);
    if (w->o->collect)
        sweep_gather(w, err);
    else
        run_points(w, err);
    code = sweep_conclude(w, err);
    print_failures(w);
    code = code ? code : worst(&w->s);
    const int missed = weft_sweep_bounds_check(&w->bounds, &w->s, cli->log);
    return code ? code : missed;
}

/* Runs one sweep of a scenario; *last: there is no further one. */
static int run_part(const struct weft_cli *cli, const struct weft_sweep_opts *opts, char **args,
                    int nargs, size_t part, bool *last, struct weft_err *err)
{
    struct weft_sweep_request request;
    struct sweep *w = (struct sweep *)calloc(1, sizeof *w);
    *last = true;
    if (!w)
        return weft_err_no_memory(err, "a sweep");
    struct weft_sweep_opts own = *opts;
    w->base.cli = cli;
    w->o = &own;
    int code = weft_sweep_ask(cli, &own, args, nargs, part, &request, err);
    code = code ? code
                : weft_limits_read(own.time_limit, own.memory_limit, own.watchdog, &w->base.limits,
                                   err);
    code = code ? code : sweep_run(w, &request, err);
    *last = request.last || err->code;
    weft_signal_run_json_pop(&w->on_signal);
    weft_place_close(w->place);
    for (size_t i = 0; w->output.list && i < w->s.npoints; i++)
        free((void *)(uintptr_t)w->output.list[i]);
    free(w->output.list);
    weft_sweep_log_free(&w->lines);
    weft_sweep_free(&w->s);
    weft_sweep_request_free(&request);
    free(w);
    return code;
}

static int sweep(const struct weft_cli *cli, const void *opts, char **args, int nargs,
                 struct weft_err *err)
{
    bool last = false;
    int first = 0;
    for (size_t part = 0; !last; part++) {
        const int code =
            run_part(cli, (const struct weft_sweep_opts *)opts, args, nargs, part, &last, err);
        first = first ? first : code;
    }
    return first;
}

const struct weft_command weft_command_sweep = {
    .name = "sweep",
    .summary = "Run a scenario with every combination of some settings and compare",
    .usage = "[SCENARIO] [--vary KEY=A|B...]... [--metric NAME]... [--set KEY=VALUE]...",
    .example = "weft sweep scenarios/schedulers-4x4x4 --vary "
               "'system.inter-dimension=baseline|round-robin|themis'",
    .details =
        "What is varied comes from --vary and --seeds, else from <sweep> in the scenario, in turn "
        "from each if there\nare several; bounds in there are checked, and exit code 1 says that "
        "one "
        "was missed.\n"
        "Values are lists (A|B|C) and ranges (1MiB..32MiB*2, 1..9+2); 'K=A|B & L=C|D' changes two "
        "settings together.\n"
        "The first --vary changes slowest. 'speed-up' compares the values of the last one: the "
        "end-to-end time with\nits first value, everything else the same, divided by that of the "
        "row. With --seeds, metrics are means\nwith half of their 95 % confidence interval "
        "(Student's t).\n"
        "Quote the bars for the shell. Rows that did not finish show the outcome instead, and the "
        "exit code is 1.\n"
        "A row that fails says why and the others go on; the exit code is that of the first such "
        "row. A full disk or a\nsignal ends the sweep: the rows so far are printed and written, "
        "run.json says why it ended, and --resume goes on.",
    .opts = weft_sweep_options,
    .nopts = WEFT_SWEEP_OPTIONS,
    .opts_size = sizeof(struct weft_sweep_opts),
    .run = sweep,
};
