/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * rccc: the receiver-credit congestion control of Ultra Ethernet (UE specification 1.0, section
 * 3.6.14; its origin is EQDS, Olteanu et al., NSDI 2022). The specification's listing was not at
 * hand: where it is silent this follows UEC's own simulator, uet-htsim.
 *
 * The source's side is in credit.h. The receiver has one pacer per port: it gives those who ask
 * `grant` bytes each in turn, with grant-rate of the port's rate in all, and while nobody asks
 * those who did up to idle-credit more. It sees neither marks nor delays: on a fabric that is
 * oversubscribed above the last hop core-control (core_credit.h) has it heed marks and trims.
 *
 * With a grant of one packet, no idle credit and max-credit the first window this is what NDP does
 * (Handley et al., SIGCOMM 2017; preset ndp): a source that has sent its first window wants as much
 * credit as it has sent, so each packet that arrives, whole or trimmed, pulls one more, and what
 * is on its way is never more than the first window. EQDS (preset eqds) is the same with demand
 * that is told and credit ahead of it; its receivers serve those who resend before others, which
 * is left out here.
 */
#include "congestion/core_credit.h"
#include "congestion/credit.h"
#include "congestion/presets.h"

#include "base/units.h"
#include "congestion/cc_switch.h"
#include "congestion/cc_credit.h"
#include "congestion/cc_marking.h"

struct params {
    struct weft_cc_credit_params credit;
    bool echo, core_control;
    struct weft_cc_core core;
};

#define CORE "ultraethernet/uet-htsim, oversubscribed_cc.cpp"
#define CORE_ROW(field, word, least, most, value, text)                                            \
    {                                                                                              \
        WEFT_ROW_F64(struct params, core.field, word, value, least, most),                         \
            .help = text, .source = CORE, .needs = "core-control=true"                             \
    }

static const struct weft_param params[] = {
    WEFT_CC_CREDIT_ROWS(struct params, credit, NULL),
    {WEFT_ROW_BOOL(struct params, echo, "echo", "false"),
     .help = "ACKs echo marks, so that balancers by entropy value learn of them; credit does not "
             "heed them",
     .source = "UE specification 1.0.3, 3.6.16; uet-htsim"},
    {WEFT_ROW_BOOL(struct params, core_control, "core-control", "false"),
     .help = "a receiver grants less while packets come marked, or were trimmed before the last "
             "hop: for oversubscribed fabrics",
     .source = CORE},
    CORE_ROW(target, "core-target", "0", "1", "0.3",
             "average share of marked packets above which it grants less"),
    CORE_ROW(weight, "core-weight", "0.000001", "1", "0.5",
             "weight of the newest look in that average"),
    CORE_ROW(decrease, "core-decrease", "0", "1", "0.5",
             "share of the rate of grants that goes, times how far the average is above the "
             "target; 0: only trims count"),
    CORE_ROW(increase, "core-increase", "0.000001", "1", "0.01",
             "part of grant-rate that comes back per look without either, doubled each time while "
             "nothing is marked"),
    CORE_ROW(least, "core-least", "0.01", "1", "0.01",
             "least part of grant-rate; uet-htsim: 0.9 / oversubscription"),
    CORE_ROW(rtts, "core-interval", "0.1", "1000", "1.5",
             "base round trips between two looks, times 0.75 to 1.25 at random"),
};

#define NEEDS (WEFT_CC_NEEDS_BDP | WEFT_CC_NEEDS_CREDIT)

struct state {
    struct weft_cc_credit credit;
};

static void rccc_publish(const struct state *s, struct weft_cc_out *out)
{
    out->cwnd_bytes = s->credit.left > 0 ? UINT64_MAX : 0;
}

static void rccc_init(void *state, const void *raw, const struct weft_cc_env *env, int64_t now_ps,
                      struct weft_cc_out *out)
{
    const struct params *p = raw;
    struct state *s = state;
    *s = (struct state){0};
    weft_cc_credit_init(&s->credit, &p->credit, env);
    *out = (struct weft_cc_out){.rate_bps = env->line_rate_bps, .timer_at_ps = WEFT_NEVER};
    rccc_publish(s, out);
}

