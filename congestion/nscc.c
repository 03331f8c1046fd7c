/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * nscc: the network-signalled congestion control of Ultra Ethernet (UE specification 1.0, section
 * 3.6.13; its origin is SMaRTT, arXiv 2404.01630): one window for all paths of a QP, clocked by the
 * bytes that the receiver reports as received, in order or not.
 *
 * Each ACK of n bytes with mark e and queueing delay d = RTT - base RTT of the packet that caused
 * it is one of four cases:
 *
 *   no mark, d below the target   proportional increase: inc += alpha n (target - d); with hardly
 *                                 any delay for a whole window cwnd += fast-increase a n (fast)
 *   no mark, d above              fair increase: inc += fair-increase a MTU n
 *   mark, d below                 nothing: another path will do
 *   mark, d above                 cwnd *= max(1 - gamma (avg - target) / avg, max-md) if the
 *                                 average delay is above the target, once per base RTT
 *
 * with a = BDP / 150 KB, alpha = proportional-increase a MTU / 12 us. What increases gather in inc,
 * in bytes^2, is added as inc / cwnd every adjust-bytes MTUs or once per base RTT, then with eta a
 * MTU more. Quick adapt: once per base RTT + target a flow that saw trims or losses and achieved
 * less than 2^-qa-gate of the largest window goes to what it achieved, and ignores the marks of
 * what was in flight. A trimmed packet, or a lost one, else costs its own size.
 *
 * Sizes are those of frames; what the interface counts in payload is converted by the ratio of a
 * full packet. A packet leaves if it fits the window as a whole. The receiver's own penalty
 * (section 3.6.13.2) is left out: receivers take all that comes. Without trimming a NACK or a
 * timeout is a loss of one MTU; at most one per base RTT, unless packets have a timer each.
 *
 * With `credit` the receiver's credit (RCCC, section 3.6.14; credit.h) bounds a QP besides: a
 * packet leaves when both allow it, and no more credit is asked for than the window and a packet.
 * What is trimmed at the last hop is then for the receiver to mend: it neither takes from the
 * window nor asks for quick adapt.
 */
#include "congestion/cc.h"
#include "congestion/cc_switch.h"
#include "congestion/cc_credit.h"
#include "congestion/cc_marking.h"
#include "congestion/cc_replay.h"
#include "congestion/credit.h"
#include "congestion/window.h"

#include "base/scale.h"
#include "base/units.h"

#include <math.h>
#include <string.h>

enum average { AVERAGE_RTT, AVERAGE_ACKS };
enum no_sample { NO_SAMPLE_STOP, NO_SAMPLE_AVERAGE };
enum basis { BASIS_FRAME, BASIS_PAYLOAD };

/* What the constants are scaled by: 100 Gbps x 12 us. */
#define BDP0_BYTES 150000.0
#define T0_PS 12e6

struct params {
    double target_rtts, max_window, fair, proportional, fast, eta, gamma, max_md;
    int64_t no_delay_ps;
    uint64_t first_window_bytes, qa_gate, adjust_mtus;
    double qa_targets, average_weight;
    int average, mtu_basis, no_sample;
    bool learn_base_rtt, learn_from_trims, credit;
    struct weft_cc_credit_params grants;
};

#define SPEC "UE specification 1.0.3, table 3-82"
#define HTSIM "ultraethernet/uet-htsim, uec.cpp"

