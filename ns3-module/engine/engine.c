/* SPDX-License-Identifier: GPL-2.0-only */
/* The engine's life cycle, clock, event loop, timers and packet records. Model: engine.h. */
#include "recovery.h"

#include <stdio.h>
#include <string.h>

#define MAX_PKTS (UINT32_C(1) << 27)
#define MAX_MSGS (UINT32_C(1) << 26)
#define MAX_QPS (UINT32_C(1) << 24)
#define MAX_INTS (UINT32_C(1) << 23)
_Static_assert(MAX_INTS < 1u << SIG_STACK_BITS, "a stack and its stamps are never NIL");
#define MAX_TIMERS (UINT32_C(1) << 24)
#define TIMER_SLOT_BITS 24

int engine_fail(struct weft_engine *e, int code, const char *fmt, ...)
{
    e->limit = INT64_MIN; /* ends the loop */
    if (e->err.code)
        return e->err.code;
    char msg[WEFT_ERR_MSG_MAX];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(msg, sizeof msg, fmt, ap);
    va_end(ap);
    return weft_err_set(&e->err, code, "%s", msg);
}

/* ---- packets ---- */

uint32_t pkt_new(struct weft_engine *e, enum weft_pkt_kind kind)
{
    uint32_t i = stable_alloc(&e->pkts);
    if (__builtin_expect(i == NIL, 0)) {
        engine_fail(e, WEFT_E_LIMIT, "more than %u packets in flight", MAX_PKTS);
        return NIL;
    }
    struct pkt *p = pkt_at(e, i);
    p->kind = (uint8_t)kind;
    p->flags = 0;
    p->in_port = NIL;
    p->hop = 0;
    p->sig = e->pint_on ? 0 : NIL;
    e->tot.sent[kind]++;
    return i;
}

void pkt_free(struct weft_engine *e, uint32_t i)
{
    if (e->int_on && pkt_at(e, i)->sig != NIL)
        stable_release(&e->ints, sig_stack(pkt_at(e, i)->sig));
    stable_release(&e->pkts, i);
}

/* What PFC frames do not have; most of it only packets of a QP do. */
static void view_roce(const struct weft_engine *e, const struct pkt *p,
                      struct weft_engine_pkt_view *v)
{
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
    v->hops = p->hop;
    v->payload_bytes = p->payload;
    v->sent_ps = p->sent_ps;
    if (data) {
        v->ce = (p->flags & PKT_CE) != 0;
        v->ack_request = (p->flags & (PKT_LAST | PKT_ASK)) || e->p.transport.ack_every == 1;
    } else {
        v->echo = (p->flags & PKT_ECHO) != 0;
        v->cnp = (p->flags & PKT_CNP) != 0;
        v->has_sack =
            p->kind == WEFT_PKT_NACK && e->p.transport.recovery == WEFT_RECOVERY_SELECTIVE_REPEAT;
        v->sack_psn = v->has_sack ? p->psn + p->sack : 0;
    }
    const struct control *c = q->control;
    v->telemetry_bytes = data ? c->signals.data_bytes : 0;
    if (p->kind == WEFT_PKT_ACK || p->kind == WEFT_PKT_NACK)
        v->telemetry_bytes = c->signals.ack_bytes;
    v->telemetry = c->int_on    ? WEFT_TELEMETRY_INT
                   : c->pint_on ? WEFT_TELEMETRY_PINT
                                : WEFT_TELEMETRY_TIME;
    v->ecn_capable = data && c->ecn_on;
    if (c->int_on && p->sig != NIL) {
        v->int_hops = int_at(e, sig_stack(p->sig))->hops;
        v->nhops = sig_hops(p->sig);
    }
    v->pint = c->pint_on ? p->sig : 0;
}

