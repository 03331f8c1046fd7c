/* SPDX-License-Identifier: GPL-2.0-only */
/* Frames of other transports where they arrive; frame_send.c says what they are. */
#include "rc.h"
#include "core/context.h"
#include "core/pkt.h"

void frame_receive(struct weft_engine *e, uint32_t i, uint32_t port)
{
    const struct pkt k = *pkt_at(e, i);
    e->tot.delivered[WEFT_PKT_FRAME]++;
    e->own[e->ports[port].node].taken += k.payload;
    pkt_free(e, i);
    e->hooks.frame_received(e->hooks.ctx, port, k.handle, (k.flags & PKT_CE) != 0);
}
