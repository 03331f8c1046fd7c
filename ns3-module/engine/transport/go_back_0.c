/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Go-back-0 (Guo et al., RDMA over commodity Ethernet at scale, SIGCOMM 2016, section 4.1): a loss
 * restarts the message, or the current chunk of it when transport.chunk is given (HPCC simulator:
 * L2_BACK_TO_ZERO, L2_CHUNK_SIZE).
 *
 * Chunks count from the first packet of each message and are whole packets. On a gap the receiver
 * drops what it expects to the start of the chunk and says so in a NACK; the sender restarts from
 * there, even if it had ACKs for some of the chunk. As a chunk never reaches into an earlier
 * message, no message arrives twice. ACKs and NACKs of a QP stay in order, so a NACK below the last
 * ACK is news, never stale. Bytes sent again are acknowledged again to the congestion control.
 */
#include "core/context.h"
#include "nic.h"
#include "rc.h"
#include "recovery.h"

/* The first packet of the chunk of @p m that @p psn is in. */
static uint64_t chunk_start(const struct weft_engine *e, const struct msg *m, uint64_t psn)
{
    const uint64_t mtu = qp_at(e, m->qp)->kind->env.mtu_bytes, chunk = e->p.transport.chunk_bytes;
    if (!chunk || psn <= m->first_psn)
        return m->first_psn;
    return psn - (psn - m->first_psn) % ((chunk - 1) / mtu + 1);
}

static void gap(struct weft_engine *e, uint32_t qi, uint32_t i)
{
    struct qp *q = qp_at(e, qi);
    if (pkt_at(e, i)->psn < q->exp_psn) {
        rc_answer(e, q, i, WEFT_PKT_ACK);
        return;
    }
    uint64_t start = chunk_start(e, msg_at(e, q->rcv_msg), q->exp_psn);
    if (start < q->exp_psn) {
        q->exp_psn = start;
        rare_of(q)->nack_psn = 0; /* a new gap */
    }
    rc_nack_sparingly(e, q, i);
}

static uint64_t floor_psn(const struct weft_engine *e, const struct qp *q, uint64_t una_psn)
{
    return q->head_msg == NIL ? una_psn : chunk_start(e, msg_at(e, q->head_msg), una_psn);
}

/* Takes back acknowledgements down to @p psn, which lies in the oldest message, and restarts
 * there. */
static void restart(struct weft_engine *e, uint32_t qi, uint64_t psn)
{
    struct qp *q = qp_at(e, qi);
    if (psn < q->snd->una_psn) {
        const struct msg *m = msg_at(e, q->head_msg);
        q->snd->una_psn = psn;
        q->snd->una_bytes = m->start_byte + (psn - m->first_psn) * q->kind->env.mtu_bytes;
    }
    nic_go_back(e, qi);
}

static void acked(struct weft_engine *e, uint32_t qi, const struct pkt *k)
{
    const struct qp *q = qp_at(e, qi);
    if (q->head_msg != NIL && k->psn >= msg_at(e, q->head_msg)->first_psn &&
        k->psn <= q->snd->una_psn && q->snd->nxt_psn > k->psn)
        restart(e, qi, k->psn);
    else
        nic_wake(e, qi);
}

static void timeout(struct weft_engine *e, uint32_t qi)
{
    const struct qp *q = qp_at(e, qi);
    restart(e, qi, floor_psn(e, q, q->snd->una_psn));
}

const struct recovery recovery_go_back_0 = {
    .name = "go-back-0", .gap = gap, .acked = acked, .timeout = timeout, .floor = floor_psn};
