/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What changes how a QP sends: its congestion control, and a cursor that goes back to lost packets.
 * All NICs. nic_send.c sends.
 */
#include "nic.h"
#include "core/context.h"
#include "delay.h"
#include "core/events.h"
#include "core/gap.h"
#include "qp.h"
#include "core/walk.h"

#include "base/units.h"

#include <stdlib.h>

/* The rate changed and the algorithm wants the gap in progress re-timed. */
static void repace(struct weft_engine *e, struct qp *q, uint32_t qi)
{
    struct sender *const snd = q->snd;
    const uint64_t rate_bps = snd->gap_rate_bps = nic_pacing_rate(e, q);
    snd->next_avail_ps = snd->last_tx_ps + gap_at_rate(e->p.transport.quantum_ps, snd->last_wire,
                                                       rate_bps, nic_gap_q(q, rate_bps));
    if (snd->state != QP_PACED)
        return;
    struct port *p = port_at(e, q->port);
    int64_t at = snd->next_avail_ps > e->now ? snd->next_avail_ps : e->now;
    snd->next_avail_ps = at;
    nic_pace(e, &e->nics.of[p->nic], q, qi);
    port_arm(e, p, q->port, at > p->busy_until_ps ? at : p->busy_until_ps);
}

void nic_cc_apply(struct weft_engine *e, struct qp *q, uint32_t qi)
{
    struct sender *const snd = q->snd;
    if (snd->out.rate_bps > q->kind->env.line_rate_bps)
        snd->out.rate_bps = q->kind->env.line_rate_bps;
    if (snd->out.rate_bps == 0)
        snd->out.rate_bps = 1;
    if (__builtin_expect(e->path.rare & RARE_RATE, 0))
        qp_report(e, qi, WEFT_QP_RATE, NIL);
    if (snd->out.repace && snd->last_wire && nic_pacing_rate(e, q) != snd->gap_rate_bps)
        repace(e, q, qi);
    const int64_t timer_ps = snd->out.timer_at_ps;
    if (__builtin_expect(timer_ps != WEFT_NEVER, 0) && timer_ps != rare_of(q)->cc_timer_ps) {
        rare_of(q)->cc_timer_ps = timer_ps;
        if (timer_ps < e->now)
            engine_fail(e, WEFT_E_INTERNAL, "congestion control '%s' set a timer in the past",
                        q->kind->cc->name);
        else
            engine_push_timer(e, q->src_host, timer_ps, EV_ID(EV_CC, qi));
    }
}

void nic_seek(struct weft_engine *e, struct qp *q, uint64_t psn)
{
    struct sender *const snd = q->snd;
    if (snd->nxt_psn == psn)
        return;
    if (psn < snd->nxt_psn)
        delay_update_loss(e, q);
    else
        delay_update(e, q);
    uint32_t mi = q->head_msg;
    for (uint32_t n = 0; mi != NIL && psn >= msg_at(e, mi)->first_psn + msg_at(e, mi)->npkts &&
                         walk_on(e, n, e->msgs.n, WALK_MSGS_NAME);
         n++)
        mi = msg_at(e, mi)->next;
    snd->nxt_psn = psn;
    snd->nxt_msg = mi;
    snd->nxt_bytes = q->end_byte;
    if (mi != NIL) {
        const struct msg *m = msg_at(e, mi);
        snd->nxt_bytes = m->start_byte + (psn - m->first_psn) * q->kind->env.mtu_bytes;
    }
}

/* ---- all NICs ---- */

struct nic_walk {
    uint32_t port, n; /* the next ones */
};

/* The next NIC whose port has a record, NULL: no other does; the rest is not even read. */
static struct nic *next_nic(const struct weft_engine *e, struct nic_walk *w)
{
    while (w->n < e->nics.n) {
        const uint32_t port = w->port++;
        const bool host = e->fabric->nodes[e->fabric->ports[port].node].kind == WEFT_NODE_HOST;
        w->n += host;
        if (host && port_known(e, port))
            return &e->nics.of[w->n - 1];
    }
    return NULL;
}

void nics_fini(struct weft_engine *e)
{
    struct nic_walk w = {0, 0};
    for (struct nic *n; (n = next_nic(e, &w)) != NULL;)
        evq_free(&n->paced);
    free(e->nics.of);
    free(e->nics.last);
}

uint64_t nics_paced_bytes(const struct weft_engine *e)
{
    uint64_t bytes = 0;
    struct nic_walk w = {0, 0};
    for (const struct nic *n; (n = next_nic(e, &w)) != NULL;)
        bytes += n->paced.cap * sizeof *n->paced.h;
    return bytes;
}
