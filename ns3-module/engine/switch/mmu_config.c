/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The shared buffer's sizes and thresholds, computed once so that mmu.c only compares.
 *
 * buffer = headroom of every (ingress port, lossless priority) + reserve of every (ingress port,
 * priority) + shared buffer; switch.lossy-share divides the last in two pools.
 *
 * Headroom (IEEE 802.1Qbb annex O): what can still arrive after XOFF has been decided. The PFC
 * frame may wait for a packet that has just begun and for one PFC frame of each other priority, is
 * sent, and travels to the peer, which takes its response time, finishes the packet that it has
 * just begun, and its last bit travels back: two link delays and the response time at link rate, a
 * full packet at each end, the PFC frames; and one more packet, since the one that crosses the
 * threshold goes to headroom whole.
 */
#include "balance/steer.h"
#include "core/control_config.h"
#include "core/context.h"
#include "core/grow.h"
#include "marking.h"
#include "mmu.h"
#include "prio_params.h"

#include "base/int128.h"
#include "base/units.h"
#include "topologies/deadlock.h"
#include "topologies/topology_keys.h"
#include "congestion/cc_marking.h"

#include <stdio.h>
#include <string.h>

uint64_t mmu_buffer_bytes(const struct weft_engine_params *p, const struct weft_fabric *f,
                          uint32_t node)
{
    const struct weft_fabric_node *n = &f->nodes[node];
    const uint64_t each = p->sw.buffer_per_port_bytes;
    const uint64_t common = each ? each * n->nports : p->sw.buffer_bytes;
    uint64_t most = 0;
    for (uint32_t k = 0; k < n->nports; k++) {
        const uint64_t own =
            f->dims[f->links[f->ports[n->first_port + k].link].dim].set.buffer_bytes;
        const uint64_t bytes = own ? own : common;
        most = bytes > most ? bytes : most;
    }
    return most;
}

/* Headroom of one (ingress port, lossless priority) for packets of up to @p mtu_bytes. */
static uint64_t headroom_bytes(const struct weft_engine_params *p, const struct weft_fabric_link *l,
                               uint64_t mtu_bytes)
{
    if (!p->pfc.enabled)
        return 0;
    if (p->pfc.headroom_bytes)
        return p->pfc.headroom_bytes;
    if (p->pfc.headroom_mode == WEFT_HEADROOM_HPCC)
        return (uint64_t)((weft_u128)l->rate_bps * (uint64_t)l->delay_ps * p->pfc.headroom_factor /
                          8 / (uint64_t)WEFT_PS_PER_S);
    weft_u128 flight =
        (weft_u128)l->rate_bps * ((uint64_t)l->delay_ps * 2 + (uint64_t)p->pfc.response_ps);
    uint64_t full = mtu_bytes + profile_longest_header(p) + p->transport.gap_bytes + 3;
    uint64_t pfc = (uint64_t)__builtin_popcount(prios_lossless(p)) *
                   (p->pfc.frame_bytes + p->transport.gap_bytes);
    return (uint64_t)(flight / 8 / (uint64_t)WEFT_PS_PER_S) + 1 + 3 * full + pfc;
}

uint64_t mmu_headroom(const struct weft_engine_params *p, const struct weft_fabric *f,
                      const struct weft_fabric_link *l)
{
    return headroom_bytes(p, l, control_mtu_bytes(p, f, l->dim));
}

uint64_t mmu_headroom_needed(const struct weft_engine_params *p, const struct weft_fabric *f,
                             const struct weft_fabric_link *l)
{
    struct weft_engine_params standard = *p;
    standard.pfc.headroom_bytes = 0;
    standard.pfc.headroom_mode = WEFT_HEADROOM_STANDARD;
    return headroom_bytes(&standard, l, control_mtu_bytes(p, f, l->dim));
}

