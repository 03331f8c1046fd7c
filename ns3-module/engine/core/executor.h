/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Executors of an engine beside its own thread: windows of switches, several threads, several
 * processes. core declares the hooks; the room parallel/ has the only implementation, which an
 * engine gets when it is made (engine_executor). A build without that room (WEFT_PARALLEL=OFF) has
 * none: then e->executor is NULL, windows.on is false, and e->parts, e->threads, e->worker and
 * e->peers are NULL, which are what the rest of the engine asks.
 *
 * Four groups, by who asks: the event loop; what an event causes in the context of a thread, or at
 * a link to another process; messages that are posted; those who look at an engine.
 */
#ifndef WEFT_ENGINE_EXECUTOR_H
#define WEFT_ENGINE_EXECUTOR_H

#include "context.h"
#include "heap.h"

struct due;
struct post;
struct weft_link_change;

/** Where a message is posted. */
enum post_place {
    POST_HERE,  /**< here and now */
    POST_TAKEN, /**< the executor has taken it, and it has no number yet */
    POST_WAITS  /**< in the thread of its host, later: `wait` */
};

struct executor {
    /* life */
    /** Prepares windows, and says which nodes the processes of @p peers, if there are any, will
     * simulate, before there are records of ports; false: out of memory. */
    bool (*init)(struct weft_engine *e, const struct weft_peers *peers);
    /** Frees all that is the executor's; what threads have goes back to the engine. */
    void (*fini)(struct weft_engine *e);

    /* the loop */
    /** Hooks, links or parameters have changed: decides whether switches run in windows, and hosts
     * by thread. */
    void (*choose)(struct weft_engine *e);
    /** A run begins; true: it is over as well, processes have run it together. */
    bool (*run)(struct weft_engine *e);
    /** Of processes: the time of the first event of all. */
    int64_t (*next)(struct weft_engine *e);
    /** With e->parts, the agendas of hosts by thread: *@p d is the first of the engine's own
     * agenda; makes it the first of all, and says whose it is. */
    struct agenda *(*first)(struct weft_engine *e, struct due *d);
    /** The same: nothing is before @p t_ps. Threads run their hosts as far as can be; false: not
     * far, or not worth it, the engine's own thread executes that event. */
    bool (*hosts)(struct weft_engine *e, int64_t t_ps);
    /** The same: all before loop.limit_ps is over, and is told. */
    void (*hosts_over)(struct weft_engine *e);
    /** Where windows are on: nothing at hosts is due before @p t_ps. Runs at most one window and
     * says whether it did. */
    bool (*advance)(struct weft_engine *e, int64_t t_ps);
    /** The same: executes every event of switches before @p until_ps, and those at that time that
     * come before entry @p until_id (fastq.h). */
    void (*windows)(struct weft_engine *e, int64_t until_ps, uint32_t until_id);
    /** With e->parts: the agenda of a host. */
    struct agenda *(*agenda)(struct weft_engine *e, uint32_t host);
    /** The same: adds an arrival at a host, or a transmission of one. */
    void (*push)(struct weft_engine *e, int64_t t, enum ev_kind kind, uint32_t port);

    /* in the context of a thread (e->worker), or with e->peers */
    /** Packet @p i leaves by @p port for a node that others may run, where it will have arrived at
     * @p at_ps. */
    void (*send)(struct weft_engine *e, uint32_t port, uint32_t i, int64_t at_ps);
    /** A free record of @p pool, in which the context has none; NIL: no room is left. */
    uint32_t (*alloc)(struct weft_engine *e, struct stable *pool);
    /** Sets a timer of the engine's own agenda. */
    void (*timer)(struct weft_engine *e, int64_t t_ps, uint64_t id);
    /** A packet was dropped that counts at @p port. */
    void (*drop)(struct weft_engine *e, uint32_t port, uint32_t payload, enum weft_drop_reason why);
    /** Message record @p msg was received, or (@p acked) acknowledged. */
    void (*completed)(struct weft_engine *e, uint32_t msg, bool acked,
                      const struct weft_completion *done);
    /** Of processes: the last packet of a message was sent for the first time. */
    void (*sent_last)(struct weft_engine *e, const struct qp *q, const struct msg *m);

