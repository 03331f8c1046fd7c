/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * timely: TIMELY (Mittal et al., "TIMELY: RTT-based Congestion Control for the Datacenter",
 * SIGCOMM 2015), in two dialects.
 *
 * Both adjust a rate from RTT samples: diff = (1-alpha) diff + alpha (rtt - rtt before), gradient =
 * diff / min-rtt, then
 *
 *   rtt < t-low:   additive increase
 *   rtt > t-high:  rate (1 - beta (1 - t-high/rtt))
 *   gradient <= 0: additive increase, hyperactive after `hai-after` in a row
 *   else:          rate (1 - beta gradient), never negative
 *
 * and bound the rate to min-rate .. line rate, where it starts. The first sample only becomes the
 * "rtt before". A sample is the time from the start of a data packet's transmission to its ACK.
 *
 * mode=paper: a sample counts for each completed `segment` of acknowledged bytes (0: once per
 *   round trip). Hyperactive increase is hai-factor times rate-ai, from the hai-after'th
 *   consecutive increase by gradient on; an increase below t-low is always rate-ai and, like a
 *   decrease, starts the count anew. The paper measures the RTT of whole segments less their
 *   serialisation time; here it is the RTT of the segment's last packet.
 * mode=hpcc, what the HPCC simulator does (its CC_MODE 7): a sample counts with the first ACK for
 *   data sent after the last one that counted; increases of either kind are counted, the first
 *   hai-after add rate-ai, later ones rate-hai. run.py's preset "timely": min-rate 1000Mbps.
 */
#include "congestion/cc.h"
#include "congestion/cc_switch.h"
#include "congestion/cc_replay.h"
#include "congestion/presets.h"
#include "congestion/window.h"

#include "base/scale.h"
#include "base/units.h"

#include <string.h>

enum mode { MODE_PAPER, MODE_HPCC };

struct params {
    int mode;
    double alpha, beta;
    int64_t t_low_ps, t_high_ps, min_rtt_ps;
    uint64_t rate_ai_bps, min_rate_bps;
    uint64_t hai_after;
    uint64_t timestamp_bytes;
    int window;
    uint64_t hai_factor, segment_bytes; /* paper */
    uint64_t rate_hai_bps;              /* hpcc */
};

#define PAPER "Mittal et al., SIGCOMM 2015"
#define HPCC_SIM "HPCC simulator, rdma-hw.cc"

static const struct weft_param params[] = {
    {WEFT_ROW_ENUM(struct params, mode, "mode", "paper", "paper|hpcc"),
     .help = "paper: the SIGCOMM 2015 algorithm; hpcc: as the HPCC simulator does it"},
    {WEFT_ROW_F64(struct params, alpha, "alpha", "0.875", "0.001", "1"),
     .help = "weight of the newest RTT difference", .source = HPCC_SIM " (TmlyAlpha)"},
    {WEFT_ROW_F64(struct params, beta, "beta", "0.8", "0.001", "1"),
     .help = "strength of the multiplicative decrease", .source = PAPER},
    {WEFT_ROW_TIME(struct params, t_low_ps, "t-low", "50us", "0ps", "1s"),
     .help = "RTT below which the rate always rises",
     .source = PAPER ", where the least RTT is 20 us", .scale = WEFT_PER_BASE_RTT("20us")},
    {WEFT_ROW_TIME(struct params, t_high_ps, "t-high", "500us", "0ps", "1s"),
     .help = "RTT above which the rate always falls",
     .source = PAPER ", where the least RTT is 20 us", .scale = WEFT_PER_BASE_RTT("20us")},
    {WEFT_ROW_TIME(struct params, min_rtt_ps, "min-rtt", "20us", "0ps", "1s"),
     .help = "scale of the gradient; 0: the path's base RTT",
     .source = HPCC_SIM " (TmlyMinRtt): 20us, about twice the base RTT of one switch",
     .scale = WEFT_PER_BASE_RTT("10us")},
    {WEFT_ROW_RATE(struct params, rate_ai_bps, "rate-ai", "25Mbps", "0bps", NULL),
     .help = "rate gained per additive increase",
     .source = "weft; " PAPER " and the HPCC simulator's run.py: 10 Mbps per 10 Gbps",
     .scale = WEFT_PER_LINE_RATE("10Gbps", NULL, NULL)},
    {WEFT_ROW_RATE(struct params, min_rate_bps, "min-rate", "100Mbps", "1bps", NULL),
     .help = "no adjustment goes below this rate",
     .source = HPCC_SIM " (attribute MinRate), at 10 Gbps",
     .scale = WEFT_PER_LINE_RATE("10Gbps", NULL, NULL)},
    {WEFT_ROW_U64(struct params, hai_after, "hai-after", "5", "0", "1000000"),
     .help = "increases in a row before they become hyperactive", .source = PAPER},
    {WEFT_ROW_SIZE(struct params, timestamp_bytes, "timestamp-bytes", "0B", "0B", "1000B"),
     .help = "bytes that a timestamp adds to each data packet, and its echo to each ACK; 0: the "
             "NIC keeps the send times",
     .source = "8B in the HPCC simulator"},
    {WEFT_ROW_ENUM(struct params, window, "window", "none", WEFT_CC_WINDOW_CHOICES),
     .help = WEFT_CC_WINDOW_HELP, .source = HPCC_SIM " (HAS_WIN, VAR_WIN)"},
    {WEFT_ROW_U64(struct params, hai_factor, "hai-factor", "5", "1", "1000"),
     .help = "mode=paper: N, a hyperactive increase is this times rate-ai", .source = PAPER,
     .needs = "mode=paper"},
    {WEFT_ROW_SIZE(struct params, segment_bytes, "segment", "16KB", "0B", NULL),
     .help = "mode=paper: acknowledged bytes per RTT sample; 0: one sample per round trip",
     .source = PAPER ": segments of 16 to 64 KB", .needs = "mode=paper"},
    {WEFT_ROW_RATE(struct params, rate_hai_bps, "rate-hai", "50Mbps", "0bps", NULL),
     .help = "mode=hpcc: rate gained per hyperactive increase", .source = "HPCC simulator, run.py",
     .needs = "mode=hpcc", .scale = WEFT_PER_LINE_RATE("10Gbps", NULL, NULL)},
};

