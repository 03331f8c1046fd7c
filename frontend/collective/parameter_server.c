/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * All-reduce through parameter servers that run on the ranks: every rank pushes its gradients, a
 * server adds them up and all pull the sum (Luo, Nelson, Ceze, Phanishayee, Krishnamurthy:
 * "Parameter Hub", SoCC 2018, which also describes the rack-level variant).
 *
 * servers=1   central: rank 0 adds up everything
 * servers=k   sharded: the data is cut into k shards, shard s is added up by rank floor(s n / k)
 * servers=0   as many shards as ranks
 * rack=r      ranks are in racks of r; in each rack one rank per shard adds up for the rack and
 *             talks to the shard's server, which is one of these (rack s modulo the racks)
 *
 * So each shard has a tree of depth one or two. Lanes: pushes of leaves; receives from children;
 * pushes of inner ranks; pulls of leaves; pulls of inner ranks; answers to children.
 */
#include "collective/collective.h"

struct params {
    uint64_t servers, rack;
};

static const struct weft_param params[] = {
    {WEFT_ROW_U64(struct params, servers, "servers", "1", "0", "1048576"),
     .help =
         "shards, each with its own server; 0: one per rank (with racks: one per rank of a rack)"},
    {WEFT_ROW_U64(struct params, rack, "rack", "0", "0", "1048576"),
     .help = "ranks of a rack that add up among themselves first; 0: no racks",
     .source = "PHub (SoCC 2018), hierarchical reduction"},
};

enum { LEAF_PUSH, CHILD_RECV, INNER_PUSH, LEAF_PULL, INNER_PULL, ANSWER, LANES };
enum role { LEAF, INNER, ROOT };

static bool parameter_server_supports(const struct weft_coll_call *c, const char **why)
{
    const unsigned kinds = WEFT_COLL_BIT(ALL_REDUCE);
    const struct params *p = c->params;
    if (!weft_coll_one_of(c, kinds, "parameter-server does all-reduce", why))
        return false;
    if (p->servers > (p->rack ? p->rack : c->n) || p->rack > c->n) {
        if (why)
            *why = "parameter-server has more servers, or larger racks, than there are ranks";
        return false;
    }
    return true;
}

static uint64_t parameter_server_parts(const struct weft_coll_call *c)
{
    const struct params *p = c->params;
    return p->servers ? p->servers : p->rack ? p->rack : c->n;
}

static uint32_t parameter_server_lanes(const struct weft_coll_call *c, uint32_t rank)
{
    return LANES;
}

static uint32_t racks(const struct weft_coll_call *c)
{
    uint64_t r = ((const struct params *)c->params)->rack;
    return r ? (uint32_t)((c->n + r - 1) / r) : 1;
}

/* The rank that adds up shard s in rack k. */
static uint32_t aggregator(const struct weft_coll_call *c, uint32_t k, uint64_t s)
{
    uint64_t r = ((const struct params *)c->params)->rack, first = k * r;
    return (uint32_t)(first + s % (c->n - first < r ? c->n - first : r));
}

static uint32_t server(const struct weft_coll_call *c, uint64_t s)
{
    if (((const struct params *)c->params)->rack)
        return aggregator(c, (uint32_t)(s % racks(c)), s);
    return (uint32_t)(s * c->n / parameter_server_parts(c));
}

static enum role role_of(const struct weft_coll_call *c, uint32_t rank, uint64_t s)
{
    uint64_t r = ((const struct params *)c->params)->rack;
    if (server(c, s) == rank)
        return ROOT;
    return r && aggregator(c, (uint32_t)(rank / r), s) == rank ? INNER : LEAF;
}

static uint32_t parent(const struct weft_coll_call *c, uint32_t rank, uint64_t s)
{
    uint64_t r = ((const struct params *)c->params)->rack;
    return r && role_of(c, rank, s) == LEAF ? aggregator(c, (uint32_t)(rank / r), s) : server(c, s);
}

/* Children of an inner rank or root: the others of its rack, then (root) the other racks'. */
static uint32_t in_rack(const struct weft_coll_call *c, uint32_t rank)
{
    uint64_t r = ((const struct params *)c->params)->rack;
    uint64_t first = r ? rank / r * r : 0;
    return (uint32_t)(r && c->n - first > r ? r : c->n - first);
}

static uint32_t nchildren(const struct weft_coll_call *c, uint32_t rank, uint64_t s)
{
    enum role role = role_of(c, rank, s);
    return role == LEAF ? 0 : in_rack(c, rank) - 1 + (role == ROOT ? racks(c) - 1 : 0);
}

static uint32_t child(const struct weft_coll_call *c, uint32_t rank, uint64_t s, uint32_t j)
{
    uint64_t r = ((const struct params *)c->params)->rack;
    uint32_t own = in_rack(c, rank), first = r ? (uint32_t)(rank / r * r) : 0;
    if (j < own - 1) /* beginning with the next rank */
        return first + (rank - first + 1 + j) % own;
    return aggregator(c, (uint32_t)((rank / r + 1 + (j - (own - 1))) % racks(c)), s);
}

/* Which child of its parent `rank` is. */
static uint32_t child_number(const struct weft_coll_call *c, uint32_t rank, uint64_t s)
{
    uint64_t r = ((const struct params *)c->params)->rack;
    uint32_t up = parent(c, rank, s), own = in_rack(c, up);
    if (!r || rank / r == up / r)
        return (uint32_t)((rank - up + own) % own) - 1;
    return own - 1 + ((uint32_t)(rank / r) + racks(c) - (uint32_t)(up / r)) % racks(c) - 1;
}

