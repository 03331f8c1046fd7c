/* SPDX-License-Identifier: GPL-2.0-only */
/* Packets that are dropped: counted, told, and what is lost with them. */
#include "context.h"
#include "parallel/worker.h"
#include "pkt.h"
#include "switch/credit.h"
#include "switch/in_network.h"

/* The sender of a frame has what belongs to its handle. */
static void tell_frame(struct weft_engine *e, uint32_t i, uint32_t port, enum weft_drop_reason why)
{
    const struct pkt *k = pkt_at(e, i);
    const bool refused = why == WEFT_DROP_BUFFER || why == WEFT_DROP_HEADROOM;
    e->hooks.frame_dropped(e->hooks.ctx, port, refused ? k->in_port : NIL, k->handle, why);
}

void pkt_drop(struct weft_engine *e, uint32_t i, uint32_t port, enum weft_drop_reason why)
{
    if (__builtin_expect(e->worker != NULL, 0)) {
        worker_drop(e, port, pkt_at(e, i)->payload, why);
    } else {
        e->ports[port].st.drops[why]++;
        e->ports[port].dropped_payload += pkt_at(e, i)->payload;
    }
    e->tot.drops[why]++;
    if (e->hooks.drop) {
        struct weft_engine_pkt_view v;
        pkt_view(e, i, &v);
        e->hooks.drop(e->hooks.ctx, e->now, port, why, &v);
    }
    if (pkt_at(e, i)->kind == WEFT_PKT_FRAME)
        tell_frame(e, i, port, why);
    else if (__builtin_expect(pkt_at(e, i)->kind == WEFT_PKT_CREDIT, 0))
        credit_frame_lost(e, port, pkt_at(e, i));
    else if (pkt_at(e, i)->kind == WEFT_PKT_SUM)
        in_network_lost(e, i, port, why);
    pkt_free(e, i);
}
