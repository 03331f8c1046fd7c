/* SPDX-License-Identifier: GPL-2.0-only */
/* Reaches into an engine: falsifies its records, for tests of its checks; calls what is inside. */
#ifndef WEFT_TESTS_ENGINE_TAMPER_H
#define WEFT_TESTS_ENGINE_TAMPER_H

#include "ns3-module/engine/engine.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The message in record @p record was posted so much later than it was. */
void tamper_posted_later(struct weft_engine *e, uint32_t record, int64_t by_ps);
/** Draws the next entropy value of a QP. */
uint32_t tamper_next_value(struct weft_engine *e, uint32_t qp);
/** Tells a QP that a packet with an entropy value was marked, or trimmed. */
void tamper_value_marked(struct weft_engine *e, uint32_t qp, uint32_t value, bool trimmed);

/** ACKs and grants of all QPs to host @p host leave by the next port of it, and nothing of them has
 * moved there. */
void tamper_swap_ack_ports(struct weft_engine *e, uint32_t host);
/** The last packet of a queue, or on a link, is followed by the first; false: there is none. */
bool tamper_packets_in_a_circle(struct weft_engine *e, bool link);
/** The same of the QPs that wait for their turn at a port. */
bool tamper_turns_in_a_circle(struct weft_engine *e, uint32_t port);

#ifdef __cplusplus
}
#endif
#endif
