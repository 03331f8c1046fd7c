/* SPDX-License-Identifier: GPL-2.0-only */
/* Options of weft sweep, and the settings of <sweep> in the scenario. */
#include "sweep/request.h"

#include "base/processors.h"
#include "base/units.h"
#include "foreign/subject.h"
#include "run/limits.h"
#include "sweep/run.h"

#include <stddef.h>
#include <string.h>

#define WEFT_OPTS struct weft_sweep_opts

const struct weft_opt weft_sweep_options[WEFT_SWEEP_OPTIONS] = {
    WEFT_TEXTS("vary", 'v', vary, "KEY=A|B|C",
               "run with each of these values of a setting; repeatable: every combination"),
    WEFT_TEXTS("metric", 'm', metrics, "NAME",
               "show this metric ('weft show output'); repeatable; default: end-to-end, "
               "dimension-utilisation; of HPCC's configurations fct-p50, fct-p99, slowdown-p99"),
    WEFT_TEXT(
        "seeds", 0, seeds, "1..5",
        "run each combination with these seeds (a list, not their number): means with confidence "
        "intervals"),
    WEFT_TEXT("find", 0, find, "'min KEY where ...'",
              "run only what finds the smallest (max: largest) value for which conditions hold"),
    WEFT_TEXT("part", 0, part, "NAME",
              "of a scenario with several <sweep> run the one of this name; default: all in turn"),
    WEFT_FLAG("quick", 0, quick, "run the small variant that <quick> of the scenario describes"),
    WEFT_TEXT("update", 0, update, "FILE",
              "put the tables into this page, between <!-- sweep NAME --> and <!-- end -->"),
    WEFT_TEXT("jobs", 'j', jobs, "N",
              "run so many at a time; 0: as many as there are processors; default 1"),
    WEFT_SOURCE_OPTS,
    WEFT_TEXT("out", 'o', out, "DIR",
              "write sweep.csv and a run folder per row there; default: no files"),
    WEFT_FLAG("resume", 0, resume,
              "take over what an earlier run of this sweep has finished in the folder"),
    WEFT_FLAG("retry-failed", 0, retry_failed, "the same, but run again what failed"),
    WEFT_CHOICE(
        "emit", 0, emit, "none|slurm|parallel",
        "run nothing: write commands into the folder, for a Slurm job array or GNU parallel"),
    WEFT_TEXT("collect", 0, collect, "DIR",
              "run nothing: make the table of what was run into a folder of --emit"),
    WEFT_LIMIT_OPTS,
    WEFT_CHOICE("progress", 0, progress, "auto|always|never",
                "progress on stderr: a line that changes on a terminal, else one each 30 s"),
    WEFT_FLAG("json", 0, json, "print as JSON"),
};

/* --jobs. */
static int read_jobs(struct weft_sweep_opts *o, struct weft_err *err)
{
    enum { MOST = 1024 };
    uint64_t n = 1;
    if (o->jobs && weft_parse_u64(o->jobs, &n, err))
        return weft_err_set(err, WEFT_E_USAGE, "--jobs %s: must be a whole number", o->jobs);
    if (n == 0)
        n = weft_processors();
    if (n > MOST)
        return weft_err_set(err, WEFT_E_LIMIT, "--jobs %s: at most %d", o->jobs, MOST);
    o->parallel = (size_t)n;
    return 0;
}

static int request_check(const struct weft_sweep_opts *o, int nargs, struct weft_err *err)
{
    if (nargs > 1)
        return weft_err_set(err, WEFT_E_USAGE, "one scenario at a time");
    if (!o->out && (o->resume || o->retry_failed || o->emit))
        return weft_err_set(err, WEFT_E_USAGE, "%s needs --out DIR",
                            o->emit ? "--emit" : "what an earlier sweep left");
    if (o->collect &&
        (o->out || o->resume || o->retry_failed || o->emit || nargs || o->source.set.n ||
         o->vary.n || o->seeds || o->find || o->part || o->quick || o->update))
        return weft_err_set(err, WEFT_E_USAGE,
                            "--collect DIR takes all from the folder, but --metric and --json");
    if ((o->part || o->quick) && o->vary.n)
        return weft_err_set(err, WEFT_E_USAGE,
                            "%s is about <sweep> of the scenario: not with --vary",
                            o->part ? "--part" : "--quick");
    if (o->update && (o->emit || o->json))
        return weft_err_set(err, WEFT_E_USAGE, "--update takes the text of tables: not with %s",
                            o->emit ? "--emit" : "--json");
    if (o->emit && (o->resume || o->retry_failed))
        return weft_err_set(err, WEFT_E_USAGE, "--emit runs nothing: --resume can't be with it");
    if (o->seeds && o->source.seed)
        return weft_err_set(err, WEFT_E_USAGE, "--seed and --seeds exclude each other");
    return 0;
}

