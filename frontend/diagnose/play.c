/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Plays the run and its changes in processes of their own, as the rows of a sweep, and ranks them.
 *
 * Points of the sweep are: the run as it is, each change, then pairs of the changes that helped
 * most. A pair is of two changes that do not set the same key.
 */
#include "base/file.h"
#include "base/progress.h"
#include "base/units.h"
#include "diagnose/diagnose.h"
#include "foreign/hpcc/run.h"
#include "run/cost.h"
#include "run/scratch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of the budget: the rest is for processes to load the scenario and to end, and for printing. */
#define PLAYING 0.98
/* CPU time for an estimate of the run. */
#define ESTIMATE_S 0.5

enum {
    PAIRS = 3,
    FIRST = 3,         /* pairs are of the first so many that helped */
    LEAST_RUN_S = 2,   /* a change may take so long in any case, */
    TIMES_AS_LONG = 4, /* and so many times what the run took */
    SLICES = 12,       /* a budget is to be enough for so many runs one after the other */
    SHORTER = 4,       /* a run that is cut is sliced to 1 / 4, 1 / 16 ... */
    BASE_SHARE = 3     /* a run that takes more than this part of what is left of it is sliced */
};

/* Diagnosis under way. */
struct game {
    struct weft_diagnosis *d;
    struct weft_sweep_base base;
    const struct weft_diagnose_budget *budget;
    struct weft_sweep s;
    const struct weft_strings *given; /* settings of all points but for the slice */
    struct weft_slice slice;
    struct weft_strings *own; /* settings of each point */
    double started_s;
    double limit_s;     /* a change may take so long */
    double run_s;       /* the run takes so long; 0: not known */
    unsigned cuts;      /* longer slices, and the run, did not end within their share */
    bool *hurried;      /* of each point: less than that was left of the budget */
    size_t next, end;   /* points to start */
    int code;           /* a point that ends the diagnosis: a signal */
    const char *tables; /* folder for those of the run as it is; NULL: none */
};

static double now_s(void)
{
    return 1e-9 * (double)weft_clock_monotonic_ns(NULL);
}

/* A change has what is left of the budget, at most. */
static bool next_point(void *ctx, size_t *point)
{
    struct game *g = (struct game *)ctx;
    const double left_s = g->budget->wall_s - (now_s() - g->started_s);
    if (g->code || g->next == g->end || (g->next > 0 && left_s <= 0))
        return false;
    *point = g->next++;
    if (*point > 0) {
        g->hurried[*point] = left_s < g->limit_s;
        g->base.limits.wall_ns = (int64_t)(1e9 * fmin(left_s, g->limit_s));
    }
    return true;
}

static int point_done(void *ctx, size_t point, char *output, struct weft_err *err)
{
    struct game *g = (struct game *)ctx;
    const struct weft_sweep_point *p = &g->s.point[point];
    free(output);
    if (p->code == WEFT_E_INTERRUPTED)
        g->code = p->code;
    return 0;
}

static void no_progress(void *ctx) {}

/* Plays the points from g->next to g->end. */
static int play(struct game *g, struct weft_err *err)
{
    const struct weft_sweep_jobs jobs = {g, next_point, point_done, no_progress, no_progress};
    const int code = weft_sweep_run_jobs(&g->base, &g->s, g->budget->parallel, &jobs, err);
    if (code)
        return code;
    if (g->code || *g->base.cli->interrupted)
        return weft_err_set(err, WEFT_E_INTERRUPTED, "interrupted");
    return 0;
}

/* ---- what is measured ---- */

static const char *const symptoms[WEFT_DIAGNOSE_SYMPTOMS] = {"drops",
                                                             "drops-buffer",
                                                             "drops-headroom",
                                                             "drops-error",
                                                             "timeouts",
                                                             "retransmissions",
                                                             "pfc-pauses",
                                                             "ecn-marks",
                                                             "link-utilisation-max",
                                                             "link-utilisation-max-port"};

static bool has_end(const struct weft_scenario_job *j)
{
    return strcmp(j->ops->name, "cdf") != 0 && strcmp(j->ops->name, "incast") != 0 &&
           strcmp(j->ops->name, "flows") != 0 && strcmp(j->ops->name, "htsim-flows") != 0;
}

