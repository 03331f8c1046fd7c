/* SPDX-License-Identifier: GPL-2.0-only */
/* The instructions of chunks that are simulated, see agreed_play.c. Each event names its own. */
#include "base/grow.h"
#include "base/int128.h"
#include "system/agreed_play.h"

#include <stdlib.h>

/* Longest time of a message. */
#define LONGEST_PS INT64_C(1000000000000000)

void weft_agreed_play_happens(struct weft_play *p, int64_t ps, struct weft_agreed_event e)
{
    uint32_t k = p->unused;
    if (k != WEFT_AGREED_NONE) {
        p->unused = p->event[k].next;
    } else {
        if (!WEFT_GROW(p->event, p->nevents, &p->cap)) {
            p->failed = true;
            return;
        }
        k = p->nevents++;
    }
    p->event[k] = e;
    p->failed = p->failed || weft_heap_push(&p->heap, ps, k);
}

static void read_instr(const struct weft_play *p, const struct weft_agreed_event *e,
                       struct weft_coll_instr *in)
{
    const struct weft_agreed_chunk *c = weft_agreed_chunk_of(p, e);
    *in = (struct weft_coll_instr){0};
    if (e->lane < c->nlanes && e->instr < c->lane[e->lane].count)
        c->alg->ops->instr(&c->call, weft_agreed_position(p, e), e->lane, e->instr, in);
}

static uint64_t bytes_of(const struct weft_play *p, const struct weft_agreed_event *e,
                         const struct weft_coll_instr *in)
{
    const struct weft_agreed_chunk *c = weft_agreed_chunk_of(p, e);
    return weft_coll_instr_bytes(c->alg->ops, &c->call, weft_agreed_position(p, e), e->lane,
                                 e->instr, in);
}

void weft_agreed_play_ended(struct weft_agreed_chunk *c, uint32_t lane, uint64_t i)
{
    struct weft_agreed_lane *l = &c->lane[lane];
    l->state[i] |= WEFT_AGREED_DONE;
    c->left--;
    while (l->prefix < l->issued && l->state[l->prefix] & WEFT_AGREED_DONE)
        l->prefix++;
}

/* Takes in what has come. Returns whether that has ended at once. */
static bool agreed_play_instr_take_in(struct weft_play *p, struct weft_agreed_event e,
                                      const struct weft_coll_instr *in)
{
    double ps = (double)p->o->p.endpoint_ps;
    if (in->action == WEFT_COLL_RECV_REDUCE)
        ps += (double)bytes_of(p, &e, in) * p->o->p.reduce_ps_per_byte *
              (100 - (double)in->free_pct) / 100;
    else if (in->charged)
        ps += (double)bytes_of(p, &e, in) * p->o->p.reduce_ps_per_byte;
    if (ps < 1) {
        weft_agreed_play_ended(weft_agreed_chunk_of(p, &e), e.lane, e.instr);
        return true;
    }
    e.kind = WEFT_AGREED_ENDS;
    weft_agreed_play_happens(p, p->now_ps + (int64_t)ps, e);
    return false;
}

/* The rank at place @p peer of the line of another in dimension @p d. */
static uint32_t peer_of(const struct weft_play *p, uint32_t rank, uint32_t d, uint32_t peer)
{
    uint32_t stride = 1;
    for (uint32_t k = 0; k < d; k++)
        stride *= p->dims.size[k];
    return p->n == 1 ? rank : rank + (peer - p->rank[rank].place[d]) * stride;
}

/* On one of the links of a dimension. */
static int64_t line_ps(const struct weft_play *p, uint32_t d, uint64_t bytes)
{
    const uint64_t bps = p->dims.rate_bps[d] / (p->dims.links[d] ? p->dims.links[d] : 1);
    const weft_u128 ps = bps ? (weft_u128)bytes * 8 * 1000000000000 / bps : LONGEST_PS;
    return ps < LONGEST_PS ? (int64_t)ps : LONGEST_PS;
}

