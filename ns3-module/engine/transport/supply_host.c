/* SPDX-License-Identifier: GPL-2.0-only */
/* The signal supply (supply.h): what hosts make of marks and warnings, and its table. */
#include "core/context.h"
#include "switch/supply.h"
#include "nic.h"
#include "congestion/cc_supply.h"

static void supply_warned(struct weft_engine *e, uint32_t i)
{
    const struct pkt *k = pkt_at(e, i);
    const uint32_t qi = k->qp;
    struct qp *q = qp_at(e, qi);
    const struct weft_cc_warning w = {
        .rtt_ps = e->now - k->sent_ps, .queue_bytes = k->queue_bytes, .rate_bps = k->rate_bps};
    e->tot.delivered[WEFT_PKT_WARNING]++;
    pkt_free(e, i);
    q->kind->cc->supply->warned(q->cc_state, q->kind->ccp, e->now, &w, &q->snd->out);
    nic_cc_changed(e, q, qi);
    nic_wake(e, qi);
}

static void supply_taken(struct weft_engine *e, const struct qp *q, uint32_t qi, struct pkt *k)
{
    uint32_t *gains = (uint32_t *)(void *)supplies_of(e)->gains.base + qi;
    if (!q->unacked)
        *gains = 0;
    *gains += k->sig & WEFT_CC_TAG_GAIN && !(k->flags & PKT_TRIM);
    k->sig = *gains;
}

static void supply_acked(uint32_t sig, struct weft_cc_ack *ack)
{
    ack->gains = sig;
}

const struct switch_signal signal_supply = {
    .need = WEFT_CC_NEEDS_SUPPLY,
    .init = supply_init,
    .fini = supply_fini,
    .memory = supply_memory,
    .tag = supply_tag,
    .joins = supply_joins,
    .taken = supply_taken,
    .acked = supply_acked,
    .warned = supply_warned,
};
