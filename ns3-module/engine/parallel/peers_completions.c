/* SPDX-License-Identifier: GPL-2.0-only */
/* Completions of all processes, reported in the order of all events. */
#include "core/context.h"
#include "peers.h"
#include "transport/delay.h"
#include "transport/rc.h"

#include <stdlib.h>
#include <string.h>

static int completion_compare(const void *a, const void *b)
{
    const struct completion *x = a, *y = b;
    return completion_before(y, x) - completion_before(x, y);
}

void peers_completions_order(struct peers *p)
{
    if (p->ncompletions)
        qsort(p->completions, p->ncompletions, sizeof *p->completions, completion_compare);
}

/* ---- reports ---- */

static enum msg_crossing crossing_of(const struct completion *t)
{
    return t->kind == COMPLETION_ACKED ? CROSSES_ACKED : CROSSES_RECEIVED;
}

void completion_message_of(const struct weft_engine *e, const struct completion *t,
                           struct completion_message *message)
{
    memset(message, 0, sizeof *message);
    message->completion = *t;
    message->fields = msg_fields_of(e, msg_at(e, t->msg), crossing_of(t));
}

void peers_completion_came(struct weft_engine *e, const struct completion_message *message)
{
    const struct completion *t = &message->completion;
    msg_fields_take(e, msg_at(e, t->msg), &message->fields, crossing_of(t));
    peers_completion_add(e, t);
}

/* A process that has but one end of the QP of a message moves on the other. */
static const struct msg *peers_complete_message(struct weft_engine *e, const struct completion *t)
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
    p->nreported++;
    if (his)
        p->reported_ps = t->at.t;
    return his;
}

void peers_completion_report(struct weft_engine *e, const struct completion *t)
{
    const struct msg *m = peers_complete_message(e, t);
    const bool his = concerns(e, t);
    struct weft_completion done; /* with the token of this process */
    rc_fill_done(e, m, t->kind == COMPLETION_ACKED ? t->at.t : 0, &done);
    e->now = t->at.t;
    if (t->kind == COMPLETION_ACKED) {
        delay_log_release(e, msg_at(e, t->msg));
        stable_release(&e->msgs, t->msg);
        if (his && e->hooks.acked)
            e->hooks.acked(e->hooks.ctx, &done);
    } else if (his && e->hooks.received) {
        e->hooks.received(e->hooks.ctx, &done);
    }
}