static const struct weft_param params[] = {
    {WEFT_ROW_F64(struct params, target_rtts, "target-rtts", "0", "0", "1000"),
     .help = "target queueing delay in base RTTs; 0: 0.75 where switches trim, else 1",
     .source = SPEC ": target_qdelay"},
    {WEFT_ROW_F64(struct params, max_window, "max-window", "1.5", "0.01", "1000"),
     .help = "largest window, in bandwidth-delay products", .source = SPEC ": MaxWnd"},
    {WEFT_ROW_SIZE(struct params, first_window_bytes, "first-window", "0B", NULL, "1TB"),
     .help =
         "window that a QP begins with, in bytes of frames, at most the largest; 0: the largest",
     .source = SPEC ": MaxWnd; " HTSIM ": -cwnd, in packets"},
    {WEFT_ROW_F64(struct params, fair, "fair-increase", "5", "0", "1000"),
     .help = "MTUs per RTT and 150 KB of BDP gained without mark above the target",
     .source = SPEC ": fi"},
    {WEFT_ROW_F64(struct params, proportional, "proportional-increase", "4", "0", "1000"),
     .help = "MTUs per RTT, 150 KB of BDP and 12 us of delay below the target",
     .source = SPEC ": alpha"},
    {WEFT_ROW_F64(struct params, fast, "fast-increase", "0.25", "0", "1000"),
     .help = "share of the window gained per RTT and 150 KB of BDP after a window without delay",
     .source = SPEC ": fi_scale"},
    {WEFT_ROW_F64(struct params, eta, "eta", "0.15", "0", "1000"),
     .help = "MTUs per RTT and 150 KB of BDP gained always", .source = SPEC ": eta"},
    {WEFT_ROW_F64(struct params, gamma, "gamma", "0.8", "0.001", "1"),
     .help = "strength of a decrease", .source = SPEC ": gamma"},
    {WEFT_ROW_F64(struct params, max_md, "max-md", "0.5", "0.001", "1"),
     .help = "smallest factor of one decrease", .source = SPEC ": max_md_jump"},
    {WEFT_ROW_TIME(struct params, no_delay_ps, "no-delay", "1us", "0ps", "1s"),
     .help = "a queueing delay below it is none, which the fast increase wants",
     .source = HTSIM ": 1us at 12us; the specification leaves it open",
     .scale = WEFT_PER_BASE_RTT("12us")},
    {WEFT_ROW_U64(struct params, qa_gate, "qa-gate", "3", "0", "30"),
     .help = "quick adapt is for flows that achieved less than the largest window / 2^qa-gate",
     .source = SPEC ": qa_gate"},
    {WEFT_ROW_F64(struct params, qa_targets, "qa-threshold", "4", "0", "1000"),
     .help = "a delay of so many targets asks for quick adapt, too, where switches don't trim",
     .source = SPEC ": qa_threshold, of queues of 5 BDP"},
    {WEFT_ROW_U64(struct params, adjust_mtus, "adjust-packets", "8", "1", "100000"),
     .help = "MTUs received between two times that increases are applied",
     .source = SPEC ": adjust_bytes"},
    {WEFT_ROW_ENUM(struct params, average, "average", "rtt", "rtt|acks"),
     .help = "the average delay is over the last base RTT; or, as uet-htsim has it, over ACKs, a "
             "delay above the target without mark counting as a quarter of the base RTT",
     .source = "UE specification 1.0.3, 3.6.13: left open, meant to cover the last base RTT"},
    {WEFT_ROW_F64(struct params, average_weight, "average-weight", "0.0125", "0.000001", "1"),
     .help = "average=acks: weight of an ACK", .source = HTSIM, .needs = "average=acks"},
    {WEFT_ROW_ENUM(struct params, mtu_basis, "mtu-basis", "frame", "frame|payload"),
     .help = "the MTU of fair-increase, proportional-increase and eta: of a frame or its payload",
     .source = SPEC ": MTU; " HTSIM ": payload"},
    {WEFT_ROW_ENUM(struct params, no_sample, "no-sample", "stop", "stop|average"),
     .help = "an ACK whose round trip is no sample (of a packet that was sent more than twice or "
             "was known to be received, of a probe that overtook data) leaves the window alone, or "
             "is taken to have seen the average delay",
     .source = "UE specification 1.0.3, 3.6.13: stop; " HTSIM ": average"},
    {WEFT_ROW_BOOL(struct params, learn_base_rtt, "learn-base-rtt", "false"),
     .help = "the base RTT is the least seen; false: that of a full packet on the path, which is "
             "known here, and which short packets undercut",
     .source = "UE specification 1.0.3, 3.6.13.7: true, from the fabric's longest on"},
    {WEFT_ROW_BOOL(struct params, learn_from_trims, "learn-from-trims", "true"),
     .help = "learn-base-rtt=true: the round trip of a trimmed packet counts, which waited in no "
             "queue of data and was short behind the switch that cut it",
     .source = "UE specification 1.0.3, 3.6.13.7; " HTSIM ": -disable_base_rtt_update_on_nack",
     .needs = "learn-base-rtt=true"},
    {WEFT_ROW_BOOL(struct params, credit, "credit", "false"),
     .help = "receivers grant credit, too, as under rccc: the window and the credit both bound",
     .source = "UE specification 1.0.3, 3.6.14: optional, alone or with NSCC"},
    WEFT_CC_CREDIT_ROWS(struct params, grants, "credit=true"),
};

