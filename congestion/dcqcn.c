/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dcqcn: DCQCN (Zhu et al., "Congestion control for large-scale RDMA deployments", SIGCOMM 2015),
 * in three dialects.
 *
 * mode=paper
 *
 * - The receiver (NP) sends CNP packets, at most one per QP in cnp-interval.
 * - At each CNP the sender (RP) sets target = rate; rate = rate (1 - alpha/2);
 *   alpha = (1-g) alpha + g, and starts the rate timer, the byte counter and their counts anew.
 * - Whenever alpha-timer passes without a CNP: alpha = (1-g) alpha.
 * - At each expiry of the rate timer (counted by T) and of the byte counter (counted by B), after
 *   counting: max(T,B) <= F is fast recovery (target stays), min(T,B) > F hyper increase
 *   (target += rate-hai), else additive increase (target += rate-ai); then
 *   rate = (rate + target) / 2. So there are F rounds of fast recovery.
 * - The paper gives no R_HAI and no minimum rate.
 *
 * mode=hpcc, what the HPCC simulator does (its CC_MODE 1)
 *
 * - A CNP is a flag on the ACK of each marked packet.
 * - From the first CNP at t0 two clocks run for ever. At t0 + k alpha-timer:
 *   alpha = (1-g) alpha + g if a CNP came since the last tick, else (1-g) alpha. At
 *   t0 + 1 ns + m decrease-interval, if a CNP came since the last tick: rate = rate (1 - alpha/2),
 *   and target = the old rate if the rate timer has expired since the last cut (or always, with
 *   clamp-target). The first CNP itself cuts nothing and does not count for alpha.
 * - A cut restarts the rate timer; its first F expiries are fast recovery, the next additive
 *   increase, the rest hyper increase. There is no byte counter.
 * - Rates are whole bit/s; the two halves of the mean are rounded down one by one.
 * - run.py's preset "dcqcn" for a NIC of B Gbps: alpha-timer 1us, rate-timer 300us,
 *   fast-recovery 1, rate-ai B/5 Mbps, rate-hai 2B Mbps, min-rate 1000Mbps.
 *
 * mode=nic, what NVIDIA documents of its ConnectX NICs ("DCQCN Parameters")
 *
 * - CNPs as in mode=paper: min_time_between_cnps is cnp-interval.
 * - alpha and cuts by clocks as in mode=hpcc: dce_tcp_rtt is alpha-timer, dce_tcp_g 1024 (1 -
 * gain), rate_reduce_monitor_period decrease-interval, clamp_tgt_rate clamp-target and
 *   rate_to_set_on_first_cnp first-cnp-rate; with rpg_gd 11 a cut takes alpha/2.
 * - The increase as in mode=paper: rpg_time_reset is rate-timer, rpg_byte_reset byte-counter in
 *   units of 64 bytes, rpg_threshold fast-recovery, rpg_ai_rate and rpg_hai_rate the increases.
 *   rpg_min_dec_fac is 50 %, which alpha/2 keeps by itself. What the firmware does within a stage
 *   is not published: that is the paper's.
 *
 * All start at line rate; until the first CNP nothing changes. No timer costs an event: alpha,
 * rate and target are caught up inside the hooks, in O(log gap), to the value that stepwise timers
 * give, and how often the hooks are called does not change it. A timer that expires at the time of
 * a CNP or a send acts first; a rate-timer expiry acts before a cut at the same time.
 */
#include "congestion/cc.h"
#include "congestion/cc_marking.h"
#include "congestion/cc_replay.h"
#include "congestion/lazy.h"
#include "congestion/presets.h"
#include "congestion/window.h"

#include "base/scale.h"
#include "base/units.h"

#include <string.h>

enum mode { MODE_PAPER, MODE_HPCC, MODE_NIC };

struct params {
    int mode;
    double gain;
    uint64_t rate_ai_bps, rate_hai_bps, min_rate_bps;
    uint64_t fast_recovery;
    int64_t alpha_timer_ps, rate_timer_ps;
    int window;
    int64_t cnp_interval_ps;      /* paper, nic */
    uint64_t byte_counter_bytes;  /* paper, nic */
    int64_t decrease_interval_ps; /* hpcc, nic */
    bool clamp_target;            /* hpcc, nic */
    double first_cnp_rate;        /* hpcc, nic */
};

