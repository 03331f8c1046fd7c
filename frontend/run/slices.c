/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Runs a net in slices of simulated time. Between slices the program shows progress, flushes rows
 * and obeys signals.
 */
#include "run/slices.h"

#include "base/units.h"
#include "run/interrupt.h"
#include "run/limits.h"
#include "run/processes.h"
#include "run/watchdog.h"

#include <inttypes.h>

/* Wall time that a slice aims at. */
#define SLICE_MIN_NS INT64_C(20000000)
#define SLICE_MAX_NS INT64_C(100000000)
/* The same in events, where the clock may not decide. */
#define SLICE_MIN_EVENTS 400000u
#define SLICE_MAX_EVENTS 4000000u
#define CHECK_EVENTS 16000000u
#define ARRIVED_EVENTS 4000000u
/* Wall time between two flushes of the CSV files, and between two checks of the conservation laws
 * where the clock may decide. */
#define FLUSH_NS INT64_C(1000000000)
/* Most sentences on messages that do not get on while others do. */
#define LEFT_BEHIND_MAX 3

/* A run under way. */
struct slicing {
    struct weft_slices *s;
    struct weft_progress progress;
    struct weft_watch watch;
    struct weft_victims victims;
    int64_t slice_ps;
    int64_t until_ps;   /* the end of the slice */
    uint64_t events;    /* at the end of the last slice */
    uint64_t checked;   /* events at the last check, by_events */
    uint64_t seen;      /* events when it was last seen how much had arrived, by_events */
    uint64_t arrived;   /* bytes then */
    int64_t flushed_ns; /* wall clock */
};

static void log_left_behind(void *ctx, const char *text)
{
    weft_log((struct weft_log *)ctx, WEFT_LOG_WARNING, "  %s", text);
}

/* After a look of the watch. */
static void warn_left_behind(struct slicing *r)
{
    const struct weft_cli *cli = r->s->cli;
    char after[WEFT_UNIT_TEXT_MAX];
    const uint64_t n = weft_watch_left_behind(&r->watch);
    if (!n)
        return;
    weft_log(cli->log, WEFT_LOG_WARNING,
             "%" PRIu64
             " queue pairs or connections have made no progress for %s (run.stall-after), while "
             "others have:",
             n, weft_format_time(r->watch.after_ps, after));
    r->s->net->ops->explain_stuck(r->s->net, LEFT_BEHIND_MAX, log_left_behind, cli->log);
}

/* Where the next slice begins, the last having ended at @p until_ps: a quiet stretch, such as a
 * long computation, is jumped over where its end is known. */
static int64_t next_start(const struct slicing *r, int64_t until_ps)
{
    struct weft_net *net = r->s->net;
    const int64_t next_ps = net->ops->state ? net->ops->state->next_ps(net) : until_ps;
    return next_ps > until_ps ? next_ps : until_ps;
}

static uint64_t events_so_far(struct weft_net *net)
{
    struct weft_totals t;
    if (net->ops->events)
        return net->ops->events(net);
    net->ops->totals(net, &t);
    return t.events;
}

/* How long the next slice is, after one that took @p wall_ns. */
static void set_slice(struct slicing *r, int64_t wall_ns)
{
    const uint64_t events = events_so_far(r->s->net), ran = events - r->events;
    const bool by_events = r->s->by_events;
    const bool is_short = by_events ? ran < SLICE_MIN_EVENTS : wall_ns < SLICE_MIN_NS;
    const bool is_long = by_events ? ran > SLICE_MAX_EVENTS : wall_ns > SLICE_MAX_NS;
    if (events == r->events && next_start(r, r->until_ps) > r->until_ps)
        return;
    if (events == r->events) /* a quiet stretch of unknown length, or nothing left */
        r->slice_ps = r->slice_ps < WEFT_NEVER / 16 ? 8 * r->slice_ps : WEFT_NEVER;
    else if (is_short)
        r->slice_ps = r->slice_ps < WEFT_NEVER / 4 ? 2 * r->slice_ps : r->slice_ps;
    else if (is_long && r->slice_ps > 2)
        r->slice_ps /= 2;
    r->events = events;
}

static void fill_state(struct slicing *r, struct weft_progress_state *state)
{
    const struct weft_slices_player *p = &r->s->player;
    struct weft_net *net = r->s->net;
    *state = (struct weft_progress_state){.sim_ps = net->ops->now_ps(net)};
    state->done_bytes = r->s->by_events ? r->arrived : weft_net_arrived_bytes(net);
    p->progress(p->ctx, state);
}

/* A look at the net decides what is skipped from there on: it comes after so many events. */
static int look_by_events(struct slicing *r, struct weft_err *err)
{
    struct weft_net *net = r->s->net;
    if (!r->s->by_events || r->events - r->seen < ARRIVED_EVENTS)
        return 0;
    r->seen = r->events;
    r->arrived = weft_net_arrived_bytes(net);
    if (r->events - r->checked < CHECK_EVENTS)
        return 0;
    r->checked = r->events;
    return net->ops->check(net, err);
}

