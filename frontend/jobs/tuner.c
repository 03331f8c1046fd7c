/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A tuner: each measurement is a run of one job on a net of its own. What a measurement came to is
 * kept, since a run and what is said of it choose algorithms several times.
 */
#include "jobs/tuner.h"

#include "base/units.h"

#include <stdlib.h>
#include <string.h>

struct measured {
    struct measured *next;
    const struct weft_job_plan *job;
    int64_t end_ps;
    char key[];
};

struct tuner {
    struct weft_tuner base; /* first */
    const struct weft_net_backend *backend;
    struct weft_net_config config;
    void *params;              /* its parameters, a copy */
    struct measured *measured; /* the latest first */
};

/* Sections that belong to a run as a whole: with them a trial would need what the run has already,
 * and candidates would depend on who observes. */
static const char *const left_out[] = {"capture", "ns3"};

static const struct weft_net_section *section_of(const struct weft_net_backend *b, const char *name)
{
    for (size_t i = 0; i < b->nsections; i++)
        if (strcmp(b->sections[i].name, name) == 0)
            return &b->sections[i];
    return NULL;
}

/* Whether a parameter of @p params has the value @p text; false: there is no such parameter. */
static bool has_value(const struct weft_net_backend *b, const void *params, const char *section,
                      const char *name, const char *text)
{
    const struct weft_net_section *s = section_of(b, section);
    const struct weft_param *p = s ? weft_params_find(&s->params, name) : NULL;
    char buf[WEFT_PARAM_TEXT_MAX];
    return p && strcmp(weft_params_format(p, (const char *)params + s->offset, buf, sizeof buf),
                       text) == 0;
}

/* ns-3's TCP is there once in a process. */
static bool has_tcp(const struct weft_net_backend *b, const void *params)
{
    return section_of(b, "tcp") && (has_value(b, params, "transport", "type", "tcp") ||
                                    !has_value(b, params, "tcp", "prios", "0"));
}

static int copy_params(struct tuner *t, struct weft_err *err)
{
    const struct weft_net_backend *b = t->backend;
    int code = 0;
    t->params = malloc(b->params_size ? b->params_size : 1);
    if (!t->params)
        return weft_err_no_memory(err, "measured candidates");
    memcpy(t->params, t->config.params, b->params_size);
    for (size_t i = 0; i < sizeof left_out / sizeof left_out[0] && !code; i++) {
        const struct weft_net_section *s = section_of(b, left_out[i]);
        code = s ? weft_params_defaults(&s->params, (char *)t->params + s->offset, err) : 0;
    }
    t->config.params = t->params;
    return code;
}

/* Runs the jobs until the end or @p until_ps. */
static int tuner_run(struct weft_net *net, const struct weft_jobs_config *c, int64_t until_ps,
                     int64_t *end_ps, struct weft_err *err)
{
    struct weft_jobs *jobs = weft_jobs_new(c, err);
    struct weft_job_result r;
    *end_ps = WEFT_NEVER;
    if (!jobs)
        return err->code;
    int rc = weft_jobs_start(jobs, err);
    rc = rc ? rc : net->ops->run(net, until_ps, err);
    if (!rc && weft_jobs_error(jobs)->code) {
        *err = *weft_jobs_error(jobs);
        rc = err->code;
    }
    weft_jobs_result(jobs, 0, &r);
    if (!rc && r.finished)
        *end_ps = r.end_ps;
    weft_jobs_free(jobs);
    return rc;
}

static int tuner_play(const struct tuner *t, const struct weft_job_plan *job,
                      struct weft_workload *w, const struct weft_system_params *p, int64_t until_ps,
                      int64_t *end_ps, struct weft_err *err)
{
    struct weft_job_plan plan = *job;
    struct weft_net_manner manner = {.meets = WEFT_MEETS_NONE};
    struct weft_net *net = NULL;
    plan.workload = w;
    plan.start_ps = 0;
    plan.repeat = 1;
    plan.idle = false;
    if (t->backend->manner)
        t->backend->manner(&t->config, &manner);
    struct weft_jobs_config jc = {.plans = &plan,
                                  .n = 1,
                                  .system = p,
                                  .seed = t->config.seed,
                                  .fabric = t->config.fabric,
                                  .manner = manner};
    int rc = t->backend->create(&t->config, &net, err);
    if (rc)
        return rc;
    jc.net = net;
    rc = tuner_run(net, &jc, until_ps, end_ps, err);
    net->ops->free(net);
    return rc;
}

static int tuner_measure(struct weft_tuner *base, const struct weft_job_plan *job, const char *key,
                         struct weft_workload *w, const struct weft_system_params *p,
                         int64_t until_ps, int64_t *end_ps, struct weft_err *err)
{
    struct tuner *t = (struct tuner *)base;
    for (const struct measured *i = t->measured; i; i = i->next)
        if (i->job == job && strcmp(i->key, key) == 0) {
            *end_ps = i->end_ps;
            return 0;
        }
    struct measured *m = (struct measured *)malloc(sizeof *m + strlen(key) + 1);
    if (!m)
        return weft_err_no_memory(err, "measured candidates");
    const int rc = tuner_play(t, job, w, p, until_ps, end_ps, err);
    *m = (struct measured){.next = t->measured, .job = job, .end_ps = *end_ps};
    memcpy(m->key, key, strlen(key) + 1);
    if (rc)
        free(m);
    else
        t->measured = m;
    return rc;
}

struct weft_tuner *weft_tuner_new(const struct weft_net_backend *backend,
                                  const struct weft_net_config *config, struct weft_err *err)
{
    struct tuner *t = weft_err_calloc(1, sizeof *t, "measured candidates", err);
    if (!t)
        return NULL;
    t->base.measure = !backend->create || has_tcp(backend, config->params) ? NULL : tuner_measure;
    t->backend = backend;
    t->config = *config;
    t->config.threads = 1;
    t->config.replay = t->config.replay_auto = t->config.replay_eager = 0;
    t->config.replay_tolerance = 0;
    t->config.thread_shuffle = 0;
    t->config.out_dir = NULL;
    t->config.observer = (struct weft_net_observer){0};
    t->config.peers = NULL;
    if (!copy_params(t, err))
        return &t->base;
    weft_tuner_free(&t->base);
    return NULL;
}

void weft_tuner_free(struct weft_tuner *base)
{
    struct tuner *t = (struct tuner *)base;
    if (!t)
        return;
    for (struct measured *i = t->measured, *next; i; i = next) {
        next = i->next;
        free(i);
    }
    free(t->params);
    free(t);
}
