/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Chunks in a given order, message by message, where messages do not share bandwidth
 * (weft_agreed_problem.alone): the time that a candidate of agreed_order.c takes.
 *
 * All ranks are simulated where they are few. Else one is, as if all of a line did the same at the
 * same time: what it sends arrives there as what its peers send arrives here, so a send to receive
 * i of a peer is the arrival at the own receive i. That holds for programs whose members are alike
 * (rings, direct, halving-doubling over a power of two) but for sizes that do not divide; one of
 * another kind names a receive that there is not, or comes to no end, and its time is not known.
 *
 * As in coll_prog.c: messages of a pair arrive in the order in which they were sent; a receive
 * takes the endpoint delay and its addition, in which receives do not wait for each other.
 */
#include "system/agreed_play.h"

#include <stdlib.h>

/* Instructions of all ranks that are simulated at most: of one, or of all. */
#define INSTRS_MAX_ONE UINT64_C(2000000)
#define INSTRS_MAX_ALL UINT64_C(200000)

/* --- phases --- */

static void close_lanes(struct weft_agreed_chunk *c)
{
    for (uint32_t l = 0; c->lane && l < c->nlanes; l++)
        free(c->lane[l].state);
    free(c->lane);
    c->lane = NULL;
    c->nlanes = 0;
}

static void end_phase(struct weft_play *p, const struct weft_agreed_event *e)
{
    struct weft_agreed_chunk *c = weft_agreed_chunk_of(p, e);
    const struct weft_coll_phase *ph = &c->plan.phase[c->at];
    p->rank[e->rank].active[weft_agreed_queue_of(ph, c->alg)]--;
    weft_coll_cursor_next(&c->cursor, ph);
    close_lanes(c);
    c->at++;
    c->running = false;
}

static void agreed_play_begin(struct weft_play *p, uint32_t r, uint32_t k)
{
    struct weft_agreed_event e = {.kind = WEFT_AGREED_BEGINS, .rank = r, .chunk = k};
    struct weft_agreed_chunk *c = weft_agreed_chunk_of(p, &e);
    const struct weft_coll_phase *ph = &c->plan.phase[c->at];
    e.phase = c->at;
    c->running = true;
    c->alg = p->o->p.alg[ph->dim];
    weft_coll_cursor_call(&c->cursor, ph, &c->call);
    weft_coll_use(&c->call, c->alg);
    c->nlanes = weft_coll_lanes(c->alg->ops, &c->call, weft_agreed_position(p, &e));
    c->lane = calloc(c->nlanes, sizeof *c->lane);
    c->left = 0;
    p->failed = p->failed || !c->lane;
    for (uint32_t l = 0; !p->failed && l < c->nlanes; l++) {
        const uint64_t n = c->alg->ops->count(&c->call, weft_agreed_position(p, &e), l);
        c->lane[l].count = n;
        c->left += n;
        p->instrs += n;
        p->failed = p->instrs > p->instrs_max || !(c->lane[l].state = calloc(n + 1, 1));
    }
    for (uint32_t *at = &c->early; !p->failed && *at != WEFT_AGREED_NONE;) {
        const uint32_t slot = *at;
        if (p->event[slot].phase != c->at) {
            at = &p->event[slot].next;
            continue;
        }
        const struct weft_agreed_event came = p->event[slot];
        *at = came.next;
        p->event[slot].next = p->unused;
        p->unused = slot;
        weft_agreed_play_arrive(p, &came);
    }
    if (p->o->p.endpoint_ps)
        weft_agreed_play_happens(p, p->now_ps + p->o->p.endpoint_ps, e);
    else if (!p->failed && weft_agreed_play_advance(p, e))
        end_phase(p, &e);
}

/* Begins what has its turn and may. */
static void agreed_play_fill(struct weft_play *p, uint32_t r)
{
    struct weft_agreed_rank *x = &p->rank[r];
    for (bool again = true; again && !p->failed;) {
        again = false;
        for (uint32_t q = 0; q < weft_agreed_order_queues(p->o); q++) {
            struct weft_agreed_turn t;
            while (!p->failed && x->active[q] < p->o->p.active &&
                   weft_agreed_order_turn(p->o, q, x->begun[q], &t) && !x->chunk[t.chunk].running &&
                   x->chunk[t.chunk].at == t.phase) {
                x->begun[q]++;
                x->active[q]++;
                agreed_play_begin(p, r, (uint32_t)t.chunk);
                again = true;
            }
        }
    }
}

