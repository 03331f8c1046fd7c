/* SPDX-License-Identifier: GPL-2.0-only */
/* Hosts by thread: inside of host_agendas.c, host_parts.c, host_turn.c and host_ahead.c. */
#ifndef WEFT_ENGINE_HOST_PARTS_INTERNAL_H
#define WEFT_ENGINE_HOST_PARTS_INTERNAL_H

#include "core/agenda.h"
#include "peers.h"
#include "posts.h"

/** Of a cluster (clusters.h). */
struct cluster_state {
    uint64_t held;   /**< the last window in which it was held */
    uint32_t window; /**< the one that `events` is of, its lower bits */
    uint32_t events;
    uint32_t load; /**< in windows that were counted (loads.c) */
};

/** First event of an agenda, as it was read. */
struct first_seen {
    int64_t t; /**< WEFT_NEVER: there is none; INT64_MIN: it has changed since */
    uint64_t id;
    uint64_t key; /**< if it is of the fast queue; FASTQ_NO_KEY: of the slow one */
} __attribute__((aligned(64)));

/** The hosts of a thread. */
struct host_part {
    struct agenda agenda;
    struct ev *first; /**< of each host that is held, the event from which on it is, in order */
    uint32_t nfirst, first_cap;
    uint32_t ntold;  /**< of these, executed, in order */
    struct ev *held; /**< what else is left at these */
    uint32_t nheld, held_cap;
    struct ev bound;    /**< nothing is told of these before it but by their first events */
    uint64_t events;    /**< in the last window */
    bool looks;         /**< every event is looked at */
    struct post *posts; /**< that wait (posts.h) */
    uint32_t nposts, posts_cap;
    uint32_t timely; /**< of those that are ahead: the thread posts so many (send_timers.c) */
} __attribute__((aligned(64)));

struct host_parts {
    unsigned n;
    struct host_part *of;
    struct first_seen *first;       /**< by thread: of its agenda */
    struct cluster_state *clusters; /**< by their first nodes */
    uint64_t window;
    int64_t lookahead_ps; /**< the shortest link of two clusters */
    int64_t done_ps;      /**< hosts have been run to here, but for those that are held */
    int64_t until_ps;     /**< of the window that is being run */
    bool switches;        /**< it is theirs as well */
    bool counts;          /**< events are counted by cluster */
    bool passive;         /**< the user is told of messages when it is over: no host is held */
    bool in_worker;       /**< he takes in some in the threads of their hosts, */
    bool posts;           /**< and may post others there */
    uint64_t nheld;       /**< hosts that have been held in the last window */
    bool all_reported;    /**< he has been told of all that hosts were held for: they may go on */
    int64_t from_ps;      /**< nothing is to happen at hosts before, if that is before the clock */
    struct ev next;       /**< the first of all, as host_parts_first has found it */
    uint32_t turn;        /**< number of the last timer that was called ahead (send_timers.c) */
    bool late;            /**< what is posted ahead now, the engine's own thread posts */
    bool switch_work;     /**< threads have enough to do at switches until switch_work_ps */
    int64_t switch_work_ps; /**< end of a window, INT64_MIN: of none */
    /* how much happens */
    uint64_t alone; /**< events executed by one thread since then */
    int64_t since_ps;
    double per_ps;
};

/** The id (heap.h) of the first entry of an agenda. */
static inline uint64_t id_of(const struct agenda *a, const struct due *d)
{
    return d->slow ? a->slow.h[0].id : EV_ID(fastq_kind(d->key), fastq_port(d->key));
}

/** Events at the hosts of thread @p k may change. */
static inline void host_part_changes(struct host_parts *h, unsigned k)
{
    if (h->first[k].t != INT64_MIN) /* where threads come here, it is: nobody writes */
        h->first[k].t = INT64_MIN;
}

/** Counts an event, or post, of a cluster in this window; returns how many there are. */
static inline void cluster_count(const struct host_parts *h, uint32_t cluster)
{
    struct cluster_state *s = &h->clusters[cluster];
    s->events = s->window == (uint32_t)h->window ? s->events + 1 : 1;
    s->window = (uint32_t)h->window;
    s->load++;
}

/** The cluster of which the state says whether @p cluster is held. */
static inline uint32_t peers_held_with(const struct weft_engine *e, uint32_t cluster)
{
    return e->peers && e->peers->link.user ? 0 : cluster;
}

struct window_threads;

/* host_turn.c */
/** Thread @p number runs its hosts to the end of the window, and if it is theirs as well, its
 * switches (window_threads_work). */
void host_turn(struct window_threads *c, struct worker *w, unsigned number);

/* host_ahead.c */
/** A window is over, in which hosts may have been held. What was held is due again, but for the
 * events that these were held for, if they can be executed now, in their order: then
 * host_parts.told says that the hosts may go on in the next window. Tells what has waited and comes
 * before. */
void host_ahead(struct weft_engine *e, struct host_parts *h);

/* host_completions.c */
/** Tells the user of messages of the windows so far, in the order of all events, with the clock at
 * that of each: of those by events before @p before. The others wait. */
void host_completions_report(struct weft_engine *e, struct window_threads *c, struct ev before);

/* send_timers.c */
/** Whether timers that only post do not end a window as things are. */
bool send_timers_may_be_ahead(const struct weft_engine *e);
/** Has those called that are due in a window up to @p until_ps. Where the window ends: there, or at
 * the first timer that does more. */
int64_t send_timers_call(struct weft_engine *e, int64_t until_ps);
/** The window is over, which ended at @p until_ps: posts what has been left. */
void send_timers_end(struct weft_engine *e, int64_t until_ps);

#endif
