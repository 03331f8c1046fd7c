/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Packet trimming: a switch without room for a data packet cuts it to its headers and sends those
 * on in a class of their own, so that its receiver learns at once what is missing (NDP, SIGCOMM
 * 2017; UE specification 1.0.3, 4.1).
 *
 * It happens where the packet would be dropped for want of buffer, to the packet that arrives. What
 * is left is admitted anew, in priority switch.trim-prio; without room there it is dropped, which
 * counts as a drop besides. It is never marked and never trimmed again. How long queues may grow is
 * a matter of the buffer (switch.egress-limit and others).
 */
#ifndef WEFT_ENGINE_TRIM_H
#define WEFT_ENGINE_TRIM_H

#include "core/pkt.h"
#include "engine.h"

/** Whether section switch has priorities for it that go together. */
int trim_check_config(const struct weft_engine_config *c, struct weft_err *err);
/** Whether senders of a priority are told of each packet that was trimmed. */
bool trim_reported(const struct weft_engine *e, uint32_t prio);
/** Packet @p k from ingress @p in finds no room at egress @p out because of @p why. Trims it if it
 * is one that may be, and admits what is left (WEFT_DROP_REASONS), or says why not. */
enum weft_drop_reason trim_admit(struct weft_engine *e, struct pkt *k, uint32_t in, uint32_t out,
                                 enum weft_drop_reason why);

#endif
