/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dctcp: DCTCP (Alizadeh et al., "Data Center TCP (DCTCP)", SIGCOMM 2010; RFC 8257) for RDMA, in
 * two dialects. Both follow the share of marked packets, alpha = (1-g) alpha + g F once per round
 * trip, start with alpha = 1, and cut by alpha/2 at most once per round trip.
 *
 * mode=paper: a window at line rate, clocked by ACKs.
 *
 * - F is the share of acknowledged bytes whose ACK echoed a mark. The window starts at one
 *   bandwidth-delay product: an RDMA NIC has no slow start.
 * - A marked ACK cuts the window by alpha/2, then nothing changes it until data sent after the cut
 *   is acknowledged. Otherwise each window of ACKs adds one MTU, if the window was in use.
 * - A NACK or timeout means loss and halves the window, once per round trip likewise. TCP would
 *   start anew from one segment after a timeout; without slow start that would take a
 *   bandwidth-delay product of round trips to repair.
 *
 * mode=hpcc, what the HPCC simulator does (its CC_MODE 8): the same on a rate.
 *
 * - Round trips are counted from the first ACK. F counts marked ACKs against the packets that were
 *   in flight when the round trip began, plus one; marks of the very first ACK count for the
 *   second round.
 * - A marked ACK outside a cut's round trip cuts the rate; an ACK that begins a round trip outside
 *   one adds rate-ai. Loss changes nothing.
 * - run.py's preset "dctcp": min-rate 1000Mbps; switches mark above one threshold (Kmin = Kmax).
 */
#include "congestion/cc.h"
#include "congestion/cc_marking.h"
#include "congestion/cc_replay.h"
#include "congestion/presets.h"
#include "congestion/window.h"

#include "base/scale.h"
#include "base/units.h"

#include <string.h>

enum mode { MODE_PAPER, MODE_HPCC };

struct params {
    int mode;
    double gain;
    uint64_t initial_window_bytes;      /* paper */
    uint64_t rate_ai_bps, min_rate_bps; /* hpcc */
    int window;                         /* hpcc */
};

#define HPCC_SIM "HPCC simulator, rdma-hw.cc"

static const struct weft_param params[] = {
    {WEFT_ROW_ENUM(struct params, mode, "mode", "paper", "paper|hpcc"),
     .help = "paper: the window algorithm; hpcc: as the HPCC simulator does it, on a rate"},
    {WEFT_ROW_F64(struct params, gain, "gain", "1/16", "0.000001", "1"),
     .help = "g: weight of the newest round trip in alpha",
     .source = "Alizadeh et al., SIGCOMM 2010; RFC 8257"},
    {WEFT_ROW_SIZE(struct params, initial_window_bytes, "initial-window", "0B", "0B", NULL),
     .help = "mode=paper: window at the start; 0: one bandwidth-delay product",
     .needs = "mode=paper"},
    {WEFT_ROW_RATE(struct params, rate_ai_bps, "rate-ai", "615Mbps", "0bps", NULL),
     .help = "mode=hpcc: rate gained per round trip",
     .source = "HPCC simulator, run.py: one packet of 1 KB per 13 us, at 25 Gbps and more",
     .needs = "mode=hpcc", .scale = WEFT_PER_LINE_RATE("100Gbps", "615Mbps", NULL)},
    {WEFT_ROW_RATE(struct params, min_rate_bps, "min-rate", "100Mbps", "1bps", NULL),
     .help = "mode=hpcc: no cut goes below this rate", .source = HPCC_SIM " (attribute MinRate)",
     .needs = "mode=hpcc"},
    {WEFT_ROW_ENUM(struct params, window, "window", "scaled", WEFT_CC_WINDOW_CHOICES),
     .help = "mode=hpcc: " WEFT_CC_WINDOW_HELP, .source = HPCC_SIM " (HAS_WIN, VAR_WIN)",
     .needs = "mode=hpcc"},
};

