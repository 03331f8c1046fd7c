/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Broadcast, reduce and all-reduce over trees packed into the direct links among the ranks (Blink,
 * MLSys 2020; here with the exact packing of tree_packing.h).
 *
 * The data is divided among the trees by their weights, and each tree's share into pieces, which
 * follow one another down the tree (broadcast), up (reduce) or up and then down (all-reduce; both
 * directions of a link then carry both, so it runs at half the rate of a broadcast). Lanes of tree
 * t: 2t goes up, 2t + 1 down. For each piece, up: receive from each child, send to the parent;
 * down: receive from the parent, send to each child. Sends that wait for no receive take turns with
 * the other trees on their link. The root of an all-reduce is rank 0 of the group.
 */
#include "collective/tree_packing.h"

struct params {
    uint64_t pieces;
};

static const struct weft_param packed_params[] = {
    {WEFT_ROW_U64(struct params, pieces, "pieces", "16", "1", "4096"),
     .help = "pieces that the share of a tree is cut into, which follow one another along it",
     .source = "Blink, MLSys 2020, section 4: chunks"},
};

static bool packed_trees_supports(const struct weft_coll_call *c, const char **why)
{
    const unsigned kinds =
        WEFT_COLL_BIT(ALL_REDUCE) | WEFT_COLL_BIT(BROADCAST) | WEFT_COLL_BIT(REDUCE);
    return weft_coll_one_of(c, kinds, "packed trees do all-reduce, broadcast, reduce and barrier",
                            why);
}

static int plan(const struct weft_coll_call *c, const struct weft_coll_graph *g, void **program,
                struct weft_err *err)
{
    struct weft_packing *p;
    int rc = weft_packing_new(g, c->root, &p, err);
    *program = p;
    return rc;
}

static void packed_trees_unload(void *program)
{
    weft_packing_free(program);
}

static const struct weft_packing *packing(const struct weft_coll_call *c)
{
    return c->program;
}
static uint64_t pieces(const struct weft_coll_call *c)
{
    return ((const struct params *)c->params)->pieces;
}
static uint32_t children(const struct weft_packed_tree *t, uint32_t v)
{
    return t->first[v + 1] - t->first[v];
}

static uint64_t packed_trees_parts(const struct weft_coll_call *c)
{
    return c->n == 1 ? 1 : packing(c)->weight * pieces(c);
}

static uint32_t packed_trees_lanes(const struct weft_coll_call *c, uint32_t rank)
{
    return c->n == 1 ? 1 : 2 * packing(c)->ntrees;
}

static uint64_t packed_trees_count(const struct weft_coll_call *c, uint32_t rank, uint32_t lane)
{
    if (c->n == 1 || c->kind == (lane % 2 ? WEFT_COLL_REDUCE : WEFT_COLL_BROADCAST))
        return 0;
    return pieces(c) * (children(&packing(c)->tree[lane / 2], rank) + (rank != packing(c)->root));
}

/* Whether the sends of a rank in a lane wait for no receive. */
static int unprompted(const struct weft_coll_call *c, uint32_t rank, uint32_t lane)
{
    const struct weft_packing *p = packing(c);
    if (lane % 2)
        return c->kind == WEFT_COLL_BROADCAST && rank == p->root;
    return c->kind != WEFT_COLL_BROADCAST && rank != p->root &&
           children(&p->tree[lane / 2], rank) == 0;
}

/* Whether two lanes of a rank, both up or both down, begin on the same link; the root's all count.
 */
static int share_a_link(const struct weft_packing *p, uint32_t rank, uint32_t a, uint32_t b)
{
    return rank == p->root || p->tree[a / 2].parent[rank] == p->tree[b / 2].parent[rank];
}

/* A send that no receive prompts takes turns with those of the trees on the same link, a piece
 * each: else all of its pieces would go before theirs. The first send of a piece waits for that of
 * the tree before, or for the last tree's piece before. */
