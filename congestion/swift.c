/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * swift: Swift (Kumar et al., "Swift: Delay is Simple and Effective for Congestion Control in the
 * Datacenter", SIGCOMM 2020): additive increase, multiplicative decrease around a target delay.
 *
 * cwnd counts full packets and may be a fraction of one. For each ACK with delay d (send to ACK):
 *
 *   target = base-target + hops hop-target + flow scaling
 *   flow scaling = fs_alpha / sqrt(cwnd) + fs_beta, within 0 .. fs-range, where
 *     fs_alpha = fs-range / (1/sqrt(fs-min-cwnd) - 1/sqrt(fs-max-cwnd)),
 *     fs_beta = -fs_alpha / sqrt(fs-max-cwnd)
 *   d < target:  cwnd += ai acked / cwnd, or ai acked below one packet
 *   otherwise:   cwnd *= max(1 - beta (d - target)/d, 1 - max-mdf), at most once per RTT
 *
 * A NACK (loss) multiplies by 1 - max-mdf, also at most once per RTT; so does a retransmission
 * timeout, until retx-reset of them in a row set min-cwnd. A window of one packet or more goes out
 * at line rate, clocked by ACKs; below, one packet leaves per RTT / cwnd.
 *
 * The receiver's NIC answers at once, so all delay is fabric delay: there is no second window for
 * the end host. Hops are the switches of the path. The window starts at one bandwidth-delay
 * product.
 */
#include "congestion/cc.h"
#include "congestion/cc_switch.h"
#include "congestion/cc_replay.h"
#include "congestion/window.h"

#include "base/scale.h"
#include "base/units.h"

#include <math.h>
#include <string.h>

struct params {
    double ai, beta, max_mdf;
    int64_t base_target_ps, hop_target_ps, fs_range_ps;
    double fs_min_cwnd, fs_max_cwnd, min_cwnd, max_cwnd;
    uint64_t retx_reset, timestamp_bytes;
};

/* The paper publishes the algorithm but not these constants. */
#define HTSIM "csg-htsim, swift.cpp"

static const struct weft_param params[] = {
    {WEFT_ROW_F64(struct params, ai, "ai", "1", "0.000001", "1000"),
     .help = "packets gained per RTT below the target",
     .source = HTSIM ", at 100 Gbps: a guess, the paper gives no value",
     .scale = WEFT_PER_LINE_RATE("100Gbps", "1", NULL)},
    {WEFT_ROW_F64(struct params, beta, "beta", "0.8", "0.001", "1"),
     .help = "strength of the decrease above the target",
     .source = HTSIM ": a guess, the paper gives no value"},
    {WEFT_ROW_F64(struct params, max_mdf, "max-mdf", "0.5", "0.001", "0.999"),
     .help = "largest share of the window that one decrease takes",
     .source = HTSIM ": a guess, the paper gives no value"},
    {WEFT_ROW_TIME(struct params, base_target_ps, "base-target", "20us", "1ns", "1s"),
     .help = "target delay without hops and flow scaling", .source = HTSIM},
    {WEFT_ROW_TIME(struct params, hop_target_ps, "hop-target", "3.053us", "0ps", "1s"),
     .help = "target delay added per switch of the path",
     .source = HTSIM ": base target / 6.55, a guess"},
    {WEFT_ROW_TIME(struct params, fs_range_ps, "fs-range", "100us", "0ps", "1s"),
     .help = "most target delay that flow scaling adds; 0: no flow scaling",
     .source = HTSIM ": 5 x base target"},
    {WEFT_ROW_F64(struct params, fs_min_cwnd, "fs-min-cwnd", "0.1", "0.0001", "1000"),
     .help = "window in packets at which flow scaling adds fs-range", .source = HTSIM,
     .needs = "fs-range!=0"},
    {WEFT_ROW_F64(struct params, fs_max_cwnd, "fs-max-cwnd", "100", "0.001", "10000000"),
     .help = "window in packets from which flow scaling adds nothing", .source = HTSIM,
     .needs = "fs-range!=0"},
    {WEFT_ROW_F64(struct params, min_cwnd, "min-cwnd", "0.01", "0.0001", "1"),
     .help = "smallest window in packets"},
    {WEFT_ROW_F64(struct params, max_cwnd, "max-cwnd", "0", "0", "10000000"),
     .help = "largest window in packets; 0: what line rate sends in the largest target delay"},
    {WEFT_ROW_U64(struct params, retx_reset, "retx-reset", "5", "1", "1000"),
     .help = "retransmission timeouts in a row that reset the window to min-cwnd",
     .source = HTSIM ": a guess, the paper gives no value"},
    {WEFT_ROW_SIZE(struct params, timestamp_bytes, "timestamp-bytes", "0B", "0B", "1000B"),
     .help = "bytes that a timestamp adds to each data packet, and its echo to each ACK; 0: the "
             "NIC keeps the send times"},
};

struct state {
    uint64_t line_bps;
    double mtu_bytes, mtu_wire_bytes;
    double cwnd, max_cwnd; /* packets */
    double fixed_target_ps, fs_alpha_ps, fs_beta_ps;
    double rtt_ps, target_ps; /* of the last ACK */
    int64_t decreased_ps;     /* time of the last decrease */
    bool decreased;
    uint64_t timeouts; /* in a row */
};

static int swift_check(const void *raw, struct weft_err *err)
{
    const struct params *p = raw;
    if (p->fs_min_cwnd >= p->fs_max_cwnd)
        return weft_err_set(err, WEFT_E_INPUT, "swift: fs-min-cwnd must be below fs-max-cwnd");
    if (p->max_cwnd > 0 && p->max_cwnd < p->min_cwnd)
        return weft_err_set(err, WEFT_E_INPUT, "swift: max-cwnd must not be below min-cwnd");
    return 0;
}

static double target_ps(const struct state *s, const struct params *p)
{
    double fs = s->fs_alpha_ps / sqrt(s->cwnd) + s->fs_beta_ps;
    return s->fixed_target_ps + weft_cc_clamp(fs, 0, (double)p->fs_range_ps);
}

static void swift_publish(const struct state *s, struct weft_cc_out *out)
{
    out->cwnd_bytes = weft_cc_clamp_u64(s->cwnd * s->mtu_bytes, (uint64_t)s->mtu_bytes, UINT64_MAX);
    out->rate_bps = s->line_bps;
    if (s->cwnd < 1)
        out->rate_bps =
            weft_cc_clamp_u64(s->mtu_wire_bytes * 8e12 * s->cwnd / s->rtt_ps, 1, s->line_bps);
}

static void swift_init(void *state, const void *raw, const struct weft_cc_env *env, int64_t now_ps,
                       struct weft_cc_out *out)
{
    const struct params *p = raw;
    struct state *s = state;
    memset(s, 0, sizeof *s);
    s->line_bps = env->line_rate_bps;
    s->mtu_bytes = (double)env->mtu_bytes;
    s->mtu_wire_bytes = (double)env->mtu_wire_bytes;
    s->rtt_ps = env->base_rtt_ps > 0 ? (double)env->base_rtt_ps : 1.0;
    s->fixed_target_ps = (double)p->base_target_ps + (double)env->hops * (double)p->hop_target_ps;
    s->fs_alpha_ps =
        (double)p->fs_range_ps / (1.0 / sqrt(p->fs_min_cwnd) - 1.0 / sqrt(p->fs_max_cwnd));
    s->fs_beta_ps = -s->fs_alpha_ps / sqrt(p->fs_max_cwnd);
    double fill = (double)s->line_bps * (s->fixed_target_ps + (double)p->fs_range_ps) / 8e12;
    s->max_cwnd = p->max_cwnd > 0 ? p->max_cwnd : weft_cc_clamp(fill / s->mtu_wire_bytes, 1, 1e12);
    s->cwnd = weft_cc_clamp((double)env->bdp_bytes / s->mtu_bytes, 1, 1e12);
    s->cwnd = weft_cc_clamp(s->cwnd, p->min_cwnd, s->max_cwnd);
    s->target_ps = target_ps(s, p);
    out->timer_at_ps = WEFT_NEVER;
    out->repace = false;
    swift_publish(s, out);
}

static bool can_decrease(const struct state *s, int64_t now_ps)
{
    return !s->decreased || (double)(now_ps - s->decreased_ps) >= s->rtt_ps;
}

/* Sets the window and remembers when it shrank. */
static void set_cwnd(struct state *s, const struct params *p, int64_t now_ps, double cwnd)
{
    double was = s->cwnd;
    s->cwnd = weft_cc_clamp(cwnd, p->min_cwnd, s->max_cwnd);
    if (s->cwnd < was) {
        s->decreased = true;
        s->decreased_ps = now_ps;
    }
}

static void swift_on_ack(void *state, const void *raw, int64_t now_ps,
                         const struct weft_cc_ack *ack, struct weft_cc_out *out)
{
    const struct params *p = raw;
    struct state *s = state;
    double delay = (double)ack->rtt_ps;
    double acked = (double)ack->acked_bytes / s->mtu_bytes;
    s->timeouts = 0;
    if (ack->rtt_ps > 0)
        s->rtt_ps = delay;
    s->target_ps = target_ps(s, p);
    if (ack->nack) {
        if (can_decrease(s, now_ps))
            set_cwnd(s, p, now_ps, s->cwnd * (1.0 - p->max_mdf));
    } else if (delay < s->target_ps) {
        double gain = p->ai * acked;
        set_cwnd(s, p, now_ps, s->cwnd + (s->cwnd >= 1 ? gain / s->cwnd : gain));
    } else if (can_decrease(s, now_ps)) {
        double keep = 1.0 - p->beta * (delay - s->target_ps) / delay;
        set_cwnd(s, p, now_ps, s->cwnd * weft_cc_clamp(keep, 1.0 - p->max_mdf, 1.0));
    }
    swift_publish(s, out);
}

static void swift_on_rto(void *state, const void *raw, int64_t now_ps, struct weft_cc_out *out)
{
    const struct params *p = raw;
    struct state *s = state;
    if (++s->timeouts >= p->retx_reset)
        set_cwnd(s, p, now_ps, p->min_cwnd);
    else if (can_decrease(s, now_ps))
        set_cwnd(s, p, now_ps, s->cwnd * (1.0 - p->max_mdf));
    swift_publish(s, out);
}

static void swift_signals(const void *raw, struct weft_cc_signals *out)
{
    const struct params *p = raw;
    *out = weft_cc_echoed(p->timestamp_bytes);
}

static const struct weft_cc_observable observables[] = {
    {"cwnd", "packets", "window, which may be less than one packet"},
    {"target-delay", "ps", "delay that it steers to, with what hops and small windows add"},
    {"rtt", "ps", "delay of the last ACK"},
    {NULL, NULL, NULL}};

static void swift_observe(const void *state, const void *raw, double *values)
{
    const struct state *s = state;
    values[0] = s->cwnd;
    values[1] = s->target_ps;
    values[2] = s->rtt_ps;
}

static const struct weft_cc_moving moving[] = {WEFT_CC_MOVING(decreased_ps, WEFT_CC_MOVES_TIME),
                                               WEFT_CC_MOVING_END};

static const struct weft_cc_replay replay = {
    .moving = moving,
};

const struct weft_cc_ops weft_cc_swift = {
    .name = "swift",
    .title = "Swift: a window around a target delay",
    .source = "Kumar et al.: Swift: Delay is Simple and Effective for Congestion Control in the "
              "Datacenter, SIGCOMM 2020",
    .needs = WEFT_CC_NEEDS_RTT | WEFT_CC_NEEDS_BASE_RTT | WEFT_CC_NEEDS_BDP,
    .state_size = sizeof(struct state),
    .params = WEFT_PARAM_TABLE(params, struct params),
    .observables = observables,
    .check = swift_check,
    .init = swift_init,
    .on_ack = swift_on_ack,
    .on_rto = swift_on_rto,
    .signals = swift_signals,
    .observe = swift_observe,
    .replay = &replay,
};
