/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * bolt: Bolt (Arslan et al., NSDI 2023), a window with the help of switches (the engine's
 * supply.h has their half).
 *
 * Sub-RTT control: a packet that finds threshold packets waiting has the switch warn its sender at
 * once, with the queue, the rate C of the port and the time at which the packet was sent. With r
 * the time since then, R the sender's rate (window / RTT, line rate before the first ACK) and Q
 * the queue in packets beyond target-queue, the window shrinks by one packet if it has not within
 *
 *   r / (Q R / C),
 *
 * so that in the time r all senders together take back Q packets, each its share R / C. A window of
 * one packet or less shrinks by max-decrease with each warning.
 *
 * Each RTT adds `ai` packets. An ACK whose data packet kept its mark GAIN adds one more: at each
 * switch the mark costs a token, either of a flow that ends (proactive ramp-up) or of what the link
 * has left (supply matching). Data has the mark but for the first and the last window of a flow.
 * Packets of the last window say so, unless they are of the first, too, and each leaves a token at
 * each switch.
 *
 * A NACK, a trimmed packet and a retransmission timeout take max-decrease, at most once per RTT
 * since the window last shrank. The window begins with one bandwidth-delay product and is at most
 * max-window of them; below one packet, a packet leaves per RTT / window.
 *
 * A flow is what is posted on a QP until nothing is left: messages that follow each other are one.
 * The window stays for the next. Constants are those of the authors' ns-3, where the sender's own
 * port is a switch's, too; here NICs have no queue, and neither warn nor take marks.
 */
#include "congestion/cc.h"
#include "congestion/cc_switch.h"
#include "congestion/cc_supply.h"
#include "congestion/window.h"

#include "base/units.h"

#include <string.h>

struct params {
    double threshold, ai, max_decrease, max_window, supply_burst;
    uint64_t target_queue, min_window, tokens, tag_bytes, frame_bytes;
    bool ramp_up, supply_matching;
};

#define NS3 "serhatarslan-hub/bolt_cc_ns3"

static const struct weft_param params[] = {
    {WEFT_ROW_F64(struct params, threshold, "threshold", "2", "0.5", "100000"),
     .help = "full packets that wait at a port from which on it has senders warned",
     .source = NS3 ": CcThreshold 3KB with packets of 1500 B, 10KB with 5000 B"},
    {WEFT_ROW_SIZE(struct params, target_queue, "target-queue", "0B", "0B", "1GiB"),
     .help = "queue that senders leave standing when they react to a warning",
     .source = NS3 ": TargetQ"},
    {WEFT_ROW_F64(struct params, ai, "ai", "1", "0", "1000"), .help = "packets gained per RTT",
     .source = NS3 ": AiFactor"},
    {WEFT_ROW_F64(struct params, max_decrease, "max-decrease", "0.5", "0.001", "0.999"),
     .help = "share of the window that a loss takes, and a warning of a window of one packet",
     .source = NS3 ": MaxMd"},
    {WEFT_ROW_SIZE(struct params, min_window, "min-window", "15B", "1B", "1MiB"),
     .help = "smallest window, payload", .source = NS3 ": MinCwnd"},
    {WEFT_ROW_F64(struct params, max_window, "max-window", "1", "0.1", "1000"),
     .help = "largest window, in bandwidth-delay products",
     .source = NS3 ": MaxCwnd of the topologies in scratch/"},
    {WEFT_ROW_BOOL(struct params, ramp_up, "ramp-up", "true"),
     .help = "proactive ramp-up: packets of a flow's last window leave tokens that let others grow",
     .source = "NSDI 2023"},
    {WEFT_ROW_U64(struct params, tokens, "tokens", "256", "1", "1000000"),
     .help = "most such tokens at a port", .source = NS3 ": MaxNumPruTokens",
     .needs = "ramp-up=true"},
    {WEFT_ROW_BOOL(struct params, supply_matching, "supply-matching", "true"),
     .help = "supply matching: what a link could send less what arrives for it lets windows grow",
     .source = "NSDI 2023"},
    {WEFT_ROW_F64(struct params, supply_burst, "supply-burst", "1", "1", "100000"),
     .help = "full packets of such supply that a port keeps at most",
     .source = NS3 ": MaxInstAvailLoad of the topologies in scratch/, one packet",
     .needs = "supply-matching=true"},
    {WEFT_ROW_SIZE(struct params, tag_bytes, "tag-bytes", "6B", "0B", "1000B"),
     .help = "bytes that marks and time add to each data packet, and to each ACK",
     .source = NS3 ": flags 2, time 4"},
    {WEFT_ROW_SIZE(struct params, frame_bytes, "warning-frame", "64B", "64B", "1KiB"),
     .help = "frame of a warning, in the priority of ACKs",
     .source = NS3 ": a header of 21 bytes over IPv4 and Ethernet, padded"},
};

