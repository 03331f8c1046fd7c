/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The engine's context, a struct of its parts, and how records are found by index.
 *
 * Everything is arrays of records. A packet is in exactly one list at a time: a port's queue, or
 * the ring of packets in flight on a link; only the head of a link's ring is in the event queue.
 * Each part is declared by the header of its owner, which also declares what its files do for
 * others: no file includes more than it uses. All of it is internal to the engine: symbols of these
 * headers are hidden.
 */
#ifndef WEFT_ENGINE_CONTEXT_H
#define WEFT_ENGINE_CONTEXT_H

#include "balance_state.h"
#include "gap.h"
#include "loop.h"
#include "msg.h"
#include "observe_state.h"
#include "path.h"
#include "part.h"
#include "pkt.h"
#include "port.h"
#include "port_ops.h"
#include "qp_state.h"
#include "switch_signal.h"
#include "switch_state.h"
#include "transport_state.h"
#include "windows.h"

#include "base/ns3_rng.h"
#include <stdbool.h>

/** Random numbers that all switches share. */
struct draws {
    bool ns3; /**< ecn.draws=ns3 */
    struct weft_ns3_rng ns3_rng;
    struct weft_libc_rand libc_rand; /**< PINT by tables */
};

/** An engine: what it was given, and the state of its parts. */
struct weft_engine {
    struct weft_engine_params p;
    const struct weft_fabric *fabric;
    uint64_t seed;
    struct weft_engine_hooks hooks;
    struct port_ops port_ops;
    struct timer_ops timer_ops[EV_KINDS];

    int64_t now; /**< ps */
    struct loop loop;
    struct timers timers;
    struct windows windows;
    struct engine_part part;
    const struct executor *executor; /**< of this build; NULL: its own thread is all there is */
    struct window_threads *threads;  /**< threads; NULL: only the engine's own */
    struct host_parts
        *parts; /**< what is to happen at hosts, by thread; NULL: loop.agenda has it */
    struct thread_choice *choice; /**< of the number of threads; NULL: it is given */
    struct peers *peers; /**< processes that the fabric is shared out to; NULL: this one has all */
    struct peers *expected;      /**< those to be, until then */
    struct extension *extension; /**< NULL: everything is simulated */
    struct worker *worker;       /**< the thread whose context this is; NULL: the engine itself */

    struct port *ports;
    struct link_end *ends;            /**< of the links of ports, by these */
    struct stable port_mem, ends_mem; /**< what the two lie in */
    struct nics nics;
    struct packets pkts;
    struct telemetry telemetry;
    struct stable msgs; /**< struct msg */
    struct msg_logs logs;
    struct qps qps;
    struct rc rc;
    struct control *controls; /**< one per transport and dimension, ncontrols */
    uint32_t ncontrols;
    struct grants grants;
    const struct switch_signal *signal; /**< of switches; NULL: no control needs one */
    void *signal_state;                 /**< its own */

    struct path path;
    struct routing routing;
    struct link_state links;
    struct spread spread;
    struct mmus mmu;
    struct pfc pfc;
    struct credits credit;
    struct draws draws;
    struct weft_rng *drop_rngs;    /**< one per port; NULL: switch.overflow=arriving */
    struct in_network *in_network; /**< NULL: no group was opened */

    struct ideal ideal; /**< rates and routes of the past */
    struct delays delays;
    struct histograms histograms;
    struct stall stall;
    struct victims victims;
    struct node_payload *own; /**< one per node */
    struct weft_totals tot;
    struct weft_err err;
};

static inline struct pkt *pkt_at(const struct weft_engine *e, uint32_t i)
{
    return (struct pkt *)(void *)e->pkts.pool.base + i;
}
/** A fresh packet record, NIL (and the engine failed) when there is no room. */
static inline uint32_t pkt_new(struct weft_engine *e, enum weft_pkt_kind kind)
{
    uint32_t i = stable_free(&e->pkts.pool);
    if (__builtin_expect(i == NIL, 0)) {
        i = pkt_more(e);
        if (i == NIL)
            return NIL;
    }
    struct pkt *p = pkt_at(e, i);
    p->kind = (uint8_t)kind;
    p->flags = 0;
    p->in_port = NIL;
    p->hop = 0;
    p->sig = e->telemetry.pint_on ? 0 : NIL;
    e->tot.sent[kind]++;
    return i;
}
static inline struct msg *msg_at(const struct weft_engine *e, uint32_t i)
{
    return (struct msg *)(void *)e->msgs.base + i;
}
static inline struct msg_log *msg_log_at(const struct weft_engine *e, uint32_t i)
{
    return (struct msg_log *)(void *)e->logs.pool.base + i;
}
/** What became of a message so far, to be read. */
static inline const struct msg_log *msg_log(const struct weft_engine *e, const struct msg *m)
{
    return m->log == NIL ? &msg_log_none : msg_log_at(e, m->log);
}
/** By the size in the pool: one multiplication, where a constant would be taken apart into several
 * shifts. */
