/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The PFC pause timers: expiry of a pause at the paused port, and refresh of XOFF at the pausing
 * one (pfc.c has the model). Pauses that are repeated while no packet moves end the run; a deadlock
 * is reported as one.
 */
#include "core/context.h"
#include "core/events.h"
#include "core/fail.h"
#include "core/port.h"
#include "core/executor.h"
#include "pfc.h"

#include "base/units.h"

#include <inttypes.h>

/* Repeats that a hop of another packet makes up for. */
#define REPEATS_PER_MOVE 100u

/* Ends a run that would repeat its pauses for longer than anyone waits. */
static __attribute__((noinline)) void storm(struct weft_engine *e, uint32_t port)
{
    const struct weft_fabric *f = e->fabric;
    const struct weft_fabric_port *at = &f->ports[port];
    char since[WEFT_UNIT_TEXT_MAX], each[WEFT_UNIT_TEXT_MAX], packet[WEFT_UNIT_TEXT_MAX];
    char by[WEFT_NODE_NAME_MAX], of[WEFT_NODE_NAME_MAX];
    engine_fail(
        e, WEFT_E_OUTCOME,
        "no packet has moved since %s, and hardly one while PFC pauses were repeated %" PRIu64
        " times: %s repeats the "
        "pause of link %s-%s every %s, and a queue of the slowest link takes up to %s; raise "
        "pfc.quanta, or pfc.repeat-limit to go on",
        weft_human_time(e->pfc.moved_ps, since), e->pfc.repeats,
        weft_fabric_node_name(f, at->node, by),
        weft_fabric_node_name(f, f->ports[at->peer].node, of),
        weft_fabric_node_name(f, at->node, by),
        weft_human_time((int64_t)(e->p.pfc.refresh * (double)pfc_pause_ps(e, at->peer)), each),
        weft_human_time(weft_engine_slowest_ps(e), packet));
}

uint64_t pfc_moves(const struct weft_engine *e)
{
    uint64_t moves = 0;
    for (uint32_t k = 0; k < WEFT_PKT_KINDS; k++)
        moves += k == WEFT_PKT_PFC ? 0 : e->tot.sent[k] + e->tot.delivered[k];
    for (uint32_t k = 0; k < WEFT_DROP_REASONS; k++)
        moves += e->tot.drops[k];
    return moves;
}

/* Refreshes would keep a deadlocked run going for ever: when nothing but PFC frames has been made,
 * delivered or dropped for two pause times, looks for a deadlock and ends the run with it. Beside a
 * link of a few bits per second a run would end, but not in a lifetime, also where a timer sends a
 * packet now and then. */
bool pfc_watch(struct weft_engine *e, uint32_t port, uint64_t moves)
{
    if (moves != e->pfc.moves) {
        const uint64_t made_up = REPEATS_PER_MOVE * (moves - e->pfc.moves);
        e->pfc.moves = moves;
        e->pfc.repeats -= made_up < e->pfc.repeats ? made_up : e->pfc.repeats;
        e->pfc.moved_ps = e->pfc.watched_ps = e->now;
        e->pfc.repeats++;
        return true;
    }
    if (++e->pfc.repeats >= e->p.pfc.repeat_limit && e->p.pfc.repeat_limit)
        storm(e, port);
    if (e->now - e->pfc.watched_ps < 2 * pfc_pause_ps(e, e->fabric->ports[port].peer))
        return !e->err.code;
    char text[256];
    if (weft_engine_find_deadlock(e, text, sizeof text))
        engine_fail(e, WEFT_E_OUTCOME, "%s", text);
    e->pfc.watched_ps = e->now;
    return !e->err.code;
}

int64_t *pfc_event_deadline(const struct weft_engine *e, uint64_t number, int64_t *at_ps)
{
    struct pfc_deadline *d = pfc_deadline(e, number);
    *at_ps = d->at_ps;
    return &d->entry_ps;
}

void pfc_event(struct weft_engine *e, uint64_t number)
{
    const uint32_t port = (uint32_t)(number / 2 / WEFT_PRIOS);
    const uint32_t prio = (uint32_t)(number / 2 % WEFT_PRIOS);
    struct pfc_deadline *d = pfc_deadline(e, number);
    if (e->ports[port].own_ends & OWN_IN_WINDOWS) {
        windows_catch_up(e);
        if (d->at_ps != e->now) { /* what the switch has done by now has moved it */
            d->entry_ps = d->at_ps;
            if (d->at_ps != WEFT_NEVER)
                engine_push(e, &e->loop.agenda.slow, d->at_ps, EV_ID(EV_PFC, number));
            return;
        }
    }
    d->at_ps = d->entry_ps = WEFT_NEVER;
    if ((number & 1) == PFC_EXPIRY) {
        pfc_take_effect(e, port, prio, false, true);
        return;
    }
    pfc_set_refresh(e, port, prio);
    if (!e->peers) { /* which have watched before */
        windows_catch_up(e);
        pfc_watch(e, port, pfc_moves(e));
    }
    if (e->ports[port].ctrl.head == NIL) {
        e->tot.pfc_refreshes++;
        pfc_send_frame(e, port, prio, true, true);
    }
}
