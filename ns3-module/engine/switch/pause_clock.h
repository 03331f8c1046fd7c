/* SPDX-License-Identifier: GPL-2.0-only */
/* How long pauses hold ports, and packets in their queues. */
#ifndef WEFT_ENGINE_PAUSE_CLOCK_H
#define WEFT_ENGINE_PAUSE_CLOCK_H

#include "core/observe_state.h"
#include "core/pkt.h"
#include "core/port.h"
#include "engine.h"

/** Reserves address space for the clocks of packets, which the first pause would do. */
int pause_clock_reserve(struct weft_engine *e);
/** A priority of a port is paused from now on, or no longer; its bit in port.paused says so
 * already. */
void pause_clock_start(struct weft_engine *e, struct port *p, uint32_t prio);
void pause_clock_stop(const struct weft_engine *e, struct port *p, uint32_t prio);
/** A data packet enters, or leaves, a queue of a port that has been paused. */
void pause_clock_enter(const struct weft_engine *e, const struct port *p, struct pkt *k);
void pause_clock_leave(struct weft_engine *e, const struct port *p, const struct pkt *k,
                       uint32_t i);
/** How long pauses have held a priority of a port so far: its clock. */
int64_t pause_clock_ps(const struct weft_engine *e, const struct port *p, uint32_t prio);
/** Time that packet number @p i, sent at @p sent_ps, has waited in paused queues; NULL: nothing. */
struct wait *pause_clock_wait_of(const struct weft_engine *e, uint32_t i, int64_t sent_ps);
/** How long packet number @p i, sent at @p sent_ps, has waited in paused queues. */
int64_t pause_clock_waited_ps(const struct weft_engine *e, uint32_t i, int64_t sent_ps);
void pause_clock_fini(struct weft_engine *e);
/** Memory that the clocks of ports take. */
uint64_t pause_clock_bytes(const struct weft_engine *e);

#endif