/* The workload that it is about; NULL: the scenario's flows are no workload. */
static const struct weft_scenario_job *choose_job(const struct weft_subject *subject,
                                                  const char *name, struct weft_err *err)
{
    const struct weft_scenario *s = subject->s;
    if (subject->hpcc)
        return NULL;
    for (uint32_t i = 0; i < s->njobs; i++)
        if (name ? strcmp(s->jobs[i].name, name) == 0 : has_end(&s->jobs[i]))
            return &s->jobs[i];
    if (name)
        weft_err_set(err, WEFT_E_USAGE,
                     "--job %s: the scenario has no such workload; the first "
                     "is '%s'",
                     name, s->jobs[0].name);
    return &s->jobs[0];
}

static int add_measure(struct weft_diagnosis *d, const char *text, struct weft_err *err)
{
    if (!text)
        return weft_err_no_memory(err, "metrics");
    return weft_metric_choose(text, &d->measures[d->nmeasures++], err);
}

/* What "better" means: a job's time; of flows their mean FCT and the tail of their slowdown. */
static int choose_measures(struct weft_diagnosis *d, const struct weft_scenario_job *job,
                           const char *metric, struct weft_err *err)
{
    struct weft_arena *a = d->changes.arena;
    if (metric) {
        const int code = add_measure(d, metric, err);
        const enum weft_param_type type = code ? WEFT_PARAM_TIME : d->measures[0].metric->type;
        d->larger_is_better = type == WEFT_PARAM_RATE || strstr(metric, "per-s") != NULL ||
                              strstr(metric, "utilisation") != NULL;
        return code;
    }
    if (!job)
        return add_measure(d, "slowdown-p50", err) || add_measure(d, "slowdown-p99", err)
                   ? err->code
                   : 0;
    if (strcmp(job->ops->name, "training") == 0) {
        d->larger_is_better = true;
        return add_measure(d, "samples-per-s", err);
    }
    if (has_end(job))
        return add_measure(d, weft_arena_printf(a, "job.%s.time", job->name), err);
    if (add_measure(d, weft_arena_printf(a, "job.%s.fct-mean", job->name), err))
        return err->code;
    return add_measure(d, weft_arena_printf(a, "job.%s.fct-slowdown-p99", job->name), err);
}

static int choose_metrics(struct game *g, struct weft_err *err)
{
    for (size_t i = 0; i < g->d->nmeasures; i++)
        g->s.metric[g->s.nmetrics++] = g->d->measures[i];
    for (size_t i = 0; i < WEFT_DIAGNOSE_SYMPTOMS; i++)
        if (weft_metric_choose(symptoms[i], &g->s.metric[g->s.nmetrics++], err))
            return err->code;
    return weft_metric_choose("arrived-share", &g->s.metric[g->s.nmetrics++], err);
}

/* ---- trials ---- */

static bool came_to_end(const struct weft_sweep_point *p)
{
    return p->summed_up && p->outcome && weft_outcome_is_good(p->outcome);
}

/* How much longer @p t takes than the run: the geometric mean over the measures. */
static double ratio_of(const struct weft_diagnosis *d, const struct weft_trial *t)
{
    double log_sum = 0;
    if (d->base.unfinished != t->unfinished)
        return t->unfinished ? INFINITY : 0;
    for (size_t i = 0; i < d->nmeasures; i++) {
        const double before = d->base.measure[i], after = t->measure[i];
        if (!(before > 0) || !(after > 0))
            return NAN;
        log_sum += d->larger_is_better ? log(before / after) : log(after / before);
    }
    return exp(log_sum / (double)d->nmeasures);
}

static void read_trial(const struct game *g, size_t point, struct weft_trial *t)
{
    const struct weft_sweep_point *p = &g->s.point[point];
    if (p->state != WEFT_POINT_DONE || (p->code == WEFT_E_LIMIT && g->hurried[point]))
        return;
    t->state = p->summed_up && p->code != WEFT_E_LIMIT ? WEFT_TRIAL_PLAYED : WEFT_TRIAL_FAILED;
    t->why = p->reason;
    t->unfinished = !came_to_end(p);
    for (size_t i = 0; i < g->d->nmeasures; i++)
        t->measure[i] = p->metric[i];
    t->ratio = point ? ratio_of(g->d, t) : 1;
    if (isnan(t->ratio))
        t->state = WEFT_TRIAL_FAILED;
}

