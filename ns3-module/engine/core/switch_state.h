/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The state of room switch as the context embeds it: buffers, pauses, credits of links, and
 * what packets carry for congestion controls. Room switch alone has the functions.
 */
#ifndef WEFT_ENGINE_SWITCH_STATE_H
#define WEFT_ENGINE_SWITCH_STATE_H

#include "engine.h"
#include "fields.h"
#include "port.h"
#include "stable.h"

#include "base/rng.h"
#include "congestion/cc.h"
#include "congestion/cc_switch.h"

/** Limit of queues together. */
struct pool {
    uint64_t size, used;
};

/** The buffer of a switch. */
struct mmu {
#define FIELD FIELD_DECLARE
#include "mmu.def"
} __attribute__((aligned(64)));

/** All buffers, and what holds for priorities in them: bit masks, and by number. */
struct mmus {
    struct mmu *of;          /**< one per node; unused, and zero, on hosts that do not forward */
    struct stable mem;       /**< what they lie in */
    struct port_kind *kinds; /**< of all ports */
    uint64_t *rates_bps;     /**< of these, by port_kind.rate_number, nrates */
    uint32_t nrates, rates_cap;
    uint32_t least_kmin; /**< smallest kmin of all ports and priorities */
    /** what headroom takes besides: two trains that had left, or were to leave, before a pause */
    uint64_t train_bytes;
    uint8_t lossless;
    uint8_t channelled; /**< change virtual channels: the lossless ones, and those under credit */
    uint8_t slow;       /**< not 0: every packet takes the long way through mmu.c */
    uint8_t egress_measured; /**< egress queues have a limit */
    uint8_t egress_pooled;   /**< and an egress pool of their own */
    uint8_t in_pool[WEFT_PRIOS];
    int32_t quantum[WEFT_PRIOS]; /**< deficit round robin: bytes per turn */
};

/** A deadline of PFC. */
struct pfc_deadline {
    int64_t at_ps;    /**< WEFT_NEVER: none */
    int64_t entry_ps; /**< time of the valid EV_PFC entry, WEFT_NEVER: none */
};

/** PFC timers of one port. */
struct pfc_port {
    struct pfc_deadline expiry[WEFT_PRIOS];  /**< egress: end of the pause */
    struct pfc_deadline refresh[WEFT_PRIOS]; /**< ingress: next repetition of XOFF */
};

/** When the current pause of each priority of a port's egress began. */
struct pfc_since {
    int64_t ps[WEFT_PRIOS];
};

/** PFC of all ports. */
struct pfc {
    struct pfc_port *ports;  /**< one per port; NULL with pfc.quanta = 0, which needs no timers */
    struct pfc_since *since; /**< one per port */
    uint64_t moves;          /**< packets made, delivered or dropped so far, PFC frames apart */
    uint64_t repeats;        /**< pauses repeated since one was */
    int64_t moved_ps;        /**< when moves was seen to have changed */
    int64_t watched_ps;      /**< when that was looked at, or a deadlock looked for */
};

struct credit;

/** Credit of all links. */
struct credits {
    struct credit *ports; /**< one per port; NULL: no dimension is under credit */
    uint8_t prios;        /**< priorities under credit where a dimension has it, a bit mask */
};

/** Whether a link is under credit. */
static inline bool credit_on(const struct weft_fabric *f, const struct weft_fabric_link *l)
{
    return f->dims[l->dim].set.flow_control == WEFT_FLOW_CREDIT;
}
/** Whether some dimension is. */
static inline bool credit_used(const struct weft_fabric *f)
{
    for (uint32_t d = 0; d < f->ndims; d++)
        if (f->dims[d].set.flow_control == WEFT_FLOW_CREDIT)
            return true;
    return false;
}

/** An INT stamp on its way: struct weft_cc_hop, exactly. */
struct int_stamp {
    int64_t ts_ps;
    uint64_t tx_bytes;
    uint32_t qlen_bytes; /**< switch.buffer is below 4 GiB */
    uint32_t rate;       /**< its number in mmus.rates_bps */
};

/** Stamps of a stack: those of a path over three tiers of switches. */
#define INT_STACK_HOPS 5u

/** INT stamps of one packet, two cache lines. How many there are is in pkt.sig. */
struct int_stack {
    union {
        uint32_t next; /**< first, as stable.h wants */
        struct int_stamp stamps[INT_STACK_HOPS];
    };
    uint32_t more; /**< the stack with further stamps, if there are any */
} __attribute__((aligned(64)));
_Static_assert(sizeof(struct int_stack) == 128, "two cache lines");

/** pkt.sig with INT: the lower bits are the place of the next stamp in the first stack, or behind
 * the last one, in units of 8 bytes; the upper bits are the number of stamps in further stacks. Of
 * NIL, too, the lowest bits say that there is no room. */
#define SIG_PLACE_BITS 28
#define SIG_STAMP (sizeof(struct int_stamp) / 8)
#define SIG_STACK (sizeof(struct int_stack) / 8)
#define SIG_FULL (INT_STACK_HOPS * (uint32_t)SIG_STAMP)
_Static_assert(SIG_FULL == SIG_STACK - 1, "the lowest bits of NIL");
static inline uint32_t sig_place(uint32_t sig)
{
    return sig & ((1u << SIG_PLACE_BITS) - 1);
}
static inline uint32_t sig_stack(uint32_t sig)
{
    return sig_place(sig) / SIG_STACK;
}
static inline uint32_t sig_hops(uint32_t sig)
{
    return sig % SIG_STACK / SIG_STAMP + (sig >> SIG_PLACE_BITS);
}

/** State of a port for PINT. */
struct pint {
    double u;        /**< utilisation */
    int64_t sent_ps; /**< when it began to send its last packet, */
    uint64_t size;   /**< and wire bytes of that */
    struct weft_rng rng;
};

/** Telemetry of all packets. */
struct telemetry {
    bool int_on, pint_on; /**< some QPs' packets are stamped */
    uint32_t full; /**< lowest bits of pkt.sig from which on a stamp is rare: SIG_FULL, or 0 where
                      not all QPs have INT */
    struct stable stacks; /**< struct int_stack */
    struct pint *pints;   /**< one per port; NULL without pint_on */
    /** one per port: bytes on the wire that an extension has counted without packets: no stamp
     * shows them, and they are not in the port's own counter; NULL: none */
    uint64_t *unseen_bytes;
};

#endif
