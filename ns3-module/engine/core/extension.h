/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An extension moves the network on without executing its events, and core asks it when that may
 * show. Core declares what it asks; the extension registers itself at run time: weft_engine.
 * extension. Without one everything is simulated. The room replay is the only extension.
 */
#ifndef WEFT_ENGINE_EXTENSION_H
#define WEFT_ENGINE_EXTENSION_H

#include <stdbool.h>
#include <stdint.h>

struct msg;
struct weft_completion;
struct weft_engine;
struct weft_err;
struct weft_msg;
struct weft_qp_state;
struct window_note;

/** The extension points. */
struct extension_ops {
    /** The application posts a message at priority @p prio while `takes_posts`: as
     * weft_engine_send. */
    int (*post)(struct weft_engine *e, const struct weft_msg *msg, uint32_t prio, uint64_t *id,
                struct weft_err *err);
    /** Message @p m was posted. Whether the application is to hear of it; false: it has. */
    bool (*posted)(struct weft_engine *e, const struct msg *m);
    /** A message of QP @p qp was received, or (@p acked) acknowledged; the application is called
     * next, in call `loop.calls`. Whether it is; false: it has been. */
    bool (*completed)(struct weft_engine *e, uint32_t qp, bool acked,
                      const struct weft_completion *d);
    /** The last packet of message @p m was made for the first time, and the sender of its QP stands
     * behind it: only where `wants_sent`. */
    void (*sent)(struct weft_engine *e, const struct msg *m);
    /** QP @p qp is about to change, with what its packets meet. NIL: anything may. */
    void (*disturb)(struct weft_engine *e, uint32_t qp);
    /** Someone looks at the network: its state becomes that of now. */
    void (*catch_up)(struct weft_engine *e);
    /** Someone looks at QP @p qp, whose state is @p out but for messages that aren't simulated. */
    void (*qp_state)(const struct weft_engine *e, uint32_t qp, struct weft_qp_state *out);
    /** A pause or resume takes effect, as @p note says. NULL: those before @p until_ps are about to
     * be reported. The time before which all are known. */
    int64_t (*paused)(struct weft_engine *e, const struct window_note *note, int64_t until_ps);
    /** The loop has halted at `look_ps`, and nothing is due before @p t_ps. Whether it goes on. */
    bool (*look)(struct weft_engine *e, int64_t t_ps);
    void (*free)(struct weft_engine *e);
};

/** Fields of an extension that core reads, which keeps it right whenever one of its functions
 * returns. */
struct extension {
    const struct extension_ops *ops;
    int64_t look_ps;   /**< when the loop is to halt for `look`; WEFT_NEVER: not at all */
    int64_t first_ps;  /**< next call of the application by the extension; WEFT_NEVER: none */
    bool takes_posts;  /**< messages are posted to it */
    bool orders_posts; /**< messages are posted at once, and don't wait for threads (posts.h) */
    /** it is asked when a message is sent; hosts are run by one thread, in the order of time */
    bool wants_sent;
    bool suspends; /**< parts of the network have no events: no host runs beyond the clock */
    const uint64_t *steps; /**< grows while it works, for the watchdog */
    /** Not 0: a run is said to have had so many events for each data packet, less `packets_taken`,
     * where results depend on that number. */
    uint64_t events_per_packet;
    uint64_t packets_taken; /**< data packets that were not simulated */
};

/** Calls the application on a completion, unless the extension has. @p taken: the worker of the
 * host has taken it in, and nobody is called. There is an extension. */
void extension_completed(struct weft_engine *e, uint32_t qp, bool acked, bool taken,
                         const struct weft_completion *d);
/** Message @p m was posted by a callback that a worker has run. */
void extension_posted_in_call(struct weft_engine *e, const struct msg *m);
/** The state of the network becomes that of now; with or without an extension. */
void extension_catch_up(struct weft_engine *e);
/** Anything may have changed; with or without an extension. */
void extension_disturb(struct weft_engine *e);
/** Events of this process: executed, or as many as an extension says. */
uint64_t extension_events(const struct weft_engine *e);

#endif
