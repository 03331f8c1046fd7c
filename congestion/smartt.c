/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * smartt: SMaRTT, later FASTFLOW (Bonato et al., arXiv 2404.01630): a window by marks and delay
 * that goes to what was achieved when packets are trimmed. NSCC (nscc.c) comes from it.
 *
 * T is the base RTT, T* the target RTT (target-rtts T). An ACK of n bytes whose packet had round
 * trip r and mark e does one of four things:
 *
 *   no mark, r <= T*   cwnd += min(n, (T* - r)/r n/cwnd MTU mi) + fair, mi = T / (T* - T)
 *   no mark, r > T*    cwnd += fair = fair-increase BDP n/cwnd
 *   mark, r <= T*      cwnd -= fair-decrease n cwnd/BDP
 *   mark, r > T*       cwnd -= min(n, decrease (r - T*)/r n + fair-decrease n cwnd/BDP)
 *
 * but decreases only while the share of marked packets, an average of weight mark-weight per ACK,
 * is mark-threshold or more (wait to decrease). After a window of ACKs without mark or delay, and
 * until one has either, an ACK adds fast-increase n instead (fast increase). A trimmed packet, or
 * a lost one, takes its size from the window and asks for quick adapt: at most once per T* the
 * window becomes qa-scale times what was received since the last look, a packet at least, and
 * ACKs change nothing until as much as was in flight then has come back.
 *
 * The paper itself was not at hand. The equations and constants are those that htsim
 * implementations of it state, the first author's among them (tommasobo/REPS_EuroSys_Artifact,
 * uec.cpp, which has the paper's constants beside its own: preset htsim). Trims that come back
 * while ACKs are ignored cost nothing, as there. Where they leave it open: a QP begins with the
 * largest window; sizes are of payload; without trimming a NACK or a timeout is a loss of one MTU,
 * at most one per T unless packets have a timer each.
 */
#include "congestion/cc.h"
#include "congestion/cc_marking.h"
#include "congestion/cc_replay.h"
#include "congestion/presets.h"
#include "congestion/window.h"

#include "base/scale.h"
#include "base/units.h"

#include <string.h>

enum ignore { IGNORE_ACKS, IGNORE_MARKS };

struct params {
    double target_rtts, max_window, first_window;
    double increase, fair_increase, fast_increase, decrease, fair_decrease;
    double mark_weight, mark_threshold, qa_scale;
    int64_t no_delay_ps;
    int ignore;
};

#define PAPER "Bonato et al., arXiv 2404.01630"

static const struct weft_param params[] = {
    {WEFT_ROW_F64(struct params, target_rtts, "target-rtts", "1.5", "1.001", "1000"),
     .help = "target round trip in base RTTs", .source = PAPER ", section 3.5"},
    {WEFT_ROW_F64(struct params, max_window, "max-window", "1.25", "0.01", "1000"),
     .help = "largest window, in bandwidth-delay products", .source = PAPER},
    {WEFT_ROW_F64(struct params, first_window, "first-window", "0", "0", "1000"),
     .help = "window that a QP begins with, in bandwidth-delay products, at most the largest; 0: "
             "the largest",
     .source = "weft: as NSCC begins"},
    {WEFT_ROW_F64(struct params, increase, "increase", "0", "0", "1000"),
     .help = "MTUs per RTT gained without mark, times (target - RTT) / RTT; 0: base RTT / (target "
             "- base RTT), an MTU per RTT without delay",
     .source = PAPER ", equation 4: mi"},
    {WEFT_ROW_F64(struct params, fair_increase, "fair-increase", "0.006", "0", "1000"),
     .help = "bandwidth-delay products per RTT gained without mark",
     .source = PAPER ", equation 3: fi, a quarter of an MTU at 100 Gbps"},
    {WEFT_ROW_F64(struct params, fast_increase, "fast-increase", "2", "0", "1000"),
     .help = "gained per acknowledged byte after a window without mark and delay",
     .source = PAPER ", algorithm 3: k"},
    {WEFT_ROW_TIME(struct params, no_delay_ps, "no-delay", "1us", "0ps", "1s"),
     .help = "a round trip that is longer than the base RTT by no more has no delay, which the "
             "fast increase wants",
     .source = "htsim: 1us at 12us; the paper: none", .scale = WEFT_PER_BASE_RTT("12us")},
    {WEFT_ROW_F64(struct params, decrease, "decrease", "0", "0", "1000"),
     .help = "share of the acknowledged bytes that a mark above the target costs, times (RTT - "
             "target) / RTT; 0: 2 where switches trim, else 4",
     .source = PAPER ", equation 2: md"},
    {WEFT_ROW_F64(struct params, fair_decrease, "fair-decrease", "0.8", "0", "1000"),
     .help = "share of the acknowledged bytes that a mark costs, times the window in "
             "bandwidth-delay products",
     .source = PAPER ", equation 1: fd"},
    {WEFT_ROW_F64(struct params, mark_weight, "mark-weight", "0.125", "0.000001", "1"),
     .help = "weight of an ACK in the average share of marks",
     .source = PAPER ", section 3.5.1: wait to decrease"},
    {WEFT_ROW_F64(struct params, mark_threshold, "mark-threshold", "0.25", "0", "1"),
     .help = "least average share of marks at which marks decrease the window; 0: each does",
     .source = PAPER ", section 3.5.1: wait to decrease"},
    {WEFT_ROW_F64(struct params, qa_scale, "qa-scale", "0.8", "0.01", "10"),
     .help = "quick adapt: window per byte received in a target RTT",
     .source = PAPER ", version 3, algorithm 2"},
    {WEFT_ROW_ENUM(struct params, ignore, "ignore", "acks", "acks|marks"),
     .help = "ignored until all that was in flight at a quick adapt has come back: ACKs, or those "
             "with a mark",
     .source = PAPER ", algorithm 1; marks: its simulator"},
};