/* A text of an earlier sweep's run.json; NULL: it has none. */
static const char *earlier(struct weft_sweep_request *a, const struct weft_result *r,
                           const char *name, size_t i)
{
    const char *text = weft_result_text(r, "sweep", name, i);
    return text ? weft_arena_strdup(a->arena, text) : NULL;
}

static int earlier_list(struct weft_sweep_request *a, const struct weft_result *r, const char *name,
                        struct weft_sweep_values *out, struct weft_err *err)
{
    size_t n = 0;
    while (weft_result_text(r, "sweep", name, n))
        n++;
    out->list = (const char **)weft_arena_calloc(a->arena, n + 1, sizeof *out->list);
    for (; out->list && out->n < n; out->n++)
        if (!(out->list[out->n] = earlier(a, r, name, out->n)))
            return weft_err_no_memory(err, "a sweep");
    return out->list ? 0 : weft_err_no_memory(err, "a sweep");
}

/* What the folder of --collect says was asked for. */
static int ask_folder(const struct weft_sweep_opts *o, struct weft_sweep_request *a,
                      struct weft_err *err)
{
    struct weft_sweep_values set = {0}, vary = {0}, metrics = {0};
    struct weft_result *r = weft_result_load(o->collect, err);
    if (!r)
        return err->code;
    int code = earlier_list(a, r, "set", &set, err);
    code = code ? code : earlier_list(a, r, "vary", &vary, err);
    code = code ? code : earlier_list(a, r, "metrics", &metrics, err);
    a->scenario = earlier(a, r, "scenario", 0);
    a->dir = earlier(a, r, "directory", 0);
    a->source.set = (struct weft_strings){set.list, set.n};
    a->source.seed = earlier(a, r, "seed", 0);
    a->texts = (struct weft_sweep_texts){.vary = vary.list,
                                         .nvary = vary.n,
                                         .metric = metrics.list,
                                         .nmetrics = metrics.n,
                                         .seeds = earlier(a, r, "seeds", 0)};
    weft_result_free(r);
    if (!code && !vary.n && !a->texts.seeds)
        return weft_err_at(err, WEFT_E_INPUT, o->collect, 0, 0, "is not the folder of a sweep");
    return code;
}

/* Copies a list of the scenario, which does not outlive this. */
static int own_list(struct weft_arena *arena, const char *const *list, size_t n,
                    const char *const **out, struct weft_err *err)
{
    const char **own = (const char **)weft_arena_calloc(arena, n + 1, sizeof *own);
    for (size_t i = 0; own && i < n; i++)
        if (!(own[i] = weft_arena_strdup(arena, list[i])))
            return weft_err_no_memory(err, "a sweep");
    *out = own;
    return own ? 0 : weft_err_no_memory(err, "a sweep");
}

/* "KEY=VALUE" of the scenario's, a file as seen from where weft is. */
static const char *own_setting(const struct weft_sweep_request *a, const char *text)
{
    const char *value = strchr(text, '=');
    const char *key = value ? weft_arena_strndup(a->arena, text, (size_t)(value - text)) : NULL;
    return key ? weft_sweep_setting(a->arena, a->dir, key, value + 1) : NULL;
}

