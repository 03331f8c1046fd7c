/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A state as a row of values, read in a fixed order: written down; compared with what was written
 * down; if it is the same, once more, which leaves by how much each value moves in a period; and
 * moved on by as many periods. Before all that a sum of some of it says whether it may be the same.
 */
#ifndef WEFT_ENGINE_REPLAY_SNAPSHOT_H
#define WEFT_ENGINE_REPLAY_SNAPSHOT_H

#include "core/fields.h"

#include "base/units.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum snapshot_use { SNAPSHOT_WRITE, SNAPSHOT_COMPARE, SNAPSHOT_STEP, SNAPSHOT_MOVE, SNAPSHOT_SUM };

/** Numbers of QPs, ports and nodes by their order in the component that they are of. */
struct snapshot_names {
    uint32_t *qp, *port, *node;
};

struct snapshot {
    enum snapshot_use use;
    int64_t *value;     /**< as written; after SNAPSHOT_STEP how far it moves in a period */
    size_t most;        /**< values that there may be */
    size_t n, cap, at;  /**< values written; room; the next one */
    int64_t now_ps;     /**< of this reading */
    int64_t written_ps; /**< of the first */
    int64_t periods;    /**< SNAPSHOT_MOVE: how many */
    int64_t psn, bytes; /**< compared: by how much the QP that is being read moves;
                           SNAPSHOT_SUM: where it is */
    uint64_t sum; /**< SNAPSHOT_SUM: of all values read, relative to now and to where QPs are */
    /** not NULL: a component is compared with another, number by place; all is the same but
     * counters and the numbers of packets */
    const struct snapshot_names *names;
    bool fixed; /**< only what is there at any time, no packets: compared, any value but those held
                   may move by anything */
    bool of_messages;  /**< the user may have been told of messages, and have posted some */
    bool same;         /**< nothing moved otherwise than it may */
    bool failed;       /**< out of memory, or beyond `most` */
    const char *other; /**< if not: what did */
};

/** Starts a reading. */
static inline void snapshot_start(struct snapshot *t, enum snapshot_use use, int64_t now_ps)
{
    t->use = use;
    t->at = 0;
    t->now_ps = now_ps;
    t->same = true;
    t->other = NULL;
    t->sum = 0;
    if (use == SNAPSHOT_WRITE) {
        t->n = 0;
        t->written_ps = now_ps;
        t->failed = false;
    }
}

/** Makes room for a value; false when out of memory. */
bool snapshot_grow(struct snapshot *t);
/** Makes room for @p n values, which are to be written down next, if there may be so many. */
void snapshot_room(struct snapshot *t, uint64_t n);
/** The next value, in a sum. */
void snapshot_add(struct snapshot *t, int64_t v, enum evolution move);
/** Frees the values. */
void snapshot_clear(struct snapshot *t);
/** A value called @p name moved otherwise than it may. */
void snapshot_differs(struct snapshot *t, const char *name);
/** Whether all of what was written was there again. */
bool snapshot_over(struct snapshot *t);
void snapshot_free(struct snapshot *t);

/** A value of @p size bytes, at most 8. The machines that weft runs on are little-endian. */
static inline int64_t snapshot_load(const void *p, size_t size)
{
    uint64_t v = 0;
    memcpy(&v, p, size < sizeof v ? size : sizeof v);
    return (int64_t)v;
}

/** The first @p size bytes of a value, at most 8, to where they are. */
static inline void snapshot_store(void *p, uint64_t v, size_t size)
{
    memcpy(p, &v, size < sizeof v ? size : sizeof v);
}

/** Whether a value that was @p old and is @p v may have moved so. */
static inline bool snapshot_may(const struct snapshot *t, int64_t old, int64_t v,
                                enum evolution move)
{
    const int64_t by = (int64_t)((uint64_t)v - (uint64_t)old),
                  period_ps = t->now_ps - t->written_ps;
    if (__builtin_expect(t->fixed, 0))
        return by == 0 || move != EVOLVES_RARE;
    switch (move) {
    case EVOLVES_SAME:
        return by == 0;
    case EVOLVES_RARE:
        return by == 0 || t->names;
    case EVOLVES_TIME:
        return by == period_ps || (by == 0 && (v == WEFT_NEVER || v == 0));
    case EVOLVES_PAST:
        return by == period_ps || (!t->names && old <= t->written_ps && v <= t->now_ps);
    case EVOLVES_CHANGE:
        return by == period_ps || by == 0;
    case EVOLVES_PSN:
        return by == t->psn;
    case EVOLVES_BYTES:
        return by == t->bytes;
    case EVOLVES_GATE:
        return by == t->bytes || (by == 0 && v == 0);
    default: /* EVOLVES_COUNT */
        return true;
    }
}

static inline void snapshot_compare(struct snapshot *t, int64_t v, enum evolution move,
                                    const char *name)
{
    if (!t->same)
        return;
    if (t->at >= t->n || !snapshot_may(t, t->value[t->at], v, move))
        snapshot_differs(t, name);
}

/** How far a value that was @p old and is @p v moves in a period. */
static inline int64_t snapshot_step(const struct snapshot *t, int64_t old, int64_t v,
                                    enum evolution move)
{
    const int64_t by = (int64_t)((uint64_t)v - (uint64_t)old);
    /* what is over stays over: where it stands is no matter */
    const bool over = move == EVOLVES_PAST && v <= t->now_ps && !t->fixed;
    return over && by != t->now_ps - t->written_ps ? 0 : by;
}

/** The next value: @p size bytes at @p p, called @p name. Inlined, as size and move are constants.
 */
static inline __attribute__((always_inline)) void
snapshot_field(struct snapshot *t, void *p, size_t size, enum evolution move, const char *name)
{
    if (t->use == SNAPSHOT_SUM) { /* where nothing repeats there is hardly anything else */
        snapshot_add(t, snapshot_load(p, size), move);
    } else if (t->use == SNAPSHOT_COMPARE) {
        snapshot_compare(t, snapshot_load(p, size), move, name);
    } else if (t->use == SNAPSHOT_MOVE) {
        if ((move != EVOLVES_SAME || t->fixed) && t->value[t->at]) {
            snapshot_store(p,
                           (uint64_t)snapshot_load(p, size) +
                               (uint64_t)t->value[t->at] * (uint64_t)t->periods,
                           size);
        }
    } else if (t->use == SNAPSHOT_STEP) {
        t->value[t->at] = snapshot_step(t, t->value[t->at], snapshot_load(p, size), move);
    } else if (__builtin_expect(t->n < t->cap, 1) || snapshot_grow(t)) {
        t->value[t->n++] = snapshot_load(p, size);
    }
    t->at++;
}

/** The next value, which is none of the engine's own: a number that is the same each time. */
static inline void snapshot_same(struct snapshot *t, int64_t value, const char *name)
{
    snapshot_field(t, &value, sizeof value, EVOLVES_SAME, name);
}

/** Form in which the number of a QP, or of a port, is read. */
static inline uint32_t snapshot_qp(const struct snapshot *t, uint32_t qp)
{
    return t->names && qp != UINT32_MAX ? t->names->qp[qp] : qp;
}
static inline uint32_t snapshot_port(const struct snapshot *t, uint32_t port)
{
    return t->names && port != UINT32_MAX ? t->names->port[port] : port;
}

/** The next value is a field. */
#define SNAPSHOT_FIELD(t, field, move)                                                             \
    snapshot_field(t, &(field), sizeof(field), move, "state that moved otherwise: " #field)

#endif
