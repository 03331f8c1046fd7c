/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A state as a row of values, read in a fixed order: written down; compared with what was written
 * down; if it is the same, once more, which leaves by how much each value moves in a lap; and moved
 * on by as many laps. Before all that a sum of some of it says whether it may be the same.
 * Settled traffic (replay_settled.c) is shifted at once: each value by what the way that it moves
 * says.
 */
#ifndef WEFT_ENGINE_REPLAY_TAPE_H
#define WEFT_ENGINE_REPLAY_TAPE_H

#include "base/units.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/** How a value may move in a lap. */
enum move {
    MOVE_NOT,   /**< stays as it is */
    MOVE_TIME,  /**< with the clock; WEFT_NEVER and 0, which say that there is none, stay */
    MOVE_PAST,  /**< with the clock, unless it was over both times: that it is over is all that
                   matters */
    MOVE_STILL, /**< with the clock, or it stays: the time of a change, and none came */
    MOVE_PSN,   /**< by the packets that its QP moves by */
    MOVE_BYTES, /**< by the payload that its QP moves by */
    MOVE_GATE,  /**< the same; 0, which says that there is none, stays */
    MOVE_COUNT, /**< by anything: a counter that nothing depends on */
    MOVE_HELD,  /**< stays; twins (replay_twins.c) need not have the same */
    MOVE_SELDOM /**< stays; the time of something that settled traffic knows: shifted, with the
                   clock */
};

enum tape_use { TAPE_WRITE, TAPE_COMPARE, TAPE_STEP, TAPE_MOVE, TAPE_SHIFT, TAPE_SUM };

/** Numbers of QPs, ports and nodes by their order in the piece that they are of. */
struct tape_names {
    uint32_t *qp, *port, *node;
};

struct tape {
    enum tape_use use;
    int64_t *value;     /**< as written; after TAPE_STEP how far it moves in a lap */
    size_t most;        /**< values that there may be */
    size_t n, cap, at;  /**< values written; room; the next one */
    int64_t now_ps;     /**< of this reading */
    int64_t written_ps; /**< of the first */
    int64_t laps;       /**< TAPE_MOVE: how many */
    int64_t shift_ps;   /**< TAPE_SHIFT: by how much the clock moves */
    int64_t psn, bytes; /**< compared or shifted: by how much the QP that is being read moves;
                           TAPE_SUM: where it is */
    uint64_t sum;       /**< TAPE_SUM: of all values read, relative to now and to where QPs are */
    int64_t count;      /**< TAPE_SHIFT: by how much a counter moves; else 0 */
    /** not NULL: a piece is compared with another, number by place; all is the same but counters
     * and the numbers of packets */
    const struct tape_names *names;
    bool fixed;  /**< only what is there at any time, no packets: compared, any value but those held
                    may move by anything */
    bool told;   /**< the user may have been told of messages, and have posted some */
    bool same;   /**< nothing moved otherwise than it may */
    bool failed; /**< out of memory, or beyond `most` */
    const char *other; /**< if not: what did */
};

/** Starts a reading. */
static inline void tape_start(struct tape *t, enum tape_use use, int64_t now_ps)
{
    t->use = use;
    t->at = 0;
    t->now_ps = now_ps;
    t->same = true;
    t->other = NULL;
    t->sum = 0;
    if (use == TAPE_WRITE) {
        t->n = 0;
        t->written_ps = now_ps;
        t->failed = false;
    }
}

#pragma GCC visibility push(hidden)

/** Makes room for a value; false when out of memory. */
bool tape_grow(struct tape *t);
/** Makes room for @p n values, which are to be written down next, if there may be so many. */
void tape_room(struct tape *t, uint64_t n);
/** The next value, in a sum. */
void tape_add(struct tape *t, int64_t v, enum move move);
/** Frees the values. */
void tape_clear(struct tape *t);
/** A value called @p name moved otherwise than it may. */
void tape_differs(struct tape *t, const char *name);
/** Whether all of what was written was there again. */
bool tape_over(struct tape *t);
void tape_free(struct tape *t);

#pragma GCC visibility pop

/** A value of @p size bytes, at most 8. The machines that weft runs on are little-endian. */
static inline int64_t tape_load(const void *p, size_t size)
{
    uint64_t v = 0;
    memcpy(&v, p, size);
    return (int64_t)v;
}