/* The settings of the sweep, and those of the command line, which win. */
static int join_settings(struct weft_sweep_request *a, const char *const *list, size_t n,
                         struct weft_err *err)
{
    const struct weft_strings own = a->source.set;
    const char **all = (const char **)weft_arena_calloc(a->arena, n + own.n + 1, sizeof *all);
    for (size_t i = 0; all && i < n; i++)
        if (!(all[i] = own_setting(a, list[i])))
            return weft_err_no_memory(err, "a sweep");
    for (size_t i = 0; all && i < own.n; i++)
        all[n + i] = own.list[i];
    a->source.set = (struct weft_strings){all, n + own.n};
    return all ? 0 : weft_err_no_memory(err, "a sweep");
}

static const char *own_text(struct weft_arena *arena, const char *text, bool *ok)
{
    const char *own = text ? weft_arena_strdup(arena, text) : NULL;
    *ok = *ok && (own || !text);
    return own;
}

/* The bounds that are to be checked. */
static int own_bounds(struct weft_sweep_request *a, const struct weft_scenario_sweep *s, bool quick,
                      struct weft_err *err)
{
    bool ok = true;
    struct weft_scenario_row_bound *own =
        (struct weft_scenario_row_bound *)weft_arena_calloc(a->arena, s->nbounds + 1, sizeof *own);
    for (size_t i = 0; own && i < s->nbounds; i++) {
        const struct weft_scenario_row_bound *b = &s->bounds[i];
        if (quick && b->full_only)
            continue;
        struct weft_scenario_row_bound *to = &own[a->nbounds++];
        *to = *b;
        to->metric = own_text(a->arena, b->metric, &ok);
        to->where = own_text(a->arena, b->where, &ok);
        to->over = own_text(a->arena, b->over, &ok);
        to->min = own_text(a->arena, b->min, &ok);
        to->max = own_text(a->arena, b->max, &ok);
        to->why = own_text(a->arena, b->why, &ok);
    }
    a->bounds = own;
    return own && ok ? 0 : weft_err_no_memory(err, "a sweep");
}

/* The sweep of the scenario that is meant; NULL: it has none. */
static int request_choose(const struct weft_scenario *s, const struct weft_sweep_opts *o,
                          size_t part, const struct weft_scenario_sweep **out, struct weft_err *err)
{
    const char *names[WEFT_SWEEP_VALUES];
    size_t n = 0;
    *out = part < s->nsweeps ? s->sweeps[part] : NULL;
    if (!o->part)
        return 0;
    for (size_t i = 0; i < s->nsweeps && i < WEFT_SWEEP_VALUES; i++) {
        if (!s->sweeps[i]->name)
            continue;
        names[n++] = s->sweeps[i]->name;
        *out = s->sweeps[i];
        if (strcmp(s->sweeps[i]->name, o->part) == 0)
            return 0;
    }
    return weft_err_set(err, WEFT_E_USAGE, "--part %s: %s has no <sweep> of this name%s", o->part,
                        s->file, WEFT_MEANT(o->part, names, n, ""));
}

/* All that a sweep of the scenario says. */
static int ask_sweep(const struct weft_scenario *scenario, const struct weft_scenario_sweep *s,
                     const struct weft_sweep_opts *o, struct weft_sweep_request *a,
                     struct weft_err *err)
{
    bool ok = true;
    char dir[WEFT_PATH_MAX];
    if (o->quick && !s->nquick)
        return weft_err_at(err, WEFT_E_INPUT, scenario->file, s->line, s->col,
                           "--quick: <sweep> has no <quick> that says what is smaller");
    if (weft_path_dir(dir, scenario->file, err))
        return err->code;
    a->dir = strcmp(dir, ".") == 0 ? NULL : own_text(a->arena, dir, &ok);
    if (own_list(a->arena, o->quick ? s->quick_vary : s->vary, s->nvary, &a->texts.vary, err) ||
        join_settings(a, o->quick ? s->quick_set : s->set, o->quick ? s->nquick_set : s->nset,
                      err) ||
        own_bounds(a, s, o->quick, err))
        return err->code;
    a->texts.nvary = s->nvary;
    a->texts.no_speed_up = s->no_speed_up;
    a->name = own_text(a->arena, s->name, &ok);
    a->title = own_text(a->arena, s->title, &ok);
    a->file = own_text(a->arena, scenario->file, &ok);
    if (scenario->nsweeps > 1 && o->out) {
        if (weft_path_join(dir, o->out, s->name, err))
            return err->code;
        a->out = own_text(a->arena, dir, &ok);
    }
    a->last = o->part || s == scenario->sweeps[scenario->nsweeps - 1];
    if (!a->last && o->json)
        return weft_err_set(err, WEFT_E_USAGE,
                            "--json prints one sweep, and %s has %zu: choose one by --part",
                            scenario->file, scenario->nsweeps);
    return ok ? 0 : weft_err_no_memory(err, "a sweep");
}

