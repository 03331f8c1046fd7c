/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * hpcc-pint: HPCC fed by PINT (Ben Basat et al., "PINT: Probabilistic In-band Network Telemetry",
 * SIGCOMM 2020).
 *
 * Instead of stamps for each hop a data packet carries one small code, the largest utilisation of
 * its path as the switches average it themselves (pint_code.h), and its ACK echoes it. hpcc_law.h
 * turns that U into a window or a rate at each ACK; the law's reference changes once per round
 * trip, with the first ACK for data sent after its last change. The first ACK changes nothing.
 *
 * mode=hpcc is CC_MODE 10 of the HPCC simulator. With switch-arithmetic=exact two deviations
 * remain: the switches compute in double, and `sample` below 1 picks ACKs evenly instead of at
 * random. switch-arithmetic=tables is the simulator's, draw for draw (pint_code.h). run.py's preset
 * "hpccPint": log-base 1.01, max-stage 0, min-rate 1000Mbps.
 */
#include "congestion/cc.h"
#include "congestion/cc_switch.h"
#include "congestion/cc_replay.h"
#include "congestion/hpcc_law.h"
#include "congestion/pint_code.h"
#include "congestion/presets.h"

#include "base/units.h"

#include <string.h>

enum { EXACT, TABLES };

/*
 * Packets that a switch averages over at least. With fewer, u is mostly noise: with 4 KB packets at
 * 10 Gbps a base RTT of 13 us is four of them. The law divides its window by every u above its
 * target, but adds window_ai below it, so noise alone brings the load down
 * (docs/explanation/congestion-control.md).
 */
#define LEAST_PACKETS 16

struct params {
    struct weft_hpcc_knobs k;
    double log_base, sample;
    int arithmetic;
    int64_t average_ps;
    uint64_t pint_bytes;
};

static const struct weft_param params[] = {
    WEFT_HPCC_PARAMS(struct params, k),
    {WEFT_ROW_F64(struct params, log_base, "log-base", "1.05", "1.0005", "2"),
     .help = "base of the logarithmic code: 1.05 needs 8 bits, 1.01 needs 11",
     .source = "HPCC simulator, pint.cc"},
    {WEFT_ROW_F64(struct params, sample, "sample", "1", "0.0001", "1"),
     .help = "share of the ACKs whose code is used, evenly spaced",
     .source = WEFT_HPCC_SIM_NAME " (PINT_PROB)"},
    {WEFT_ROW_TIME(struct params, average_ps, "average-time", "0ps", "0ps", "1s"),
     .help = "T: time over which switches average their utilisation; 0: the fabric's largest base "
             "RTT, and with mode=paper at least 16 full packets at the port's rate",
     .source = "HPCC simulator, switch-node.cc (MaxRtt)"},
    {WEFT_ROW_ENUM(struct params, arithmetic, "switch-arithmetic", "exact", "exact|tables"),
     .help = "how switches average; tables: by rounded logarithms, with the draws of the C "
             "library's rand(), as the HPCC simulator does",
     .source = "HPCC simulator, switch-node.cc"},
    {WEFT_ROW_SIZE(struct params, pint_bytes, "pint-bytes", "2B", "0B", "1000B"),
     .help = "bytes that the code adds to each data packet, and its echo to each ACK",
     .source = "HPCC simulator, int-header.cc"},
};

struct state {
    struct weft_hpcc_law law;
    struct weft_hpcc_ref ref;
    double util;                /* the last code */
    double credit;              /* share of an ACK to use, carried over by `sample` */
    uint64_t last_update_bytes; /* an ACK beyond this changes the reference; 0: no ACK yet */
};

static unsigned needs_now(const void *raw)
{
    const struct params *p = raw;
    return WEFT_CC_NEEDS_PINT | weft_hpcc_knobs_need(&p->k) |
           (p->average_ps == 0 ? WEFT_CC_NEEDS_BASE_RTT : 0);
}

