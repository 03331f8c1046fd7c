/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What near candidates of auto take, measured: each plays the operation alone, on a net of its own
 * like that of the run.
 *
 * The cost formula (auto_cost.c) knows neither congestion control nor how messages of different
 * rounds meet. A simulation does. It is bounded by the frames times links of the candidates, as the
 * formula counts them, so that the choice does not depend on how fast the machine is, nor on
 * threads, processes or run.replay. Of an operation that is too large a smaller one is measured,
 * and a second of half its size; what each byte adds is taken from the two.
 */
#include "system/auto.h"

#include "base/units.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* By how much the formula may be off: candidates that it puts above that many times the cheapest
 * are not measured. */
#define UNSURE 1.5
/* Most candidates that are measured for one operation. */
#define CANDIDATES_MAX 8u
/* Frames times links of those of one operation, and of all: a million takes half a second. */
#define HOPS_OF_OPERATION 4e5
#define HOPS_OF_ALL 2e6
/* A net for each candidate takes longer than what is simulated on it above that. */
#define PORTS_MAX 8192u
/* Groups whose candidates cost the same within that share are alike. */
#define ALIKE 0.02
/* A candidate that takes so many times as long as the best is not played to its end, nor one that
 * takes so many times as long as expected. */
#define HOPELESS 2
#define NEVER 50

/* Frames that a message has at least where a larger operation is measured by a smaller one. */
#define LEAST_FRAMES 4u

/* What was measured for an operation of a group, for groups that are alike. */
struct weft_tuned {
    struct weft_tuned *next;
    enum weft_coll_kind kind;
    uint64_t bytes;
    uint32_t n, involved;
    struct weft_ranking expected, measured;
};

void weft_auto_tuning_begin(struct weft_auto_tuning *t, const struct weft_auto_job *job)
{
    *t = (struct weft_auto_tuning){.job = job, .hops_left = HOPS_OF_ALL};
}

void weft_auto_tuning_end(struct weft_auto_tuning *t)
{
    for (struct weft_tuned *i = t->tuned, *next; i; i = next) {
        next = i->next;
        free(i);
    }
    t->tuned = NULL;
}

/* --- one candidate --- */

/* A workload of that operation alone. NULL: out of memory. */
static struct weft_workload *tune_workload(const struct weft_auto_job *job,
                                           const struct weft_op *op, uint64_t bytes)
{
    struct weft_arena *a = weft_arena_new();
    struct weft_workload *w = a ? weft_arena_calloc(a, 1, sizeof *w) : NULL;
    if (!w) {
        weft_arena_free(a);
        return NULL;
    }
    *w = (struct weft_workload){.arena = a,
                                .nranks = job->w->nranks,
                                .groups = job->w->groups,
                                .ngroups = job->w->ngroups,
                                .nics = job->w->nics,
                                .hosts_per_rank = job->w->hosts_per_rank};
    w->dags = weft_arena_calloc(a, w->nranks, sizeof *w->dags);
    struct weft_op *only = weft_arena_calloc(a, 1, sizeof *only);
    if (!w->dags || !only) {
        weft_arena_free(a);
        return NULL;
    }
    *only = *op;
    only->bytes = bytes;
    only->algorithm = NULL;
    only->nparents = only->first_child = only->nchildren = 0;
    for (uint32_t i = 0; i < w->groups[op->group].n; i++)
        w->dags[w->groups[op->group].ranks[i]] = (struct weft_dag){.ops = only, .nops = 1};
    return w;
}

/* How long the operation takes by @p choice; infinite: longer than @p until_s, or it can't. */
static int tune_measure(const struct weft_auto_job *job, const struct weft_op *op, uint64_t bytes,
                        const char *choice, double until_s, double *s, struct weft_err *err)
{
    const enum weft_coll_kind kind = weft_coll_run_as(op->coll);
    struct weft_system_params p = *job->p;
    struct weft_workload *w = tune_workload(job, op, bytes);
    char key[WEFT_CHOICE_TEXT_MAX + 80];
    int64_t end_ps = WEFT_NEVER;
    if (!w)
        return weft_err_no_memory(err, "the choice of algorithms");
    *weft_choice_param(&p, kind) = choice;
    snprintf(key, sizeof key, "%u %x %d %u %" PRIu64 " %s", op->group, op->involved, (int)op->coll,
             op->has_root ? op->root + 1 : 0, bytes, choice);
    const int64_t until_ps =
        until_s < 1e6 ? (int64_t)(until_s * 1e12) + 1 : INT64_C(1000000000000000000);
    const int rc = job->env->tuner->measure(job->env->tuner, job->env->job, key, w, &p, until_ps,
                                            &end_ps, err);
    *s = rc || end_ps == WEFT_NEVER ? INFINITY : (double)end_ps * 1e-12;
    weft_workload_free(w);
    if (!rc || rc == WEFT_E_INTERNAL || rc == WEFT_E_LIMIT)
        return rc;
    *err = (struct weft_err){0}; /* the run says what is wrong if it is so with all of them */
    return 0;
}

