/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * hpcc: HPCC (Li et al., "HPCC: High Precision Congestion Control", SIGCOMM 2019).
 *
 * Each ACK brings what every switch port on the path stamped on the data packet: time, bytes sent,
 * queue, rate. Against the stamps of the ACK before, with tau the time between the two and T the
 * base round trip, port i was used to
 *
 *   u_i = (bytes sent in tau) / tau / B_i + min(queue, queue before) / (B_i T).
 *
 * The largest u_i enters U = (1 - tau/T) U + (tau/T) u_i (tau at most T), and hpcc_law.h turns U
 * into a window or a rate at each ACK. The reference of that law changes with the first ACK for
 * data sent after its last change: once per round trip. U starts at 1, the rate at line rate; the
 * first ACK only leaves its stamps. A hop that shows no time since its last stamp is left out. When
 * the path changes (another number of hops, other rates, a clock or counter that runs backwards),
 * the stamps start anew as on the first ACK. With packet spraying that is nearly every ACK.
 *
 * mode=hpcc, what the HPCC simulator does (its CC_MODE 3)
 *
 * - The queue term is min(queue, queue before) C / (B_i W), C the line rate and W the bytes of one
 *   bandwidth-delay product: the same as above where W = C T.
 * - Without fast-react only the ACKs that change the reference count; with sample-feedback the
 *   others skip hops whose queue is empty; with multi-rate each hop has its own U and reference
 *   and the rate is the smallest of all.
 * - int-multi reproduces its stamps: whole nanoseconds, bytes in units of 128 int-multi, queues
 *   in units of 80 int-multi, rounded down. Its counters' wrap-around and its limits (5 hops, a
 *   fixed list of rates) are not reproduced.
 * - run.py's preset "hp" for a NIC of B Gbps: max-stage 0, int-multi B/25, min-rate 1000Mbps.
 *
 * overreact=true is what the paper compares with (section 5.4, figure 13): the reference changes
 * with every ACK, so that all ACKs that saw one queue reduce the rate for it, each again.
 */
#include "congestion/cc.h"
#include "congestion/cc_switch.h"
#include "congestion/cc_replay.h"
#include "congestion/hpcc_law.h"
#include "congestion/presets.h"

#include "base/units.h"

#include <string.h>

struct params {
    struct weft_hpcc_knobs k;
    uint64_t int_bytes;
    bool overreact;
    bool fast_react, sample_feedback, multi_rate; /* hpcc */
    uint64_t int_multi;                           /* hpcc */
};

/* The paper reacts to every ACK, and reads stamps as they are. */
static bool reacts_fast(const struct params *p)
{
    return p->k.mode == WEFT_HPCC_PAPER || p->fast_react;
}
static bool per_hop(const struct params *p)
{
    return p->k.mode == WEFT_HPCC_SIM && p->multi_rate;
}

static const struct weft_param params[] = {
    WEFT_HPCC_PARAMS(struct params, k),
    {WEFT_ROW_SIZE(struct params, int_bytes, "int-bytes", "42B", "0B", "1000B"),
     .help = "bytes that the stamps add to each data packet, and their echo to each ACK",
     .source = WEFT_HPCC_PAPER_NAME ": 2 bytes and 8 for each of 5 hops"},
    {WEFT_ROW_BOOL(struct params, overreact, "overreact", "false"),
     .help = "change the reference with each ACK instead of once per round trip, which is what "
             "HPCC avoids",
     .source = WEFT_HPCC_PAPER_NAME ", figure 13: reaction per ACK"},
    {WEFT_ROW_BOOL(struct params, fast_react, "fast-react", "true"),
     .help = "mode=hpcc: adjust at each ACK, not only once per round trip",
     .source = WEFT_HPCC_SIM_NAME " (FAST_REACT)", .needs = "mode=hpcc"},
    {WEFT_ROW_BOOL(struct params, sample_feedback, "sample-feedback", "false"),
     .help = "mode=hpcc: within a round trip, ignore hops whose queue is empty",
     .source = WEFT_HPCC_SIM_NAME " (SAMPLE_FEEDBACK)", .needs = "mode=hpcc and fast-react=true"},
    {WEFT_ROW_BOOL(struct params, multi_rate, "multi-rate", "false"),
     .help = "mode=hpcc: a rate of its own for each hop, of which the smallest counts",
     .source = WEFT_HPCC_SIM_NAME " (MULTI_RATE)", .needs = "mode=hpcc"},
    {WEFT_ROW_U64(struct params, int_multi, "int-multi", "0", "0", "1000000"),
     .help = "mode=hpcc: coarseness of the stamps; 0: exact stamps",
     .source = WEFT_HPCC_SIM_NAME " (INT_MULTI)", .needs = "mode=hpcc"},
};

