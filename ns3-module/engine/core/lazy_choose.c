/* SPDX-License-Identifier: GPL-2.0-only */
/* Whether ports may be lazy at all, and what they owe is made up for: lazy.c. */
#include "context.h"
#include "lazy.h"
#include "parallel/posts.h"
#include "parallel/window.h"
#include "parallel/window_crew.h"
#include "port_catch_up.h"
#include "replay/replay.h"
#include "switch/credit.h"

/* Notes what the packet hook is told of. */
static void note_packet_events(struct weft_engine *e)
{
    for (uint32_t i = 0; i < e->fabric->nports; i++)
        if (port_known(e, i))
            e->ports[i].told = e->hooks.packet ? e->hooks.packet_events[i] : 0;
}

/* Whether something has to know of each transmission of a switch at its moment. */
static bool stays_eager(const struct weft_engine *e, uint32_t node)
{
    const struct weft_fabric_node *n = &e->fabric->nodes[node];
    bool stays = !e->path.lazy;
    for (uint32_t i = n->first_port; i < n->first_port + n->nports; i++)
        stays |= (port_known(e, i) && e->ports[i].told) || credit_on(e->fabric, link_of(e, i));
    return stays;
}

void lazy_choose(struct weft_engine *e)
{
    e->path.lazy = !(e->path.rare & RARE_ORDER) && !e->draws.ns3 && !e->hooks.queue &&
                   !e->hooks.ecn_mark && !e->spread.steer;
    note_packet_events(e);
    for (uint32_t d = 0; d < e->ncontrols; d++)
        e->path.lazy &= !e->controls[d].signals.pint_tables;
    e->path.no_cut_through =
        (e->path.on_enqueue & ~(uint32_t)(QUEUE_PAUSE_CLOCK | QUEUE_HISTOGRAM)) ||
        e->path.rare & RARE_TURNS;
    for (uint32_t n = 0; n < e->fabric->nnodes; n++) {
        if (!weft_fabric_forwards(e->fabric, n)) /* has no buffer, and ports that are never lazy */
            continue;
        const bool stays = e->mmu.of[n].stays_eager = stays_eager(e, n);
        if (stays)
            lazy_wake(e, n);
        else if (e->mmu.of[n].eager)
            lazy_review(e, n);
        else
            lazy_settle(e, n);
    }
    window_choose(e);
}

static void catch_up(struct weft_engine *e, const struct weft_fabric_node *n)
{
    for (uint32_t i = n->first_port; i < n->first_port + n->nports; i++)
        if (e->ports[i].armed_ps < e->loop.due_ps)
            port_settle(e, &e->ports[i], i);
}

void lazy_catch_up(struct weft_engine *e)
{
    posts_settle(e);
    replay_ops.catch_up(e);
    window_catch_up(e);
    window_crew_look_again(e);
    for (uint32_t n = 0; e->path.lazy && n < e->fabric->nnodes; n++)
        if (node_known(e, n))
            catch_up(e, &e->fabric->nodes[n]);
}
