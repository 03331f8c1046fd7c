/* SPDX-License-Identifier: GPL-2.0-only */
/* View of a QP for the hook. */
#include "core/context.h"
#include "core/pkt.h"
#include "qp.h"

void qp_report(struct weft_engine *e, uint32_t qi, enum weft_qp_event what, uint32_t pkt)
{
    if (!(e->hooks.qp_events >> what & 1))
        return;
    const struct qp *q = qp_at(e, qi);
    const struct sender *snd = q->snd;
    const struct weft_engine_qp_view qv = {.qpn = qi + WEFT_FIRST_QPN,
                                           .src_host = q->src_host,
                                           .dst_host = q->dst_host,
                                           .prio = snd->prio,
                                           .number = q->number,
                                           .port = q->port,
                                           .una_psn = snd->una_psn,
                                           .nxt_psn = snd->nxt_psn,
                                           .rate_bps = snd->out.rate_bps,
                                           .cwnd_bytes = snd->out.cwnd_bytes};
    struct pkt_shown shown;
    if (pkt != NIL)
        pkt_view(e, pkt, &shown);
    e->hooks.qp(e->hooks.ctx, e->now, what, &qv, pkt == NIL ? NULL : &shown.view);
}
