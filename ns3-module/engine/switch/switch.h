/* SPDX-License-Identifier: GPL-2.0-only */
/* What a switch does with a packet between two links, and with its ports. */
#ifndef WEFT_ENGINE_SWITCH_H
#define WEFT_ENGINE_SWITCH_H

#include "core/observe_state.h"
#include "core/pkt.h"
#include "core/port.h"
#include "engine.h"

/* ---- forward.c: the functions behind port_ops (core/port_ops.h, which says what they do) ---- */

void forward_arrive(struct weft_engine *e, uint32_t port);
void forward_due(struct weft_engine *e, uint32_t port);
void forward_kick(struct weft_engine *e, uint32_t port);
void forward_enqueue(struct weft_engine *e, uint32_t port, uint32_t pkt);
void forward_catch_up(struct weft_engine *e, struct port *p, uint32_t port, int64_t due_ps);
uint32_t forward_take_upper(struct weft_engine *e, uint32_t port, uint32_t prio);
void forward_leave_by(struct weft_engine *e, uint32_t from, uint32_t to, uint32_t pkt);
void forward_release(struct weft_engine *e, uint32_t port, uint32_t pkt);

/* ---- egress.c: where a packet leaves a node that forwards ---- */

/** Looks up the egress port of packet @p k, number @p i, that entered a node through port @p in;
 * NIL: there is none and the packet is dropped. */
uint32_t egress_look_up(struct weft_engine *e, uint32_t in, struct pkt *k, uint32_t i);
/** Puts a packet of a lossless priority into the virtual channel of its next link. */
void egress_change_channel(const struct weft_engine *e, struct pkt *k, uint32_t in, uint32_t out);

/* ---- scheduler.c ---- */

/** The priority to serve among several, the bits of @p eligible. */
uint32_t scheduler_pick(const struct weft_engine *e, struct port *p, uint32_t eligible);

/* ---- drop.c ---- */

/** Counts a drop at a port, tells the hook, frees the packet. */
void pkt_drop(struct weft_engine *e, uint32_t i, uint32_t port, enum weft_drop_reason why);
/** Whether packet @p i is lost on the link of @p port, at whose end @p l it comes out; drops it
 * then. Else it has arrived. */
bool link_lost(struct weft_engine *e, struct link_end *l, uint32_t i, uint32_t port);

/* ---- histogram.c: how long egress queues held how much ---- */

/** A queue that may be wanted holds another number of bytes from now on. */
void histogram_note(struct weft_engine *e, uint32_t port, uint32_t prio, uint32_t bytes);
void histogram_fini(struct weft_engine *e);

/* ---- link_ports.c: the ports at the ends of a link that fails or returns ---- */

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