struct state {
    uint64_t line_bps;
    double mtu_bytes, mtu_wire_bytes, base_rtt_ps;
    double window, most; /* bytes of payload */
    double rtt_ps;       /* of the flow's last ACK; 0: none yet */
    int64_t shrank_ps;
    uint64_t next_ai_bytes; /* an ACK of as much adds `ai` */
    bool ended;             /* the last packet sent was the last one posted */
};

static double rtt_of(const struct state *s)
{
    return s->rtt_ps > 0 ? s->rtt_ps : s->base_rtt_ps;
}

/* Bounds the window and says what follows from it. */
static void bolt_resolve(struct state *s, const struct params *p, struct weft_cc_out *out)
{
    s->window = weft_cc_clamp(s->window, (double)p->min_window, s->most);
    out->cwnd_bytes = weft_cc_clamp_u64(s->window, (uint64_t)s->mtu_bytes, UINT64_MAX);
    out->rate_bps = s->line_bps;
    if (s->window < s->mtu_bytes)
        out->rate_bps = weft_cc_clamp_u64(
            s->mtu_wire_bytes * 8e12 * s->window / s->mtu_bytes / rtt_of(s), 1, s->line_bps);
}

static void bolt_init(void *state, const void *raw, const struct weft_cc_env *env, int64_t now_ps,
                      struct weft_cc_out *out)
{
    const struct params *p = raw;
    struct state *s = state;
    memset(s, 0, sizeof *s);
    s->line_bps = env->line_rate_bps;
    s->mtu_bytes = (double)env->mtu_bytes;
    s->mtu_wire_bytes = (double)env->mtu_wire_bytes;
    s->base_rtt_ps = env->base_rtt_ps > 0 ? (double)env->base_rtt_ps : 1.0;
    const double bdp = (double)env->bdp_bytes;
    s->most = weft_cc_clamp(p->max_window * bdp, s->mtu_bytes, 0x1p62);
    if (s->most < (double)p->min_window)
        s->most = (double)p->min_window;
    s->window = weft_cc_clamp(bdp, s->mtu_bytes, 0x1p62);
    s->shrank_ps = now_ps;
    out->timer_at_ps = WEFT_NEVER;
    out->repace = false;
    bolt_resolve(s, p, out);
}

static void bolt_on_send(void *state, const void *raw, int64_t now_ps, uint32_t wire_bytes,
                         struct weft_cc_out *out)
{
}

static void lose(struct state *s, const struct params *p, int64_t now_ps)
{
    if ((double)(now_ps - s->shrank_ps) < rtt_of(s))
        return;
    s->window *= 1.0 - p->max_decrease;
    s->shrank_ps = now_ps;
}

static void bolt_on_ack(void *state, const void *raw, int64_t now_ps, const struct weft_cc_ack *ack,
                        struct weft_cc_out *out)
{
    const struct params *p = raw;
    struct state *s = state;
    if (ack->rtt_ps > 0)
        s->rtt_ps = (double)ack->rtt_ps;
    if (ack->nack || ack->trimmed_bytes) {
        lose(s, p, now_ps);
    } else {
        s->window += ack->gains * s->mtu_bytes;
        if (ack->acked_bytes && ack->una_bytes >= s->next_ai_bytes) {
            s->window += p->ai * s->mtu_bytes;
            s->next_ai_bytes = ack->nxt_bytes;
        }
    }
    bolt_resolve(s, p, out);
}