/* Of a configuration, which has no operations. */
static void show_flows(struct weft_sweep_request *a)
{
    static const char *const metrics[] = {"fct-p50", "fct-p99", "slowdown-p99"};
    a->texts.metric = metrics;
    a->texts.nmetrics = sizeof metrics / sizeof metrics[0];
}

/* What <sweep> of the scenario asks for, where the command line does not. */
static int ask_scenario(const struct weft_cli *cli, const struct weft_sweep_opts *o, size_t part,
                        struct weft_sweep_request *a, struct weft_err *err)
{
    struct weft_log silent = {.level = WEFT_LOG_ERROR};
    struct weft_cli quiet = *cli;
    struct weft_subject subject;
    const struct weft_scenario_sweep *s = NULL;
    struct weft_err e = {0};
    char *args[] = {(char *)(uintptr_t)a->scenario};
    quiet.log = &silent;
    if (!a->scenario)
        return 0;
    if (weft_subject_load(&quiet, &o->source, args, 1, &subject, &e)) {
        weft_subject_free(&subject);
        const bool needed = !a->texts.nvary && !a->texts.seeds;
        if (needed || e.code == WEFT_E_LIMIT)
            *err = e;
        return needed || e.code == WEFT_E_LIMIT ? e.code : 0; /* a row may set what is missing */
    }
    const struct weft_scenario *scenario = subject.s;
    int code = request_choose(scenario, o, part, &s, err);
    if (subject.hpcc && !a->texts.nmetrics)
        show_flows(a);
    const bool own_axes = a->texts.nvary > 0;
    if (own_axes && scenario->nsweeps > 1)
        s = NULL; /* which of them is not said */
    if (s && !code && !own_axes)
        code = ask_sweep(scenario, s, o, a, err);
    if (s && !code && !a->texts.nmetrics) {
        code = own_list(a->arena, s->metrics, s->nmetrics, &a->texts.metric, err);
        a->texts.nmetrics = s->nmetrics;
    }
    if (s && s->seeds && !a->texts.seeds && !o->source.seed)
        a->texts.seeds = weft_arena_strdup(a->arena, s->seeds);
    if (s && s->find && !a->find && !own_axes && !o->emit)
        a->find = weft_arena_strdup(a->arena, s->find);
    weft_subject_free(&subject);
    return code;
}

int weft_sweep_ask(const struct weft_cli *cli, struct weft_sweep_opts *o, char **args, int nargs,
                   size_t part, struct weft_sweep_request *out, struct weft_err *err)
{
    *out = (struct weft_sweep_request){.source = o->source,
                                       .scenario = nargs ? args[0] : NULL,
                                       .out = o->collect ? o->collect : o->out,
                                       .last = true};
    if (request_check(o, nargs, err) || read_jobs(o, err))
        return err->code;
    out->arena = weft_arena_new();
    if (!out->arena)
        return weft_err_no_memory(err, "a sweep");
    if (o->collect) {
        if (ask_folder(o, out, err))
            return err->code;
        if (!o->metrics.n)
            return 0;
    } else {
        out->texts =
            (struct weft_sweep_texts){.vary = o->vary.list, .nvary = o->vary.n, .seeds = o->seeds};
        out->find = o->find;
    }
    if (o->metrics.n) {
        out->texts.metric = o->metrics.list;
        out->texts.nmetrics = o->metrics.n;
    }
    return o->collect ? 0 : ask_scenario(cli, o, part, out, err);
}

void weft_sweep_request_free(struct weft_sweep_request *a)
{
    weft_arena_free(a->arena);
}