/* Utilisation and reference: of the path, or with multi-rate of one hop. */
struct gauge {
    double u;
    struct weft_hpcc_ref ref;
};

struct state {
    struct weft_hpcc_law law;
    double t_ps;                /* T */
    uint64_t last_update_bytes; /* an ACK beyond this changes the reference; 0: no ACK yet */
    struct gauge path;
    uint32_t nhops;
    struct weft_cc_hop hops[WEFT_CC_MAX_HOPS]; /* the last stamps; without multi-rate, of as many
                                                  as the path has */
    struct gauge hop[WEFT_CC_MAX_HOPS];        /* multi-rate */
};

static unsigned needs_now(const void *raw)
{
    const struct params *p = raw;
    return WEFT_CC_NEEDS_INT | weft_hpcc_knobs_need(&p->k) |
           (p->k.mode == WEFT_HPCC_SIM ? WEFT_CC_NEEDS_BDP : 0) | WEFT_CC_NEEDS_BASE_RTT;
}

static void hpcc_init(void *state, const void *raw, const struct weft_cc_env *env, int64_t now_ps,
                      struct weft_cc_out *out)
{
    const struct params *p = raw;
    struct state *s = state;
    memset(s, 0, offsetof(struct state, hops));
    memset(s->hops, 0, weft_cc_stamps(per_hop(p) ? 0 : env->hops) * sizeof s->hops[0]);
    weft_hpcc_law_init(&s->law, &p->k, env);
    s->t_ps = env->base_rtt_ps > 0 ? (double)env->base_rtt_ps : 1.0;
    s->path = (struct gauge){.u = 1.0, .ref = {.x = s->law.hi}};
    for (int i = 0; per_hop(p) && i < WEFT_CC_MAX_HOPS; i++)
        s->hop[i] = s->path;
    out->timer_at_ps = WEFT_NEVER;
    out->repace = true;
    weft_hpcc_publish(&s->law, &p->k, s->law.hi, out);
}

/* A stamp as the algorithm sees it with int-multi. */
static struct weft_cc_hop coarse_stamp(const struct params *p, struct weft_cc_hop h)
{
    h.ts_ps -= h.ts_ps % WEFT_PS_PER_NS;
    h.tx_bytes -= h.tx_bytes % (128 * p->int_multi);
    h.qlen_bytes -= h.qlen_bytes % (80 * p->int_multi);
    return h;
}
static bool reads_coarsely(const struct params *p)
{
    return p->k.mode == WEFT_HPCC_SIM && p->int_multi;
}

/* Whether a stamp can be the next one of the port that left @p old. */
static inline bool hop_follows(const struct weft_cc_hop *h, const struct weft_cc_hop *old)
{
    return h->rate_bps == old->rate_bps && h->ts_ps >= old->ts_ps && h->tx_bytes >= old->tx_bytes;
}

/* True if `h` can be the next stamps of the ports that left the last ones. */
static bool same_path(const struct state *s, const struct weft_cc_hop *h)
{
    for (uint32_t i = 0; i < s->nhops; i++)
        if (!hop_follows(&h[i], &s->hops[i]))
            return false;
    return true;
}

/* A count as a double. Bytes and rates lie below 2^63, where the signed conversion is one
 * instruction. */
static inline double real(uint64_t count)
{
    return (double)(int64_t)count;
}

/* u of a hop between two stamps that are tau apart. */
static inline double hop_util(const struct state *s, const struct params *p,
                              const struct weft_cc_hop *h, const struct weft_cc_hop *old,
                              double tau_ps)
{
    const double b = real(h->rate_bps);
    const double sent = real(h->tx_bytes - old->tx_bytes) * 8e12 / tau_ps / b;
    if (!h->qlen_bytes || !old->qlen_bytes) /* as most ports are */
        return sent;
    const double q = real(h->qlen_bytes < old->qlen_bytes ? h->qlen_bytes : old->qlen_bytes);
    if (!weft_hpcc_whole(&p->k))
        return sent + q * 8e12 / (b * s->t_ps);
    const double window_bytes = s->law.bdp_bytes ? (double)s->law.bdp_bytes : 1.0;
    return sent + q * real(s->law.line_bps) / b / window_bytes;
}