void mmu_set_aside(const struct weft_engine_params *p, const struct weft_fabric *f, uint32_t node,
                   uint64_t *headroom, uint64_t *reserve)
{
    const struct weft_fabric_node *n = &f->nodes[node];
    uint32_t lossless_prios = (uint32_t)__builtin_popcount(prios_lossless(p));
    *headroom = 0;
    for (uint32_t k = 0; k < n->nports; k++) {
        const struct weft_fabric_link *l = &f->links[f->ports[n->first_port + k].link];
        if (credit_on(f, l))
            continue; /* its buffers are beside this one */
        *headroom += lossless_prios * mmu_headroom(p, f, l);
    }
    *reserve = (uint64_t)n->nports * p->sw.reserve_bytes *
               (p->sw.reserve_scope == WEFT_RESERVE_PORT ? 1 : WEFT_PRIOS);
}

/* The lossy priorities' part of a shared buffer, 0: one pool for all. */
static uint64_t lossy_pool(const struct weft_engine_params *p, uint64_t shared)
{
    return (uint64_t)((double)shared * p->sw.lossy_share);
}

void mmu_shared(const struct weft_engine_params *p, const struct weft_fabric *f, uint32_t node,
                uint64_t pool[2])
{
    uint64_t headroom, reserve;
    mmu_set_aside(p, f, node, &headroom, &reserve);
    const uint64_t shared = mmu_buffer_bytes(p, f, node) - headroom - reserve;
    pool[1] = lossy_pool(p, shared);
    pool[0] = shared - pool[1];
}

/* The smallest buffer of the fabric. */
static uint64_t smallest_buffer(const struct weft_engine_params *p, const struct weft_fabric *f)
{
    uint64_t buffer = UINT64_MAX;
    for (uint32_t d = 0; d < f->ndims && !p->sw.buffer_per_port_bytes; d++) {
        const uint64_t own =
            f->dims[d].set.buffer_bytes ? f->dims[d].set.buffer_bytes : p->sw.buffer_bytes;
        buffer = own < buffer ? own : buffer;
    }
    for (uint32_t i = 0; i < f->nnodes && p->sw.buffer_per_port_bytes; i++) {
        const bool relays = f->nodes[i].kind == WEFT_NODE_SWITCH;
        const uint64_t own = relays ? mmu_buffer_bytes(p, f, i) : UINT64_MAX;
        buffer = own < buffer ? own : buffer;
    }
    return buffer;
}

/* Pools for priorities that do not exist, or larger than the buffer. */
static int check_pools(const struct weft_engine_params *p, const struct weft_fabric *f,
                       struct weft_err *err)
{
    const uint64_t buffer = smallest_buffer(p, f);
    const uint8_t lossless = prios_lossless(p);
    const struct {
        const char *name;
        uint64_t bytes;
    } egress[] = {{"switch.egress-lossless-pool", p->sw.egress_lossless_pool_bytes},
                  {"switch.egress-lossy-pool", p->sw.egress_lossy_pool_bytes}};
    const bool empty[] = {lossless == 0, lossless == 0xff};
    static const char *const why[] = {"no priority is lossless; see pfc.enabled and pfc.prios",
                                      "every priority is lossless; see pfc.prios"};
    for (int k = 0; k < 2; k++) {
        char a[WEFT_UNIT_TEXT_MAX], b[WEFT_UNIT_TEXT_MAX];
        if (empty[k] && egress[k].bytes)
            return weft_err_set(err, WEFT_E_INPUT, "%s: %s", egress[k].name, why[k]);
        if (empty[k] && p->sw.lossy_share > 0)
            return weft_err_set(err, WEFT_E_INPUT,
                                "switch.lossy-share divides the buffer between lossless and lossy "
                                "priorities, but %s",
                                why[k]);
        if (egress[k].bytes > buffer)
            return weft_err_set(
                err, WEFT_E_INPUT, "%s of %s exceeds switch.buffer, %s: it could not fill",
                egress[k].name, weft_human_size(egress[k].bytes, a), weft_human_size(buffer, b));
    }
    return 0;
}

