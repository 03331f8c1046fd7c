/* SPDX-License-Identifier: GPL-2.0-only */
/* Traffic in steady state: what replay_steady.c, replay_steady_error.c, replay_steady_rates.c,
 * replay_steady_rounds.c and replay_steady_skip.c share. */
#ifndef WEFT_ENGINE_REPLAY_STEADY_H
#define WEFT_ENGINE_REPLAY_STEADY_H

#include "engine_replay.h"
#include "replay_state.h"
#include "replay_snapshot.h"

#include "base/message.h"
#include "base/rng.h"

#include <stdbool.h>

/** A QP, or a port, at one moment. */
struct steady_qp {
    uint64_t psn, flight, cnps;    /**< next to send; of them in flight; CNPs of its message */
    int64_t tx_ps;                 /**< when it sent last */
    uint64_t rate_bps, cwnd_bytes; /**< that it may send at, and have in flight */
    int64_t held_ps[WEFT_DELAY_QUEUE];
    double seen[WEFT_CC_OBSERVABLES_MAX]; /**< what its congestion control shows of its state */
};
struct steady_port {
    uint64_t marks;
    struct weft_rng draws; /**< where its random numbers are */
};
struct steady_mark {
    int64_t t_ps;
    struct steady_qp *qp;     /**< by place in the part */
    struct steady_port *port; /**< the same */
};

/** How something went from one look to the next. */
struct steady_direction {
    int8_t sign;        /**< up or down, at the last look */
    uint8_t same, seen; /**< looks in a row at which it went that way; looks */
};

/** By how much a QP is moved on. */
struct steady_step {
    double rate;               /**< packets per ps */
    double carry;              /**< of a packet, that its shifts so far fell short */
    uint64_t data, acks, cnps; /**< packets */
    struct steady_direction rates, windows, seen[WEFT_CC_OBSERVABLES_MAX];
    double top[WEFT_CC_OBSERVABLES_MAX]; /**< most that was seen of each, whatever its sign */
};

/** Traffic in steady state (replay_steady.c). */
struct replay_steady {
    double tolerance;  /**< 0: nothing is skipped but what is the same */
    int64_t next_ps;   /**< when to look next, WEFT_NEVER: not before something is posted */
    int64_t rtt_ps;    /**< longest base RTT of what takes part */
    int64_t window_ps; /**< from a mark to the next */
    int64_t need_ps;   /**< how long it would have to be; 0: it is long enough */
    int64_t again_ps;  /**< from a look that met a QP between two messages to the next */
    uint32_t marks;    /**< that there are; oldest first */
    struct steady_mark mark[3];
    uint32_t qps, ports;      /**< that there is room for in each */
    struct steady_step *step; /**< by place in the part */
    uint32_t steps;
    int64_t *load_ps; /**< per port of the fabric: time that it would be sending */
    double
        *slowest; /**< the same: least rate of what hosts send there, packets per ps; 0: nothing */
    struct replay_scope scope;
    struct snapshot snapshot;
    uint32_t changes;  /**< replay_packets.changes at the first mark */
    bool control;      /**< what would have been skipped is being simulated */
    bool ready;        /**< traffic had settled, and something of the user's was in the way */
    int64_t since_ps;  /**< when messages were last posted or received */
    int64_t posted_ps; /**< when one was posted last */
    bool suspended;    /**< between the marks nothing changed that does not come back */
    double off;        /**< by how much rates may be off at the end of messages */
    int64_t skipped_ps, control_ps; /**< so far */
    double errors;                  /**< sum of the errors of controls, weighted by QPs */
    uint64_t errors_n;              /**< QPs */
    double differed; /**< sum over what was skipped: by how much windows differed, times ps */
    /* what sharing between flows that meet may come to: see replay_steady_error.c */
    double scatter[2];    /**< sum over judgements of how much rates differ from window to window,
                             times the root of a window's ps: before anything was skipped, and since */
    uint64_t scatters[2]; /**< these */
    double apart[2]; /**< sum over messages received: root of the ps during which they went their
                        own way since first_ps, over their time */
    uint64_t ncompleted; /**< these */
    int64_t last_ps;     /**< when the last skip ended */
    int64_t first_ps[2]; /**< when something was skipped first that leaves a trace
                            (replay_steady_rounds.c), and where windows differed; 0: never */
};

#pragma GCC visibility push(hidden)

/* replay_steady.c */
void replay_steady_posted(struct weft_engine *e, uint32_t qp);
void replay_steady_disturb(struct weft_engine *e);
void replay_steady_look(struct weft_engine *e);
void replay_steady_free(struct replay_steady *s);

/* replay_steady_error.c */
/** A message was received. */
void replay_steady_completed(struct weft_engine *e, const struct weft_completion *d);
/** Fills in the estimate of the error. */
void replay_steady_figures(const struct weft_engine *e, struct weft_replay_figures *f);

/* replay_steady_rates.c */
/** A smaller deviation counts as repetition. */
#define REPLAY_STEADY 1e-5
/** All QPs with messages take part but those of components that are ahead; false: there are none,
 * one is between two, or no room. */
bool replay_steady_find(struct weft_engine *e, struct replay_steady *s);
/** Notes how far they are. */
void replay_mark(struct weft_engine *e, struct replay_steady *s);
/** Forgets the @p n oldest marks. */
void replay_marks_forget(struct replay_steady *s, uint32_t n);
/** Packets per ps between two marks; 0: too few to say. */
double replay_rate(const struct steady_qp *from, const struct steady_qp *to);
/** Whether nothing of a QP's congestion control is running. */
bool replay_control_idle(const struct weft_engine *e, uint32_t qp);
/** How long the QP at place @p i will go on with its message, at its rate. */
double replay_left_ps(const struct weft_engine *e, const struct replay_steady *s, uint32_t i);
/** What the two windows say together: rates, in s->step, and in s->off by how much they would be
 * off if they drifted on like that until messages end. False: too much. */
bool replay_steady_agree(const struct weft_engine *e, struct replay_steady *s);

/* replay_steady_rounds.c */
/** How much of @p ps to skip: whole rounds of all QPs, or else of the first one and whole packets
 * of the others, or as near as can be. *@p same: what follows goes on as it would have. */
int64_t replay_skip_ps(const struct weft_engine *e, const struct replay_steady *s, int64_t ps,
                       bool *same);

/* replay_steady_skip.c */
/** Room for what follows; false: out of memory. */
bool replay_skip_room(const struct weft_engine *e, struct replay_steady *s);
/** The same, and whether all there is can be shifted, which takes reading the state. */
bool replay_skip_ready(struct weft_engine *e, struct replay_steady *s);
/** Packets of a QP to an ACK of them. */
uint32_t replay_per_ack(const struct qp *q);
/** Moves all that takes part on by @p shift_ps, at the rates of s->step, by whole packets, with no
 * port sending for longer than that. False: nothing was done, as a queue fills at these rates. */
bool replay_skip(struct weft_engine *e, struct replay_steady *s, int64_t shift_ps);

#pragma GCC visibility pop

#endif
