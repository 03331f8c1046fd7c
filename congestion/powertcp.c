/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * powertcp: PowerTCP and theta-PowerTCP (Addanki et al., "PowerTCP: Pushing the Performance Limits
 * of Datacenter Networks", NSDI 2022).
 *
 * "Power" is current (arrival rate) times voltage (queue + bandwidth-delay product), normalised so
 * that 1 means a full link without a queue. With tau the base round trip, G the smoothed power:
 *
 *   w = gamma (w_old / G + beta) + (1 - gamma) w,  rate = w / tau,
 *
 * w_old being the window one round trip ago, beta = w_init / expected-flows, and w at most w_init,
 * what line rate keeps in flight in tau. G starts at 1; the first ACK only leaves its samples.
 *
 * form=int: for each hop, from the stamps of this and the previous ACK dt apart,
 *   power = (dq/dt + sent/dt) (q + B tau) / (B^2 tau); the largest one enters
 *   G = (G (tau - dt) + power dt) / tau, dt at most tau. w changes at each ACK.
 *   Stamps start anew when the path changes, as in hpcc.
 * form=delay (theta): power = (dRTT/dt + 1) RTT / tau from consecutive ACKs dt apart, smoothed in
 *   the same way; w changes once per round trip. Switches stamp nothing.
 *
 * Power that is zero or negative (a queue that drains faster than the port sends) asks for the
 * largest window. w_old is taken once per round trip. The windows are payload bytes; the rate
 * counts wire bytes, so that w_init paces at line rate. min-rate is weft's: it keeps w above zero.
 */
#include "congestion/cc.h"
#include "congestion/cc_switch.h"
#include "congestion/cc_replay.h"
#include "congestion/window.h"

#include "base/units.h"

#include <string.h>

enum form { FORM_INT, FORM_DELAY };

struct params {
    int form;
    double gamma;
    uint64_t beta_bytes, expected_flows, min_rate_bps;
    uint64_t int_bytes;
};

#define PAPER "Addanki et al., NSDI 2022"

static const struct weft_param params[] = {
    {WEFT_ROW_ENUM(struct params, form, "form", "int", "int|delay"),
     .help = "int: power from switch stamps (PowerTCP); delay: from the RTT (theta-PowerTCP)"},
    {WEFT_ROW_F64(struct params, gamma, "gamma", "0.9", "0.001", "1"),
     .help = "weight of the newest window", .source = PAPER "; powertcp-linux: 0.9"},
    {WEFT_ROW_SIZE(struct params, beta_bytes, "beta", "0B", "0B", NULL),
     .help = "additive increase; 0: the window of line rate / expected-flows", .source = PAPER},
    {WEFT_ROW_U64(struct params, expected_flows, "expected-flows", "10", "1", "1000000"),
     .help = "flows that may share the NIC; used when beta is 0",
     .source = "powertcp-linux: 10 (expected_flows)", .needs = "beta=0"},
    {WEFT_ROW_RATE(struct params, min_rate_bps, "min-rate", "100Mbps", "1bps", NULL),
     .help = "no adjustment goes below this rate"},
    {WEFT_ROW_SIZE(struct params, int_bytes, "int-bytes", "42B", "0B", "1000B"),
     .help = "form=int: bytes that the stamps add to each data packet, and their echo to each ACK",
     .source = "as HPCC: 2 bytes and 8 for each of 5 hops", .needs = "form=int"},
};

struct state {
    uint64_t line_bps;
    uint32_t mtu_bytes;
    uint16_t nhops;
    bool seen; /* delay: an RTT has been seen */
    double tau_ps, init_bytes, min_bytes, beta_bytes;
    double w_bytes, old_bytes;
    double power;                              /* smoothed */
    uint64_t update_bytes;                     /* an ACK beyond this ends a round trip */
    int64_t rtt_ps, at_ps;                     /* delay: the last RTT and when it came */
    struct weft_cc_hop hops[WEFT_CC_MAX_HOPS]; /* int: the last stamps, of as many as the path
                                                  has */
};

static unsigned needs_now(const void *raw)
{
    const struct params *p = raw;
    return (p->form == FORM_INT ? WEFT_CC_NEEDS_INT : WEFT_CC_NEEDS_RTT) | WEFT_CC_NEEDS_BASE_RTT;
}

static void powertcp_publish(const struct state *s, struct weft_cc_out *out)
{
    out->rate_bps =
        weft_cc_clamp_u64(s->w_bytes / s->init_bytes * (double)s->line_bps, 1, s->line_bps);
    out->cwnd_bytes = weft_cc_clamp_u64(s->w_bytes, s->mtu_bytes, UINT64_MAX);
}

static void powertcp_init(void *state, const void *raw, const struct weft_cc_env *env,
                          int64_t now_ps, struct weft_cc_out *out)
{
    const struct params *p = raw;
    struct state *s = state;
    memset(s, 0, offsetof(struct state, hops));
    if (p->form == FORM_INT)
        memset(s->hops, 0, weft_cc_stamps(env->hops) * sizeof s->hops[0]);
    s->line_bps = env->line_rate_bps;
    s->mtu_bytes = env->mtu_bytes;
    s->tau_ps = env->base_rtt_ps > 0 ? (double)env->base_rtt_ps : 1.0;
    s->init_bytes = s->w_bytes = s->old_bytes = weft_cc_line_window(env);
    uint64_t min = p->min_rate_bps < s->line_bps ? p->min_rate_bps : s->line_bps;
    s->min_bytes = s->init_bytes * (double)min / (double)s->line_bps;
    s->beta_bytes =
        p->beta_bytes ? (double)p->beta_bytes : s->init_bytes / (double)p->expected_flows;
    s->power = 1.0;
    out->timer_at_ps = WEFT_NEVER;
    out->repace = false;
    powertcp_publish(s, out);
}

static void smooth(struct state *s, double power, double dt_ps)
{
    double dt = dt_ps < s->tau_ps ? dt_ps : s->tau_ps;
    s->power = (s->power * (s->tau_ps - dt) + power * dt) / s->tau_ps;
}

static bool same_path(const struct state *s, const struct weft_cc_ack *ack, uint32_t n)
{
    if (n != s->nhops)
        return false;
    for (uint32_t i = 0; i < n; i++) {
        const struct weft_cc_hop *h = &ack->hops[i], *old = &s->hops[i];
        if (h->rate_bps != old->rate_bps || h->rate_bps == 0 || h->ts_ps < old->ts_ps ||
            h->tx_bytes < old->tx_bytes)
            return false;
    }
    return true;
}

/* Normalised power of a hop between two stamps that are dt apart. */
static double hop_power(const struct state *s, const struct weft_cc_hop *h,
                        const struct weft_cc_hop *old, double dt_ps)
{
    double bdp = (double)h->rate_bps * s->tau_ps / 8e12;
    double grown = (double)h->qlen_bytes - (double)old->qlen_bytes;
    double sent = (double)(h->tx_bytes - old->tx_bytes);
    double current = (grown + sent) * 8e12 / dt_ps / (double)h->rate_bps;
    return current * ((double)h->qlen_bytes + bdp) / bdp;
}

/* Takes over new stamps; true if they changed the power. */
static bool measure_int(struct state *s, const struct weft_cc_ack *ack)
{
    uint32_t n = ack->nhops < WEFT_CC_MAX_HOPS ? ack->nhops : WEFT_CC_MAX_HOPS;
    bool known = n > 0 && same_path(s, ack, n);
    double top = 0, top_dt_ps = 0;
    for (uint32_t i = 0; i < n; i++) {
        double dt_ps = (double)(ack->hops[i].ts_ps - s->hops[i].ts_ps);
        if (known && dt_ps > 0) {
            double power = hop_power(s, &ack->hops[i], &s->hops[i], dt_ps);
            if (power > top || top_dt_ps == 0) {
                top = power > 0 ? power : 0;
                top_dt_ps = dt_ps;
            }
        }
        if (!known || dt_ps > 0)
            s->hops[i] = ack->hops[i];
    }
    if (n > 0)
        s->nhops = (uint16_t)n;
    if (top_dt_ps > 0)
        smooth(s, top, top_dt_ps);
    return top_dt_ps > 0;
}

static bool measure_delay(struct state *s, int64_t now_ps, int64_t rtt_ps)
{
    bool known = s->seen && now_ps > s->at_ps;
    if (known) {
        double dt_ps = (double)(now_ps - s->at_ps);
        double slope = ((double)rtt_ps - (double)s->rtt_ps) / dt_ps;
        double power = (slope + 1.0) * (double)rtt_ps / s->tau_ps;
        smooth(s, power > 0 ? power : 0, dt_ps);
    }
    if (known || !s->seen) {
        s->rtt_ps = rtt_ps;
        s->at_ps = now_ps;
    }
    s->seen = true;
    return known;
}

static void powertcp_on_ack(void *state, const void *raw, int64_t now_ps,
                            const struct weft_cc_ack *ack, struct weft_cc_out *out)
{
    const struct params *p = raw;
    struct state *s = state;
    bool round = ack->una_bytes > s->update_bytes;
    bool known = p->form == FORM_INT ? measure_int(s, ack) : measure_delay(s, now_ps, ack->rtt_ps);
    if (known && (round || p->form == FORM_INT)) {
        double w =
            p->gamma * (s->old_bytes / s->power + s->beta_bytes) + (1.0 - p->gamma) * s->w_bytes;
        s->w_bytes = weft_cc_clamp(w, s->min_bytes, s->init_bytes);
    }
    if (round) {
        s->old_bytes = s->w_bytes;
        s->update_bytes = ack->nxt_bytes;
    }
    powertcp_publish(s, out);
}

static void powertcp_signals(const void *raw, struct weft_cc_signals *out)
{
    const struct params *p = raw;
    *out = weft_cc_echoed(p->form == FORM_INT ? p->int_bytes : 0);
    out->head_bytes = offsetof(struct state, hops);
    out->hop_bytes = p->form == FORM_INT ? sizeof(struct weft_cc_hop) : 0;
}

static const struct weft_cc_observable observables[] = {
    {"power", "1", "smoothed power of the fullest link, over its base power"},
    {"cwnd", "bytes", "window before it is rounded and bounded"},
    {NULL, NULL, NULL}};

static void powertcp_observe(const void *state, const void *raw, double *values)
{
    const struct state *s = state;
    values[0] = s->power;
    values[1] = s->w_bytes;
}

static const struct weft_cc_moving moving[] = {
    WEFT_CC_MOVING(update_bytes, WEFT_CC_MOVES_BYTES), WEFT_CC_MOVING(at_ps, WEFT_CC_MOVES_TIME),
    WEFT_CC_MOVING_HOPS(ts_ps, WEFT_CC_MOVES_TIME),
    WEFT_CC_MOVING_HOPS(tx_bytes, WEFT_CC_MOVES_COUNT), WEFT_CC_MOVING_END};

static const struct weft_cc_replay replay = {
    .moving = moving,
};

const struct weft_cc_ops weft_cc_powertcp = {
    .name = "powertcp",
    .title = "PowerTCP: a window from the power (rate x queue) of the path, by INT or by delay",
    .source = "Addanki et al.: PowerTCP: Pushing the Performance Limits of Datacenter Networks, "
              "NSDI 2022",
    .needs = WEFT_CC_NEEDS_INT | WEFT_CC_NEEDS_RTT | WEFT_CC_NEEDS_BASE_RTT,
    .needs_now = needs_now,
    .state_size = sizeof(struct state),
    .params = WEFT_PARAM_TABLE(params, struct params),
    .observables = observables,
    .init = powertcp_init,
    .on_ack = powertcp_on_ack,
    .signals = powertcp_signals,
    .observe = powertcp_observe,
    .replay = &replay,
};
