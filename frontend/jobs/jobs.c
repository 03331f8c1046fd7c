/* SPDX-License-Identifier: GPL-2.0-only */
/* Jobs from their start to their last repetition. */
#include "jobs/jobs.h"

#include "base/units.h"
#include "jobs/flow_player.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

struct job {
    struct weft_jobs *all;
    uint32_t number;
    const struct weft_job_plan *plan;
    struct weft_net *net; /* its share, or the net itself */
    struct weft_system *system;
    struct weft_flow_player *player;
    int64_t begun_ps;    /* WEFT_NEVER: not yet */
    int64_t origin_ps;   /* this repetition began */
    int64_t last_ps;     /* flows: the latest last byte */
    uint64_t over;       /* repetitions that are */
    uint64_t ops_before; /* operations of those */
    uint64_t flows_before;
    struct weft_rank_result *before;   /* of earlier repetitions, summed up; NULL: there are none */
    uint32_t instances, instance_base; /* collectives seen in this repetition, and before it */
    bool turning;
};

struct weft_jobs {
    struct weft_jobs_config c;
    struct weft_shares *shares; /* NULL: the one job has the net */
    struct job *jobs;
    int64_t stopped_ps; /* a source without an end stopped; 0: none */
    struct weft_err err;
};

struct weft_system_env weft_job_env(const struct weft_job_plan *p, uint64_t seed,
                                    const struct weft_fabric *fabric,
                                    const struct weft_net_manner *manner, struct weft_tuner *tuner)
{
    return (struct weft_system_env){.seed = seed,
                                    .dims = p->dims.n ? &p->dims : NULL,
                                    .fabric = p->identity ? fabric : NULL,
                                    .net_fabric = fabric,
                                    .hosts = p->identity ? NULL : p->hosts,
                                    .manner = *manner,
                                    .tuner = tuner,
                                    .job = p};
}

static void jobs_fail(struct weft_jobs *j, const struct weft_err *err)
{
    if (!j->err.code)
        j->err = *err;
    j->c.net->ops->stop(j->c.net);
}

/* Collectives of all jobs and repetitions get numbers of their own. */
static void on_op(void *ctx, const struct weft_op_record *record)
{
    struct job *b = (struct job *)ctx;
    const struct weft_system_observer *o = &b->all->c.observers[b->number];
    struct weft_op_record own = *record;
    if (record->op->kind == WEFT_OP_COLL) {
        if (record->instance >= b->instances)
            b->instances = record->instance + 1;
        own.instance = (b->instance_base + record->instance) * b->all->c.n + b->number;
    }
    if (o->op)
        o->op(o->ctx, &own);
}

static void on_phase(void *ctx, const struct weft_phase_record *record)
{
    const struct job *b = (const struct job *)ctx;
    const struct weft_system_observer *o = &b->all->c.observers[b->number];
    if (o->phase)
        o->phase(o->ctx, record);
}

static void on_path(void *ctx, const struct weft_path_record *record)
{
    const struct job *b = (const struct job *)ctx;
    const struct weft_system_observer *o = &b->all->c.observers[b->number];
    if (o->path)
        o->path(o->ctx, record);
}

static void on_flow_sent(void *ctx, const struct weft_completion *done)
{
    struct job *b = (struct job *)ctx;
    weft_flow_player_sent(b->player);
}

static void on_flow_received(void *ctx, const struct weft_completion *done)
{
    struct job *b = (struct job *)ctx;
    if (done->received_ps > b->last_ps)
        b->last_ps = done->received_ps;
    weft_flow_player_received(b->player, done->msg.tag);
}

/* Requests have the times of the run. */
static void on_request(void *ctx, const struct weft_request *request)
{
    const struct job *b = (const struct job *)ctx;
    struct weft_request own = *request;
    own.begin_ps += b->origin_ps;
    own.end_ps += b->origin_ps;
    b->all->c.requests(b->all->c.requests_ctx, b->number, &own);
}

static bool enough(void *ctx)
{
    const struct job *b = (const struct job *)ctx;
    const int64_t now_ps = b->net->ops->now_ps(b->net), until_ps = b->plan->until_ps;
    if (!b->plan->flows->endless)
        return false;
    if (until_ps && now_ps >= until_ps)
        return true;
    if (b->all->c.keep_on || !weft_jobs_ends_finished(b->all))
        return false;
    if (!b->all->stopped_ps)
        b->all->stopped_ps = now_ps;
    return true;
}

