/* SPDX-License-Identifier: GPL-2.0-only */
/* Jobs with their faults on a net, driven in slices of simulated time. */
#include "run/played.h"

bool weft_played_done(void *ctx)
{
    return weft_jobs_finished(((const struct weft_played *)ctx)->jobs) != 0;
}

const struct weft_err *weft_played_error(void *ctx)
{
    const struct weft_played *p = (const struct weft_played *)ctx;
    const struct weft_err *e = weft_jobs_error(p->jobs);
    return e->code || !p->faults ? e : weft_fault_player_error(p->faults);
}

bool weft_played_faults_ahead(void *ctx)
{
    const struct weft_played *p = (const struct weft_played *)ctx;
    return p->faults && weft_fault_player_ahead(p->faults);
}

void weft_played_release(struct weft_played *p)
{
    weft_jobs_free(p->jobs);
    weft_fault_player_free(p->faults);
    if (p->net)
        p->net->ops->free(p->net);
    *p = (struct weft_played){0};
}
