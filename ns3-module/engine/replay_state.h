/* SPDX-License-Identifier: GPL-2.0-only */
/* What the future of the traffic depends on, and what it counts. */
#ifndef WEFT_ENGINE_REPLAY_STATE_H
#define WEFT_ENGINE_REPLAY_STATE_H

#include "engine.h"
#include "replay_tape.h"

/** What takes part in the traffic: the QPs with messages, both directions of the links that they go
 * over, and the nodes that forward there. */
struct replay_part {
    uint32_t *qps, *ports, *nodes;
    uint32_t nqps, nports, nnodes;
    uint32_t qps_cap;
    uint8_t *has_port, *has_node; /**< by number */
    uint8_t *has_qp;              /**< the same of QPs */
    int64_t *arrive_ps;  /**< per port of the fabric: when the first packet on its link arrives */
    int64_t (*moved)[2]; /**< per QP of the engine: packets and payload bytes of a lap */
    uint32_t moved_cap;
    uint64_t packets; /**< that were met on links and in queues at the last reading */
    uint64_t *ahead;  /**< per port of the fabric: wire bytes that a shift moves it on by; NULL: not
                         used yet */
};

#pragma GCC visibility push(hidden)

/** Starts with nothing; false when out of memory. */
bool replay_part_clear(const struct weft_engine *e, struct replay_part *p);
/** A QP takes part, if it doesn't already. */
void replay_part_add(const struct weft_engine *e, struct replay_part *p, uint32_t qp);
/** Whether it does. QPs opened after replay_part_clear don't. */
static inline bool replay_part_has(const struct replay_part *p, uint32_t qp)
{
    return qp < p->qps_cap && p->has_qp[qp];
}
void replay_part_free(struct replay_part *p);
/** Reads the state of all that takes part. arrive_ps is to be right. */
void replay_state_read(struct weft_engine *e, struct replay_part *p, struct tape *t);
/** The same, which shifts it by @p shift_ps, and QPs by p->moved. False: it has what nobody knows
 * how to shift; without a shift nothing has changed then. */
bool replay_state_shift(struct weft_engine *e, struct replay_part *p, struct tape *t,
                        int64_t shift_ps);
/** The same, which moves it on by @p laps. */
void replay_state_move(struct weft_engine *e, struct replay_part *p, struct tape *t, int64_t laps);

#pragma GCC visibility pop

#endif
