/* SPDX-License-Identifier: GPL-2.0-only */
/* What the instructions of a symbolic run do to slots and messages, and what they are called; see
 * checker.c. */
#include "collective/checker_state.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const char *weft_checker_instr(const struct weft_checker *c, uint32_t rank, uint32_t lane,
                               uint64_t i, char text[WEFT_CHECKER_NAME_MAX])
{
    if (c->ops->name_instr)
        c->ops->name_instr(c->call, rank, lane, i, text, WEFT_CHECKER_NAME_MAX);
    else if (c->ranks[rank].nlanes > 1)
        snprintf(text, WEFT_CHECKER_NAME_MAX, "rank %u, lane %u, instruction %" PRIu64, rank, lane,
                 i);
    else
        snprintf(text, WEFT_CHECKER_NAME_MAX, "rank %u, instruction %" PRIu64, rank, i);
    return text;
}

const char *weft_checker_slot_name(const struct weft_checker *c, uint32_t rank, uint64_t slot,
                                   char text[WEFT_CHECKER_NAME_MAX])
{
    if (c->ops->name_slot)
        c->ops->name_slot(c->call, rank, slot, text, WEFT_CHECKER_NAME_MAX);
    else
        snprintf(text, WEFT_CHECKER_NAME_MAX, "block %" PRIu64, slot);
    return text;
}

int weft_checker_wrong(struct weft_checker *c, uint32_t rank, uint32_t lane, uint64_t i,
                       const char *what)
{
    char text[WEFT_CHECKER_NAME_MAX];
    c->where = (struct weft_coll_place){rank, lane, i, true};
    return weft_err_set(c->err, WEFT_E_INTERNAL, "%s %s",
                        weft_checker_instr(c, rank, lane, i, text), what);
}

uint64_t weft_checker_slot(const struct weft_checker *c, uint32_t r, uint32_t lane, uint64_t i,
                           const struct weft_coll_instr *in, uint64_t j)
{
    return weft_coll_nth_block(c->ops, c->call, r, lane, i, in, c->slots, j);
}

int weft_checker_match(struct weft_checker *c, uint32_t r, uint32_t lane, uint64_t i,
                       const struct weft_coll_instr *in, struct weft_checker_message ***box)
{
    struct weft_checker_rank *peer = &c->ranks[in->peer];
    if (in->peer_lane >= peer->nlanes || in->peer_instr >= peer->lane[in->peer_lane].n)
        return weft_checker_wrong(c, r, lane, i,
                                  "sends to an instruction that its peer does not have");
    struct weft_coll_instr there = {0};
    c->ops->instr(c->call, in->peer, in->peer_lane, in->peer_instr, &there);
    if ((there.action != WEFT_COLL_RECV && there.action != WEFT_COLL_RECV_REDUCE) ||
        there.peer != r)
        return weft_checker_wrong(c, r, lane, i,
                                  "sends to an instruction that does not receive from it");
    bool same = there.nblocks == in->nblocks;
    for (uint64_t j = 0; same && !c->ops->slots && j < in->nblocks; j++)
        same = weft_checker_slot(c, in->peer, in->peer_lane, in->peer_instr, &there, j) ==
               weft_checker_slot(c, r, lane, i, in, j);
    if (!same)
        return weft_checker_wrong(c, r, lane, i, "sends other blocks than its peer expects");
    *box = &peer->lane[in->peer_lane].inbox[in->peer_instr];
    if (**box || peer->lane[in->peer_lane].done[in->peer_instr])
        return weft_checker_wrong(c, r, lane, i, "sends to a receive that has got its message");
    return 0;
}

int weft_checker_write(struct weft_checker *c, uint32_t r, uint32_t lane, uint64_t i, uint64_t slot,
                       const struct weft_checker_message *m, uint64_t j, bool adds)
{
    struct weft_checker_rank *s = &c->ranks[r];
    uint64_t *have = weft_checker_set(c, r, slot), *got = m->set + j * c->words;
    if (adds && s->slot[slot].block != m->block[j])
        return weft_checker_wrong(c, r, lane, i, "adds up data of different blocks");
    if (!weft_checker_adds(c) && !c->ops->slots && s->slot[slot].block == m->block[j])
        return weft_checker_wrong(c, r, lane, i, "receives a block that is already there");
    s->slot[slot].block = m->block[j];
    for (uint64_t w = 0; w < c->words; w++) {
        if (adds && (have[w] & got[w]))
            return weft_checker_wrong(c, r, lane, i, "adds a contribution for the second time");
        have[w] = adds ? have[w] | got[w] : got[w];
    }
    return 0;
}

static uint64_t bytes_of(const struct weft_checker *c, uint64_t block)
{
    return weft_coll_block_bytes(c->call, c->parts, block);
}
/* Reads slots into a message. `reader` is what it must not disturb: any posted receive. */
int weft_checker_read(struct weft_checker *c, uint32_t r, uint32_t lane, uint64_t i,
                      const struct weft_coll_instr *in, bool from_source,
                      struct weft_checker_message **out)
{
    struct weft_checker_rank *s = &c->ranks[r];
    struct weft_checker_message *m = weft_checker_message_new(c, in->nblocks);
    *out = m;
    if (!m)
        return weft_checker_no_memory(c);
    uint64_t bytes = 0;
    for (uint64_t j = 0; j < m->n; j++) {
        uint64_t slot = from_source ? in->source + j : weft_checker_slot(c, r, lane, i, in, j);
        if (slot >= c->slots)
            return weft_checker_wrong(c, r, lane, i, "names blocks that do not exist");
        if (s->slot[slot].adding || s->slot[slot].replacing)
            return weft_checker_wrong(c, r, lane, i,
                                      "sends a block that a posted receive may still change");
        if (s->slot[slot].block == WEFT_COLL_NO_BLOCK)
            return weft_checker_wrong(c, r, lane, i,
                                      from_source ? "reads a block that it does not have"
                                                  : "sends a block that it does not have");
        m->block[j] = s->slot[slot].block;
        memcpy(m->set + j * c->words, weft_checker_set(c, r, slot), c->words * sizeof(uint64_t));
        bytes += bytes_of(c, m->block[j]);
        if (c->data)
            c->data(c->ctx, r, lane, i, j, m->block[j]);
    }
    if (in->nblocks == 0) /* a signal */
        bytes = weft_coll_instr_bytes(c->ops, c->call, r, lane, i, in);
    if (!c->data && !from_source && weft_coll_instr_bytes(c->ops, c->call, r, lane, i, in) != bytes)
        return weft_checker_wrong(c, r, lane, i, "does not count the bytes of its blocks");
    if (in->action == WEFT_COLL_SEND || in->action == WEFT_COLL_SWITCH) {
        c->proof.messages += in->action == WEFT_COLL_SEND;
        c->proof.bytes += bytes;
    }
    return 0;
}
