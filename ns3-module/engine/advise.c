/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Settings under which a congestion control can't act: marks that come after the buffer has paused
 * or dropped everything, and curves that the control is not made for. Told before a run, with the
 * numbers.
 */
#include "core/control_config.h"
#include "core/port.h"
#include "switch/marking.h"
#include "switch/mmu.h"
#include "switch/prio_params.h"

#include "base/units.h"
#include "congestion/cc_table.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Examined configuration: one with everything that is the same for all switches. */
struct advice {
    const struct weft_engine_config *c;
    struct weft_engine_params p;
    struct prio_params prios[WEFT_PRIOS];
    struct control controls[CONTROLS_MAX];
    const struct weft_cc_ops *ops[CONTROLS_MAX];
    void (*fn)(void *ctx, const char *sentence);
    void *ctx;
    bool warned_late, warned_drop, warned_ramp, warned_path;
};

/* The longest queue that @p n ingress ports can make together before all of them are paused or
 * dropped. */
static uint64_t longest_queue(const struct advice *a, const struct prio_params *p, uint64_t shared,
                              uint32_t n, uint64_t headroom_bytes, uint64_t rate_bps)
{
    const struct weft_switch_params *sw = &p->sw;
    double most = (double)shared;
    const double in = sw->threshold == WEFT_THRESHOLD_STATIC
                          ? (double)sw->limit_bytes * n
                          : (double)shared * sw->alpha * n / (1 + sw->alpha * n);
    most = in < most ? in : most;
    if (!p->lossless) {
        const double out = sw->egress_threshold == WEFT_THRESHOLD_STATIC
                               ? (double)egress_limit_bytes(sw, rate_bps)
                               : (double)shared * sw->egress_alpha / (1 + sw->egress_alpha);
        return (uint64_t)(out < most ? out : most);
    }
    return (uint64_t)most + n * a->p.sw.reserve_bytes + headroom_bytes;
}

/* The controls of the transport of a priority, by dimension. */
static const struct weft_cc_ops *const *ops_of(const struct advice *a, uint32_t prio)
{
    return a->ops + profile_of_prio(&a->p, prio) * a->c->fabric->ndims;
}

/* Name of a port's control, for the priority. */
static const char *control_of(const struct advice *a, uint32_t dim, uint32_t prio)
{
    const struct weft_cc_ops *const *ops = ops_of(a, prio);
    if (a->p.ecn.dctcp_prios >> prio & 1)
        return "dctcp over TCP";
    if (ops[dim]->marking)
        return ops[dim]->name;
    for (uint32_t d = 0; d < a->c->fabric->ndims; d++)
        if (ops[d]->marking)
            return ops[d]->name;
    return ops[dim]->name;
}

__attribute__((format(printf, 2, 3))) static void say(struct advice *a, const char *fmt, ...)
{
    char text[WEFT_ERR_MSG_MAX];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    a->fn(a->ctx, text);
}

/* A control for sprayed packets on one path whose every gap counts as a loss. */
static void look_at_paths(struct advice *a, uint32_t dim)
{
    const struct weft_transport_params *t = &a->c->params.transport;
    const struct weft_cc_ops *control = a->ops[dim];
    const char *word = t->recovery == WEFT_RECOVERY_GO_BACK_N ? "go-back-n" : "go-back-0";
    if (!control->multipath || a->warned_path ||
        (t->recovery != WEFT_RECOVERY_GO_BACK_N && t->recovery != WEFT_RECOVERY_GO_BACK_0))
        return;
    a->warned_path = true;
    say(a,
        "congestion control %s is made for packets on many paths that arrive in any order; with "
        "transport.recovery=%s a QP has one path and each gap is a loss: results say nothing of "
        "%s as published; transport.recovery=out-of-order with switch.balance=spray, or the "
        "transport of Ultra Ethernet",
        control->name, word, control->name);
}

/* The rate of a port, and what ecn.scale-rate makes of a threshold there that the user gave. */
static void at_rate(const struct prio_params *p, uint64_t rate_bps, char *out, size_t size)
{
    const struct weft_ecn_params *e = &p->ecn;
    char rate[WEFT_UNIT_TEXT_MAX];
    weft_format_rate(rate_bps, rate);
    if (e->kmin_bytes == UINT64_MAX || !e->scale_rate_bps || e->scale_rate_bps == rate_bps)
        snprintf(out, size, "%s", rate);
    else
        snprintf(out, size, "%s, %.4g times its value by ecn.scale-rate", rate,
                 (double)rate_bps / (double)e->scale_rate_bps);
}

