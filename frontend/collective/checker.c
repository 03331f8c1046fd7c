/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Symbolic execution of collective programs, see checker.h.
 *
 * The value of a block at a rank is the set of ranks whose contribution is in it (all-reduce,
 * reduce-scatter) or whether the block is there (all-gather, all-to-all: a set of one bit).
 */
#include "collective/checker.h"

#include <stdlib.h>
#include <string.h>

typedef unsigned long long ull;

struct message {
    uint32_t from;
    uint64_t first_block, nblocks;
    uint64_t set[]; /* nblocks * words */
};

struct rank_state {
    uint64_t n;    /* instructions */
    uint64_t next; /* first one not issued */
    uint64_t done_prefix;
    unsigned char *done;
    struct message **inbox; /* by receive instruction */
    uint64_t *set;          /* blocks * words */
    uint32_t *adding;       /* per block: receives posted, not taken in, that add to it */
    uint32_t *replacing;    /* ... that replace it */
};

struct checker {
    const struct weft_coll_ops *ops;
    enum weft_coll_kind kind;
    uint32_t n;
    uint64_t bytes, blocks, words;
    struct rank_state *ranks;
    uint64_t *last_match; /* n * n: 1 + peer_instr of the last send from s to d */
    struct weft_coll_proof proof;
    struct weft_err *err;
};

static int wrong(struct checker *c, uint32_t rank, uint64_t i, const char *what)
{
    weft_err_set(c->err, WEFT_E_INTERNAL, "rank %u, instruction %llu %s", rank, (ull)i, what);
    return WEFT_E_INTERNAL;
}

static int reduces(const struct checker *c)
{
    return c->kind == WEFT_COLL_ALL_REDUCE || c->kind == WEFT_COLL_REDUCE_SCATTER;
}

static uint64_t *value(const struct checker *c, uint32_t rank, uint64_t block)
{
    return c->ranks[rank].set + block * c->words;
}

static int empty(const struct checker *c, const uint64_t *set)
{
    for (uint64_t w = 0; w < c->words; w++)
        if (set[w])
            return 0;
    return 1;
}

/* Whether `rank` begins with data in `block`. */
static int begins_with(const struct checker *c, uint32_t rank, uint64_t block)
{
    switch (c->kind) {
    case WEFT_COLL_ALL_GATHER:
        return block == rank;
    case WEFT_COLL_ALL_TO_ALL:
        return block / c->n == rank;
    default:
        return 1;
    }
}

/* Whether `rank` must end with `block` complete. */
static int ends_with(const struct checker *c, uint32_t rank, uint64_t block)
{
    switch (c->kind) {
    case WEFT_COLL_REDUCE_SCATTER:
        return block == rank;
    case WEFT_COLL_ALL_TO_ALL:
        return block % c->n == rank;
    default:
        return 1;
    }
}

static int out_of_memory(struct checker *c)
{
    return weft_err_set(c->err, WEFT_E_LIMIT, "out of memory while checking a collective");
}

static int prepare(struct checker *c)
{
    c->ranks = calloc(c->n, sizeof(*c->ranks));
    c->last_match = calloc((size_t)c->n * c->n, sizeof(*c->last_match));
    if (!c->ranks || !c->last_match)
        return out_of_memory(c);
    for (uint32_t r = 0; r < c->n; r++) {
        struct rank_state *s = &c->ranks[r];
        s->n = c->ops->count(c->kind, c->n, r);
        s->done = calloc(s->n + 1, 1);
        s->inbox = calloc(s->n + 1, sizeof(*s->inbox));
        s->set = calloc(c->blocks * c->words, sizeof(*s->set));
        s->adding = calloc(c->blocks, sizeof(*s->adding));
        s->replacing = calloc(c->blocks, sizeof(*s->replacing));
        if (!s->done || !s->inbox || !s->set || !s->adding || !s->replacing)
            return out_of_memory(c);
        for (uint64_t b = 0; b < c->blocks; b++)
            if (begins_with(c, r, b))
                value(c, r, b)[reduces(c) ? r / 64 : 0] |= UINT64_C(1) << (reduces(c) ? r % 64 : 0);
        c->proof.instrs += s->n;
    }
    return 0;
}

