/* SPDX-License-Identifier: GPL-2.0-only */
/* PFC: pauses on the wire and their deadlines. */
#ifndef WEFT_ENGINE_PFC_H
#define WEFT_ENGINE_PFC_H

#include "core/switch_state.h"
#include "engine.h"

/** Meaning of an EV_PFC entry, its lowest bit. */
enum pfc_timer { PFC_EXPIRY = 0, PFC_REFRESH = 1 };

int pfc_init(struct weft_engine *e, struct weft_err *err);
void pfc_fini(struct weft_engine *e);
/** Memory that the timers take. */
uint64_t pfc_bytes(const struct weft_engine *e);
/** Ingress @p port wants its peer paused or resumed: queues the frame ahead of everything. @p kick:
 * the port may be idle; false: it is about to send, and then looks for such frames itself. */
void pfc_send(struct weft_engine *e, uint32_t port, uint32_t prio, bool xoff, bool kick);
/** A PFC frame takes effect at the port that sends towards its origin. Consumes it. */
void pfc_receive(struct weft_engine *e, uint32_t port, uint32_t pkt);
/** The link of @p port failed: its pause and the one it asked for are forgotten. */
void pfc_reset(struct weft_engine *e, uint32_t port, uint32_t prio);
/** The deadline that an EV_PFC entry stands for. */
struct pfc_deadline *pfc_deadline(const struct weft_engine *e, uint64_t number);
/** timer_ops of EV_PFC. */
int64_t *pfc_event_deadline(const struct weft_engine *e, uint64_t number, int64_t *at_ps);
void pfc_event(struct weft_engine *e, uint64_t number);
/** How long a pause holds a port: quanta of 512 bit times of its link, rounded to the nearest ps.
 */
int64_t pfc_pause_ps(const struct weft_engine *e, uint32_t port);
/** The pause that ingress @p port asks its peer for is to be repeated in time. */
void pfc_set_refresh(struct weft_engine *e, uint32_t port, uint32_t prio);
/** Queues a PFC frame at a port, uncounted; @p kick: as pfc_send. */
void pfc_send_frame(struct weft_engine *e, uint32_t port, uint32_t prio, bool xoff, bool kick);
/** The least time after which a timer may be due that is set now; WEFT_NEVER: there are none. */
int64_t pfc_soonest_ps(const struct weft_engine *e);
/** Pauses or resumes a priority of a port; @p expired: as the time of its pause is over. Resuming
 * starts the port when it is free. */
void pfc_take_effect(struct weft_engine *e, uint32_t port, uint32_t prio, bool xoff, bool expired);

/* pfc_timer.c */
/** Packets made, delivered and dropped so far, but for PFC frames. */
uint64_t pfc_moves(const struct weft_engine *e);
/** Ingress @p port repeats a pause now, after @p moves; false: it does not, as the run ends. */
bool pfc_watch(struct weft_engine *e, uint32_t port, uint64_t moves);

#endif