static void bolt_on_rto(void *state, const void *raw, int64_t now_ps, struct weft_cc_out *out)
{
    lose(state, raw, now_ps);
    bolt_resolve(state, raw, out);
}

static uint32_t bolt_tag(void *state, const void *raw, const struct weft_cc_leaving *k)
{
    struct state *s = state;
    if (s->ended && k->una_bytes >= k->from_bytes)
        s->rtt_ps = 0; /* a new flow */
    s->ended = k->until_bytes >= k->end_bytes;
    const bool last = (double)(k->end_bytes - k->from_bytes) <= s->window || s->ended;
    if (s->rtt_ps <= 0)
        return WEFT_CC_TAG_FIRST | (last ? WEFT_CC_TAG_LAST : 0u);
    return last ? WEFT_CC_TAG_LAST : WEFT_CC_TAG_GAIN;
}

static void bolt_warned(void *state, const void *raw, int64_t now_ps,
                        const struct weft_cc_warning *w, struct weft_cc_out *out)
{
    const struct params *p = raw;
    struct state *s = state;
    if (s->window <= s->mtu_bytes) {
        s->window *= 1.0 - p->max_decrease;
    } else if (w->queue_bytes > p->target_queue && w->rate_bps) {
        const double rate = s->rtt_ps > 0 ? s->window * 8e12 / s->rtt_ps : (double)s->line_bps;
        const double queue = (double)(w->queue_bytes - p->target_queue) / s->mtu_wire_bytes;
        const double share = rate / (double)w->rate_bps;
        if ((double)(now_ps - s->shrank_ps) * queue * share >= (double)w->rtt_ps) {
            s->window -= s->mtu_bytes;
            s->shrank_ps = now_ps;
        }
    }
    bolt_resolve(s, p, out);
}

static void bolt_rules(const void *raw, struct weft_cc_supply *out)
{
    const struct params *p = raw;
    out->threshold = p->threshold;
    out->tokens = p->ramp_up ? (uint32_t)p->tokens : 0;
    out->burst = p->supply_matching ? p->supply_burst : 0;
    out->frame_bytes = p->frame_bytes;
}

static void bolt_signals(const void *raw, struct weft_cc_signals *out)
{
    const struct params *p = raw;
    *out = weft_cc_echoed(p->tag_bytes);
}

static const struct weft_cc_observable observables[] = {
    {"window", "bytes", "window, which may be less than one packet"},
    {"rtt", "ps", "delay of the flow's last ACK, 0 before the first"},
    {NULL, NULL, NULL}};

static void bolt_observe(const void *state, const void *raw, double *values)
{
    const struct state *s = state;
    values[0] = s->window;
    values[1] = s->rtt_ps;
}

static const struct weft_cc_supply_ops supply = {
    .tag = bolt_tag, .warned = bolt_warned, .rules = bolt_rules};

const struct weft_cc_ops weft_cc_bolt = {
    .name = "bolt",
    .title = "Bolt: switches warn senders at once, and let windows grow by what links have left",
    .source = "Arslan et al.: Bolt: Sub-RTT Congestion Control for Ultra-Low Latency, NSDI 2023",
    .needs = WEFT_CC_NEEDS_RTT | WEFT_CC_NEEDS_BASE_RTT | WEFT_CC_NEEDS_BDP | WEFT_CC_NEEDS_SUPPLY,
    .state_size = sizeof(struct state),
    .params = WEFT_PARAM_TABLE(params, struct params),
    .observables = observables,
    .init = bolt_init,
    .on_send = bolt_on_send,
    .on_ack = bolt_on_ack,
    .on_rto = bolt_on_rto,
    .signals = bolt_signals,
    .supply = &supply,
    .observe = bolt_observe,
};