static void release(struct checker *c)
{
    for (uint32_t r = 0; c->ranks && r < c->n; r++) {
        struct rank_state *s = &c->ranks[r];
        for (uint64_t i = 0; s->inbox && i < s->n; i++)
            free(s->inbox[i]);
        free(s->done);
        free(s->inbox);
        free(s->set);
        free(s->adding);
        free(s->replacing);
    }
    free(c->ranks);
    free(c->last_match);
}

static int post_send(struct checker *c, uint32_t r, uint64_t i, const struct weft_coll_instr *in)
{
    struct rank_state *s = &c->ranks[r], *peer = &c->ranks[in->peer];
    if (in->peer_instr >= peer->n)
        return wrong(c, r, i, "sends to an instruction that its peer does not have");
    struct weft_coll_instr there;
    c->ops->instr(c->kind, c->n, in->peer, in->peer_instr, &there);
    if (there.action == WEFT_COLL_SEND || there.peer != r)
        return wrong(c, r, i, "sends to an instruction that does not receive from it");
    if (there.first_block != in->first_block || there.nblocks != in->nblocks)
        return wrong(c, r, i, "sends other blocks than its peer expects");
    uint64_t *last = &c->last_match[(size_t)r * c->n + in->peer];
    if (in->peer_instr < *last)
        return wrong(c, r, i, "overtakes an earlier send to the same peer");
    *last = in->peer_instr + 1;

    struct message *m = malloc(sizeof(*m) + in->nblocks * c->words * sizeof(uint64_t));
    if (!m)
        return out_of_memory(c);
    peer->inbox[in->peer_instr] = m;
    m->from = r;
    m->first_block = in->first_block;
    m->nblocks = in->nblocks;
    for (uint64_t b = 0; b < in->nblocks; b++) {
        uint64_t block = in->first_block + b;
        if (s->adding[block] || s->replacing[block])
            return wrong(c, r, i, "sends a block that a posted receive may still change");
        if (empty(c, value(c, r, block)))
            return wrong(c, r, i, "sends a block that it does not have");
        memcpy(m->set + b * c->words, value(c, r, block), c->words * sizeof(uint64_t));
    }
    c->proof.messages++;
    c->proof.bytes += weft_coll_range_bytes(c->kind, c->n, c->bytes, in->first_block, in->nblocks);
    s->done[i] = 1;
    return 0;
}

static int post_recv(struct checker *c, uint32_t r, uint64_t i, const struct weft_coll_instr *in)
{
    struct rank_state *s = &c->ranks[r];
    int adds = in->action == WEFT_COLL_RECV_REDUCE;
    if (adds && !reduces(c))
        return wrong(c, r, i, "adds up in a collective without a sum");
    for (uint64_t b = in->first_block; b < in->first_block + in->nblocks; b++) {
        if (s->replacing[b] || (!adds && s->adding[b]))
            return wrong(c, r, i, "receives into a block that another posted receive changes");
        adds ? s->adding[b]++ : s->replacing[b]++;
    }
    return 0;
}

/* Takes in the message of receive i. Returns 1 when it has not been sent yet. */
static int take_in(struct checker *c, uint32_t r, uint64_t i)
{
    struct rank_state *s = &c->ranks[r];
    struct message *m = s->inbox[i];
    if (!m)
        return 1;
    struct weft_coll_instr in;
    c->ops->instr(c->kind, c->n, r, i, &in);
    int adds = in.action == WEFT_COLL_RECV_REDUCE;
    for (uint64_t b = 0; b < m->nblocks; b++) {
        uint64_t *have = value(c, r, m->first_block + b), *got = m->set + b * c->words;
        for (uint64_t w = 0; w < c->words; w++) {
            if (adds && (have[w] & got[w]))
                return wrong(c, r, i, "adds a contribution for the second time");
            if (!reduces(c) && have[w])
                return wrong(c, r, i, "receives a block that is already there");
            have[w] = adds ? have[w] | got[w] : got[w];
        }
        adds ? s->adding[m->first_block + b]-- : s->replacing[m->first_block + b]--;
    }
    free(m);
    s->inbox[i] = NULL;
    s->done[i] = 1;
    return 0;
}

/* Takes in every receive before instruction `end`. Returns 1 when one has to wait. */
static int take_in_all(struct checker *c, uint32_t r, uint64_t end)
{
    struct rank_state *s = &c->ranks[r];
    for (; s->done_prefix < end; s->done_prefix++) {
        if (s->done[s->done_prefix])
            continue;
        int rc = take_in(c, r, s->done_prefix);
        if (rc)
            return rc;
    }
    return 0;
}

