/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Congestion control and packet size per dimension (topologies/dim_settings.h), and of the classes
 * of uet.prios, which have uet.control in every dimension.
 *
 * A QP has the control of the outermost dimension that its path crosses: there the rates are lowest
 * and the queues longest, so that is what the control is for. Its packets are as long as the
 * smallest MTU of the dimensions on its path, since nothing on the way cuts them up. Both are
 * settled when the QP opens, and stay when links fail later: a path whose dimensions have a smaller
 * MTU is then none for it (reroute.c).
 *
 * A dimension without a control of its own takes that of the engine's configuration.
 *
 * Parameters whose default follows from the path are settled per line rate, and per base RTT where
 * one is scaled by it: QPs that are alike in that share a copy.
 */
#include "control.h"
#include "balance/ecmp.h"
#include "core/control_config.h"
#include "core/context.h"

#include "base/scale.h"
#include "congestion/cc_table.h"

#include <stddef.h>
#include <string.h>

/* The signal of switches among what a control needs; NULL: none. */
static const struct switch_signal *control_signal(unsigned needs)
{
    static const struct switch_signal *const signals[] = {
#define SIGNAL(symbol) &signal_##symbol,
#include "signals.def"
#undef SIGNAL
    };
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        if (needs & signals[i]->need)
            return signals[i];
    return NULL;
}

int control_init(struct weft_engine *e, const struct weft_engine_config *c, struct weft_err *err)
{
    const uint32_t n = control_count(&c->params, c->fabric);
    e->controls = calloc(n, sizeof *e->controls);
    if (!e->controls)
        return weft_err_set(err, WEFT_E_LIMIT, "out of memory for %u dimensions", n);
    e->ncontrols = n;
    for (uint32_t d = 0; d < n; d++) {
        struct control *k = &e->controls[d];
        int rc = control_read(c, d, k, err);
        if (rc)
            return rc;
        k->profile = &e->rc.profile[d / controls_per_profile(c->fabric)];
        const unsigned needs = weft_cc_needs(k->ops, k->params);
        k->ecn_on = (needs & WEFT_CC_NEEDS_ECN) != 0;
        k->cnp_on = (needs & WEFT_CC_NEEDS_CNP) != 0;
        k->echo_on = (needs & WEFT_CC_NEEDS_ECN_ECHO) != 0;
        k->int_on = (needs & WEFT_CC_NEEDS_INT) != 0;
        k->pint_on = (needs & WEFT_CC_NEEDS_PINT) != 0;
        k->credit_on = (needs & WEFT_CC_NEEDS_CREDIT) != 0;
        k->signal = control_signal(needs);
        if (k->signal)
            e->signal = k->signal;
        if (k->cnp_on)
            k->ops->cnp(k->params, &k->cnp);
        if (k->ops->signals)
            k->ops->signals(k->params, &k->signals);
    }
    return 0;
}

void control_fini(struct weft_engine *e)
{
    for (uint32_t d = 0; d < e->ncontrols; d++) {
        weft_cc_choice_free(&e->controls[d].own);
        for (struct control *k = e->controls[d].resolved, *next; k; k = next) {
            next = k->resolved;
            free(k);
        }
    }
    free(e->controls);
}

/* The smallest MTU of the dimensions whose links @p ports send on. */
static uint64_t control_mtu_along(const struct weft_engine *e, const uint32_t *ports, uint32_t hops)
{
    const struct weft_fabric *f = e->fabric;
    uint64_t mtu = UINT64_MAX;
    for (uint32_t h = 0; h < hops; h++) {
        const uint64_t own = control_own_mtu(&e->p, f, f->links[f->ports[ports[h]].link].dim);
        mtu = own < mtu ? own : mtu;
    }
    return mtu;
}

/* A control for QPs of one line rate and base RTT, 0: of any, with parameters of its own behind it.
 */
