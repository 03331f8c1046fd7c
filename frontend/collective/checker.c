/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Symbolic execution of collective programs, see checker.h.
 *
 * The value of a slot at a rank is a block (which data) and the set of ranks whose contribution is
 * in it (kinds that add up); the others have no set.
 */
#include "collective/checker_state.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static int post_send(struct weft_checker *c, uint32_t r, uint32_t lane, uint64_t i,
                     const struct weft_coll_instr *in)
{
    struct weft_checker_message **box;
    int rc = weft_checker_match(c, r, lane, i, in, &box);
    if (rc)
        return rc;
    uint64_t *last = &c->last_send[2 * ((size_t)r * c->n + in->peer)];
    if (last[0] == in->peer_lane + UINT64_C(1) && in->peer_instr < last[1])
        return weft_checker_wrong(c, r, lane, i, "overtakes an earlier send to the same peer");
    last[0] = in->peer_lane + UINT64_C(1);
    last[1] = in->peer_instr + 1;
    return weft_checker_read(c, r, lane, i, in, false, box);
}

static int post_recv(struct weft_checker *c, uint32_t r, uint32_t lane, uint64_t i,
                     const struct weft_coll_instr *in)
{
    struct weft_checker_rank *s = &c->ranks[r];
    int adds = in->action == WEFT_COLL_RECV_REDUCE;
    if (adds && !weft_checker_adds(c))
        return weft_checker_wrong(c, r, lane, i, "adds up in a collective without a sum");
    for (uint64_t j = 0; j < in->nblocks; j++) {
        uint64_t b = weft_checker_slot(c, r, lane, i, in, j);
        if (b >= c->slots)
            return weft_checker_wrong(c, r, lane, i, "names blocks that do not exist");
        adds = adds && !in->has_source;
        if (s->slot[b].replacing || (!adds && s->slot[b].adding))
            return weft_checker_wrong(c, r, lane, i,
                                      "receives into a block that another posted receive changes");
        adds ? s->slot[b].adding++ : s->slot[b].replacing++;
    }
    return 0;
}

/* Takes in the message of receive i. Returns 1 when it has not been sent yet. */
static int checker_take_in(struct weft_checker *c, uint32_t r, uint32_t lane, uint64_t i)
{
    struct weft_checker_rank *s = &c->ranks[r];
    struct weft_checker_message *m = s->lane[lane].inbox[i];
    if (!m)
        return 1;
    struct weft_coll_instr in = {0};
    c->ops->instr(c->call, r, lane, i, &in);
    int adds = in.action == WEFT_COLL_RECV_REDUCE, rc = 0;
    for (uint64_t j = 0; !rc && j < m->n; j++) {
        uint64_t slot = weft_checker_slot(c, r, lane, i, &in, j);
        adds && !in.has_source ? s->slot[slot].adding-- : s->slot[slot].replacing--;
        if (adds && in.has_source) { /* the slot becomes a copy of the source first */
            s->slot[slot].block = s->slot[in.source + j].block;
            memcpy(weft_checker_set(c, r, slot), weft_checker_set(c, r, in.source + j),
                   c->words * sizeof(uint64_t));
        }
        rc = weft_checker_write(c, r, lane, i, slot, m, j, adds);
    }
    free(m);
    s->lane[lane].inbox[i] = NULL;
    s->lane[lane].done[i] = 1;
    return rc;
}

static int local(struct weft_checker *c, uint32_t r, uint32_t lane, uint64_t i,
                 const struct weft_coll_instr *in)
{
    struct weft_checker_message *m;
    if (in->action == WEFT_COLL_ADD && !weft_checker_adds(c))
        return weft_checker_wrong(c, r, lane, i, "adds up in a collective without a sum");
    int rc = weft_checker_read(c, r, lane, i, in, true, &m);
    for (uint64_t j = 0; !rc && j < in->nblocks; j++) {
        uint64_t slot = weft_checker_slot(c, r, lane, i, in, j);
        if (slot >= c->slots)
            rc = weft_checker_wrong(c, r, lane, i, "names blocks that do not exist");
        else if (c->ranks[r].slot[slot].adding || c->ranks[r].slot[slot].replacing)
            rc = weft_checker_wrong(c, r, lane, i,
                                    "writes a block that a posted receive may still change");
        else
            rc = weft_checker_write(c, r, lane, i, slot, m, j, in->action == WEFT_COLL_ADD);
    }
    free(m);
    return rc;
}

