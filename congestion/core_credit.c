/* SPDX-License-Identifier: GPL-2.0-only */
/* Credit for receivers behind an oversubscribed core: arithmetic of the model in core_credit.h. */
#include "congestion/core_credit.h"

#include <math.h>

#define MOST_DOUBLINGS 64u

void weft_cc_core_look(struct weft_cc_core_state *s, const struct weft_cc_core *c)
{
    const uint32_t whole = s->packets - s->core_trims - s->near_trims;
    const double fraction = whole ? (double)s->marked / whole : 0;
    s->share += c->weight * (fraction - s->share);
    if (s->core_trims)
        s->rate -= (double)s->core_trims / s->packets;
    if (s->share > c->target)
        s->rate *= 1 - c->decrease * (s->share - c->target);
    if (s->core_trims || (s->share > c->target && c->decrease > 0)) {
        s->increases = 0;
    } else {
        s->rate += (s->marked ? c->increase : ldexp(c->increase, (int)s->increases));
        s->increases += s->increases < MOST_DOUBLINGS;
    }
    s->rate = s->rate < c->least ? c->least : s->rate > 1 ? 1 : s->rate;
    s->packets = s->marked = s->core_trims = s->near_trims = 0;
}
