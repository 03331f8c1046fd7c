/* SPDX-License-Identifier: GPL-2.0-only */
/* The pacers of receivers, and grants as they come to senders; see grant.h. */
#include "grant.h"
#include "core/context.h"
#include "core/events.h"
#include "core/heap.h"
#include "core/pkt.h"
#include "core/walk.h"
#include "nic.h"

#include "congestion/credit.h"
#include "congestion/cc_credit.h"

#include <stdlib.h>

#define LEAST_QUANTA 4u /* an answer without credit takes a pacer as long as so many */
/* Credit ahead of demand, 16 MiB, that a QP gets however little it has asked for: else a BDP beyond
 * all that is ever sent is granted to the last byte. */
#define AHEAD_QUANTA ((UINT64_C(16) << 20) / WEFT_CC_QUANTUM)

int grant_init(struct weft_engine *e, struct weft_err *err)
{
    bool used = false;
    for (uint32_t d = 0; d < e->ncontrols; d++)
        used |= e->controls[d].credit_on;
    if (!used)
        return 0;
    e->grants.pacers = calloc(e->nics.n ? e->nics.n : 1, sizeof *e->grants.pacers);
    if (!e->grants.pacers ||
        !stable_init_beside(&e->grants.of, sizeof(struct grantee), &e->qps.pool))
        return weft_err_set(err, WEFT_E_LIMIT, "out of memory for the credit of %u ports",
                            e->nics.n);
    for (uint32_t i = 0; i < e->nics.n; i++) {
        struct pacer *p = &e->grants.pacers[i];
        p->core.rate = 1;
        p->rng = weft_rng_stream(e->seed, "credit-look", i);
        for (uint32_t k = 0; k < GRANT_LISTS; k++)
            p->list[k] = (struct list){NIL, NIL};
    }
    return 0;
}

void grant_fini(struct weft_engine *e)
{
    stable_fini(&e->grants.of);
    free(e->grants.pacers);
}

/* ---- receivers ---- */

static const char *const list_name[GRANT_LISTS] = {
    [GRANT_ACTIVE] = "QPs that requested credit of a port",
    [GRANT_IDLE] = "QPs that a port grants credit ahead"};

static void append(struct weft_engine *e, struct pacer *p, enum grant_list which, uint32_t qi)
{
    struct grantee *g = grantee_at(&e->grants, qi);
    struct list *l = &p->list[which];
    g->list = (uint8_t)which;
    g->next = NIL;
    g->prev = l->tail;
    *(l->tail == NIL ? &l->head : &grantee_at(&e->grants, l->tail)->next) = qi;
    l->tail = qi;
}

/* Takes a QP out of its list. */
static void leave(struct weft_engine *e, struct pacer *p, uint32_t qi)
{
    struct grantee *g = grantee_at(&e->grants, qi);
    struct list *l = &p->list[g->list];
    *(g->prev == NIL ? &l->head : &grantee_at(&e->grants, g->prev)->next) = g->next;
    *(g->next == NIL ? &l->tail : &grantee_at(&e->grants, g->next)->prev) = g->prev;
    g->list = GRANT_NONE;
}

static void arm(struct weft_engine *e, struct pacer *p, uint32_t nic)
{
    if (p->armed || (p->list[GRANT_ACTIVE].head == NIL && p->list[GRANT_IDLE].head == NIL))
        return;
    p->armed = true;
    engine_push(e, &e->loop.agenda.slow, p->next_ps > e->now ? p->next_ps : e->now,
                EV_ID(EV_GRANT, nic));
}

void grant_moved(struct weft_engine *e, uint32_t qi, uint32_t from)
{
    struct grantee *g = grantee_at(&e->grants, qi);
    const enum grant_list which = (enum grant_list)g->list;
    const uint32_t old = e->ports[from].nic, nic = e->ports[qp_at(e, qi)->ack_port].nic;
    if (which == GRANT_NONE || old == nic)
        return;
    leave(e, &e->grants.pacers[old], qi);
    append(e, &e->grants.pacers[nic], which, qi);
    arm(e, &e->grants.pacers[nic], nic);
}

void grant_requested(struct weft_engine *e, uint32_t qi, uint32_t wanted, bool answer)
{
    struct grantee *g = grantee_at(&e->grants, qi);
    const uint32_t nic = e->ports[qp_at(e, qi)->ack_port].nic;
    struct pacer *p = &e->grants.pacers[nic];
    const int32_t more = (int32_t)(wanted - (uint32_t)g->wanted);
    if (more > 0)
        g->wanted += (uint32_t)more;
    g->answer |= answer;
    if (g->list == GRANT_ACTIVE || (g->wanted <= g->granted && !g->answer))
        return;
    if (g->list == GRANT_IDLE)
        leave(e, p, qi);
    append(e, p, GRANT_ACTIVE, qi);
    arm(e, p, nic);
}