/* Takes in every receive of a lane before instruction `end`. Returns 1 when one has to wait. */
static int take_in_all(struct weft_checker *c, uint32_t r, uint32_t lane, uint64_t end)
{
    struct weft_checker_lane *s = &c->ranks[r].lane[lane];
    for (; s->done_prefix < end; s->done_prefix++) {
        if (s->done[s->done_prefix])
            continue;
        if (s->done_prefix >= s->next)
            return 1; /* not issued */
        int rc = checker_take_in(c, r, lane, s->done_prefix);
        if (rc)
            return rc;
    }
    return 0;
}

/* 0: what the instruction waits for is done; 1: it has to wait. */
static int dependency(struct weft_checker *c, uint32_t r, uint32_t lane, uint64_t i,
                      const struct weft_coll_instr *in)
{
    struct weft_checker_rank *s = &c->ranks[r];
    if (in->dep == WEFT_COLL_DEP_NONE)
        return 0;
    if (in->dep_lane >= s->nlanes || in->dep_instr >= s->lane[in->dep_lane].n)
        return weft_checker_wrong(c, r, lane, i, "waits for an instruction that does not exist");
    if (in->dep_lane == lane && in->dep_instr >= i)
        return weft_checker_wrong(c, r, lane, i, "waits for a later instruction");
    struct weft_checker_lane *other = &s->lane[in->dep_lane];
    if (in->dep == WEFT_COLL_DEP_UPTO)
        return take_in_all(c, r, in->dep_lane, in->dep_instr + 1);
    if (other->done[in->dep_instr])
        return 0;
    return in->dep_instr < other->next ? checker_take_in(c, r, in->dep_lane, in->dep_instr) : 1;
}

static int checker_issue(struct weft_checker *c, uint32_t r, uint32_t lane, uint64_t i,
                         const struct weft_coll_instr *in)
{
    int rc = 0, receives = 0;
    switch (in->action) {
    case WEFT_COLL_COMPUTE:
    case WEFT_COLL_NOP:
        break;
    case WEFT_COLL_COPY:
    case WEFT_COLL_ADD:
        if (in->nblocks == 0)
            return weft_checker_wrong(c, r, lane, i, "names blocks that do not exist");
        rc = local(c, r, lane, i, in);
        break;
    case WEFT_COLL_SWITCH:
        c->proof.messages++;
        rc = weft_checker_switch(c, r, lane, i, in);
        break;
    default:
        receives = in->action != WEFT_COLL_SEND;
        if ((in->peer >= c->n || in->peer == r) &&
            !(in->action == WEFT_COLL_RECV && in->peer == WEFT_COLL_SWITCHES))
            return weft_checker_wrong(c, r, lane, i, "names a peer outside of the group or itself");
        if (in->nblocks == 0)
            return weft_checker_wrong(c, r, lane, i, "names blocks that do not exist");
        rc = receives ? post_recv(c, r, lane, i, in) : post_send(c, r, lane, i, in);
    }
    if (!rc && !receives)
        c->ranks[r].lane[lane].done[i] = 1;
    return rc;
}

/* Runs one lane until it ends (0), has to wait (1) or is wrong (< 0). */
static int checker_advance(struct weft_checker *c, uint32_t r, uint32_t lane, int *moved)
{
    struct weft_checker_lane *s = &c->ranks[r].lane[lane];
    for (; s->next < s->n; s->next++) {
        struct weft_coll_instr in = {0};
        c->ops->instr(c->call, r, lane, s->next, &in);
        int rc = dependency(c, r, lane, s->next, &in);
        if (!rc)
            rc = checker_issue(c, r, lane, s->next, &in);
        if (rc)
            return rc;
        *moved = 1;
    }
    return 0;
}

/* Runs the lanes of a rank as far as they come; what nothing waits for is taken in last. */
static int advance_rank(struct weft_checker *c, uint32_t r, int *moved)
{
    struct weft_checker_rank *s = &c->ranks[r];
    uint32_t waiting = 0;
    int again = 1;
    while (again) {
        again = 0;
        waiting = 0;
        for (uint32_t k = 0; k < s->nlanes; k++) {
            int rc = checker_advance(c, r, c->backwards ? s->nlanes - 1 - k : k, &again);
            if (rc < 0)
                return rc;
            waiting += rc > 0;
        }
        *moved |= again;
    }
    for (uint32_t k = 0; !waiting && k < s->nlanes; k++) {
        uint64_t before = s->lane[k].done_prefix;
        int rc = take_in_all(c, r, k, s->lane[k].n);
        if (rc < 0)
            return rc;
        *moved |= s->lane[k].done_prefix != before;
        waiting += rc > 0;
    }
    return waiting > 0;
}