double weft_trial_gain(const struct weft_trial *t)
{
    return t->state == WEFT_TRIAL_PLAYED ? 1 - t->ratio : 0;
}

/* What is not as intended is named before what could be tuned or bought, unless it explains far
 * less. */
static double weight(const struct weft_trial *t)
{
    const double gain = weft_trial_gain(t);
    if (gain < WEFT_DIAGNOSE_LEAST_GAIN)
        return gain;
    return gain * t->change->weight * (t->second ? 0.5 : 1);
}

static int by_weight(const void *va, const void *vb)
{
    const struct weft_trial *a = (const struct weft_trial *)va;
    const struct weft_trial *b = (const struct weft_trial *)vb;
    const double x = weight(a), y = weight(b);
    if (x != y)
        return x > y ? -1 : 1;
    return a->change < b->change ? -1 : a->change > b->change;
}

static int by_order(const void *va, const void *vb)
{
    const struct weft_change *a = (const struct weft_change *)va;
    const struct weft_change *b = (const struct weft_change *)vb;
    if (a->order != b->order)
        return a->order < b->order ? -1 : 1;
    if (a->cost != b->cost)
        return a->cost > b->cost ? -1 : 1;
    return strcmp(a->what, b->what);
}

static bool same_key(const struct weft_change *a, const struct weft_change *b)
{
    for (size_t i = 0; i < a->nsets; i++)
        for (size_t k = 0; k < b->nsets; k++) {
            const size_t len = strcspn(a->sets[i], "=");
            if (strncmp(a->sets[i], b->sets[k], len) == 0 && b->sets[k][len] == '=')
                return true;
        }
    return false;
}

static int set_own(struct game *g, size_t point, const struct weft_trial *t, struct weft_err *err)
{
    struct weft_strings *own = &g->own[point];
    const size_t n = t->change->nsets + (t->second ? t->second->nsets : 0);
    own->list = (const char **)weft_arena_calloc(g->d->changes.arena, n ? n : 1, sizeof *own->list);
    if (!own->list)
        return weft_err_no_memory(err, "changes to try");
    for (size_t i = 0; i < t->change->nsets; i++)
        own->list[own->n++] = t->change->sets[i];
    for (size_t i = 0; t->second && i < t->second->nsets; i++)
        own->list[own->n++] = t->second->sets[i];
    return 0;
}

/* ---- slices of long runs ---- */

static bool same_slice(const struct weft_slice *a, const struct weft_slice *b)
{
    bool same = a->n == b->n;
    for (size_t i = 0; same && i < a->n; i++)
        same = strcmp(a->set[i], b->set[i]) == 0;
    return same;
}

/* Whether a slice of 1 / @p times is shorter than the present one; *out receives it. */
static bool is_shorter(const struct game *g, const struct weft_subject *subject,
                       const struct weft_scenario_job *job, uint64_t times, struct weft_slice *out)
{
    if (subject->hpcc)
        return false;
    weft_diagnose_slice(subject->s, job, times, g->d->changes.arena, out);
    return !same_slice(out, &g->slice);
}

/* Makes all further runs this slice of the run. */
static int take_slice(struct game *g, const struct weft_slice *slice, struct weft_err *err)
{
    struct weft_arena *a = g->d->changes.arena;
    const struct weft_strings *given = g->given;
    const struct weft_strings of_slice = {(const char **)slice->set, slice->n};
    if (weft_strings_join(a, given, &of_slice, &g->base.source.set, err))
        return err->code;
    g->slice = *slice;
    g->d->slice = NULL;
    for (size_t i = 0; i < slice->n; i++)
        g->d->slice = weft_arena_printf(a, "%s%s%s", g->d->slice ? g->d->slice : "",
                                        g->d->slice ? ", " : "", slice->set[i]);
    return g->d->slice ? 0 : weft_err_no_memory(err, "changes to try");
}

/* ---- steps ---- */