static int between_slices(struct slicing *r, int64_t now_ns, struct weft_err *err)
{
    const struct weft_slices_player *p = &r->s->player;
    struct weft_net *net = r->s->net;
    struct weft_progress_state state;
    if (!r->s->cli->peers && weft_progress_due(&r->progress)) {
        fill_state(r, &state);
        weft_progress_update(&r->progress, &state);
    }
    if (!r->s->cli->peers && weft_interrupt_requested()) {
        fill_state(r, &state);
        weft_progress_print(&r->progress, r->s->cli->err, &state);
    }
    if (r->s->cli->peers)
        return 0; /* several processes do nothing that only one of them may find due */
    if (look_by_events(r, err))
        return err->code;
    if (now_ns - r->flushed_ns < FLUSH_NS)
        return 0;
    r->flushed_ns = now_ns;
    if (p->flush(p->ctx, err))
        return err->code;
    return r->s->by_events ? 0 : net->ops->check(net, err);
}

static int run_on(struct slicing *r, int64_t until_ps, struct weft_err *err)
{
    const struct weft_slices_player *p = &r->s->player;
    if (r->s->net->ops->run(r->s->net, until_ps, err))
        return err->code;
    const struct weft_err *inside = p->error(p->ctx);
    if (inside->code)
        *err = *inside;
    return inside->code;
}

/* Runs, and takes the samples on the way; that of the end is the last. */
static int run_to(struct slicing *r, int64_t until_ps, struct weft_err *err)
{
    struct weft_series *series = r->s->series;
    for (int64_t at_ps; series && (at_ps = weft_series_next_ps(series)) < until_ps;) {
        if (run_on(r, at_ps, err))
            return err->code;
        if (*r->s->cli->interrupted)
            return 0;
        if (weft_series_take(series, err))
            return err->code;
    }
    return run_on(r, until_ps, err);
}

/* The end of the run: the limit, or that of what happened. */
static int64_t reached_ps(const struct slicing *r)
{
    const struct weft_slices *s = r->s;
    const int64_t now_ps = s->net->ops->now_ps(s->net);
    const bool cut = s->until_ps && r->until_ps == s->until_ps && !*s->cli->interrupted &&
                     s->net->ops->state && s->net->ops->state->next_ps(s->net) != WEFT_NEVER;
    if (s->stalled_ps)
        return s->stalled_ps;
    return cut && s->until_ps > now_ps ? s->until_ps : now_ps;
}

static void ignore(void *ctx, const char *sentence) {}

/* Whether nothing is left to happen, nor any message on its way: there is nothing to watch. */
static bool is_over(const struct slicing *r)
{
    const struct weft_slices_player *p = &r->s->player;
    struct weft_net *net = r->s->net;
    return p->done(p->ctx) && net->ops->state && net->ops->state->next_ps(net) == WEFT_NEVER &&
           net->ops->explain(net, 0, ignore, NULL) == 0;
}

static int run_slices(struct slicing *r, struct weft_err *err)
{
    struct weft_slices *s = r->s;
    const struct weft_slices_player *p = &s->player;
    const int64_t limit_ps = s->until_ps ? s->until_ps : WEFT_NEVER;
    int64_t until_ps = 0;
    while (until_ps < limit_ps) {
        const int64_t from_ps = next_start(r, until_ps);
        until_ps = from_ps < limit_ps && r->slice_ps < limit_ps - from_ps ? from_ps + r->slice_ps
                                                                          : limit_ps;
        if (p->done(p->ctx))
            until_ps = limit_ps;
        if (!is_over(r))
            until_ps = weft_watch_until(&r->watch, until_ps);
        until_ps = weft_victims_until(&r->victims, until_ps);
        r->until_ps = until_ps;
        const int64_t start_ns = weft_clock_monotonic_ns(NULL);
        if (run_to(r, until_ps, err))
            return err->code;
        if (s->cli->peers)
            weft_processes_reached(s->net->ops->now_ps(s->net));
        if (*s->cli->interrupted)
            return 0;
        weft_victims_look(&r->victims, until_ps);
        const bool stalled = weft_watch_look(&r->watch, until_ps);
        if (stalled && !p->faults_ahead(p->ctx)) {
            s->stalled_ps = until_ps;
            return 0;
        }
        if (!stalled)
            warn_left_behind(r);
        const int64_t now_ns = weft_clock_monotonic_ns(NULL);
        set_slice(r, now_ns - start_ns);
        if (between_slices(r, now_ns, err))
            return err->code;
        s->over_limit =
            until_ps < limit_ps && weft_limits_exceeded(&s->limits, now_ns - s->started_ns);
        if (s->over_limit)
            return 0;
    }
    return 0;
}

int weft_slices_run(struct weft_slices *s, struct weft_err *err)
{
    struct slicing r = {
        .s = s, .slice_ps = 10 * WEFT_PS_PER_US, .flushed_ns = weft_clock_monotonic_ns(NULL)};
    s->stalled_ps = 0;
    weft_watch_init(&r.watch, s->net, s->stall_after_ps);
    weft_victims_init(&r.victims, s->net, s->victims_ps);
    weft_progress_init(&r.progress, s->progress, s->progress_is_tty, s->unit, NULL, NULL);
    weft_watchdog_begin(s->net, s->limits.event_ns);
    const int code = run_slices(&r, err);
    weft_watchdog_end();
    weft_progress_finish(&r.progress);
    s->reached_ps = reached_ps(&r);
    s->left_behind = r.watch.behind;
    s->victims = r.victims.n;
    s->victim_ps = r.victims.time_ps;
    return code;
}
