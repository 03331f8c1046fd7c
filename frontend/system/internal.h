/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Inside of the system layer. One struct weft_npu per rank; nothing in it is read by another rank's
 * code, except by the diagnosis in explain.c.
 *
 *   npu.c       ready ops, resources, accounting      check.c     validation before a run
 *   coll_run.c  interpreter of collective programs    coll_ids.c  numbering of collectives
 *   p2p.c       SEND and RECV                         explain.c   what unfinished ranks wait for
 */
#ifndef WEFT_SYSTEM_INTERNAL_H
#define WEFT_SYSTEM_INTERNAL_H

#include "collective/collective.h"
#include "system/system.h"
#include "system/u64map.h"

struct weft_npu;
struct weft_coll_run;
struct weft_coll_chunk;
struct weft_p2p;

/** An op that has been issued and is not done. */
struct weft_active {
    struct weft_npu *npu;
    uint32_t op;                     /**< index into the rank's ops */
    int64_t ready_ps, start_ps;      /**< start_ps is -1 until it starts */
    struct weft_active *prev, *next; /**< all active ops of the NPU, in issue order */
    struct weft_active *queued;      /**< next in a resource's or a RECV's queue */
    struct weft_coll_run *coll;      /**< COLL */
};

/** First in, first out of ops. */
struct weft_fifo {
    struct weft_active *head, *tail;
};

/** Something that does one op at a time. */
struct weft_resource {
    struct weft_active *running;
    struct weft_fifo waiting;
};

enum weft_op_phase { WEFT_OP_WAITS = 0, WEFT_OP_ACTIVE, WEFT_OP_DONE };

/** What changes about an op of the workload during a run. */
struct weft_op_state {
    uint32_t parents_left;
    uint32_t instance; /**< COLL: number of the collective, see coll_ids.h */
    uint8_t phase;     /**< enum weft_op_phase */
};

/** One simulated NPU. */
struct weft_npu {
    struct weft_system *sys;
    struct weft_coll_chunk *recent; /**< the chunk that a message was for last; NULL: none */
    struct weft_u64map early; /**< tags of collective messages that came before their receive */
    uint32_t rank;
    const struct weft_dag *dag;
    struct weft_op_state *state;
    uint32_t done;
    uint32_t *ready; /**< min-heap of op indices */
    uint32_t nready, ready_cap;
    int issuing;
    struct weft_resource accelerator, cpu, memory;
    struct weft_active *first_active, *last_active;
    struct weft_u64map chunks; /**< tag without instruction -> struct weft_coll_chunk */
    struct weft_p2p *p2p;      /**< hash: unmatched messages or RECVs per (source, tag) */
    int64_t counted_ps;        /**< accounting is done up to here */
    uint32_t communicating;    /**< active SEND, RECV, COLL */
    struct weft_rank_result result;
};

struct weft_system {
    const struct weft_workload *w;
    const struct weft_system_params *p;
    struct weft_net *net;
    struct weft_system_observer observer;
    const struct weft_coll_ops *algorithm[WEFT_COLL_KINDS]; /**< by kind as played */
    uint32_t **position; /**< per group: positions sorted by rank */
    struct weft_npu *npus;
    struct weft_op_state *states;
    uint64_t done, total;
    unsigned chunk_bits, instr_bits; /**< of a collective's tag */
    struct weft_err err;
};

/* Tags: bit 63 set: SEND/RECV, below it the low 63 bits of comm_tag.
 * Bit 63 clear: instance number, chunk (chunk_bits), receiver's instruction (instr_bits). */
#define WEFT_TAG_P2P (UINT64_C(1) << 63)

/* params.c */
int64_t weft_reduce_ps(const struct weft_system_params *p, uint64_t bytes);
int weft_uses_roofline(const struct weft_system_params *p, const struct weft_op *op);
int64_t weft_op_duration_ps(const struct weft_system_params *p, const struct weft_op *op);

/* coll_ids.c */
/** Numbers the collectives; see the file. @p states (all ops of rank 0, of rank 1 ...) may be NULL:
 * only check. */
int weft_coll_ids(const struct weft_workload *w, struct weft_op_state *states, uint64_t *ninstances,
                  struct weft_err *err);

/* check.c */
/** The algorithms that @p p names, by kind as played. */
int weft_pick_algorithms(const struct weft_system_params *p,
                         const struct weft_coll_ops *out[WEFT_COLL_KINDS], struct weft_err *err);
/** Per group the positions sorted by rank; fails on a member twice or out of range. NULL on
 * failure. */
uint32_t **weft_positions_new(const struct weft_workload *w, struct weft_err *err);
void weft_positions_free(uint32_t **position, const struct weft_workload *w);
/** Position of @p rank in a group, UINT32_MAX when it is no member. */
uint32_t weft_position(const struct weft_group *g, const uint32_t *sorted, uint32_t rank);

/* npu.c */
/** Records the first error and stops the net. */
void weft_system_fail(struct weft_system *s, const struct weft_err *err);
/** Notes that the parents of an op are done. */
void weft_npu_ready(struct weft_npu *npu, uint32_t op);
/** Issues all ready ops in ascending order. */
void weft_npu_issue(struct weft_npu *npu);
/** Ends an op: accounts, reports, readies its children, frees it. Issues nothing: call
 * weft_npu_issue after. */
void weft_npu_done(struct weft_active *a);
/** Adds the time since the last call to what is going on; before every change of it. */
void weft_npu_account(struct weft_npu *npu, int64_t now_ps);
void weft_fifo_put(struct weft_fifo *q, struct weft_active *a);
struct weft_active *weft_fifo_take(struct weft_fifo *q);

/* coll_run.c */
/** Begins this rank's part of a collective; may end at once. */
void weft_coll_begin(struct weft_active *a);
/** A message of a collective arrived. */
void weft_coll_received(struct weft_npu *npu, const struct weft_net_msg *msg);
void weft_coll_run_free(struct weft_coll_run *run);
/** What a run waits for, for explain.c. */
struct weft_coll_wait {
    uint64_t chunk, chunks;
    uint64_t step;
    uint32_t peer; /**< rank; UINT32_MAX: it waits for a delay of its own */
};
void weft_coll_waits_for(const struct weft_coll_run *run, struct weft_coll_wait *out);

/* p2p.c */
void weft_p2p_send(struct weft_active *a);
void weft_p2p_recv(struct weft_active *a);
void weft_p2p_received(struct weft_npu *npu, const struct weft_net_msg *msg);
void weft_p2p_sent(struct weft_npu *npu, uint64_t send_ref);
void weft_p2p_free(struct weft_npu *npu);
/** 1 when comm_tag @p tag can be carried. */
int weft_p2p_tag_fits(uint64_t tag);

static inline const struct weft_op *weft_active_op(const struct weft_active *a)
{
    return &a->npu->dag->ops[a->op];
}

#endif
