/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What those that a port calls ask of ports in turn.
 *
 * Sending a packet frees buffer, which may resume the port at the other end of another link or
 * return credit to it; an ACK that comes in lets its NIC send. So one port's transmission can start
 * that of another in the same call. The ways in which this comes back to port.c are these, in a
 * table that nobody calls: everything else of the engine calls downwards only.
 */
#ifndef WEFT_ENGINE_PORT_OPS_H
#define WEFT_ENGINE_PORT_OPS_H

#include <stdint.h>

struct port;
struct weft_engine;

struct port_ops {
    void (*kick)(struct weft_engine *e, uint32_t port);                  /**< port_kick */
    void (*enqueue)(struct weft_engine *e, uint32_t port, uint32_t pkt); /**< port_enqueue */
    void (*catch_up)(struct weft_engine *e, struct port *p, uint32_t port,
                     int64_t due_ps); /**< port_catch_up */
};

#pragma GCC visibility push(hidden)

extern const struct port_ops port_ops;

#pragma GCC visibility pop

#endif