static struct control *control_copy_resolved(const struct control *k, uint64_t line_rate_bps,
                                             int64_t rtt_ps, const struct weft_cc_env *env)
{
    const size_t at = (sizeof(struct control) + 15) & ~(size_t)15;
    struct control *n = calloc(1, at + k->ops->params.struct_size);
    if (!n)
        return NULL;
    void *params = (char *)n + at;
    memcpy(n, k, offsetof(struct control, resolved));
    n->own = (struct weft_cc_choice){0};
    n->line_rate_bps = line_rate_bps;
    n->base_rtt_ps = rtt_ps;
    memcpy(params, k->params, k->ops->params.struct_size);
    const struct weft_scale_path path = {line_rate_bps,
                                         env->base_rtt_ps > 0 ? env->base_rtt_ps : 1};
    weft_params_resolve(&k->ops->params, params, &path);
    n->params = params;
    if (n->cnp_on)
        n->ops->cnp(n->params, &n->cnp);
    return n;
}

/* The settled control of such QPs, NULL: there is none yet. Threads may look, and add, at the same
 * time. */
static struct control *control_find_resolved(const struct control *base, uint64_t line_rate_bps,
                                             int64_t rtt_ps)
{
    struct control *k = __atomic_load_n(&base->resolved, __ATOMIC_ACQUIRE);
    while (k && (k->line_rate_bps != line_rate_bps || k->base_rtt_ps != rtt_ps))
        k = k->resolved;
    return k;
}

/* Adds one; where two threads add the same, QPs that are alike have either. */
static void control_add_resolved(struct control *base, struct control *k)
{
    k->resolved = __atomic_load_n(&base->resolved, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(&base->resolved, &k->resolved, k, true, __ATOMIC_RELEASE,
                                        __ATOMIC_RELAXED))
        continue;
}

/* The next QP is likely of the same sort. */
static void to_front(struct control *base, struct control *k)
{
    struct control **at = &base->resolved;
    while (*at != k)
        at = &(*at)->resolved;
    *at = k->resolved;
    k->resolved = base->resolved;
    base->resolved = k;
}

int control_resolve(struct weft_engine *e, struct qp_kind *kind, struct weft_err *err)
{
    struct control *base = &e->controls[kind->control - e->controls];
    if (!base->ops->params.n)
        return 0;
    const struct weft_param_table *t = &base->ops->params;
    const int64_t rtt_ps =
        weft_params_scaled_by(t, base->params, WEFT_BASIS_BASE_RTT) ? kind->env.base_rtt_ps : 0;
    struct control *k = control_find_resolved(base, kind->env.line_rate_bps, rtt_ps);
    if (k && !e->worker) {
        to_front(base, k);
    } else if (!k) {
        k = control_copy_resolved(base, kind->env.line_rate_bps, rtt_ps, &kind->env);
        if (!k)
            return weft_err_no_memory(err, "congestion controls");
        control_add_resolved(base, k);
    }
    kind->control = k;
    kind->ccp = k->params;
    return 0;
}

void control_assign(const struct weft_engine *e, const struct qp *q, struct qp_kind *kind,
                    const uint32_t *ports, uint32_t hops)
{
    const struct weft_fabric *f = e->fabric;
    uint32_t outermost = 0, usual[MAX_PATH];
    uint64_t mtu = control_mtu_along(e, ports, hops);
    for (uint32_t h = 0; h < hops; h++) {
        const uint32_t dim = f->links[f->ports[ports[h]].link].dim;
        outermost = dim > outermost ? dim : outermost;
    }
    if (e->links.ndown) { /* to be of use when the links are back */
        const uint32_t n = ecmp_path(e, e->routing.intact, q, true, usual);
        const uint64_t back = control_mtu_along(e, usual, n);
        mtu = back < mtu ? back : mtu;
    }
    kind->control = &e->controls[e->rc.of_prio[q->own_prio] * controls_per_profile(f) + outermost];
    kind->profile = kind->control->profile;
    kind->cc = kind->control->ops;
    kind->ccp = kind->control->params;
    kind->env.mtu_bytes = (uint32_t)(hops ? mtu : e->p.transport.mtu_bytes);
}
