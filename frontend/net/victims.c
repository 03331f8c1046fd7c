/* SPDX-License-Identifier: GPL-2.0-only */
/* Samples head-of-line victims of pauses at fixed simulated times (run.victims). */
#include "net/victims.h"

#include "base/units.h"

void weft_victims_init(struct weft_victims *v, struct weft_net *net, int64_t every_ps)
{
    *v = (struct weft_victims){.net = net, .every_ps = every_ps, .next_ps = WEFT_NEVER};
    if (every_ps > 0 && net->ops->victims && net->ops->state)
        v->next_ps = every_ps;
}

int64_t weft_victims_until(const struct weft_victims *v, int64_t until_ps)
{
    return v->next_ps < until_ps ? v->next_ps : until_ps;
}

void weft_victims_look(struct weft_victims *v, int64_t at_ps)
{
    if (at_ps < v->next_ps || v->next_ps == WEFT_NEVER)
        return;
    v->time_ps += (int64_t)v->net->ops->victims(v->net, &v->n) * v->every_ps;
    const int64_t next_ps = v->net->ops->state->next_ps(v->net);
    const int64_t from_ps = next_ps > at_ps ? next_ps : at_ps;
    v->next_ps = next_ps == WEFT_NEVER || from_ps > WEFT_NEVER - v->every_ps
                     ? WEFT_NEVER
                     : from_ps - from_ps % v->every_ps + v->every_ps;
}
