/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The clock and the event loop: the first of the agenda (agenda.h), and between events the windows
 * of switches and the hosts of threads (executor.h).
 */
#include "loop.h"
#include "agenda.h"
#include "context.h"
#include "extension.h"
#include "executor.h"

#include "base/units.h"

#include <inttypes.h>

_Thread_local struct weft_engine *engine_here;

int64_t weft_engine_now(const struct weft_engine *e)
{
    return engine_here ? engine_here->now : e->now;
}

int64_t weft_engine_next(struct weft_engine *e)
{
    if (e->peers)
        return e->executor->next(e);
    posts_flush(e);
    struct due d;
    agenda_first_of_all(e, &d);
    const int64_t switches = e->windows.on ? window_first(e) : WEFT_NEVER;
    const int64_t first = switches < d.t ? switches : d.t;
    return e->extension && e->extension->first_ps < first ? e->extension->first_ps : first;
}

int64_t weft_engine_soonest(struct weft_engine *e)
{
    return e->loop.posts ? e->now : weft_engine_next(e);
}

void weft_engine_set_now(struct weft_engine *e, int64_t t_ps)
{
    if (t_ps > e->now)
        posts_flush(e);
    if (t_ps < e->now)
        engine_fail(e, WEFT_E_INTERNAL,
                    "the clock would run backwards, from %" PRId64 " to %" PRId64 " ps", e->now,
                    t_ps);
    else
        e->now = t_ps;
    weft_engine_follow(e, t_ps);
}

void weft_engine_follow(struct weft_engine *e, int64_t t_ps)
{
    if (t_ps > e->now)
        posts_flush(e);
    if (e->loop.due_ps < t_ps) {
        e->loop.due_ps = t_ps;
        e->loop.due_id = 0;
    }
    windows_run(e, t_ps);
}

/* The clock has come to its end with something left to do. */
static void out_of_time(struct weft_engine *e)
{
    char at[WEFT_UNIT_TEXT_MAX];
    engine_fail(
        e, WEFT_E_LIMIT,
        "simulated time has come to %s, the most that the clock of picoseconds allows, and the run "
        "is not over: a rate may be too low",
        weft_human_time(e->now, at));
}

void loop_limit(struct weft_engine *e)
{
    const int64_t look_ps = e->extension ? e->extension->look_ps : WEFT_NEVER;
    e->loop.limit_ps = look_ps < e->loop.stop_ps ? look_ps : e->loop.stop_ps;
}

/* The first event of all before limit_ps, once the windows before it are over; without hosts of
 * threads its agenda is NULL, for the engine's own. */
static inline bool next_of_run(struct weft_engine *e, void *ctx, struct loop_event *ev)
{
    for (;;) {
        ev->a = NULL;
        ev->d = agenda_first(e, &e->loop.agenda);
        if (__builtin_expect(e->parts != NULL, 0)) {
            struct due any = ev->d; /* the event itself stays in registers */
            ev->a = e->executor->first(e, &any);
            ev->d = any;
        }
        if (window_due(&e->windows, ev->d.t) &&
            windows_advance(e, ev->d.t < e->loop.limit_ps ? ev->d.t : e->loop.limit_ps))
            continue;
        if (__builtin_expect(ev->d.t < e->loop.limit_ps, 1))
            return true;
        if (e->parts) /* all is to be seen */
            e->executor->hosts_over(e);
        if (!e->extension || !e->extension->ops->look(e, ev->d.t))
            return false;
    }
}

/* Executes it, or has threads execute it with what else is due. */
static inline void run_or_share(struct weft_engine *e, void *ctx, const struct loop_event *ev)
{
    WEFT_REQUIRE(ev->d.t >= e->now);
    if (__builtin_expect(!ev->a, 1)) /* where it is, is a constant */
        agenda_run(e, &e->loop.agenda, ev->d);
    else if (!e->executor->hosts(e, ev->d.t))
        agenda_run(e, ev->a, ev->d);
}

/* Whether an agenda has lost an event for lack of memory. */
static enum fastq_failed agendas_failed(struct weft_engine *e)
{
    enum fastq_failed failed = FASTQ_WHOLE;
    const struct agenda *a;
    for (unsigned i = 0; !failed && (a = agendas_at(e, i)); i++)
        failed = a->fast.failed;
    return failed;
}

int weft_engine_run(struct weft_engine *e, int64_t limit_ps)
{
    const bool endless = limit_ps > LAST_PS;
    e->loop.stop_ps = e->err.code ? INT64_MIN : endless ? LAST_PS : limit_ps;
    loop_limit(e);
    posts_flush(e);
    e->loop.in_event = true;
    if (__builtin_expect((e->peers || e->choice) && e->executor->run(e), 0))
        return e->err.code;
    loop_events(e, NULL, next_of_run, run_or_share);
    e->loop.in_event = false;
    e->loop.limit_ps = e->loop.stop_ps;
    if (e->parts)
        e->executor->hosts_over(e);
    e->loop.quiet_ps = INT64_MIN;
    const bool ended = endless && e->loop.limit_ps == LAST_PS;
    if (ended && weft_engine_next(e) != WEFT_NEVER)
        out_of_time(e);
    if (e->loop.limit_ps > e->loop.due_ps && !ended) {
        windows_run(e, e->loop.limit_ps);
        e->loop.due_ps = e->loop.limit_ps;
        e->loop.due_id = 0;
    }
    if (e->windows.on) {
        if (e->loop.limit_ps != WEFT_NEVER) /* else nothing is left */
            windows_catch_up(e);
        if (e->now < e->windows.last_ps)
            e->now = e->windows.last_ps;
        window_report_pauses(e, WEFT_NEVER);
    }
    const enum fastq_failed failed = agendas_failed(e);
    if (__builtin_expect(failed == FASTQ_NO_MEMORY, 0))
        engine_fail(e, WEFT_E_LIMIT, "out of memory for the event queue");
    else if (__builtin_expect(failed == FASTQ_ENDLESS, 0))
        engine_fail(e, WEFT_E_INTERNAL,
                    "the list 'events of a bucket' lacks one, or has more than the queue");
    return e->err.code;
}

void weft_engine_lower_limit(struct weft_engine *e, int64_t limit_ps)
{
    if (limit_ps <= e->now) /* the instant being executed is always finished */
        limit_ps = e->now + 1;
    if (limit_ps < e->loop.limit_ps)
        e->loop.limit_ps = limit_ps;
    if (limit_ps < e->loop.stop_ps)
        e->loop.stop_ps = limit_ps;
    if (limit_ps < e->loop.quiet_ps)
        e->loop.quiet_ps = limit_ps;
}

void weft_engine_quiet_until(struct weft_engine *e, int64_t t_ps)
{
    e->loop.quiet_ps = t_ps;
}

void weft_engine_stop(struct weft_engine *e)
{
    e->loop.limit_ps = e->loop.stop_ps = INT64_MIN;
}

const struct weft_err *weft_engine_error(const struct weft_engine *e)
{
    return &e->err;
}
