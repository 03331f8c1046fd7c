/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Recursive halving and doubling (Rabenseifner; Thakur, Rabenseifner and Gropp, "Optimization of
 * collective communication operations in MPICH", IJHPCA 2005).
 *
 * reduce-scatter  step s: half of what a rank still holds goes to rank ^ 2^s, which keeps it
 * all-gather      the same backwards: distances n/2 ... 1, what is sent doubles
 * all-reduce      both
 *
 * Any number of ranks: with p the largest power of two <= n, rank p + v first gives everything to
 * rank v, which works for both, and gets its result at the end. The blocks that rank v and its
 * folded partner own differ by p, so each step still moves the blocks of one residue modulo a power
 * of two.
 *
 * reduction=forwarded charges at each step only the half that is sent on next, and nothing in the
 * last step: what ASTRA-sim does.
 */
#include "collective/cost.h"

struct params {
    int reduction;
};

static const struct weft_param params[] = {
    {WEFT_ROW_ENUM(struct params, reduction, "reduction", "received", "received|forwarded"),
     .help = "what adding up costs: all received bytes, or those sent on next",
     .source = "ASTRA-sim HalvingDoubling (forwarded)"},
};

static bool halving_doubling_supports(const struct weft_coll_call *c, const char **why)
{
    const unsigned kinds =
        WEFT_COLL_BIT(ALL_REDUCE) | WEFT_COLL_BIT(ALL_GATHER) | WEFT_COLL_BIT(REDUCE_SCATTER);
    return weft_coll_one_of(c, kinds,
                            "halving-doubling does all-reduce, all-gather and reduce-scatter", why);
}

static uint64_t halving_doubling_parts(const struct weft_coll_call *c)
{
    return c->kind == WEFT_COLL_ALL_REDUCE ? c->n : 1;
}

static uint64_t halving_doubling_count(const struct weft_coll_call *c, uint32_t rank, uint32_t lane)
{
    if (c->n == 1)
        return 0;
    unsigned l = weft_coll_log2(c->n);
    uint32_t p = UINT32_C(1) << l;
    if (rank >= p)
        return 2;
    return (c->kind == WEFT_COLL_ALL_REDUCE ? 4 : 2) * (uint64_t)l + (rank + p < c->n ? 2 : 0);
}

/* The blocks below n that are x modulo m. */
static void residue(struct weft_coll_instr *out, uint32_t x, uint32_t m, uint32_t n)
{
    out->first_block = x % m;
    out->stride = m;
    out->nblocks = (n - 1 - x % m) / m + 1;
}

/* What goes between rank p + v and v: `before` the steps or after them. */
static void fold(const struct weft_coll_call *c, uint32_t extra, int before,
                 struct weft_coll_instr *out)
{
    out->first_block = 0;
    out->nblocks = c->n;
    if (c->kind == WEFT_COLL_ALL_GATHER) {
        out->first_block = before ? extra : (extra + UINT64_C(1)) % c->n;
        out->nblocks = before ? 1 : c->n - 1;
    } else if (c->kind == WEFT_COLL_REDUCE_SCATTER && !before) {
        out->first_block = extra;
        out->nblocks = 1;
    }
}

static void halving_doubling_instr(const struct weft_coll_call *c, uint32_t rank, uint32_t lane,
                                   uint64_t i, struct weft_coll_instr *out)
{
    unsigned l = weft_coll_log2(c->n);
    uint32_t p = UINT32_C(1) << l, n = c->n;
    enum weft_coll_action fold_in =
        c->kind == WEFT_COLL_ALL_GATHER ? WEFT_COLL_RECV : WEFT_COLL_RECV_REDUCE;
    out->dep_lane = lane;
    if (i > 0) { /* all go one after the other; a receive may be posted with its send */
        out->dep = WEFT_COLL_DEP_INSTR;
        out->dep_instr = i - 1;
    }
    if (rank >= p) {
        fold(c, rank, i == 0, out);
        out->peer = rank - p;
        out->action = i == 0 ? WEFT_COLL_SEND : WEFT_COLL_RECV;
        out->peer_instr = 0;
        return;
    }
    uint64_t has_extra = rank + p < n, steps = (c->kind == WEFT_COLL_ALL_REDUCE ? 2 : 1) * l;
    if (has_extra && (i == 0 || i == 1 + 2 * steps)) {
        fold(c, rank + p, i == 0, out);
        out->peer = rank + p;
        out->action = i == 0 ? fold_in : WEFT_COLL_SEND;
        out->peer_instr = 1;
        out->step = i == 0 ? 0 : steps + 1;
        return;
    }
    uint64_t k = (i - has_extra) / 2, s = k;
    int sends = (i - has_extra) % 2 == 0;
    int scatter = c->kind == WEFT_COLL_REDUCE_SCATTER || (c->kind == WEFT_COLL_ALL_REDUCE && k < l);
    if (!scatter) /* the k-th step of a gather undoes the last but k of a scatter */
        s = l - 1 - (c->kind == WEFT_COLL_ALL_REDUCE ? k - l : k);
    uint32_t m = UINT32_C(1) << s;
    out->step = k + 1;
    out->peer = rank ^ m;
    residue(out, sends == scatter ? out->peer : rank, 2 * m, n);
    if (sends) {
        out->action = WEFT_COLL_SEND;
        out->peer_instr = (out->peer + p < n) + 2 * k + 1;
    } else {
        out->action = scatter ? WEFT_COLL_RECV_REDUCE : WEFT_COLL_RECV;
        if (scatter && ((const struct params *)c->params)->reduction)
            out->free_pct = s + 1 == l ? 100 : 50;
    }
}

static uint64_t halving_doubling_total_bytes(const struct weft_coll_call *c)
{
    uint32_t p = c->n ? UINT32_C(1) << weft_coll_log2(c->n) : 1;
    uint64_t sum = (uint64_t)(c->n - 1) * c->bytes;
    switch (c->kind) {
    case WEFT_COLL_ALL_REDUCE:
        return 2 * sum;
    case WEFT_COLL_ALL_GATHER:
        return c->cut ? sum : c->n * sum;
    default: /* each folded rank gets its block back */
        for (uint32_t r = p; r < c->n; r++)
            sum += weft_coll_unit_bytes(c, r);
        return sum;
    }
}

static void halving_doubling_cost(const struct weft_coll_call *c,
                                  const struct weft_coll_cost_sink *sink)
{
    const unsigned l = weft_coll_log2(c->n);
    const uint64_t whole = weft_coll_whole_bytes(c), unit = weft_coll_cut(whole, c->n, 0);
    const bool extra = c->n != UINT32_C(1) << l, gather = c->kind == WEFT_COLL_ALL_GATHER,
               scatter = c->kind == WEFT_COLL_REDUCE_SCATTER;
    struct weft_coll_round r = {.times = 1, .adds = !gather};
    r.to = weft_coll_to_folded;
    r.bytes = gather ? unit : whole;
    if (extra)
        weft_coll_cost_round(sink, c, r);
    r.to = weft_coll_to_flipped;
    for (unsigned s = 0; s < l && !gather; s++) {
        r.arg = UINT32_C(1) << s;
        r.bytes = weft_coll_cut(whole, UINT64_C(2) << s, 0);
        weft_coll_cost_round(sink, c, r);
    }
    r.adds = false;
    for (unsigned s = l; s-- > 0 && !scatter;) {
        r.arg = UINT32_C(1) << s;
        r.bytes = weft_coll_cut(whole, UINT64_C(2) << s, 0);
        weft_coll_cost_round(sink, c, r);
    }
    r.to = weft_coll_to_unfolded;
    r.bytes = scatter ? unit : whole;
    if (extra)
        weft_coll_cost_round(sink, c, r);
}

const struct weft_coll_ops weft_coll_halving_doubling = {
    .name = "halving-doubling",
    .title = "exchanges with ranks at distance 1, 2, 4 ...; least bytes in few steps",
    .source = "Thakur, Rabenseifner and Gropp, IJHPCA 2005",
    .params = WEFT_PARAM_TABLE(params, struct params),
    .supports = halving_doubling_supports,
    .parts = halving_doubling_parts,
    .count = halving_doubling_count,
    .instr = halving_doubling_instr,
    .total_bytes = halving_doubling_total_bytes,
    .cost = halving_doubling_cost,
};