#define PAPER "Zhu et al., SIGCOMM 2015"
#define HPCC_SIM "HPCC simulator, rdma-hw.cc"

static const struct weft_param params[] = {
    {WEFT_ROW_ENUM(struct params, mode, "mode", "paper", "paper|hpcc|nic"),
     .help = "paper: the SIGCOMM 2015 algorithm; hpcc: as the HPCC simulator does it; nic: as "
             "NVIDIA documents its NICs"},
    {WEFT_ROW_F64(struct params, gain, "gain", "1/256", "0.000001", "1"),
     .help = "g: weight of the newest CNP in alpha", .source = PAPER},
    {WEFT_ROW_RATE(struct params, rate_ai_bps, "rate-ai", "40Mbps", "0bps", NULL),
     .help = "R_AI: target rate gained per additive increase",
     .source = "weft: " PAPER " has 40 Mbps on 40 Gbps links, for flows of seconds",
     .scale = WEFT_PER_LINE_RATE("10Gbps", NULL, NULL)},
    {WEFT_ROW_RATE(struct params, rate_hai_bps, "rate-hai", "400Mbps", "0bps", NULL),
     .help = "R_HAI: target rate gained per hyper increase",
     .source = "10 x rate-ai, the ratio of IEEE 802.1Qau's defaults; the paper gives none",
     .scale = WEFT_PER_LINE_RATE("10Gbps", NULL, NULL)},
    {WEFT_ROW_RATE(struct params, min_rate_bps, "min-rate", "100Mbps", "1Mbps", NULL),
     .help = "no cut goes below this rate", .source = HPCC_SIM " (attribute MinRate)"},
    {WEFT_ROW_U64(struct params, fast_recovery, "fast-recovery", "5", "0", "1000"),
     .help = "F: rounds of fast recovery after a cut", .source = PAPER},
    {WEFT_ROW_TIME(struct params, alpha_timer_ps, "alpha-timer", "55us", "1ns", "1s"),
     .help = "paper: alpha decays after each such time without a CNP (K); hpcc, nic: period of the "
             "alpha clock",
     .source = PAPER ", on 40 Gbps links; least: 1.1 x that of cnp-interval",
     .scale = WEFT_PER_LINE_TIME("40Gbps", "6.6us", "55us")},
    {WEFT_ROW_TIME(struct params, rate_timer_ps, "rate-timer", "55us", "1ns", "1s"),
     .help = "T: time between rate increases, counted from the last cut",
     .source = PAPER ", on 40 Gbps links; least: weft",
     .scale = WEFT_PER_LINE_TIME("40Gbps", "4.4us", "55us")},
    {WEFT_ROW_ENUM(struct params, window, "window", "none", WEFT_CC_WINDOW_CHOICES),
     .help = WEFT_CC_WINDOW_HELP, .source = HPCC_SIM " (HAS_WIN, VAR_WIN)"},
    {WEFT_ROW_TIME(struct params, cnp_interval_ps, "cnp-interval", "50us", "0ps", "1s"),
     .help = "mode=paper, nic: the receiver sends at most one CNP per QP in this time; 0: one per "
             "marked packet",
     .source = PAPER
     ", on 40 Gbps links; least: weft, so that a cut shows before the next (NVIDIA DOCA: 4us)",
     .needs = "mode=paper|nic", .scale = WEFT_PER_LINE_TIME("40Gbps", "6us", "50us")},
    {WEFT_ROW_SIZE(struct params, byte_counter_bytes, "byte-counter", "10MB", "0B", NULL),
     .help = "mode=paper, nic: wire bytes sent between rate increases; 0: no byte counter",
     .source = PAPER, .needs = "mode=paper|nic"},
    {WEFT_ROW_TIME(struct params, decrease_interval_ps, "decrease-interval", "4us", "1ns", "1s"),
     .help = "mode=hpcc, nic: period of the clock that cuts the rate",
     .source = HPCC_SIM " (RATE_DECREASE_INTERVAL)", .needs = "mode=hpcc|nic"},
    {WEFT_ROW_BOOL(struct params, clamp_target, "clamp-target", "false"),
     .help = "mode=hpcc, nic: every cut sets the target rate, also back-to-back ones",
     .source = HPCC_SIM " (CLAMP_TARGET_RATE)", .needs = "mode=hpcc|nic"},
    {WEFT_ROW_F64(struct params, first_cnp_rate, "first-cnp-rate", "1", "0.001", "1"),
     .help = "mode=hpcc, nic: the first CNP multiplies the rate by this",
     .source = HPCC_SIM " (RateOnFirstCnp)", .needs = "mode=hpcc|nic"},
};