static int checker_run(struct weft_checker *c)
{
    for (;;) {
        uint32_t waiting = 0, who = 0;
        int moved = 0;
        for (uint32_t r = 0; r < c->n; r++) {
            int rc = advance_rank(c, r, &moved);
            if (rc < 0)
                return rc;
            if (rc > 0 && waiting++ == 0)
                who = r;
        }
        if (!waiting)
            return 0;
        if (!moved) {
            uint32_t l = 0;
            while (l + 1 < c->ranks[who].nlanes &&
                   c->ranks[who].lane[l].next == c->ranks[who].lane[l].n)
                l++;
            return weft_err_set(c->err, WEFT_E_INTERNAL,
                                "deadlock: %u ranks wait, rank %u before instruction %" PRIu64
                                " of lane %u",
                                waiting, who, c->ranks[who].lane[l].next, l);
        }
    }
}

static int check_end(struct weft_checker *c)
{
    for (uint32_t r = 0; r < c->n; r++) {
        for (uint32_t l = 0; l < c->ranks[r].nlanes; l++)
            for (uint64_t i = 0; i < c->ranks[r].lane[l].n; i++)
                if (c->ranks[r].lane[l].inbox[i])
                    return weft_checker_wrong(c, r, l, i, "got a message that no receive took");
        for (uint64_t b = 0; b < c->slots; b++) {
            uint64_t block = weft_checker_end(c, r, b);
            if (block == WEFT_COLL_NO_BLOCK)
                continue;
            const int there = c->ranks[r].slot[b].block == block;
            uint64_t have = !c->words && there, want = c->words ? c->n : 1;
            for (uint64_t w = 0; there && w < c->words; w++)
                have += (uint64_t)__builtin_popcountll(weft_checker_set(c, r, b)[w]);
            char text[WEFT_CHECKER_NAME_MAX];
            if (have != want)
                return weft_err_set(c->err, WEFT_E_INTERNAL,
                                    "rank %u ends with %" PRIu64 " of %" PRIu64
                                    " contributions in %s",
                                    r, have, want, weft_checker_slot_name(c, r, b, text));
        }
    }
    uint64_t want = c->ops->total_bytes(c->call);
    if (!c->data && c->proof.bytes != want)
        return weft_err_set(c->err, WEFT_E_INTERNAL, "%" PRIu64 " bytes were sent, not %" PRIu64,
                            c->proof.bytes, want);
    return 0;
}

static int checker_play(struct weft_checker *c, struct weft_err *err)
{
    struct weft_err own = {0};
    c->n = c->call->n;
    c->err = err ? err : &own;
    weft_checker_sizes(c);
    int rc = weft_checker_prepare(c);
    if (!rc)
        rc = c->ops->slots ? weft_checker_run_ordered(c) : checker_run(c);
    if (!rc)
        rc = check_end(c);
    weft_checker_release(c);
    if (rc)
        weft_err_prepend(err, "%s %s on %u ranks", c->ops->name, weft_coll_kind_name(c->call->kind),
                         c->n);
    return rc;
}

/* A program without slots of its own: the lanes of each rank forwards, and where there are several
 * backwards, too. */
int weft_coll_prove(const struct weft_coll_ops *ops, const struct weft_coll_call *call,
                    struct weft_coll_proof *proof, struct weft_err *err)
{
    struct weft_checker c = {.ops = ops, .call = call};
    int rc = checker_play(&c, err);
    uint32_t lanes = 0;
    if (proof)
        *proof = c.proof;
    for (uint32_t r = 0; !rc && !ops->slots && r < call->n; r++)
        lanes = weft_coll_lanes(ops, call, r) > lanes ? weft_coll_lanes(ops, call, r) : lanes;
    if (lanes > 1) {
        struct weft_checker back = {.ops = ops, .call = call, .backwards = true};
        rc = checker_play(&back, err);
    }
    return rc;
}

int weft_coll_trace_data(const struct weft_coll_ops *ops, const struct weft_coll_call *call,
                         uint64_t most_bytes, weft_coll_data_fn data, void *ctx,
                         struct weft_coll_place *where, struct weft_err *err)
{
    struct weft_checker c = {
        .ops = ops, .call = call, .most_bytes = most_bytes, .data = data, .ctx = ctx};
    int rc = checker_play(&c, err);
    if (where)
        *where = c.where;
    return rc;
}

uint64_t weft_coll_trace_memory(const struct weft_coll_ops *ops, const struct weft_coll_call *call)
{
    struct weft_checker c = {.ops = ops, .call = call, .n = call->n};
    weft_checker_sizes(&c);
    const uint64_t run = weft_checker_memory(&c), order = weft_checker_order_memory(&c);
    return run > UINT64_MAX - order ? UINT64_MAX : run + order;
}