struct state {
    uint64_t line_bps, min_bps, ai_bps, hai_bps, bdp_bytes, mtu_bytes;
    int64_t min_rtt_ps;
    uint64_t rate_bps;
    uint64_t gate_bytes; /* the next sample counts with an ACK beyond this */
    bool seen;           /* a sample has counted */
    int64_t rtt_ps;      /* the last sample that counted */
    double diff_ps;
    uint64_t rises; /* increases in a row */
};

static unsigned needs_now(const void *raw)
{
    const struct params *p = raw;
    return WEFT_CC_NEEDS_RTT | weft_cc_window_needs(p->window) |
           (p->min_rtt_ps == 0 ? WEFT_CC_NEEDS_BASE_RTT : 0);
}

static int timely_check(const void *raw, struct weft_err *err)
{
    const struct params *p = raw;
    const bool consistent = p->t_low_ps >= 0 && p->t_high_ps >= 0;
    if (consistent && p->t_low_ps > p->t_high_ps)
        return weft_err_set(err, WEFT_E_INPUT, "timely: t-low must not be above t-high");
    return 0;
}

static void timely_publish(const struct state *s, const struct params *p, struct weft_cc_out *out)
{
    out->rate_bps = s->rate_bps ? s->rate_bps : 1;
    out->cwnd_bytes =
        weft_cc_window_bytes(p->window, s->bdp_bytes, s->mtu_bytes, s->rate_bps, s->line_bps);
}

static void timely_init(void *state, const void *raw, const struct weft_cc_env *env, int64_t now_ps,
                        struct weft_cc_out *out)
{
    const struct params *p = raw;
    struct state *s = state;
    memset(s, 0, sizeof *s);
    s->line_bps = s->rate_bps = env->line_rate_bps;
    s->min_bps = p->min_rate_bps < s->line_bps ? p->min_rate_bps : s->line_bps;
    s->ai_bps = p->rate_ai_bps;
    s->hai_bps = p->rate_hai_bps;
    if (p->mode == MODE_PAPER)
        s->hai_bps =
            s->ai_bps <= s->line_bps / p->hai_factor ? p->hai_factor * s->ai_bps : s->line_bps;
    s->bdp_bytes = env->bdp_bytes;
    s->mtu_bytes = env->mtu_bytes;
    s->min_rtt_ps = p->min_rtt_ps ? p->min_rtt_ps : env->base_rtt_ps;
    if (s->min_rtt_ps < 1)
        s->min_rtt_ps = 1;
    if (p->mode == MODE_PAPER && p->segment_bytes)
        s->gate_bytes = p->segment_bytes - 1;
    out->timer_at_ps = WEFT_NEVER;
    out->repace = false;
    timely_publish(s, p, out);
}