/* hpcc, nic: the cutting clock runs this much after the alpha clock. */
#define CUT_OFFSET_PS INT64_C(1000)

struct state {
    uint64_t line_bps, min_bps, bdp_bytes, mtu_bytes;
    struct weft_cc_rates r; /* current and target rate */
    int64_t seen_ps;        /* time of the last hook */
    int64_t timer_ps;       /* last expiry or restart of the rate timer; WEFT_NEVER: stopped */
    uint64_t timer_n;       /* its expiries since the last cut */
    uint64_t bytes,
        byte_n; /* paper, nic: bytes since the byte counter's last expiry; its expiries */
    double alpha;
    int64_t alpha_ps;    /* paper: time of the last CNP. hpcc, nic: time of the first CNP, t0 */
    uint64_t alpha_tick; /* hpcc, nic: alpha holds as of this tick of the alpha clock */
    int64_t cut_ps; /* hpcc, nic: when the cut that is due will be made; WEFT_NEVER: none due */
    bool active;    /* a CNP has come */
    bool alpha_cnp; /* hpcc, nic: a CNP came since tick alpha_tick */
};

static unsigned needs_now(const void *raw)
{
    const struct params *p = raw;
    return WEFT_CC_NEEDS_ECN | WEFT_CC_NEEDS_CNP | weft_cc_window_needs(p->window);
}

/* Writes rate and window. */
static void dcqcn_publish(const struct state *s, const struct params *p, struct weft_cc_out *out)
{
    out->rate_bps = s->r.rate_bps ? s->r.rate_bps : 1; /* halves of 1 bit/s round to 0 */
    out->cwnd_bytes =
        weft_cc_window_bytes(p->window, s->bdp_bytes, s->mtu_bytes, s->r.rate_bps, s->line_bps);
}

static void dcqcn_init(void *state, const void *raw, const struct weft_cc_env *env, int64_t now_ps,
                       struct weft_cc_out *out)
{
    const struct params *p = raw;
    struct state *s = state;
    memset(s, 0, sizeof *s);
    s->line_bps = env->line_rate_bps;
    s->min_bps = p->min_rate_bps < env->line_rate_bps ? p->min_rate_bps : env->line_rate_bps;
    s->bdp_bytes = env->bdp_bytes;
    s->mtu_bytes = env->mtu_bytes;
    s->r = (struct weft_cc_rates){env->line_rate_bps, env->line_rate_bps};
    s->alpha = 1.0;
    s->seen_ps = now_ps;
    s->timer_ps = s->cut_ps = WEFT_NEVER;
    out->timer_at_ps = WEFT_NEVER;
    out->repace = false;
    dcqcn_publish(s, p, out);
}

