/* SPDX-License-Identifier: GPL-2.0-only */
/* Jobs with their faults on a net, driven in slices of simulated time. */
#include "run/run_state.h"

bool weft_run_state_done(void *ctx)
{
    return weft_jobs_finished(((const struct weft_run_state *)ctx)->jobs) != 0;
}

static void ignore(void *ctx, const char *sentence) {}

bool weft_run_state_over(void *ctx)
{
    struct weft_net *net = ((const struct weft_run_state *)ctx)->net;
    return weft_run_state_done(ctx) && net->ops->explain(net, 0, ignore, NULL) == 0;
}

const struct weft_err *weft_run_state_error(void *ctx)
{
    const struct weft_run_state *p = (const struct weft_run_state *)ctx;
    const struct weft_err *e = weft_jobs_error(p->jobs);
    return e->code || !p->faults ? e : weft_fault_player_error(p->faults);
}

bool weft_run_state_faults_ahead(void *ctx)
{
    const struct weft_run_state *p = (const struct weft_run_state *)ctx;
    return p->faults && weft_fault_player_ahead(p->faults);
}

void weft_agreed_release(struct weft_run_state *p)
{
    weft_jobs_free(p->jobs);
    weft_fault_player_free(p->faults);
    if (p->net)
        p->net->ops->free(p->net);
    *p = (struct weft_run_state){0};
}
