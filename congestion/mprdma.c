/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * mprdma: the window of MP-RDMA (Lu et al., "Multi-Path Transport for RDMA in Datacenters", NSDI
 * 2018): one window for all paths of a QP, which each ACK changes at once:
 *
 *   no mark   cwnd += 1 / cwnd     (packets)
 *   mark      cwnd -= 1/2
 *
 * An ACK for n packets counts n times, by its own mark. The paper sends the next packet where the
 * ACK came from, which is the balancer's part (switch.balance=entropy with an entropy policy that
 * recycles); its out-of-order limit and its synchronous packets are left out.
 *
 * What weft adds, as the paper's text was not at hand: the first window is one bandwidth-delay
 * product, the largest is bounded, and one that is not in use does not grow; a trimmed packet costs
 * its size; a NACK or a timeout without trimming halves the window, once per round trip, as DCTCP
 * does. htsim's MP-RDMA (preset htsim) takes a quarter of a packet per mark.
 */
#include "congestion/cc.h"
#include "congestion/cc_marking.h"
#include "congestion/cc_replay.h"
#include "congestion/presets.h"
#include "congestion/window.h"

#include "base/units.h"

#include <string.h>

struct params {
    double first_window, max_window, increase, decrease, trim_decrease;
};

#define PAPER "Lu et al., NSDI 2018"
#define ARTIFACT "tommasobo/REPS_EuroSys_Artifact, uec.cpp"

static const struct weft_param params[] = {
    {WEFT_ROW_F64(struct params, first_window, "first-window", "1", "0.01", "1000"),
     .help = "window that a QP begins with, in bandwidth-delay products, at most the largest",
     .source = "weft"},
    {WEFT_ROW_F64(struct params, max_window, "max-window", "1.5", "0.01", "100000"),
     .help = "largest window, in bandwidth-delay products", .source = ARTIFACT},
    {WEFT_ROW_F64(struct params, increase, "increase", "1", "0.000001", "1000"),
     .help = "packets gained per window of ACKs without mark", .source = PAPER ", equation 1"},
    {WEFT_ROW_F64(struct params, decrease, "decrease", "1/2", "0.000001", "1"),
     .help = "packets that each marked packet costs", .source = PAPER ", equation 1"},
    {WEFT_ROW_F64(struct params, trim_decrease, "trim-decrease", "1", "0", "1"),
     .help = "packets that each trimmed packet costs, where switches trim", .source = ARTIFACT},
};

struct state {
    uint64_t nxt_bytes;        /* sent so far, as of the last ACK */
    uint64_t cut_bytes;        /* an ACK beyond this ends the round trip of a halving */
    double mtu, cwnd, max_wnd; /* bytes of payload */
    bool in_cut, trims;
};

static void set_cwnd(struct state *s, double cwnd)
{
    s->cwnd = weft_cc_clamp(cwnd, s->mtu, s->max_wnd);
}

static void mprdma_publish(const struct state *s, struct weft_cc_out *out)
{
    out->cwnd_bytes = weft_cc_clamp_u64(s->cwnd, (uint64_t)s->mtu, UINT64_MAX / 2);
}

static void mprdma_init(void *state, const void *raw, const struct weft_cc_env *env, int64_t now_ps,
                        struct weft_cc_out *out)
{
    const struct params *p = raw;
    struct state *s = state;
    memset(s, 0, sizeof *s);
    s->mtu = (double)env->mtu_bytes;
    s->trims = env->trims;
    s->max_wnd = weft_cc_clamp(p->max_window * (double)env->bdp_bytes, s->mtu, 0x1p62);
    set_cwnd(s, p->first_window * (double)env->bdp_bytes);
    *out = (struct weft_cc_out){.rate_bps = env->line_rate_bps, .timer_at_ps = WEFT_NEVER};
    mprdma_publish(s, out);
}

/* A packet was lost, and nothing says more. */
static void lost(struct state *s)
{
    if (s->in_cut)
        return;
    set_cwnd(s, s->cwnd / 2);
    s->in_cut = true;
    s->cut_bytes = s->nxt_bytes;
}

static void mprdma_on_ack(void *state, const void *raw, int64_t now_ps,
                          const struct weft_cc_ack *ack, struct weft_cc_out *out)
{
    const struct params *p = raw;
    struct state *s = state;
    const double n = (double)ack->received_bytes;
    s->nxt_bytes = ack->nxt_bytes;
    if (ack->una_bytes > s->cut_bytes)
        s->in_cut = false;
    if (ack->trimmed_bytes)
        set_cwnd(s, s->cwnd - p->trim_decrease * (double)ack->trimmed_bytes);
    else if (ack->nack && !s->trims)
        lost(s);
    if (ack->ecn_echo)
        set_cwnd(s, s->cwnd - p->decrease * n);
    else if ((double)ack->flight_bytes + n + s->mtu > s->cwnd)
        set_cwnd(s, s->cwnd + p->increase * s->mtu * n / s->cwnd);
    mprdma_publish(s, out);
}

static void mprdma_on_rto(void *state, const void *raw, int64_t now_ps, struct weft_cc_out *out)
{
    struct state *s = state;
    lost(s);
    mprdma_publish(s, out);
}

static const struct weft_cc_marking marking = {"75KB", "75KB", "1",
                                               "weft: one threshold, that of dctcp"};

static const struct weft_cc_observable observables[] = {{"cwnd", "bytes", "window"},
                                                        {NULL, NULL, NULL}};

static void mprdma_observe(const void *state, const void *raw, double *values)
{
    const struct state *s = state;
    values[0] = s->cwnd;
}

static const struct weft_cc_moving moving[] = {WEFT_CC_MOVING(nxt_bytes, WEFT_CC_MOVES_BYTES),
                                               WEFT_CC_MOVING(cut_bytes, WEFT_CC_MOVES_BYTES),
                                               WEFT_CC_MOVING_END};

static const struct weft_cc_replay replay = {
    .moving = moving,
};

const struct weft_cc_ops weft_cc_mprdma = {
    .name = "mprdma",
    .title = "MP-RDMA: a window that every ACK grows and every mark shrinks, for many paths",
    .source = "Lu et al.: Multi-Path Transport for RDMA in Datacenters, NSDI 2018",
    .needs = WEFT_CC_NEEDS_ECN | WEFT_CC_NEEDS_ECN_ECHO | WEFT_CC_NEEDS_BDP,
    .multipath = true,
    .state_size = sizeof(struct state),
    .params = WEFT_PARAM_TABLE(params, struct params),
    .presets = weft_mprdma_presets,
    .observables = observables,
    .marking = &marking,
    .init = mprdma_init,
    .on_ack = mprdma_on_ack,
    .on_rto = mprdma_on_rto,
    .observe = mprdma_observe,
    .replay = &replay,
};
