/* SPDX-License-Identifier: GPL-2.0-only */
/* An engine's life cycle and its hooks. Model: engine.h. */
#include "balance/balance.h"
#include "core/address_space.h"
#include "core/context.h"
#include "core/extension.h"
#include "core/heap.h"
#include "core/fastq.h"
#include "core/gap.h"
#include "switch/lazy.h"
#include "core/stable.h"
#include "balance/ideal.h"
#include "core/executor.h"
#include "observe/all_parts.h"
#include "switch/credit.h"
#include "switch/switch.h"
#include "switch/in_network.h"
#include "switch/mmu.h"
#include "switch/pause_clock.h"
#include "switch/pfc.h"
#include "switch/telemetry.h"
#include "switch/train.h"
#include "switch/random_drop.h"
#include "transport/control.h"
#include "transport/grant.h"
#include "transport/nic.h"
#include "transport/profile.h"
#include "transport/qp.h"
#include "transport/rc.h"
#include "transport/sparse_ack.h"

#include "base/rng.h"
#include "base/units.h"
#include "congestion/cc_table.h"

#define MAX_MSGS (UINT32_C(1) << 26)
#define MAX_QPS (UINT32_C(1) << 24)
#define MAX_INTS (UINT32_C(1) << 23)
_Static_assert(MAX_INTS *SIG_STACK <= 1u << SIG_PLACE_BITS, "a stack has a place");

/* The far end of link @p l of port @p i. */
static void init_end(struct weft_engine *e, uint32_t i, const struct weft_fabric_link *l)
{
    const struct weft_fabric *f = e->fabric;
    struct link_end *end = &e->ends[i];
    end->peer = f->ports[i].peer;
    end->rare = (uint8_t)((l->error_rate > 0 || e->hooks.lose || e->hooks.packet ? LINK_LOSES : 0) |
                          (e->p.transport.train > 1 ? LINK_TRAINS : 0));
    end->far = f->ports[end->peer].node;
    end->to_host = f->nodes[end->far].kind == WEFT_NODE_HOST;
    if (end->to_host)
        end->far = f->nodes[end->far].host;
    end->fly.head = NIL;
    end->err_rng = weft_rng_stream(e->seed, "link-error", i);
}

static int init_ports(struct weft_engine *e, struct weft_err *err)
{
    const struct weft_fabric *f = e->fabric;
    if (stable_init(&e->port_mem, sizeof *e->ports, f->nports ? f->nports : 1))
        e->ports = (struct port *)(void *)e->port_mem.base; /* zeroed, and on a page */
    if (stable_init(&e->ends_mem, sizeof *e->ends, f->nports ? f->nports : 1))
        e->ends = (struct link_end *)(void *)e->ends_mem.base;
    uint32_t host_ports = 0;
    for (uint32_t i = 0; i < f->nports; i++)
        host_ports += f->nodes[f->ports[i].node].kind == WEFT_NODE_HOST;
    e->nics.of = calloc(host_ports ? host_ports : 1, sizeof *e->nics.of);
    e->own = calloc(f->nnodes, sizeof *e->own);
    if (!e->ports || !e->ends || !e->nics.of || !e->own)
        return weft_err_set(err, WEFT_E_LIMIT, "out of memory for %u ports", f->nports);
    if (e->part.records)
        part_spare_ports(e);
    for (uint32_t i = 0; i < f->nports; i++) {
        const struct weft_fabric_link *l = &f->links[f->ports[i].link];
        struct port *p = &e->ports[i];
        if (end_known(e, i))
            init_end(e, i, l);
        if (!port_known(e, i)) {
            e->nics.n += f->nodes[f->ports[i].node].kind == WEFT_NODE_HOST;
            continue;
        }
        p->node = f->ports[i].node;
        p->prop_ps = l->delay_ps;
        p->ser_q = gap_of_rate(l->rate_bps);
        p->armed_ps = WEFT_NEVER;
        p->ctrl.head = NIL;
        p->ecn_rng = weft_rng_stream(e->seed, "ecn", i);
        for (uint32_t k = 0; k < WEFT_PRIOS; k++)
            p->lane[k].q.head = NIL;
        p->nic = NIL;
        if (f->nodes[p->node].kind == WEFT_NODE_HOST) {
            p->nic = e->nics.n++;
            for (uint32_t k = 0; k < WEFT_PRIOS; k++)
                e->nics.of[p->nic].ready[k].head = NIL;
        }
    }
    return 0;
}

