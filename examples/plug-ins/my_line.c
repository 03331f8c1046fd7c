/* SPDX-License-Identifier: GPL-2.0-only */
/* A broadcast along a line of ranks, in chunks: docs/how-to/plug-ins.md. */
#include "base/plugin.h"
#include "collective/collective.h"

struct params {
    uint64_t chunks;
};
static const struct weft_param table[] = {
    {.name = "chunks",
     .type = WEFT_PARAM_U64,
     .offset = offsetof(struct params, chunks),
     .def = "8",
     .min = "1",
     .max = "1024",
     .help = "pieces that follow each other along the line"},
};

static uint64_t chunks(const struct weft_coll_call *c)
{
    return ((const struct params *)c->params)->chunks;
}

/* The first rank only sends, the last only receives, the others do both for each chunk. */
static bool is_end(const struct weft_coll_call *c, uint32_t place)
{
    return place == 0 || place == c->n - 1;
}

static bool mine_supports(const struct weft_coll_call *c, const char **why)
{
    return weft_coll_one_of(c, WEFT_COLL_BIT(BROADCAST), "my-line does broadcasts", why);
}

static uint64_t mine_count(const struct weft_coll_call *c, uint32_t rank, uint32_t lane)
{
    (void)lane;
    return chunks(c) * (is_end(c, (rank + c->n - c->root) % c->n) ? 1 : 2);
}

static void mine_instr(const struct weft_coll_call *c, uint32_t rank, uint32_t lane, uint64_t i,
                       struct weft_coll_instr *out)
{
    const uint32_t place = (rank + c->n - c->root) % c->n;
    const bool end = is_end(c, place);
    const uint64_t chunk = end ? i : i / 2;
    (void)lane;
    out->first_block = out->step = chunk;
    out->nblocks = 1;
    if (place > 0 && (end || i % 2 == 0)) {
        out->action = WEFT_COLL_RECV;
        out->peer = (rank + c->n - 1) % c->n;
        return;
    }
    out->action = WEFT_COLL_SEND;
    out->peer = (rank + 1) % c->n;
    out->peer_instr = is_end(c, place + 1) ? chunk : 2 * chunk;
    if (place > 0) {
        out->dep = WEFT_COLL_DEP_INSTR;
        out->dep_instr = i - 1;
    }
}

static uint64_t mine_total_bytes(const struct weft_coll_call *c)
{
    return (c->n - 1) * c->bytes;
}

static const struct weft_coll_ops mine = {
    .name = "my-line",
    .title = "broadcast along a line, in chunks",
    .params = WEFT_PARAM_TABLE(table, struct params),
    .supports = mine_supports,
    .parts = chunks,
    .count = mine_count,
    .instr = mine_instr,
    .total_bytes = mine_total_bytes,
};
WEFT_PLUGINS(WEFT_PLUGIN_COLLECTIVE(mine));