void pkt_view(const struct weft_engine *e, uint32_t i, struct weft_engine_pkt_view *v)
{
    const struct pkt *p = pkt_at(e, i);
    *v = (struct weft_engine_pkt_view){.kind = p->kind,
                                       .prio = p->prio,
                                       .frame_bytes = p->frame,
                                       .psn = p->kind == WEFT_PKT_FRAME ? 0 : p->psn,
                                       .handle = p->kind == WEFT_PKT_FRAME ? p->handle : 0,
                                       .pause = p->kind == WEFT_PKT_PFC && (p->flags & PKT_XOFF)};
    if (p->kind == WEFT_PKT_SUM)
        v->dst_host = v->src_host = UINT32_MAX;
    else if (!link_frame(p))
        view_roce(e, p, v);
}

void pkt_tell(struct weft_engine *e, uint32_t i, uint32_t port, enum weft_pkt_event what)
{
    if (!(e->hooks.packet_events[port] >> what & 1))
        return;
    struct weft_engine_pkt_view v;
    pkt_view(e, i, &v);
    e->hooks.packet(e->hooks.ctx, e->now, port, what, &v);
}

void pkt_drop(struct weft_engine *e, uint32_t i, uint32_t port, enum weft_drop_reason why)
{
    e->ports[port].st.drops[why]++;
    e->ports[port].dropped_payload += pkt_at(e, i)->payload;
    e->tot.drops[why]++;
    if (e->hooks.drop) {
        struct weft_engine_pkt_view v;
        pkt_view(e, i, &v);
        e->hooks.drop(e->hooks.ctx, e->now, port, why, &v);
    }
    if (pkt_at(e, i)->kind == WEFT_PKT_FRAME)
        frame_drop(e, i, port, why);
    else if (__builtin_expect(pkt_at(e, i)->kind == WEFT_PKT_CREDIT, 0))
        credit_frame_lost(e, port, pkt_at(e, i));
    else if (pkt_at(e, i)->kind == WEFT_PKT_SUM)
        in_network_lost(e, i, port, why);
    pkt_free(e, i);
}

/* ---- life cycle ---- */

static int check_prio(uint64_t prio, const char *what, struct weft_err *err)
{
    if (prio < WEFT_PRIOS)
        return 0;
    return weft_err_set(err, WEFT_E_INPUT, "transport.%s is %llu; priorities are 0 to 7", what,
                        (unsigned long long)prio);
}

int weft_engine_check_config(const struct weft_engine_config *c, struct weft_err *err)
{
    const struct weft_transport_params *t = &c->params.transport;
    int rc;
    if ((rc = check_prio(t->data_prio, "data-prio", err)) ||
        (rc = check_prio(t->ack_prio, "ack-prio", err)) ||
        (rc = check_prio(t->cnp_prio, "cnp-prio", err)))
        return rc;
    if (!c->fabric || !c->fabric->ports)
        return weft_err_set(err, WEFT_E_INPUT, "the engine needs a finished fabric");
    if (c->fabric->nports > 1u << FASTQ_PORT_BITS)
        return weft_err_set(err, WEFT_E_LIMIT, "the fabric has %u ports; at most %u",
                            c->fabric->nports, 1u << FASTQ_PORT_BITS);
    if (!c->cc)
        return weft_err_set(err, WEFT_E_INPUT,
                            "the engine needs a congestion control; 'none' is one");
    for (uint32_t d = 0; d < c->fabric->ndims; d++) {
        const uint64_t mtu = control_mtu_bytes(&c->params, c->fabric, d);
        if (mtu == 0 || mtu + t->header_bytes + 3 > UINT16_MAX)
            return weft_err_set(err, WEFT_E_INPUT, "%s must be 1 byte to %u bytes",
                                c->fabric->dims[d].set.mtu_bytes ? "the mtu of a dimension"
                                                                 : "transport.mtu",
                                (unsigned)(UINT16_MAX - t->header_bytes - 3));
    }
    if (!recovery_of(t->recovery))
        return weft_err_set(err, WEFT_E_INPUT,
                            "transport.recovery is number %d; see enum weft_recovery", t->recovery);
    const struct weft_ecn_params *ecn = &c->params.ecn;
    if (ecn->kmin_bytes != UINT64_MAX && ecn->kmin_bytes > ecn->kmax_bytes)
        return weft_err_set(err, WEFT_E_INPUT, "ecn.kmin (%lluB) exceeds ecn.kmax (%lluB)",
                            (unsigned long long)ecn->kmin_bytes,
                            (unsigned long long)ecn->kmax_bytes);
    if (c->fabric->transit && t->ack_ignores_pause)
        return weft_err_set(err, WEFT_E_INPUT,
                            "transport.ack-ignores-pause has no meaning in a fabric whose hosts "
                            "forward: their queues hold packets of others too");
    if ((rc = control_check(c, NULL, err)) || (rc = balance_check(c, err)) ||
        (rc = credit_check(c, err)))
        return rc;
    return mmu_check_config(c, err);
}

