/* SPDX-License-Identifier: GPL-2.0-only */
/* The user is told of messages, in the order of all events: peers.h. */
#include "context.h"
#include "peers.h"
#include "rc.h"

#include <stdlib.h>
#include <string.h>

static int compare_tells(const void *va, const void *vb)
{
    const struct tell *a = va, *b = vb;
    if (ev_before(a->at, b->at) || ev_before(b->at, a->at))
        return ev_before(a->at, b->at) ? -1 : 1;
    return a->seq < b->seq ? -1 : 1; /* one event is of one process */
}

/* Every process notes what has become of a message; some have but one end of its QP. */
static struct msg *settle_message(struct weft_engine *e, const struct tell *t)
{
    struct msg *m = msg_at(e, t->msg);
    struct qp *q = qp_at(e, m->qp);
    const unsigned ends = peers_ends(e, q->src_host, q->dst_host);
    if (!t->acked) {
        m->received_ps = t->received.received_ps;
        m->ideal_ps = t->received.ideal_ps;
        m->start_byte = t->received.start_byte;
        m->first_psn = t->received.first_psn;
        m->npkts = t->received.npkts;
        memcpy(m->held_ps, t->received.held_ps, sizeof m->held_ps);
        if (ends == PEERS_SENDS)
            q->rcv_msg = m->next;
    } else {
        m->retx_bytes = t->acked_too.retx_bytes;
        m->cnps = t->acked_too.cnps;
        if (ends == PEERS_RECEIVES)
            q->head_msg = m->next;
    }
    return m;
}

/* Whether the user of this process is told. */
static bool concerns(struct weft_engine *e, const struct tell *t)
{
    struct peers *p = e->peers;
    const struct qp *q = qp_at(e, msg_at(e, t->msg)->qp);
    const uint32_t host = t->acked ? q->src_host : q->dst_host;
    const bool his = !p->link.user || peers_own(e, e->fabric->hosts[host]);
    p->told++;
    if (his)
        p->told_ps = t->at.t;
    return his;
}

void peers_tell_user(struct weft_engine *e, struct tell *t)
{
    const struct msg *m = settle_message(e, t);
    const bool his = concerns(e, t);
    struct weft_completion done; /* with the token of this process */
    rc_fill_done(qp_at(e, m->qp), m, t->acked ? t->at.t : 0, &done);
    e->now = t->at.t;
    if (t->acked) {
        stable_release(&e->msgs, t->msg);
        if (his && e->hooks.acked)
            e->hooks.acked(e->hooks.ctx, &done);
    } else if (his && e->hooks.received) {
        e->hooks.received(e->hooks.ctx, &done);
    }
}

void peers_sort_tells(struct peers *p)
{
    if (p->ntells)
        qsort(p->tells, p->ntells, sizeof *p->tells, compare_tells);
}