/* Plays the run, for at most @p most_s (0: any time); *took_s receives how long it took. */
static int play_run(struct game *g, double most_s, double *took_s, struct weft_err *err)
{
    const int64_t given_ns = g->base.limits.wall_ns, most_ns = (int64_t)(1e9 * most_s);
    const double before_s = now_s();
    g->next = 0;
    g->end = 1;
    g->s.point[0] = (struct weft_sweep_point){0};
    if (most_ns > 0 && (!given_ns || most_ns < given_ns))
        g->base.limits.wall_ns = most_ns;
    g->base.out = g->tables;
    const int code = play(g, err);
    g->base.out = NULL;
    g->base.limits.wall_ns = given_ns;
    *took_s = now_s() - before_s;
    return code;
}

/* Plays the run as it is, or the longest slice of it that ends within a part of the budget and
 * leaves time for changes. *cut receives whether not even the shortest did. */
static int play_slices(struct game *g, const struct weft_subject *subject,
                       const struct weft_scenario_job *job, double *took_s, bool *cut,
                       struct weft_err *err)
{
    const struct weft_sweep_point *p = &g->s.point[0];
    const double budget_s = g->budget->wall_s;
    struct weft_slice next;
    uint64_t times = SHORTER;
    for (bool sliced = false;; sliced = true) {
        const bool shorter = budget_s > 0 && is_shorter(g, subject, job, times, &next);
        const double left_s = budget_s - (now_s() - g->started_s),
                     part_s = shorter ? left_s / BASE_SHARE : left_s;
        *cut = budget_s > 0 && part_s < 1e-3;
        if (*cut || play_run(g, budget_s > 0 ? part_s : 0, took_s, err))
            return err->code;
        const double runs = *took_s * SLICES / budget_s;
        *cut = budget_s > 0 && p->code == WEFT_E_LIMIT && *took_s >= part_s;
        if (*cut && shorter)
            g->cuts++;
        if (*cut)
            times *= SHORTER;
        else if (sliced || !shorter || !p->summed_up || *took_s <= LEAST_RUN_S || runs <= 1 ||
                 !is_shorter(g, subject, job, (uint64_t)ceil(runs), &next))
            return 0;
        if (!shorter)
            return 0;
        if (take_slice(g, &next, err))
            return err->code;
    }
}

/* CPU time of the run, or its slice, by the estimate of `weft check`; 0: nothing can be said. */
static double estimate_s(const struct game *g)
{
    struct weft_err ignored = {0};
    struct weft_subject slice = {0};
    struct weft_scenario_parts parts = {0};
    struct weft_cost cost = {0};
    if (!weft_subject_load(g->base.cli, &g->base.source, g->base.args, g->base.nargs, &slice,
                           &ignored) &&
        !slice.hpcc && !weft_scenario_build(slice.s, &parts, &ignored))
        weft_cost_estimate(g->base.cli, slice.s, &parts, ESTIMATE_S, &cost);
    weft_scenario_parts_free(&parts);
    weft_subject_free(&slice);
    return cost.cpu_s;
}

/* A budget that is about enough for all changes where none was tried. */
static double needed_s(const struct game *g)
{
    const size_t at_once = g->budget->parallel, n = g->d->changes.n;
    const double rounds =
        1 + (double)((n + at_once - 1) / at_once + (PAIRS + at_once - 1) / at_once);
    const double share = 1 - 1.0 / BASE_SHARE; /* of the budget, what is left after a cut */
    return g->run_s * fmax(rounds, g->slice.n ? BASE_SHARE : 1) / pow(share, g->cuts) / PLAYING;
}

/* Plays the run as it is, or a slice of it when it is long. */
static int play_base(struct game *g, const struct weft_subject *subject,
                     const struct weft_scenario_job *job, struct weft_err *err)
{
    const struct weft_sweep_point *p = &g->s.point[0];
    double took_s;
    bool cut = false;
    if (play_slices(g, subject, job, &took_s, &cut, err))
        return err->code;
    g->d->base.unfinished = true;
    g->run_s = cut ? estimate_s(g) : took_s;
    if (cut)
        return 0;
    if (!p->summed_up)
        return weft_err_set(err, p->code ? p->code : WEFT_E_INTERNAL, "%s",
                            p->message  ? p->message
                            : p->reason ? p->reason
                                        : "the run failed");
    read_trial(g, 0, &g->d->base);
    if (p->code == WEFT_E_LIMIT)
        return weft_err_set(err, WEFT_E_LIMIT,
                            "the run itself exceeds the limit that it was given");
    g->limit_s = TIMES_AS_LONG * took_s + LEAST_RUN_S;
    if (g->base.limits.wall_ns)
        g->limit_s = fmin(g->limit_s, 1e-9 * (double)g->base.limits.wall_ns);
    return 0;
}

