/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * skeleton: the smallest complete congestion control, to copy when writing a new one.
 *
 * It halves its rate for each ACK that echoes an ECN mark and adds `rate-step` for each that does
 * not: enough to show where everything goes, not an algorithm to use. It is not in cc_table.def;
 * the tests compile it and run the conformance test over it, so that it always builds and obeys
 * cc.h.
 *
 * To add an algorithm:
 *   1. copy this file to congestion/<name>.c and rename weft_cc_skeleton to weft_cc_<name>;
 *   2. say in this comment what the model is, what it assumes and which paper it follows;
 *   3. add the line WEFT_CC(<name>) to cc_table.def;
 *   4. add a line to the cases of tests/congestion/duel_test.cc, and what can be worked out by hand
 *      in tests/congestion/<name>_test.cc. docs/how-to/adding-a-congestion-control.md has every
 * step.
 *
 * Everything else (command line, scenarios, ns-3 attributes, help, conformance test) reads the
 * table.
 */
#include "congestion/cc.h"

#include "base/units.h"

#include <string.h>

/* 1. What the user can set. Times are int64_t ps, sizes uint64_t bytes, rates uint64_t bit/s,
 * ratios double. */
struct params {
    uint64_t rate_step_bps;
    uint64_t min_rate_bps;
};

/* 2. Name, type, place, default, min, max, choices, help, source. Units are part of the text. */
static const struct weft_param params[] = {
    {WEFT_ROW_RATE(struct params, rate_step_bps, "rate-step", "50Mbps", "1bps", NULL),
     .help = "rate gained by each unmarked ACK"},
    {WEFT_ROW_RATE(struct params, min_rate_bps, "min-rate", "100Mbps", "1bps", NULL),
     .help = "the rate never falls below this"},
};

/* 3. What one QP remembers. No pointers, no allocation: the caller owns state_size bytes. */
struct state {
    uint64_t line_rate_bps;
    uint64_t marks; /* marked ACKs so far */
};

/* Required. Writes all of *state and all of *out. */
static void skeleton_init(void *state, const void *raw, const struct weft_cc_env *env,
                          int64_t now_ps, struct weft_cc_out *out)
{
    struct state *s = state;
    memset(s, 0, sizeof *s);
    s->line_rate_bps = env->line_rate_bps;
    out->rate_bps = env->line_rate_bps; /* 1 .. line rate */
    out->cwnd_bytes = UINT64_MAX;       /* at least one MTU; UINT64_MAX: no window */
    out->timer_at_ps = WEFT_NEVER;      /* no call of on_timer wanted */
    out->repace = false;                /* a new rate takes effect after the packet now waiting */
}

/* Optional, like every other hook. *out holds the last decision: change what should change. */
static void skeleton_on_ack(void *state, const void *raw, int64_t now_ps,
                            const struct weft_cc_ack *ack, struct weft_cc_out *out)
{
    const struct params *p = raw;
    struct state *s = state;
    if (ack->ecn_echo) {
        s->marks++;
        out->rate_bps /= 2;
    } else if (s->line_rate_bps - out->rate_bps > p->rate_step_bps) {
        out->rate_bps += p->rate_step_bps;
    } else {
        out->rate_bps = s->line_rate_bps;
    }
    uint64_t floor_bps = p->min_rate_bps < s->line_rate_bps ? p->min_rate_bps : s->line_rate_bps;
    if (out->rate_bps < floor_bps)
        out->rate_bps = floor_bps;
}

/* 4. Named values for traces and plots, in the order in which `observe` writes them. */
static const struct weft_cc_observable observables[] = {{"marks", "1", "marked ACKs so far"},
                                                        {NULL, NULL, NULL}};

static void skeleton_observe(const void *state, const void *raw, double *values)
{
    const struct state *s = state;
    values[0] = (double)s->marks;
}

/* 5. The algorithm. `needs` is what switches and NICs must supply; they turn it on from here. */
const struct weft_cc_ops weft_cc_skeleton = {
    .name = "skeleton",
    .title = "example to copy: halve on a mark, step up without",
    .source = "weft",
    .needs = WEFT_CC_NEEDS_ECN | WEFT_CC_NEEDS_ECN_ECHO,
    .state_size = sizeof(struct state),
    .params = WEFT_PARAM_TABLE(params, struct params),
    .observables = observables,
    .init = skeleton_init,
    .on_ack = skeleton_on_ack,
    .observe = skeleton_observe,
};