static int init_ports(struct weft_engine *e, struct weft_err *err)
{
    const struct weft_fabric *f = e->fabric;
    if (stable_init(&e->port_mem, sizeof *e->ports, f->nports ? f->nports : 1))
        e->ports = (struct port *)(void *)e->port_mem.base; /* zeroed, and on a page */
    uint32_t host_ports = 0;
    for (uint32_t i = 0; i < f->nports; i++)
        host_ports += f->nodes[f->ports[i].node].kind == WEFT_NODE_HOST;
    e->nics = calloc(host_ports ? host_ports : 1, sizeof *e->nics);
    e->own = calloc(f->nnodes, sizeof *e->own);
    if (!e->ports || !e->nics || !e->own)
        return weft_err_set(err, WEFT_E_LIMIT, "out of memory for %u ports", f->nports);
    for (uint32_t i = 0; i < f->nports; i++) {
        const struct weft_fabric_link *l = &f->links[f->ports[i].link];
        struct port *p = &e->ports[i];
        p->node = f->ports[i].node;
        p->peer = f->ports[i].peer;
        p->prop_ps = l->delay_ps;
        p->ser_q = gap_of_rate(l->rate_bps);
        p->error_rate = l->error_rate;
        p->lossy = l->error_rate > 0 || e->hooks.lose || e->hooks.packet;
        p->far = f->ports[p->peer].node;
        p->to_host = f->nodes[p->far].kind == WEFT_NODE_HOST;
        if (p->to_host)
            p->far = f->nodes[p->far].host;
        p->armed_ps = WEFT_NEVER;
        p->fly.head = p->ctrl.head = NIL;
        p->ecn_rng = weft_rng_stream(e->seed, "ecn", i);
        p->err_rng = weft_rng_stream(e->seed, "link-error", i);
        p->pint_rng = weft_rng_stream(e->seed, "pint", i);
        for (uint32_t k = 0; k < WEFT_PRIOS; k++)
            p->lane[k].q.head = NIL;
        p->nic = NIL;
        if (f->nodes[p->node].kind == WEFT_NODE_HOST) {
            p->nic = e->nnics++;
            for (uint32_t k = 0; k < WEFT_PRIOS; k++)
                e->nics[p->nic].ready[k].head = NIL;
        }
    }
    return 0;
}

