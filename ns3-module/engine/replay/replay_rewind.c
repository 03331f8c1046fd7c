/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A component whose state is that of a later time comes back to the present.
 *
 * Its state is moved back by as many periods as are needed to be no later than now, and what
 * happens in it from then until now is simulated, while all else, which it does not meet, is
 * suspended. That may be in the midst of an event elsewhere: a message that is posted there touches
 * the component.
 */
#include "core/agenda.h"
#include "core/context.h"
#include "core/loop.h"
#include "core/executor.h"
#include "replay.h"
#include "replay_internal.h"
#include "replay_queues.h"

#include "base/units.h"

/* Whether an event comes before what is going on: it is one of the component then. Timers of the
 * user are not. */
static bool rewind_before(const struct agenda *a, struct due d, int64_t due_ps, uint32_t due_id)
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

/* The event up to which a component is to be brought. */
struct present {
    int64_t due_ps;
    uint32_t due_id;
};

static bool rewind_next_before(struct weft_engine *e, void *ctx, struct loop_event *ev)
{
    const struct present *here = ctx;
    while (!e->err.code) {
        ev->a = agenda_first_of_all(e, &ev->d);
        const int64_t until_ps = ev->d.t < here->due_ps ? ev->d.t : here->due_ps;
        if (!window_due(&e->windows, ev->d.t) || !windows_advance(e, until_ps))
            return rewind_before(ev->a, ev->d, here->due_ps, here->due_id);
    }
    return false;
}

/* Executes what is before that. */
static void rewind_run(struct weft_engine *e, int64_t due_ps, uint32_t due_id)
{
    struct present here = {due_ps, due_id};
    loop_events(e, &here, rewind_next_before, loop_run_event);
    e->loop.due_ps = due_ps;
    e->loop.due_id = due_id;
    windows_catch_up(e);
}

void replay_component_catch_up(struct weft_engine *e, struct replay_component *k, int64_t from_ps)
{
    const int64_t now = e->now, due_ps = e->loop.due_ps;
    const uint32_t due_id = e->loop.due_id;
    windows_catch_up(e);
    for (uint32_t i = 0; i < k->scope.nports; i++)
        if (e->ports[k->scope.ports[i]].nic != NIL)
            agendas_back(e, k->scope.ports[i]);
    replay_queue_again(e, &k->scope, from_ps);
    rewind_run(e, due_ps, due_id);
    e->now = now;
}

void replay_component_rewind(struct weft_engine *e, struct replay_component *k)
{
    struct weft_replay_figures *f = &replay_of(e)->figures;
    const int64_t due_ps = e->loop.due_ps;
    if (k->phase != REPLAY_AHEAD || k->ahead_ps <= due_ps)
        return;
    const int64_t periods = (k->ahead_ps - due_ps + k->found_ps - 1) / k->found_ps;
    const int64_t at_ps = k->ahead_ps - periods * k->found_ps;
    const uint64_t hops = e->tot.packet_hops;
    replay_of(e)->packets.changes++;
    k->phase = REPLAY_GO_ON;
    k->next_ps = at_ps + k->found_ps;
    windows_catch_up(e);
    replay_pauses_back(e, k, due_ps);
    replay_state_move(e, &k->scope, &k->snapshot, -periods);
    f->periods -= (uint64_t)periods;
    f->hops -= hops - e->tot.packet_hops;
    replay_count_state(e, k->snapshot.n);
    replay_component_catch_up(e, k, at_ps);
    e->windows.noted_ps = INT64_MIN;
}

bool replay_component_is_ahead(const struct weft_engine *e, uint32_t qi)
{
    const struct replay_packets *r = &replay_of(e)->packets;
    const uint16_t component = replay_component_of(r, qi);
    return component && r->component[component - 1].phase == REPLAY_AHEAD;
}

int64_t replay_components_ahead_ps(const struct weft_engine *e)
{
    const struct replay_packets *r = &replay_of(e)->packets;
    int64_t least = WEFT_NEVER;
    for (uint32_t i = 0; i < r->top; i++)
        if (r->component[i].used && r->component[i].phase == REPLAY_AHEAD &&
            r->component[i].ahead_ps < least)
            least = r->component[i].ahead_ps;
    return least;
}