struct state {
    uint64_t line_bps;
    double mtu, bdp, max_wnd; /* bytes of payload */
    double base_rtt_ps, target_ps, no_delay_ps;
    double increase, decrease;
    double cwnd, mark_share, rtt_ps;
    double achieved; /* received since the last look at quick adapt */
    double ignored, to_ignore, fast_count;
    int64_t qa_end_ps; /* when quick adapt is next looked at; 0: not begun */
    int64_t lost_ps;   /* of the last loss that counted; WEFT_NEVER: none */
    bool fast, qa_asked, trims, packet_timers;
};

static void set_cwnd(struct state *s, double cwnd)
{
    s->cwnd = weft_cc_clamp(cwnd, s->mtu, s->max_wnd);
}

static void smartt_publish(const struct state *s, struct weft_cc_out *out)
{
    out->rate_bps = s->line_bps;
    out->cwnd_bytes = weft_cc_clamp_u64(s->cwnd, (uint64_t)s->mtu, UINT64_MAX / 2);
}

static void smartt_init(void *state, const void *raw, const struct weft_cc_env *env, int64_t now_ps,
                        struct weft_cc_out *out)
{
    const struct params *p = raw;
    struct state *s = state;
    memset(s, 0, sizeof *s);
    s->line_bps = env->line_rate_bps;
    s->mtu = (double)env->mtu_bytes;
    s->bdp = (double)(env->bdp_bytes > env->mtu_bytes ? env->bdp_bytes : env->mtu_bytes);
    s->max_wnd = weft_cc_clamp(p->max_window * s->bdp, s->mtu, 0x1p62);
    set_cwnd(s, p->first_window > 0 ? p->first_window * s->bdp : s->max_wnd);
    s->base_rtt_ps = env->base_rtt_ps > 0 ? (double)env->base_rtt_ps : 1.0;
    s->target_ps = p->target_rtts * s->base_rtt_ps;
    s->no_delay_ps = s->base_rtt_ps + (double)p->no_delay_ps;
    s->increase = p->increase > 0 ? p->increase : 1.0 / (p->target_rtts - 1.0);
    s->decrease = p->decrease > 0 ? p->decrease : env->trims ? 2.0 : 4.0;
    s->trims = env->trims;
    s->packet_timers = env->packet_timers;
    s->lost_ps = WEFT_NEVER;
    out->timer_at_ps = WEFT_NEVER;
    out->repace = false;
    smartt_publish(s, out);
}

/* Whether ACKs change nothing for now. */
static bool ignoring(const struct state *s)
{
    return s->ignored < s->to_ignore;
}

/* Whether the window was just set to what was achieved. */
static bool quick_adapt(struct state *s, const struct params *p, int64_t now_ps, double flight)
{
    if (now_ps < s->qa_end_ps)
        return false;
    const bool adapt = s->qa_asked && s->qa_end_ps;
    if (adapt) {
        set_cwnd(s, p->qa_scale * (s->achieved > s->mtu ? s->achieved : s->mtu));
        s->to_ignore = flight;
        s->ignored = 0;
        s->qa_asked = false;
    }
    s->achieved = 0;
    s->qa_end_ps = now_ps + (int64_t)weft_cc_clamp(s->target_ps, 1, 1e18);
    return adapt;
}

/* A packet of so many bytes was trimmed or lost. */
static void lost(struct state *s, double bytes)
{
    if (ignoring(s))
        return;
    set_cwnd(s, s->cwnd - bytes);
    s->qa_asked = true;
}

/* A packet was lost, and nothing says more. */
static void guess_loss(struct state *s, int64_t now_ps)
{
    if (weft_cc_loss_counts(&s->lost_ps, now_ps, s->base_rtt_ps, s->packet_timers))
        lost(s, s->mtu);
}