struct weft_engine *weft_engine_new(const struct weft_engine_config *c, struct weft_err *err)
{
    if (weft_engine_check_config(c, err))
        return NULL;
    struct weft_engine *e = calloc(1, sizeof *e);
    if (!e) {
        weft_err_set(err, WEFT_E_LIMIT, "out of memory for an engine");
        return NULL;
    }
    e->p = c->params;
    e->fabric = c->fabric;
    e->transit = e->nic_turns = c->fabric->transit;
    e->channels = channel_count(&c->params, c->fabric);
    e->vcs = e->channels > 1 && (c->params.pfc.enabled || credit_used(c->fabric));
    e->p.pfc.prios = channel_prios(&c->params, c->fabric);
    e->seed = c->seed;
    e->recovery = recovery_of(c->params.transport.recovery);
    e->low_rto = e->recovery->low_rto;
    if (control_init(e, c, err))
        goto fail;
    unsigned needs = 0;
    size_t state = 0;
    e->all_int = true;
    for (uint32_t d = 0; d < c->fabric->ndims; d++) {
        e->all_int &= e->controls[d].int_on;
        needs |= weft_cc_needs(e->controls[d].ops, e->controls[d].params);
        if (state < e->controls[d].ops->state_size)
            state = e->controls[d].ops->state_size;
    }
    state = (state + 15) & ~(size_t)15;
    e->int_on = (needs & WEFT_CC_NEEDS_INT) != 0;
    e->fetch_deep = e->int_on;
    e->warm_from = e->int_on ? WARM_PACKETS / 4 : WARM_PACKETS;
    e->pint_on = (needs & WEFT_CC_NEEDS_PINT) != 0;
    e->ns3_draws = c->params.ecn.draws == WEFT_DRAWS_NS3;
    weft_ns3_rng_init(&e->ns3_rng, 1, c->seed, c->params.ecn.first_stream);
    weft_libc_rand_init(&e->libc_rand, (uint32_t)c->seed);
    e->odd = (uint32_t)((c->params.transport.ns3_event_order ? ODD_ORDER : 0) |
                        (c->params.transport.quantum_ps ? ODD_QUANTUM : 0) |
                        (e->pint_on ? ODD_PINT : 0) |
                        (c->params.sw.scheduler == WEFT_SCHED_PACKET_RR ? ODD_TURNS : 0));
    const uint32_t mark = needs & WEFT_CC_NEEDS_ECN ? TOUCH_ECN : 0;
    e->on_enter = c->params.ecn.at_enqueue ? mark : 0;
    e->on_leave =
        ((c->params.ecn.at_enqueue ? 0 : mark) | (e->int_on || e->pint_on ? TOUCH_SIGN : 0));
    weft_engine_set_hooks(e, &c->hooks);
    e->limit = WEFT_NEVER;
    e->least_kmin = UINT32_MAX;
    if (!fastq_init(&e->fast, c->fabric->nports) || !evq_reserve(&e->slow) || !window_init(e)) {
        weft_err_set(err, WEFT_E_LIMIT, "out of memory for %u ports", c->fabric->nports);
        goto fail;
    }
    e->fast.heap_only = e->p.transport.ns3_event_order; /* bring_first wants all in one heap */
    if (!stable_init(&e->pkts, sizeof(struct pkt), MAX_PKTS) ||
        !stable_init(&e->msgs, sizeof(struct msg), MAX_MSGS) ||
        !stable_init(&e->qps, sizeof(struct qp), MAX_QPS) ||
        !stable_init(&e->cc_state, state, MAX_QPS) ||
        !stable_init(&e->timers, sizeof(struct timer), MAX_TIMERS) ||
        (e->int_on && !stable_init(&e->ints, sizeof(struct int_stack), MAX_INTS))) {
        weft_err_set(
            err, WEFT_E_LIMIT,
            "out of memory: the address space for packets and QPs was refused; see ulimit -v");
        goto fail;
    }
    e->routes = weft_routes_new(c->fabric, err);
    if (!e->routes || init_ports(e, err) || mmu_init(e, err) || pfc_init(e, err) ||
        credit_init(e, err) || balance_init(e, err) || ideal_init(e, err))
        goto fail;
    for (uint32_t d = 0; d < c->fabric->ndims; d++)
        if (e->controls[d].pint_on && !e->controls[d].signals.pint_t_ps)
            e->controls[d].signals.pint_t_ps = signal_longest_rtt(e);
    lazy_choose(e);
    return e;
fail:
    weft_engine_free(e);
    return NULL;
}

