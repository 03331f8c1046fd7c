/* SPDX-License-Identifier: GPL-2.0-only */
/* Coalesced ACKs: one after so many packets (transport.ack-every) or bytes (ack-every-bytes). */
#include "sparse_ack.h"

#include "psn_set.h"

bool sparse_ack_init(struct weft_engine *e)
{
    return !e->rc.by_bytes ||
           stable_init_beside(&e->rc.maps, sizeof(struct sack_map), &e->pkts.pool);
}

bool sparse_ack_due(struct qp *q, const struct pkt *k)
{
    const bool asks = k->flags & (PKT_LAST | PKT_ASK);
    const uint64_t held = q->holding ? rare_of(q)->held->n : 0;
    const bool drained = q->ack_waits && !held, first = q->exp_psn + held == 1;
    q->ack_waits = held && (asks || q->ack_waits);
    q->unacked += k->frame;
    return asks || drained || first || k->flags & PKT_CE || q->unacked >= profile_of(q)->ack_after;
}

uint8_t sparse_ack_map(struct weft_engine *e, const struct qp *q, uint32_t i)
{
    struct pkt *k = pkt_at(e, i);
    if (!q->holding)
        return 0;
    const uint64_t behind = k->psn < 63 ? 0 : k->psn - 63;
    const uint64_t first = behind > q->exp_psn ? behind : q->exp_psn + 1;
    const uint64_t bits = psn_set_from(rare_of(q)->held, first);
    if (!bits)
        return 0;
    if (e->rc.maps.n <= i)
        e->rc.maps.n = i + 1;
    ((struct sack_map *)(void *)e->rc.maps.base)[i] = (struct sack_map){first, bits};
    k->sack = (uint32_t)(first + 63 - (uint64_t)__builtin_clzll(bits) - q->exp_psn);
    return PKT_MAP | PKT_SACK;
}