static void send(struct weft_play *p, const struct weft_agreed_event *e,
                 const struct weft_coll_instr *in)
{
    const struct weft_agreed_chunk *c = weft_agreed_chunk_of(p, e);
    const uint32_t d = c->plan.phase[c->at].dim;
    const int64_t ps = p->now_ps + p->dims.latency_ps[d] + line_ps(p, d, bytes_of(p, e, in));
    int64_t *last = &p->rank[e->rank].last[d][in->peer];
    *last = ps > *last ? ps : *last;
    const struct weft_agreed_event there = {.kind = WEFT_AGREED_ARRIVES,
                                            .rank = peer_of(p, e->rank, d, in->peer),
                                            .chunk = e->chunk,
                                            .phase = c->at,
                                            .lane = in->peer_lane,
                                            .instr = in->peer_instr};
    struct weft_coll_instr meets;
    read_instr(p, &there, &meets);
    if (p->n == 1 && meets.action != WEFT_COLL_RECV && meets.action != WEFT_COLL_RECV_REDUCE)
        p->failed = true;
    weft_agreed_play_happens(p, *last, there);
}

static void agreed_play_instr_issue(struct weft_play *p, const struct weft_agreed_event *e,
                                    const struct weft_coll_instr *in)
{
    struct weft_agreed_chunk *c = weft_agreed_chunk_of(p, e);
    unsigned char *state = &c->lane[e->lane].state[e->instr];
    switch (in->action) {
    case WEFT_COLL_SEND:
        send(p, e, in);
        weft_agreed_play_ended(c, e->lane, e->instr);
        break;
    case WEFT_COLL_RECV:
    case WEFT_COLL_RECV_REDUCE:
        *state |= WEFT_AGREED_ISSUED;
        if (*state & WEFT_AGREED_HERE)
            agreed_play_instr_take_in(p, *e, in);
        break;
    case WEFT_COLL_NOP:
        weft_agreed_play_ended(c, e->lane, e->instr);
        break;
    default: /* additions, copies and switches of their own */
        p->failed = true;
    }
}

static bool may_issue(const struct weft_agreed_chunk *c, const struct weft_coll_instr *in)
{
    const struct weft_agreed_lane *l = &c->lane[in->dep_lane];
    if (in->dep == WEFT_COLL_DEP_NONE)
        return true;
    return in->dep == WEFT_COLL_DEP_UPTO ? l->prefix > in->dep_instr
                                         : l->state[in->dep_instr] & WEFT_AGREED_DONE;
}

bool weft_agreed_play_advance(struct weft_play *p, struct weft_agreed_event e)
{
    struct weft_agreed_chunk *c = weft_agreed_chunk_of(p, &e);
    for (bool again = true; again && !p->failed;) {
        again = false;
        for (e.lane = 0; e.lane < c->nlanes; e.lane++) {
            struct weft_agreed_lane *l = &c->lane[e.lane];
            while (l->issued < l->count && !p->failed) {
                struct weft_coll_instr in;
                e.instr = l->issued;
                read_instr(p, &e, &in);
                if (!may_issue(c, &in))
                    break;
                l->issued++;
                agreed_play_instr_issue(p, &e, &in);
                again = c->nlanes > 1;
            }
        }
    }
    return c->left == 0 && !p->failed;
}

bool weft_agreed_play_arrive(struct weft_play *p, const struct weft_agreed_event *e)
{
    struct weft_agreed_chunk *c = weft_agreed_chunk_of(p, e);
    struct weft_coll_instr in;
    read_instr(p, e, &in);
    if (in.action != WEFT_COLL_RECV && in.action != WEFT_COLL_RECV_REDUCE) {
        p->failed = true;
        return false;
    }
    unsigned char *state = &c->lane[e->lane].state[e->instr];
    p->failed = p->failed || *state & WEFT_AGREED_HERE;
    *state |= WEFT_AGREED_HERE;
    return *state & WEFT_AGREED_ISSUED && agreed_play_instr_take_in(p, *e, &in) &&
           weft_agreed_play_advance(p, *e);
}
