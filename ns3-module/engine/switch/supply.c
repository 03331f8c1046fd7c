/* SPDX-License-Identifier: GPL-2.0-only */
/* Unused capacity of links, and warnings of queues; see supply.h. */
#include "supply.h"
#include "balance/ecmp.h"
#include "balance/steer.h"
#include "core/context.h"
#include "core/gap.h"
#include "core/events.h"
#include "mmu.h"
#include "core/frame_size.h"
#include "congestion/cc_supply.h"

#include <stdlib.h>

int supply_init(struct weft_engine *e, struct weft_err *err)
{
    const uint32_t n = e->fabric->nports;
    struct supplies *s = e->signal_state = calloc(1, sizeof *s);
    if (s)
        s->of = calloc(n, sizeof *s->of);
    if (!s || !s->of || !stable_init_beside(&s->gains, sizeof(uint32_t), &e->qps.pool))
        return weft_err_set(err, WEFT_E_LIMIT, "out of memory for the supply of %u ports", n);
    for (uint32_t i = 0; i < n; i++)
        s->of[i].most_ps = INT64_MAX;
    return 0;
}

void supply_fini(struct weft_engine *e)
{
    struct supplies *s = supplies_of(e);
    if (!s)
        return;
    stable_fini(&s->gains);
    free(s->of);
    free(s);
}

uint64_t supply_memory(const struct weft_engine *e)
{
    const struct supplies *s = supplies_of(e);
    return e->fabric->nports * sizeof *s->of + (uint64_t)e->qps.pool.n * s->gains.elem;
}

void supply_tag(struct weft_engine *e, struct qp *q, uint32_t qi, uint32_t i)
{
    struct pkt *k = pkt_at(e, i);
    const struct weft_cc_leaving leaves = {.una_bytes = q->snd->una_bytes,
                                           .from_bytes = q->snd->nxt_bytes - k->payload,
                                           .until_bytes = q->snd->nxt_bytes,
                                           .end_bytes = q->end_byte};
    k->sig = q->kind->cc->supply->tag(q->cc_state, q->kind->ccp, &leaves);
}

/* A warning to the sender of data packet @p k, which found @p queue bytes at port @p out, and the
 * port that it is to leave by. */
static uint32_t warn(struct weft_engine *e, uint32_t out, const struct pkt *k, uint64_t queue,
                     uint64_t frame_bytes, uint32_t *back)
{
    const struct qp *q = qp_at(e, k->qp);
    const uint32_t node = e->ports[out].node;
    const struct weft_route_group g = weft_routes_lookup(e->routing.routes, node, q->src_host);
    const uint64_t least = e->p.transport.min_frame_bytes;
    const uint32_t i = g.n ? pkt_new(e, WEFT_PKT_WARNING) : NIL;
    if (i == NIL)
        return NIL;
    struct pkt *w = pkt_at(e, i);
    w->qp = k->qp;
    w->sent_ps = k->sent_ps;
    w->rate_bps = port_rate_bps(e, out);
    w->queue_bytes = queue < UINT32_MAX ? (uint32_t)queue : UINT32_MAX;
    w->dst_host = q->src_host;
    w->frame = (uint16_t)(frame_bytes < least ? least : frame_bytes);
    w->payload = 0;
    w->prio = (uint8_t)profile_of(q)->t.ack_prio;
    w->hop = QP_PATH; /* its way is looked up at each node */
    w->mid = NO_MID;
    w->chan = w->in_chan = 0;
    *back = ecmp_port(e, g, node, q, false);
    port_catch_up(e, &e->ports[*back], *back);
    if (mmu_make(e, w, *back))
        return i;
    e->tot.sent[WEFT_PKT_WARNING]--;
    pkt_free(e, i);
    return NIL;
}

uint32_t supply_joins(struct weft_engine *e, uint32_t out, uint32_t i, uint32_t *back)
{
    struct pkt *k = pkt_at(e, i);
    const struct port *p = &e->ports[out];
    struct supply *s = &supplies_of(e)->of[out];
    const uint64_t gap = e->p.transport.gap_bytes;
    int64_t spare_ps = s->spare_ps + (e->now - s->at_ps) - gap_ps(k->frame + gap, p->ser_q);
    spare_ps = spare_ps < s->most_ps ? spare_ps : s->most_ps;
    s->at_ps = e->now;
    const struct qp *q = k->kind == WEFT_PKT_DATA ? qp_at(e, k->qp) : NULL;
    if (!q || !q->kind->control->signal || k->flags & PKT_TRIM) {
        s->spare_ps = spare_ps;
        return NIL;
    }
    struct weft_cc_supply rules;
    q->kind->cc->supply->rules(q->kind->ccp, &rules);
    const uint32_t full = data_frame(q, q->kind->env.mtu_bytes);
    const int64_t packet_ps = gap_ps(full + gap, p->ser_q);
    s->most_ps = (int64_t)((double)packet_ps * rules.burst);
    spare_ps = spare_ps < s->most_ps ? spare_ps : s->most_ps;
    const uint64_t queue = p->qtotal - k->frame;
    uint32_t warning = NIL;
    if ((double)queue >= rules.threshold * full) {
        if (!(k->sig & WEFT_CC_TAG_WARNED))
            warning = warn(e, out, k, queue, rules.frame_bytes, back);
        k->sig &= ~(uint32_t)WEFT_CC_TAG_GAIN;
        k->sig |= warning != NIL ? WEFT_CC_TAG_WARNED : 0;
    } else if (rules.tokens && k->sig & WEFT_CC_TAG_LAST) {
        if (!(k->sig & WEFT_CC_TAG_FIRST) && s->tokens < rules.tokens)
            s->tokens++;
    } else if (k->sig & WEFT_CC_TAG_GAIN) {
        if (rules.tokens && s->tokens)
            s->tokens--;
        else if (rules.burst >= 1 && spare_ps >= packet_ps)
            spare_ps -= packet_ps;
        else
            k->sig &= ~(uint32_t)WEFT_CC_TAG_GAIN;
    }
    s->spare_ps = spare_ps;
    return warning;
}
