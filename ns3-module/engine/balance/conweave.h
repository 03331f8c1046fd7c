/* SPDX-License-Identifier: GPL-2.0-only */
/* ConWeave: what both of its ends share; see conweave.c. */
#ifndef WEFT_ENGINE_CONWEAVE_H
#define WEFT_ENGINE_CONWEAVE_H

#include "path_balancer.h"

/** Request of a data packet to the last switch. */
enum conweave_ask {
    CONWEAVE_UNTAGGED, /**< it doesn't go from one leaf to another */
    CONWEAVE_NOTHING,
    CONWEAVE_REQUEST, /**< RTT_REQUEST: the first of an epoch wants an answer */
    CONWEAVE_TAIL     /**< the last on the old way */
};

/** Fields of a data packet, by number of the packet. */
struct conweave_tag {
    int64_t sent_ps; /**< when it left the first switch */
    int64_t tail_ps; /**< rerouted: when the tail did */
    uint32_t epoch;
    uint32_t path;    /**< 8 bits for each switch with a choice: which of the ports */
    uint8_t choices;  /**< switches with a choice that it has passed */
    uint8_t ask;      /**< enum conweave_ask */
    uint8_t rerouted; /**< it went the new way of its epoch */
};

/** A flow, a QP, at its two switches, by number of the QP. All 0 before its first packet. */
struct conweave_flow {
    /* at the first */
    int64_t active_ps;   /**< of its last packet */
    int64_t deadline_ps; /**< of the answer; WEFT_NEVER: none is due */
    int64_t tail_ps;     /**< when the tail of the epoch was sent, 0: not yet */
    int64_t rtt_ps;      /**< of an empty way between the switches; 0: the flow is new */
    int64_t back_ps;     /**< the way back of it */
    uint32_t epoch, path;
    bool rerouted; /**< in this epoch */
    bool over;     /**< a new epoch may begin */
    /* the answer on its way back */
    int64_t answer_ps; /**< when it arrives, WEFT_NEVER: there is none */
    uint32_t answer_epoch;
    bool clear; /**< CLEAR, else RTT_REPLY */
    /* at the last */
    int64_t old_sent_ps, old_came_ps; /**< of the last packet on the old way */
    int64_t tail_sent_ps;
    uint32_t seen_epoch;
    bool seen_tail, seen_old; /**< in this epoch: the tail, a packet on the old way */
    bool keeps;               /**< rerouted packets wait for the tail */
    int64_t resume_ps;        /**< when they are sent on at the latest */
    int64_t armed_ps;         /**< of the timer, WEFT_NEVER: none */
    struct list kept;
    uint32_t out; /**< port that they wait for */
};

/** A way that was found busy. */
struct conweave_busy {
    uint64_t key; /**< of the way */
    int64_t from_ps, until_ps;
    int64_t until_before_ps; /**< as it was known until from_ps */
};
#define CONWEAVE_BUSY_PATHS (1u << 16) /**< entries of the table of busy ways */

struct conweave {
    struct stable tags;  /**< struct conweave_tag */
    struct stable flows; /**< struct conweave_flow */
    struct conweave_busy *busy;
};

static inline struct conweave_tag *conweave_tag(const struct weft_engine *e, uint32_t pkt)
{
    const struct conweave *c = e->spread.path_state;
    return (struct conweave_tag *)(void *)c->tags.base + pkt;
}
static inline struct conweave_flow *conweave_flow(const struct weft_engine *e, uint32_t qp)
{
    const struct conweave *c = e->spread.path_state;
    return (struct conweave_flow *)(void *)c->flows.base + qp;
}

/** Whether the way @p path of a flow between its leaves is busy, as its first switch knows by now.
 */
bool conweave_is_busy(const struct weft_engine *e, const struct qp *q, uint32_t path);
/** The last switch has found it so: the first knows at @p at_ps. */
void conweave_note_busy(struct weft_engine *e, const struct qp *q, uint32_t path, int64_t at_ps);
/* conweave_last.c: see path_balancer.h */
bool conweave_keeps(struct weft_engine *e, uint32_t out, uint32_t pkt);
void conweave_keep(struct weft_engine *e, uint32_t out, uint32_t pkt);

#endif