struct state {
    uint64_t line_bps;
    double frame_per_payload; /* bytes of a full frame per byte of its payload, 1 or more */
    double mtu;               /* of a frame */
    double first_rtt_ps, base_rtt_ps, target_ps, qa_threshold_ps;
    double bytes_per_ps; /* of the path's slowest link */
    double fair, alpha, fast_scale, eta, gate;
    double average_ps;
    double inc; /* bytes^2 */
    double received, achieved, fast_count, ignored, to_ignore;
    uint64_t cwnd, max_wnd; /* frame bytes */
    int64_t qa_end_ps, adjusted_ps, decreased_ps, lost_ps, averaged_ps;
    bool fast, qa_asked, trims, packet_timers;
    bool credited; /* credit is in use */
    double rtt_ps;
    struct weft_cc_credit credit;
};

static void bound(struct state *s, double cwnd)
{
    s->cwnd = weft_cc_clamp_u64(cwnd, (uint64_t)s->mtu, s->max_wnd);
}

static void nscc_publish(const struct state *s, struct weft_cc_out *out)
{
    out->rate_bps = s->line_bps;
    if (s->credited && s->credit.left <= 0) {
        out->cwnd_bytes = 0;
        return;
    }
    /* A packet must fit as a whole; the NIC lets one go while less than the window is in flight. */
    const double payload = (double)s->cwnd / s->frame_per_payload;
    const double mtu = s->mtu / s->frame_per_payload;
    const double before = floor(payload) - floor(mtu + 0.5) + 1;
    out->cwnd_bytes = weft_cc_clamp_u64(before, (uint64_t)(mtu + 0.5), UINT64_MAX / 2);
}

/* The largest window for the base RTT as it is known now. */
static void set_base_rtt(struct state *s, const struct params *p, double rtt_ps)
{
    s->base_rtt_ps = rtt_ps;
    s->max_wnd = weft_cc_clamp_u64(p->max_window * s->bytes_per_ps * rtt_ps, (uint64_t)s->mtu,
                                   UINT64_C(1) << 62);
}

static void nscc_init(void *state, const void *raw, const struct weft_cc_env *env, int64_t now_ps,
                      struct weft_cc_out *out)
{
    const struct params *p = raw;
    struct state *s = state;
    memset(s, 0, sizeof *s);
    s->line_bps = env->line_rate_bps;
    s->mtu = (double)env->mtu_wire_bytes;
    s->frame_per_payload = s->mtu / (double)env->mtu_bytes;
    s->trims = env->trims;
    s->packet_timers = env->packet_timers;
    s->first_rtt_ps = env->base_rtt_ps > 0 ? (double)env->base_rtt_ps : 1.0;
    s->bytes_per_ps = (double)env->bdp_bytes / s->first_rtt_ps;
    set_base_rtt(s, p, s->first_rtt_ps);
    if (p->first_window_bytes)
        bound(s, (double)p->first_window_bytes);
    else
        s->cwnd = s->max_wnd;
    const double target = p->target_rtts > 0 ? p->target_rtts : env->trims ? 0.75 : 1.0;
    s->target_ps = target * s->first_rtt_ps;
    s->qa_threshold_ps = env->trims ? INFINITY : p->qa_targets * s->target_ps;
    const double a = (double)env->bdp_bytes / BDP0_BYTES;
    const double mtu = p->mtu_basis == BASIS_FRAME ? s->mtu : (double)env->mtu_bytes;
    s->fair = p->fair * mtu * a;
    s->alpha = p->proportional * a * mtu / T0_PS;
    s->fast_scale = p->fast * a;
    s->eta = p->eta * mtu * a;
    s->gate = 1.0 / (double)(UINT64_C(1) << p->qa_gate);
    s->adjusted_ps = s->decreased_ps = s->averaged_ps = now_ps;
    s->lost_ps = WEFT_NEVER;
    s->credited = p->credit;
    if (s->credited)
        weft_cc_credit_init(&s->credit, &p->grants, env);
    out->timer_at_ps = WEFT_NEVER;
    out->repace = false;
    nscc_publish(s, out);
}

