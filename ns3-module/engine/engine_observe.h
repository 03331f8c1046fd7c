/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Counters of an engine, and the present state of its queues and QPs.
 */
#ifndef WEFT_ENGINE_OBSERVE_H
#define WEFT_ENGINE_OBSERVE_H

#include "base/err.h"
#include "base/figures.h"
#include "base/queue_bins.h"
#include "congestion/cc.h"

#include <stdbool.h>

WEFT_C_BEGIN

struct weft_engine;

/**
 * Makes the transmissions that ports owe up to now, and runs the windows of switches that far.
 * Functions that do this by themselves take an engine that is not const: it changes no result, but
 * calls hooks (pfc_late). The other observers show the state as it is.
 */
void weft_engine_catch_up(struct weft_engine *e);
/** weft_totals.events, without bringing anything else up to now. While settled traffic is skipped
 * (weft_engine_set_tolerance) a number like it that is the same however many threads there are:
 * what is skipped hangs on when somebody looks. */
uint64_t weft_engine_events(struct weft_engine *e);
/** The event that the engine executes. Reads alone, what is there; from within an event, in the
 * thread that calls weft_engine_run. */
void weft_engine_event_now(const struct weft_engine *e, struct weft_event_now *out);
/** Counters of the whole run, until now. */
void weft_engine_totals(struct weft_engine *e, struct weft_totals *out);
/** Memory that the engine's state takes. */
void weft_engine_memory(const struct weft_engine *e, struct weft_memory_figures *out);
/** Counters of fabric port @p port, until now; of a transmission that goes on, only what is over of
 * it. */
void weft_engine_port_stats(struct weft_engine *e, uint32_t port, struct weft_port_counters *out);
/** Work of threads in windows so far. */
void weft_engine_thread_figures(const struct weft_engine *e, struct weft_thread_figures *out);
/** Bytes queued now at a switch egress port, per priority. */
uint64_t weft_engine_queue_bytes(struct weft_engine *e, uint32_t port, uint32_t prio);
/** A port now. */
void weft_engine_port_state(struct weft_engine *e, uint32_t port, struct weft_port_state *out);
/** The buffer of node @p node now; all 0 of a host that does not forward. */
void weft_engine_buffer_state(struct weft_engine *e, uint32_t node, struct weft_buffer_state *out);
/** QPs so far: their numbers are WEFT_FIRST_QPN and up. */
uint32_t weft_engine_qps(const struct weft_engine *e);
/** A QP now; false: the number stands for a flow of frames of another transport. Settle first. */
bool weft_engine_qp_state(struct weft_engine *e, uint32_t qpn, struct weft_qp_state *out);
/** From now on QPs remember the round-trip time of their last ACK. WEFT_E_LIMIT. */
int weft_engine_note_rtts(struct weft_engine *e, struct weft_err *err);
/** From now on, which is the start, times are counted by what egress queues of nodes that forward
 * hold: of the priorities of each port whose bits @p prios has. WEFT_E_LIMIT. */
int weft_engine_note_queues(struct weft_engine *e, const uint8_t *prios, struct weft_err *err);
/** These times of a queue until @p end_ps, by bin; false: nothing has waited there. */
bool weft_engine_queue_times(struct weft_engine *e, uint32_t port, uint32_t prio, int64_t end_ps,
                             int64_t time_ps[WEFT_QUEUE_BINS]);
/** The congestion control of a QP; @p qpn is that of a hook. */
const struct weft_cc_ops *weft_engine_qp_control(struct weft_engine *e, uint32_t qpn);
/** The observables of a QP's congestion control, one double each in the order of its table. */
void weft_engine_observe(struct weft_engine *e, uint32_t qpn, double *values);
/** Checks every conservation law now. WEFT_E_INTERNAL names the first that fails. */
int weft_engine_check(struct weft_engine *e, struct weft_err *err);
/** Payload that has come to hosts so far: that of the messages received, and of the one under way
 * on each QP what has been taken in order. A pass over the QPs. */
uint64_t weft_engine_arrived_bytes(struct weft_engine *e);

WEFT_C_END
#endif