/* Readies what plays the job's graphs or flows. */
static int ready(struct job *b, struct weft_err *err)
{
    const struct weft_jobs_config *c = &b->all->c;
    if (b->plan->workload) {
        const struct weft_system_env env =
            weft_job_env(b->plan, c->seed, c->fabric, &c->manner, c->tuner);
        const struct weft_system_observer o = {b, on_op, on_phase, on_path};
        b->system = weft_system_new(b->plan->workload, c->system, &env, b->net,
                                    c->observers ? &o : NULL, err);
        return b->system ? 0 : err->code;
    }
    const struct weft_flow_play play = {b->net, b->plan->flows, enough, b};
    const bool passive = b->plan->flows->arrived == NULL; /* no flow waits for another */
    const struct weft_net_sink sink = {b, on_flow_sent, on_flow_received,
                                       .concurrency = {.local = passive, .passive = passive}};
    b->net->ops->set_sink(b->net, &sink);
    b->plan->flows->requests = (struct weft_request_sink){b, c->requests ? on_request : NULL};
    b->player = weft_flow_player_new(&play, err);
    return b->player ? 0 : err->code;
}

static int jobs_begin(struct job *b, struct weft_err *err)
{
    b->origin_ps = b->net->ops->now_ps(b->net);
    if (b->begun_ps == WEFT_NEVER)
        b->begun_ps = b->origin_ps;
    return b->system ? weft_system_start(b->system, err) : weft_flow_player_start(b->player, err);
}

static bool is_finished(const struct job *b)
{
    if (b->begun_ps == WEFT_NEVER)
        return false;
    return b->system ? weft_system_finished(b->system) : weft_flow_player_finished(b->player);
}

static void add_result(struct weft_rank_result *sum, const struct weft_rank_result *x)
{
    sum->compute_ps += x->compute_ps;
    sum->cpu_ps += x->cpu_ps;
    sum->comm_ps += x->comm_ps;
    sum->exposed_comm_ps += x->exposed_comm_ps;
    for (int k = 0; k < WEFT_CAUSES; k++)
        sum->exposed_ps[k] += x->exposed_ps[k];
    sum->idle_ps += x->idle_ps;
}

/* Puts what the present repetition came to aside, and what played it away. */
static int put_away(struct job *b, struct weft_err *err)
{
    int rc = 0;
    uint64_t done, total;
    if (b->system) {
        const uint32_t n = b->plan->nranks;
        if (!b->before)
            b->before = (struct weft_rank_result *)calloc(n ? n : 1, sizeof *b->before);
        if (!b->before)
            return weft_err_no_memory(err, "the results of a job");
        rc = weft_system_conclude(b->system, err);
        for (uint32_t r = 0; !rc && r < n; r++) {
            struct weft_rank_result x;
            weft_system_result(b->system, r, &x);
            add_result(&b->before[r], &x);
        }
        weft_system_progress(b->system, &done, &total);
        b->ops_before += done;
        weft_system_free(b->system);
        b->system = NULL;
    } else {
        b->flows_before += weft_flow_player_done(b->player);
        weft_flow_player_free(b->player);
        b->player = NULL;
        b->plan->flows->rewind(b->plan->flows, b->over + 1);
    }
    b->over++;
    b->instance_base += b->instances;
    b->instances = 0;
    return rc;
}

/* Plays the job again as often as it is asked for, once nothing of its last repetition is under
 * way. */
static void jobs_turn(void *ctx, uint32_t number)
{
    struct weft_jobs *j = (struct weft_jobs *)ctx;
    struct job *b = &j->jobs[number];
    struct weft_err err = {0};
    int rc = 0;
    if (b->turning)
        return;
    b->turning = true;
    while (!rc && !j->err.code && b->over + 1 < b->plan->repeat && is_finished(b) &&
           weft_share_idle(j->shares, number)) {
        rc = put_away(b, &err);
        weft_share_again(j->shares, number);
        rc = rc ? rc : ready(b, &err);
        rc = rc ? rc : jobs_begin(b, &err);
    }
    b->turning = false;
    if (rc)
        jobs_fail(j, &err);
}

static void start_later(void *ctx, uint64_t number)
{
    struct weft_jobs *j = (struct weft_jobs *)ctx;
    struct weft_err err = {0};
    if (jobs_begin(&j->jobs[number], &err))
        jobs_fail(j, &err);
    else if (j->shares)
        jobs_turn(j, (uint32_t)number);
}

/* Whether a job needs no share: what it asks of the net is what the net is to do. */
static bool alone(const struct weft_jobs_config *c)
{
    const struct weft_job_plan *p = &c->plans[0];
    return c->n == 1 && p->identity && p->prio == WEFT_PRIO_DEFAULT && p->repeat == 1 &&
           !p->transport;
}

