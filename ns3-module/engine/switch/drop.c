/* SPDX-License-Identifier: GPL-2.0-only */
/* Packets that are dropped: counted, told, and what is lost with them. Those that their link loses:
 * errors, failures, injected faults. */
#include "switch.h"
#include "core/context.h"
#include "core/pkt.h"
#include "credit.h"
#include "in_network.h"
#include "core/executor.h"
#include "train.h"

#include "base/rng.h"

#include <math.h>

/* The sender of a frame has what belongs to its handle. */
static void drop_report_frame(struct weft_engine *e, uint32_t i, uint32_t port,
                              enum weft_drop_reason why)
{
    const struct pkt *k = pkt_at(e, i);
    const bool refused = why == WEFT_DROP_BUFFER || why == WEFT_DROP_HEADROOM;
    e->hooks.frame_dropped(e->hooks.ctx, port, refused ? k->in_port : NIL, k->handle, why);
}

void pkt_drop(struct weft_engine *e, uint32_t i, uint32_t port, enum weft_drop_reason why)
{
    if (__builtin_expect(e->worker != NULL, 0)) {
        e->executor->drop(e, port, pkt_at(e, i)->payload, why);
    } else {
        e->ports[port].st.drops[why]++;
        e->ports[port].dropped_payload += pkt_at(e, i)->payload;
    }
    e->tot.drops[why]++;
    e->tot.drops_data += pkt_at(e, i)->payload > 0;
    if (e->hooks.drop) {
        struct pkt_shown shown;
        pkt_view(e, i, &shown);
        e->hooks.drop(e->hooks.ctx, e->now, port, why, &shown.view);
    }
    if (pkt_at(e, i)->kind == WEFT_PKT_FRAME)
        drop_report_frame(e, i, port, why);
    else if (__builtin_expect(pkt_at(e, i)->kind == WEFT_PKT_CREDIT, 0))
        credit_frame_lost(e, port, pkt_at(e, i));
    else if (pkt_at(e, i)->kind == WEFT_PKT_SUM)
        in_network_lost(e, i, port, why);
    pkt_free(e, i);
}

/* Asks the fault injection hook. */
static bool drop_hook_loses(const struct weft_engine *e, uint32_t i, uint32_t port)
{
    struct pkt_shown shown;
    pkt_view(e, i, &shown);
    return e->hooks.lose(e->hooks.ctx, port, &shown.view) != 0;
}

/* Whether errors of the link strike a packet. */
static bool drop_corrupts(struct link_end *l, const struct pkt *k, double error_rate)
{
    if (error_rate > 0 && weft_rng_f64(&l->err_rng) < error_rate)
        return true;
    return l->byte_log < 0 && weft_rng_f64(&l->err_rng) < -expm1(l->byte_log * k->frame);
}

bool link_lost(struct weft_engine *e, struct link_end *l, uint32_t i, uint32_t port)
{
    const struct pkt *k = pkt_at(e, i);
    const bool cut = k->flags & PKT_CUT;
    double error_rate = link_of(e, port)->error_rate;
    if (e->path.rare & RARE_TRAINS && k->kind == WEFT_PKT_DATA)
        error_rate = 1 - pow(1 - error_rate, (double)train_packets(k));
    const bool lost =
        cut || drop_corrupts(l, k, error_rate) || (e->hooks.lose && drop_hook_loses(e, i, port));
    if (e->credit.ports && (lost || (l->to_host && k->dst_host == l->far)))
        credit_refund(e, port, k);
    if (!lost) {
        if (e->path.rare & RARE_PACKET)
            pkt_report(e, i, l->peer, WEFT_PKT_ARRIVED);
        return false;
    }
    l->lost = true;
    l->lost_payload += k->payload;
    pkt_drop(e, i, port, cut ? WEFT_DROP_LINK : WEFT_DROP_ERROR);
    return true;
}