    /* messages and timers of the frontend */
    /** A message is about to be posted at priority @p prio: enum post_place, or an error. */
    int (*intercept)(struct weft_engine *e, const struct weft_msg *msg, uint32_t prio,
                     struct weft_err *err);
    /** Has a message wait, which has its numbers. WEFT_E_LIMIT: out of memory. */
    int (*wait)(struct weft_engine *e, const struct post *p, struct weft_err *err);
    /** Posts all that wait. */
    void (*post_waiting)(struct weft_engine *e);
    /** In the context of a thread, message @p msg of @p q is posted behind @p before. Whether its
     * receiver hears of it when the window is over only, as another thread may run it. */
    bool (*receives_later)(struct weft_engine *e, const struct qp *q, uint32_t msg,
                           uint32_t before);
    /** Of processes: a message was posted, by all of them; NULL: a timer was set. */
    void (*posted)(struct weft_engine *e, const struct weft_msg *msg);

    /* those who look */
    /** Of processes: part_ask. */
    void (*ask)(struct weft_engine *e, size_t size, part_answer_fn fn, void *ctx);
    /** Of processes: has all of them exchange what they owe each other up to now. */
    void (*meet)(struct weft_engine *e);
    /** Of processes: links have changed; brings what they lost to what it is for all. */
    void (*links_changed)(struct weft_engine *e, struct weft_link_change *list, size_t n);
    /** Agenda @p i of all that there are: the engine's own, then those of threads; NULL: no more.
     */
    struct agenda *(*agenda_at)(struct weft_engine *e, unsigned i);
    /** The context of thread @p k, for what a signal handler looks at; NULL: no more. */
    const struct weft_engine *(*context)(const struct weft_engine *e, unsigned k);
    /** Memory that all this takes. */
    uint64_t (*bytes)(const struct weft_engine *e);

    /* hosts that threads have run beyond the clock */
    /** To that time, INT64_MIN: they never were. */
    int64_t (*done_ps)(const struct weft_engine *e);
    /** How far beyond it they are run at most; 0: not at all. */
    int64_t (*span_ps)(const struct weft_engine *e);
    /** The host at @p port is no further than the clock: it was brought back. */
    void (*back)(struct weft_engine *e, uint32_t port);
};

/** The executor of this build; NULL: there is none. */
extern const struct executor *const engine_executor;

/** Posts what waits before somebody looks, or something happens. */
static inline void posts_flush(struct weft_engine *e)
{
    if (__builtin_expect(e->loop.posts != 0, 0))
        e->executor->post_waiting(e);
}

static inline void windows_choose(struct weft_engine *e)
{
    if (e->executor)
        e->executor->choose(e);
}

static inline bool windows_advance(struct weft_engine *e, int64_t t_ps)
{
    return e->executor->advance(e, t_ps);
}

static inline void windows_run(struct weft_engine *e, int64_t until_ps)
{
    if (e->windows.on)
        e->executor->windows(e, until_ps, 0);
}

/** Up to the event that is being executed, before somebody looks at switches. */
static inline void windows_catch_up(struct weft_engine *e)
{
    if (e->windows.on)
        e->executor->windows(e, e->loop.due_ps, e->loop.due_id);
}

/** Agenda @p i of all that there are; NULL: no more. */
static inline struct agenda *agendas_at(struct weft_engine *e, unsigned i)
{
    if (i == 0)
        return &e->loop.agenda;
    return e->parts ? e->executor->agenda_at(e, i) : NULL;
}

/** Hosts may have been run to that time, INT64_MIN: they never were run beyond the clock. */
static inline int64_t agendas_done_ps(const struct weft_engine *e)
{
    return e->parts ? e->executor->done_ps(e) : INT64_MIN;
}

/** How far beyond the clock hosts are run at most; 0: not at all. */
static inline int64_t agendas_span_ps(const struct weft_engine *e)
{
    return e->parts ? e->executor->span_ps(e) : 0;
}

/** The host at @p port is no further than the clock: it was brought back. */
static inline void agendas_back(struct weft_engine *e, uint32_t port)
{
    if (e->parts)
        e->executor->back(e, port);
}

#endif
