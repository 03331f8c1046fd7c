/* SPDX-License-Identifier: GPL-2.0-only */
/* What packets carry for congestion controls: the stamps of INT, the code of PINT. */
#ifndef WEFT_ENGINE_TELEMETRY_H
#define WEFT_ENGINE_TELEMETRY_H

#include "base/rng.h"
#include "congestion/cc.h"
#include "core/stable.h"
#include "engine.h"

/** The INT stamps of one packet; two share a cache line. How many there are is in pkt.sig. */
struct int_stack {
    union {
        uint32_t next; /**< first, as stable.h wants */
        struct weft_cc_hop hops[WEFT_CC_MAX_HOPS];
    };
} __attribute__((aligned(64)));
_Static_assert(sizeof(struct weft_cc_hop) == 32, "no stamp crosses a cache line");

/** pkt.sig with INT: the stack in the lower bits, its stamps above. */
#define SIG_STACK_BITS 24
static inline uint32_t sig_stack(uint32_t sig)
{
    return sig & ((1u << SIG_STACK_BITS) - 1);
}
static inline uint32_t sig_hops(uint32_t sig)
{
    return sig >> SIG_STACK_BITS;
}

/** What a port knows for PINT. */
struct pint {
    double u;        /**< utilisation */
    int64_t sent_ps; /**< when it began to send its last packet, */
    uint64_t size;   /**< and wire bytes of that */
    struct weft_rng rng;
};

/** Telemetry of all packets. */
struct telemetry {
    bool int_on, pint_on; /**< some QPs' packets are stamped */
    bool all_int;         /**< those of all QPs, with INT */
    struct stable stacks; /**< struct int_stack */
    struct pint *pints;   /**< one per port; NULL without pint_on */
};

#pragma GCC visibility push(hidden)

/** Has what ports know for PINT; false: out of memory. */
bool telemetry_have_pints(struct weft_engine *e);
/** A data packet leaves switch port @p out: stamps it with what the congestion control needs. */
void telemetry_stamp(struct weft_engine *e, uint32_t pkt, uint32_t out);

#pragma GCC visibility pop

#endif
