/* SPDX-License-Identifier: GPL-2.0-only */
/* Probes: packets without payload that ask for an ACK (transport.probe-frame). */
#include "probe.h"

#include "core/context.h"
#include "grant.h"

bool probe_send(struct weft_engine *e, struct qp *q, uint32_t qi)
{
    const struct profile *f = profile_of(q);
    const uint64_t least = f->t.min_frame_bytes, frame = f->t.probe_bytes;
    if (!frame || !f->recovery->timers || q->snd->state != QP_BLOCKED ||
        e->now < rare_of(q)->probe_ps)
        return false;
    const uint32_t i = pkt_new(e, WEFT_PKT_REQUEST);
    if (i == NIL)
        return false;
    struct pkt *k = pkt_at(e, i);
    k->qp = qi;
    k->psn = q->snd->top_psn ? q->snd->top_psn - 1 : 0;
    k->sent_ps = e->now;
    k->dst_host = q->dst_host;
    k->frame = (uint16_t)(frame < least ? least : frame);
    k->payload = 0;
    k->prio = (uint8_t)f->t.ack_prio;
    k->flags = PKT_ASK;
    if (credited(q))
        grant_ask_with(e, q, qi, i);
    rare_of(q)->probe_ps = e->now + q->kind->env.base_rtt_ps;
    e->port_ops.enqueue(e, q->port, i);
    return true;
}
