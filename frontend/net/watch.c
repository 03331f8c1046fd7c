/* SPDX-License-Identifier: GPL-2.0-only */
/* Times of looks; see watch.h. */
#include "net/watch.h"

#include "base/units.h"

/** Quiet looks are at most this part of the time so far apart, so that a run without an end takes
 * few. */
#define QUIET_PART 64

void weft_watch_init(struct weft_watch *w, struct weft_net *net, int64_t after_ps)
{
    *w = (struct weft_watch){.net = net, .after_ps = after_ps, .next_ps = WEFT_NEVER};
    w->step_ps = after_ps / 2 > 0 ? after_ps / 2 : 1;
    if (after_ps > 0 && net->ops->stuck)
        w->next_ps = w->step_ps;
}

int64_t weft_watch_until(const struct weft_watch *w, int64_t until_ps)
{
    return w->next_ps < until_ps ? w->next_ps : until_ps;
}

bool weft_watch_look(struct weft_watch *w, int64_t at_ps)
{
    struct weft_totals t;
    w->looked = w->next_ps != WEFT_NEVER && at_ps >= w->next_ps;
    if (!w->looked)
        return false;
    const int64_t least = w->after_ps / 2 > 0 ? w->after_ps / 2 : 1;
    const int64_t most = at_ps / QUIET_PART > 8 * least ? at_ps / QUIET_PART : 8 * least;
    w->net->ops->totals(w->net, &t);
    w->step_ps = t.packet_hops != w->hops ? least : 2 * w->step_ps < most ? 2 * w->step_ps : most;
    w->hops = t.packet_hops;
    w->next_ps = w->step_ps < WEFT_NEVER - at_ps ? at_ps + w->step_ps : WEFT_NEVER;
    return w->net->ops->stuck(w->net, at_ps, w->after_ps);
}

static void ignore(void *ctx, const char *sentence) {}

uint64_t weft_watch_left_behind(struct weft_watch *w)
{
    if (!w->looked || !w->net->ops->explain_stuck)
        return 0;
    const uint64_t n = w->net->ops->explain_stuck(w->net, 0, ignore, NULL);
    if (n <= w->behind)
        return 0;
    w->behind = n;
    return n;
}