/* Lets utilisation u, seen for tau, into the average. */
static void average(const struct state *s, struct gauge *g, double u, double tau_ps)
{
    double tau = tau_ps < s->t_ps ? tau_ps : s->t_ps;
    g->u = (g->u * (s->t_ps - tau) + u * tau) / s->t_ps;
}

/* What new stamps say. */
enum seen { SEEN_NOTHING, SEEN_UTILISATION, SEEN_OTHER_PATH };

/* mode=paper: takes over new stamps in one pass over the hops, as this is done at each ACK. */
static enum seen measure_path(struct state *s, const struct params *p, const struct weft_cc_hop *h)
{
    enum seen seen = SEEN_NOTHING;
    double top = 0, top_tau_ps = 0;
    struct weft_cc_hop *old = s->hops;
    for (const struct weft_cc_hop *end = old + s->nhops; old < end; old++, h++) {
        const int64_t ps = (int64_t)((uint64_t)h->ts_ps - (uint64_t)old->ts_ps);
        if (h->rate_bps != old->rate_bps)
            return SEEN_OTHER_PATH;
        if (ps <= 0) {
            if (ps < 0 || h->tx_bytes < old->tx_bytes)
                return SEEN_OTHER_PATH;
            continue;
        }
        if (h->tx_bytes < old->tx_bytes)
            return SEEN_OTHER_PATH;
        const double tau_ps = (double)ps, u = hop_util(s, p, h, old, tau_ps);
        *old = *h;
        seen = SEEN_UTILISATION;
        if (u > top) {
            top = u;
            top_tau_ps = tau_ps;
        }
    }
    if (seen)
        average(s, &s->path, top, top_tau_ps);
    return seen;
}

/* mode=hpcc: the same, and whether each hop counts. */
static enum seen measure_hops(struct state *s, const struct params *p, const struct weft_cc_hop *h,
                              bool full, bool *updated)
{
    enum seen seen = SEEN_NOTHING;
    double top = 0, top_tau_ps = 0;
    if (!same_path(s, h))
        return SEEN_OTHER_PATH;
    for (uint32_t i = 0; i < s->nhops; i++) {
        double tau_ps = (double)(h[i].ts_ps - s->hops[i].ts_ps);
        updated[i] = tau_ps > 0 && (full || !p->sample_feedback || h[i].qlen_bytes > 0);
        if (!updated[i])
            continue;
        seen = SEEN_UTILISATION;
        double u = hop_util(s, p, &h[i], &s->hops[i], tau_ps);
        s->hops[i] = h[i];
        if (per_hop(p))
            average(s, &s->hop[i], u, tau_ps);
        if (u > top) {
            top = u;
            top_tau_ps = tau_ps;
        }
    }
    if (seen)
        average(s, &s->path, top, top_tau_ps);
    return seen;
}

/* multi-rate: the smallest of the hops' rates. */
static double react_per_hop(struct state *s, const struct params *p, bool full, const bool *updated)
{
    double x = s->law.hi;
    for (uint32_t i = 0; i < s->nhops; i++) {
        struct weft_hpcc_ref next = s->hop[i].ref;
        if (updated[i])
            weft_hpcc_react(&s->law, &p->k, &s->hop[i].ref, s->hop[i].u, &next);
        x = next.x < x ? next.x : x;
        if (full)
            s->hop[i].ref = next;
    }
    return x;
}

static void end_round(struct state *s, const struct weft_cc_ack *ack)
{
    if (ack->nxt_bytes > s->last_update_bytes)
        s->last_update_bytes = ack->nxt_bytes;
}

