/* SPDX-License-Identifier: GPL-2.0-only */
/* Whether a packet may be the one that a message waits for. */
#ifndef WEFT_ENGINE_RC_COMPLETE_H
#define WEFT_ENGINE_RC_COMPLETE_H

#include "core/context.h"
#include "core/msg.h"
#include "core/pkt.h"
#include "psn_set.h"
#include "qp.h"

/** Whether the user may be told of a message when packet @p k reaches the host it is for. */
static inline bool rc_may_complete(const struct weft_engine *e, const struct pkt *k)
{
    const struct qp *q = qp_at(e, k->qp);
    if (k->kind == WEFT_PKT_DATA) {
        if ((!(k->flags & PKT_LAST) && !q->holding) || q->rcv_msg == NIL || k->psn < q->exp_psn)
            return false;
        const struct msg *m = msg_at(e, q->rcv_msg);
        const uint64_t held = q->holding ? rare_of(q)->held->n : 0;
        return m->first_psn + m->npkts - q->exp_psn <= held + 1;
    }
    if ((k->kind != WEFT_PKT_ACK && k->kind != WEFT_PKT_NACK) || q->head_msg == NIL)
        return false;
    const struct msg *m = msg_at(e, q->head_msg);
    return k->psn >= m->first_psn + m->npkts;
}

#endif