/* --- all near ones --- */

/* Those that took the same stay in the order of their costs. */
static void tune_sort(struct weft_ranking *r, uint32_t near)
{
    for (uint32_t i = 1; i < near; i++) {
        const struct weft_ranked x = r->choice[i];
        uint32_t at = i;
        for (; at > 0 && r->choice[at - 1].s > x.s; at--)
            r->choice[at] = r->choice[at - 1];
        r->choice[at] = x;
    }
    r->n = near;
    while (r->n && isinf(r->choice[r->n - 1].s))
        r->n--;
}

/* Measures the first @p near choices. What a size above @p measured_bytes takes follows from that
 * and from half of it, but is not less than the formula says: queues that build up later than that
 * do not show in these two. */
static int tune_near(const struct weft_auto_job *job, const struct weft_op *op, uint64_t bytes,
                     uint64_t measured_bytes, uint32_t near, struct weft_ranking *r,
                     struct weft_err *err)
{
    double best_s = r->choice[0].s * NEVER / HOPELESS;
    int rc = 0;
    struct weft_ranked *const c = r->choice;
    for (uint32_t i = 0; !rc && i < near; i++) {
        double s, half_s;
        rc = tune_measure(job, op, measured_bytes, c[i].text, best_s * HOPELESS, &s, err);
        if (rc || bytes == measured_bytes || isinf(s)) {
            c[i].s = s;
            best_s = s < best_s ? s : best_s;
            continue;
        }
        rc = tune_measure(job, op, measured_bytes / 2, c[i].text, s * HOPELESS, &half_s, err);
        const double whole_s = s + (s - half_s) * (double)(bytes - measured_bytes) /
                                       (double)(measured_bytes - measured_bytes / 2);
        c[i].s = fmax(c[i].s, whole_s);
        best_s = s < best_s ? s : best_s;
    }
    return rc;
}

static uint32_t tune_near_ones(const struct weft_ranking *r)
{
    uint32_t near = 0;
    while (near < r->n && near < CANDIDATES_MAX && r->choice[near].s <= UNSURE * r->choice[0].s)
        near++;
    return near;
}

/* Whether two groups have the same candidates at about the same cost. */
static bool tune_alike(const struct weft_ranking *a, const struct weft_ranking *b)
{
    const uint32_t near = tune_near_ones(a);
    if (near != tune_near_ones(b))
        return false;
    for (uint32_t i = 0; i < near; i++)
        if (strcmp(a->choice[i].text, b->choice[i].text) != 0 ||
            fabs(a->choice[i].s - b->choice[i].s) > ALIKE * a->choice[i].s)
            return false;
    return true;
}

int weft_auto_tune(struct weft_auto_tuning *t, const struct weft_op *op, struct weft_ranking *r,
                   struct weft_err *err)
{
    const uint64_t bytes = op->coll == WEFT_COLL_BARRIER ? 0 : op->bytes;
    const struct weft_system_env *env = t->job->env;
    const uint32_t near = tune_near_ones(r), n = t->job->w->groups[op->group].n;
    double hops = 0;
    if (!env->tuner || !env->tuner->measure || near < 2 || env->net_fabric->nports > PORTS_MAX)
        return 0;
    for (const struct weft_tuned *i = t->tuned; i; i = i->next)
        if (i->kind == op->coll && i->bytes == bytes && i->n == n && i->involved == op->involved &&
            tune_alike(&i->expected, r)) {
            *r = i->measured;
            return 0;
        }
    for (uint32_t i = 0; i < near; i++)
        hops += r->choice[i].hops;
    const double most = HOPS_OF_OPERATION < t->hops_left ? HOPS_OF_OPERATION : t->hops_left;
    uint64_t measured_bytes = bytes;
    if (hops > most) {
        measured_bytes = (uint64_t)((double)bytes * most / hops / 1.5);
        hops = most;
        if (measured_bytes < n * t->job->p->chunks * LEAST_FRAMES * env->manner.frame_bytes ||
            !env->manner.frame_bytes)
            return 0;
    }
    struct weft_tuned *done = malloc(sizeof *done);
    if (!done)
        return weft_err_no_memory(err, "the choice of algorithms");
    *done = (struct weft_tuned){.next = t->tuned,
                                .kind = op->coll,
                                .bytes = bytes,
                                .n = n,
                                .involved = op->involved,
                                .expected = *r};
    t->tuned = done;
    t->hops_left -= hops;
    const int rc = tune_near(t->job, op, bytes, measured_bytes, near, r, err);
    if (rc)
        return rc;
    for (uint32_t i = 0; i < near; i++)
        r->choice[i].measured = true;
    tune_sort(r, near);
    if (!r->n)
        *r = done->expected;
    done->measured = *r;
    return 0;
}
