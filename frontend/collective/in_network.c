/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Collectives that the switches do: they add up on the way to the root of a tree and copy on the
 * way back (SHARP, COM-HPC 2016; NVLink SHARP).
 *
 * One operation of the switches per unit: an all-reduce, broadcast or reduce is one, a
 * reduce-scatter one sum per rank, an all-gather one copy of each rank's unit. Every rank takes
 * part in each, instruction 2u; instruction 2u + 1 takes the result of unit u where there is one to
 * take. An all-reduce of N bytes moves N bytes up and N bytes down each rank's link; in a ring it
 * is nearly 2 N each way.
 */
#include "collective/collective.h"

static bool in_network_supports(const struct weft_coll_call *c, const char **why)
{
    const unsigned kinds = WEFT_COLL_BIT(ALL_REDUCE) | WEFT_COLL_BIT(REDUCE_SCATTER) |
                           WEFT_COLL_BIT(ALL_GATHER) | WEFT_COLL_BIT(BROADCAST) |
                           WEFT_COLL_BIT(REDUCE);
    return weft_coll_one_of(
        c, kinds,
        "switches do all-reduce, reduce-scatter, all-gather, broadcast, reduce and barrier", why);
}

static uint64_t in_network_count(const struct weft_coll_call *c, uint32_t rank, uint32_t lane)
{
    return c->n == 1 ? 0 : 2 * weft_coll_units(c);
}

/* Whose data unit u is made of, and who gets it. */
static void collective_in_network_ends(const struct weft_coll_call *c, uint32_t u,
                                       struct weft_coll_instr *out)
{
    out->from = c->kind == WEFT_COLL_ALL_GATHER  ? u
                : c->kind == WEFT_COLL_BROADCAST ? c->root
                                                 : WEFT_COLL_ALL;
    out->to = c->kind == WEFT_COLL_REDUCE_SCATTER ? u
              : c->kind == WEFT_COLL_REDUCE       ? c->root
                                                  : WEFT_COLL_ALL;
}

static void in_network_instr(const struct weft_coll_call *c, uint32_t rank, uint32_t lane,
                             uint64_t i, struct weft_coll_instr *out)
{
    collective_in_network_ends(c, (uint32_t)(i / 2), out);
    out->first_block = out->step = i / 2;
    out->nblocks = 1;
    out->peer = WEFT_COLL_SWITCHES;
    out->peer_instr = i + 1;
    out->action = i % 2 == 0                      ? WEFT_COLL_SWITCH
                  : weft_coll_receives(out, rank) ? WEFT_COLL_RECV
                                                  : WEFT_COLL_NOP;
}

static uint64_t in_network_total_bytes(const struct weft_coll_call *c)
{
    uint64_t sum = 0;
    for (uint64_t u = 0; u < weft_coll_units(c); u++) {
        struct weft_coll_instr in = {0};
        collective_in_network_ends(c, (uint32_t)u, &in);
        sum += weft_coll_unit_bytes(c, u) * (in.from == WEFT_COLL_ALL ? c->n : 1);
    }
    return c->n == 1 ? 0 : sum;
}

static uint64_t in_network_rounds(const struct weft_coll_call *c)
{
    return 1;
}

const struct weft_coll_ops weft_coll_in_network = {
    .name = "in-network",
    .title = "switches add up and copy, on a tree of the fabric",
    .source = "SHARP, COM-HPC 2016",
    .in_network = true,
    .supports = in_network_supports,
    .count = in_network_count,
    .instr = in_network_instr,
    .total_bytes = in_network_total_bytes,
    .rounds = in_network_rounds,
};
