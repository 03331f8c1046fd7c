/* SPDX-License-Identifier: GPL-2.0-only */
/* The clock, the event loop and the timers. */
#ifndef WEFT_ENGINE_LOOP_H
#define WEFT_ENGINE_LOOP_H

#include "engine.h"
#include "fail.h"
#include "fastq.h"
#include "stable.h"

#define MAX_TIMERS (UINT32_C(1) << 24) /**< at once */

/** A timer of the engine's user. */
struct timer {
    uint32_t next;   /**< first, as stable.h wants */
    bool posts_only; /**< it does nothing but post messages, and ask for more such timers */
    void (*fn)(void *ctx, uint64_t arg);
    void *ctx;
    uint64_t arg;
};

/** Timers of the engine's users. */
struct timers {
    struct stable pool; /**< struct timer */
    uint64_t seq;       /**< asked for so far */
};

/** Events: of everything, or at the hosts of one thread (host_parts.h). */
struct agenda {
    const uint64_t *fetched; /**< entry of fast.due from which on nothing has been fetched ahead */
    struct fastq fast;       /**< arrivals and transmissions: one entry per busy link or port */
    /** retransmission, congestion-control, PFC and user timers; arrivals and transmissions over a
     * second ahead */
    struct evq slow;
};

/** The event loop. */
struct loop {
    int64_t limit_ps; /**< it halts before the first event at or after this: it ends, or */
    int64_t stop_ps;  /**< later than that, after `look` of an extension (extension.h) */
    int64_t quiet_ps; /**< weft_engine_quiet_until; INT64_MIN: the application said nothing */
    int64_t due_ps; /**< transmissions before this time have been made; lazy ports may owe theirs */
    /** events of that time and lower entries (fastq.h) come before what is going on */
    uint32_t due_id;
    uint64_t
        slow_id;    /**< of the entry of the slow queue that is being executed; UINT64_MAX: none */
    uint32_t order; /**< ns3-event-order: rank given last */
    uint64_t posts; /**< messages that wait (posts.h) */
    uint32_t calls; /**< of the application, so far: completions with an extension, timers */
    bool in_call, in_timer; /**< one of these is going on; it is a timer */
    bool in_event; /**< one is being executed that is no timer of the user's, with host_parts.h */
    bool ahead;    /**< a timer is being called before its time (send_timers.c) */
    struct agenda agenda;
};

/** The context of this thread while the frontend takes in a message there: what it asks of the
 * engine, the time and to post messages, is asked of this. NULL: it doesn't. */
extern _Thread_local struct weft_engine *engine_here;

/** Sets limit_ps by when the loop is to end, and when to look at the state. */
void loop_limit(struct weft_engine *e);
/** A timer of the engine's user is due. @p number: of its entry. */
void timer_fire(struct weft_engine *e, uint64_t number);
/** Whether it does nothing but post messages, and ask for more such timers. */
bool timer_posts_only(const struct weft_engine *e, uint64_t number);

#endif
