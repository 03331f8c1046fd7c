/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How long the chunks of a collective take, from what each of their phases costs alone.
 *
 * As in coll_run.c: a phase begins when its chunk is ready for it, its turn in its dimension has
 * come (agreed_order.h), and fewer than active-chunks are under way there. Where several may be,
 * latencies of one overlap with bytes of others: a phase goes round by round, or in parts of
 * several rounds, and the bytes of each part cross the links after those of the parts before it.
 */
#include "system/auto.h"

/* Most parts of a phase. */
#define PARTS_MAX 8u

struct pipeline {
    const struct weft_chunk_costs *chunk;
    const struct weft_agreed_order *order; /* NULL: one phase each, chunk after chunk */
    uint32_t n, ndims;
    uint64_t active_max;
    uint32_t at[WEFT_CHUNKS_SIMULATED];    /* phase under way, or next */
    uint32_t parts[WEFT_CHUNKS_SIMULATED]; /* of that, still to begin or under way; 0: next */
    double end_s[WEFT_CHUNKS_SIMULATED];   /* of the part under way */
    uint64_t next[WEFT_DIMS_MAX], active[WEFT_DIMS_MAX];
    double free_s[WEFT_DIMS_MAX]; /* the bytes of all phases so far are through */
    double now_s;
};

/* Whose turn it is in dimension d; false: there are no more. */
static bool auto_chunks_turn(const struct pipeline *p, uint32_t d, struct weft_agreed_turn *out)
{
    if (p->order)
        return weft_agreed_order_turn(p->order, d, p->next[d], out);
    *out = (struct weft_agreed_turn){p->next[d], 0};
    return p->next[d] < p->n;
}

/* Of how many parts the phase of a chunk is. */
static uint32_t parts_of(const struct pipeline *p, uint64_t chunk)
{
    const double rounds = p->chunk[chunk].phase[p->at[chunk]].rounds;
    return p->active_max == 1 || rounds < 2 ? 1 : rounds < PARTS_MAX ? (uint32_t)rounds : PARTS_MAX;
}

static void begin_part(struct pipeline *p, uint32_t d, uint64_t chunk)
{
    const struct weft_cost *cost = &p->chunk[chunk].phase[p->at[chunk]];
    const double begin_s = p->free_s[d] > p->now_s ? p->free_s[d] : p->now_s;
    const double share = 1.0 / parts_of(p, chunk);
    p->free_s[d] = begin_s + cost->busy_s * share;
    p->end_s[chunk] = p->free_s[d] + cost->latency_s * share;
}

static void auto_chunks_begin(struct pipeline *p, uint32_t d, uint64_t chunk)
{
    p->parts[chunk] = parts_of(p, chunk);
    p->next[d]++;
    p->active[d]++;
    begin_part(p, d, chunk);
}

static void auto_chunks_fill(struct pipeline *p)
{
    struct weft_agreed_turn t;
    for (uint32_t d = 0; d < p->ndims; d++)
        while (p->active[d] < p->active_max && auto_chunks_turn(p, d, &t) && !p->parts[t.chunk] &&
               p->at[t.chunk] == t.phase)
            auto_chunks_begin(p, d, t.chunk);
}

/* Ends the part that ends next; false: none is under way. */
static bool end_next(struct pipeline *p)
{
    uint32_t next = p->n;
    for (uint32_t c = 0; c < p->n; c++)
        if (p->parts[c] && (next == p->n || p->end_s[c] < p->end_s[next]))
            next = c;
    if (next == p->n)
        return false;
    const uint32_t d = p->order ? p->chunk[next].plan.phase[p->at[next]].dim : 0;
    p->now_s = p->end_s[next];
    if (--p->parts[next]) {
        begin_part(p, d, next);
        return true;
    }
    p->active[d]--;
    p->at[next]++;
    return true;
}

double weft_chunks_s(const struct weft_chunk_costs *chunk, uint32_t n,
                     const struct weft_agreed_order *order, uint32_t ndims, uint64_t active)
{
    struct pipeline p = {
        .chunk = chunk, .order = order, .n = n, .ndims = ndims, .active_max = active};
    do
        auto_chunks_fill(&p);
    while (end_next(&p));
    return p.now_s;
}