static void hpcc_on_ack(void *state, const void *raw, int64_t now_ps, const struct weft_cc_ack *ack,
                        struct weft_cc_out *out)
{
    const struct params *p = raw;
    struct state *s = state;
    bool full = p->overreact || ack->una_bytes > s->last_update_bytes;
    uint32_t n = ack->nhops < WEFT_CC_MAX_HOPS ? ack->nhops : WEFT_CC_MAX_HOPS;
    if (n == 0 || (!full && !reacts_fast(p)))
        return;
    struct weft_cc_hop coarse[WEFT_CC_MAX_HOPS];
    const struct weft_cc_hop *h = ack->hops;
    if (reads_coarsely(p)) {
        for (uint32_t i = 0; i < n; i++)
            coarse[i] = coarse_stamp(p, ack->hops[i]);
        h = coarse;
    }
    bool updated[WEFT_CC_MAX_HOPS];
    enum seen seen = SEEN_OTHER_PATH;
    if (s->last_update_bytes != 0 && n == s->nhops)
        seen =
            weft_hpcc_whole(&p->k) ? measure_hops(s, p, h, full, updated) : measure_path(s, p, h);
    if (seen == SEEN_OTHER_PATH) {
        memcpy(s->hops, h, n * sizeof h[0]);
        for (uint32_t i = 0; i < n; i++) /* no stamp follows one without a rate */
            s->hops[i].rate_bps -= !s->hops[i].rate_bps;
        s->nhops = n;
    } else if (seen == SEEN_UTILISATION) {
        struct weft_hpcc_ref next;
        double x = weft_hpcc_react(&s->law, &p->k, &s->path.ref, s->path.u, &next);
        if (per_hop(p))
            x = react_per_hop(s, p, full, updated);
        else if (full)
            s->path.ref = next;
        weft_hpcc_publish(&s->law, &p->k, x, out);
    }
    if (full)
        end_round(s, ack);
}

static void hpcc_signals(const void *raw, struct weft_cc_signals *out)
{
    const struct params *p = raw;
    *out = weft_cc_echoed(p->int_bytes);
    if (per_hop(p))
        return;
    out->head_bytes = offsetof(struct state, hops);
    out->hop_bytes = sizeof(struct weft_cc_hop);
}

static const struct weft_cc_observable observables[] = {
    {"utilisation", "1", "U: bytes in flight on the fullest link, over its rate x base RTT"},
    {"reference-rate", "bps", "of the reference window, over the base RTT"},
    {"stage", "1", "additive increases since the last multiplicative change"},
    {NULL, NULL, NULL}};

static void hpcc_observe(const void *state, const void *raw, double *values)
{
    const struct params *p = raw;
    const struct state *s = state;
    const struct gauge *g = &s->path;
    for (uint32_t i = 0; per_hop(p) && i < s->nhops; i++)
        if (g == &s->path || s->hop[i].ref.x < g->ref.x)
            g = &s->hop[i];
    values[0] = g->u;
    values[1] = weft_hpcc_rate(&s->law, &p->k, g->ref.x);
    values[2] = (double)g->ref.stage;
}

/* Rates below what there is go up step by step, and only after max-stage round trips at once. */
static int64_t pace_ps(const void *state, const void *raw)
{
    const struct params *p = raw;
    return (int64_t)(((const struct state *)state)->t_ps * (p->k.max_stage + 1));
}

static const struct weft_cc_moving moving[] = {
    WEFT_CC_MOVING(last_update_bytes, WEFT_CC_MOVES_BYTES),
    WEFT_CC_MOVING_HOPS(ts_ps, WEFT_CC_MOVES_TIME),
    WEFT_CC_MOVING_HOPS(tx_bytes, WEFT_CC_MOVES_COUNT), WEFT_CC_MOVING_END};

static const struct weft_cc_replay replay = {
    .moving = moving,
    .pace_ps = pace_ps,
};

const struct weft_cc_ops weft_cc_hpcc = {
    .name = "hpcc",
    .title = "HPCC: a window from the utilisation that switches stamp on packets (INT)",
    .source = "Li et al.: HPCC: High Precision Congestion Control, SIGCOMM 2019",
    .needs = WEFT_CC_NEEDS_INT | WEFT_CC_NEEDS_BASE_RTT | WEFT_CC_NEEDS_BDP,
    .needs_now = needs_now,
    .state_size = sizeof(struct state),
    .params = WEFT_PARAM_TABLE(params, struct params),
    .presets = weft_hpcc_presets,
    .observables = observables,
    .init = hpcc_init,
    .on_ack = hpcc_on_ack,
    .signals = hpcc_signals,
    .observe = hpcc_observe,
    .replay = &replay,
};