static void hpcc_pint_init(void *state, const void *raw, const struct weft_cc_env *env,
                           int64_t now_ps, struct weft_cc_out *out)
{
    const struct params *p = raw;
    struct state *s = state;
    memset(s, 0, sizeof *s);
    weft_hpcc_law_init(&s->law, &p->k, env);
    s->ref.x = s->law.hi;
    s->util = 1.0;
    out->timer_at_ps = WEFT_NEVER;
    out->repace = true;
    weft_hpcc_publish(&s->law, &p->k, s->law.hi, out);
}

static void hpcc_pint_on_ack(void *state, const void *raw, int64_t now_ps,
                             const struct weft_cc_ack *ack, struct weft_cc_out *out)
{
    const struct params *p = raw;
    struct state *s = state;
    if (p->arithmetic == TABLES) {
        if (ack->draw >= p->sample * 65536.0)
            return;
    } else {
        s->credit += p->sample;
        if (s->credit < 1.0)
            return;
        s->credit -= 1.0;
    }
    bool full = ack->una_bytes > s->last_update_bytes;
    if (s->last_update_bytes > 0) {
        struct weft_hpcc_ref next;
        s->util = weft_pint_decode(ack->pint, p->log_base);
        const double x = weft_hpcc_react(&s->law, &p->k, &s->ref, s->util, &next);
        weft_hpcc_publish(&s->law, &p->k, x, out);
        if (full)
            s->ref = next;
    }
    if (full && ack->nxt_bytes > s->last_update_bytes)
        s->last_update_bytes = ack->nxt_bytes;
}

static void hpcc_pint_signals(const void *raw, struct weft_cc_signals *out)
{
    const struct params *p = raw;
    *out = weft_cc_echoed(p->pint_bytes);
    out->pint_base = p->log_base;
    out->pint_t_ps = p->average_ps;
    out->pint_tables = p->arithmetic == TABLES;
    out->pint_packets = p->average_ps == 0 && p->k.mode == WEFT_HPCC_PAPER ? LEAST_PACKETS : 0;
}

static const struct weft_cc_observable observables[] = {
    {"utilisation", "1", "U: bytes in flight on the fullest link, over its rate x base RTT"},
    {"reference-rate", "bps", "of the reference window, over the base RTT"},
    {"stage", "1", "additive increases since the last multiplicative change"},
    {NULL, NULL, NULL}};

static void hpcc_pint_observe(const void *state, const void *raw, double *values)
{
    const struct params *p = raw;
    const struct state *s = state;
    values[0] = s->util;
    values[1] = weft_hpcc_rate(&s->law, &p->k, s->ref.x);
    values[2] = (double)s->ref.stage;
}

static const struct weft_cc_moving moving[] = {
    WEFT_CC_MOVING(last_update_bytes, WEFT_CC_MOVES_BYTES), WEFT_CC_MOVING_END};

static const struct weft_cc_replay replay = {
    .moving = moving,
    .unsettled = "random digests (PINT) are others after a skip, and what senders do hangs on each",
};

const struct weft_cc_ops weft_cc_hpcc_pint = {
    .name = "hpcc-pint",
    .title = "HPCC on PINT: the path's utilisation as one small code per packet",
    .source = "Ben Basat et al.: PINT: Probabilistic In-band Network Telemetry, SIGCOMM 2020",
    .needs = WEFT_CC_NEEDS_PINT | WEFT_CC_NEEDS_BASE_RTT | WEFT_CC_NEEDS_BDP,
    .needs_now = needs_now,
    .state_size = sizeof(struct state),
    .params = WEFT_PARAM_TABLE(params, struct params),
    .presets = weft_hpcc_pint_presets,
    .observables = observables,
    .init = hpcc_pint_init,
    .on_ack = hpcc_pint_on_ack,
    .signals = hpcc_pint_signals,
    .observe = hpcc_pint_observe,
    .replay = &replay,
};
