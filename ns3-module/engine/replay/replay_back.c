/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A piece whose state is that of a later time comes back to the present.
 *
 * Its state is moved back by as many laps as are needed to be no later than now, and what happens
 * in it from then until now is simulated, while all else, which it does not meet, stands still.
 * That may be in the midst of an event elsewhere: a message that is posted there touches the piece.
 */
#include "core/agenda.h"
#include "core/context.h"
#include "core/loop.h"
#include "parallel/host_agendas.h"
#include "parallel/host_parts.h"
#include "parallel/window.h"
#include "replay.h"
#include "replay_inside.h"
#include "replay_jump.h"

#include "base/units.h"

/* Whether an event comes before what is going on: it is one of the piece then. Timers of the user
 * are not. */
static bool before(const struct agenda *a, struct due d, int64_t due_ps, uint32_t due_id)
{
    uint32_t id = (uint32_t)d.key & ((1u << FASTQ_ID_BITS) - 1);
    if (d.slow) {
        const enum ev_kind kind = (enum ev_kind)(a->slow.h[0].id >> EV_KIND_SHIFT);
        if (kind > EV_TX)
            return kind <= EV_CC && d.t < due_ps;
        id = (uint32_t)fastq_key(0, 0, kind, (uint32_t)EV_NUMBER(a->slow.h[0].id));
    }
    return d.t < due_ps || (d.t == due_ps && id < due_id);
}

/* The event up to which a piece is to be brought. */
struct present {
    int64_t due_ps;
    uint32_t due_id;
};

static bool next_before(struct weft_engine *e, void *ctx, struct loop_event *ev)
{
    const struct present *here = ctx;
    while (!e->err.code) {
        ev->a = host_parts_any(e, &ev->d);
        const int64_t until_ps = ev->d.t < here->due_ps ? ev->d.t : here->due_ps;
        if (!window_due(&e->windows, ev->d.t) || !window_advance(e, until_ps))
            return before(ev->a, ev->d, here->due_ps, here->due_id);
    }
    return false;
}

/* Executes what is before that. */
static void run(struct weft_engine *e, int64_t due_ps, uint32_t due_id)
{
    struct present here = {due_ps, due_id};
    loop_events(e, &here, next_before, loop_run_event);
    e->loop.due_ps = due_ps;
    e->loop.due_id = due_id;
    window_catch_up(e);
}

void replay_piece_catch_up(struct weft_engine *e, struct replay_piece *k, int64_t from_ps)
{
    const int64_t now = e->now, due_ps = e->loop.due_ps;
    const uint32_t due_id = e->loop.due_id;
    window_catch_up(e);
    for (uint32_t i = 0; i < k->part.nports; i++)
        if (e->ports[k->part.ports[i]].nic != NIL)
            host_agendas_back(e, k->part.ports[i]);
    replay_queue_again(e, &k->part, from_ps);
    run(e, due_ps, due_id);
    e->now = now;
}

void replay_piece_from_ahead(struct weft_engine *e, struct replay_piece *k)
{
    struct weft_replay_figures *f = &replay_of(e)->figures;
    const int64_t due_ps = e->loop.due_ps;
    if (k->phase != REPLAY_AHEAD || k->ahead_ps <= due_ps)
        return;
    const int64_t laps = (k->ahead_ps - due_ps + k->found_ps - 1) / k->found_ps;
    const int64_t at_ps = k->ahead_ps - laps * k->found_ps;
    const uint64_t hops = e->tot.packet_hops;
    replay_of(e)->packets.changes++;
    k->phase = REPLAY_GO_ON;
    k->next_ps = at_ps + k->found_ps;
    window_catch_up(e);
    replay_pauses_back(e, k, due_ps);
    replay_state_move(e, &k->part, &k->tape, -laps);
    f->laps -= (uint64_t)laps;
    f->hops -= hops - e->tot.packet_hops;
    replay_count_state(e, k->tape.n);
    replay_piece_catch_up(e, k, at_ps);
    e->windows.noted_ps = INT64_MIN;
}

bool replay_piece_is_ahead(const struct weft_engine *e, uint32_t qi)
{
    const struct replay_packets *r = &replay_of(e)->packets;
    const uint16_t piece = replay_piece_of(r, qi);
    return piece && r->piece[piece - 1].phase == REPLAY_AHEAD;
}

uint64_t replay_pieces_packets(const struct weft_engine *e)
{
    const struct replay_packets *r = &replay_of(e)->packets;
    uint64_t n = 0;
    for (uint32_t i = 0; i < r->top; i++)
        if (r->piece[i].used && r->piece[i].phase == REPLAY_AHEAD)
            n += r->piece[i].part.packets;
    return n;
}

int64_t replay_pieces_ahead_ps(const struct weft_engine *e)
{
    const struct replay_packets *r = &replay_of(e)->packets;
    int64_t least = WEFT_NEVER;
    for (uint32_t i = 0; i < r->top; i++)
        if (r->piece[i].used && r->piece[i].phase == REPLAY_AHEAD && r->piece[i].ahead_ps < least)
            least = r->piece[i].ahead_ps;
    return least;
}