/** Whether a value that was @p old and is @p v may have moved so. */
static inline bool tape_may(const struct tape *t, int64_t old, int64_t v, enum move move)
{
    const int64_t by = (int64_t)((uint64_t)v - (uint64_t)old), lap_ps = t->now_ps - t->written_ps;
    if (__builtin_expect(t->fixed, 0))
        return by == 0 || move != MOVE_HELD;
    switch (move) {
    case MOVE_NOT:
    case MOVE_SELDOM:
        return by == 0;
    case MOVE_HELD:
        return by == 0 || t->names;
    case MOVE_TIME:
        return by == lap_ps || (by == 0 && (v == WEFT_NEVER || v == 0));
    case MOVE_PAST:
        return by == lap_ps || (!t->names && old <= t->written_ps && v <= t->now_ps);
    case MOVE_STILL:
        return by == lap_ps || by == 0;
    case MOVE_PSN:
        return by == t->psn;
    case MOVE_BYTES:
        return by == t->bytes;
    case MOVE_GATE:
        return by == t->bytes || (by == 0 && v == 0);
    case MOVE_COUNT:
        return true;
    }
    return false;
}

/** By how much a value @p v is shifted that moves so. */
static inline int64_t tape_shift(const struct tape *t, int64_t v, enum move move)
{
    switch (move) {
    case MOVE_NOT:
    case MOVE_HELD:
        return 0;
    case MOVE_TIME:
    case MOVE_SELDOM:
        return v == WEFT_NEVER || v == 0 ? 0 : t->shift_ps;
    case MOVE_PAST:
    case MOVE_STILL:
        return t->shift_ps;
    case MOVE_PSN:
        return t->psn;
    case MOVE_BYTES:
        return t->bytes;
    case MOVE_GATE:
        return v ? t->bytes : 0;
    case MOVE_COUNT:
        return t->count;
    }
    return 0;
}

static inline void tape_compare(struct tape *t, int64_t v, enum move move, const char *name)
{
    if (!t->same)
        return;
    if (t->at >= t->n || !tape_may(t, t->value[t->at], v, move))
        tape_differs(t, name);
}

/** How far a value that was @p old and is @p v moves in a lap. */
static inline int64_t tape_step(const struct tape *t, int64_t old, int64_t v, enum move move)
{
    const int64_t by = (int64_t)((uint64_t)v - (uint64_t)old);
    /* what is over stays over: where it stands is no matter */
    const bool over = move == MOVE_PAST && v <= t->now_ps && !t->fixed;
    return over && by != t->now_ps - t->written_ps ? 0 : by;
}

/** The next value: @p size bytes at @p p, called @p name. Inlined, as size and move are constants.
 */
static inline __attribute__((always_inline)) void tape_see(struct tape *t, void *p, size_t size,
                                                           enum move move, const char *name)
{
    if (t->use == TAPE_SUM) { /* where nothing repeats there is hardly anything else */
        tape_add(t, tape_load(p, size), move);
    } else if (t->use == TAPE_COMPARE) {
        tape_compare(t, tape_load(p, size), move, name);
    } else if (t->use == TAPE_MOVE) {
        if ((move != MOVE_NOT || t->fixed) && t->value[t->at]) {
            const uint64_t v =
                (uint64_t)tape_load(p, size) + (uint64_t)t->value[t->at] * (uint64_t)t->laps;
            memcpy(p, &v, size);
        }
    } else if (t->use == TAPE_STEP) {
        t->value[t->at] = tape_step(t, t->value[t->at], tape_load(p, size), move);
    } else if (t->use == TAPE_SHIFT) {
        const int64_t old = tape_load(p, size), v = old + tape_shift(t, old, move);
        if (move != MOVE_NOT && move != MOVE_HELD)
            memcpy(p, &v, size);
    } else if (__builtin_expect(t->n < t->cap, 1) || tape_grow(t)) {
        t->value[t->n++] = tape_load(p, size);
    }
    t->at++;
}

/** The next value, which is none of the engine's own: a number that is the same each time. */
static inline void tape_same(struct tape *t, int64_t value, const char *name)
{
    tape_see(t, &value, sizeof value, MOVE_NOT, name);
}

/** What the number of a QP, or of a port, is read as. */
static inline uint32_t tape_qp(const struct tape *t, uint32_t qp)
{
    return t->names && qp != UINT32_MAX ? t->names->qp[qp] : qp;
}
static inline uint32_t tape_port(const struct tape *t, uint32_t port)
{
    return t->names && port != UINT32_MAX ? t->names->port[port] : port;
}

/** The next value is a field. */
#define TAPE_SEE(t, field, move)                                                                   \
    tape_see(t, &(field), sizeof(field), move, "state that moved otherwise: " #field)

#endif