void weft_engine_free(struct weft_engine *e)
{
    if (!e)
        return;
    for (uint32_t i = 0; i < e->nnics; i++)
        evq_free(&e->nics[i].paced);
    for (uint32_t i = 0; i < e->qps.n && e->recovery->fini; i++)
        e->recovery->fini(qp_at(e, i));
    fastq_free(&e->fast);
    window_fini(e);
    evq_free(&e->slow);
    stable_fini(&e->pkts);
    stable_fini(&e->msgs);
    stable_fini(&e->qps);
    stable_fini(&e->cc_state);
    stable_fini(&e->timers);
    stable_fini(&e->ints);
    if (e->intact != e->routes)
        weft_routes_free(e->intact);
    weft_routes_free(e->routes);
    free(e->link_down);
    free(e->link_since_ps);
    delay_fini(e);
    stable_fini(&e->port_mem);
    free(e->nics);
    free(e->own);
    mmu_fini(e);
    pfc_fini(e);
    credit_fini(e);
    control_fini(e);
    in_network_fini(e);
    free(e->qp_slots);
    ideal_fini(e);
    free(e->turns);
    free(e->stall.marks);
    free(e->flowlets);
    free(e);
}

static void set_bits(uint32_t *mask, uint32_t bits, bool on)
{
    *mask = on ? *mask | bits : *mask & ~bits;
}

void weft_engine_set_hooks(struct weft_engine *e, const struct weft_engine_hooks *hooks)
{
    if (e->mmus) { /* what was before now is told to the hooks before */
        lazy_catch_up(e);
        window_tell(e, WEFT_NEVER);
    }
    e->hooks = *hooks;
    for (uint32_t i = 0; e->ports && (hooks->lose || hooks->packet) && i < e->fabric->nports; i++)
        e->ports[i].lossy = true;
    const uint32_t ack_events = 1u << WEFT_QP_ACK | 1u << WEFT_QP_NACK;
    set_bits(&e->on_enter, TOUCH_HOOK, hooks->queue != NULL);
    set_bits(&e->on_leave, TOUCH_HOOK, hooks->queue != NULL);
    set_bits(&e->on_enter, TOUCH_TAP, hooks->packet != NULL);
    set_bits(&e->odd, ODD_PACKET, hooks->packet != NULL);
    set_bits(&e->odd, ODD_RATE, hooks->qp && hooks->qp_events >> WEFT_QP_RATE & 1);
    set_bits(&e->odd, ODD_ACK, hooks->qp && (hooks->qp_events & ack_events));
    if (e->mmus)
        lazy_choose(e);
}

/* ---- timers ---- */

int weft_engine_timer(struct weft_engine *e, int64_t at_ps, void (*fn)(void *, uint64_t), void *ctx,
                      uint64_t arg, struct weft_err *err)
{
    if (at_ps < e->now)
        return weft_err_set(err, WEFT_E_INTERNAL, "timer at %lld ps lies before now, %lld ps",
                            (long long)at_ps, (long long)e->now);
    uint32_t slot = stable_alloc(&e->timers);
    if (slot == NIL ||
        !evq_push(&e->slow, at_ps, EV_ID(EV_TIMER, (e->timer_seq << TIMER_SLOT_BITS) | slot)))
        return weft_err_set(err, WEFT_E_LIMIT, "out of memory, or more than %u timers", MAX_TIMERS);
    e->timer_seq++;
    struct timer *t = (struct timer *)(void *)e->timers.base + slot;
    t->fn = fn;
    t->ctx = ctx;
    t->arg = arg;
    return 0;
}

static void fire_timer(struct weft_engine *e, uint64_t number)
{
    uint32_t slot = (uint32_t)(number & ((1u << TIMER_SLOT_BITS) - 1));
    struct timer t = ((struct timer *)(void *)e->timers.base)[slot];
    stable_release(&e->timers, slot);
    t.fn(t.ctx, t.arg);
}

