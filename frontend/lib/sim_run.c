/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Running a network: what the net says becomes events, what is due is posted.
 *
 * A run that no event stops only listens to the net, which may then be told of things a little
 * later and use several threads. A run that an event stops ends with the instant of that event.
 */
#include "lib/sim.h"

#include "base/units.h"

#include <inttypes.h>

/* ---- what the net says ---- */

static void run_received(void *ctx, const struct weft_completion *done)
{
    struct weft_sim *s = (struct weft_sim *)ctx;
    const uint32_t slot = (uint32_t)done->msg.token.number;
    int rc = s->nics ? sim_nics_over(s, slot, done) : 0;
    rc = rc ? rc : sim_event(s, slot, WEFT_DELIVERED, done->received_ps);
    if (!rc && s->match)
        rc = sim_match_arrived(s, sim_item(s, slot), done->received_ps);
    if (rc)
        sim_break(s);
}

static void run_acked(void *ctx, const struct weft_completion *done)
{
    struct weft_sim *s = (struct weft_sim *)ctx;
    const uint32_t slot = (uint32_t)done->msg.token.number;
    if (sim_event(s, slot, WEFT_ACKNOWLEDGED, done->acked_ps))
        sim_break(s);
    s->open--;
    sim_item_over(s, slot);
}

/* ---- what is due ---- */

/* A message of a host to itself: nothing carries it. */
static int run_keep(struct weft_sim *s, uint32_t slot, int64_t now_ps)
{
    int rc = 0;
    for (uint32_t kind = WEFT_STARTED; !rc && kind <= WEFT_ACKNOWLEDGED; kind <<= 1)
        rc = sim_event(s, slot, kind, now_ps);
    if (!rc && s->match)
        rc = sim_match_arrived(s, sim_item(s, slot), now_ps);
    sim_item_over(s, slot);
    return rc;
}

static int run_post(struct weft_sim *s, uint32_t slot)
{
    const struct sim_item *i = sim_item(s, slot);
    const struct weft_msg msg = {.src = i->src,
                                 .dst = i->dst,
                                 .bytes = i->bytes,
                                 .tag = i->tag,
                                 .token.number = slot,
                                 .prio = i->prio,
                                 .qp = i->qp};
    int rc = s->nics ? sim_nics_posted(s, slot) : 0;
    s->open++;
    rc = rc ? rc : s->net->ops->send(s->net, &msg, &s->err);
    return rc;
}

static int run_due(struct weft_sim *s, uint32_t slot, int64_t now_ps)
{
    const struct sim_item *i = sim_item(s, slot);
    if (i->timer) {
        const int rc = sim_event(s, slot, WEFT_TIMER, now_ps);
        sim_item_over(s, slot);
        return rc;
    }
    return i->src == i->dst ? run_keep(s, slot, now_ps) : run_post(s, slot);
}

static void run_fired(void *ctx, uint64_t at_ps)
{
    struct weft_sim *s = (struct weft_sim *)ctx;
    const int64_t now_ps = s->net->ops->now_ps(s->net);
    int rc = 0;
    if (s->armed_ps == (int64_t)at_ps)
        s->armed_ps = WEFT_NEVER;
    while (!rc && sim_pending_first(&s->pending) <= now_ps)
        rc = run_due(s, sim_pending_take(&s->pending), now_ps);
    if (rc || sim_arm(s))
        sim_break(s);
}

int sim_arm(struct weft_sim *s)
{
    const int64_t at_ps = sim_pending_first(&s->pending);
    if (at_ps >= s->armed_ps)
        return 0;
    s->armed_ps = at_ps;
    const int64_t delay_ps = at_ps - s->net->ops->now_ps(s->net);
    return s->passive
               ? weft_net_plan(s->net, delay_ps, run_fired, s, (uint64_t)at_ps, &s->err)
               : s->net->ops->after(s->net, delay_ps, run_fired, s, (uint64_t)at_ps, &s->err);
}

/* ---- the run ---- */

/* Has the net say what this run wants to know. */
static void run_listen(struct weft_sim *s, bool passive)
{
    if (s->sunk && s->passive == passive)
        return;
    const struct weft_net_sink sink = {.ctx = s,
                                       .sent = run_acked,
                                       .received = run_received,
                                       .concurrency = {.local = passive, .passive = passive}};
    s->sunk = true;
    s->passive = passive;
    s->net->ops->set_sink(s->net, &sink);
}

static bool run_idle(struct weft_sim *s)
{
    const struct weft_net_state_ops *state = s->net->ops->state;
    return sim_pending_first(&s->pending) == WEFT_NEVER && !s->changes &&
           (state ? state->next_ps(s->net) == WEFT_NEVER : s->open == 0);
}

