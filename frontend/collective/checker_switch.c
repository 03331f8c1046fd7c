/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Operations of the switches in a symbolic run: what ranks give is added up until all have taken
 * part, then delivered to the receives of those that want it.
 */
#include "collective/checker_state.h"

#include <stdlib.h>
#include <string.h>

/* Ranks that switches join. */
static uint32_t island_of(const struct weft_checker *c)
{
    return c->ops->island ? c->ops->island(c->call) : c->n;
}

/* The operation that instruction (lane, i) of any rank from @p first on is part of; made by the
 * first. */
static struct weft_checker_operation *checker_switch_operation(struct weft_checker *c,
                                                               uint32_t first, uint32_t lane,
                                                               uint64_t i,
                                                               const struct weft_coll_instr *in)
{
    struct weft_checker_operation *op = c->operations;
    while (op && (op->first != first || op->lane != lane || op->instr != i))
        op = op->next;
    if (op)
        return op;
    op = calloc(1, sizeof *op);
    if (!op)
        return NULL;
    op->first = first;
    op->lane = lane;
    op->instr = i;
    op->in = *in;
    op->next = c->operations;
    c->operations = op;
    return op;
}

static int checker_switch_same(const struct weft_checker *c, uint32_t r, uint32_t lane, uint64_t i,
                               const struct weft_coll_instr *a, const struct weft_coll_instr *b)
{
    int equal = a->from == b->from && a->to == b->to && a->nblocks == b->nblocks &&
                a->peer_lane == b->peer_lane && a->peer_instr == b->peer_instr;
    for (uint64_t j = 0; equal && j < a->nblocks; j++)
        equal = weft_checker_slot(c, r, lane, i, a, j) == weft_checker_slot(c, r, lane, i, b, j);
    return equal;
}

/* Adds what a rank gives to what is there. */
static int checker_switch_give(struct weft_checker *c, struct weft_checker_operation *op,
                               uint32_t r, uint32_t lane, uint64_t i,
                               const struct weft_coll_instr *in)
{
    struct weft_checker_message *m, *sum = op->message;
    int rc = weft_checker_read(c, r, lane, i, in, false, &m);
    if (rc || !sum) {
        op->message = rc ? sum : m;
        if (rc)
            free(m);
        return rc;
    }
    if (!weft_checker_adds(c))
        rc = weft_checker_wrong(c, r, lane, i, "adds up in a collective without a sum");
    for (uint64_t w = 0; !rc && w < m->n * c->words; w++) {
        if (sum->block[w / c->words] != m->block[w / c->words])
            rc = weft_checker_wrong(c, r, lane, i, "adds up data of different blocks");
        else if (sum->set[w] & m->set[w])
            rc = weft_checker_wrong(c, r, lane, i, "adds a contribution for the second time");
        sum->set[w] |= m->set[w];
    }
    free(m);
    return rc;
}

static struct weft_checker_message *copy_of(const struct weft_checker *c,
                                            const struct weft_checker_message *m)
{
    struct weft_checker_message *copy = weft_checker_message_new(c, m->n);
    if (copy)
        memcpy(copy->block, m->block, m->n * (1 + c->words) * sizeof *m->block);
    return copy;
}

/* Puts the result into the receive of rank @p to. */
static int checker_switch_deliver(struct weft_checker *c, const struct weft_checker_operation *op,
                                  uint32_t to)
{
    const struct weft_coll_instr *in = &op->in;
    struct weft_checker_rank *s = &c->ranks[to];
    struct weft_coll_instr there = {0};
    if (in->peer_lane >= s->nlanes || in->peer_instr >= s->lane[in->peer_lane].n)
        return weft_checker_wrong(c, to, op->lane, op->instr,
                                  "sends to an instruction that its peer does not have");
    c->ops->instr(c->call, to, in->peer_lane, in->peer_instr, &there);
    int fits = there.action == WEFT_COLL_RECV && there.peer == WEFT_COLL_SWITCHES &&
               there.nblocks == in->nblocks;
    for (uint64_t j = 0; fits && !c->ops->slots && j < in->nblocks; j++)
        fits = weft_checker_slot(c, to, in->peer_lane, in->peer_instr, &there, j) ==
               weft_checker_slot(c, to, op->lane, op->instr, in, j);
    if (!fits)
        return weft_checker_wrong(c, to, op->lane, op->instr,
                                  "sends to an instruction that does not receive it");
    struct weft_checker_message **box = &s->lane[in->peer_lane].inbox[in->peer_instr];
    if (*box || s->lane[in->peer_lane].done[in->peer_instr])
        return weft_checker_wrong(c, to, op->lane, op->instr,
                                  "sends to a receive that has got its message");
    *box = copy_of(c, op->message);
    return *box ? 0 : weft_checker_no_memory(c);
}

int weft_checker_switch(struct weft_checker *c, uint32_t r, uint32_t lane, uint64_t i,
                        const struct weft_coll_instr *in)
{
    const uint32_t n = island_of(c), member = r % n, first = r - member;
    if (!c->ops->in_network || in->nblocks == 0 || (in->from != WEFT_COLL_ALL && in->from >= n) ||
        (in->to != WEFT_COLL_ALL && in->to >= n))
        return weft_checker_wrong(c, r, lane, i, "is no operation that switches can do");
    struct weft_checker_operation *op = checker_switch_operation(c, first, lane, i, in);
    if (!op)
        return weft_checker_no_memory(c);
    if (!checker_switch_same(c, r, lane, i, in, &op->in))
        return weft_checker_wrong(c, r, lane, i, "is another operation than at another rank");
    int rc = weft_coll_gives(in, member) ? checker_switch_give(c, op, r, lane, i, in) : 0;
    if (rc || ++op->joined < n)
        return rc;
    for (uint32_t to = 0; !rc && to < n; to++)
        if (weft_coll_receives(in, to))
            rc = checker_switch_deliver(c, op, first + to);
    return rc;
}
