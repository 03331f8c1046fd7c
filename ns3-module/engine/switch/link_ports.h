/* SPDX-License-Identifier: GPL-2.0-only */
/* The ports at the ends of a link that fails or returns. */
#ifndef WEFT_ENGINE_LINK_PORTS_H
#define WEFT_ENGINE_LINK_PORTS_H

#include "engine.h"

/** The ports at the two ends of a link, that of node a first. */
void link_ports(const struct weft_engine *e, uint32_t link, uint32_t ends[2]);
/** The link of a port goes down; returns how many packets on it are lost. */
uint64_t link_port_close(struct weft_engine *e, uint32_t port);
/** PFC forgets what the port has asked its peer for, and the pause that it is under. */
void link_port_reset_pfc(struct weft_engine *e, uint32_t port);
/** Drops what waits at a port; returns how many packets. */
uint64_t link_port_drop_waiting(struct weft_engine *e, uint32_t port);
/** The link of a port comes up. */
void link_port_open(struct weft_engine *e, uint32_t port);

#endif