static void look_at_port(struct advice *a, uint32_t port, uint32_t prio, const uint64_t pools[2],
                         uint64_t headroom)
{
    const struct weft_fabric *f = a->c->fabric;
    const struct weft_fabric_link *l = &f->links[f->ports[port].link];
    const uint32_t node = f->ports[port].node, n = f->nodes[node].nports - 1;
    const struct prio_params *p = &a->prios[prio];
    const bool dctcp = a->p.ecn.dctcp_prios >> prio & 1;
    const uint64_t shared = pools[a->p.sw.lossy_share > 0 && !p->lossless];
    const struct marking_basis basis = {marking_tuned(ops_of(a, prio), f->ndims, l->dim, dctcp),
                                        shared};
    struct marking m;
    char name[WEFT_NODE_NAME_MAX], at[128], text[5][WEFT_UNIT_TEXT_MAX];
    if (!p->marked || n == 0 || marking_of(p, l->rate_bps, &basis, &m, NULL))
        return;
    weft_human_size(m.kmin, text[0]);
    at_rate(p, l->rate_bps, at, sizeof at);
    const uint64_t most = longest_queue(a, p, shared, n, headroom, l->rate_bps);
    const uint64_t one = marking_one_ingress_bytes(p, shared, l->rate_bps) + a->p.sw.reserve_bytes;
    const char *control = control_of(a, l->dim, prio);
    if (m.kmin >= most && !a->warned_late) {
        a->warned_late = true;
        say(a,
            "congestion control %s can't act: at switch %s marking begins at a queue of %s "
            "(ecn.kmin, at "
            "%s), but with switch.buffer=%s and switch.%s=%g no queue of priority %u grows "
            "beyond %s before %s; lower ecn.kmin or raise switch.buffer",
            control, weft_fabric_node_name(f, node, name), text[0], at,
            weft_format_size(mmu_buffer_bytes(&a->p, f, node), text[2]),
            p->lossless ? "alpha" : "lossy-alpha", p->sw.alpha, prio,
            weft_human_size(most, text[3]), p->lossless ? "PFC pauses it" : "packets are dropped");
    } else if (!p->lossless && m.kmin >= one && m.kmin < most && !a->warned_drop) {
        a->warned_drop = true;
        say(a,
            "congestion control %s acts late: at switch %s the packets of one ingress port in "
            "lossy priority %u are dropped at %s (switch.lossy-alpha=%g of what is free of %s), "
            "before marking begins at %s (ecn.kmin, at %s); raise switch.lossy-alpha or lower "
            "ecn.kmin",
            control, weft_fabric_node_name(f, node, name), prio, weft_human_size(one, text[2]),
            p->sw.alpha, weft_human_size(shared, text[3]), text[0], at);
    }
    if (strcmp(basis.tuned->kmin, basis.tuned->kmax) == 0 && m.kmax > m.kmin && !a->warned_ramp) {
        a->warned_ramp = true;
        say(a,
            "%s is made for one threshold (RFC 8257 section 3.1), but marking rises from %s to %s "
            "at %s with probability up to %g; give ecn.kmin and ecn.kmax the same value",
            control, text[0], weft_human_size(m.kmax, text[2]),
            weft_format_rate(l->rate_bps, text[1]), m.slope * (double)(m.kmax - m.kmin));
    }
}

/* Headroom that is given and less than what arrives after a pause. */
static void look_at_headroom(struct advice *a)
{
    const struct weft_fabric *f = a->c->fabric;
    const uint64_t given = a->p.pfc.headroom_bytes;
    uint64_t most = 0;
    char text[3][WEFT_UNIT_TEXT_MAX];
    const struct weft_fabric_link *worst = NULL;
    for (uint32_t i = 0; a->c->params.pfc.enabled && given && i < f->nlinks; i++) {
        const struct weft_fabric_link *l = &f->links[i];
        const bool paused =
            (weft_fabric_forwards(f, l->a) || weft_fabric_forwards(f, l->b)) && !credit_on(f, l);
        const uint64_t needed = paused ? mmu_headroom_needed(&a->c->params, f, l) : 0;
        if (needed > most) {
            most = needed;
            worst = l;
        }
    }
    if (most > given)
        say(a,
            "pfc.headroom=%s is too little: up to %s arrive at a port of %s after it has paused "
            "its "
            "peer, and what finds no headroom is dropped; pfc.headroom=0B computes it",
            weft_format_size(given, text[0]), weft_format_size(most, text[1]),
            weft_format_rate(worst->rate_bps, text[2]));
}

