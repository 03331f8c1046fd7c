/* SPDX-License-Identifier: GPL-2.0-only */
/* The folder of a sweep: its run.json, and points of earlier sweeps that it holds. */
#include "foreign/subject.h"
#include "run/end.h"
#include "sweep/run.h"

#include <string.h>

static void list_json(struct weft_json *j, const char *key, const char *const *list, size_t n)
{
    weft_json_kv_array(j, key);
    for (size_t i = 0; i < n; i++)
        weft_json_str(j, list[i]);
    weft_json_end_array(j);
}

/* What was asked for, so that --collect finds it. */
static void definition(struct weft_json *j, const struct weft_sweep_base *b)
{
    weft_json_kv_object(j, "sweep");
    weft_json_kv_str(j, "scenario", b->nargs ? b->args[0] : NULL);
    list_json(j, "set", b->source.set.list, b->source.set.n);
    weft_json_kv_str(j, "seed", b->source.seed);
    weft_json_kv_str(j, "directory", b->dir);
    list_json(j, "vary", b->texts.vary, b->texts.nvary);
    list_json(j, "metrics", b->texts.metric, b->texts.nmetrics);
    weft_json_kv_str(j, "seeds", b->texts.seeds);
    weft_json_kv_str(j, "find", b->find);
    weft_json_end_object(j);
}

void weft_sweep_run_json(struct weft_json *j, const void *ctx)
{
    const struct weft_sweep_record *record = (const struct weft_sweep_record *)ctx;
    const struct weft_sweep *s = record->s;
    size_t done = 0;
    for (size_t i = 0; i < s->npoints; i++)
        done += s->point[i].state == WEFT_POINT_DONE;
    weft_json_kv_str(j, "command", "sweep");
    weft_outcome_json(j, s->outcome, s->reason);
    definition(j, record->base);
    weft_json_kv_u64(j, "rows", s->npoints);
    weft_json_kv_u64(j, "rows_done", done);
    weft_json_kv_array(j, "failed_rows");
    for (size_t i = 0; i < s->npoints; i++) {
        if (s->point[i].state != WEFT_POINT_DONE || !s->point[i].reason)
            continue;
        weft_json_object(j);
        weft_json_kv_u64(j, "row", i + 1);
        weft_json_kv_str(j, "reason", s->point[i].reason);
        weft_json_end_object(j);
    }
    weft_json_end_array(j);
}

/* Whether a setting is the same in a scenario and in a folder; one that follows from others is. */
static bool sweep_folder_same(const struct weft_result *r, const char *label, const char *name,
                              const char *text)
{
    const char *there = weft_result_setting(r, label, name);
    return !there || strcmp(text, WEFT_PARAM_AUTO) == 0 || strcmp(text, there) == 0;
}

/* Refuses a folder whose run had other settings. */
static int check_settings(const struct weft_scenario *scenario, const struct weft_result *r,
                          const char *dir, struct weft_err *err)
{
    char buf[WEFT_PARAM_TEXT_MAX];
    for (size_t i = 0; i < scenario->ngroups; i++) {
        const struct weft_scenario_group *g = &scenario->groups[i];
        const char *name = g->selector, *text = g->selected, *prefix = g->label;
        bool alike = !g->selector || sweep_folder_same(r, g->label, g->selector, g->selected);
        for (size_t k = 0; alike && k < g->table->n; k++) {
            name = g->table->params[k].name;
            prefix = g->prefix;
            text = weft_scenario_value_text(g, k, buf);
            alike = sweep_folder_same(r, g->label, name, text);
        }
        if (!alike)
            return weft_err_at(err, WEFT_E_INPUT, dir, 0, 0,
                               "holds a run with %s.%s=%s, this sweep has %s there: choose another "
                               "--out, or leave --resume out to start over",
                               prefix, name, weft_result_setting(r, g->label, name), text);
    }
    return 0;
}

/* The same of the flows of a configuration, which are no setting. */
static int check_flows(const struct weft_subject *subject, const struct weft_result *r,
                       const char *dir, struct weft_err *err)
{
    const char *flows = weft_subject_flows(subject);
    const char *there = weft_result_text(r, NULL, "flows", 0);
    if (!flows || !there || strcmp(flows, there) == 0)
        return 0;
    return weft_err_at(err, WEFT_E_INPUT, dir, 0, 0,
                       "holds a run with the flows of %s, this sweep has those of %s there: choose "
                       "another --out, or leave --resume out to start over",
                       there, flows);
}