/* Feeds the average delay. The first sample is all there is. */
static void average(struct state *s, const struct params *p, int64_t now_ps, double delay_ps,
                    bool mark)
{
    double w = p->average_weight, x = delay_ps;
    if (p->average == AVERAGE_RTT)
        w = weft_cc_clamp((double)(now_ps - s->averaged_ps) / s->base_rtt_ps, 0, 1);
    else if (!mark && x > s->target_ps)
        x = 0.25 * s->base_rtt_ps;
    s->average_ps += w * (x - s->average_ps);
    s->averaged_ps = now_ps;
}

/* Whether the rest of an ACK is to be left out: marks of the past are ignored, or the window was
 * just set to what was achieved. */
static bool quick_adapt(struct state *s, int64_t now_ps, double flight, bool loss, bool mark,
                        double delay_ps)
{
    if (s->ignored < s->to_ignore && mark) {
        s->inc = s->received = 0;
        return true;
    }
    if (now_ps < s->qa_end_ps)
        return false;
    bool done = false;
    const bool qa_due = s->qa_asked || loss || delay_ps > s->qa_threshold_ps;
    if (s->qa_end_ps && qa_due && s->achieved < (double)s->max_wnd * s->gate) {
        bound(s, s->achieved);
        s->to_ignore = flight;
        s->ignored = 0;
        s->qa_asked = false;
        s->inc = s->received = 0;
        done = true;
    }
    s->achieved = 0;
    s->qa_end_ps = now_ps + (int64_t)weft_cc_clamp(s->base_rtt_ps + s->target_ps, 1, 1e18);
    return done;
}

/* No mark and little delay. */
static void proportional(struct state *s, const struct params *p, double n, double delay_ps)
{
    if (delay_ps < (double)p->no_delay_ps) {
        s->fast_count += n;
        if (s->fast || s->fast_count > (double)s->cwnd) {
            bound(s, (double)s->cwnd + floor(n * s->fast_scale));
            s->fast = true;
            return;
        }
    } else {
        s->fast_count = 0;
    }
    s->fast = false;
    s->inc += s->alpha * n * (s->target_ps - delay_ps);
}

static void decrease(struct state *s, const struct params *p, int64_t now_ps)
{
    s->fast = false;
    s->fast_count = 0;
    if (s->average_ps <= s->target_ps || (double)(now_ps - s->decreased_ps) <= s->base_rtt_ps)
        return;
    const double keep = 1.0 - p->gamma * (s->average_ps - s->target_ps) / s->average_ps;
    bound(s, (double)s->cwnd * (keep > p->max_md ? keep : p->max_md));
    s->decreased_ps = now_ps;
}

/* Adds what increases have gathered. */
static void apply(struct state *s, const struct params *p, int64_t now_ps)
{
    const bool over = (double)(now_ps - s->adjusted_ps) >= s->first_rtt_ps;
    if (!over && s->received <= (double)p->adjust_mtus * s->mtu)
        return;
    double cwnd = (double)s->cwnd + floor(s->inc / (double)s->cwnd);
    if (over) {
        cwnd += floor(s->eta);
        s->adjusted_ps = now_ps;
    }
    bound(s, cwnd);
    s->inc = s->received = 0;
}

/* A packet was lost, and nothing says more. */
static void lost(struct state *s, int64_t now_ps)
{
    if (!weft_cc_loss_counts(&s->lost_ps, now_ps, s->base_rtt_ps, s->packet_timers))
        return;
    bound(s, (double)s->cwnd - s->mtu);
}

