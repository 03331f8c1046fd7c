/* SPDX-License-Identifier: GPL-2.0-only */
/* Completions of all processes, reported in the order of all events. */
#include "core/context.h"
#include "peers.h"
#include "transport/rc.h"

#include <string.h>

/* ---- the first of what is to be told: a heap, so that no room is wanted to sort it ---- */

static void sink(struct completion *h, uint32_t n, uint32_t at)
{
    const struct completion t = h[at];
    for (uint32_t child; (child = 2 * at + 1) < n; at = child) {
        if (child + 1 < n && completion_before(&h[child + 1], &h[child]))
            child++;
        if (!completion_before(&h[child], &t))
            break;
        h[at] = h[child];
    }
    h[at] = t;
}

void peers_completions_order(struct peers *p)
{
    for (uint32_t i = p->ncompletions / 2; i-- > 0;)
        sink(p->completions, p->ncompletions, i);
}

struct completion peers_completions_next(struct peers *p)
{
    const struct completion first = p->completions[0];
    p->completions[0] = p->completions[--p->ncompletions];
    if (p->ncompletions)
        sink(p->completions, p->ncompletions, 0);
    return first;
}

/* ---- telling ---- */

void completion_message_of(const struct weft_engine *e, const struct completion *t,
                           struct completion_message *news)
{
    const struct msg *m = msg_at(e, t->msg);
    memset(news, 0, sizeof *news);
    news->completion = *t;
    if (t->kind == COMPLETION_ACKED) {
        news->acked_too.retx_bytes = m->retx_bytes;
        news->acked_too.cnps = m->cnps;
        return;
    }
    news->received.received_ps = m->received_ps;
    news->received.ideal_ps = m->ideal_ps;
    news->received.start_byte = m->start_byte;
    news->received.first_psn = m->first_psn;
    news->received.npkts = m->npkts;
    memcpy(news->received.held_ps, m->held_ps, sizeof m->held_ps);
}

void peers_completion_came(struct weft_engine *e, const struct completion_message *news)
{
    struct msg *m = msg_at(e, news->completion.msg);
    if (news->completion.kind == COMPLETION_ACKED) {
        m->retx_bytes = news->acked_too.retx_bytes;
        m->cnps = news->acked_too.cnps;
    } else {
        m->received_ps = news->received.received_ps;
        m->ideal_ps = news->received.ideal_ps;
        m->start_byte = news->received.start_byte;
        m->first_psn = news->received.first_psn;
        m->npkts = news->received.npkts;
        memcpy(m->held_ps, news->received.held_ps, sizeof m->held_ps);
    }
    peers_completion_add(e, &news->completion);
}

/* A process that has but one end of the QP of a message moves on the other. */
static const struct msg *settle_message(struct weft_engine *e, const struct completion *t)
{
    const struct msg *m = msg_at(e, t->msg);
    struct qp *q = qp_at(e, m->qp);
    const unsigned ends = part_ends(e, q->src_host, q->dst_host);
    if (t->kind != COMPLETION_ACKED && ends == PART_SENDS)
        q->rcv_msg = m->rcv_next;
    else if (t->kind == COMPLETION_ACKED && ends == PART_RECEIVES)
        q->head_msg = m->next;
    return m;
}

/* Whether the user of this process is told. */
static bool concerns(struct weft_engine *e, const struct completion *t)
{
    struct peers *p = e->peers;
    const struct qp *q = qp_at(e, msg_at(e, t->msg)->qp);
    const uint32_t host = t->kind == COMPLETION_ACKED ? q->src_host : q->dst_host;
    const bool his = !p->link.user || part_own(e, e->fabric->hosts[host]);
    p->told++;
    if (his)
        p->told_ps = t->at.t;
    return his;
}

void peers_completion_report(struct weft_engine *e, const struct completion *t)
{
    const struct msg *m = settle_message(e, t);
    const bool his = concerns(e, t);
    struct weft_completion done; /* with the token of this process */
    rc_fill_done(qp_at(e, m->qp), m, t->kind == COMPLETION_ACKED ? t->at.t : 0, &done);
    e->now = t->at.t;
    if (t->kind == COMPLETION_ACKED) {
        stable_release(&e->msgs, t->msg);
        if (his && e->hooks.acked)
            e->hooks.acked(e->hooks.ctx, &done);
    } else if (his && e->hooks.received) {
        e->hooks.received(e->hooks.ctx, &done);
    }
}
