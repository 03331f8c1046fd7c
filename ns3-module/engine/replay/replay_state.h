/* SPDX-License-Identifier: GPL-2.0-only */
/* What the future of the traffic depends on, and what it counts. */
#ifndef WEFT_ENGINE_REPLAY_STATE_H
#define WEFT_ENGINE_REPLAY_STATE_H

#include "engine.h"
#include "replay_snapshot.h"

struct pkt;
struct qp;

/** What takes part in the traffic: QPs with messages, both directions of the links that they go
 * over, and the nodes that forward there. It is all that there is, or a component of it
 * (replay_components.h): then the arrays by number are shared by all components. */
struct replay_scope {
    uint32_t *qps, *ports, *nodes;
    uint32_t nqps, nports, nnodes;
    uint32_t qps_room, ports_room, nodes_room;
    bool component;                /**< not all that there is */
    bool failed;                   /**< out of memory */
    uint16_t mark;                 /**< what it has has this in: */
    uint16_t *has_port, *has_node; /**< by number */
    uint16_t *has_qp;              /**< the same of QPs */
    uint32_t qps_cap;              /**< QPs that these have room for */
    int64_t *arrive_ps;  /**< per port of the fabric: when the first packet on its link arrives */
    int64_t (*moved)[2]; /**< per QP of the engine: packets and payload bytes of a period */
    uint64_t packets;    /**< that were met on links and in queues at the last reading */
};

/** Starts with nothing; false when out of memory. Not for a component. */
bool replay_scope_clear(const struct weft_engine *e, struct replay_scope *p);
/** A QP takes part, if it doesn't already. Out of memory: p->failed. */
void replay_scope_add(const struct weft_engine *e, struct replay_scope *p, uint32_t qp);
/** Whether it does. QPs opened after replay_scope_clear don't. */
static inline bool replay_scope_has(const struct replay_scope *p, uint32_t qp)
{
    return qp < p->qps_cap && p->has_qp[qp] == p->mark;
}
/** Whether a port does. */
static inline bool replay_scope_has_port(const struct replay_scope *p, uint32_t port)
{
    return p->has_port[port] == p->mark;
}
/** Whether it is known how a packet moves. */
bool replay_scope_knows(const struct pkt *k);
/** Calls fn(ctx, port) for every port that the packets of a QP are sent at, there and back, and for
 * the other ends of these links. */
void replay_scope_each_port(const struct weft_engine *e, uint32_t qp,
                            void (*fn)(void *ctx, uint32_t port), void *ctx);
/** The egress ports on the way of data, or of ACKs, into @p ports, which has room for MAX_PATH; how
 * many. */
uint32_t replay_scope_path(const struct weft_engine *e, const struct qp *q, bool forward,
                           uint32_t *ports);
/** The node whose buffer packets take that come to or leave @p port, NIL: a host's. */
uint32_t replay_scope_node(const struct weft_engine *e, uint32_t port);
void replay_scope_free(struct replay_scope *p);
/** Packets that the ports of what takes part have sent, those at hosts of that, how often they were
 * paused, and packets that count as those before them in their train. */
struct replay_sent {
    uint64_t all, hosts, pauses, in_trains;
};
struct replay_sent replay_sent_of(const struct weft_engine *e, const struct replay_scope *p);
/** Reads the state of all that takes part. arrive_ps is to be right. */
void replay_state_read(struct weft_engine *e, struct replay_scope *p, struct snapshot *t);
/** A sum of the state of QPs, t->sum: those of a component, or all with messages. It is the same in
 * each period, and most states that aren't the same have another. False: there is what is never the
 * same. */
bool replay_state_sum(struct weft_engine *e, struct replay_scope *p, struct snapshot *t);
/** The same as replay_state_read, which moves it on by @p periods, or back. */
void replay_state_move(struct weft_engine *e, struct replay_scope *p, struct snapshot *t,
                       int64_t periods);

#endif