static uint64_t at_most(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static void climb(struct state *s, const struct params *p, uint64_t step_bps, uint64_t n)
{
    weft_cc_climb(&s->r, s->line_bps, step_bps, n, p->mode == MODE_HPCC);
}

/* paper, nic: `n` expiries of the counter *mine while the other stands still. */
static void expire_paper(struct state *s, const struct params *p, uint64_t *mine, uint64_t other,
                         uint64_t n)
{
    uint64_t f = p->fast_recovery;
    uint64_t early = *mine < f ? at_most(n, f - *mine) : 0;
    climb(s, p, other > f ? p->rate_ai_bps : 0, early);
    climb(s, p, other > f ? p->rate_hai_bps : p->rate_ai_bps, n - early);
    *mine += n;
}

/* hpcc: `n` expiries of the rate timer. */
static void expire_hpcc(struct state *s, const struct params *p, uint64_t n)
{
    uint64_t f = p->fast_recovery;
    uint64_t fast = s->timer_n < f ? at_most(n, f - s->timer_n) : 0;
    uint64_t additive = s->timer_n <= f ? at_most(n - fast, 1) : 0;
    climb(s, p, 0, fast);
    climb(s, p, p->rate_ai_bps, additive);
    climb(s, p, p->rate_hai_bps, n - fast - additive);
    s->timer_n += n;
}

/* The rate timer's expiries up to and including now. */
static void run_timer(struct state *s, const struct params *p, int64_t now_ps)
{
    if (s->timer_ps == WEFT_NEVER)
        return;
    uint64_t n = weft_cc_expiries(s->timer_ps, now_ps, p->rate_timer_ps);
    if (n == 0)
        return;
    if (p->mode == MODE_HPCC)
        expire_hpcc(s, p, n);
    else
        expire_paper(s, p, &s->timer_n, s->byte_n, n);
    s->timer_ps += (int64_t)n * p->rate_timer_ps;
}

/* hpcc, nic: alpha as of tick `tick` >= alpha_tick. */
static double alpha_at_tick(const struct state *s, const struct params *p, uint64_t tick)
{
    uint64_t n = tick - s->alpha_tick;
    double alpha = s->alpha;
    if (n > 0 && s->alpha_cnp) {
        alpha = (1.0 - p->gain) * alpha + p->gain;
        n--;
    }
    return n ? alpha * weft_cc_pow(1.0 - p->gain, n) : alpha;
}

/* alpha as of now. */
static double alpha_at(const struct state *s, const struct params *p, int64_t now_ps)
{
    if (!s->active)
        return s->alpha;
    uint64_t n = weft_cc_expiries(s->alpha_ps, now_ps, p->alpha_timer_ps);
    return p->mode == MODE_PAPER ? s->alpha * weft_cc_pow(1.0 - p->gain, n)
                                 : alpha_at_tick(s, p, n);
}

/* Cuts the rate at `at_ps` and restarts the increase. */
static void dcqcn_cut(struct state *s, const struct params *p, int64_t at_ps, double alpha)
{
    if (p->mode == MODE_PAPER || p->clamp_target || s->timer_n > 0 || s->byte_n > 0)
        s->r.target_bps = s->r.rate_bps;
    uint64_t rate = (uint64_t)((double)s->r.rate_bps * (1.0 - alpha / 2.0));
    s->r.rate_bps = rate > s->min_bps ? rate : s->min_bps;
    s->timer_ps = at_ps;
    s->timer_n = s->byte_n = s->bytes = 0;
}

/* Lets every timer expire up to and including now. */
static void dcqcn_advance(struct state *s, const struct params *p, int64_t now_ps)
{
    s->seen_ps = now_ps;
    if (s->cut_ps <= now_ps) {
        run_timer(s, p, s->cut_ps);
        dcqcn_cut(s, p, s->cut_ps, alpha_at(s, p, s->cut_ps));
        s->cut_ps = WEFT_NEVER;
    }
    run_timer(s, p, now_ps);
}

static void before_send(void *state, const void *raw, int64_t now_ps, struct weft_cc_out *out)
{
    dcqcn_advance(state, raw, now_ps);
    dcqcn_publish(state, raw, out);
}

static void dcqcn_on_send(void *state, const void *raw, int64_t now_ps, uint32_t wire_bytes,
                          struct weft_cc_out *out)
{
    const struct params *p = raw;
    struct state *s = state;
    dcqcn_advance(s, p, now_ps);
    if (p->mode != MODE_HPCC && s->active && p->byte_counter_bytes > 0) {
        s->bytes += wire_bytes;
        uint64_t n = s->bytes / p->byte_counter_bytes;
        s->bytes -= n * p->byte_counter_bytes;
        expire_paper(s, p, &s->byte_n, s->timer_n, n);
    }
    dcqcn_publish(s, p, out);
}

static void cnp_paper(struct state *s, const struct params *p, int64_t now_ps)
{
    double alpha = alpha_at(s, p, now_ps);
    dcqcn_cut(s, p, now_ps, alpha);
    s->alpha = (1.0 - p->gain) * alpha + p->gain;
    s->alpha_ps = now_ps;
    s->active = true;
}

static void cnp_hpcc(struct state *s, const struct params *p, int64_t now_ps)
{
    if (!s->active) {
        s->active = true;
        s->alpha_ps = now_ps;
        uint64_t rate = (uint64_t)((double)s->r.rate_bps * p->first_cnp_rate);
        s->r.rate_bps = s->r.target_bps = rate > s->min_bps ? rate : s->min_bps;
        s->cut_ps = now_ps + CUT_OFFSET_PS + p->decrease_interval_ps;
        return;
    }
    uint64_t tick = weft_cc_expiries(s->alpha_ps, now_ps, p->alpha_timer_ps);
    s->alpha = alpha_at_tick(s, p, tick);
    s->alpha_tick = tick;
    s->alpha_cnp = true;
    if (s->cut_ps == WEFT_NEVER) {
        int64_t start = s->alpha_ps + CUT_OFFSET_PS;
        uint64_t m = weft_cc_expiries(start, now_ps, p->decrease_interval_ps) + 1;
        s->cut_ps = start + (int64_t)m * p->decrease_interval_ps;
    }
}

static void dcqcn_on_cnp(void *state, const void *raw, int64_t now_ps, struct weft_cc_out *out)
{
    const struct params *p = raw;
    dcqcn_advance(state, p, now_ps);
    if (p->mode == MODE_PAPER)
        cnp_paper(state, p, now_ps);
    else
        cnp_hpcc(state, p, now_ps);
    dcqcn_publish(state, p, out);
}

static void cnp(const void *raw, struct weft_cc_cnp *out)
{
    const struct params *p = raw;
    out->separate = p->mode != MODE_HPCC;
    out->interval_ps = out->separate ? p->cnp_interval_ps : 0;
}

static const struct weft_cc_observable observables[] = {
    {"alpha", "1", "estimate of congestion: the share of its rate that the next cut takes, twice"},
    {"target-rate", "bps", "rate that fast recovery goes back to"},
    {NULL, NULL, NULL}};

static void dcqcn_observe(const void *state, const void *raw, double *values)
{
    const struct state *s = state;
    values[0] = alpha_at(s, raw, s->seen_ps);
    values[1] = (double)s->r.target_bps;
}

static const struct weft_cc_marking marking = {
    "100KB", "400KB", "0.2", "HPCC simulator: production values at 25 Gbps, linear in the rate"};

/* After a CNP timers run, whose expiries count: none of them moves with the traffic. */
/* After a CNP rates go up at a timer's pace, and the next CNP may take as long as its interval. */
static int64_t pace_ps(const void *state, const void *raw)
{
    const struct state *s = state;
    const struct params *p = raw;
    if (!s->active)
        return 0;
    return p->rate_timer_ps > p->cnp_interval_ps ? p->rate_timer_ps : p->cnp_interval_ps;
}

static const struct weft_cc_moving moving[] = {
    WEFT_CC_MOVING(seen_ps, WEFT_CC_MOVES_TIME), WEFT_CC_MOVING(timer_ps, WEFT_CC_MOVES_TIME),
    WEFT_CC_MOVING(cut_ps, WEFT_CC_MOVES_TIME), WEFT_CC_MOVING(alpha_ps, WEFT_CC_MOVES_SELDOM),
    WEFT_CC_MOVING_END};

static const struct weft_cc_replay replay = {
    .moving = moving,
    .pace_ps = pace_ps,
};

const struct weft_cc_ops weft_cc_dcqcn = {
    .name = "dcqcn",
    .title = "DCQCN: ECN and CNPs drive a rate, as in RoCE NICs",
    .source = "Zhu et al.: Congestion control for large-scale RDMA deployments, SIGCOMM 2015",
    .needs = WEFT_CC_NEEDS_ECN | WEFT_CC_NEEDS_CNP | WEFT_CC_NEEDS_BDP,
    .needs_now = needs_now,
    .starts_with_cnp = true,
    .state_size = sizeof(struct state),
    .params = WEFT_PARAM_TABLE(params, struct params),
    .presets = weft_dcqcn_presets,
    .observables = observables,
    .marking = &marking,
    .init = dcqcn_init,
    .before_send = before_send,
    .on_send = dcqcn_on_send,
    .on_cnp = dcqcn_on_cnp,
    .cnp = cnp,
    .observe = dcqcn_observe,
    .replay = &replay,
};
