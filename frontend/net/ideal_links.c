/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * contention=links: a message goes over its path link by link, and waits for each.
 *
 * A link sends one message after the other, in the order in which they come to it; messages of one
 * instant in the order in which they were sent to it. With store-and-forward a message comes to the
 * next link as a whole, with cut-through with its first byte. What it waits for the first link is
 * its own NIC's, the rest queueing in the fabric.
 */
#include "net/ideal_internal.h"

#include <inttypes.h>

/* The message @p m has the link of @p port from @p begin_ps on. Returns when it comes to the end.
 */
static int64_t pass(const struct weft_ideal *s, struct weft_ideal_slot *m, uint32_t port,
                    int64_t begin_ps, bool last)
{
    const struct weft_fabric_link *l = &s->fabric->links[s->fabric->ports[port].link];
    const int64_t serial = weft_ideal_serial_ps(m->msg.bytes, l->rate_bps);
    const int64_t q = s->params.quantum_ps;
    if (s->params.forwarding == WEFT_IDEAL_STORE_AND_FORWARD)
        return begin_ps + weft_ideal_floored(weft_ideal_add_ps(l->delay_ps, serial), q);
    m->tail_ps = weft_ps_max(m->tail_ps, begin_ps + serial) + l->delay_ps;
    if (!last)
        return begin_ps + l->delay_ps;
    return weft_ps_max(s->now_ps, m->post_ps + weft_ideal_floored(m->tail_ps - m->post_ps, q));
}

int weft_ideal_hop(struct weft_ideal *s, struct weft_ideal_slot *m, struct weft_err *err)
{
    const uint32_t hops = weft_ideal_path(s, &m->msg), port = s->path[m->hop];
    const uint64_t rate = s->fabric->links[s->fabric->ports[port].link].rate_bps;
    const struct weft_ideal_cost on_link = {
        .source = port,
        .source_ps =
            weft_ideal_floored(weft_ideal_serial_ps(m->msg.bytes, rate), s->params.quantum_ps),
    };
    const int64_t begin_ps = weft_ideal_begin(s, &on_link);
    if (m->hop == 0)
        m->nic_ps = begin_ps - s->now_ps;
    m->hop++;
    m->on_way = m->hop < hops;
    const int64_t at_ps = pass(s, m, port, begin_ps, !m->on_way);
    if (at_ps > WEFT_IDEAL_LAST_PS)
        return weft_ideal_too_late(&m->msg, err);
    return weft_ideal_schedule(s, at_ps, m, err);
}