struct state {
    uint64_t line_bps, min_bps, bdp_bytes, mtu_bytes;
    double alpha;
    uint64_t round_bytes; /* an ACK beyond this ends a round trip; hpcc, 0: no ACK yet */
    uint64_t cut_bytes;   /* an ACK beyond this ends the round trip of a cut */
    bool in_cut;
    double cwnd_bytes;            /* paper */
    uint64_t acked, marked_bytes; /* paper: of this round trip */
    uint64_t rate_bps;            /* hpcc */
    uint64_t marks, batch;        /* hpcc: marked ACKs, packets expected of this round trip */
};

static unsigned needs_now(const void *raw)
{
    const struct params *p = raw;
    unsigned path = p->mode == MODE_HPCC           ? weft_cc_window_needs(p->window)
                    : p->initial_window_bytes == 0 ? WEFT_CC_NEEDS_BDP
                                                   : 0;
    return WEFT_CC_NEEDS_ECN | WEFT_CC_NEEDS_ECN_ECHO | path;
}

static void dctcp_publish(const struct state *s, const struct params *p, struct weft_cc_out *out)
{
    out->rate_bps = s->rate_bps ? s->rate_bps : 1;
    out->cwnd_bytes =
        p->mode == MODE_PAPER
            ? weft_cc_clamp_u64(s->cwnd_bytes, s->mtu_bytes, UINT64_MAX)
            : weft_cc_window_bytes(p->window, s->bdp_bytes, s->mtu_bytes, s->rate_bps, s->line_bps);
}

static void dctcp_init(void *state, const void *raw, const struct weft_cc_env *env, int64_t now_ps,
                       struct weft_cc_out *out)
{
    const struct params *p = raw;
    struct state *s = state;
    memset(s, 0, sizeof *s);
    s->line_bps = s->rate_bps = env->line_rate_bps;
    s->min_bps = p->min_rate_bps < s->line_bps ? p->min_rate_bps : s->line_bps;
    s->bdp_bytes = env->bdp_bytes;
    s->mtu_bytes = env->mtu_bytes;
    s->alpha = 1.0;
    uint64_t w = p->initial_window_bytes ? p->initial_window_bytes : env->bdp_bytes;
    s->cwnd_bytes = w > env->mtu_bytes ? (double)w : (double)env->mtu_bytes;
    out->timer_at_ps = WEFT_NEVER;
    out->repace = false;
    dctcp_publish(s, p, out);
}

static void learn(struct state *s, const struct params *p, double marked_share)
{
    s->alpha = (1.0 - p->gain) * s->alpha + p->gain * marked_share;
}

static void start_cut(struct state *s, uint64_t nxt_bytes)
{
    s->in_cut = true;
    s->cut_bytes = nxt_bytes;
}

/* paper: scales the window, unless it was scaled in this round trip. */
static void cut_window(struct state *s, double factor, uint64_t nxt_bytes)
{
    if (s->in_cut)
        return;
    s->cwnd_bytes = weft_cc_clamp(s->cwnd_bytes * factor, (double)s->mtu_bytes, 0x1p62);
    start_cut(s, nxt_bytes);
}

static void ack_paper(struct state *s, const struct params *p, const struct weft_cc_ack *ack)
{
    s->acked += ack->acked_bytes;
    if (ack->ecn_echo)
        s->marked_bytes += ack->acked_bytes;
    if (ack->una_bytes > s->round_bytes) {
        if (s->acked > 0)
            learn(s, p, (double)s->marked_bytes / (double)s->acked);
        s->acked = s->marked_bytes = 0;
        s->round_bytes = ack->nxt_bytes;
    }
    if (ack->una_bytes > s->cut_bytes)
        s->in_cut = false;
    if (ack->nack)
        cut_window(s, 0.5, ack->nxt_bytes);
    else if (ack->ecn_echo)
        cut_window(s, 1.0 - s->alpha / 2.0, ack->nxt_bytes);
    double in_flight = (double)(ack->nxt_bytes - ack->una_bytes) + (double)ack->acked_bytes;
    if (!s->in_cut && in_flight + (double)s->mtu_bytes > s->cwnd_bytes)
        s->cwnd_bytes = weft_cc_clamp(s->cwnd_bytes + (double)s->mtu_bytes *
                                                          (double)ack->acked_bytes / s->cwnd_bytes,
                                      (double)s->mtu_bytes, 0x1p62);
}