/* Adds to the rate; `steep` tells an increase by gradient from one below t-low. */
static void rise(struct state *s, const struct params *p, bool steep)
{
    bool hai;
    if (p->mode == MODE_HPCC)
        hai = s->rises++ >= p->hai_after;
    else if (steep)
        hai = ++s->rises >= p->hai_after;
    else
        hai = (s->rises = 0);
    uint64_t step = hai ? s->hai_bps : s->ai_bps;
    s->rate_bps = step < s->line_bps - s->rate_bps ? s->rate_bps + step : s->line_bps;
}

static void fall(struct state *s, double factor)
{
    s->rises = 0;
    s->rate_bps = weft_cc_clamp_u64((double)s->rate_bps * factor, s->min_bps, s->line_bps);
}

static void take_sample(struct state *s, const struct params *p, int64_t rtt_ps)
{
    double rtt = (double)rtt_ps;
    if (s->seen) {
        double change = rtt - (double)s->rtt_ps;
        s->diff_ps = (1.0 - p->alpha) * s->diff_ps + p->alpha * change;
        double gradient = s->diff_ps / (double)s->min_rtt_ps;
        if (rtt_ps < p->t_low_ps)
            rise(s, p, false);
        else if (rtt_ps > p->t_high_ps)
            fall(s, 1.0 - p->beta * (1.0 - (double)p->t_high_ps / rtt));
        else if (gradient <= 0)
            rise(s, p, true);
        else
            fall(s, weft_cc_clamp(1.0 - p->beta * gradient, 0, 1));
    }
    s->seen = true;
    s->rtt_ps = rtt_ps;
}

static void timely_on_ack(void *state, const void *raw, int64_t now_ps,
                          const struct weft_cc_ack *ack, struct weft_cc_out *out)
{
    const struct params *p = raw;
    struct state *s = state;
    if (ack->una_bytes <= s->gate_bytes)
        return;
    take_sample(s, p, ack->rtt_ps);
    if (p->mode == MODE_PAPER && p->segment_bytes)
        s->gate_bytes += (ack->una_bytes - s->gate_bytes + p->segment_bytes - 1) /
                         p->segment_bytes * p->segment_bytes;
    else if (ack->nxt_bytes > s->gate_bytes)
        s->gate_bytes = ack->nxt_bytes;
    timely_publish(s, p, out);
}

static void timely_signals(const void *raw, struct weft_cc_signals *out)
{
    const struct params *p = raw;
    *out = weft_cc_echoed(p->timestamp_bytes);
}

static const struct weft_cc_observable observables[] = {
    {"rtt", "ps", "last round-trip time"},
    {"gradient", "1", "smoothed change of the RTT per sample, over the least RTT"},
    {"increases", "1", "additive increases in a row"},
    {NULL, NULL, NULL}};

static void timely_observe(const void *state, const void *raw, double *values)
{
    const struct state *s = state;
    values[0] = (double)s->rtt_ps;
    values[1] = s->diff_ps / (double)s->min_rtt_ps;
    values[2] = (double)s->rises;
}

static const struct weft_cc_moving moving[] = {WEFT_CC_MOVING(gate_bytes, WEFT_CC_MOVES_BYTES),
                                               WEFT_CC_MOVING_END};

static const struct weft_cc_replay replay = {
    .moving = moving,
    /* Zhu et al.: ECN or Delay: Lessons Learnt from Analysis of DCQCN and TIMELY, CoNEXT 2016 */
    .unsettled = "flows under TIMELY come to rest at any rates, so that none can be foretold",
};

const struct weft_cc_ops weft_cc_timely = {
    .name = "timely",
    .title = "TIMELY: a rate from the gradient of the RTT",
    .source =
        "Mittal et al.: TIMELY: RTT-based Congestion Control for the Datacenter, SIGCOMM 2015",
    .needs = WEFT_CC_NEEDS_RTT | WEFT_CC_NEEDS_BASE_RTT | WEFT_CC_NEEDS_BDP,
    .needs_now = needs_now,
    .state_size = sizeof(struct state),
    .params = WEFT_PARAM_TABLE(params, struct params),
    .presets = weft_timely_presets,
    .observables = observables,
    .check = timely_check,
    .init = timely_init,
    .on_ack = timely_on_ack,
    .signals = timely_signals,
    .observe = timely_observe,
    .replay = &replay,
};
