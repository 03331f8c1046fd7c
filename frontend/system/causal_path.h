/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What led to what: the critical path of a run.
 *
 * Whatever an NPU does, it does in answer to one event: a message that came in, a cost that is
 * over, a computation that ended. So everything has one predecessor, the last of those that it
 * needed, and going back from the last event of the run leads without a gap to its beginning.
 *
 * Between the ends of operations that way is kept as sums: a causal_path is the last operation that
 * ended on the way (a step) and what the time since then went by with. Messages carry a reference
 * to the causal_path of the event in which they were posted, timers and computations have one of
 * their own. Each operation that ends makes a step with the one before as its parent, so that the
 * steps form a tree. Steps that nothing refers to any more are released; a root with a single way
 * on is part of the critical path for certain, and is reported and released. So what is kept is
 * what went on since the ways of all that is in progress parted. Beyond WEFT_STEPS_MAX steps, a new
 * one is summed up with the one before.
 *
 * Trails say what happened and decide nothing: no rank's behaviour depends on them.
 */
#ifndef WEFT_SYSTEM_CAUSAL_PATH_H
#define WEFT_SYSTEM_CAUSAL_PATH_H

#include "system/system.h"

struct weft_worker_receives;
struct weft_npu;
struct weft_step;

/** Steps kept at most. */
#define WEFT_STEPS_MAX (UINT32_C(1) << 16)

/** The way to an event. Shared and not changed while anybody else refers to it. */
struct weft_causal_path {
    struct weft_step *step;
    int64_t spent_ps[WEFT_CAUSES_ON_THE_WAY]; /**< since the step ended */
    int64_t latest_ps;   /**< when the last of the ranks on the way came to the operation */
    int64_t endpoint_ps; /**< timer: until then it is endpoint cost, then adding up */
    void *ctx;           /**< timer: what it is for */
    uint64_t messages;   /**< since the step ended */
    uint32_t refs;
    struct weft_causal_path *next_free;
};

/** All causal_paths and steps of a run. */
struct weft_causal_paths {
    struct weft_causal_path *free_causal_paths;
    struct weft_step *free_steps;
    void *blocks; /**< of memory, linked by their first word */
    struct weft_step *root;
    struct weft_step *last; /**< the one that ends last so far */
    uint64_t nsteps;
    uint64_t reported;       /**< steps */
    int64_t reported_end_ps; /**< end of the last step reported */
    uint32_t reported_rank;
    struct weft_worker_receives *in_worker; /**< what threads have noted (absorb.c) */
};

/** Gives every NPU the causal_path of the run's beginning. */
int weft_causal_paths_begin(struct weft_system *s, struct weft_err *err);
void weft_causal_paths_free(struct weft_system *s);
/** Reports what is left of the critical path; WEFT_E_INTERNAL when it does not reach the end. */
int weft_causal_paths_conclude(struct weft_system *s, struct weft_err *err);

/**
 * At the beginning of an event of @p op (an index) on the NPU: it happened because of @p t, the
 * reference to which passes to the NPU.
 */
void weft_causal_path_enter(struct weft_npu *npu, struct weft_causal_path *t, uint32_t op);
/** At its end. */
void weft_causal_path_leave(struct weft_npu *npu);
/** A reference to the causal_path of the present event, for what @p op does next. */
struct weft_causal_path *weft_causal_path_take(struct weft_npu *npu, uint32_t op);
/** The same, for a timer of @p endpoint_ps and then @p reduce_ps. NULL: out of memory, which the
 * system has been told. */
struct weft_causal_path *weft_causal_path_timer(struct weft_npu *npu, uint32_t op,
                                                int64_t endpoint_ps, int64_t reduce_ps, void *ctx);
/** Those that threads have noted (absorb.c) are released. */
void weft_causal_paths_let_go(struct weft_system *s);
/** What they note. WEFT_E_LIMIT. */
int weft_worker_receives_new(struct weft_system *s, struct weft_err *err);
void weft_worker_receives_free(struct weft_system *s);
/** Gives a reference back. */
void weft_causal_path_drop(struct weft_system *s, struct weft_causal_path *t);
/** The same in an event of an NPU, which another thread than the frontend's may run. */
void weft_causal_path_let_go(struct weft_npu *npu, struct weft_causal_path *t);
/** The causal_path of a message that has come in after @p network_ps on its way and what delayed
 * it; the message's reference stays what it is. NULL: out of memory. */
struct weft_causal_path *weft_causal_path_arrived(struct weft_npu *npu,
                                                  const struct weft_causal_path *message,
                                                  int64_t network_ps,
                                                  const int64_t delay_ps[WEFT_DELAYS]);
/** The present event ends @p op: makes it a step. */
void weft_causal_path_done(struct weft_npu *npu, uint32_t op);

#endif