/* Runs the net. */
static int run_net(struct weft_sim *s, int64_t until_ps)
{
    s->err = (struct weft_err){0};
    int rc = s->net->ops->run(s->net, until_ps, &s->err);
    if (!rc && s->faults && weft_fault_player_error(s->faults)->code) {
        s->err = *weft_fault_player_error(s->faults);
        rc = s->err.code;
    }
    if (rc)
        s->broken = true;
    return s->broken ? s->err.code : 0;
}

/* Goes on to @p until_ps, by way of samples and of looks whether messages get on. An error, or enum
 * weft_stop. */
static int run_to(struct weft_sim *s, int64_t until_ps)
{
    for (;;) {
        int64_t to_ps = until_ps;
        const int64_t sample_ps = s->series ? weft_series_next_ps(s->series) : WEFT_NEVER;
        if (!run_idle(s))
            to_ps = weft_watch_until(&s->watch, to_ps);
        if (sample_ps < to_ps)
            to_ps = sample_ps;
        s->net->stays = to_ps != until_ps && to_ps != sample_ps;
        if (run_net(s, to_ps))
            return s->err.code;
        if (s->stopped)
            return WEFT_STOP_EVENT;
        if (to_ps == sample_ps && to_ps != WEFT_NEVER && weft_series_take(s->series, &s->err)) {
            s->broken = true;
            return s->err.code;
        }
        const bool stuck = to_ps != WEFT_NEVER && weft_watch_look(&s->watch, to_ps) &&
                           !(s->faults && weft_fault_player_ahead(s->faults)) &&
                           sim_pending_first(&s->pending) == WEFT_NEVER;
        if (stuck || to_ps == until_ps || (until_ps == WEFT_NEVER && run_idle(s))) {
            if (to_ps != WEFT_NEVER && (stuck || to_ps == until_ps))
                s->now_ps = to_ps;
            return stuck                    ? WEFT_STOP_STALLED
                   : until_ps == WEFT_NEVER ? WEFT_STOP_IDLE
                                            : WEFT_STOP_TIME;
        }
    }
}

/* The rest of the instant of an event that stopped the run. */
static int run_instant(struct weft_sim *s)
{
    s->now_ps = s->net->ops->now_ps(s->net);
    s->stop = 0;
    return run_net(s, s->now_ps) ? s->err.code : WEFT_STOP_EVENT;
}

int weft_sim_run(weft_sim *s, int64_t until_ps, uint32_t stop, uint32_t flags)
{
    if (s->broken)
        return s->err.code;
    if (until_ps < s->now_ps)
        return sim_fail(s, WEFT_E_INPUT,
                        "a run until %" PRId64 " ps: the present is %" PRId64 " ps", until_ps,
                        s->now_ps);
    if (flags & ~(uint32_t)WEFT_RUN_MARKED)
        return sim_fail(s, WEFT_E_USAGE, "a run has flags that this library does not know");
    if ((stop & s->kinds) != stop)
        return sim_fail(s, WEFT_E_USAGE,
                        "a run is to stop at events that are not taken: name their kinds when the "
                        "network is opened");
    const bool instant = s->instant && (stop & WEFT_MATCHED);
    s->instant = false;
    if (instant)
        return WEFT_STOP_EVENT;
    const size_t from = s->nevents - s->head;
    s->stop = stop;
    s->run_flags = flags;
    s->stopped = false;
    run_listen(s, stop == 0);
    int why = sim_arm(s);
    if (why)
        s->broken = true;
    why = why ? why : run_to(s, until_ps);
    if (why == WEFT_STOP_EVENT)
        why = run_instant(s);
    s->stop = 0;
    sim_events_sort(s, from);
    const int64_t net_ps = s->net->ops->now_ps(s->net);
    if (net_ps > s->now_ps)
        s->now_ps = net_ps;
    if (why == WEFT_STOP_IDLE && (s->open || sim_match_waiting(s)))
        why = WEFT_STOP_STALLED;
    return why;
}

int64_t weft_sim_now(const weft_sim *s)
{
    return s->now_ps;
}

int64_t weft_sim_next(weft_sim *s)
{
    const struct weft_net_state_ops *state = s->net->ops->state;
    const int64_t own_ps = sim_pending_first(&s->pending);
    int64_t net_ps = WEFT_NEVER;
    if (s->changes)
        return s->now_ps;
    if (s->armed_ps != WEFT_NEVER || s->open || s->faults)
        net_ps = state ? state->next_ps(s->net) : s->now_ps;
    if (net_ps < s->now_ps)
        net_ps = s->now_ps;
    return own_ps < net_ps ? own_ps : net_ps;
}