/* A packet was trimmed. The RTT of what is left of it says nothing about queues: it passed them. */
static void trimmed(struct state *s, const struct params *p, int64_t now_ps,
                    const struct weft_cc_ack *ack, double flight)
{
    const double size = (double)ack->trimmed_bytes * s->frame_per_payload;
    if (p->learn_base_rtt && p->learn_from_trims && ack->rtt_ps > 0 &&
        (double)ack->rtt_ps < s->base_rtt_ps)
        set_base_rtt(s, p, (double)ack->rtt_ps);
    average(s, p, now_ps, s->first_rtt_ps, true);
    s->ignored += size;
    if (s->credited && ack->last_hop)
        return;
    s->qa_asked = true;
    if (!quick_adapt(s, now_ps, flight, true, true, 0))
        bound(s, (double)s->cwnd - size);
}

/* Whether the round trip of an ACK says something of queues. A probe is short and passes those of
 * data: one that was faster than a full packet does not. */
static bool nscc_is_sample(const struct state *s, const struct weft_cc_ack *ack)
{
    return !ack->unsure && !(ack->probe && (double)ack->rtt_ps < s->base_rtt_ps);
}

static void nscc_on_ack(void *state, const void *raw, int64_t now_ps, const struct weft_cc_ack *ack,
                        struct weft_cc_out *out)
{
    const struct params *p = raw;
    struct state *s = state;
    const double n = (double)ack->received_bytes * s->frame_per_payload;
    const double flight = (double)ack->flight_bytes * s->frame_per_payload;
    if (s->credited)
        weft_cc_credit_heard(&s->credit);
    s->ignored += n;
    s->received += n;
    s->achieved += n;
    if (ack->trimmed_bytes)
        trimmed(s, p, now_ps, ack, flight);
    else if (ack->nack && !s->trims)
        lost(s, now_ps);
    if (ack->nack || ack->rtt_ps <= 0) { /* a NACK's packet is no sample */
        nscc_publish(s, out);
        return;
    }
    s->rtt_ps = (double)ack->rtt_ps;
    const bool sample = nscc_is_sample(s, ack);
    if (!sample && p->no_sample == NO_SAMPLE_STOP) {
        nscc_publish(s, out);
        return;
    }
    if (p->learn_base_rtt && sample && !ack->probe && s->rtt_ps < s->base_rtt_ps)
        set_base_rtt(s, p, s->rtt_ps);
    double d = s->average_ps;
    if (sample) {
        d = s->rtt_ps > s->base_rtt_ps ? s->rtt_ps - s->base_rtt_ps : 0;
        average(s, p, now_ps, d, ack->ecn_echo);
    }
    if (!quick_adapt(s, now_ps, flight, false, ack->ecn_echo, d)) {
        if (!ack->ecn_echo && d < s->target_ps)
            proportional(s, p, n, d);
        else if (!ack->ecn_echo)
            s->inc += s->fair * n;
        else if (d >= s->target_ps)
            decrease(s, p, now_ps);
        apply(s, p, now_ps);
    }
    bound(s, (double)s->cwnd); /* the largest window may have shrunk */
    nscc_publish(s, out);
}

static void nscc_on_send(void *state, const void *raw, int64_t now_ps, uint32_t wire_bytes,
                         struct weft_cc_out *out)
{
    struct state *s = state;
    if (!s->credited)
        return;
    s->credit.left -= wire_bytes;
    if (s->credit.left <= 0)
        nscc_publish(s, out);
}

static void nscc_granted(void *state, const void *raw, int64_t now_ps, uint64_t granted_bytes,
                         struct weft_cc_out *out)
{
    struct state *s = state;
    weft_cc_credit_granted(&s->credit, granted_bytes);
    nscc_publish(s, out);
}

static uint64_t nscc_wanted(const void *state, const void *raw, uint64_t backlog_bytes)
{
    const struct state *s = state;
    return weft_cc_credit_wanted(&s->credit, backlog_bytes, s->cwnd + (uint64_t)s->mtu);
}

static uint64_t nscc_known(const void *state, const void *raw)
{
    return ((const struct state *)state)->credit.granted;
}

static void nscc_rules(const void *raw, const struct weft_cc_env *env, struct weft_cc_grants *out)
{
    weft_cc_credit_rules(&((const struct params *)raw)->grants, env, out);
}

