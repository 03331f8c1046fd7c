/* SPDX-License-Identifier: GPL-2.0-only */
/* Packets that their link loses: errors, failures, injected faults. */
#include "link_loss.h"
#include "context.h"
#include "credit.h"
#include "pkt.h"

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
static bool corrupt(struct port *p, const struct pkt *k)
{
    if (p->error_rate > 0 && weft_rng_f64(&p->err_rng) < p->error_rate)
        return true;
    return p->byte_log < 0 && weft_rng_f64(&p->err_rng) < -expm1(p->byte_log * k->frame);
}

bool link_lost(struct weft_engine *e, struct port *p, uint32_t i, uint32_t port)
{
    const struct pkt *k = pkt_at(e, i);
    const bool cut = k->flags & PKT_CUT;
    const bool gone = cut || corrupt(p, k) || (e->hooks.lose && lose(e, i, port));
    if (e->credit.ports && (gone || (p->to_host && k->dst_host == p->far)))
        credit_refund(e, port, k);
    if (!gone) {
        if (e->path.rare & RARE_PACKET)
            pkt_tell(e, i, p->peer, WEFT_PKT_ARRIVED);
        return false;
    }
    p->lost_payload += k->payload;
    pkt_drop(e, i, port, cut ? WEFT_DROP_LINK : WEFT_DROP_ERROR);
    return true;
}