/* What the tables of the run say of slow links, hosts and ranks; nothing without them. */
static int read_slow(struct game *g, struct weft_symptoms *y, struct weft_err *err)
{
    char folder[WEFT_PATH_MAX], file[WEFT_PATH_MAX];
    const char *const dirs[] = {folder};
    struct weft_runs runs;
    struct weft_facts facts;
    struct weft_slow_part *own = NULL;
    if (!g->tables || weft_path_join(folder, g->tables, "1", err) ||
        weft_path_join(file, folder, "run.json", err) || !weft_file_is_regular(file))
        return err->code;
    if (weft_runs_open(dirs, 1, NULL, 0, &runs, err))
        return err->code;
    int code = weft_facts_read(&runs, &runs.run[0], &facts, err);
    if (!code && facts.nslow) {
        own = (struct weft_slow_part *)weft_arena_calloc(g->d->changes.arena, facts.nslow,
                                                         sizeof *own);
        if (own)
            memcpy(own, facts.slow, facts.nslow * sizeof *own);
        code = own ? 0 : weft_err_no_memory(err, "changes to try");
    }
    y->slow = own;
    y->nslow = own ? facts.nslow : 0;
    weft_runs_close(&runs);
    return code;
}

static int list_changes(struct game *g, const struct weft_subject *subject, const char *main,
                        struct weft_err *err)
{
    const double *m = g->s.point[0].metric + g->d->nmeasures;
    struct weft_symptoms y = {.drops = m[0],
                              .drops_buffer = m[1],
                              .drops_headroom = m[2],
                              .drops_error = m[3],
                              .timeouts = m[4],
                              .retransmissions = m[5],
                              .pauses = m[6],
                              .marks = m[7],
                              .busiest = m[8],
                              .busiest_port = m[9]};
    struct weft_scenario_parts parts = {0};
    if (read_slow(g, &y, err))
        return err->code;
    if (subject->hpcc)
        return weft_changes_list(&g->d->changes, subject->s, NULL, subject->hpcc->job.fabric, &y,
                                 err);
    int code = weft_scenario_build(subject->s, &parts, err);
    code = code ? code : weft_changes_list(&g->d->changes, subject->s, main, parts.fabric, &y, err);
    weft_scenario_parts_free(&parts);
    return code;
}

/* Room for all points: the run, the changes, the pairs. */
static int make_points(struct game *g, size_t n, struct weft_err *err)
{
    struct weft_arena *a = g->d->changes.arena;
    struct weft_sweep_point *points =
        (struct weft_sweep_point *)weft_arena_calloc(a, n, sizeof *points);
    g->own = (struct weft_strings *)weft_arena_calloc(a, n, sizeof *g->own);
    g->hurried = (bool *)weft_arena_calloc(a, n, sizeof *g->hurried);
    if (!points || !g->own || !g->hurried)
        return weft_err_no_memory(err, "changes to try");
    if (g->s.point)
        points[0] = g->s.point[0];
    g->s.point = points;
    g->s.nrows = g->s.npoints = n;
    g->base.own = g->own;
    return 0;
}

static int play_changes(struct game *g, struct weft_err *err)
{
    struct weft_diagnosis *d = g->d;
    const size_t n = d->changes.n;
    if (n)
        qsort(d->changes.list, n, sizeof *d->changes.list, by_order);
    d->trials =
        (struct weft_trial *)weft_arena_calloc(d->changes.arena, n + PAIRS, sizeof *d->trials);
    if (!d->trials)
        return weft_err_no_memory(err, "changes to try");
    if (make_points(g, 1 + n + PAIRS, err))
        return err->code;
    for (size_t i = 0; i < n; i++) {
        d->trials[i].change = &d->changes.list[i];
        if (set_own(g, 1 + i, &d->trials[i], err))
            return err->code;
    }
    g->end = 1 + n;
    if (play(g, err))
        return err->code;
    for (size_t i = 0; i < n; i++)
        read_trial(g, 1 + i, &d->trials[i]);
    d->ntrials = n;
    return 0;
}