/* Whether an ACK of n bytes is one of many in a row without mark and delay. */
static bool fast_increase(struct state *s, const struct params *p, double n, bool mark)
{
    if (mark || s->rtt_ps > s->no_delay_ps) {
        s->fast_count = 0;
        s->fast = false;
        return false;
    }
    s->fast_count += n;
    s->fast = s->fast || s->fast_count > s->cwnd;
    if (s->fast)
        set_cwnd(s, s->cwnd + p->fast_increase * n);
    return s->fast;
}

/* The four cases. */
static void adjust(struct state *s, const struct params *p, double n, bool mark, bool can_decrease)
{
    const double over = (s->rtt_ps - s->target_ps) / s->rtt_ps;
    double step = 0;
    if (!mark) {
        if (over <= 0)
            step = -over * n / s->cwnd * s->mtu * s->increase;
        step = (step < n ? step : n) + p->fair_increase * s->bdp * n / s->cwnd;
    } else if (can_decrease) {
        step = -p->fair_decrease * n * s->cwnd / s->bdp;
        if (over > 0) {
            step -= s->decrease * over * n;
            step = step > -n ? step : -n;
        }
    }
    set_cwnd(s, s->cwnd + step);
}

static void smartt_on_ack(void *state, const void *raw, int64_t now_ps,
                          const struct weft_cc_ack *ack, struct weft_cc_out *out)
{
    const struct params *p = raw;
    struct state *s = state;
    const double n = (double)ack->received_bytes, flight = (double)ack->flight_bytes;
    s->ignored += n + (double)ack->trimmed_bytes;
    s->achieved += n;
    if (ack->trimmed_bytes)
        lost(s, (double)ack->trimmed_bytes);
    else if (ack->nack && !s->trims)
        guess_loss(s, now_ps);
    if (!ack->nack && ack->rtt_ps > 0) /* a NACK's packet is no sample */
        s->rtt_ps = (double)ack->rtt_ps;
    const bool sample = !ack->nack && ack->rtt_ps > 0, mark = ack->ecn_echo;
    const bool ignored = ignoring(s);
    if (!ignored || (p->ignore == IGNORE_MARKS && sample && !mark)) {
        if (sample)
            s->mark_share += p->mark_weight * ((mark ? 1.0 : 0.0) - s->mark_share);
        const bool adapted = !ignored && quick_adapt(s, p, now_ps, flight);
        if (!adapted && sample && !fast_increase(s, p, n, mark))
            adjust(s, p, n, mark, s->mark_share >= p->mark_threshold);
    }
    smartt_publish(s, out);
}

static void smartt_on_rto(void *state, const void *raw, int64_t now_ps, struct weft_cc_out *out)
{
    struct state *s = state;
    guess_loss(s, now_ps);
    smartt_publish(s, out);
}

static const struct weft_cc_marking marking = {
    "7500B", "30000B", "1", PAPER ": 20 and 80 % of a queue of one BDP, here of 12 us"};

static const struct weft_cc_observable observables[] = {
    {"cwnd", "bytes", "window"},
    {"mark-share", "1", "average share of marked packets, which decreases wait for"},
    {"rtt", "ps", "round trip of the last ACK"},
    {"target-rtt", "ps", "round trip that it steers to"},
    {"achieved", "bytes", "received since the last look at quick adapt"},
    {NULL, NULL, NULL}};

static void smartt_observe(const void *state, const void *raw, double *values)
{
    const struct state *s = state;
    values[0] = s->cwnd;
    values[1] = s->mark_share;
    values[2] = s->rtt_ps;
    values[3] = s->target_ps;
    values[4] = s->achieved;
}

static const struct weft_cc_moving moving[] = {WEFT_CC_MOVING(qa_end_ps, WEFT_CC_MOVES_TIME),
                                               WEFT_CC_MOVING(lost_ps, WEFT_CC_MOVES_TIME),
                                               WEFT_CC_MOVING_END};

static const struct weft_cc_replay replay = {
    .moving = moving,
};

const struct weft_cc_ops weft_cc_smartt = {
    .name = "smartt",
    .title = "SMaRTT (FASTFLOW): a window by marks and delay that adapts to what got through",
    .source = "Bonato et al.: FASTFLOW: Flexible Adaptive Congestion Control for High-Performance "
              "Datacenters, arXiv 2404.01630",
    .needs = WEFT_CC_NEEDS_ECN | WEFT_CC_NEEDS_ECN_ECHO | WEFT_CC_NEEDS_RTT |
             WEFT_CC_NEEDS_BASE_RTT | WEFT_CC_NEEDS_BDP,
    .multipath = true,
    .state_size = sizeof(struct state),
    .params = WEFT_PARAM_TABLE(params, struct params),
    .presets = weft_smartt_presets,
    .observables = observables,
    .marking = &marking,
    .init = smartt_init,
    .on_ack = smartt_on_ack,
    .on_rto = smartt_on_rto,
    .observe = smartt_observe,
    .replay = &replay,
};