/* The shard that a rank takes t-th: without racks beginning with its own, so that not all begin
 * with the same server; with racks all in one order, so that messages of a pair stay in order. */
static uint64_t parameter_server_turn(const struct weft_coll_call *c, uint32_t rank, uint64_t t)
{
    uint64_t k = parameter_server_parts(c);
    return ((const struct params *)c->params)->rack ? t : (t + (uint64_t)rank * k / c->n) % k;
}

/* Shard of the i-th instruction of a lane, and its number among those of the shard. */
static uint64_t parameter_server_find(const struct weft_coll_call *c, uint32_t rank, uint32_t lane,
                                      uint64_t i, uint64_t *shard, uint32_t *j)
{
    uint64_t k = parameter_server_parts(c), seen = 0;
    for (uint64_t t = 0; t < k; t++) {
        uint64_t s = parameter_server_turn(c, rank, t), has;
        enum role role = role_of(c, rank, s);
        if (lane == CHILD_RECV || lane == ANSWER)
            has = nchildren(c, rank, s);
        else
            has = role == (lane == LEAF_PUSH || lane == LEAF_PULL ? LEAF : INNER);
        if (i < seen + has) {
            *shard = s;
            *j = (uint32_t)(i - seen);
            return seen;
        }
        seen += has;
    }
    return seen;
}

static uint64_t parameter_server_count(const struct weft_coll_call *c, uint32_t rank, uint32_t lane)
{
    uint64_t shard;
    uint32_t j;
    return c->n == 1 ? 0 : parameter_server_find(c, rank, lane, UINT64_MAX, &shard, &j);
}

/* Number of the first instruction for shard `s` in a lane. */
static uint64_t index_of(const struct weft_coll_call *c, uint32_t rank, uint32_t lane, uint64_t s)
{
    uint64_t k = parameter_server_parts(c), seen = 0;
    for (uint64_t t = 0; t < k; t++) {
        uint64_t at = parameter_server_turn(c, rank, t);
        if (at == s)
            break;
        enum role role = role_of(c, rank, at);
        if (lane == CHILD_RECV || lane == ANSWER)
            seen += nchildren(c, rank, at);
        else
            seen += role == (lane == LEAF_PUSH || lane == LEAF_PULL ? LEAF : INNER);
    }
    return seen;
}

static void parameter_server_wait_for(struct weft_coll_instr *out, enum weft_coll_dep dep,
                                      uint32_t lane, uint64_t i)
{
    out->dep = dep;
    out->dep_lane = lane;
    out->dep_instr = i;
}

static void parameter_server_instr(const struct weft_coll_call *c, uint32_t rank, uint32_t lane,
                                   uint64_t i, struct weft_coll_instr *out)
{
    uint64_t s = 0;
    uint32_t j = 0;
    parameter_server_find(c, rank, lane, i, &s, &j);
    out->nblocks = 1;
    out->first_block = s;
    switch (lane) {
    case CHILD_RECV:
        out->action = WEFT_COLL_RECV_REDUCE;
        out->peer = child(c, rank, s, j);
        break;
    case LEAF_PUSH:
    case INNER_PUSH:
        out->action = WEFT_COLL_SEND;
        out->peer = parent(c, rank, s);
        out->peer_lane = CHILD_RECV;
        out->peer_instr = index_of(c, out->peer, CHILD_RECV, s) + child_number(c, rank, s);
        if (lane == INNER_PUSH && nchildren(c, rank, s))
            parameter_server_wait_for(out, WEFT_COLL_DEP_UPTO, CHILD_RECV,
                                      index_of(c, rank, CHILD_RECV, s) + nchildren(c, rank, s) - 1);
        break;
    case LEAF_PULL:
    case INNER_PULL: /* replaces what was pushed */
        out->action = WEFT_COLL_RECV;
        out->peer = parent(c, rank, s);
        out->step = 1;
        parameter_server_wait_for(out, WEFT_COLL_DEP_INSTR,
                                  lane == LEAF_PULL ? LEAF_PUSH : INNER_PUSH, i);
        break;
    default: { /* ANSWER */
        enum role role = role_of(c, rank, s);
        out->action = WEFT_COLL_SEND;
        out->peer = child(c, rank, s, j);
        out->step = 1;
        out->peer_lane = role_of(c, out->peer, s) == LEAF ? LEAF_PULL : INNER_PULL;
        out->peer_instr = index_of(c, out->peer, out->peer_lane, s);
        if (role == ROOT)
            parameter_server_wait_for(out, WEFT_COLL_DEP_UPTO, CHILD_RECV,
                                      index_of(c, rank, CHILD_RECV, s) + nchildren(c, rank, s) - 1);
        else
            parameter_server_wait_for(out, WEFT_COLL_DEP_INSTR, INNER_PULL,
                                      index_of(c, rank, INNER_PULL, s));
        break;
    }
    }
}

const struct weft_coll_ops weft_coll_parameter_server = {
    .name = "parameter-server",
    .title = "push to servers, pull the sum: central, sharded or by racks",
    .source = "PHub, SoCC 2018",
    .params = WEFT_PARAM_TABLE(params, struct params),
    .supports = parameter_server_supports,
    .parts = parameter_server_parts,
    .lanes = parameter_server_lanes,
    .count = parameter_server_count,
    .instr = parameter_server_instr,
    .total_bytes = weft_coll_bytes_up_and_down,
};