static int check_switch(const struct weft_engine_params *p, const struct weft_fabric *f,
                        uint32_t node, struct weft_err *err)
{
    uint64_t headroom, reserve;
    char name[WEFT_NODE_NAME_MAX], a[WEFT_UNIT_TEXT_MAX], b[WEFT_UNIT_TEXT_MAX],
        d[WEFT_UNIT_TEXT_MAX];
    const uint64_t buffer = mmu_buffer_bytes(p, f, node);
    mmu_set_aside(p, f, node, &headroom, &reserve);
    if (f->nodes[node].nports == 0)
        return 0; /* nothing comes to it */
    if (headroom + reserve >= buffer)
        return weft_err_set(
            err, WEFT_E_INPUT,
            "switch %s (%u ports): PFC headroom of %s plus reserve of %s leaves nothing of the "
            "%s buffer to share; raise switch.buffer, or lower pfc.headroom or switch.reserve",
            weft_fabric_node_name(f, node, name), f->nodes[node].nports,
            weft_human_size(headroom, a), weft_human_size(reserve, b), weft_human_size(buffer, d));
    uint64_t shared = buffer - headroom - reserve;
    if (p->sw.lossy_share > 0 && lossy_pool(p, shared) == 0)
        return weft_err_set(
            err, WEFT_E_INPUT,
            "switch %s (%u ports): PFC headroom of %s plus reserve of %s leaves %s to share, of "
            "which switch.lossy-share is less than a byte; raise switch.buffer",
            weft_fabric_node_name(f, node, name), f->nodes[node].nports,
            weft_human_size(headroom, a), weft_human_size(reserve, b), weft_human_size(shared, d));
    return 0;
}

/* The ingress alpha of a priority at a port of a rate: its own, doubled per doubling of the rate
 * over the first host's when so asked. */
static uint32_t port_alpha(const struct weft_engine *e, const struct weft_switch_params *sw,
                           uint64_t rate_bps)
{
    uint64_t alpha = (uint64_t)(sw->alpha * 65536.0 + 0.5);
    if (!sw->alpha_by_rate)
        return (uint32_t)alpha;
    const struct weft_fabric *f = e->fabric;
    uint64_t base = f->links[f->ports[f->nodes[f->hosts[0]].first_port].link].rate_bps;
    for (; rate_bps > base && alpha < 65536; base *= 2)
        alpha *= 2;
    return (uint32_t)alpha;
}

uint32_t channel_count(const struct weft_engine_params *p, const struct weft_fabric *f)
{
    const struct steer *s = steer_of(p->sw.balance, f);
    return f->vcs + (s ? s->upper(f) : 0);
}

uint64_t channel_prios(const struct weft_engine_params *p, const struct weft_fabric *f)
{
    uint64_t all = 0;
    for (uint32_t k = channel_count(p, f); k-- > 0;)
        all |= p->pfc.prios << k;
    return all;
}

/* The further virtual channels of a lossless priority p are p + 1 and so on, which must be free;
 * and the routes must not be able to deadlock. */
static int check_channels(const struct weft_engine_config *c, struct weft_err *err)
{
    const struct weft_engine_params *p = &c->params;
    if ((!p->pfc.enabled && !credit_used(c->fabric)) || !p->pfc.prios)
        return 0;
    struct control_needs needs;
    int rc = control_check(c, &needs, err);
    if (rc)
        return rc;
    const uint64_t used = p->pfc.prios | UINT64_C(1) << p->transport.data_prio | p->uet.prios |
                          profile_answer_prios(p, needs.bits & WEFT_CC_NEEDS_CNP);
    for (uint32_t k = 1; k < channel_count(p, c->fabric); k++) {
        const uint64_t taken = p->pfc.prios << k & (used | ~UINT64_C(255));
        if (taken)
            return weft_err_set(
                err, WEFT_E_INPUT,
                "virtual channel %u of lossless priority %d is priority %d, which must be free; "
                "move pfc.prios, transport.data-prio, .ack-prio or .cnp-prio%s",
                k, __builtin_ctzll(taken) - (int)k, __builtin_ctzll(taken),
                steer_of(p->sw.balance, c->fabric)
                    ? ", or route without channels of its own (switch.balance)"
                : weft_topology_has_key(c->fabric, "vcs") ? ", or set vcs=1"
                                                          : "");
    }
    return weft_engine_check_links(c->fabric, &p->pfc, NULL, err);
}

