/* SPDX-License-Identifier: GPL-2.0-only */
/* Packets that their link loses: errors, failures, injected faults. */
#include "link_loss.h"
#include "context.h"
#include "pkt.h"
#include "switch/credit.h"

#include "base/rng.h"

#include <math.h>

/* Asks the fault injection hook. */
static bool lose(const struct weft_engine *e, uint32_t i, uint32_t port)
{
    struct weft_engine_pkt_view v;
    pkt_view(e, i, &v);
    return e->hooks.lose(e->hooks.ctx, port, &v) != 0;
}

/* Whether errors of the link strike a packet. */
static bool corrupt(struct link_end *l, const struct pkt *k, double error_rate)
{
    if (error_rate > 0 && weft_rng_f64(&l->err_rng) < error_rate)
        return true;
    return l->byte_log < 0 && weft_rng_f64(&l->err_rng) < -expm1(l->byte_log * k->frame);
}

bool link_lost(struct weft_engine *e, struct link_end *l, uint32_t i, uint32_t port)
{
    const struct pkt *k = pkt_at(e, i);
    const bool cut = k->flags & PKT_CUT;
    const bool gone =
        cut || corrupt(l, k, link_of(e, port)->error_rate) || (e->hooks.lose && lose(e, i, port));
    if (e->credit.ports && (gone || (l->to_host && k->dst_host == l->far)))
        credit_refund(e, port, k);
    if (!gone) {
        if (e->path.rare & RARE_PACKET)
            pkt_tell(e, i, l->peer, WEFT_PKT_ARRIVED);
        return false;
    }
    l->lost = true;
    l->lost_payload += k->payload;
    pkt_drop(e, i, port, cut ? WEFT_DROP_LINK : WEFT_DROP_ERROR);
    return true;
}
