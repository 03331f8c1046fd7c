/* SPDX-License-Identifier: GPL-2.0-only */
/* Credit-based flow control. `port` is always the sending end, unless called `in` or `far`. */
#ifndef WEFT_ENGINE_CREDIT_H
#define WEFT_ENGINE_CREDIT_H

#include "core/switch_state.h"
#include "core/pkt.h"
#include "core/port.h"
#include "engine.h"

int credit_check(const struct weft_engine_config *c, struct weft_err *err);
/** After mmu_init and pfc_init. */
int credit_init(struct weft_engine *e, struct weft_err *err);
void credit_fini(struct weft_engine *e);
/** Memory that credits take. */
uint64_t credit_bytes(const struct weft_engine *e);
/** Whether ingress (port, priority) @p in has a buffer of its own under credit. */
bool credit_guards(const struct weft_engine *e, uint32_t in, uint32_t prio);
/** A frame starts: takes its credit, and pauses the priority when there is none for another one. */
void credit_take(struct weft_engine *e, struct port *p, uint32_t port, const struct pkt *k);
/** A frame has come to the far end of @p port and needs no room there: it was for the host, or
 * lost. */
void credit_refund(struct weft_engine *e, uint32_t port, const struct pkt *k);
/** A packet enters a switch: false when it is none under credit. */
bool credit_admit(struct weft_engine *e, const struct pkt *k, uint32_t in);
/** A packet leaves a switch through @p out: false when it came in without credit. */
bool credit_left(struct weft_engine *e, const struct pkt *k, uint32_t out);
/** A credit frame starts at port @p far: it carries all that has freed up. */
void credit_frame_starts(struct weft_engine *e, uint32_t far, struct pkt *k);
/** A credit frame has come to the sending end. Consumes it. */
void credit_frame_receive(struct weft_engine *e, uint32_t port, uint32_t pkt);
/** A credit frame sent or queued at port @p far is dropped. */
void credit_frame_lost(struct weft_engine *e, uint32_t far, const struct pkt *k);
/** Whether a priority of a port waits for credit. */
bool credit_blocks(const struct weft_engine *e, uint32_t port, uint32_t prio);
/** Whether it would have enough if @p stuck_bytes stayed in the buffer. */
bool credit_returns(const struct weft_engine *e, uint32_t port, uint32_t prio,
                    uint64_t stuck_bytes);
/** Bytes of the longest frame that every link under credit takes. */
uint32_t credit_longest(const struct weft_engine *e);
/** Credit that a packet takes. */
uint32_t credit_cost(const struct weft_engine *e, const struct pkt *k);
/** Conservation of credit. */
int credit_audit(const struct weft_engine *e, struct weft_err *err);

#endif
