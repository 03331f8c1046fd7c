/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Receivers that grant less while their packets meet queues before the last hop
 * (congestion/core_credit.h). A look that is due is made up for when a packet comes or a grant is
 * due: between the two nobody asks.
 */
#include "core/context.h"
#include "grant.h"
#include "congestion/cc_credit.h"

static int64_t interval_ps(struct pacer *p, const struct qp *q, const struct weft_cc_core *c)
{
    const double ps =
        (0.75 + weft_rng_f64(&p->rng) / 2) * c->rtts * (double)q->kind->env.base_rtt_ps;
    return ps < 1 ? 1 : ps < 1e15 ? (int64_t)ps : INT64_C(1000000000000000);
}

/* All looks that are due. Where nothing comes the rate is whole again after some, and the others
 * change nothing. */
static void catch_up(struct weft_engine *e, struct pacer *p, const struct qp *q,
                     const struct weft_cc_core *c)
{
    if (!p->look_ps)
        p->look_ps = e->now + interval_ps(p, q, c);
    while (p->look_ps <= e->now) {
        weft_cc_core_look(&p->core, c);
        p->look_ps += interval_ps(p, q, c);
        if (p->core.rate >= 1 && p->core.share <= c->target && p->look_ps <= e->now) {
            p->core.share = 0;
            p->look_ps = e->now + interval_ps(p, q, c);
        }
    }
}

void grant_note(struct weft_engine *e, const struct qp *q, uint32_t flags)
{
    struct weft_cc_grants rules;
    struct pacer *p = &e->grants.pacers[e->ports[q->ack_port].nic];
    q->kind->cc->credit->rules(q->kind->ccp, &q->kind->env, &rules);
    if (!rules.core)
        return;
    catch_up(e, p, q, rules.core);
    p->core.packets++;
    if (flags & PKT_TRIM)
        *(flags & PKT_NEAR_CUT ? &p->core.near_trims : &p->core.core_trims) += 1;
    else if (flags & PKT_CE)
        p->core.marked++;
}

double grant_core_rate(struct weft_engine *e, struct pacer *p, const struct qp *q,
                       const struct weft_cc_grants *rules)
{
    if (!rules->core)
        return 1;
    catch_up(e, p, q, rules->core);
    return p->core.rate;
}