static int open(struct weft_jobs *j, struct job *b, struct weft_err *err)
{
    const struct weft_job_plan *p = b->plan;
    const struct weft_share_config share = {.hosts = p->nics ? p->nics : p->hosts,
                                            .nhosts = p->nics ? p->nranks * p->nnics : p->nhosts,
                                            .nnics = p->nics ? p->nnics : 1,
                                            .prio = b->plan->prio,
                                            .transport = b->plan->transport,
                                            .classes = b->plan->classes,
                                            .watched = b->plan->repeat > 1,
                                            .after_event = jobs_turn,
                                            .ctx = j};
    b->net = j->shares ? weft_share_open(j->shares, b->number, &share, err) : j->c.net;
    if (!b->net || ready(b, err))
        return j->c.n > 1 ? weft_err_prepend(err, "workload '%s'", b->plan->name) : err->code;
    return 0;
}

struct weft_jobs *weft_jobs_new(const struct weft_jobs_config *c, struct weft_err *err)
{
    struct weft_jobs *j = (struct weft_jobs *)calloc(1, sizeof *j);
    if (j)
        j->jobs = (struct job *)calloc(c->n ? c->n : 1, sizeof *j->jobs);
    if (!j || !j->jobs) {
        free(j);
        weft_err_no_memory(err, "jobs");
        return NULL;
    }
    j->c = *c;
    int rc = 0;
    if (!alone(c)) {
        j->shares = weft_shares_new(c->net, c->n, err);
        rc = j->shares ? 0 : err->code;
    }
    for (uint32_t i = 0; i < c->n; i++)
        j->jobs[i] =
            (struct job){.all = j, .number = i, .plan = &c->plans[i], .begun_ps = WEFT_NEVER};
    for (uint32_t i = 0; !rc && i < c->n; i++)
        rc = open(j, &j->jobs[i], err);
    if (rc) {
        weft_jobs_free(j);
        return NULL;
    }
    return j;
}

void weft_jobs_free(struct weft_jobs *j)
{
    if (!j)
        return;
    for (uint32_t i = 0; i < j->c.n; i++) {
        weft_system_free(j->jobs[i].system);
        weft_flow_player_free(j->jobs[i].player);
        free(j->jobs[i].before);
    }
    weft_shares_free(j->shares);
    free(j->jobs);
    free(j);
}

int weft_jobs_start(struct weft_jobs *j, struct weft_err *err)
{
    int rc = 0;
    for (uint32_t i = 0; !rc && i < j->c.n; i++) {
        struct job *b = &j->jobs[i];
        if (b->plan->idle)
            continue;
        if (b->plan->start_ps > 0) {
            rc = j->c.net->ops->after(j->c.net, b->plan->start_ps, start_later, j, i, err);
            continue;
        }
        rc = jobs_begin(b, err);
        if (!rc && j->shares)
            jobs_turn(j, i);
    }
    if (!rc && j->err.code) {
        *err = j->err;
        rc = err->code;
    }
    return rc;
}

const struct weft_err *weft_jobs_error(const struct weft_jobs *j)
{
    for (uint32_t i = 0; !j->err.code && i < j->c.n; i++) {
        const struct job *b = &j->jobs[i];
        const struct weft_err *e = b->system   ? weft_system_error(b->system)
                                   : b->player ? weft_flow_player_error(b->player)
                                               : &j->err;
        if (e->code)
            return e;
    }
    return &j->err;
}

static bool all_over(const struct job *b)
{
    return b->plan->idle || (b->over + 1 >= b->plan->repeat && is_finished(b));
}

bool weft_jobs_finished(const struct weft_jobs *j)
{
    for (uint32_t i = 0; i < j->c.n; i++)
        if (!all_over(&j->jobs[i]))
            return false;
    return true;
}

bool weft_jobs_ends_finished(const struct weft_jobs *j)
{
    bool any = false;
    for (uint32_t i = 0; i < j->c.n; i++) {
        const struct job *b = &j->jobs[i];
        if (b->plan->idle || (b->plan->flows && b->plan->flows->endless))
            continue;
        if (!all_over(b))
            return false;
        any = true;
    }
    return any;
}

int64_t weft_jobs_stopped_ps(const struct weft_jobs *j)
{
    return j->stopped_ps;
}

static uint32_t count_endless(const struct weft_jobs *j)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < j->c.n; i++)
        n += !j->c.plans[i].idle && j->c.plans[i].flows && j->c.plans[i].flows->endless;
    return n;
}

static uint32_t count_finished(const struct weft_jobs *j)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < j->c.n; i++)
        n += !j->c.plans[i].idle;
    return n;
}

bool weft_jobs_any_endless(const struct weft_jobs *j)
{
    return count_endless(j) > 0;
}

bool weft_jobs_all_endless(const struct weft_jobs *j)
{
    return count_endless(j) == count_finished(j);
}