static void happen(struct weft_play *p, uint32_t slot)
{
    const struct weft_agreed_event e = p->event[slot];
    struct weft_agreed_chunk *c = weft_agreed_chunk_of(p, &e);
    if (e.kind == WEFT_AGREED_ARRIVES && !(c->running && c->at == e.phase)) {
        p->event[slot].next = c->early;
        c->early = slot;
        return;
    }
    p->event[slot].next = p->unused;
    p->unused = slot;
    bool over;
    if (e.kind == WEFT_AGREED_ARRIVES) {
        over = weft_agreed_play_arrive(p, &e);
    } else {
        if (e.kind == WEFT_AGREED_ENDS)
            weft_agreed_play_ended(c, e.lane, e.instr);
        over = weft_agreed_play_advance(p, e);
    }
    if (over) {
        end_phase(p, &e);
        agreed_play_fill(p, e.rank);
    }
}

/* --- ranks --- */

static void open_rank(struct weft_play *p, uint32_t r)
{
    const struct weft_agreed_problem *q = &p->o->p;
    struct weft_agreed_rank *x = &p->rank[r];
    uint32_t rest = r;
    x->chunk = calloc(q->nchunks, sizeof *x->chunk);
    p->failed = !x->chunk;
    for (uint32_t d = 0; d < p->dims.n; d++) {
        x->place[d] = rest % p->dims.size[d]; /* 0 in each has the most where sizes do not divide */
        rest /= p->dims.size[d];
        x->last[d] = calloc(p->dims.size[d], sizeof **x->last);
        p->failed = p->failed || !x->last[d];
    }
    for (uint64_t k = 0; !p->failed && k < q->nchunks; k++) {
        x->chunk[k].early = WEFT_AGREED_NONE;
        weft_agreed_order_plan(p->o, k, &x->chunk[k].plan);
        weft_coll_cursor_begin(&x->chunk[k].cursor, &p->dims, x->place,
                               weft_coll_chunk_bytes(q->bytes, q->max_chunks, k));
    }
}

/* Whether all chunks of a rank are over; frees it. */
static bool close_rank(const struct weft_play *p, uint32_t r)
{
    struct weft_agreed_rank *x = &p->rank[r];
    uint64_t over = 0;
    for (uint64_t k = 0; x->chunk && k < p->o->p.nchunks; k++) {
        over += x->chunk[k].at == x->chunk[k].plan.n;
        close_lanes(&x->chunk[k]);
    }
    free(x->chunk);
    for (uint32_t d = 0; d < p->dims.n; d++)
        free(x->last[d]);
    return over == p->o->p.nchunks;
}

static uint64_t system_agreed_play(const struct weft_agreed_order *o, uint32_t n,
                                   uint64_t instrs_max)
{
    struct weft_play p = {
        .o = o, .dims = o->wanted, .n = n, .unused = WEFT_AGREED_NONE, .instrs_max = instrs_max};
    bool over = true;
    p.rank = calloc(n, sizeof *p.rank);
    p.failed = !p.rank;
    for (uint32_t d = 0; d < p.dims.n; d++)
        if (p.dims.rate_bps[d] == 0)
            p.dims.rate_bps[d] = o->dims.rate_bps[d];
    for (uint32_t r = 0; !p.failed && r < n; r++)
        open_rank(&p, r);
    for (uint32_t r = 0; !p.failed && r < n; r++)
        agreed_play_fill(&p, r);
    while (p.heap.n && !p.failed) {
        const struct weft_heap_entry next = weft_heap_pop(&p.heap);
        p.now_ps = next.t_ps;
        happen(&p, next.slot);
    }
    for (uint32_t r = 0; p.rank && r < n; r++)
        over = close_rank(&p, r) && over;
    free(p.rank);
    free(p.event);
    weft_heap_release(&p.heap);
    return p.failed || !over ? UINT64_MAX : (uint64_t)p.now_ps;
}

uint64_t weft_agreed_play(const struct weft_agreed_order *o)
{
    uint64_t n = 1, all_ps = UINT64_MAX;
    for (uint32_t d = 0; d < o->wanted.n && n <= INSTRS_MAX_ALL; d++)
        n *= o->wanted.size[d];
    if (n * o->p.nchunks <= INSTRS_MAX_ALL)
        all_ps = system_agreed_play(o, (uint32_t)n, INSTRS_MAX_ALL);
    return all_ps == UINT64_MAX ? system_agreed_play(o, 1, INSTRS_MAX_ONE) : all_ps;
}
