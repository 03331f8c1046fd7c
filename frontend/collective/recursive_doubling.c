/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Recursive doubling all-reduce: in step s each rank exchanges its whole sum so far with rank ^
 * 2^s. Fewest steps, log2 n times the bytes: for small sizes (Thakur, Rabenseifner and Gropp,
 * IJHPCA 2005). Ranks beyond the largest power of two p give their data to rank - p first and get
 * the result last.
 */
#include "collective/cost.h"

static bool recursive_doubling_supports(const struct weft_coll_call *c, const char **why)
{
    const unsigned kinds = WEFT_COLL_BIT(ALL_REDUCE);
    return weft_coll_one_of(c, kinds, "recursive-doubling does all-reduce", why);
}

static uint64_t recursive_doubling_count(const struct weft_coll_call *c, uint32_t rank,
                                         uint32_t lane)
{
    unsigned l = weft_coll_log2(c->n);
    uint32_t p = UINT32_C(1) << l;
    return rank >= p ? 2 : 2 * (uint64_t)l + (rank + p < c->n ? 2 : 0);
}

static void recursive_doubling_instr(const struct weft_coll_call *c, uint32_t rank, uint32_t lane,
                                     uint64_t i, struct weft_coll_instr *out)
{
    unsigned l = weft_coll_log2(c->n);
    uint32_t p = UINT32_C(1) << l;
    out->nblocks = 1;
    out->dep_lane = lane;
    if (i > 0) {
        out->dep = WEFT_COLL_DEP_INSTR;
        out->dep_instr = i - 1;
    }
    if (rank >= p) {
        out->peer = rank - p;
        out->action = i == 0 ? WEFT_COLL_SEND : WEFT_COLL_RECV;
        return;
    }
    uint64_t has_extra = rank + p < c->n;
    if (has_extra && (i == 0 || i == 1 + 2 * (uint64_t)l)) {
        out->peer = rank + p;
        out->action = i == 0 ? WEFT_COLL_RECV_REDUCE : WEFT_COLL_SEND;
        out->peer_instr = 1;
        out->step = i == 0 ? 0 : l + 1;
        return;
    }
    uint64_t k = (i - has_extra) / 2;
    out->step = k + 1;
    out->peer = rank ^ (UINT32_C(1) << k);
    out->action = (i - has_extra) % 2 == 0 ? WEFT_COLL_SEND : WEFT_COLL_RECV_REDUCE;
    out->peer_instr = (out->peer + p < c->n) + 2 * k + 1;
}

static uint64_t recursive_doubling_total_bytes(const struct weft_coll_call *c)
{
    unsigned l = weft_coll_log2(c->n);
    uint64_t p = UINT64_C(1) << l;
    return (p * l + 2 * (c->n - p)) * c->bytes;
}

static void recursive_doubling_cost(const struct weft_coll_call *c,
                                    const struct weft_coll_cost_sink *sink)
{
    const unsigned l = weft_coll_log2(c->n);
    const bool extra = c->n != UINT32_C(1) << l;
    struct weft_coll_round r = {
        .to = weft_coll_to_folded, .times = 1, .bytes = c->bytes, .adds = true};
    if (extra)
        weft_coll_cost_round(sink, c, r);
    r.to = weft_coll_to_flipped;
    for (unsigned s = 0; s < l; s++) {
        r.arg = UINT32_C(1) << s;
        weft_coll_cost_round(sink, c, r);
    }
    r.to = weft_coll_to_unfolded;
    r.adds = false;
    if (extra)
        weft_coll_cost_round(sink, c, r);
}

const struct weft_coll_ops weft_coll_recursive_doubling = {
    .name = "recursive-doubling",
    .title = "exchanges the whole buffer at distance 1, 2, 4 ...; fewest steps, most bytes",
    .source = "Thakur, Rabenseifner and Gropp, IJHPCA 2005",
    .supports = recursive_doubling_supports,
    .count = recursive_doubling_count,
    .instr = recursive_doubling_instr,
    .total_bytes = recursive_doubling_total_bytes,
    .cost = recursive_doubling_cost,
};