int weft_engine_check_links(const struct weft_fabric *f, const struct weft_pfc_params *p,
                            const uint8_t *down, struct weft_err *err)
{
    if ((!p->enabled && !credit_used(f)) || !p->prios || p->allow_deadlock)
        return 0;
    int rc = weft_deadlock_check(f, down, err);
    if (rc == WEFT_E_INPUT && err) {
        size_t n = strlen(err->msg);
        snprintf(err->msg + n, sizeof err->msg - n,
                 "; set %s%sor pfc.allow-deadlock=true to see what happens",
                 f->vcs == 1 && weft_topology_has_key(f, "vcs") ? "vcs=2 in the topology, " : "",
                 credit_used(f) ? "" : "pfc.enabled=false, ");
    }
    return rc;
}

int mmu_check_config(const struct weft_engine_config *c, struct weft_err *err)
{
    const struct weft_fabric *f = c->fabric;
    struct prio_params prios[WEFT_PRIOS];
    struct weft_engine_params p = c->params;
    p.pfc.prios = channel_prios(&p, f);
    int rc;
    if ((rc = check_channels(c, err)) || (rc = prio_params_read(&p, prios, err)) ||
        (rc = marking_check_rate_map(f, prios, err)) || (rc = check_pools(&p, f, err)))
        return rc;
    if (f->transit && (p.sw.egress_lossless_pool_bytes || p.sw.egress_lossy_pool_bytes))
        return weft_err_set(err, WEFT_E_INPUT,
                            "switch.egress-lossless-pool and -lossy-pool count the queues of "
                            "switches; in this fabric hosts forward, whose queues hold their own "
                            "ACKs too");
    for (uint32_t i = 0; i < f->nnodes; i++)
        if (weft_fabric_forwards(f, i) && (rc = check_switch(&p, f, i, err)))
            return rc;
    return 0;
}

void weft_engine_buffer_sums(const struct weft_engine_config *c, struct weft_buffer_figures *out)
{
    struct weft_engine_params p = c->params;
    p.pfc.prios = channel_prios(&p, c->fabric);
    *out = (struct weft_buffer_figures){0};
    for (uint32_t i = 0; i < c->fabric->nnodes; i++) {
        uint64_t headroom, reserve;
        if (!weft_fabric_forwards(c->fabric, i))
            continue;
        mmu_set_aside(&p, c->fabric, i, &headroom, &reserve);
        out->nodes++;
        out->buffer_bytes += mmu_buffer_bytes(&p, c->fabric, i);
        out->headroom_bytes += headroom;
        out->reserve_bytes += reserve;
    }
}

/* Values that do not depend on the port. */
static void init_prios(struct weft_engine *e, const struct prio_params prios[WEFT_PRIOS])
{
    const struct weft_switch_params *sw = &e->p.sw;
    e->mmu.lossless = prios_lossless(&e->p);
    e->mmu.egress_pooled = (uint8_t)((sw->egress_lossless_pool_bytes ? e->mmu.lossless : 0) |
                                     (sw->egress_lossy_pool_bytes ? ~e->mmu.lossless : 0));
    e->mmu.egress_measured = e->mmu.egress_pooled | (uint8_t)~e->mmu.lossless;
    e->mmu.slow = e->mmu.egress_pooled;
    e->mmu.channelled = credit_used(e->fabric) ? (uint8_t)e->p.pfc.prios : e->mmu.lossless;
    for (uint32_t k = 0; k < WEFT_PRIOS; k++) {
        e->mmu.in_pool[k] = sw->lossy_share > 0 && !(e->mmu.lossless >> k & 1);
        e->mmu.quantum[k] = (int32_t)(sw->quantum_bytes * prios[k].weight);
    }
}

/* How long egress queues of priority @p k may be at a port of @p rate_bps. */
static struct limit egress_limit(const struct weft_engine *e, const struct prio_params *prio,
                                 uint32_t k, uint64_t rate_bps, bool to_host)
{
    const bool near = to_host && e->p.sw.trim_prios >> k & 1;
    const double bytes =
        (double)egress_limit_bytes(&prio->sw, rate_bps) * (near ? e->p.sw.trim_host_scale : 1);
    if (e->mmu.lossless >> k & 1 && !prio->egress_given)
        return (struct limit){0, UINT32_MAX};
    if (prio->sw.egress_threshold == WEFT_THRESHOLD_STATIC)
        return (struct limit){0, bytes < EGRESS_LIMIT_MAX ? (uint32_t)bytes : EGRESS_LIMIT_MAX};
    return (struct limit){(uint32_t)(prio->sw.egress_alpha * 65536.0 + 0.5), 0};
}

