/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How the state of a congestion control moves while traffic repeats itself, so that it is taken
 * over instead of simulated (docs/explanation/replay.md).
 */
#ifndef WEFT_CC_REPLAY_H
#define WEFT_CC_REPLAY_H

#include "cc.h"

/** How a field of an algorithm's state moves while traffic repeats itself, lap after lap, with the
 * same decisions (the engine's replay.h). */
enum weft_cc_moves {
    WEFT_CC_MOVES_TIME, /**< with the clock; 0 and WEFT_NEVER, which say that there is none, stay */
    WEFT_CC_MOVES_BYTES, /**< as una_bytes and nxt_bytes of ACKs do; 0, none, stays */
    WEFT_CC_MOVES_COUNT, /**< as a counter of stamps does, of which only differences matter; the
                            n-th of such fields is that of the n-th switch */
    WEFT_CC_MOVES_SELDOM /**< it stays: the time of something that does not happen then */
};
/** Such fields, of 8 bytes each: @p n of them, @p stride bytes apart. */
struct weft_cc_moving {
    size_t offset;
    size_t size; /**< 8; 0: ends the table */
    enum weft_cc_moves moves;
    size_t n, stride;
};
/** One field of `struct state`. */
#define WEFT_CC_MOVING(field, moves)                                                               \
    {                                                                                              \
        offsetof(struct state, field), sizeof(((struct state *)0)->field), moves, 1, 8             \
    }
#define WEFT_CC_MOVING_END                                                                         \
    {                                                                                              \
        0, 0, WEFT_CC_MOVES_TIME, 0, 8                                                             \
    }

/** What replay asks of an algorithm. All may be left out. */
struct weft_cc_replay {
    /** Optional: the fields of the state that move while traffic repeats itself. All others decide
     * something by what they are: time enters through the fields named here and the arguments of
     * hooks alone. Without it, and with a state, the traffic of its QPs is never replayed. */
    const struct weft_cc_moving *moving;
    /** Optional: why rates of its flows say nothing of those to come, however steady they look
     * (docs/explanation/replay-tolerance.md). */
    const char *unsettled;
    /** Optional. The longest time from one of its decisions to the next that it takes by its own
     * timers, as its state is; 0: none, it only waits for news. Without it it goes by packets. */
    int64_t (*pace_ps)(const void *state, const void *params);
};

/** That of an algorithm, which may have none. */
static inline const struct weft_cc_replay *weft_cc_replay_of(const struct weft_cc_ops *ops)
{
    static const struct weft_cc_replay none = {.moving = NULL};
    return ops->replay ? ops->replay : &none;
}

#endif