/* A mask that is given as the number of the priority that it then leaves out. */
static void look_at_mask(struct advice *a)
{
    const uint64_t prio = a->c->params.transport.data_prio;
    if (a->c->params.pfc.enabled && prio && a->c->params.pfc.prios == prio &&
        !(a->c->params.uet.prios >> prio & 1))
        say(a,
            "pfc.prios=%" PRIu64 " is a mask, and leaves out the priority %" PRIu64
            " that messages have: what overflows is dropped; pfc.prios=%" PRIu64
            " makes it lossless",
            prio, prio, UINT64_C(1) << prio);
}

static void look_at_switch(struct advice *a, uint32_t node, uint32_t prio)
{
    const struct weft_fabric *f = a->c->fabric;
    const struct weft_fabric_node *n = &f->nodes[node];
    uint64_t pools[2], headroom, reserve;
    mmu_shared(&a->p, f, node, pools);
    mmu_set_aside(&a->p, f, node, &headroom, &reserve);
    uint64_t last_bps = 0;
    for (uint32_t k = 0; k < n->nports; k++) {
        const struct weft_fabric_link *l = &f->links[f->ports[n->first_port + k].link];
        if (l->rate_bps == last_bps || credit_on(f, l))
            continue;
        last_bps = l->rate_bps;
        look_at_port(a, n->first_port + k, prio, pools, headroom);
    }
}

void weft_engine_advise(const struct weft_engine_config *c, bool roce,
                        void (*fn)(void *ctx, const char *sentence), void *ctx)
{
    struct advice a = {.c = c, .p = c->params, .fn = fn, .ctx = ctx};
    const struct weft_fabric *f = c->fabric;
    uint64_t prios = c->params.ecn.dctcp_prios;
    a.p.pfc.prios = channel_prios(&c->params, f);
    if (prio_params_read(&a.p, a.prios, NULL) || control_read_all(c, a.controls, NULL))
        return;
    for (uint32_t d = 0; d < control_count(&c->params, f); d++) {
        const uint64_t run = UINT64_C(1) << c->params.transport.data_prio & ~c->params.uet.prios;
        a.ops[d] = a.controls[d].ops;
        if (roce && weft_cc_needs(a.ops[d], a.controls[d].params) & WEFT_CC_NEEDS_ECN)
            prios |= d < f->ndims ? run : c->params.uet.prios;
    }
    for (uint32_t d = 0; roce && d < f->ndims; d++)
        look_at_paths(&a, d);
    look_at_headroom(&a);
    if (roce)
        look_at_mask(&a);
    /* Frames of one sender may be of any priority: the one that all are of unless told otherwise
     * stands for them. */
    if (!roce)
        prios = prios & 1 ? 1 : prios;
    for (uint32_t k = 0; k < WEFT_PRIOS; k++)
        for (uint32_t i = 0; (prios >> k & 1) && i < f->nnodes; i++)
            if (weft_fabric_forwards(f, i))
                look_at_switch(&a, i, k);
    control_free_all(a.controls, control_count(&c->params, f));
}

/* A value of a threshold or of headroom, and the switches that have it. */
struct threshold {
    uint64_t bytes, rate_bps;
    uint32_t first, last, n; /* nodes; of one number after the other, n = last - first + 1 */
};
enum { THRESHOLDS = 16 };

/* Counts that @p node has it; returns how many values there are. */
static size_t threshold_add(struct threshold *list, size_t n, uint64_t bytes, uint64_t rate_bps,
                            uint32_t node)
{
    size_t i = 0;
    while (i < n && (list[i].bytes != bytes || list[i].rate_bps != rate_bps))
        i++;
    if (i == THRESHOLDS)
        return n;
    if (i == n)
        list[n++] = (struct threshold){bytes, rate_bps, node, node, 0};
    list[i].n += list[i].n == 0 || list[i].last != node;
    list[i].last = node;
    return n;
}