static void send_grant(struct weft_engine *e, uint32_t qi, const struct weft_cc_grants *rules)
{
    const struct qp *q = qp_at(e, qi);
    const uint32_t i = pkt_new(e, WEFT_PKT_GRANT);
    if (i == NIL)
        return;
    struct pkt *k = pkt_at(e, i);
    k->qp = qi;
    k->psn = grantee_at(&e->grants, qi)->granted;
    k->sent_ps = e->now;
    k->dst_host = q->src_host;
    k->frame = (uint16_t)rules->frame_bytes;
    k->payload = 0;
    k->prio = (uint8_t)profile_of(q)->t.ack_prio;
    e->port_ops.enqueue(e, q->ack_port, i);
}

/* Credit ahead of what a QP asks for, in quanta: no more than it has asked for before. */
static uint64_t ahead(const struct grantee *g, const struct weft_cc_grants *rules)
{
    const uint64_t most = g->wanted > AHEAD_QUANTA ? g->wanted : AHEAD_QUANTA;
    const uint64_t idle = rules->idle_bytes / WEFT_CC_QUANTUM;
    return idle < most ? idle : most;
}

/* Grants something to the first of a list, or answers it; the quanta that this took, 0: it is
 * forgotten. */
static uint64_t grant_first(struct weft_engine *e, struct pacer *p, enum grant_list which,
                            struct weft_cc_grants *rules)
{
    const uint32_t qi = p->list[which].head;
    const struct qp *q = qp_at(e, qi);
    struct grantee *g = grantee_at(&e->grants, qi);
    leave(e, p, qi);
    q->kind->cc->credit->rules(q->kind->ccp, &q->kind->env, rules);
    uint64_t quanta = rules->grant_bytes / WEFT_CC_QUANTUM;
    const uint64_t upto = g->wanted + (which == GRANT_IDLE ? ahead(g, rules) : 0);
    const uint64_t left = upto > g->granted ? upto - g->granted : 0;
    quanta = quanta < left ? quanta : left;
    if (!quanta && !g->answer)
        return 0;
    g->granted += quanta;
    g->answer = false;
    append(e, p, g->wanted > g->granted ? GRANT_ACTIVE : GRANT_IDLE, qi);
    send_grant(e, qi, rules);
    return quanta ? quanta : LEAST_QUANTA;
}

void grant_due(struct weft_engine *e, uint64_t number)
{
    const uint32_t nic = (uint32_t)number;
    struct pacer *p = &e->grants.pacers[nic];
    struct weft_cc_grants rules;
    p->armed = false;
    for (enum grant_list l = GRANT_ACTIVE; l < GRANT_LISTS; l++)
        for (uint32_t n = 0; p->list[l].head != NIL && walk_on(e, n, e->qps.pool.n, list_name[l]);
             n++) {
            const struct qp *q = qp_at(e, p->list[l].head);
            const uint64_t quanta = grant_first(e, p, l, &rules);
            if (!quanta)
                continue;
            const double bits = (double)(quanta * WEFT_CC_QUANTUM * 8);
            const double share = rules.rate_share * grant_core_rate(e, p, q, &rules);
            const double ps = bits * 1e12 / ((double)port_rate_bps(e, q->ack_port) * share);
            p->next_ps = e->now + (int64_t)(ps < 1e18 ? ps + 0.5 : 1e18);
            arm(e, p, nic);
            return;
        }
}

/* ---- senders ---- */

void grant_receive(struct weft_engine *e, uint32_t i)
{
    const struct pkt k = *pkt_at(e, i);
    struct qp *q = qp_at(e, k.qp);
    struct sender *const snd = q->snd;
    e->tot.delivered[WEFT_PKT_GRANT]++;
    pkt_free(e, i);
    q->kind->cc->credit->granted(q->cc_state, q->kind->ccp, e->now, k.psn * WEFT_CC_QUANTUM,
                                 &snd->out);
    nic_cc_changed(e, q, k.qp);
    if (snd->una_psn == snd->top_psn) { /* the timer was for the grant */
        snd->backoff = 0;
        snd->retries = 0;
        snd->rto_at_ps = WEFT_NEVER;
    }
    nic_wake(e, k.qp);
}
