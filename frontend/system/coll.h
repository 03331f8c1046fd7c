/* SPDX-License-Identifier: GPL-2.0-only */
/* Inside of collectives: programs that run, what a run of one waits for, and who goes first. */
#ifndef WEFT_SYSTEM_COLL_H
#define WEFT_SYSTEM_COLL_H

#include "system/system_internal.h"

#include <stdbool.h>

/* coll_lanes.c and coll_prog.c */
/** A lane of a program that runs. */
struct weft_prog_lane {
    uint64_t count;
    uint64_t issued; /**< instructions 0 .. issued-1 are issued */
    uint64_t prefix; /**< instructions 0 .. prefix-1 are done */
    int64_t free_ps; /**< its worker is busy until then */
    /** Done instructions from prefix on: bit i % 64 of word (i / 64) % nwords. */
    uint64_t *done, one_word;
    uint64_t nwords; /**< power of two */
};
/** A program that runs: one phase of one chunk on one rank. */
struct weft_prog {
    uint64_t key; /**< in npu->progs */
    struct weft_npu *npu;
    struct weft_system *sys;
    const struct weft_coll_ops *ops;
    struct weft_coll_call call;
    uint32_t position;
    struct weft_site_group *net_group; /**< in-network algorithms: whose data switches add up */
    uint32_t stride, base;             /**< position j is rank base + ranks[j] * stride */
    const uint32_t *ranks;
    uint64_t left; /**< instructions that are not done, and messages that wait for a grant */
    uint32_t nlanes;
    int running;
    int64_t *posted_ps; /**< where to note the time of the first message; NULL: noted */
    struct weft_prog_lane *lane, one_lane;
    uint64_t messages, bytes; /**< sent */
    int64_t reduce_ps;        /**< spent on adding up */
    struct weft_coll_run *run;
    struct weft_active *active; /**< the op that run belongs to */
    void (*finished)(struct weft_prog *p);
};
/** Readies a program whose key, ops, call and ranks are filled in. */
int weft_prog_open(struct weft_prog *p);
/** Issues what can be issued; may call finished(), which may close it. */
void weft_prog_start(struct weft_prog *p);
void weft_prog_close(struct weft_prog *p);
/** A message of a rendezvous has come in. */
void weft_prog_control(struct weft_npu *npu, const struct weft_completion *done);
/** A message of a collective arrived. */
void weft_prog_received(struct weft_npu *npu, const struct weft_completion *done);
/** The first receive that is posted and not done, else a message that waits for its receive: the
 * step and the rank; 0 when there is none. */
int weft_prog_waits_for(const struct weft_prog *p, uint64_t *step, uint32_t *rank);

/* coll_run.c */
/** Begins this rank's part of a collective; may end at once. */
void weft_coll_begin(struct weft_active *a);
/** Frees a collective's run. */
void weft_coll_release(struct weft_active *a);
/** Ranks that take part in it together. */
uint32_t weft_coll_members(const struct weft_active *a);
/** What a run waits for, for explain.c. */
struct weft_coll_wait {
    uint64_t chunk, chunks;
    uint32_t phase, phases;
    uint64_t step;
    uint32_t peer;                     /**< rank; UINT32_MAX: it waits for a delay of its own */
    const struct weft_active *held_by; /**< a collective that goes first, or NULL */
};
void weft_coll_waits_for(const struct weft_coll_run *run, struct weft_coll_wait *out);

/* coll_hold.c */
/** What other collectives of an NPU know of a collective. */
struct weft_coll_claim {
    struct weft_coll_claim *prev, *next; /**< in npu->claims */
    struct weft_active *a;
    int going;                      /**< every member is known to be in it */
    uint64_t wanted[WEFT_DIMS_MAX]; /**< per fabric dimension: phases active or ready */
    uint64_t order;                 /**< place in program order */
};
void weft_coll_enter(struct weft_coll_claim *me, struct weft_active *a);
void weft_coll_leave(struct weft_coll_claim *me);
/** A collective that a phase in dimensions @p mask has to let pass first; NULL: it may begin. */
const struct weft_coll_claim *weft_coll_held_by(const struct weft_coll_claim *me, uint32_t mask);

/* coll_rendezvous.c */
/** Whether a message of @p bytes of a collective waits for its receive. */
static inline bool weft_coll_needs_grant(const struct weft_system *s,
                                         const struct weft_coll_instr *in, uint64_t bytes)
{
    return in->granted || (s->coll_rendezvous_bytes && bytes >= s->coll_rendezvous_bytes);
}
/** A send instruction (lane and number, as in a tag; @p unasked: the receiver says so by itself)
 * wants to post a message with @p tag to rank @p
 * peer: 1 when it may, else weft_coll_rendezvous_control() says when. */
int weft_coll_rendezvous_send(struct weft_prog *p, bool unasked, uint64_t instr, uint32_t peer,
                              uint64_t tag);
/** The receive instruction that takes messages with @p tag from rank @p peer has been issued. */
void weft_coll_rendezvous_recv(struct weft_prog *p, bool unasked, uint32_t peer, uint64_t tag);
/** A message of a rendezvous has come in, which begins an event: returns the program whose send
 * instruction *instr it grants, NULL: none. */
struct weft_prog *weft_coll_rendezvous_control(struct weft_npu *npu,
                                               const struct weft_completion *done, uint64_t *instr);
/** A send instruction of a program that waits for its grant, and from whom; 0: there is none. */
int weft_coll_rendezvous_pending(const struct weft_prog *p, uint64_t *instr, uint32_t *rank);

#endif