static void rccc_on_send(void *state, const void *raw, int64_t now_ps, uint32_t wire_bytes,
                         struct weft_cc_out *out)
{
    struct state *s = state;
    s->credit.left -= wire_bytes;
    rccc_publish(s, out);
}

static void rccc_on_ack(void *state, const void *raw, int64_t now_ps, const struct weft_cc_ack *ack,
                        struct weft_cc_out *out)
{
    struct state *s = state;
    weft_cc_credit_heard(&s->credit);
    rccc_publish(s, out);
}

static void rccc_granted(void *state, const void *raw, int64_t now_ps, uint64_t granted_bytes,
                         struct weft_cc_out *out)
{
    struct state *s = state;
    weft_cc_credit_granted(&s->credit, granted_bytes);
    rccc_publish(s, out);
}

static uint64_t rccc_wanted(const void *state, const void *raw, uint64_t backlog_bytes)
{
    return weft_cc_credit_wanted(&((const struct state *)state)->credit, backlog_bytes, UINT64_MAX);
}

static uint64_t rccc_known(const void *state, const void *raw)
{
    return ((const struct state *)state)->credit.granted;
}

static void rccc_rules(const void *raw, const struct weft_cc_env *env, struct weft_cc_grants *out)
{
    const struct params *p = raw;
    weft_cc_credit_rules(&p->credit, env, out);
    out->core = p->core_control ? &p->core : NULL;
}

static unsigned rccc_needs_now(const void *raw)
{
    const struct params *p = raw;
    return NEEDS | (p->echo ? WEFT_CC_NEEDS_ECN | WEFT_CC_NEEDS_ECN_ECHO : 0) |
           (p->core_control ? WEFT_CC_NEEDS_ECN | WEFT_CC_NEEDS_BASE_RTT : 0);
}

static void rccc_signals(const void *raw, struct weft_cc_signals *out)
{
    const struct params *p = raw;
    *out = (struct weft_cc_signals){.data_bytes = (uint32_t)p->credit.request_bytes};
}

static const struct weft_cc_marking marking = {"7500B", "30000B", "1",
                                               CORE ": from 20 to 80 % of one BDP, here of 12 us"};

static const struct weft_cc_credit_ops credit_ops = {
    .granted = rccc_granted, .wanted = rccc_wanted, .known = rccc_known, .rules = rccc_rules};

static const struct weft_cc_observable observables[] = {
    {"credit", "bytes", "bytes that may be sent, on the wire; below 0 by less than a packet"},
    {"granted", "bytes", "credit granted since the QP opened"},
    {NULL, NULL, NULL}};

static void rccc_observe(const void *state, const void *raw, double *values)
{
    const struct state *s = state;
    values[0] = (double)s->credit.left;
    values[1] = (double)s->credit.granted;
}

const struct weft_cc_ops weft_cc_rccc = {
    .name = "rccc",
    .title = "RCCC, Ultra Ethernet: credit that receivers grant in turn at the rate of their port "
             "(presets: EQDS, NDP)",
    .source = "Ultra Ethernet specification 1.0.3, section 3.6.14; Olteanu et al.: An edge-queued "
              "datagram service for all datacenter traffic, NSDI 2022",
    .needs = NEEDS | WEFT_CC_NEEDS_ECN | WEFT_CC_NEEDS_ECN_ECHO | WEFT_CC_NEEDS_BASE_RTT,
    .multipath = true,
    .state_size = sizeof(struct state),
    .params = WEFT_PARAM_TABLE(params, struct params),
    .presets = weft_rccc_presets,
    .observables = observables,
    .marking = &marking,
    .needs_now = rccc_needs_now,
    .init = rccc_init,
    .on_send = rccc_on_send,
    .on_ack = rccc_on_ack,
    .signals = rccc_signals,
    .credit = &credit_ops,
    .observe = rccc_observe,
};
