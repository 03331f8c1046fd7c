/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Transmissions of switches without events of their own.
 *
 * The end of a packet's transmission, when the port takes the next one from its queues, matters to
 * nobody before something else happens there: the next packet on the link can't arrive before the
 * one in front of it has, and a packet that joins the queue, a pause or a resume come by an event.
 * Therefore a lazy port notes when it starts its next packet (armed_ps) without an entry in the
 * event queue, and catches up with what was due as soon as the port is touched: by the arrival at
 * the end of its link, a packet that enters its queues, a PFC frame, a look at its counters. It
 * acts then with the clock set back to when it was due, so that stamps, marks and times are those
 * of an event.
 *
 * Until then the switch's buffer counts too much, never too little: a packet that has left is still
 * in it. Admission is monotone in that: what fits a fuller buffer below its thresholds fits it
 * exactly, too. When it does not fit, or a pause would be due, the whole switch catches up, is
 * counted exactly, and becomes eager: its ports have events of their own, so that each resume goes
 * out at its moment. Once no pause and no headroom is left it becomes lazy again.
 *
 * Ports of hosts are always eager, as are those of links that have failed once, those of a switch
 * with a link under credits, whose return is a timer from when a packet has left, and those of a
 * switch of which a hook sees packets (captures). The same holds for everything where the order of
 * transmissions at different ports shows: under hooks that see queues or marks, with random draws
 * shared by ports, with transport.ns3-event-order, and with routing that looks at queues far away.
 */
#include "lazy.h"
#include "core/context.h"
#include "core/extension.h"
#include "core/events.h"
#include "core/executor.h"

#include "base/units.h"

#define REVIEW_PER_PORT 4u /**< transmissions per port of an eager switch between two reviews */

static bool lazy_may_be(const struct weft_engine *e, uint32_t port)
{
    const struct port *p = &e->ports[port];
    return p->nic == NIL && p->prop_ps > 0 && !e->mmu.of[p->node].eager && !p->was_down;
}

static void lazy_set(struct weft_engine *e, uint32_t port, bool lazy)
{
    struct port *p = &e->ports[port];
    if (p->lazy == lazy)
        return;
    port_catch_up(e, p, port);
    p->lazy = lazy;
    if (!lazy && p->armed_ps != WEFT_NEVER)
        engine_push_tx(e, p, p->armed_ps, port);
}

void lazy_apply(struct weft_engine *e, uint32_t node)
{
    const struct weft_fabric_node *n = &e->fabric->nodes[node];
    for (uint32_t i = n->first_port; i < n->first_port + n->nports; i++)
        if (port_known(e, i))
            lazy_set(e, i, lazy_may_be(e, i));
}

void lazy_wake(struct weft_engine *e, uint32_t node)
{
    struct mmu *m = &e->mmu.of[node];
    m->eager = true;
    m->review = REVIEW_PER_PORT * e->fabric->nodes[node].nports;
    lazy_apply(e, node);
}

void lazy_link_changes(struct weft_engine *e, uint32_t port)
{
    e->ports[port].was_down = true;
    lazy_set(e, port, false);
}

/* Whether an eager switch pauses nobody and holds no packet in headroom. */
static bool lazy_no_pauses(const struct weft_engine *e, uint32_t node)
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
    if (m->stays_eager || !lazy_no_pauses(e, node))
        return;
    m->eager = false;
    lazy_apply(e, node);
}

/* Notes what the packet hook is told of. */
static void lazy_note_packet_events(struct weft_engine *e)
{
    for (uint32_t i = 0; i < e->fabric->nports; i++)
        if (port_known(e, i))
            e->ports[i].hook_events = e->hooks.packet ? e->hooks.packet_events[i] : 0;
}

/* Whether something has to know of each transmission of a switch at its moment. */
static bool lazy_stays_eager(const struct weft_engine *e, uint32_t node)
{
    const struct weft_fabric_node *n = &e->fabric->nodes[node];
    bool stays = !e->path.lazy;
    for (uint32_t i = n->first_port; i < n->first_port + n->nports; i++)
        stays |=
            (port_known(e, i) && e->ports[i].hook_events) || credit_on(e->fabric, link_of(e, i));
    return stays;
}

void lazy_choose(struct weft_engine *e)
{
    e->path.lazy = !(e->path.rare & RARE_ORDER) && !e->draws.ns3 && !e->hooks.queue &&
                   !e->hooks.ecn_mark && !e->spread.steer;
    lazy_note_packet_events(e);
    for (uint32_t d = 0; d < e->ncontrols; d++)
        e->path.lazy &= !e->controls[d].signals.pint_tables;
    e->path.no_cut_through =
        (e->path.on_enqueue & ~(uint32_t)(QUEUE_PAUSE_CLOCK | QUEUE_HISTOGRAM)) ||
        e->path.rare & RARE_TURNS;
    for (uint32_t n = 0; n < e->fabric->nnodes; n++) {
        if (!weft_fabric_forwards(e->fabric, n)) /* has no buffer, and ports that are never lazy */
            continue;
        const bool stays = e->mmu.of[n].stays_eager = lazy_stays_eager(e, n);
        if (stays)
            lazy_wake(e, n);
        else if (e->mmu.of[n].eager)
            lazy_review(e, n);
        else
            lazy_apply(e, n);
    }
    windows_choose(e);
}

static void lazy_catch_up_node(struct weft_engine *e, const struct weft_fabric_node *n)
{
    for (uint32_t i = n->first_port; i < n->first_port + n->nports; i++)
        if (e->ports[i].armed_ps < e->loop.due_ps)
            port_catch_up(e, &e->ports[i], i);
}

void lazy_catch_up(struct weft_engine *e)
{
    posts_flush(e);
    extension_catch_up(e);
    windows_catch_up(e);
    e->windows.changed = true;
    for (uint32_t n = 0; e->path.lazy && n < e->fabric->nnodes; n++)
        if (node_known(e, n))
            lazy_catch_up_node(e, &e->fabric->nodes[n]);
}