/* Needs of the congestion controls of all dimensions together. */
static unsigned needs_of_controls(struct weft_engine *e)
{
    unsigned needs = 0;
    e->telemetry.full = SIG_FULL;
    for (uint32_t d = 0; d < e->ncontrols; d++) {
        const struct control *k = &e->controls[d];
        e->telemetry.full = k->int_on ? e->telemetry.full : 0;
        needs |= weft_cc_needs(k->ops, k->params);
    }
    return needs;
}

/* Switches on paths from host 0 to some of the others. */
static uint32_t usual_hops(const struct weft_engine *e)
{
    const uint32_t n = e->fabric->nhosts, step = n / 256 + 1;
    uint32_t links = 1;
    for (uint32_t h = n; h > 1; h = h > step ? h - step : 0) {
        const uint32_t l = weft_routes_hops(e->routing.routes, 0, h - 1);
        links = l > links ? l : links;
    }
    return links - 1;
}

/* States of congestion controls; false: out of memory. */
static bool init_states(struct weft_engine *e)
{
    const uint32_t hops = e->telemetry.int_on ? usual_hops(e) : 0;
    size_t state = 0;
    for (uint32_t d = 0; d < e->ncontrols; d++) {
        const struct control *k = &e->controls[d];
        const size_t bytes =
            k->ops->starts_with_cnp ? 0 : weft_cc_state_bytes(k->ops, &k->signals, hops);
        state = bytes > state ? bytes : state;
    }
    return stable_init_beside(&e->qps.cc_state, (state + 15) & ~(size_t)15, &e->qps.pool);
}

/* Duties of the packet path under these needs and parameters. */
static void choose_path(struct weft_engine *e, unsigned needs)
{
    const struct weft_engine_params *p = &e->p;
    e->telemetry.int_on = (needs & WEFT_CC_NEEDS_INT) != 0;
    e->telemetry.pint_on = (needs & WEFT_CC_NEEDS_PINT) != 0;
    e->pkts.prefetch_above = e->telemetry.int_on ? CACHED_PACKETS / 3 : CACHED_PACKETS;
    e->path.rare = (uint32_t)((p->transport.ns3_event_order ? RARE_ORDER : 0) |
                              (p->transport.quantum_ps ? RARE_QUANTUM : 0) |
                              (e->telemetry.pint_on ? RARE_PINT : 0) |
                              (p->sw.scheduler == WEFT_SCHED_PACKET_RR ? RARE_TURNS : 0));
    const uint32_t mark = needs & WEFT_CC_NEEDS_ECN ? QUEUE_MARK : 0;
    const bool stamped = e->telemetry.int_on || e->telemetry.pint_on;
    e->path.on_enqueue =
        (p->ecn.at_enqueue ? mark : 0) | (needs & WEFT_CC_NEEDS_SIGNALS ? QUEUE_SIGNAL : 0);
    e->path.on_dequeue = (p->ecn.at_enqueue ? 0 : mark) | (stamped ? QUEUE_STAMP : 0);
}

/* Actions of events, and calls of rooms into rooms above them. */
static void register_ops(struct weft_engine *e)
{
    e->port_ops = (struct port_ops){.arrive = forward_arrive,
                                    .due = forward_due,
                                    .kick = forward_kick,
                                    .enqueue = forward_enqueue,
                                    .catch_up = forward_catch_up,
                                    .take_upper = forward_take_upper,
                                    .leave_by = forward_leave_by,
                                    .release = forward_release,
                                    .host_send = nic_send,
                                    .host_receive = rc_receive};
    e->timer_ops[EV_RTO] = (struct timer_ops){rc_rto, rc_rto_deadline};
    e->timer_ops[EV_CC] = (struct timer_ops){rc_cc_timer, rc_cc_deadline};
    e->timer_ops[EV_PFC] = (struct timer_ops){pfc_event, pfc_event_deadline};
    e->timer_ops[EV_GRANT].run = grant_due;
    e->timer_ops[EV_TIMER].run = timer_fire;
}