/* Plays pairs of those that helped most; the trials are sorted. */
static int play_pairs(struct game *g, struct weft_err *err)
{
    struct weft_diagnosis *d = g->d;
    const size_t singles = d->ntrials;
    g->next = 1 + singles;
    for (size_t i = 0; i < singles && i < FIRST; i++)
        for (size_t k = i + 1; k < singles && k < FIRST && d->ntrials < singles + PAIRS; k++) {
            struct weft_trial *t = &d->trials[d->ntrials];
            if (weft_trial_gain(&d->trials[k]) < WEFT_DIAGNOSE_LEAST_GAIN ||
                same_key(d->trials[i].change, d->trials[k].change))
                continue;
            *t = (struct weft_trial){.change = d->trials[i].change, .second = d->trials[k].change};
            if (set_own(g, 1 + d->ntrials, t, err))
                return err->code;
            d->ntrials++;
        }
    g->end = 1 + d->ntrials;
    if (play(g, err))
        return err->code;
    for (size_t i = singles; i < d->ntrials; i++)
        read_trial(g, 1 + i, &d->trials[i]);
    return 0;
}

static int run(struct game *g, const struct weft_subject *subject,
               const struct weft_scenario_job *job, const char *metric, struct weft_err *err)
{
    struct weft_diagnosis *d = g->d;
    static const char *tables[] = {"output.tables=links,ranks,critical_path,faults",
                                   "output.compress=none"};
    if (choose_measures(d, job, metric, err) || choose_metrics(g, err) || make_points(g, 1, err))
        return err->code;
    if (g->tables)
        g->own[0] = (struct weft_strings){tables, 2};
    if (play_base(g, subject, job, err) || list_changes(g, subject, job ? job->name : NULL, err) ||
        play_changes(g, err))
        return err->code;
    qsort(d->trials, d->ntrials, sizeof *d->trials, by_weight);
    if (play_pairs(g, err))
        return err->code;
    for (size_t i = 0; i < d->ntrials; i++) {
        d->nplayed += d->trials[i].state != WEFT_TRIAL_NOT_TRIED;
        d->nuntried += d->trials[i].state == WEFT_TRIAL_NOT_TRIED;
    }
    d->needs_s = d->nplayed ? 0 : needed_s(g);
    return 0;
}

int weft_diagnose(struct weft_diagnosis *d, const struct weft_sweep_base *base, const char *job,
                  const char *metric, const struct weft_diagnose_budget *budget,
                  struct weft_err *err)
{
    struct weft_log silent = {.level = WEFT_LOG_ERROR};
    struct weft_cli quiet = *base->cli;
    struct weft_subject subject = {0};
    /* a memo is of the configuration that a change is to change, samples of its control */
    static const char *alone[] = {"run.replay-memo=", "sample.what="};
    struct weft_strings set;
    const struct weft_diagnose_budget most = {PLAYING * budget->wall_s, budget->parallel};
    struct game g = {.d = d, .base = *base, .given = &set, .budget = &most, .started_s = now_s()};
    *d = (struct weft_diagnosis){.changes.arena = weft_arena_new()};
    if (!d->changes.arena)
        return weft_err_no_memory(err, "a diagnosis");
    if (weft_strings_join(d->changes.arena, &base->source.set, &(struct weft_strings){alone, 2},
                          &set, err))
        return err->code;
    g.base.source.set = set;
    int code = weft_subject_load(base->cli, &base->source, base->args, base->nargs, &subject, err);
    quiet.log = &silent; /* what is to be said of the scenario has been said */
    g.base.cli = &quiet;
    g.s = (struct weft_sweep){.arena = d->changes.arena, .nrows = 1};
    const struct weft_scenario_job *of = code ? NULL : choose_job(&subject, job, err);
    code = err->code;
    g.tables = code || subject.hpcc ? NULL : weft_scratch_new();
    if (g.tables && !weft_file_is_dir(g.tables))
        g.tables = NULL; /* there is no room for it: it goes without */
    code = code ? code : run(&g, &subject, of, metric, err);
    weft_scratch_remove();
    weft_subject_free(&subject);
    d->wall_s = now_s() - g.started_s;
    return code;
}

void weft_diagnosis_free(struct weft_diagnosis *d)
{
    weft_arena_free(d->changes.arena);
    *d = (struct weft_diagnosis){0};
}
