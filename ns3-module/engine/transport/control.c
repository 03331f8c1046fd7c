/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Congestion control and packet size per dimension (topologies/dim_settings.h), and of the classes
 * of uet.prios, which have uet.control in every dimension.
 *
 * A QP has the control of the outermost dimension that its path crosses: there the rates are lowest
 * and the queues longest, so that is what the control is for. Its packets are as long as the
 * smallest MTU of the dimensions on its path, since nothing on the way cuts them up. Both are
 * settled when the QP opens, and stay when links fail later: a path whose dimensions have a smaller
 * MTU is then none for it (link_state.c).
 *
 * A dimension without a control of its own takes that of the engine's configuration.
 *
 * Parameters whose default follows from the path are settled per line rate, and per base RTT where
 * one is scaled by it: QPs that are alike in that share a copy.
 */
#include "control.h"
#include "balance/ecmp.h"
#include "core/context.h"

#include "base/scale.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

uint64_t control_own_mtu(const struct weft_engine_params *p, const struct weft_fabric *f,
                         uint32_t dim)
{
    const uint64_t own = f->dims[dim].set.mtu_bytes;
    return own ? own : p->transport.mtu_bytes;
}

uint64_t control_mtu_bytes(const struct weft_engine_params *p, const struct weft_fabric *f,
                           uint32_t dim)
{
    uint64_t mtu = control_own_mtu(p, f, dim);
    if (f->routing == WEFT_ROUTING_DIMS)
        return mtu;
    /* A path may come to cross other dimensions when links fail. */
    for (uint32_t d = 0; d < f->ndims; d++) {
        const uint64_t other = control_own_mtu(p, f, d);
        mtu = other > mtu ? other : mtu;
    }
    return mtu;
}

/* Controls of one transport. */
static uint32_t per_profile(const struct weft_fabric *f)
{
    return f->ndims ? f->ndims : 1;
}

uint32_t control_count(const struct weft_engine_params *p, const struct weft_fabric *f)
{
    return per_profile(f) * profile_count(p);
}

/* The n-th control without what the engine adds; its `own` is for the caller to free. */
static int read_one(const struct weft_engine_config *c, uint32_t n, struct control *out,
                    struct weft_err *err)
{
    const struct weft_fabric_dim *d = &c->fabric->dims[n % per_profile(c->fabric)];
    const bool uet = n >= per_profile(c->fabric);
    const char *text = uet ? c->params.uet.control : c->fabric->ndims ? d->set.control : "";
    *out = (struct control){.ops = c->cc, .params = c->cc_params};
    if (!text[0] && !uet)
        return 0;
    if (weft_cc_choice_read(text, &out->own, err)) {
        if (uet)
            weft_err_prepend(err, "uet.control");
        else
            weft_err_prepend(err, "dimension %u (%s)", n, d->kind);
        return err ? err->code : WEFT_E_INPUT;
    }
    out->ops = out->own.ops;
    out->params = out->own.params;
    return 0;
}

#define STAMPS (WEFT_CC_NEEDS_INT | WEFT_CC_NEEDS_PINT)
/* What packets carry in one and the same place. */
#define CARRIED (STAMPS | WEFT_CC_NEEDS_CREDIT | WEFT_CC_NEEDS_SUPPLY)

/* Writes what two sets of parameters of a control have different values for: "log-base (1.05
 * and 1.01), ...". */
static void list_differences(const struct control *a, const struct control *b, char *buf,
                             size_t size)
{
    const struct weft_param_table *t = &a->ops->params;
    char x[WEFT_PARAM_TEXT_MAX], y[WEFT_PARAM_TEXT_MAX];
    size_t used = 0;
    buf[0] = '\0';
    for (size_t i = 0; i < t->n && used < size; i++) {
        weft_params_format(&t->params[i], a->params, x, sizeof x);
        weft_params_format(&t->params[i], b->params, y, sizeof y);
        if (strcmp(x, y) != 0)
            used += (size_t)snprintf(buf + used, size - used, "%s%s (%s and %s)", used ? ", " : "",
                                     t->params[i].name, x, y);
    }
}

