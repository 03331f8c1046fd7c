/* SPDX-License-Identifier: GPL-2.0-only */
/* Signals in packets for congestion controls: the stamps of INT, the code of PINT. */
#ifndef WEFT_ENGINE_TELEMETRY_H
#define WEFT_ENGINE_TELEMETRY_H

#include "core/walk.h"

/** Has what ports know for PINT; false: out of memory. */
bool telemetry_have_pints(struct weft_engine *e);
/** telemetry_stamp where a packet has no stack with room, or carries something else. */
void telemetry_stamp_rarely(struct weft_engine *e, struct pkt *k, const struct port *p,
                            uint32_t out);
/** Gives a packet without stamps those of @p hops; false: out of memory, which fails the engine. */
bool telemetry_copy(struct weft_engine *e, struct pkt *k, const struct weft_cc_hop *hops,
                    uint32_t n);

/** What port @p p stamps now. */
static inline struct int_stamp telemetry_stamp_of(const struct weft_engine *e, const struct port *p)
{
    return (struct int_stamp){e->now, p->st.tx_bytes, (uint32_t)p->qtotal, p->kind->rate_number};
}

/** A data packet leaves switch port @p p, number @p out: stamps it with what the congestion control
 * needs. */
static inline void telemetry_stamp(struct weft_engine *e, struct pkt *k, const struct port *p,
                                   uint32_t out)
{
    const uint32_t sig = k->sig;
    if (sig % SIG_STACK >= e->telemetry.full) {
        telemetry_stamp_rarely(e, k, p, out);
        return;
    }
    /* its lower bits alone, or there would be no room */
    uint64_t *const place = (uint64_t *)(void *)e->telemetry.stacks.base + sig;
    *(struct int_stamp *)(void *)place = telemetry_stamp_of(e, p);
    k->sig = sig + SIG_STAMP;
}

#endif
