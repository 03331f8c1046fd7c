/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Random sequences of hooks of a congestion control (try_cc.h). Two copies of a state, whose memory
 * held other bytes before, go through the same sequence: they must stay the same.
 */
#include "plugins/try_cc.h"

#include "base/rng.h"
#include "base/scale.h"
#include "base/units.h"
#include "congestion/cc_switch.h"
#include "congestion/cc_table.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Sequences and hooks in each; bytes behind the state that must stay. */
#define CC_SEQUENCES 200
#define CC_STEPS 300
#define CC_GUARD 64u

/* One copy. */
struct cc_copy {
    unsigned char *state; /* with a guard behind it */
    struct weft_cc_out out;
};

/* What an acknowledgement says to those that ask for it (enum weft_cc_needs). */
static const struct cc_signal {
    unsigned need;
    const char *name, *field;
} cc_signals[] = {
    {WEFT_CC_NEEDS_RTT, "RTT", "rtt_ps"},
    {WEFT_CC_NEEDS_ECN_ECHO, "ECN_ECHO", "ecn_echo"},
    {WEFT_CC_NEEDS_PINT, "PINT", "pint"},
    {WEFT_CC_NEEDS_INT, "INT", "nhops"},
};
enum { CC_SIGNALS = sizeof cc_signals / sizeof cc_signals[0] };

/* A sequence. */
struct cc_play {
    const struct weft_cc_ops *o;
    const void *params;
    struct weft_cc_env env;
    struct weft_rng rng;
    unsigned needs;
    size_t size;                     /* of the state */
    const struct cc_signal *unasked; /* for the second copy alone; NULL: none */
    int64_t now_ps;
    uint64_t una, nxt;
};

static uint64_t cc_draw(struct cc_play *p, uint64_t below)
{
    return weft_rng_below(&p->rng, below);
}

static struct weft_cc_env cc_env(struct cc_play *p)
{
    static const uint64_t rates[] = {UINT64_C(1000), UINT64_C(25000000000), UINT64_C(400000000000),
                                     UINT64_C(1600000000000)};
    struct weft_cc_env e = {.line_rate_bps = rates[cc_draw(p, 4)],
                            .base_rtt_ps = 1 + (int64_t)cc_draw(p, 1000000000),
                            .bdp_bytes = cc_draw(p, 100000000),
                            .mtu_bytes = 1 + (uint32_t)cc_draw(p, 9000),
                            .hops = (uint32_t)cc_draw(p, 6)};
    e.mtu_wire_bytes = e.mtu_bytes + 48;
    e.trims = cc_draw(p, 2);
    return e;
}

/* Calls a hook, the same for each copy. */
static void cc_hook(struct cc_play *p, struct cc_copy *c, uint64_t what,
                    const struct weft_cc_ack *ack, uint32_t wire_bytes)
{
    const struct weft_cc_ops *o = p->o;
    if (what == 0 && o->before_send)
        o->before_send(c->state, p->params, p->now_ps, &c->out);
    if (what == 1 && o->on_send)
        o->on_send(c->state, p->params, p->now_ps, wire_bytes, &c->out);
    if (what == 2 && o->on_ack)
        o->on_ack(c->state, p->params, p->now_ps, ack, &c->out);
    if (what == 3 && o->on_cnp)
        o->on_cnp(c->state, p->params, p->now_ps, &c->out);
    if (what == 4 && o->on_rto)
        o->on_rto(c->state, p->params, p->now_ps, &c->out);
    if (o->on_timer && c->out.timer_at_ps <= p->now_ps) {
        c->out.timer_at_ps = WEFT_NEVER;
        o->on_timer(c->state, p->params, p->now_ps, &c->out);
    }
}

static void cc_add_signals(struct cc_play *p, struct weft_cc_ack *a, unsigned needs,
                           struct weft_cc_hop *hops)
{
    if (needs & WEFT_CC_NEEDS_RTT)
        a->rtt_ps = 1 + (int64_t)cc_draw(p, 100000000);
    if (needs & WEFT_CC_NEEDS_ECN_ECHO)
        a->ecn_echo = cc_draw(p, 3) == 0;
    if (needs & WEFT_CC_NEEDS_PINT)
        a->pint = (uint16_t)cc_draw(p, 65536);
    if (needs & WEFT_CC_NEEDS_INT)
        a->nhops = (uint32_t)cc_draw(p, p->env.hops && p->env.hops < 3 ? p->env.hops + 1 : 3);
    a->hops = hops;
    for (uint32_t i = 0; i < a->nhops; i++) {
        hops[i].ts_ps = p->now_ps;
        hops[i].tx_bytes += cc_draw(p, 100000);
        hops[i].qlen_bytes = cc_draw(p, 300000);
        hops[i].rate_bps = UINT64_C(400000000000);
    }
}

static struct weft_cc_ack cc_ack(struct cc_play *p, struct weft_cc_hop *hops)
{
    struct weft_cc_ack a = {.nack = cc_draw(p, 8) == 0};
    a.acked_bytes = a.nack ? 0 : p->nxt - p->una;
    p->una += a.acked_bytes;
    a.una_bytes = p->una;
    a.nxt_bytes = p->nxt;
    a.received_bytes = a.acked_bytes;
    a.draw = (uint16_t)cc_draw(p, 65536);
    cc_add_signals(p, &a, p->needs, hops);
    return a;
}