/* ---- clock and loop ---- */

/* The head of the slow queue is an entry of a deadline that may have moved since. True when it is
 * due at its time; else it was dropped or re-dated. */
static bool settle_deadline(struct weft_engine *e, int64_t at_ps, int64_t *entry_ps)
{
    struct ev top = e->slow.h[0];
    if (*entry_ps != top.t) { /* superseded by an earlier entry */
        evq_pop(&e->slow);
    } else if (at_ps == WEFT_NEVER) {
        *entry_ps = WEFT_NEVER;
        evq_pop(&e->slow);
    } else if (at_ps > top.t) {
        *entry_ps = at_ps;
        evq_replace_top(&e->slow, at_ps, top.id);
    } else {
        return true;
    }
    return false;
}

/* Drops or re-dates entries at the head of the slow queue whose deadline has moved. */
static void settle_slow(struct weft_engine *e)
{
    while (e->slow.n) {
        struct ev top = e->slow.h[0];
        struct qp *q;
        struct pfc_deadline *d;
        switch ((enum ev_kind)(top.id >> EV_KIND_SHIFT)) {
        case EV_RTO:
            q = qp_at(e, (uint32_t)EV_NUMBER(top.id));
            if (settle_deadline(e, q->rto_at_ps, &q->rto_entry_ps))
                return;
            break;
        case EV_PFC:
            d = pfc_deadline(e, EV_NUMBER(top.id));
            if (settle_deadline(e, d->at_ps, &d->entry_ps))
                return;
            break;
        case EV_CC:
            q = qp_at(e, (uint32_t)EV_NUMBER(top.id));
            if (q->cc_timer_ps == top.t)
                return;
            evq_pop(&e->slow); /* superseded by another entry, or switched off */
            break;
        default:
            return;
        }
    }
}

/* Time of the first entry of the slow queue, unsettled: it may turn out later. */
static inline int64_t slow_time(const struct weft_engine *e)
{
    return e->slow.h[0].t; /* WEFT_NEVER when empty */
}

/* Whether the next event is the first of the slow queue, which has something no later than the first
 * of the fast one (FASTQ_NO_KEY: none). Arrivals and transmissions go before timers of the same
 * instant, and among themselves by number. */
static bool slow_first(struct weft_engine *e, uint64_t key)
{
    settle_slow(e);
    if (!e->slow.n || key == FASTQ_NO_KEY)
        return e->slow.n != 0;
    struct ev fast = {fastq_time(&e->fast, key), EV_ID(fastq_kind(key), fastq_port(key))};
    return ev_before(e->slow.h[0], fast);
}

/* Time of the first entry of the fast queue. */
static inline int64_t fast_time(const struct weft_engine *e, uint64_t key)
{
    return __builtin_expect(key != FASTQ_NO_KEY, 1) ? fastq_time(&e->fast, key) : WEFT_NEVER;
}

int64_t weft_engine_now(const struct weft_engine *e)
{
    return e->now;
}

int64_t weft_engine_next(const struct weft_engine *ce)
{
    struct weft_engine *e =
        (struct weft_engine *)(uintptr_t)ce; /* settling only drops stale entries */
    const uint64_t key = fastq_first(&e->fast, e->now);
    const int64_t fast = fast_time(e, key);
    const int64_t hosts = slow_time(e) <= fast && slow_first(e, key) ? e->slow.h[0].t : fast;
    const int64_t switches = e->windows.on ? window_first(e) : WEFT_NEVER;
    return switches < hosts ? switches : hosts;
}

void weft_engine_set_now(struct weft_engine *e, int64_t t_ps)
{
    if (t_ps < e->now)
        engine_fail(e, WEFT_E_INTERNAL, "the clock would run backwards, from %lld to %lld ps",
                    (long long)e->now, (long long)t_ps);
    else
        e->now = t_ps;
    weft_engine_follow(e, t_ps);
}