/* Done and in total over all repetitions, as far as they are known. */
static void progress(const struct job *b, uint64_t *done, uint64_t *total)
{
    if (b->system) {
        weft_system_progress(b->system, done, total);
        *total *= b->plan->repeat;
        *done += b->ops_before;
    } else if (b->player) {
        *done = b->flows_before + weft_flow_player_done(b->player);
        *total = b->flows_before + weft_flow_player_posted(b->player);
    } else {
        *done = *total = b->ops_before + b->flows_before;
    }
}

void weft_jobs_progress(const struct weft_jobs *j, uint64_t *done, uint64_t *total)
{
    *done = *total = 0;
    for (uint32_t i = 0; i < j->c.n; i++) {
        uint64_t d, t;
        progress(&j->jobs[i], &d, &t);
        *done += d;
        *total += t;
    }
}

uint64_t weft_jobs_volume(const struct weft_jobs *j)
{
    uint64_t sum = 0, bytes, messages;
    for (uint32_t i = 0; i < j->c.n; i++) {
        const struct job *b = &j->jobs[i];
        if (b->system) {
            sum += weft_system_volume(b->system) * b->plan->repeat;
        } else if (j->shares) {
            weft_share_posted(j->shares, i, &bytes, &messages);
            sum += bytes;
        } else {
            struct weft_totals t;
            j->c.net->ops->totals(j->c.net, &t);
            sum += t.bytes_posted;
        }
    }
    return sum;
}

void weft_jobs_reach(struct weft_jobs *j, int64_t reached_ps)
{
    for (uint32_t i = 0; i < j->c.n; i++)
        if (j->jobs[i].system && j->jobs[i].begun_ps != WEFT_NEVER)
            weft_system_reach(j->jobs[i].system, reached_ps);
}

int weft_jobs_conclude(struct weft_jobs *j, struct weft_err *err)
{
    for (uint32_t i = 0; i < j->c.n; i++)
        if (j->jobs[i].system && j->jobs[i].begun_ps != WEFT_NEVER &&
            weft_system_conclude(j->jobs[i].system, err))
            return err->code;
    return 0;
}

/* A sentence about a rank of one of several jobs. */
struct of_job {
    const char *name;
    weft_net_explain_fn fn;
    void *ctx;
};

static void say_whose(void *ctx, const char *sentence)
{
    const struct of_job *o = (const struct of_job *)ctx;
    char text[WEFT_ERR_MSG_MAX];
    snprintf(text, sizeof text, "workload '%s': %s", o->name, sentence);
    o->fn(o->ctx, text);
}

uint32_t weft_jobs_explain(const struct weft_jobs *j, uint32_t max, weft_net_explain_fn fn,
                           void *ctx)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < j->c.n; i++) {
        const struct job *b = &j->jobs[i];
        struct of_job of = {b->plan->name, fn, ctx};
        if (b->system && b->begun_ps != WEFT_NEVER)
            n += j->c.n > 1 ? weft_system_explain(b->system, n < max ? max - n : 0, say_whose, &of)
                            : weft_system_explain(b->system, max, fn, ctx);
    }
    return n;
}

uint32_t weft_jobs_count(const struct weft_jobs *j)
{
    return j->c.n;
}

const struct weft_job_plan *weft_jobs_plan(const struct weft_jobs *j, uint32_t job)
{
    return &j->c.plans[job];
}

void weft_jobs_rank(const struct weft_jobs *j, uint32_t job, uint32_t rank,
                    struct weft_rank_result *out)
{
    const struct job *b = &j->jobs[job];
    weft_system_result(b->system, rank, out);
    if (b->before)
        add_result(out, &b->before[rank]);
    out->finished = out->finished && all_over(b);
}

const struct weft_system *weft_jobs_system(const struct weft_jobs *j, uint32_t job)
{
    return j->jobs[job].system;
}

void weft_jobs_result(const struct weft_jobs *j, uint32_t job, struct weft_job_result *out)
{
    const struct job *b = &j->jobs[job];
    *out = (struct weft_job_result){.finished = all_over(b),
                                    .endless = b->plan->flows && b->plan->flows->endless,
                                    .start_ps = b->begun_ps,
                                    .end_ps = b->last_ps,
                                    .repetitions = b->over + (is_finished(b) ? 1 : 0)};
    progress(b, &out->done, &out->total);
    for (uint32_t r = 0; b->system && r < b->plan->nranks; r++) {
        struct weft_rank_result x;
        weft_system_result(b->system, r, &x);
        out->end_ps = x.end_ps > out->end_ps ? x.end_ps : out->end_ps;
    }
    if (j->shares) {
        weft_share_posted(j->shares, job, &out->bytes, &out->messages);
    } else {
        struct weft_totals t;
        j->c.net->ops->totals(j->c.net, &t);
        out->bytes = t.bytes_posted;
        out->messages = t.msgs_posted;
    }
}