static void nscc_signals(const void *raw, struct weft_cc_signals *out)
{
    const struct params *p = raw;
    *out = (struct weft_cc_signals){0};
    if (p->credit)
        out->data_bytes = (uint32_t)p->grants.request_bytes;
}

#define NEEDS                                                                                      \
    (WEFT_CC_NEEDS_ECN | WEFT_CC_NEEDS_ECN_ECHO | WEFT_CC_NEEDS_RTT | WEFT_CC_NEEDS_BASE_RTT |     \
     WEFT_CC_NEEDS_BDP)

static unsigned nscc_needs_now(const void *raw)
{
    return NEEDS | (((const struct params *)raw)->credit ? WEFT_CC_NEEDS_CREDIT : 0);
}

static const struct weft_cc_credit_ops credit_ops = {
    .granted = nscc_granted, .wanted = nscc_wanted, .known = nscc_known, .rules = nscc_rules};

static void nscc_on_rto(void *state, const void *raw, int64_t now_ps, struct weft_cc_out *out)
{
    struct state *s = state;
    lost(s, now_ps);
    nscc_publish(s, out);
}

/* At 25 Gbps a quarter of the thresholds of 100 Gbps x 12 us. */
static const struct weft_cc_marking marking = {
    "7500B", "30000B", "1", "UE specification 1.0.3, 3.6.17: 0.2 and 0.8 BDP, here of 12 us"};

static const struct weft_cc_observable observables[] = {
    {"cwnd", "bytes", "window, in bytes of frames"},
    {"average-delay", "ps", "average queueing delay, which says how strong a decrease is"},
    {"target-delay", "ps", "queueing delay that it steers to"},
    {"rtt", "ps", "round trip of the last ACK"},
    {"base-rtt", "ps", "round trip that counts as empty"},
    {"pending", "bytes", "increase that is not applied yet"},
    {"achieved", "bytes", "received since the last look at quick adapt"},
    {"credit", "bytes",
     "credit=true: bytes that may be sent, on the wire; below 0 by less than a packet"},
    {"granted", "bytes", "credit=true: credit granted since the QP opened"},
    {NULL, NULL, NULL}};

static void nscc_observe(const void *state, const void *raw, double *values)
{
    const struct state *s = state;
    values[0] = (double)s->cwnd;
    values[1] = s->average_ps;
    values[2] = s->target_ps;
    values[3] = s->rtt_ps;
    values[4] = s->base_rtt_ps;
    values[5] = s->inc / (double)s->cwnd;
    values[6] = s->achieved;
    values[7] = (double)s->credit.left;
    values[8] = (double)s->credit.granted;
}

static const struct weft_cc_moving moving[] = {WEFT_CC_MOVING(qa_end_ps, WEFT_CC_MOVES_TIME),
                                               WEFT_CC_MOVING(adjusted_ps, WEFT_CC_MOVES_TIME),
                                               WEFT_CC_MOVING(decreased_ps, WEFT_CC_MOVES_TIME),
                                               WEFT_CC_MOVING(lost_ps, WEFT_CC_MOVES_TIME),
                                               WEFT_CC_MOVING(averaged_ps, WEFT_CC_MOVES_TIME),
                                               WEFT_CC_MOVING_END};

static const struct weft_cc_replay replay = {
    .moving = moving,
};

const struct weft_cc_ops weft_cc_nscc = {
    .name = "nscc",
    .title = "NSCC, Ultra Ethernet: a window by marks and delay, for sprayed packets",
    .source = "Ultra Ethernet specification 1.0.3, section 3.6.13; Bonato et al.: SMaRTT-REPS, "
              "arXiv 2404.01630",
    .needs = NEEDS | WEFT_CC_NEEDS_CREDIT,
    .multipath = true,
    .state_size = sizeof(struct state),
    .params = WEFT_PARAM_TABLE(params, struct params),
    .observables = observables,
    .marking = &marking,
    .needs_now = nscc_needs_now,
    .init = nscc_init,
    .on_send = nscc_on_send,
    .on_ack = nscc_on_ack,
    .on_rto = nscc_on_rto,
    .signals = nscc_signals,
    .credit = &credit_ops,
    .observe = nscc_observe,
    .replay = &replay,
};