/* Takes over what is configured; nothing is allocated. */
static void configure(struct weft_engine *e, const struct weft_engine_config *c)
{
    register_ops(e);
    e->p = c->params;
    e->executor = engine_executor;
    e->fabric = c->fabric;
    e->seed = c->seed;
    e->routing.transit = e->nics.turns = c->fabric->transit;
    e->routing.channels = channel_count(&c->params, c->fabric);
    e->routing.vcs = e->routing.channels > 1 && (c->params.pfc.enabled || credit_used(c->fabric));
    e->p.pfc.prios = channel_prios(&c->params, c->fabric);
    profile_init(e);
    e->draws.ns3 = c->params.ecn.draws == WEFT_DRAWS_NS3;
    weft_ns3_rng_init(&e->draws.ns3_rng, 1, c->seed, c->params.ecn.first_stream);
    weft_libc_rand_init(&e->draws.libc_rand, (uint32_t)c->seed);
    e->loop.limit_ps = e->loop.stop_ps = WEFT_NEVER;
    e->loop.slow_id = UINT64_MAX;
    e->qps.opened = UINT32_MAX;
    e->mmu.least_kmin = UINT32_MAX;
}

/* Event queues, and the address space of what grows. */
static int init_memory(struct weft_engine *e, const struct weft_peers *peers, struct weft_err *err)
{
    const uint32_t nports = e->fabric->nports;
    char text[WEFT_UNIT_TEXT_MAX];
    if (!fastq_init(&e->loop.agenda.fast, nports) || !evq_reserve(&e->loop.agenda.slow) ||
        (e->executor && !e->executor->init(e, peers)))
        return weft_err_set(err, WEFT_E_LIMIT, "out of memory for %u ports", nports);
    e->loop.agenda.fast.heap_only =
        e->p.transport.ns3_event_order; /* bring_first wants all in one heap */
    if (!stable_init_growing(&e->pkts.pool, sizeof(struct pkt), MAX_PKTS) ||
        !stable_init_growing(&e->msgs, sizeof(struct msg), MAX_MSGS) ||
        !stable_init_growing(&e->logs.pool, sizeof(struct msg_log), MAX_MSGS) ||
        !stable_init_growing(&e->qps.pool, sizeof(struct qp), MAX_QPS) ||
        !stable_init_beside(&e->qps.senders, sizeof(struct sender), &e->qps.pool) ||
        !stable_init_beside(&e->qps.rare, sizeof(struct qp_rare), &e->qps.pool) ||
        !qp_kinds_init(e) ||
        !stable_init_growing(&e->timers.pool, sizeof(struct timer), MAX_TIMERS) ||
        !sparse_ack_init(e) ||
        (e->telemetry.int_on &&
         !stable_init_growing(&e->telemetry.stacks, sizeof(struct int_stack), MAX_INTS)) ||
        (e->telemetry.pint_on && !telemetry_have_pints(e)))
        return weft_err_set(err, WEFT_E_LIMIT,
                            "out of memory for packets, messages and QPs, which begin with %s each",
                            weft_human_size(ADDRESS_STEP, text));
    stable_small_pages(&e->qps.rare);
    return 0;
}

/* The longest base RTT between host 0 and any other. */
static int64_t longest_rtt(const struct weft_engine *e)
{
    int64_t longest = e->p.transport.base_rtt_ps;
    if (longest)
        return longest;
    for (uint32_t h = 1; h < e->fabric->nhosts; h++) {
        struct qp q = {.dst_host = h, .own_prio = FRAME_PRIO};
        struct qp_kind k;
        qp_find_path(e, &q, &k);
        if (k.env.base_rtt_ps > longest)
            longest = k.env.base_rtt_ps;
    }
    return longest ? longest : 1;
}

/* The averaging time of PINT, where none is given. */
static void resolve_pint(struct weft_engine *e)
{
    for (uint32_t d = 0; d < e->ncontrols; d++)
        if (e->controls[d].pint_on && !e->controls[d].signals.pint_t_ps)
            e->controls[d].signals.pint_t_ps = longest_rtt(e);
}

