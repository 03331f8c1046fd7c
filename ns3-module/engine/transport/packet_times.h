/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * When the packets of a QP were sent last, for a retransmission timer each (rud).
 *
 * A packet's timeout doubles with each of its own expiries, so packets that have expired equally
 * often come due in the order in which they were sent: a queue per number of expiries. What is
 * received, or sent again, meanwhile stays in its queue until it is at the head of it.
 */
#ifndef WEFT_ENGINE_PACKET_TIMES_H
#define WEFT_ENGINE_PACKET_TIMES_H

#include <stdbool.h>
#include <stdint.h>

/** The last time that a packet was sent. */
struct shot {
    uint64_t psn;
    int64_t sent_ps;
    uint32_t ev;       /**< its entropy value */
    uint16_t expiries; /**< of its timer, since it was sent first */
    bool known;        /**< it was sent */
    uint8_t times;     /**< that it was sent, up to 255 */
};

struct shot_queue {
    struct shot *of; /**< a ring */
    uint32_t head, n, cap;
};

struct packet_times {
    struct shot *last; /**< by psn modulo cap, a power of two */
    uint64_t cap;
    struct shot_queue *level; /**< by number of expiries, the last for all that have more */
    uint32_t nlevels;
};

/** A packet is sent at @p now, while no number below @p una matters any more; @p most: doublings of
 * a timeout. False: out of memory. */
bool packet_times_note(struct packet_times *t, uint64_t psn, uint64_t una, int64_t now, uint32_t ev,
                       uint32_t most);
/** The timer of @p psn has expired: it counts when it is sent the next time. */
void packet_times_expire(struct packet_times *t, uint64_t psn);
void packet_times_free(struct packet_times *t);
/** The packet that was sent at @p sent_ps, if its timer runs; else NULL. */
const struct shot *packet_times_find(const struct packet_times *t, int64_t sent_ps);

/** The head of a queue that is not empty. */
static inline const struct shot *shot_first(const struct shot_queue *q)
{
    return &q->of[q->head];
}
static inline void shot_drop(struct shot_queue *q)
{
    q->head = (q->head + 1) & (q->cap - 1);
    q->n--;
}
/** Whether a packet was sent again since. */
static inline bool shot_is_old(const struct packet_times *t, const struct shot *s)
{
    const struct shot *last = &t->last[s->psn & (t->cap - 1)];
    return last->psn != s->psn || last->sent_ps != s->sent_ps || last->expiries != s->expiries;
}

#endif