/* Whether a port can keep one utilisation for both. */
static bool same_pint(const struct control *a, const struct control *b)
{
    struct weft_cc_signals x = {0}, y = {0};
    a->ops->signals(a->params, &x);
    b->ops->signals(b->params, &y);
    return x.pint_base == y.pint_base && x.pint_t_ps == y.pint_t_ps &&
           x.pint_tables == y.pint_tables && x.pint_packets == y.pint_packets;
}

/* Packets carry one sort of stamp, and a port keeps one utilisation for PINT. */
static int check_stamps(const struct control *a, const struct control *b, const char *where,
                        struct weft_err *err)
{
    const unsigned x = weft_cc_needs(a->ops, a->params) & CARRIED;
    const unsigned y = weft_cc_needs(b->ops, b->params) & CARRIED;
    char differ[256];
    if (!x || !y || (x == y && (!(x & WEFT_CC_NEEDS_PINT) || same_pint(a, b))))
        return 0;
    if (x == y && a->ops == b->ops) {
        list_differences(a, b, differ, sizeof differ);
        return weft_err_set(err, WEFT_E_INPUT,
                            "congestion control '%s' with different settings in different %s: "
                            "%s; a port of a switch keeps one utilisation for PINT, so that these "
                            "have to agree",
                            a->ops->name, where, differ);
    }
    return weft_err_set(
        err, WEFT_E_INPUT,
        "congestion controls '%s' and '%s' in different %s: switches stamp "
        "packets with INT for all, or with PINT under the same settings, or packets "
        "ask for credit or have marks of bolt; give both %s the same control, or one of them a "
        "control without that",
        a->ops->name, b->ops->name, where, where);
}

int control_read_all(const struct weft_engine_config *c, struct control list[CONTROLS_MAX],
                     struct weft_err *err)
{
    for (uint32_t n = 0; n < control_count(&c->params, c->fabric); n++) {
        int rc = read_one(c, n, &list[n], err);
        if (rc) {
            control_free_all(list, n);
            return rc;
        }
    }
    return 0;
}

void control_free_all(struct control list[CONTROLS_MAX], uint32_t n)
{
    while (n-- > 0)
        weft_cc_choice_free(&list[n].own);
}

int control_check(const struct weft_engine_config *c, struct control_needs *needs,
                  struct weft_err *err)
{
    const uint32_t count = control_count(&c->params, c->fabric);
    struct control list[CONTROLS_MAX];
    int rc = weft_cc_check_ops(c->cc, err);
    if (!rc && c->cc->check)
        rc = c->cc->check(c->cc_params, err);
    struct control_needs all = {0};
    if (rc || (rc = control_read_all(c, list, err)))
        return rc;
    for (uint32_t n = 0; !rc && n < count; n++) {
        const unsigned bits = weft_cc_needs(list[n].ops, list[n].params);
        all.bits |= bits;
        if (bits & STAMPS)
            all.stamped = list[n].ops->name;
        struct weft_cc_signals signals = {0};
        if (list[n].ops->signals)
            list[n].ops->signals(list[n].params, &signals);
        if (signals.data_bytes > all.data_bytes)
            all.data_bytes = signals.data_bytes;
        for (uint32_t k = 0; k < n && !rc; k++)
            rc = check_stamps(&list[k], &list[n],
                              n < per_profile(c->fabric) ? "dimensions" : "classes (uet.control)",
                              err);
    }
    control_free_all(list, count);
    if (needs)
        *needs = all;
    return rc;
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
        int rc = read_one(c, d, k, err);
        if (rc)
            return rc;
        k->profile = &e->rc.profile[d / per_profile(c->fabric)];
        const unsigned needs = weft_cc_needs(k->ops, k->params);
        k->ecn_on = (needs & WEFT_CC_NEEDS_ECN) != 0;
        k->cnp_on = (needs & WEFT_CC_NEEDS_CNP) != 0;
        k->echo_on = (needs & WEFT_CC_NEEDS_ECN_ECHO) != 0;
        k->int_on = (needs & WEFT_CC_NEEDS_INT) != 0;
        k->pint_on = (needs & WEFT_CC_NEEDS_PINT) != 0;
        k->credit_on = (needs & WEFT_CC_NEEDS_CREDIT) != 0;
        k->supply_on = (needs & WEFT_CC_NEEDS_SUPPLY) != 0;
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
        for (struct control *k = e->controls[d].settled, *next; k; k = next) {
            next = k->settled;
            free(k);
        }
    }
    free(e->controls);
}

