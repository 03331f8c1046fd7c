/* SPDX-License-Identifier: GPL-2.0-only */
/* Packet records, and what hooks are shown of them. */
#include "pkt.h"
#include "context.h"
#include "stable.h"
#include "walk.h"
#include "executor.h"

uint32_t pkt_more(struct weft_engine *e)
{
    const uint32_t i =
        e->worker ? e->executor->alloc(e, &e->pkts.pool) : stable_grow(&e->pkts.pool);
    if (i == NIL)
        engine_full(e, &e->pkts.pool, "packets in flight");
    return i;
}

/* Frees a packet with several stacks of stamps. */
static __attribute__((noinline)) void pkt_free_stacks(struct weft_engine *e, uint32_t i)
{
    const uint32_t sig = pkt_at(e, i)->sig;
    uint32_t stack = sig_stack(sig);
    for (uint32_t n = sig >> SIG_PLACE_BITS; n;) {
        const uint32_t more = int_at(e, stack)->more;
        stable_release(&e->telemetry.stacks, stack);
        stack = more;
        n -= n < INT_STACK_HOPS ? n : INT_STACK_HOPS;
    }
    stable_release(&e->telemetry.stacks, stack);
    stable_release(&e->pkts.pool, i);
}

void pkt_free(struct weft_engine *e, uint32_t i)
{
    if (e->telemetry.int_on) {
        const uint32_t sig = pkt_at(e, i)->sig;
        if (sig < 1u << SIG_PLACE_BITS) {
            stable_release(&e->telemetry.stacks, sig_stack(sig));
        } else if (sig != NIL) {
            pkt_free_stacks(e, i);
            return;
        }
    }
    stable_release(&e->pkts.pool, i);
}

/* Fields that PFC frames do not have; most of them only packets of a QP do. */
static void view_roce(const struct weft_engine *e, const struct pkt *p, struct pkt_shown *shown)
{
    struct weft_engine_pkt_view *v = &shown->view;
    const struct qp *q = qp_at(e, p->qp);
    const bool forward = p->dst_host == q->dst_host, data = p->kind == WEFT_PKT_DATA;
    v->dst_host = p->dst_host;
    v->src_host = forward ? q->src_host : q->dst_host;
    if (p->kind == WEFT_PKT_FRAME) {
        v->ce = (p->flags & PKT_CE) != 0;
        return;
    }
    v->qpn = p->qp + WEFT_FIRST_QPN;
    v->flow_hash = forward ? q->flow_hash : q->ack_hash;
    if (data && profile_of(q)->sprays)
        v->flow_hash = entropy_hash(q->flow_hash, p->mid);
    v->hops = p->hop;
    v->payload_bytes = p->payload;
    v->sent_ps = p->sent_ps;
    if (data) {
        v->ce = (p->flags & PKT_CE) != 0;
        v->ack_request = (p->flags & (PKT_LAST | PKT_ASK)) || !profile_of(q)->sparse;
    } else if (p->kind == WEFT_PKT_WARNING) {
        v->queue_bytes = p->queue_bytes;
        v->rate_bps = p->rate_bps;
    } else {
        v->echo = (p->flags & PKT_ECHO) != 0;
        v->cnp = (p->flags & PKT_CNP) != 0;
        v->has_sack =
            p->kind == WEFT_PKT_NACK && profile_of(q)->t.recovery == WEFT_RECOVERY_SELECTIVE_REPEAT;
        v->sack_psn = v->has_sack ? p->psn + p->sack : 0;
    }
    const struct control *c = q->kind->control;
    v->telemetry_bytes = data ? c->signals.data_bytes : 0;
    if (p->kind == WEFT_PKT_ACK || p->kind == WEFT_PKT_NACK)
        v->telemetry_bytes = c->signals.ack_bytes;
    v->telemetry = c->int_on    ? WEFT_TELEMETRY_INT
                   : c->pint_on ? WEFT_TELEMETRY_PINT
                   : c->signal  ? WEFT_TELEMETRY_TAGS
                                : WEFT_TELEMETRY_TIME;
    v->ecn_capable = data && c->ecn_on;
    if (c->int_on && p->sig != NIL) {
        v->nhops = stamps_read(e, p->sig, shown->hops);
        v->int_hops = shown->hops;
    }
    v->pint = c->pint_on ? p->sig : 0;
    v->tags = c->signal && p->kind != WEFT_PKT_WARNING ? p->sig : 0;
}

/* Additional fields of Ultra Ethernet's headers. */
static void view_uet(const struct weft_engine *e, uint32_t i, struct weft_engine_pkt_view *v)
{
    const struct pkt *p = pkt_at(e, i);
    const struct qp *q = qp_at(e, p->qp);
    const bool sack = p->flags & PKT_SACK;
    v->uet = profile_of(q)->t.uet;
    v->entropy = UINT32_MAX;
    if (p->kind == WEFT_PKT_DATA) {
        v->entropy = profile_of(q)->sprays ? p->mid : UINT32_MAX;
        v->trimmed = (p->flags & PKT_TRIM) != 0;
    } else if (p->kind == WEFT_PKT_ACK || p->kind == WEFT_PKT_NACK) {
        v->caused_psn = sack ? p->psn + p->sack : p->psn;
        if (p->kind == WEFT_PKT_NACK && names_trimmed(profile_of(q)->recovery, p))
            v->named = p->flags & PKT_NEAR ? 2 : 1;
        else if (p->kind == WEFT_PKT_ACK && profile_of(q)->by_bytes && p->flags & PKT_MAP) {
            const struct sack_map *m = (const struct sack_map *)(void *)e->rc.maps.base + i;
            v->map_first = m->first;
            v->map_bits = m->bits;
        } else if (p->kind == WEFT_PKT_ACK && sack) {
            v->map_first = v->caused_psn;
            v->map_bits = 1;
        }
    }
    v->ack_requested = p->kind == WEFT_PKT_REQUEST && p->flags & PKT_ASK;
    if (credited(q) && (p->kind == WEFT_PKT_DATA || p->kind == WEFT_PKT_REQUEST))
        v->credit = p->sig;
    else if (p->kind == WEFT_PKT_GRANT)
        v->credit = (uint32_t)p->psn;
}

static bool carries_psn(const struct pkt *p)
{
    return p->kind != WEFT_PKT_FRAME && p->kind != WEFT_PKT_WARNING;
}

void pkt_view(const struct weft_engine *e, uint32_t i, struct pkt_shown *shown)
{
    const struct pkt *p = pkt_at(e, i);
    struct weft_engine_pkt_view *v = &shown->view;
    *v = (struct weft_engine_pkt_view){.kind = p->kind,
                                       .prio = p->prio,
                                       .frame_bytes = p->frame,
                                       .psn = carries_psn(p) ? p->psn : 0,
                                       .handle = p->kind == WEFT_PKT_FRAME ? p->handle : 0,
                                       .pause = p->kind == WEFT_PKT_PFC && (p->flags & PKT_XOFF)};
    if (p->kind == WEFT_PKT_SUM)
        v->dst_host = v->src_host = UINT32_MAX;
    else if (!link_frame(p))
        view_roce(e, p, shown);
    if (p->kind <= WEFT_PKT_GRANT)
        view_uet(e, i, v);
}

void pkt_report(struct weft_engine *e, uint32_t i, uint32_t port, enum weft_pkt_event what)
{
    if (!(e->ports[port].hook_events >> what & 1))
        return;
    struct pkt_shown shown;
    pkt_view(e, i, &shown);
    e->hooks.packet(e->hooks.ctx, e->now, port, what, &shown.view);
}