static inline struct qp *qp_at(const struct weft_engine *e, uint32_t i)
{
    return (struct qp *)(void *)(e->qps.pool.base + i * e->qps.pool.elem);
}
/** The same as &e->ports[i], where each packet comes by. */
static inline struct port *port_at(const struct weft_engine *e, uint32_t i)
{
    return (struct port *)(void *)(e->port_mem.base + i * e->port_mem.elem);
}
/** The sender of QP @p i, in a process that has all hosts; else of another, or none. */
static inline struct sender *sender_at(const struct weft_engine *e, uint32_t i)
{
    return (struct sender *)(void *)e->qps.senders.base + i;
}
/** The state of the congestion control of a QP, to be looked at. */
static inline const void *cc_state_of(const struct qp *q)
{
    return q->cc_state ? q->cc_state : q->kind->fresh;
}

/** Bytes of it. */
static inline size_t qp_state_bytes(const struct qp *q)
{
    return q->whole ? q->kind->cc->state_size : q->kind->state_bytes;
}

static inline uint64_t port_rate_bps(const struct weft_engine *e, uint32_t port)
{
    return e->ports[port].kind->rate_bps;
}

/* Facts of the graph, of ports without a record, too (part.records): */

/** The link of a port, as it was built. */
static inline const struct weft_fabric_link *link_of(const struct weft_engine *e, uint32_t port)
{
    return &e->fabric->links[e->fabric->ports[port].link];
}
/** The node that a port sends to. */
static inline uint32_t far_node(const struct weft_engine *e, uint32_t port)
{
    return e->fabric->ports[e->fabric->ports[port].peer].node;
}
/** Whether a node is simulated by this engine, and not by another process. */
static inline bool part_own(const struct weft_engine *e, uint32_t node)
{
    return !e->part.owner || e->part.owner[node] == e->part.me;
}
/** Whether the link of a port of this engine leads to one of its nodes. */
static inline bool part_far_own(const struct weft_engine *e, uint32_t port)
{
    return !e->part.owner || part_own(e, far_node(e, port));
}
/** Which ends of a QP are hosts of this engine. */
static inline unsigned part_ends(const struct weft_engine *e, uint32_t src_host, uint32_t dst_host)
{
    if (__builtin_expect(!e->part.owner, 1))
        return PART_SENDS | PART_RECEIVES;
    return (part_own(e, e->fabric->hosts[src_host]) ? PART_SENDS : 0) |
           (part_own(e, e->fabric->hosts[dst_host]) ? PART_RECEIVES : 0);
}
/** Whether the ports of a node have records. Others are not even read: there are systems on which
 * memory that has been read is taken. */
static inline bool node_known(const struct weft_engine *e, uint32_t node)
{
    return !e->part.records || e->part.records[node] == e->part.me;
}
/** Whether a port has one. */
static inline bool port_known(const struct weft_engine *e, uint32_t port)
{
    return !e->part.records || node_known(e, e->fabric->ports[port].node);
}
/** Whether the end of its link has one. */
static inline bool end_known(const struct weft_engine *e, uint32_t port)
{
    return port_known(e, port) || node_known(e, far_node(e, port));
}
/** Says what the ends of the link of a port are, to both of them. */
static inline void set_ends(struct weft_engine *e, uint32_t port, uint32_t ends)
{
    if (end_known(e, port))
        e->ends[port].ends = (uint8_t)ends;
    if (port_known(e, port))
        e->ports[port].own_ends = (uint8_t)ends;
}
/** ps per wire byte (GAP_SHIFT) of a port. */
static inline uint64_t port_ser_q(const struct weft_engine *e, uint32_t port)
{
    return port_known(e, port) ? e->ports[port].ser_q : gap_of_rate(link_of(e, port)->rate_bps);
}

#endif