uint64_t control_mtu_along(const struct weft_engine *e, const uint32_t *ports, uint32_t hops)
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
static struct control *settled_copy(const struct control *k, uint64_t line_rate_bps, int64_t rtt_ps,
                                    const struct weft_cc_env *env)
{
    const size_t at = (sizeof(struct control) + 15) & ~(size_t)15;
    struct control *n = calloc(1, at + k->ops->params.struct_size);
    if (!n)
        return NULL;
    void *params = (char *)n + at;
    memcpy(n, k, offsetof(struct control, settled));
    n->own = (struct weft_cc_choice){0};
    n->line_rate_bps = line_rate_bps;
    n->base_rtt_ps = rtt_ps;
    memcpy(params, k->params, k->ops->params.struct_size);
    const struct weft_scale_path path = {line_rate_bps,
                                         env->base_rtt_ps > 0 ? env->base_rtt_ps : 1};
    weft_params_settle(&k->ops->params, params, &path);
    n->params = params;
    if (n->cnp_on)
        n->ops->cnp(n->params, &n->cnp);
    return n;
}

/* The settled control of such QPs, NULL: there is none yet. Threads may look, and add, at the same
 * time. */
static struct control *find_settled(const struct control *base, uint64_t line_rate_bps,
                                    int64_t rtt_ps)
{
    struct control *k = __atomic_load_n(&base->settled, __ATOMIC_ACQUIRE);
    while (k && (k->line_rate_bps != line_rate_bps || k->base_rtt_ps != rtt_ps))
        k = k->settled;
    return k;
}

/* Adds one; where two threads add the same, QPs that are alike have either. */
static void add_settled(struct control *base, struct control *k)
{
    k->settled = __atomic_load_n(&base->settled, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(&base->settled, &k->settled, k, true, __ATOMIC_RELEASE,
                                        __ATOMIC_RELAXED))
        continue;
}

/* The next QP is likely of the same sort. */
static void to_front(struct control *base, struct control *k)
{
    struct control **at = &base->settled;
    while (*at != k)
        at = &(*at)->settled;
    *at = k->settled;
    k->settled = base->settled;
    base->settled = k;
}

int control_settle(struct weft_engine *e, struct qp *q, struct weft_err *err)
{
    struct control *base = &e->controls[q->control - e->controls];
    if (!base->ops->params.n)
        return 0;
    const struct weft_param_table *t = &base->ops->params;
    const int64_t rtt_ps =
        weft_params_scaled_by(t, base->params, WEFT_BASIS_BASE_RTT) ? q->env.base_rtt_ps : 0;
    struct control *k = find_settled(base, q->env.line_rate_bps, rtt_ps);
    if (k && !e->worker) {
        to_front(base, k);
    } else if (!k) {
        k = settled_copy(base, q->env.line_rate_bps, rtt_ps, &q->env);
        if (!k)
            return weft_err_no_memory(err, "congestion controls");
        add_settled(base, k);
    }
    q->control = k;
    q->ccp = k->params;
    return 0;
}

void control_assign(const struct weft_engine *e, struct qp *q, const uint32_t *ports, uint32_t hops)
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
    q->control = &e->controls[e->rc.of_prio[q->own_prio] * per_profile(f) + outermost];
    q->cc = q->control->ops;
    q->ccp = q->control->params;
    q->mtu_bytes = (uint32_t)(hops ? mtu : e->p.transport.mtu_bytes);
}
