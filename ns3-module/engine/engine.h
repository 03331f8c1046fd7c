/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The packet engine: hosts with RoCE NICs and shared-buffer switches, packet by packet.
 *
 * Model. Store-and-forward. Each data packet, ACK, NACK, CNP and PFC frame is serialised on each
 * link. A port serves its control frames (PFC) first, then the strict priorities from high to low,
 * then the others by deficit round robin. A switch has one shared buffer with dynamic thresholds
 * per (ingress port, priority); PFC keeps the lossless priorities from dropping. NICs pace QPs by
 * rate and window as the congestion control says; RC transport with go-back-N, go-back-0, selective
 * repeat or out-of-order delivery, and a retransmission timer.
 *
 * Time is int64 picoseconds. Order of simultaneous events is canonical (time, kind, port or timer
 * number), never the history of insertions: arrivals, then port transmissions, then timers
 * (retransmission, congestion control, PFC, user). Therefore results do not depend on how events
 * are scheduled, batched or elided.
 *
 * An engine is a context: no globals; several can run in one process. Not thread-safe.
 * Includes no ns-3 header; ns3-module/model drives it from an ns-3 simulation.
 *
 * This header makes engines and gives them messages. This header includes those of the parts:
 * parameters and configuration, what is told (hooks), driving it, frames of other transports,
 * counters, and why messages do not get on.
 */
#ifndef WEFT_ENGINE_H
#define WEFT_ENGINE_H

#include "engine_config.h"
#include "engine_explain.h"
#include "engine_frames.h"
#include "engine_observe.h"
#include "engine_peers.h"
#include "engine_replay.h"
#include "engine_run.h"

#include "base/message.h"

WEFT_C_BEGIN

struct weft_engine;

/** Builds an engine; NULL on failure. */
struct weft_engine *weft_engine_new(const struct weft_engine_config *c, struct weft_err *err);
void weft_engine_free(struct weft_engine *e);
/** Replaces the hooks. */
void weft_engine_set_hooks(struct weft_engine *e, const struct weft_engine_hooks *hooks);

/** Posts a message at time now; opens the QP (src, dst, prio) on first use. *id (may be NULL)
 * is its number. */
int weft_engine_send(struct weft_engine *e, const struct weft_msg *msg, uint64_t *id,
                     struct weft_err *err);
/**
 * Opens a group of hosts for in-network operations at a priority; see in_network.c for what
 * switches do. Before the first weft_engine_contribute() of any group. WEFT_E_INPUT: the fabric
 * can't (no switch joins them, a link of the tree loses packets, more groups at a switch than it
 * has slots), or no such host.
 */
int weft_engine_group(struct weft_engine *e, const uint32_t *hosts, uint32_t n, uint32_t prio,
                      uint32_t *id, struct weft_err *err);
/**
 * Posts a host's part of an operation of its group, now: of the first with its tag that others have
 * begun and the host has not, else of a new one. All members post the same operations; each goes
 * through them in the order in which they were begun by whoever was the first. Hooks: received
 * where it is delivered, a message of kind WEFT_MSG_PART, then acked at each member once its part
 * is over.
 */
int weft_engine_contribute(struct weft_engine *e, const struct weft_part *part,
                           struct weft_err *err);

WEFT_C_END
#endif