/* "VALUE at RATE", and of which switches where a rate has several values. */
static void threshold_text(const struct weft_fabric *f, const struct threshold *list, size_t n,
                           char *buf, size_t size)
{
    char value[WEFT_UNIT_TEXT_MAX], rate[WEFT_UNIT_TEXT_MAX], first[WEFT_NODE_NAME_MAX],
        last[WEFT_NODE_NAME_MAX];
    for (size_t i = 0, used = 0; i < n && used < size; i++) {
        const struct threshold *t = &list[i];
        size_t same = 0;
        for (size_t k = 0; k < n; k++)
            same += list[k].rate_bps == t->rate_bps;
        used += (size_t)snprintf(buf + used, size - used, "%s%s at %s", i ? ", " : "",
                                 weft_format_size(t->bytes, value),
                                 weft_format_rate(t->rate_bps, rate));
        if (same < 2 || used >= size)
            continue;
        weft_fabric_node_name(f, t->first, first);
        weft_fabric_node_name(f, t->last, last);
        if (t->n == 1)
            used += (size_t)snprintf(buf + used, size - used, " of %s", first);
        else if (t->n == t->last - t->first + 1)
            used += (size_t)snprintf(buf + used, size - used, " of %s to %s", first, last);
        else
            used += (size_t)snprintf(buf + used, size - used, " of %u switches from %s to %s", t->n,
                                     first, last);
    }
}

void weft_engine_marking_text(const struct weft_engine_config *c, const char *what, char *buf,
                              size_t size)
{
    struct advice a = {.c = c, .p = c->params};
    const struct weft_fabric *f = c->fabric;
    const uint32_t prio = (uint32_t)c->params.transport.data_prio;
    const bool dctcp = c->params.ecn.dctcp_prios >> prio & 1;
    uint64_t pools[2] = {0};
    buf[0] = '\0';
    a.p.pfc.prios = channel_prios(&c->params, f);
    if (prio_params_read(&a.p, a.prios, NULL) || control_read_all(c, a.controls, NULL))
        return;
    for (uint32_t d = 0; d < control_count(&c->params, f); d++)
        a.ops[d] = a.controls[d].ops;
    const struct weft_fabric_link *checked = NULL;
    struct threshold list[THRESHOLDS];
    size_t n = 0;
    for (uint32_t p = 0, last = UINT32_MAX; p < f->nports; p++) {
        const struct weft_fabric_link *l = &f->links[f->ports[p].link];
        const uint32_t node = f->ports[p].node;
        uint64_t before[2];
        struct marking m;
        if (!weft_fabric_forwards(f, node))
            continue;
        memcpy(before, pools, sizeof before);
        const uint32_t from = last;
        if (node != last)
            mmu_shared(&a.p, f, node, pools);
        last = node;
        if (checked && node == from && checked->rate_bps == l->rate_bps && checked->dim == l->dim &&
            memcmp(before, pools, sizeof before) == 0)
            continue; /* as at the port before */
        checked = l;
        const struct marking_basis basis = {
            marking_tuned(ops_of(&a, prio), f->ndims, l->dim, dctcp),
            pools[a.p.sw.lossy_share > 0 && !a.prios[prio].lossless]};
        if (marking_of(&a.prios[prio], l->rate_bps, &basis, &m, NULL))
            continue;
        if (strcmp(what, "pmax") == 0) {
            snprintf(buf, size, "%s", basis.tuned->pmax);
            break;
        }
        n = threshold_add(list, n, strcmp(what, "kmin") == 0 ? m.kmin : m.kmax, l->rate_bps, node);
    }
    if (n)
        threshold_text(f, list, n, buf, size);
    control_free_all(a.controls, control_count(&c->params, f));
}

void weft_engine_headroom_text(const struct weft_engine_config *c, char *buf, size_t size)
{
    const struct weft_fabric *f = c->fabric;
    struct weft_engine_params p = c->params;
    struct threshold list[THRESHOLDS];
    size_t n = 0;
    buf[0] = '\0';
    p.pfc.prios = channel_prios(&c->params, f);
    for (uint32_t k = 0; p.pfc.enabled && p.pfc.prios && k < f->nports; k++) {
        const struct weft_fabric_link *l = &f->links[f->ports[k].link];
        if (weft_fabric_forwards(f, f->ports[k].node) && !credit_on(f, l))
            n = threshold_add(list, n, mmu_headroom(&p, f, l), l->rate_bps, f->ports[k].node);
    }
    if (n)
        threshold_text(f, list, n, buf, size);
}
