/* SPDX-License-Identifier: GPL-2.0-only */
/* Why messages take longer than alone on the fabric. */
#ifndef WEFT_ENGINE_DELAY_H
#define WEFT_ENGINE_DELAY_H

#include "core/msg.h"
#include "core/port.h"
#include "engine.h"
#include "transport/qp.h"

/** How long pauses have held each priority of a port, and since when they do. */
struct hold {
    int64_t total_ps[WEFT_PRIOS], from_ps[WEFT_PRIOS];
};

/** How long a packet has waited in paused queues; of the packet of that number that was sent then.
 */
struct wait {
    int64_t sent_ps, paused_ps;
};

/** Clocks of pauses. */
struct delays {
    struct stable waits; /**< struct wait, by number of the packet; unused until a port is paused */
    uint64_t nholds;
};

#pragma GCC visibility push(hidden)

/** Reserves address space for the clocks of packets, which the first pause would do. */
int delay_reserve(struct weft_engine *e);
/** A priority of a port is paused from now on, or no longer; its bit in port.paused says so
 * already. */
void delay_pause(struct weft_engine *e, struct port *p, uint32_t prio);
void delay_resume(const struct weft_engine *e, struct port *p, uint32_t prio);
/** A data packet enters, or leaves, a queue of a port that has been paused. */
void delay_enter(const struct weft_engine *e, const struct port *p, struct pkt *k);
void delay_leave(struct weft_engine *e, const struct port *p, const struct pkt *k, uint32_t i);
/** How long pauses have held a priority of a port so far: its clock. */
int64_t delay_paused_ps(const struct weft_engine *e, const struct port *p, uint32_t prio);
/** What packet number @p i, sent at @p sent_ps, has waited in paused queues; NULL: nothing. */
struct wait *delay_wait_of(const struct weft_engine *e, uint32_t i, int64_t sent_ps);
/** How long packet number @p i, sent at @p sent_ps, has waited in paused queues. */
int64_t delay_waited_ps(const struct weft_engine *e, uint32_t i, int64_t sent_ps);
/** Brings the clocks of a QP up to now, by its state as it is; before that changes, or its cursor
 * moves. */
void delay_tell(const struct weft_engine *e, struct qp *q);
/** The same before its cursor moves to a packet that is taken for lost. */
void delay_tell_loss(const struct weft_engine *e, struct qp *q);
/** The QP is to send through another port or priority. */
void delay_aim(const struct weft_engine *e, struct qp *q);
/** A message is posted; its last packet is sent for the first time; it is complete. */
void delay_posted(const struct weft_engine *e, struct qp *q, struct msg *m);
void delay_sent(const struct weft_engine *e, const struct qp *q, struct msg *m);
void delay_received(struct weft_engine *e, struct qp *q, struct msg *m, const struct completer *c);
/** Fills in the delays of a message that is complete. */
void delay_fill(const struct msg *m, struct weft_completion *d);
void delay_fini(struct weft_engine *e);
/** Memory that the clocks of ports take. */
uint64_t delay_bytes(const struct weft_engine *e);

#pragma GCC visibility pop

#endif