/* Whether what a folder holds counts. */
static bool counts(const struct weft_result *r, const char *dir,
                   const struct weft_sweep_takeover *how)
{
    char path[WEFT_PATH_MAX];
    enum weft_outcome outcome = weft_result_outcome(r);
    if (outcome == WEFT_OUTCOME_FAILED)
        return !how->retry_failed;
    if (weft_outcome_is_partial(outcome))
        return how->gather && outcome != WEFT_OUTCOME_RUNNING;
    return !weft_path_join(path, dir, "finished", &(struct weft_err){0}) &&
           weft_file_is_regular(path);
}

static int exit_code_of(enum weft_outcome outcome)
{
    static const struct {
        enum weft_outcome outcome;
        int code;
    } codes[] = {{WEFT_OUTCOME_FINISHED, 0},
                 {WEFT_OUTCOME_MEASURED, 0},
                 {WEFT_OUTCOME_INTERRUPTED, WEFT_E_INTERRUPTED},
                 {WEFT_OUTCOME_FAILED, WEFT_E_INPUT},
                 {WEFT_OUTCOME_OVER_LIMIT, WEFT_E_LIMIT}};
    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++)
        if (codes[i].outcome == outcome)
            return codes[i].code;
    return WEFT_E_OUTCOME;
}

static int take_point(const struct weft_sweep_base *b, struct weft_sweep *s, size_t point,
                      const struct weft_sweep_takeover *how, struct weft_err *err)
{
    struct weft_cli quiet = *b->cli;
    struct weft_log silent = {.level = WEFT_LOG_ERROR};
    struct weft_source_opts source;
    struct weft_subject subject = {0};
    char dir[WEFT_PATH_MAX];
    struct weft_err absent = {0};
    struct weft_sweep_point *p = &s->point[point];
    if (weft_sweep_folder(b, point, dir, err))
        return err->code;
    struct weft_result *r = weft_result_load(dir, &absent);
    if (!r)
        return absent.code == WEFT_E_LIMIT ? (*err = absent).code : 0;
    quiet.log = &silent;
    int code = weft_sweep_settings(b, s, point, &source, err);
    if (!code && !weft_subject_load(&quiet, &source, b->args, b->nargs, &subject, &absent))
        code =
            check_flows(&subject, r, dir, err) ? err->code : check_settings(subject.s, r, dir, err);
    if (!code && counts(r, dir, how) && (weft_sweep_take(s, point, r) || how->gather)) {
        const bool failed = p->outcome == WEFT_OUTCOME_FAILED;
        p->state = WEFT_POINT_DONE;
        p->taken_over = true;
        p->code = exit_code_of(p->outcome);
        if (failed && weft_result_reason(r)) {
            struct weft_err e = {0};
            char text[WEFT_ERR_MSG_MAX];
            weft_err_set(&e, p->code, "%s", weft_result_reason(r));
            p->message = weft_arena_strdup(s->arena, e.msg);
            weft_sweep_prepend(s, point, &e);
            p->reason = weft_arena_strdup(s->arena, weft_err_format(&e, text, sizeof text));
        }
    }
    weft_subject_free(&subject);
    weft_result_free(r);
    return code;
}

/* A row that the sweep's run.json says has failed, also where it has no folder. */
static void take_failed(void *ctx, uint64_t row, const char *reason)
{
    struct weft_sweep *s = (struct weft_sweep *)ctx;
    if (row > s->npoints || s->point[row - 1].state == WEFT_POINT_DONE)
        return;
    struct weft_sweep_point *p = &s->point[row - 1];
    p->state = WEFT_POINT_DONE;
    p->taken_over = true;
    p->outcome = WEFT_OUTCOME_FAILED;
    p->code = WEFT_E_INPUT;
    p->reason = weft_arena_strdup(s->arena, reason);
}

int weft_sweep_take_over(const struct weft_sweep_base *b, struct weft_sweep *s,
                         const struct weft_sweep_takeover *how, struct weft_err *err)
{
    struct weft_err absent = {0};
    int code = 0;
    struct weft_result *r = weft_result_load(b->out, &absent);
    if (absent.code == WEFT_E_LIMIT) {
        *err = absent;
        return err->code;
    }
    if (r && !weft_result_text(r, "sweep", "vary", 0) && !weft_result_text(r, "sweep", "seeds", 0))
        code = weft_err_at(err, WEFT_E_INPUT, b->out, 0, 0,
                           "holds a run and no sweep: choose another --out, or leave --resume out");
    for (size_t i = 0; i < s->npoints && !code; i++)
        code = take_point(b, s, i, how, err);
    if (r && !code && !how->retry_failed)
        weft_result_failed_rows(r, take_failed, s);
    weft_result_free(r);
    return code;
}
