/* SPDX-License-Identifier: GPL-2.0-only */
/* Requests of senders for credit; see grant.h. */
#include "core/context.h"
#include "core/pkt.h"
#include "grant.h"

#include "congestion/credit.h"
#include "congestion/cc_credit.h"

enum { MOST_PATIENCE = 4 };

/* Payload that waits to be sent, or to be sent again. */
static uint64_t backlog(const struct weft_engine *e, const struct qp *q, uint32_t qi)
{
    const struct sender *snd = q->snd;
    uint64_t bytes = q->end_byte - snd->nxt_bytes;
    if (snd->counted) {
        const uint64_t known = grantee_at(&e->grants, qi)->landed_bytes + rare_of(q)->flight_bytes;
        bytes = q->end_byte > known ? q->end_byte - known : 0;
    }
    return bytes || snd->nxt_msg == NIL ? bytes : 1; /* a message may be empty */
}

static uint64_t wanted(const struct weft_engine *e, const struct qp *q, uint32_t qi)
{
    return q->kind->cc->credit->wanted(q->cc_state, q->kind->ccp, backlog(e, q, qi)) /
           WEFT_CC_QUANTUM;
}

void grant_ask_with(struct weft_engine *e, struct qp *q, uint32_t qi, uint32_t pkt)
{
    struct grantee *g = grantee_at(&e->grants, qi);
    const uint64_t want = wanted(e, q, qi);
    pkt_at(e, pkt)->sig = (uint32_t)want;
    g->requested = want > g->requested ? want : g->requested;
}

void grant_ask(struct weft_engine *e, struct qp *q, uint32_t qi, bool again)
{
    struct grantee *g = grantee_at(&e->grants, qi);
    const uint64_t known = q->kind->cc->credit->known(q->cc_state, q->kind->ccp) / WEFT_CC_QUANTUM;
    if (!again && g->requested <= known)
        g->patience = 0; /* the receiver knows of nothing */
    else if (again && g->patience < MOST_PATIENCE)
        g->patience++;
    q->snd->backoff = g->patience > q->snd->backoff ? g->patience : q->snd->backoff;
    if (g->requested > known && !again)
        return;
    const uint32_t i = pkt_new(e, WEFT_PKT_REQUEST);
    if (i == NIL)
        return;
    const uint64_t want = wanted(e, q, qi);
    struct weft_cc_grants rules;
    q->kind->cc->credit->rules(q->kind->ccp, &q->kind->env, &rules);
    struct pkt *k = pkt_at(e, i);
    k->qp = qi;
    k->psn = 0;
    k->sig = (uint32_t)want;
    k->sent_ps = e->now;
    k->dst_host = q->dst_host;
    k->frame = (uint16_t)rules.frame_bytes;
    k->payload = 0;
    k->prio = (uint8_t)profile_of(q)->t.ack_prio;
    g->requested = want > g->requested ? want : g->requested;
    e->port_ops.enqueue(e, q->port, i);
}
