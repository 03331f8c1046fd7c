/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The ports of a link that fails or returns (link_change.c).
 *
 * A port whose link is down counts as busy for ever, which costs the sending path nothing. When the
 * link comes back before the packet that it cut off would have ended, the port stays busy until
 * then: what it sends next can't overtake on the link what is lost there.
 */
#include "switch.h"
#include "core/context.h"
#include "core/walk.h"
#include "mmu.h"
#include "mmu_admit.h"
#include "pfc.h"

#include "base/units.h"

void link_ports(const struct weft_engine *e, uint32_t link, uint32_t ends[2])
{
    ends[0] = weft_fabric_link_port(e->fabric, link);
    ends[1] = e->fabric->ports[ends[0]].peer;
}

void link_port_reset_pfc(struct weft_engine *e, uint32_t port)
{
    struct port *p = &e->ports[port];
    p->xoff_sent = 0;
    for (uint32_t k = 0; k < WEFT_PRIOS; k++)
        pfc_reset(e, port, k);
}

uint64_t link_port_drop_waiting(struct weft_engine *e, uint32_t port)
{
    struct port *p = &e->ports[port];
    const uint64_t before = p->st.drops[WEFT_DROP_LINK];
    for (uint32_t n = 0;
         p->ctrl.head != NIL && walk_on(e, n, e->pkts.pool.n, "control frames of a port"); n++) {
        uint32_t i = p->ctrl.head;
        list_take(&p->ctrl, pkt_at(e, i));
        pkt_drop(e, i, port, WEFT_DROP_LINK);
    }
    for (uint32_t k = 0; k < WEFT_PRIOS; k++)
        for (uint32_t n = 0;
             p->lane[k].q.head != NIL && walk_on(e, n, e->pkts.pool.n, "packets of a queue"); n++) {
            uint32_t i = p->lane[k].q.head;
            const struct pkt *d = pkt_at(e, i);
            list_take(&p->lane[k].q, d);
            p->lane[k].qbytes -= d->frame;
            p->qtotal -= d->frame;
            if (d->in_port != NIL)
                mmu_release(e, d, port, false);
            else
                mmu_made_left(e, d, port);
            histogram_note(e, port, k, p->lane[k].qbytes);
            if ((d->in_port != NIL || p->nic == NIL) && e->hooks.queue)
                e->hooks.queue(e->hooks.ctx, e->now, port, k, p->lane[k].qbytes);
            pkt_drop(e, i, port, WEFT_DROP_LINK);
        }
    p->nonempty = 0;
    return p->st.drops[WEFT_DROP_LINK] - before;
}

uint64_t link_port_close(struct weft_engine *e, uint32_t port)
{
    struct port *p = &e->ports[port];
    uint64_t lost = 0;
    if (p->busy_until_ps > e->now)
        p->st.busy_ps -= p->busy_until_ps - e->now;
    p->down = true;
    e->ends[port].rare |= LINK_LOSES;
    e->links.ends_ps[port] = p->busy_until_ps;
    p->busy_until_ps = WEFT_NEVER;
    WALK_PKTS(e, i, e->ends[port].fly.head, "packets on a link") {
        lost += !(pkt_at(e, i)->flags & PKT_CUT); /* else it was, when the link went down before */
        pkt_at(e, i)->flags |= PKT_CUT;
    }
    return lost;
}

void link_port_open(struct weft_engine *e, uint32_t port)
{
    struct port *p = &e->ports[port];
    const int64_t ends_ps = e->links.ends_ps[port];
    p->down = p->sending = false;
    p->busy_until_ps = ends_ps > e->now ? ends_ps : e->now;
    p->st.busy_ps += p->busy_until_ps - e->now;
}