static void take_turns(const struct weft_coll_call *c, uint32_t rank, uint32_t lane, uint64_t piece,
                       struct weft_coll_instr *out)
{
    const struct weft_packing *p = packing(c);
    uint32_t before = lane, last = lane;
    for (uint32_t l = lane % 2; l < 2 * p->ntrees; l += 2)
        if (share_a_link(p, rank, lane, l)) {
            before = l < lane ? l : before;
            last = l;
        }
    if (before == lane && (last == lane || piece == 0))
        return;
    out->dep = WEFT_COLL_DEP_INSTR;
    out->dep_lane = before == lane ? last : before;
    const uint64_t n = children(&p->tree[out->dep_lane / 2], rank);
    const uint64_t at = before == lane ? piece - 1 : piece;
    out->dep_instr = lane % 2 ? at * n : at * (n + 1) + n;
}

/* Instruction k of a piece on its way up; `base` is the piece's first. */
static void up(const struct weft_packed_tree *t, uint32_t root, uint32_t rank, uint64_t piece,
               uint64_t k, uint64_t base, struct weft_coll_instr *out)
{
    const uint32_t n = children(t, rank);
    if (k < n) {
        out->action = WEFT_COLL_RECV_REDUCE;
        out->peer = t->child[t->first[rank] + k];
        return;
    }
    out->action = WEFT_COLL_SEND;
    out->peer = t->parent[rank];
    out->peer_instr = piece * (children(t, out->peer) + (out->peer != root)) + t->place[rank];
    if (n) {
        out->dep = WEFT_COLL_DEP_UPTO;
        out->dep_instr = base + n - 1;
    }
}

/* The same down. In an all-reduce a piece goes down when it has been up. */
static void down(const struct weft_coll_call *c, const struct weft_packed_tree *t, uint32_t rank,
                 uint32_t lane, uint64_t piece, uint64_t k, struct weft_coll_instr *out)
{
    const uint32_t n = children(t, rank);
    const uint64_t here = rank != packing(c)->root;
    if (k < here) {
        out->action = WEFT_COLL_RECV;
        out->peer = t->parent[rank];
    } else {
        out->action = WEFT_COLL_SEND;
        out->peer = t->child[t->first[rank] + k - here];
        out->peer_instr = piece * (children(t, out->peer) + 1);
    }
    if (k < here || !here) {
        if (c->kind != WEFT_COLL_ALL_REDUCE)
            return;
        out->dep = WEFT_COLL_DEP_UPTO;
        out->dep_lane = lane - 1;
        out->dep_instr = (piece + 1) * (n + here) - 1;
    } else {
        out->dep = WEFT_COLL_DEP_INSTR;
        out->dep_instr = piece * (n + here);
    }
}

static void packed_trees_instr(const struct weft_coll_call *c, uint32_t rank, uint32_t lane,
                               uint64_t i, struct weft_coll_instr *out)
{
    const struct weft_packing *p = packing(c);
    const struct weft_packed_tree *t = &p->tree[lane / 2];
    const uint64_t per = children(t, rank) + (rank != p->root), piece = i / per;
    out->first_block = t->before * pieces(c) + piece * t->weight;
    out->nblocks = t->weight;
    out->step = piece;
    out->peer_lane = out->dep_lane = lane;
    if (lane % 2)
        down(c, t, rank, lane, piece, i % per, out);
    else
        up(t, p->root, rank, piece, i % per, i - i % per, out);
    if (i % per == 0 && unprompted(c, rank, lane))
        take_turns(c, rank, lane, piece, out);
}

static uint64_t packed_trees_total_bytes(const struct weft_coll_call *c)
{
    return (c->kind == WEFT_COLL_ALL_REDUCE ? 2 : 1) * (uint64_t)(c->n - 1) * c->bytes;
}

const struct weft_coll_ops weft_coll_packed_trees = {
    .name = "packed-trees",
    .title = "trees packed into the direct links among the ranks",
    .source = "Blink, MLSys 2020; Edmonds, 1973",
    .params = WEFT_PARAM_TABLE(packed_params, struct params),
    .supports = packed_trees_supports,
    .plan = plan,
    .unload = packed_trees_unload,
    .parts = packed_trees_parts,
    .lanes = packed_trees_lanes,
    .count = packed_trees_count,
    .instr = packed_trees_instr,
    .total_bytes = packed_trees_total_bytes,
};
