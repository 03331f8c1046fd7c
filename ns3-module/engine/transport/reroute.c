/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * QPs when links fail or return (link_change.c).
 *
 * QPs whose host has another link that leads to the destination move to it. A QP between hosts that
 * no path joins, or only one whose MTU is smaller than its packets, is parked: it sends nothing and
 * its timer stands still, as if the routing had told the host. When a path returns it sends again
 * from the oldest unacknowledged packet.
 */
#include "reroute.h"
#include "balance/ecmp.h"
#include "core/context.h"
#include "core/walk.h"
#include "delay.h"
#include "grant.h"
#include "nic.h"

/* Takes a QP out of its NIC's ready ring; an entry among the paced ones goes out of date by itself.
 */
static void reroute_unfile(struct weft_engine *e, struct qp *q, uint32_t qi)
{
    struct sender *const snd = q->snd;
    if (snd->state != QP_READY)
        return;
    struct nic *n = &e->nics.of[e->ports[q->port].nic];
    struct list *l = &n->ready[snd->prio];
    uint32_t before = NIL;
    WALK_TURNS(e, i, l->head) {
        if (i == qi)
            break;
        before = i;
    }
    if (before == NIL)
        l->head = snd->next;
    else
        qp_at(e, before)->snd->next = snd->next;
    if (l->tail == qi)
        l->tail = before;
    if (l->head == NIL)
        n->ready_mask &= (uint8_t) ~(1u << snd->prio);
    if (e->nics.last)
        nic_train_turns_again(e, n, snd->prio);
}

/* Whether a path reroute_leads all the way; @p first gets its first port, @p mtu the largest packet
 * that it takes. */
static bool reroute_leads(const struct weft_engine *e, const struct qp *q, bool forward,
                          uint32_t *first, uint32_t *mtu)
{
    uint32_t ports[MAX_PATH];
    const uint32_t n = ecmp_path(e, e->routing.routes, q, forward, ports);
    *mtu = UINT32_MAX;
    if (n == 0)
        return false;
    *first = ports[0];
    for (uint32_t h = 0; h < n; h++)
        if (e->ports[ports[h]].kind->mtu_bytes < *mtu)
            *mtu = e->ports[ports[h]].kind->mtu_bytes;
    const uint32_t end = e->ports[e->ends[ports[n - 1]].peer].node;
    return n == MAX_PATH || end == e->fabric->hosts[forward ? q->dst_host : q->src_host];
}

bool reroute_path_exists(const struct weft_engine *e, const struct qp *q)
{
    uint32_t first, mtu;
    return reroute_leads(e, q, true, &first, &mtu) && reroute_leads(e, q, false, &first, &mtu);
}

uint32_t reroute_path_mtu(const struct weft_engine *e, const struct qp *q)
{
    uint32_t first, mtu;
    return reroute_leads(e, q, true, &first, &mtu) ? mtu : 0;
}

/* Whether packets of a QP are longer than @p mtu. Frames are as long as their sender makes them. */
static bool reroute_too_long(const struct qp *q, uint32_t mtu)
{
    return q->own_prio != FRAME_PRIO && q->kind->env.mtu_bytes > mtu;
}

/* ACKs of a QP leave by @p port from now on. */
static void reroute_answers(struct weft_engine *e, struct qp *q, uint32_t qi, uint32_t port)
{
    const uint32_t from = q->ack_port;
    q->ack_port = port;
    if (credited(q) && port != from)
        grant_moved(e, qi, from);
}

void reroute_qp(struct weft_engine *e, uint32_t qi)
{
    struct qp *q = qp_at(e, qi);
    struct sender *const snd = q->snd;
    const uint32_t old = q->port;
    const bool sends = q->own_prio != FRAME_PRIO; /* else it stands for frames */
    const unsigned ends = part_ends(e, q->src_host, q->dst_host);
    uint32_t port, ack_port, mtu, ack_mtu;
    q->ideal_ps = 0; /* another path, another time */
    if (!(ends & PART_SENDS)) {
        if (ends && reroute_leads(e, q, true, &port, &mtu) && !reroute_too_long(q, mtu) &&
            reroute_leads(e, q, false, &ack_port, &ack_mtu)) {
            q->port = port; /* ideal durations go by it */
            reroute_answers(e, q, qi, ack_port);
        }
        return;
    }
    if (sends)
        delay_update(e, q);
    if (!reroute_leads(e, q, true, &port, &mtu) || reroute_too_long(q, mtu) ||
        !reroute_leads(e, q, false, &ack_port, &ack_mtu)) {
        reroute_unfile(e, q, qi);
        snd->state = QP_PARKED;
        snd->rto_at_ps = WEFT_NEVER;
        return;
    }
    reroute_answers(e, q, qi, ack_port);
    if (snd->state == QP_PARKED) {
        q->port = port;
        snd->state = QP_IDLE;
        if (sends)
            delay_aim(e, q);
        if (snd->nxt_psn > snd->una_psn)
            profile_of(q)->recovery->timeout(e, qi);
        else
            nic_wake(e, qi);
    } else if (port != old || (e->spread.steer && sends)) {
        reroute_unfile(e, q, qi);
        q->port = port;
        if (e->spread.steer && sends)
            e->spread.steer->aim(e, q);
        if (sends)
            delay_aim(e, q);
        snd->state = QP_IDLE;
        nic_wake(e, qi);
    }
}