/* Values that are alike at ports of one kind. */
struct kind_key {
    const struct weft_fabric_link *link;
    uint64_t mtu_bytes;
    uint64_t shared_bytes[2]; /* of the switch: in[] of its mmu; 0: no switch */
    const struct weft_cc_marking *tuned[WEFT_PRIOS]; /* default marking */
    bool to_host;                                    /* and that makes a difference */
};

static bool alike(const struct port_kind *n, const struct kind_key *k)
{
    return n->rate_bps == k->link->rate_bps && n->delay_ps == k->link->delay_ps &&
           n->mtu_bytes == k->mtu_bytes && n->to_host == k->to_host &&
           memcmp(n->shared_bytes, k->shared_bytes, sizeof k->shared_bytes) == 0 &&
           memcmp(n->tuned, k->tuned, sizeof k->tuned) == 0;
}

static bool add_rate(struct weft_engine *e, uint64_t rate_bps)
{
    if (!GROW(e->mmu.rates_bps, e->mmu.nrates, &e->mmu.rates_cap))
        return false;
    e->mmu.rates_bps[e->mmu.nrates++] = rate_bps;
    return true;
}

uint32_t mmu_rate_number(struct weft_engine *e, uint64_t rate_bps)
{
    uint32_t i = 0;
    while (i < e->mmu.nrates && e->mmu.rates_bps[i] != rate_bps)
        i++;
    return i < e->mmu.nrates || add_rate(e, rate_bps) ? i : NIL;
}

/* Adds a kind of ports; false: out of memory. */
static bool add_kind(struct weft_engine *e, struct port_kind *n)
{
    n->rate_number = e->mmu.nrates;
    n->next = e->mmu.kinds;
    e->mmu.kinds = n;
    return add_rate(e, n->rate_bps);
}

/* The constants of ports like @p key, NULL: failed. Only the kinds met last are compared: a
 * fabric of all different links gets a kind for each. */
static struct port_kind *port_kind(struct weft_engine *e, const struct kind_key *key,
                                   const struct prio_params prios[WEFT_PRIOS], struct weft_err *err)
{
    struct port_kind *n = e->mmu.kinds;
    const struct weft_fabric_link *l = key->link;
    for (uint32_t tries = 0; n && tries < 32; n = n->next, tries++)
        if (alike(n, key))
            return n;
    n = calloc(1, sizeof *n);
    if (n)
        *n = (struct port_kind){.rate_bps = l->rate_bps,
                                .delay_ps = l->delay_ps,
                                .mtu_bytes = (uint32_t)key->mtu_bytes,
                                .to_host = key->to_host,
                                .headroom = (uint32_t)headroom_bytes(&e->p, l, key->mtu_bytes)};
    if (!n || !add_kind(e, n)) {
        weft_err_no_memory(err, "the constants of ports");
        return NULL;
    }
    memcpy(n->shared_bytes, key->shared_bytes, sizeof n->shared_bytes);
    memcpy(n->tuned, key->tuned, sizeof n->tuned);
    for (uint32_t k = 0; k < WEFT_PRIOS; k++) {
        const struct marking_basis basis = {key->tuned[k], key->shared_bytes[e->mmu.in_pool[k]]};
        if (e->p.sw.threshold == WEFT_THRESHOLD_STATIC)
            n->prio[k].ingress.bytes = (uint32_t)prios[k].sw.limit_bytes;
        else
            n->prio[k].ingress.alpha_q16 = port_alpha(e, &prios[k].sw, l->rate_bps);
        n->prio[k].egress = egress_limit(e, &prios[k], k, l->rate_bps, key->to_host);
        if (marking_of(&prios[k], l->rate_bps, &basis, &n->prio[k].mark, err))
            return NULL;
        if (key->to_host && !e->p.ecn.host_ports)
            n->prio[k].mark = marking_none;
        if (n->prio[k].mark.kmin < e->mmu.least_kmin)
            e->mmu.least_kmin = n->prio[k].mark.kmin;
    }
    return n;
}

