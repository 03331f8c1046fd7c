/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Transports and congestion controls of a configuration, without an engine: by class of
 * traffic (section uet) and by dimension, and whether all of it goes together.
 */
#include "control_config.h"
#include "congestion/cc_switch.h"
#include "congestion/cc_table.h"

#include <stdio.h>
#include <string.h>

/* ---- transports ---- */

uint32_t profile_count(const struct weft_engine_params *p)
{
    return p->uet.prios ? PROFILES : 1;
}

uint32_t profile_of_prio(const struct weft_engine_params *p, uint32_t prio)
{
    return prio < WEFT_PRIOS && p->uet.prios >> prio & 1 ? PROFILE_UET : PROFILE_RUN;
}

struct weft_transport_params profile_transport(const struct weft_engine_params *p, uint32_t which)
{
    const struct weft_transport_params *own = &p->uet.t;
    struct weft_transport_params t = p->transport;
    if (which == PROFILE_RUN)
        return t;
    t.ack_prio = own->ack_prio;
    t.ack_every = 1;
    t.ack_every_bytes = own->ack_every_bytes;
    t.nack_interval_ps = own->nack_interval_ps;
    t.rto_ps = own->rto_ps;
    t.retry_max = own->retry_max;
    t.rto_backoff_max = own->rto_backoff_max;
    t.header_bytes = own->header_bytes;
    t.ack_bytes = own->ack_bytes;
    t.nack_bytes = own->nack_bytes;
    t.probe_bytes = own->probe_bytes;
    t.pad_bytes = own->pad_bytes;
    t.base_rtt_ps = own->base_rtt_ps;
    t.bdp_bytes = 0;
    t.recovery = own->recovery;
    t.reorder_packets = own->reorder_packets;
    t.uet = true;
    return t;
}

uint64_t profile_longest_header(const struct weft_engine_params *p)
{
    const uint64_t run = p->transport.header_bytes, uet = p->uet.t.header_bytes;
    return p->uet.prios && uet > run ? uet : run;
}

uint64_t profile_answer_prios(const struct weft_engine_params *p, bool cnps)
{
    return UINT64_C(1) << p->transport.ack_prio |
           (p->uet.prios ? UINT64_C(1) << p->uet.t.ack_prio : 0) |
           (cnps ? UINT64_C(1) << p->transport.cnp_prio : 0);
}

/* ---- congestion controls ---- */

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

uint32_t controls_per_profile(const struct weft_fabric *f)
{
    return f->ndims ? f->ndims : 1;
}

uint32_t control_count(const struct weft_engine_params *p, const struct weft_fabric *f)
{
    return controls_per_profile(f) * profile_count(p);
}

int control_read(const struct weft_engine_config *c, uint32_t n, struct control *out,
                 struct weft_err *err)
{
    const struct weft_fabric_dim *d = &c->fabric->dims[n % controls_per_profile(c->fabric)];
    const bool uet = n >= controls_per_profile(c->fabric);
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
/* Fields that packets carry in the same place. */
#define CARRIED (STAMPS | WEFT_CC_NEEDS_CREDIT | WEFT_CC_NEEDS_SIGNALS)

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
        "ask for credit or carry another signal of switches; give both %s the same control, or one "
        "of them a control without that",
        a->ops->name, b->ops->name, where, where);
}

int control_read_all(const struct weft_engine_config *c, struct control list[CONTROLS_MAX],
                     struct weft_err *err)
{
    for (uint32_t n = 0; n < control_count(&c->params, c->fabric); n++) {
        int rc = control_read(c, n, &list[n], err);
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
            rc = check_stamps(
                &list[k], &list[n],
                n < controls_per_profile(c->fabric) ? "dimensions" : "classes (uet.control)", err);
    }
    control_free_all(list, count);
    if (needs)
        *needs = all;
    return rc;
}