/* Runs one rank until it ends (0), has to wait (1) or is wrong (< 0). */
static int advance(struct checker *c, uint32_t r, int *moved)
{
    struct rank_state *s = &c->ranks[r];
    for (; s->next < s->n; s->next++) {
        struct weft_coll_instr in;
        uint64_t i = s->next;
        int rc = 0;
        c->ops->instr(c->kind, c->n, r, i, &in);
        if (in.peer >= c->n || in.peer == r)
            return wrong(c, r, i, "names a peer outside of the group or itself");
        if (in.nblocks == 0 || in.first_block >= c->blocks ||
            in.nblocks > c->blocks - in.first_block)
            return wrong(c, r, i, "names blocks that do not exist");
        if (in.dep == WEFT_COLL_DEP_ALL)
            rc = take_in_all(c, r, i);
        else if (in.dep == WEFT_COLL_DEP_INSTR && in.dep_instr >= i)
            return wrong(c, r, i, "waits for a later instruction");
        else if (in.dep == WEFT_COLL_DEP_INSTR && !s->done[in.dep_instr])
            rc = take_in(c, r, in.dep_instr);
        if (rc)
            return rc;
        rc = in.action == WEFT_COLL_SEND ? post_send(c, r, i, &in) : post_recv(c, r, i, &in);
        if (rc)
            return rc;
        *moved = 1;
    }
    uint64_t before = s->done_prefix;
    int rc = take_in_all(c, r, s->n);
    *moved |= s->done_prefix != before;
    return rc;
}

static int run(struct checker *c)
{
    for (;;) {
        uint32_t waiting = 0, who = 0;
        int moved = 0;
        for (uint32_t r = 0; r < c->n; r++) {
            int rc = advance(c, r, &moved);
            if (rc < 0)
                return rc;
            if (rc > 0 && waiting++ == 0)
                who = r;
        }
        if (!waiting)
            return 0;
        if (!moved)
            return weft_err_set(c->err, WEFT_E_INTERNAL,
                                "deadlock: %u ranks wait, rank %u before instruction %llu", waiting,
                                who, (ull)c->ranks[who].next);
    }
}

static int check_end(struct checker *c)
{
    for (uint32_t r = 0; r < c->n; r++) {
        for (uint64_t i = 0; i < c->ranks[r].n; i++)
            if (c->ranks[r].inbox[i])
                return wrong(c, r, i, "got a message that nobody took");
        for (uint64_t b = 0; b < c->blocks; b++) {
            if (!ends_with(c, r, b))
                continue;
            uint64_t have = 0, want = reduces(c) ? c->n : 1;
            for (uint64_t w = 0; w < c->words; w++)
                have += (uint64_t)__builtin_popcountll(value(c, r, b)[w]);
            if (have != want)
                return weft_err_set(c->err, WEFT_E_INTERNAL,
                                    "rank %u ends with %llu of %llu contributions in block %llu", r,
                                    (ull)have, (ull)want, (ull)b);
        }
    }
    uint64_t want = c->ops->total_bytes(c->kind, c->n, c->bytes);
    if (c->proof.bytes != want)
        return weft_err_set(c->err, WEFT_E_INTERNAL, "%llu bytes were sent, not %llu",
                            (ull)c->proof.bytes, (ull)want);
    return 0;
}

int weft_coll_prove(const struct weft_coll_ops *ops, enum weft_coll_kind kind, uint32_t n,
                    uint64_t bytes, struct weft_coll_proof *proof, struct weft_err *err)
{
    struct weft_err own = {0};
    struct checker c = {.ops = ops, .kind = kind, .n = n, .bytes = bytes, .err = err ? err : &own};
    c.blocks = weft_coll_blocks(kind, n);
    c.words = reduces(&c) ? (n + 63) / 64 : 1;
    int rc = prepare(&c);
    if (!rc)
        rc = run(&c);
    if (!rc)
        rc = check_end(&c);
    release(&c);
    if (proof)
        *proof = c.proof;
    if (rc)
        weft_err_prepend(err, "%s %s on %u ranks", ops->name, weft_coll_kind_name(kind), n);
    return rc;
}
