/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How HPCC answers a measured utilisation U; shared by hpcc (U from INT stamps) and hpcc-pint (U
 * from a code that the switches fold).
 *
 * With eta the target and x the window (mode=paper) or the rate (mode=hpcc):
 *   U >= eta or stage >= max-stage: x = xc / (U/eta) + ai, next stage 0
 *   else:                           x = xc + ai,           next stage + 1
 * The reference xc and the stage change once per round trip, x at each ACK.
 *
 * mode=paper: x is a window W in payload bytes, at most W_init = line rate x T; the pacing rate is
 *   W / T counted on the wire, so that W_init paces at line rate.
 * mode=hpcc: x is a rate in whole bit/s (the quotient is rounded down), min-rate .. line rate;
 *   the window follows from `window`.
 */
#ifndef WEFT_CC_HPCC_LAW_H
#define WEFT_CC_HPCC_LAW_H

#include "congestion/window.h"

#include "base/scale.h"

WEFT_C_BEGIN

enum weft_hpcc_mode { WEFT_HPCC_PAPER, WEFT_HPCC_SIM };

/** The parameters that both algorithms have; WEFT_HPCC_PARAMS declares them. */
struct weft_hpcc_knobs {
    int mode;
    double target_util;
    uint64_t max_stage;
    uint64_t window_ai_bytes; /* paper */
    uint64_t rate_ai_bps;     /* hpcc */
    uint64_t min_rate_bps;
    int window; /* hpcc */
};

#define WEFT_HPCC_PAPER_NAME "Li et al., SIGCOMM 2019"
#define WEFT_HPCC_SIM_NAME "HPCC simulator, rdma-hw.cc"

/** Table entries for a `struct weft_hpcc_knobs m` inside `type`. */
/* clang-format off */
#define WEFT_HPCC_PARAMS(type, m) \
    {"mode", WEFT_PARAM_ENUM, offsetof(type, m.mode), "paper", NULL, NULL, "paper|hpcc", \
     "paper: the window algorithm of the paper; hpcc: as the HPCC simulator does it, on rates", NULL}, \
    {"target-util", WEFT_PARAM_F64, offsetof(type, m.target_util), "0.95", "0.01", "1", NULL, \
     "eta: utilisation that the bottleneck should have", WEFT_HPCC_PAPER_NAME}, \
    {"max-stage", WEFT_PARAM_U64, offsetof(type, m.max_stage), "5", "0", "1000000", NULL, \
     "rounds of additive increase before a multiplicative one; 0: always multiplicative, as the " "HPCC simulator's scripts (MI_THRESH)", WEFT_HPCC_PAPER_NAME}, \
    {"window-ai", WEFT_PARAM_SIZE, offsetof(type, m.window_ai_bytes), "80B", "0B", NULL, NULL, \
     "mode=paper: W_AI, window gained per adjustment; 80 bytes are 50 Mbps over 13 us", WEFT_HPCC_PAPER_NAME ", at 100 Gbps", "mode=paper", WEFT_PER_LINE_RATE("100Gbps", "80B", NULL)}, \
    {"rate-ai", WEFT_PARAM_RATE, offsetof(type, m.rate_ai_bps), "10Mbps", "0bps", NULL, NULL, \
     "mode=hpcc: rate gained per adjustment", "HPCC simulator, run.py", "mode=hpcc", WEFT_PER_LINE_RATE("25Gbps", "10Mbps", NULL)}, \
    {"min-rate", WEFT_PARAM_RATE, offsetof(type, m.min_rate_bps), "100Mbps", "1bps", NULL, NULL, \
     "no adjustment goes below this rate", WEFT_HPCC_SIM_NAME " (attribute MinRate)"}, \
    {"window", WEFT_PARAM_ENUM, offsetof(type, m.window), "scaled", NULL, NULL, WEFT_CC_WINDOW_CHOICES, \
     "mode=hpcc: " WEFT_CC_WINDOW_HELP, WEFT_HPCC_SIM_NAME " (HAS_WIN, VAR_WIN)", "mode=hpcc"}
/* clang-format on */

/** What the law takes from the path: WEFT_CC_NEEDS_BASE_RTT or WEFT_CC_NEEDS_BDP or nothing. */
unsigned weft_hpcc_knobs_need(const struct weft_hpcc_knobs *k);

/** What the law of one QP works with. */
struct weft_hpcc_law {
    double ai, lo, hi; /**< in the unit of x; hi is W_init or the line rate */
    uint64_t line_bps, bdp_bytes;
    uint32_t mtu_bytes;
};

/** What changes once per round trip. */
struct weft_hpcc_ref {
    double x;       /**< Wc or Rc */
    uint64_t stage; /**< incStage */
};

void weft_hpcc_law_init(struct weft_hpcc_law *law, const struct weft_hpcc_knobs *k,
                        const struct weft_cc_env *env);
/* Inline, as they are executed at each ACK. */

/** Whether x is a rate in whole bit/s. */
static inline bool weft_hpcc_whole(const struct weft_hpcc_knobs *k)
{
    return k->mode == WEFT_HPCC_SIM;
}

/** x for utilisation @p util; *next receives what becomes the reference when a round trip ends. */
static inline double weft_hpcc_react(const struct weft_hpcc_law *law,
                                     const struct weft_hpcc_knobs *k,
                                     const struct weft_hpcc_ref *ref, double util,
                                     struct weft_hpcc_ref *next)
{
    double c = util / k->target_util;
    double x = ref->x;
    next->stage = ref->stage + 1;
    if (c >= 1 || ref->stage >= k->max_stage) {
        next->stage = 0;
        x = weft_cc_clamp(x / c, 0, law->hi);
        if (weft_hpcc_whole(k))
            x = (double)(int64_t)x;
    }
    next->x = weft_cc_clamp(x + law->ai, law->lo, law->hi);
    return next->x;
}

/** The rate in bit/s that @p x stands for. */
static inline double weft_hpcc_rate(const struct weft_hpcc_law *law,
                                    const struct weft_hpcc_knobs *k, double x)
{
    return weft_hpcc_whole(k) ? x : x / law->hi * (double)(int64_t)law->line_bps;
}

/** Writes rate and window for @p x. */
static inline void weft_hpcc_publish(const struct weft_hpcc_law *law,
                                     const struct weft_hpcc_knobs *k, double x,
                                     struct weft_cc_out *out)
{
    out->rate_bps = weft_cc_clamp_u64(weft_hpcc_rate(law, k, x), 1, law->line_bps);
    out->cwnd_bytes = weft_hpcc_whole(k)
                          ? weft_cc_window_bytes(k->window, law->bdp_bytes, law->mtu_bytes,
                                                 out->rate_bps, law->line_bps)
                          : weft_cc_clamp_u64(x, law->mtu_bytes, UINT64_MAX);
}

WEFT_C_END
#endif
