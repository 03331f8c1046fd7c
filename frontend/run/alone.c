/* SPDX-License-Identifier: GPL-2.0-only */
/* Jobs alone on the fabric, one after the other. */
#include "run/alone.h"

#include "base/int128.h"
#include "run/run_state.h"
#include "run/slices.h"

struct alone {
    struct weft_run_state on; /* first */
    const struct weft_scenario *s;
    int64_t from_ps, to_ps; /* messages posted from .. before count */
    weft_i128 fct_sum_ps;
    uint64_t messages;
};

static void alone_on_flow(void *ctx, const struct weft_completion *w)
{
    struct alone *a = (struct alone *)ctx;
    if (w->post_ps < a->from_ps || w->post_ps >= a->to_ps)
        return;
    a->fct_sum_ps += w->received_ps - w->post_ps;
    a->messages++;
}

static void no_progress(void *ctx, struct weft_progress_state *s) {}

static int no_rows(void *ctx, struct weft_err *err)
{
    return 0;
}

static int alone_prepare(struct alone *a, const struct weft_cli *cli,
                         const struct weft_scenario_parts *parts, const struct weft_job_plan *plan,
                         struct weft_err *err)
{
    struct weft_net_config config = weft_scenario_net_config(a->s, parts->fabric);
    config.observer.ctx = a;
    config.observer.flow = alone_on_flow;
    config.interrupted = cli->interrupted;
    if (a->s->backend->create(&config, &a->on.net, err))
        return err->code;
    const struct weft_jobs_config jc = {.plans = plan,
                                        .n = 1,
                                        .system = a->s->system,
                                        .seed = a->s->run->seed,
                                        .fabric = parts->fabric,
                                        .manner = weft_scenario_manner(a->s, parts->fabric),
                                        .net = a->on.net,
                                        .tuner = parts->tuner,
                                        .keep_on = true};
    a->on.jobs = weft_jobs_new(&jc, err);
    if (!a->on.jobs)
        return err->code;
    if (!parts->faults)
        return 0;
    const struct weft_fault_play play = {parts->faults, a->on.net, &a->on, weft_run_state_over,
                                         NULL};
    a->on.faults = weft_fault_player_new(&play, err);
    return a->on.faults ? 0 : err->code;
}

static int alone_run(struct alone *a, const struct weft_cli *cli, int64_t until_ps,
                     struct weft_err *err)
{
    struct weft_slices slices = {
        .cli = cli,
        .net = a->on.net,
        .player = {&a->on, weft_run_state_done, weft_run_state_error, weft_run_state_faults_ahead,
                   no_progress, no_rows},
        .until_ps = until_ps,
        .stall_after_ps = a->s->run->stall_after_ps,
        .by_events = a->s->replays,
        .unit = "ops",
    };
    int rc = weft_jobs_start(a->on.jobs, err);
    rc = rc ? rc : weft_slices_run(&slices, err);
    return rc ? rc : a->on.net->ops->check(a->on.net, err);
}

static int one(struct alone *a, const struct weft_cli *cli, const struct weft_scenario_parts *parts,
               uint32_t i, int64_t ends_ps, int64_t until_ps, struct weft_job_summary *j,
               struct weft_err *err)
{
    struct weft_job_plan plan = parts->jobs[i];
    struct weft_job_result r;
    plan.until_ps = ends_ps;
    if (plan.flows)
        plan.flows->rewind(plan.flows, 0);
    int rc = alone_prepare(a, cli, parts, &plan, err);
    rc = rc ? rc : alone_run(a, cli, until_ps, err);
    if (!rc) {
        weft_jobs_result(a->on.jobs, 0, &r);
        weft_job_summary_alone(j, r.finished && !r.endless ? r.end_ps - r.start_ps : 0,
                               a->messages ? (int64_t)(a->fct_sum_ps / a->messages) : 0);
    }
    weft_agreed_release(&a->on);
    return rc;
}

int weft_run_alone(const struct weft_cli *cli, const struct weft_scenario *s,
                   const struct weft_scenario_parts *parts, int64_t ends_ps, int64_t until_ps,
                   struct weft_summary *m, struct weft_err *err)
{
    int rc = 0;
    for (uint32_t i = 0; !rc && i < m->njobs && !*cli->interrupted; i++) {
        struct alone a = {.s = s};
        weft_scenario_window(s, &a.from_ps, &a.to_ps);
        rc = one(&a, cli, parts, i, ends_ps, until_ps, &m->jobs[i], err);
        if (rc)
            weft_err_prepend(err, "workload '%s' alone", m->jobs[i].name);
    }
    return rc;
}
