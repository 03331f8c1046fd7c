/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A signal that switches give to congestion controls, beside ECN, INT and PINT: one file, one line
 * in signals.def, and one need of controls (congestion/cc_needs.def). A run has at most one, as
 * packets carry it in one place, pkt.sig.
 */
#ifndef WEFT_ENGINE_SWITCH_SIGNAL_H
#define WEFT_ENGINE_SWITCH_SIGNAL_H

#include "engine.h"

struct pkt;
struct qp;
struct weft_cc_ack;

struct switch_signal {
    unsigned need; /**< of enum weft_cc_needs */
    /** Optional, with fini and memory: makes e->signal_state. WEFT_E_LIMIT: out of memory. */
    int (*init)(struct weft_engine *e, struct weft_err *err);
    void (*fini)(struct weft_engine *e);
    uint64_t (*memory)(const struct weft_engine *e); /**< bytes of it */
    /** Data packet @p i, which QP @p qi has just made, says what switches need. */
    void (*tag)(struct weft_engine *e, struct qp *q, uint32_t qi, uint32_t i);
    /** Packet @p i has joined the queue of port @p out of a node that forwards. Returns a packet
     * (WEFT_PKT_WARNING) to be queued at *@p back; NIL: none. */
    uint32_t (*joins)(struct weft_engine *e, uint32_t out, uint32_t i, uint32_t *back);
    /** Data packet @p k has come to its receiver; its sig becomes that of the ACK. Optional: it is
     * echoed as it came. */
    void (*taken)(struct weft_engine *e, const struct qp *q, uint32_t qi, struct pkt *k);
    /** An ACK or NACK with @p sig has come: fills in the part of the signal. */
    void (*acked)(uint32_t sig, struct weft_cc_ack *ack);
    /** Required if `joins` makes packets: one has come to the sender. Consumes it. */
    void (*warned)(struct weft_engine *e, uint32_t i);
};

#define SIGNAL(symbol) extern const struct switch_signal signal_##symbol;
#include "signals.def"
#undef SIGNAL

#endif
