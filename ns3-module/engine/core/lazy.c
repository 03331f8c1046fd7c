/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Transmissions of switches without events of their own.
 *
 * The end of a packet's transmission, when the port takes the next one from its queues, matters to
 * nobody before something else happens there: the next packet on the link can't arrive before the
 * one in front of it has, and a packet that joins the queue, a pause or a resume come by an event.
 * So a lazy port notes when it starts its next packet (armed_ps) without an entry in the event
 * queue, and catches up with what was due as soon as the port is touched: by the arrival at the end
 * of its link, a packet that enters its queues, a PFC frame, a look at its counters. What it does
 * then, it does with the clock set back to when it was due, so that stamps, marks and times are
 * those of an event.
 *
 * Until then the switch's buffer counts too much, never too little: a packet that has left is still
 * in it. Admission is monotone in that: what fits a fuller buffer below its thresholds fits it
 * exactly, too. When it does not fit, or a pause would be due, the whole switch catches up, is
 * counted exactly, and becomes eager: its ports have events of their own, so that each resume goes
 * out at its moment. Once no pause and no headroom is left it becomes lazy again.
 *
 * Ports of hosts are always eager, as are those of links that have failed once, those of a switch
 * with a link under credits, whose return is a timer from when a packet has left, and those of a
 * switch of which a hook sees packets (captures). So is everything where the order of transmissions
 * at different ports shows: under hooks that see queues or marks, with random draws shared by
 * ports, with transport.ns3-event-order, and with routing that looks at queues far away.
 */
#include "lazy.h"
#include "context.h"
#include "events.h"
#include "port_catch_up.h"

#include "base/units.h"

#define REVIEW_PER_PORT 4u /**< transmissions per port of an eager switch between two reviews */

static bool may_be_lazy(const struct weft_engine *e, uint32_t port)
{
    const struct port *p = &e->ports[port];
    return p->nic == NIL && p->prop_ps > 0 && !e->mmu.of[p->node].eager && !p->was_down;
}

static void settle(struct weft_engine *e, uint32_t port, bool lazy)
{
    struct port *p = &e->ports[port];
    if (p->lazy == lazy)
        return;
    port_settle(e, p, port);
    p->lazy = lazy;
    if (!lazy && p->armed_ps != WEFT_NEVER)
        engine_push_tx(e, p, p->armed_ps, port);
}

void lazy_settle(struct weft_engine *e, uint32_t node)
{
    const struct weft_fabric_node *n = &e->fabric->nodes[node];
    for (uint32_t i = n->first_port; i < n->first_port + n->nports; i++)
        if (port_known(e, i))
            settle(e, i, may_be_lazy(e, i));
}

void lazy_wake(struct weft_engine *e, uint32_t node)
{
    struct mmu *m = &e->mmu.of[node];
    m->eager = true;
    m->review = REVIEW_PER_PORT * e->fabric->nodes[node].nports;
    lazy_settle(e, node);
}

void lazy_link_changes(struct weft_engine *e, uint32_t port)
{
    e->ports[port].was_down = true;
    settle(e, port, false);
}

/* Whether an eager switch pauses nobody and holds no packet in headroom. */
static bool pauses_nobody(const struct weft_engine *e, uint32_t node)
{
    const struct weft_fabric_node *n = &e->fabric->nodes[node];
    uint32_t busy = 0;
    for (uint32_t i = n->first_port; i < n->first_port + n->nports; i++) {
        const struct port *p = &e->ports[i];
        if (!port_known(e, i))
            continue;
        busy |= p->xoff_sent;
        for (uint32_t k = 0; k < WEFT_PRIOS; k++)
            busy |= p->lane[k].in_hdrm;
    }
    return !busy;
}

void lazy_review(struct weft_engine *e, uint32_t node)
{
    struct mmu *m = &e->mmu.of[node];
    m->review = REVIEW_PER_PORT * e->fabric->nodes[node].nports;
    if (m->stays_eager || !pauses_nobody(e, node))
        return;
    m->eager = false;
    lazy_settle(e, node);
}
