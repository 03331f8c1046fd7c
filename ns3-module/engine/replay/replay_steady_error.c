/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Possible error of completion times by skipped traffic.
 *
 * One part is of rates: what controls found, or windows differed by. The other is of sharing. Where
 * controls decide, how flows that meet share hangs on single packets: once something was skipped
 * that was not all the same they go another way than they would have, and get more or less by
 * chance from window to window. What adds up of that grows with the root of the time, as a random
 * walk.
 */
#include "core/context.h"
#include "replay_internal.h"

#include <math.h>

/* Roots of ps, found by random traffic: */
#define WALK 30.0      /**< the walk where controls decide, */
#define SCATTERED 10.0 /**< if rates scatter by far more than this; */
#define FREE 0.5       /**< where none does; */
#define MOST 280.0     /**< it is no more than that in 19 of 20 runs, */
#define MOST_FREE 70.0 /**< and where no control decides */

void replay_steady_completed(struct weft_engine *e, const struct weft_completion *d)
{
    struct replay_steady *s = &replay_of(e)->steady;
    s->ncompleted++;
    for (int k = 0; k < 2 && s->first_ps[k]; k++) {
        const int64_t from_ps = d->post_ps > s->first_ps[k] ? d->post_ps : s->first_ps[k];
        if (e->now > from_ps)
            s->apart[k] += sqrt((double)(e->now - from_ps)) / (double)(e->now - d->post_ps);
    }
}

/* What the walk comes to: where controls decide since windows differed, else since anything was
 * skipped that leaves a trace. */
static double steady_error_of_sharing(const struct replay_steady *s)
{
    const int since = s->scatters[1] > 0;
    if (!s->scatters[since] || !s->ncompleted)
        return 0;
    const double scatter = s->scatter[since] / (double)s->scatters[since];
    const double walk =
        scatter > 0 ? WALK * scatter / (scatter + SCATTERED) * s->apart[1] : FREE * s->apart[0];
    return walk / (double)s->ncompleted;
}

/* What that is no more than in 19 of 20 runs, since anything was skipped that leaves a trace. */
static double steady_error_most_of_sharing(const struct replay_steady *s)
{
    const bool decide = s->scatter[0] + s->scatter[1] > 0;
    return s->ncompleted ? (decide ? MOST : MOST_FREE) * s->apart[0] / (double)s->ncompleted : 0;
}

void replay_steady_figures(const struct weft_engine *e, struct weft_replay_figures *f)
{
    const struct replay_steady *s = &replay_of(e)->steady;
    if (!f->skips)
        return;
    f->control_error = s->errors_n ? s->errors / (double)s->errors_n : 0;
    const double differed = s->differed / (double)s->skipped_ps;
    const double rates = (f->control_error > differed ? f->control_error : differed) *
                         (double)f->skipped_hops / (double)e->tot.packet_hops;
    f->error = rates + steady_error_of_sharing(s);
    f->error_bound = rates + steady_error_most_of_sharing(s);
}
