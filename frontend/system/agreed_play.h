/* SPDX-License-Identifier: GPL-2.0-only */
/* Chunks simulated message by message: phases and ranks are agreed_play.c's, instructions
 * agreed_play_instr.c's. Internal to these. */
#ifndef WEFT_SYSTEM_AGREED_PLAY_H
#define WEFT_SYSTEM_AGREED_PLAY_H

#include "system/agreed_sim.h"

#define WEFT_AGREED_NONE UINT32_MAX

/* Of an instruction. */
enum { WEFT_AGREED_ISSUED = 1, WEFT_AGREED_HERE = 2, WEFT_AGREED_DONE = 4 };

struct weft_agreed_lane {
    uint64_t count, issued, prefix;
    unsigned char *state; /* of each instruction */
};

struct weft_agreed_chunk {
    struct weft_coll_plan plan;
    struct weft_coll_cursor cursor;
    struct weft_coll_call call;
    const struct weft_coll_algorithm *alg;
    uint32_t at;    /* phase under way, or next */
    bool running;   /* else ready for phase `at` */
    uint32_t early; /* arrivals for later phases: a list of events */
    uint32_t nlanes;
    uint64_t left; /* instructions that are not done */
    struct weft_agreed_lane *lane;
};

struct weft_agreed_rank {
    uint32_t place[WEFT_DIMS_MAX];
    struct weft_agreed_chunk *chunk;
    int64_t *last[WEFT_DIMS_MAX]; /* per peer: arrival of the last message */
    uint64_t begun[WEFT_AGREED_QUEUES], active[WEFT_AGREED_QUEUES];
};

enum weft_agreed_kind {
    WEFT_AGREED_BEGINS,
    WEFT_AGREED_ARRIVES,
    WEFT_AGREED_ENDS
}; /* a program; a message; an instruction */

struct weft_agreed_event {
    enum weft_agreed_kind kind;
    uint32_t rank, chunk, phase, lane, next; /* next: among those not in use, or early */
    uint64_t instr;
};

struct weft_play {
    const struct weft_agreed_order *o;
    struct weft_dims dims;
    uint32_t n; /* ranks */
    struct weft_agreed_rank *rank;
    struct weft_heap heap;
    struct weft_agreed_event *event;
    uint32_t nevents, cap, unused;
    uint64_t instrs, instrs_max;
    int64_t now_ps;
    bool failed;
};

static inline struct weft_agreed_chunk *weft_agreed_chunk_of(const struct weft_play *p,
                                                             const struct weft_agreed_event *e)
{
    return &p->rank[e->rank].chunk[e->chunk];
}

static inline uint32_t weft_agreed_position(const struct weft_play *p,
                                            const struct weft_agreed_event *e)
{
    const struct weft_agreed_chunk *c = weft_agreed_chunk_of(p, e);
    return p->rank[e->rank].place[c->plan.phase[c->at].dim];
}

/* Notes what happens at a time. */
void weft_agreed_play_happens(struct weft_play *p, int64_t ps, struct weft_agreed_event e);
/* Issues what can be issued. Returns whether the phase is over. */
bool weft_agreed_play_advance(struct weft_play *p, struct weft_agreed_event e);
/* A message of the phase under way has come. Returns whether the phase is over. */
bool weft_agreed_play_arrive(struct weft_play *p, const struct weft_agreed_event *e);
/* Instruction @p i is done. */
void weft_agreed_play_ended(struct weft_agreed_chunk *c, uint32_t lane, uint64_t i);

#endif
