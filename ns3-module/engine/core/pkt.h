/* SPDX-License-Identifier: GPL-2.0-only */
/* Packets: their records, and lists of them by index. */
#ifndef WEFT_ENGINE_PKT_H
#define WEFT_ENGINE_PKT_H

#include "congestion/cc_switch.h"
#include "engine.h"
#include "fields.h"
#include "stable.h"

/** Packets alive beyond which their records are no longer in the caches: below, fetching ahead
 * costs more than it saves. With INT a third of that, as stamps make packets larger. */
#define CACHED_PACKETS 16384u

#define MAX_PKTS (UINT32_C(1) << 27) /**< alive at once */

enum pkt_flags {
    PKT_LAST = 1,      /**< DATA: last packet of its message */
    PKT_MAP = 1,       /**< ACK: has a bitmap, see sparse_ack.h */
    PKT_NEAR = 1,      /**< NACK: the packet that it names was trimmed at the last hop */
    PKT_ECT = 1,       /**< FRAME: ECN-capable */
    PKT_CE = 2,        /**< DATA, FRAME: congestion experienced */
    PKT_ECHO = 4,      /**< ACK, NACK: a packet it covers was marked */
    PKT_ASK = 4,       /**< DATA: wants an ACK at once, the AckReq bit of the BTH */
    PKT_CNP = 8,       /**< ACK, NACK: carries a CNP */
    PKT_TRIM = 8,      /**< DATA: trimmed, see trim.h */
    PKT_XOFF = 16,     /**< PFC: pause (else resume) */
    PKT_SACK = 16,     /**< ACK, NACK: sack is the packet that caused it */
    PKT_NEAR_CUT = 16, /**< DATA: trimmed at the last hop */
    PKT_DOWN = 16,     /**< SUM: from the root to the hosts (else towards it) */
    PKT_CUT = 32,      /**< on a link that failed: lost when it would have arrived */
    PKT_CHANNEL = 64,  /**< its virtual channels, chan and in_chan, are not both 0 */
    PKT_UPPER = 128    /**< DATA: in class 1 of the virtual channels (steer.h) */
};

/** A packet: 64 bytes, one cache line. */
struct pkt {
#define FIELD FIELD_DECLARE
#define FIELD_UNION FIELD_DECLARE_UNION
#include "pkt.def"
};
_Static_assert(sizeof(struct pkt) == 64, "one cache line per packet");

/** Whether a packet is of the link alone: a PFC or credit frame. */
static inline bool link_frame(const struct pkt *k)
{
    return (uint32_t)k->kind - WEFT_PKT_PFC <= WEFT_PKT_CREDIT - WEFT_PKT_PFC;
}

/** In a forwarding node: the priority that a packet came in with. */
static inline uint32_t came_in(const struct pkt *k)
{
    if (__builtin_expect(k->flags < PKT_CHANNEL, 1))
        return k->prio;
    return k->prio - k->chan + k->in_chan;
}

/** A list of packets, or of QPs, by index; empty when head is NIL. */
struct list {
    uint32_t head, tail;
};

/** All packets. */
struct packets {
    struct stable pool;      /**< struct pkt */
    uint32_t prefetch_above; /**< packets alive beyond which records are fetched ahead */
    bool prefetch_qps;       /**< and QPs, as there are many */
};

/** What hooks are shown of a packet, and what that points to. */
struct pkt_shown {
    struct weft_engine_pkt_view view;
    struct weft_cc_hop hops[WEFT_CC_MAX_HOPS];
};

/** A packet record where none is free; NIL: there is no room, and the engine has failed. */
uint32_t pkt_more(struct weft_engine *e) __attribute__((cold));
void pkt_free(struct weft_engine *e, uint32_t i);
/** Fills in what hooks are shown of a packet. */
void pkt_view(const struct weft_engine *e, uint32_t i, struct pkt_shown *shown);
/** Tells the packet hook, if the port is one that it wants to hear of. */
void pkt_report(struct weft_engine *e, uint32_t i, uint32_t port, enum weft_pkt_event what);

#endif