int mmu_init(struct weft_engine *e, struct weft_err *err)
{
    const struct weft_fabric *f = e->fabric;
    struct prio_params prios[WEFT_PRIOS];
    int rc = prio_params_read(&e->p, prios, err);
    if (rc)
        return rc;
    init_prios(e, prios);
    if (stable_init(&e->mmu.mem, sizeof *e->mmu.of, f->nnodes + 1))
        e->mmu.of = (struct mmu *)(void *)e->mmu.mem.base; /* zeroed, and on a page */
    if (!e->mmu.of)
        return weft_err_set(err, WEFT_E_LIMIT, "out of memory for %u switches", f->nnodes);
    if (e->part.records)
        stable_small_pages(&e->mmu.mem);
    for (uint32_t i = 0; i < f->nnodes; i++) {
        if (!weft_fabric_forwards(f, i))
            continue;
        struct mmu *m = &e->mmu.of[i];
        uint64_t shared[2];
        mmu_shared(&e->p, f, i, shared);
        m->in[0].size = shared[0];
        m->in[1].size = shared[1];
        m->out[0].size = e->p.sw.egress_lossless_pool_bytes;
        m->out[1].size = e->p.sw.egress_lossy_pool_bytes;
    }
    const struct weft_cc_ops *ops[CONTROLS_MAX];
    for (uint32_t d = 0; d < e->ncontrols; d++)
        ops[d] = e->controls[d].ops;
    const bool differ = e->p.sw.trim_host_scale != 1 || !e->p.ecn.host_ports;
    for (uint32_t i = 0; i < f->nports; i++) {
        const uint32_t node = f->ports[i].node;
        if (!port_known(e, i))
            continue;
        struct kind_key key = {.link = &f->links[f->ports[i].link]};
        for (int k = 0; k < 2 && weft_fabric_forwards(f, node); k++)
            key.shared_bytes[k] = e->mmu.of[node].in[k].size;
        key.to_host = differ && key.shared_bytes[0] && e->ends[i].to_host;
        key.mtu_bytes = control_mtu_bytes(&e->p, f, key.link->dim);
        for (uint32_t k = 0; k < WEFT_PRIOS; k++)
            key.tuned[k] = marking_tuned(ops + (e->rc.of_prio[k] == PROFILE_UET ? f->ndims : 0),
                                         f->ndims, key.link->dim, e->p.ecn.dctcp_prios >> k & 1);
        e->ports[i].kind = port_kind(e, &key, prios, err);
        if (!e->ports[i].kind)
            return err->code;
    }
    return 0;
}

const struct port_kind *mmu_kind_at_rate(struct weft_engine *e, const struct port_kind *kind,
                                         uint64_t rate_bps, bool scaled)
{
    const struct port_kind *built = kind->built ? kind->built : kind;
    if (rate_bps == built->rate_bps)
        return built;
    for (const struct port_kind *n = e->mmu.kinds; n; n = n->next)
        if (n->built == built && n->rate_bps == rate_bps && n->scaled == scaled)
            return n;
    struct port_kind *n = malloc(sizeof *n);
    if (!n)
        return NULL;
    *n = *built;
    n->built = built;
    n->rate_bps = rate_bps;
    n->scaled = scaled;
    for (uint32_t k = 0; k < WEFT_PRIOS && scaled; k++) {
        marking_scale(&n->prio[k].mark, rate_bps, built->rate_bps);
        if (n->prio[k].egress.bytes != UINT32_MAX)
            n->prio[k].egress.bytes =
                (uint32_t)((weft_u128)n->prio[k].egress.bytes * rate_bps / built->rate_bps);
        if (n->prio[k].mark.kmin < e->mmu.least_kmin)
            e->mmu.least_kmin = n->prio[k].mark.kmin;
    }
    return add_kind(e, n) ? n : NULL;
}

void mmu_fini(struct weft_engine *e)
{
    for (struct port_kind *n = e->mmu.kinds, *next; n; n = next) {
        next = n->next;
        free(n);
    }
    free(e->mmu.rates_bps);
    stable_fini(&e->mmu.mem);
}