static void ack_hpcc(struct state *s, const struct params *p, const struct weft_cc_ack *ack)
{
    s->marks += ack->ecn_echo;
    bool new_round = ack->una_bytes > s->round_bytes;
    if (new_round && s->round_bytes == 0) {
        s->batch = ack->nxt_bytes / s->mtu_bytes + 1;
    } else if (new_round) {
        double f = (double)s->marks / (double)s->batch;
        learn(s, p, f < 1.0 ? f : 1.0);
        s->marks = 0;
        s->batch = (ack->nxt_bytes - ack->una_bytes) / s->mtu_bytes + 1;
    }
    if (new_round)
        s->round_bytes = ack->nxt_bytes;
    if (s->in_cut && ack->una_bytes > s->cut_bytes)
        s->in_cut = false;
    if (ack->ecn_echo && !s->in_cut) {
        s->rate_bps = weft_cc_clamp_u64((double)s->rate_bps * (1.0 - s->alpha / 2.0), s->min_bps,
                                        s->line_bps);
        start_cut(s, ack->nxt_bytes);
    }
    if (!s->in_cut && new_round)
        s->rate_bps =
            p->rate_ai_bps < s->line_bps - s->rate_bps ? s->rate_bps + p->rate_ai_bps : s->line_bps;
}

static void dctcp_on_ack(void *state, const void *raw, int64_t now_ps,
                         const struct weft_cc_ack *ack, struct weft_cc_out *out)
{
    const struct params *p = raw;
    if (p->mode == MODE_PAPER)
        ack_paper(state, p, ack);
    else
        ack_hpcc(state, p, ack);
    dctcp_publish(state, p, out);
}

static void dctcp_on_rto(void *state, const void *raw, int64_t now_ps, struct weft_cc_out *out)
{
    const struct params *p = raw;
    struct state *s = state;
    if (p->mode == MODE_PAPER)
        cut_window(s, 0.5, s->round_bytes);
    dctcp_publish(s, p, out);
}

static const struct weft_cc_observable observables[] = {
    {"alpha", "1", "estimate of the share of packets that are marked"}, {NULL, NULL, NULL}};

static void dctcp_observe(const void *state, const void *raw, double *values)
{
    const struct state *s = state;
    values[0] = s->alpha;
}

static const struct weft_cc_marking marking = {
    "75KB", "75KB", "1",
    "RFC 8257 section 3.1: one threshold K; HPCC simulator, run.py: 3 KB per Gbps"};

static const struct weft_cc_moving moving[] = {WEFT_CC_MOVING(round_bytes, WEFT_CC_MOVES_BYTES),
                                               WEFT_CC_MOVING(cut_bytes, WEFT_CC_MOVES_BYTES),
                                               WEFT_CC_MOVING_END};

static const struct weft_cc_replay replay = {
    .moving = moving,
};

const struct weft_cc_ops weft_cc_dctcp = {
    .name = "dctcp",
    .title = "DCTCP: a window cut in proportion to the share of ECN marks",
    .source = "Alizadeh et al.: Data Center TCP (DCTCP), SIGCOMM 2010; RFC 8257",
    .needs = WEFT_CC_NEEDS_ECN | WEFT_CC_NEEDS_ECN_ECHO | WEFT_CC_NEEDS_BDP,
    .needs_now = needs_now,
    .state_size = sizeof(struct state),
    .params = WEFT_PARAM_TABLE(params, struct params),
    .presets = weft_dctcp_presets,
    .observables = observables,
    .marking = &marking,
    .init = dctcp_init,
    .on_ack = dctcp_on_ack,
    .on_rto = dctcp_on_rto,
    .observe = dctcp_observe,
    .replay = &replay,
};