void weft_engine_follow(struct weft_engine *e, int64_t t_ps)
{
    if (e->due_ps < t_ps) {
        e->due_ps = t_ps;
        e->due_id = 0;
    }
    window_run(e, t_ps);
}

/* ns3-event-order: the rank of an entry of the fast queue. */
static uint32_t rank(const struct weft_engine *e, uint64_t key)
{
    const struct port *p = &e->ports[fastq_port(key)];
    return fastq_kind(key) == EV_ARRIVE ? pkt_at(e, p->fly.head)->order : p->armed_order;
}

/* Of the entries at and below @p i that share the time of the first, the one that ranks before
 * @p best. They are at the top of the heap. */
static uint32_t first_ranked(const struct weft_engine *e, uint32_t i, uint32_t best)
{
    const struct keyheap *q = &e->fast.near;
    if (i >= q->n || q->h[i] >> FASTQ_ID_BITS != q->h[0] >> FASTQ_ID_BITS)
        return best;
    if ((int32_t)(rank(e, q->h[i]) - rank(e, q->h[best])) < 0)
        best = i;
    for (uint32_t c = 4 * i + 1; c <= 4 * i + 4; c++)
        best = first_ranked(e, c, best);
    return best;
}

/* Swaps the right one of simultaneous entries to the top: their heap stays one in time. */
static void bring_first(struct weft_engine *e)
{
    struct keyheap *q = &e->fast.near;
    uint32_t i = first_ranked(e, 0, 0);
    uint64_t key = q->h[i];
    q->h[i] = q->h[0];
    q->h[0] = key;
}

static inline void run_fast(struct weft_engine *e, uint64_t key)
{
    if (__builtin_expect(e->odd & ODD_ORDER, 0)) {
        bring_first(e);
        key = e->fast.near.h[0];
    }
    fastq_pop(&e->fast, key);
    const uint32_t port = fastq_port(key);
    if (fastq_kind(key) == EV_ARRIVE)
        port_arrive(e, port);
    else
        port_due(e, port);
}

static void run_slow(struct weft_engine *e)
{
    struct ev top = e->slow.h[0];
    uint64_t number = EV_NUMBER(top.id);
    evq_pop(&e->slow);
    switch ((enum ev_kind)(top.id >> EV_KIND_SHIFT)) {
    case EV_ARRIVE:
        port_arrive(e, (uint32_t)number);
        return;
    case EV_TX:
        port_due(e, (uint32_t)number);
        return;
    case EV_RTO:
        rc_rto(e, (uint32_t)number);
        return;
    case EV_CC:
        rc_cc_timer(e, (uint32_t)number);
        return;
    case EV_PFC:
        pfc_event(e, number);
        return;
    case EV_TIMER:
        fire_timer(e, number);
        return;
    }
}

/* Packets alive beyond which the ports of hosts are no longer in the caches. */
#define COLD_PACKETS 131072u
#define WARM_MOST 32u

/* Fetches what the next events of the bucket will touch: the port and its packets. Without it each event waits for memory several times, one after the other; here they wait
 * together. */