struct weft_engine *weft_engine_new(const struct weft_engine_config *c, struct weft_err *err)
{
    if (weft_engine_check_config(c, err))
        return NULL;
    struct weft_engine *e = weft_err_calloc(1, sizeof *e, "an engine", err);
    if (!e)
        return NULL;
    configure(e, c);
    if (control_init(e, c, err))
        goto fail;
    choose_path(e, needs_of_controls(e));
    weft_engine_set_hooks(e, &c->hooks);
    if (init_memory(e, c->peers, err))
        goto fail;
    if (e->part.records)
        part_spare_nodes(e);
    e->routing.routes = weft_routes_new(c->fabric, err);
    if (e->routing.routes && !init_states(e)) {
        weft_err_no_memory(err, "states of congestion controls");
        goto fail;
    }
    if (!e->routing.routes || init_ports(e, err) || random_drop_init(e, err) || mmu_init(e, err) ||
        pfc_init(e, err) || credit_init(e, err) || grant_init(e, err) ||
        (e->signal && e->signal->init && e->signal->init(e, err)) || balance_init(e, err) ||
        ideal_init(e, err) || train_init(e, err))
        goto fail;
    resolve_pint(e);
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
    nics_fini(e);
    for (uint32_t i = 0; i < e->qps.pool.n; i++)
        qp_close(e, qp_at(e, i));
    qp_kinds_fini(e);
    if (e->executor)
        e->executor->fini(e); /* before what it gives back to */
    fastq_free(&e->loop.agenda.fast);
    evq_free(&e->loop.agenda.slow);
    stable_fini(&e->pkts.pool);
    stable_fini(&e->msgs);
    stable_fini(&e->logs.pool);
    stable_fini(&e->qps.pool);
    stable_fini(&e->qps.senders);
    stable_fini(&e->qps.rare);
    stable_fini(&e->qps.cc_state);
    stable_fini(&e->qps.rtt_ps);
    stable_fini(&e->timers.pool);
    stable_fini(&e->telemetry.stacks);
    free(e->telemetry.pints);
    stable_fini(&e->rc.maps);
    if (e->routing.intact != e->routing.routes)
        weft_routes_free(e->routing.intact);
    weft_routes_free(e->routing.routes);
    free(e->links.down);
    free(e->links.since_ps);
    free(e->links.ends_ps);
    pause_clock_fini(e);
    histogram_fini(e);
    free(e->drop_rngs);
    stable_fini(&e->port_mem);
    stable_fini(&e->ends_mem);
    free(e->own);
    mmu_fini(e);
    pfc_fini(e);
    credit_fini(e);
    grant_fini(e);
    if (e->signal && e->signal->fini)
        e->signal->fini(e);
    control_fini(e);
    in_network_fini(e);
    free(e->qps.slots);
    free(e->qps.unopened);
    ideal_fini(e);
    balance_fini(e);
    train_fini(e);
    free(e->stall.marks);
    free(e->stall.reported_queues);
    free(e->victims.known);
    if (e->extension)
        e->extension->ops->free(e);
    all_parts_fini(e);
    free(e);
}

static void set_bits(uint32_t *mask, uint32_t bits, bool on)
{
    *mask = on ? *mask | bits : *mask & ~bits;
}

void weft_engine_set_hooks(struct weft_engine *e, const struct weft_engine_hooks *hooks)
{
    if (e->mmu.of) { /* what was before now is told to the hooks before */
        lazy_catch_up(e);
        window_report_pauses(e, WEFT_NEVER);
    }
    extension_disturb(e);
    e->hooks = *hooks;
    for (uint32_t i = 0; e->ends && (hooks->lose || hooks->packet) && i < e->fabric->nports; i++)
        e->ends[i].rare |= LINK_LOSES;
    const uint32_t ack_events = 1u << WEFT_QP_ACK | 1u << WEFT_QP_NACK;
    set_bits(&e->path.on_enqueue, QUEUE_HOOK, hooks->queue != NULL);
    set_bits(&e->path.on_dequeue, QUEUE_HOOK, hooks->queue != NULL);
    set_bits(&e->path.on_enqueue, QUEUE_PACKET_HOOK, hooks->packet != NULL);
    set_bits(&e->path.rare, RARE_PACKET, hooks->packet != NULL);
    set_bits(&e->path.rare, RARE_RATE, hooks->qp && hooks->qp_events >> WEFT_QP_RATE & 1);
    set_bits(&e->path.rare, RARE_ACK,
             e->qps.rtt_ps.base || (hooks->qp && (hooks->qp_events & ack_events)));
    if (e->mmu.of)
        lazy_choose(e);
}