static int cc_check(const struct cc_play *p, const struct cc_copy c[2], struct weft_err *err)
{
    const struct weft_cc_ops *o = p->o;
    const struct weft_cc_out *out = &c[0].out;
    const char *wrong = NULL;
    if (out->rate_bps < 1 || out->rate_bps > p->env.line_rate_bps)
        wrong = "rate_bps is not 1 to the line rate";
    else if (out->cwnd_bytes < p->env.mtu_bytes && !(o->credit && out->cwnd_bytes == 0))
        wrong = "cwnd_bytes is less than a packet";
    else if (out->timer_at_ps != WEFT_NEVER && (!o->on_timer || out->timer_at_ps < p->now_ps))
        wrong = "timer_at_ps is past, or there is no on_timer";
    else if (memcmp(c[0].state, c[1].state, p->size) != 0)
        wrong = "the state depends on more than the arguments of hooks, or init leaves some of it";
    else if (out->rate_bps != c[1].out.rate_bps || out->cwnd_bytes != c[1].out.cwnd_bytes ||
             out->timer_at_ps != c[1].out.timer_at_ps || out->repace != c[1].out.repace)
        wrong = "the output depends on more than the arguments of hooks, or init leaves some of it";
    if (wrong && p->unasked)
        return weft_err_set(err, WEFT_E_OUTCOME,
                            "on_ack reads %s, and `needs` lacks WEFT_CC_NEEDS_%s: without it the "
                            "field is 0",
                            p->unasked->field, p->unasked->name);
    for (size_t i = 0; !wrong && i < CC_GUARD; i++)
        if (c[0].state[p->size + i] != 0x5a || c[1].state[p->size + i] != 0x5a)
            wrong = "a hook writes behind the state";
    return wrong ? weft_err_set(err, WEFT_E_OUTCOME, "at %" PRId64 " ps of a random sequence: %s",
                                p->now_ps, wrong)
                 : 0;
}

static int cc_sequence(struct cc_play *p, struct cc_copy c[2], struct weft_err *err)
{
    struct weft_cc_hop hops[WEFT_CC_MAX_HOPS] = {0};
    for (int i = 0; i < 2; i++) {
        memset(c[i].state, i ? 0xff : 0, p->size);
        memset(c[i].state + p->size, 0x5a, CC_GUARD);
        memset(&c[i].out, i ? 1 : 0, sizeof c[i].out);
        p->o->init(c[i].state, p->params, &p->env, p->now_ps, &c[i].out);
    }
    int rc = cc_check(p, c, err);
    for (int step = 0; !rc && step < CC_STEPS; step++) {
        const uint64_t what = cc_draw(p, 5);
        const uint32_t wire = 1 + (uint32_t)cc_draw(p, p->env.mtu_wire_bytes);
        struct weft_cc_ack ack[2] = {{0}};
        p->now_ps += (int64_t)cc_draw(p, cc_draw(p, 2) ? 100000 : 100000000);
        if (what == 1)
            p->nxt += wire;
        if (what == 2)
            ack[0] = ack[1] = cc_ack(p, hops);
        if (what == 2 && p->unasked)
            cc_add_signals(p, &ack[1], p->unasked->need, hops);
        for (int i = 0; i < 2; i++)
            cc_hook(p, &c[i], what, &ack[i], wire);
        rc = cc_check(p, c, err);
    }
    return rc;
}

static size_t cc_state_bytes(const struct cc_play *p)
{
    struct weft_cc_signals signals = {0};
    if (p->o->signals)
        p->o->signals(p->params, &signals);
    return weft_cc_state_bytes(p->o, &signals, p->env.hops);
}

int weft_try_cc_hooks(const struct weft_cc_ops *o, struct weft_err *err)
{
    const size_t psize = o->params.struct_size ? o->params.struct_size : 1;
    struct cc_copy c[2] = {{malloc(o->state_size + CC_GUARD), {0}},
                           {malloc(o->state_size + CC_GUARD), {0}}};
    void *params = calloc(1, psize);
    int rc = c[0].state && c[1].state && params ? 0 : weft_err_no_memory(err, "a trial");
    for (uint64_t k = 0; !rc && k < CC_SEQUENCES; k++) {
        struct cc_play p = {.o = o, .params = params, .now_ps = 1000};
        p.rng = weft_rng_stream(4242, o->name, k);
        p.env = cc_env(&p);
        const struct weft_scale_path path = {p.env.line_rate_bps, p.env.base_rtt_ps};
        if (o->params.n && (rc = weft_params_defaults(&o->params, params, err)))
            break;
        weft_params_resolve(&o->params, params, &path);
        rc = o->check ? o->check(params, err) : 0;
        p.needs = weft_cc_needs(o, params);
        p.size = cc_state_bytes(&p);
        rc = rc ? rc : cc_sequence(&p, c, err);
        p.unasked = &cc_signals[k % CC_SIGNALS];
        if (!rc && !(o->needs & p.unasked->need))
            rc = cc_sequence(&p, c, err);
    }
    free(c[0].state);
    free(c[1].state);
    free(params);
    return rc;
}
