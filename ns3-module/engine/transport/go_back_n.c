/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Go-back-N (IBTA 1.5 section 9.7.5.2): the receiver takes packets in order only. A later one is
 * discarded and answered by a NACK, at most one per gap and nack-interval; an earlier one is a
 * duplicate and answered by an ACK. A NACK or the timer restarts from the oldest unacknowledged
 * packet.
 */
#include "recovery.h"

#include "core/context.h"
#include "nic.h"
#include "rc.h"

void go_back_n_gap(struct weft_engine *e, uint32_t qi, uint32_t i)
{
    struct qp *q = qp_at(e, qi);
    if (pkt_at(e, i)->psn < q->exp_psn)
        rc_answer(e, q, i, WEFT_PKT_ACK);
    else
        rc_nack_sparingly(e, q, i);
}

void go_back_n_acked(struct weft_engine *e, uint32_t qi, const struct pkt *k)
{
    const struct qp *q = qp_at(e, qi);
    if (k->psn == q->snd->una_psn && q->snd->nxt_psn > q->snd->una_psn)
        nic_go_back(e, qi);
    else
        nic_wake(e, qi);
}

const struct recovery recovery_go_back_n = {
    .name = "go-back-n", .gap = go_back_n_gap, .acked = go_back_n_acked, .timeout = nic_go_back};