static __attribute__((noinline)) void warm(struct weft_engine *e)
{
    const uint32_t all = (uint32_t)(e->fast.top - e->fast.due);
    const uint32_t n = all < WARM_MOST ? all : WARM_MOST;
    const uint64_t *due = e->fast.top - n + 1; /* the first in time are at the end */
    const bool cold = e->pkts.live > COLD_PACKETS;
    e->warmed = due - 1;
    for (uint32_t i = 0; i < n; i++) {
        const struct port *p = &e->ports[fastq_port(due[i])];
        __builtin_prefetch(p, 1);
        if (cold) {
            __builtin_prefetch(&p->qtotal, 1);
            __builtin_prefetch(&p->lane[e->p.transport.data_prio], 1);
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        const struct port *p = &e->ports[fastq_port(due[i])];
        const uint32_t queued = p->nonempty & (CTRL_WAITS - 1);
        if (queued)
            __builtin_prefetch(pkt_at(e, p->lane[__builtin_ctz(queued)].q.head), 1);
        if (fastq_kind(due[i]) == EV_ARRIVE && p->fly.head != NIL)
            __builtin_prefetch(pkt_at(e, p->fly.head), 1);
    }
}

/* The clock has come to its end with something left to do. */
static void out_of_time(struct weft_engine *e)
{
    char at[WEFT_UNIT_TEXT_MAX];
    engine_fail(
        e, WEFT_E_LIMIT,
        "simulated time has come to %s, the most that the clock of picoseconds allows, and the run "
        "is not over: a rate may be too low",
        weft_human_time(e->now, at));
}

/* Which transmissions of ports without events have been made when the first event of the slow queue runs: timers
 * come after those of their instant, arrivals and transmissions from far ahead where they would in the fast queue. */
static void note_slow_due(struct weft_engine *e)
{
    const struct ev top = e->slow.h[0];
    const enum ev_kind kind = (enum ev_kind)(top.id >> EV_KIND_SHIFT);
    e->due_ps = top.t + (kind > EV_TX);
    e->due_id = kind > EV_TX ? 0 : (uint32_t)fastq_key(0, 0, kind, (uint32_t)EV_NUMBER(top.id));
}

int weft_engine_run(struct weft_engine *e, int64_t limit_ps)
{
    const bool endless = limit_ps > LAST_PS;
    e->limit = e->err.code ? INT64_MIN : endless ? LAST_PS : limit_ps;
    for (;;) {
        const uint32_t poured = e->fast.poured;
        const uint64_t key = fastq_first(&e->fast, e->now);
        if (e->pkts.live > WARM_PACKETS && (e->fast.poured != poured || e->fast.top == e->warmed))
            warm(e);
        int64_t t = fast_time(e, key);
        const bool slow = slow_time(e) <= t && slow_first(e, key);
        if (__builtin_expect(slow, 0))
            t = slow_time(e);
        if (e->windows.on && t >= e->windows.done_ps + e->windows.lookahead_ps &&
            window_advance(e, t < e->limit ? t : e->limit))
            continue;
        if (__builtin_expect(t >= e->limit, 0))
            break;
        e->now = t;
        e->tot.events++;
        if (__builtin_expect(slow, 0)) {
            note_slow_due(e);
            run_slow(e);
        } else {
            e->due_ps = t;
            e->due_id = (uint32_t)key & ((1u << FASTQ_ID_BITS) - 1);
            run_fast(e, key);
        }
    }
    const bool ended = endless && e->limit == LAST_PS;
    if (ended && weft_engine_next(e) != WEFT_NEVER)
        out_of_time(e);
    if (e->limit > e->due_ps && !ended) {
        window_run(e, e->limit);
        e->due_ps = e->limit;
        e->due_id = 0;
    }
    if (e->windows.on)
        window_end(e);
    if (__builtin_expect(e->fast.failed, 0))
        engine_fail(e, WEFT_E_LIMIT, "out of memory in the event queue");
    return e->err.code;
}

int weft_engine_run_instant(struct weft_engine *e)
{
    int64_t t = weft_engine_next(e);
    return t == WEFT_NEVER ? e->err.code : weft_engine_run(e, t + 1);
}

void weft_engine_lower_limit(struct weft_engine *e, int64_t limit_ps)
{
    if (limit_ps <= e->now) /* the instant being executed is always finished */
        limit_ps = e->now + 1;
    if (limit_ps < e->limit)
        e->limit = limit_ps;
}

void weft_engine_stop(struct weft_engine *e)
{
    e->limit = INT64_MIN;
}

const struct weft_err *weft_engine_error(const struct weft_engine *e)
{
    return &e->err;
}
