/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Calls of core, and the rooms below, into other rooms: registered when an engine is made
 * (engine.c).
 *
 * Events come to ports, and sending a packet frees buffer, which may resume the port at the other
 * end of another link or return credit to it; an ACK that comes in lets its NIC send. Therefore one
 * port's transmission can start that of another in the same call.
 */
#ifndef WEFT_ENGINE_PORT_OPS_H
#define WEFT_ENGINE_PORT_OPS_H

#include <stdint.h>

struct port;
struct weft_engine;

/** Room switch: what is asked of ports. Room transport: what ports ask of hosts. */
struct port_ops {
    /** The head of the link of @p port has arrived at the other end. */
    void (*arrive)(struct weft_engine *e, uint32_t port);
    /** An EV_TX entry of the port is due: starts a packet, unless the port waits for another
     * moment. */
    void (*due)(struct weft_engine *e, uint32_t port);
    /** Something became sendable at the port. */
    void (*kick)(struct weft_engine *e, uint32_t port);
    /** Queues a packet at the port of a host, or a frame or sum, and starts it when the port is
     * free. */
    void (*enqueue)(struct weft_engine *e, uint32_t port, uint32_t pkt);
    /** Makes the transmissions before @p due_ps that a lazy port (lazy.c) has deferred. */
    void (*catch_up)(struct weft_engine *e, struct port *p, uint32_t port, int64_t due_ps);
    /** Takes the packets of class 1 (steer.h) that wait at a port out of its queue; returns the
     * first of their list. */
    uint32_t (*take_upper)(struct weft_engine *e, uint32_t port, uint32_t prio);
    /** Queues such a packet at port @p to instead, its class as it now says; NIL: drops it. */
    void (*leave_by)(struct weft_engine *e, uint32_t from, uint32_t to, uint32_t pkt);
    /** Queues a packet that was kept back (path_balancer.h) when it had been taken into the buffer.
     */
    void (*release)(struct weft_engine *e, uint32_t port, uint32_t pkt);

    /** The port of a NIC is free: starts a packet, and arms itself for the next. */
    void (*host_send)(struct weft_engine *e, struct port *p, uint32_t port);
    /** Packet @p pkt has come to the host that it is for, through the port. Consumes it. */
    void (*host_receive)(struct weft_engine *e, uint32_t pkt, uint32_t port);
};

/** Treatment of a kind of timers. */
struct timer_ops {
    /** The timer is due. @p number: of its entry. */
    void (*run)(struct weft_engine *e, uint64_t number);
    /** Its deadline may move while its entry is queued: where the time of the valid entry is noted,
     * and in *@p at_ps the deadline. NULL: it does not. */
    int64_t *(*deadline)(const struct weft_engine *e, uint64_t number, int64_t *at_ps);
};

#endif
