/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Traffic that repeats itself is not simulated again.
 *
 * What follows from a state of the network depends on that state alone, and neither on the time nor
 * on how packets and messages are numbered. So once the state at T + P is that at T, only moved on
 * by a lap, what happened in the lap happens again, for as long as the user does the same again and
 * nothing happens that is not of these laps: a timer of a congestion control, a change of a link,
 * what ns-3 does. Two kinds of laps are looked for:
 *
 * - of packets (replay_packets.c): in the midst of long messages each QP sends some packets, nobody
 * is told of anything, and the state is the same again. Then the state of the n-th lap from here is
 * known, and taken over at once. The network falls into pieces that meet nowhere
 * (replay_pieces.c), and each does so by itself: its state is then that of a later time, until the
 * clock comes there or something touches it (replay_back.c).
 * - of messages (replay_messages.c): a step of a ring, or a layer. The user is told of messages,
 * and posts others. Then the state stands still while he is told the same again, each at its time,
 * as long as he posts the same (replay_play.c). When he doesn't, or wants to see the state, the
 * present lap is simulated up to that moment.
 *
 * The state is read field by field (replay_state.c), each by how it may move (replay_tape.h): a
 * field that moves otherwise, or a random number that was drawn, and it is no repetition. So the
 * result is the same to the last bit. The reasons against looking at all are a table
 * (replay_why.c).
 */
#ifndef WEFT_ENGINE_REPLAY_H
#define WEFT_ENGINE_REPLAY_H

#include "engine.h"

struct msg;
struct window_note;
struct replay;

#pragma GCC visibility push(hidden)

/** What the rest of the engine asks of replay. A table, which nobody calls: replay runs the engine,
 * and the engine comes back to it. All but those that say otherwise are for an engine that has a
 * replay. */
struct replay_ops {
    /** A message is about to be posted on a QP. */
    void (*touch)(struct weft_engine *e, uint32_t qp);
    /** Message @p m was posted. Whether the user is to hear of it: not again. */
    bool (*posted)(struct weft_engine *e, const struct msg *m);
    /** The same of one that the user has posted when he took in another (worker_posts.h). */
    void (*posted_before)(struct weft_engine *e, const struct msg *m);
    /** The user is told that a message was received, or (@p acked) acknowledged; or he has @p taken
     * it in himself. */
    void (*tell)(struct weft_engine *e, uint32_t qp, bool acked, bool taken,
                 const struct weft_completion *d);
    /** Whether what the user posts now goes to `post`. */
    bool (*plays)(const struct weft_engine *e);
    /** weft_engine_send at priority @p prio meanwhile. */
    int (*post)(struct weft_engine *e, const struct weft_msg *msg, uint32_t prio, uint64_t *id,
                struct weft_err *err);
    /** A timer of the user's begins, or is over. */
    void (*timer)(struct weft_engine *e, bool begins);
    /** The loop has come to its limit, and nothing is due before @p t_ps. Whether it is to go on:
     * that was a moment at which to look at the state, and not the end. */
    bool (*look)(struct weft_engine *e, int64_t t_ps);
    /** When the loop is to halt for that. */
    int64_t (*next_ps)(const struct weft_engine *e);
    /** The first that is told to the user of his messages while the network stands still,
     * WEFT_NEVER: nothing. */
    int64_t (*first_ps)(const struct weft_engine *e);
    /** weft_engine_lower_limit was called. */
    void (*lower)(struct weft_engine *e, int64_t limit_ps);
    /** Whether messages that are posted may wait for threads that post them (posts.h). */
    bool (*waits)(const struct weft_engine *e);
    /** Whether no host may be run beyond the clock (host_parts.h). */
    bool (*alone)(const struct weft_engine *e);
    /** A pause or resume takes effect, or is known to. */
    void (*pause)(struct weft_engine *e, const struct window_note *note);
    /** Those that take effect before @p until_ps are about to be told. The time before which all
     * are known. */
    int64_t (*pauses)(struct weft_engine *e, int64_t until_ps);
    /** A run of the loop is over. */
    void (*run_over)(struct weft_engine *e);
    /** The user has changed something, or may have; with or without a replay. */
    void (*disturb)(struct weft_engine *e);
    /** The user looks at the state; with or without a replay. */
    void (*catch_up)(struct weft_engine *e);
    void (*free)(struct replay *r); /**< NULL: there is none */
    /** weft_engine_events of one process; with or without a replay. */
    uint64_t (*events)(const struct weft_engine *e);
};
extern const struct replay_ops replay_ops;

/** Why traffic can't be replayed as things are, or (@p tolerant) settled traffic can't be skipped;
 * NULL: it can. */
const char *replay_why_not(const struct weft_engine *e, bool tolerant);

#pragma GCC visibility pop

#endif
