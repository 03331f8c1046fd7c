/* SPDX-License-Identifier: GPL-2.0-only */
/* What the ranks of a symbolic run have at the start and must have at the end; see checker.c. */
#include "base/int128.h"
#include "collective/checker_state.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>

int weft_checker_no_memory(const struct weft_checker *c)
{
    return weft_err_no_memory(c->err, "checking a collective");
}

bool weft_checker_adds(const struct weft_checker *c)
{
    return c->call->kind == WEFT_COLL_ALL_REDUCE || c->call->kind == WEFT_COLL_REDUCE_SCATTER ||
           c->call->kind == WEFT_COLL_REDUCE;
}

uint64_t *weft_checker_set(const struct weft_checker *c, uint32_t rank, uint64_t slot)
{
    return c->ranks[rank].set + slot * c->words;
}

/* The slots that a rank has, or must have. */
enum holding { ALL, OWN, TO_OTHERS, FROM_OTHERS, OF_ROOT };

static const struct {
    enum holding start, end;
} holdings[WEFT_COLL_KINDS] = {
    [WEFT_COLL_ALL_GATHER] = {OWN, ALL},
    [WEFT_COLL_GATHER] = {OWN, OF_ROOT},
    [WEFT_COLL_BROADCAST] = {OF_ROOT, ALL},
    [WEFT_COLL_SCATTER] = {OF_ROOT, OWN},
    [WEFT_COLL_REDUCE_SCATTER] = {ALL, OWN},
    [WEFT_COLL_REDUCE] = {ALL, OF_ROOT},
    [WEFT_COLL_ALL_TO_ALL] = {TO_OTHERS, FROM_OTHERS},
};

static uint64_t block_of(const struct weft_checker *c, uint32_t rank, uint64_t slot,
                         enum holding holding)
{
    const uint64_t unit = slot / c->parts;
    const bool has = holding == OWN           ? unit == rank
                     : holding == TO_OTHERS   ? unit / c->n == rank
                     : holding == FROM_OTHERS ? unit % c->n == rank
                     : holding == OF_ROOT     ? rank == c->call->root
                                              : true;
    return has ? slot : WEFT_COLL_NO_BLOCK;
}

/* Block whose data `rank` has in `slot` at the start. */
static uint64_t begins_with(const struct weft_checker *c, uint32_t rank, uint64_t slot)
{
    return c->ops->start ? c->ops->start(c->call, rank, slot)
                         : block_of(c, rank, slot, holdings[c->call->kind].start);
}

/* Block that `rank` must end with, complete, in `slot`. */
uint64_t weft_checker_end(const struct weft_checker *c, uint32_t rank, uint64_t slot)
{
    return c->ops->end ? c->ops->end(c->call, rank, slot)
                       : block_of(c, rank, slot, holdings[c->call->kind].end);
}

void weft_checker_sizes(struct weft_checker *c)
{
    c->parts = weft_coll_parts(c->ops, c->call);
    c->slots = c->ops->slots ? c->ops->slots(c->call) : weft_coll_units(c->call) * c->parts;
    c->words = weft_checker_adds(c) ? (c->n + UINT64_C(63)) / 64 : 0;
}

uint64_t weft_checker_memory(const struct weft_checker *c)
{
    const uint64_t set = c->words * sizeof(uint64_t), pair = 2 * sizeof *c->last_send;
    weft_u128 sum = (weft_u128)c->n * c->n * pair;
    sum += (weft_u128)c->n * c->slots * (sizeof(struct weft_checker_slot) + set);
    for (uint32_t r = 0; r < c->n; r++)
        for (uint32_t l = 0; l < weft_coll_lanes(c->ops, c->call, r); l++)
            for (uint64_t i = 0; i < c->ops->count(c->call, r, l); i++) {
                struct weft_coll_instr in = {0};
                c->ops->instr(c->call, r, l, i, &in);
                sum += (weft_u128)in.nblocks * (2 * sizeof(uint64_t) + set);
            }
    return sum > UINT64_MAX ? UINT64_MAX : (uint64_t)sum;
}

static int prepare_rank(struct weft_checker *c, uint32_t r)
{
    struct weft_checker_rank *s = &c->ranks[r];
    s->nlanes = weft_coll_lanes(c->ops, c->call, r);
    s->lane = calloc(s->nlanes, sizeof *s->lane);
    s->slot = calloc(c->slots, sizeof *s->slot);
    s->set = calloc(c->slots * c->words + 1, sizeof *s->set);
    if (!s->lane || !s->slot || !s->set)
        return weft_checker_no_memory(c);
    for (uint32_t l = 0; l < s->nlanes; l++) {
        struct weft_checker_lane *lane = &s->lane[l];
        lane->n = c->ops->count(c->call, r, l);
        lane->done = calloc(lane->n + 1, 1);
        lane->inbox = calloc(lane->n + 1, sizeof *lane->inbox);
        if (!lane->done || !lane->inbox)
            return weft_checker_no_memory(c);
        c->proof.instrs += lane->n;
    }
    for (uint64_t b = 0; b < c->slots; b++) {
        s->slot[b].block = begins_with(c, r, b);
        if (c->words && s->slot[b].block != WEFT_COLL_NO_BLOCK)
            weft_checker_set(c, r, b)[r / 64] |= UINT64_C(1) << r % 64;
    }
    return 0;
}

int weft_checker_prepare(struct weft_checker *c)
{
    c->ranks = calloc(c->n, sizeof *c->ranks);
    c->last_send = calloc((size_t)c->n * c->n, 2 * sizeof *c->last_send);
    if (!c->ranks || !c->last_send)
        return weft_checker_no_memory(c);
    for (uint32_t r = 0; r < c->n; r++) {
        int rc = prepare_rank(c, r);
        if (rc)
            return rc;
    }
    return 0;
}

struct weft_checker_message *weft_checker_message_new(const struct weft_checker *c, uint64_t n)
{
    struct weft_checker_message *m = malloc(sizeof *m + n * (1 + c->words) * sizeof(uint64_t));
    if (!m)
        return NULL;
    m->n = n;
    m->block = (uint64_t *)(m + 1);
    m->set = m->block + n;
    return m;
}

void weft_checker_release(struct weft_checker *c)
{
    for (uint32_t r = 0; c->ranks && r < c->n; r++) {
        struct weft_checker_rank *s = &c->ranks[r];
        for (uint32_t l = 0; s->lane && l < s->nlanes; l++) {
            for (uint64_t i = 0; s->lane[l].inbox && i < s->lane[l].n; i++)
                free(s->lane[l].inbox[i]);
            free(s->lane[l].done);
            free(s->lane[l].inbox);
        }
        free(s->lane);
        free(s->slot);
        free(s->set);
    }
    while (c->operations) {
        struct weft_checker_operation *next = c->operations->next;
        free(c->operations->message);
        free(c->operations);
        c->operations = next;
    }
    free(c->ranks);
    free(c->last_send);
}
