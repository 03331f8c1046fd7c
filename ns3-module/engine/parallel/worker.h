/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * State that one of several threads has of its own while it runs switches, and hosts, of a window.
 *
 * A thread runs nodes in a context of its own: a copy of the engine's, made at the beginning of
 * the window. Data that contexts point to is shared: each port, buffer and heap of events belongs
 * to a node, as does either half of a QP, and each node to one thread of the window. What they hold
 * themselves is the thread's: clock, totals, free records, what is told late. A node may not touch
 * state of another, so in such a context
 *
 *   a packet that leaves for a node that another thread may run goes into the outbox of its port,
 * not onto the link that this one takes packets from (APART, port.h); drops are listed, as one at
 * the end of a link is counted at the other; an arrival over such a link does not settle the port
 * that the packet left: all are settled by then (window_turns.c).
 *
 * When all have come to the end of the window, each puts the outboxes of ports that lead to its own
 * nodes onto their links (worker_deliver), each as a whole: no packet is touched for that but the
 * last one that was on the link. Then the engine's own thread takes over what they have
 * (worker_join). The result does not depend on who ran what: sums, sets of events with one order,
 * and lists of one port, whose order is that of time.
 */
#ifndef WEFT_ENGINE_WORKER_H
#define WEFT_ENGINE_WORKER_H

#include "core/context.h"
#include "completion.h"
#include "core/heap.h"
#include "outbox.h"

#include <stdatomic.h>

/** A packet that was dropped. */
struct worker_drop {
    uint32_t port;
    uint16_t payload;
    uint8_t why;
};

/** A completion, and what the frontend is called with, but for COMPLETION_POSTED. */
struct worker_completion {
    struct completion completion;
    struct weft_completion done;
};

/** A message that was posted meanwhile for a host that another thread may run, and the one of its
 * QP before it. */
struct worker_post {
    uint32_t msg, before;
};

/** Free records of a kind that a thread has. Its context holds the list that is in use. */
struct worker_pool {
    uint32_t head, nfree;        /**< free records, while no context holds them */
    uint32_t spare, nspare;      /**< more of them */
    uint32_t fresh, fresh_end;   /**< never used ones */
    uint32_t made;               /**< of these, taken in this window */
    uint32_t live;               /**< records in use at its beginning, everywhere */
    uint32_t most;               /**< free records beyond which it gives some of them away */
    uint32_t give, give_tail;    /**< those, NIL: none */
    _Atomic uint32_t *untouched; /**< shared: number of the first record that nobody has */
    const struct stable *all;    /**< the engine's */
    uint32_t room;               /**< records that this is known to have memory for */
};

/** Kinds of them: packets, stacks of INT stamps, messages, what became of these. */
enum worker_kind { WORKER_PKTS, WORKER_STACKS, WORKER_MSGS, WORKER_LOGS, WORKER_POOLS };

/** All records of a kind. */
static inline struct stable *worker_all(struct weft_engine *e, enum worker_kind kind)
{
    struct stable *const all[] = {&e->pkts.pool, &e->telemetry.stacks, &e->msgs, &e->logs.pool};
    return all[kind];
}

struct worker {
    struct weft_engine e;      /**< its context */
    struct outbox *out;        /**< shared: by port */
    const uint8_t *to;         /**< shared: by port, the thread that delivers what it sends */
    struct outbox_ports *sent; /**< by that: ports with something in the outbox */
    unsigned n, number;        /**< threads; this one's among them */
    struct worker_drop *drops;
    uint32_t ndrops, drops_cap;
    struct ev *timers; /**< set for switches and for all, which the engine's own agenda has */
    uint32_t ntimers, timers_cap;
    struct window_note *notes; /**< room for those of its context */
    uint32_t notes_cap;
    struct worker_pool pools[WORKER_POOLS];
    struct worker_post *posts; /**< of this window */
    uint32_t nposts, posts_cap;
    uint32_t nposted; /**< messages posted by its hosts for which it has no record back */
    struct worker_completion *completions; /**< in order; some may wait from windows before */
    uint32_t ncompletions, completions_cap;
    bool in_worker;  /**< if that tells of a message, the user takes it in in this thread */
    struct ev at;    /**< the event that is executed, if it may tell of a message */
    uint64_t nholds; /**< of the engine, at the beginning */
};

/** Prepares one of @p n workers of @p e; false when out of memory. */
bool worker_init(struct worker *w, struct weft_engine *e, unsigned n, unsigned number,
                 struct outbox *out, const uint8_t *to, _Atomic uint32_t untouched[WORKER_POOLS]);
void worker_fini(struct worker *w);
/** No window comes any more: the engine gets its free records back. */
void worker_retire(struct worker *w, struct weft_engine *e);
/** The window begins: takes a copy of the engine's context. */
void worker_begin(struct worker *w, const struct weft_engine *e);
/** It is over, for this thread. */
void worker_end(struct worker *w);
/** All threads have come to the end of the window: thread @p number of @p all puts onto links what
 * was sent to its nodes, but for hosts of which the engine's own agenda has the events. */
void worker_deliver(struct worker *all, unsigned number);
/** The engine takes over what the thread has done. */
void worker_join(struct worker *w, struct weft_engine *e);
/** Gives the thread some of the engine's free records, but stacks, if it had to take new ones. */
void worker_give(struct worker *w, struct weft_engine *e);
/** Gives it the record of a message that is acknowledged, instead of one that it has used. */
void worker_release_message(struct worker *w, struct weft_engine *e, uint32_t msg);
/** Gives it all of the engine's free INT stacks, unless it has spare ones; says whether it did. */
bool worker_give_stacks(struct worker *w, struct weft_engine *e);

/* in a thread's context */
/** Packet @p i leaves by @p port for a node that another thread may run, where it will have arrived
 * at @p at_ps. */
void worker_send(struct weft_engine *e, uint32_t port, uint32_t i, int64_t at_ps);
/** A free record of @p pool of the context, in which there is none; NIL: no room is left. */
uint32_t worker_alloc(struct weft_engine *e, struct stable *pool);
/** Sets a timer of the engine's own agenda. */
void worker_timer(struct weft_engine *e, int64_t t_ps, uint64_t id);
/** The user is to be told of message record @p msg. */
void worker_complete(struct weft_engine *e, uint32_t msg, enum completion_kind what,
                     const struct weft_completion *done);
/** He takes in a message (run_in_worker), and may post others: see engine_here. */
void worker_call(struct weft_engine *e, const struct weft_completion *done);
/** When the window is over, message record @p msg is to wait for packets, behind @p before of its
 * QP. */
void worker_awaits(struct weft_engine *e, uint32_t msg, uint32_t before);
/** A packet was dropped that counts at @p port. */
void worker_drop(struct weft_engine *e, uint32_t port, uint32_t payload, enum weft_drop_reason why);

#endif
