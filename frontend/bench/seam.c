/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A net that passes everything on and measures the time on the frontend's side: in callbacks and
 * explicit spans, less what they spend in the calls that do work (send, after).
 *
 * Reading the clock costs as much as a short callback, so one callback in SAMPLE is measured,
 * chosen by a random stream, and counts SAMPLE times. Explicit spans are measured as a whole. What
 * a reading costs is taken off.
 */
#include "bench/bench.h"

#include "base/progress.h"
#include "base/rng.h"

#include <stdlib.h>

enum { SAMPLE = 16 };

/* A timer that the frontend asked for. */
struct timer {
    struct timer *next; /* free ones */
    struct weft_bench_seam *s;
    void (*fn)(void *ctx, uint64_t arg);
    void *ctx;
};

/* What asks a net for one. */
typedef int timer_fn(struct weft_net *net, int64_t delay_ps, void (*fn)(void *ctx, uint64_t arg),
                     void *ctx, uint64_t arg, struct weft_err *err);

struct weft_bench_seam {
    struct weft_net base; /* first */
    struct weft_net *inner;
    struct weft_net_sink sink;
    struct timer *free_timers;
    struct weft_rng rng;
    int weight;   /* of the time being measured; 0: none is */
    int frontend; /* whose turn it is while measured */
    int64_t since_ns, last_ps;
    double frontend_ns;
    double read_ns; /* what reading the clock costs */
};

static struct weft_bench_seam *of(struct weft_net *net)
{
    return (struct weft_bench_seam *)(void *)net;
}

static const struct weft_net *inner(const struct weft_net *net)
{
    return ((const struct weft_bench_seam *)(const void *)net)->inner;
}

/* Changes sides in a measured span; returns the side before. */
static int cross(struct weft_bench_seam *s, int frontend)
{
    int before = s->frontend;
    int64_t now = weft_clock_monotonic_ns(NULL);
    if (before)
        s->frontend_ns += s->weight * ((double)(now - s->since_ns) - s->read_ns);
    s->since_ns = now;
    s->frontend = frontend;
    return before;
}

void weft_bench_seam_cross(struct weft_bench_seam *s, int frontend)
{
    s->weight = 1;
    cross(s, frontend);
    s->weight = frontend;
}

/* A callback begins; true when it is measured. One inside a measured span belongs to that. */
static bool seam_enter(struct weft_bench_seam *s)
{
    if (s->weight || weft_rng_below(&s->rng, SAMPLE))
        return false;
    s->weight = SAMPLE;
    cross(s, 1);
    return true;
}

static void seam_leave(struct weft_bench_seam *s, bool measured)
{
    if (measured) {
        cross(s, 0);
        s->weight = 0;
    }
}

static void seam_on_sent(void *ctx, const struct weft_completion *done)
{
    struct weft_bench_seam *s = (struct weft_bench_seam *)ctx;
    bool measured = seam_enter(s);
    s->sink.sent(s->sink.ctx, done);
    seam_leave(s, measured);
}

static void seam_on_received(void *ctx, const struct weft_completion *done)
{
    struct weft_bench_seam *s = (struct weft_bench_seam *)ctx;
    s->last_ps = s->inner->ops->now_ps(s->inner);
    bool measured = seam_enter(s);
    s->sink.received(s->sink.ctx, done);
    seam_leave(s, measured);
}

/* In threads: not measured. */
static bool on_runs_in_worker(void *ctx, unsigned thread, const struct weft_msg *msg,
                              struct weft_follows *sends)
{
    const struct weft_bench_seam *s = ctx;
    return s->sink.concurrency.runs_in_worker(s->sink.concurrency.ctx, thread, msg, sends);
}

static void on_run_in_worker(void *ctx, unsigned thread, const struct weft_completion *done)
{
    const struct weft_bench_seam *s = ctx;
    s->sink.concurrency.run_in_worker(s->sink.concurrency.ctx, thread, done);
}

static void on_timer(void *ctx, uint64_t arg)
{
    struct timer t = *(struct timer *)ctx;
    ((struct timer *)ctx)->next = t.s->free_timers;
    t.s->free_timers = (struct timer *)ctx;
    bool measured = seam_enter(t.s);
    t.fn(t.ctx, arg);
    seam_leave(t.s, measured);
}

static void seam_set_sink(struct weft_net *net, const struct weft_net_sink *sink)
{
    struct weft_bench_seam *s = of(net);
    struct weft_net_sink mine = {.ctx = s,
                                 .sent = sink->sent ? seam_on_sent : NULL,
                                 .received = sink->received ? seam_on_received : NULL,
                                 .concurrency = sink->concurrency};
    if (mine.concurrency.run_in_worker) {
        mine.concurrency.ctx = s;
        mine.concurrency.runs_in_worker = on_runs_in_worker;
        mine.concurrency.run_in_worker = on_run_in_worker;
    }
    s->sink = *sink;
    s->inner->ops->set_sink(s->inner, &mine);
}

static int seam_send(struct weft_net *net, const struct weft_msg *msg, struct weft_err *err)
{
    struct weft_bench_seam *s = of(net);
    int before = s->weight ? cross(s, 0) : 0;
    int code = s->inner->ops->send(s->inner, msg, err);
    if (s->weight)
        cross(s, before);
    return code;
}

/* Asks for a timer by @p ask, weft_net_plan or the inner net's `after`. */
static int ask_for(struct weft_bench_seam *s, int64_t delay_ps, const struct timer *wanted,
                   uint64_t arg, timer_fn *ask, struct weft_err *err)
{
    int before = s->weight ? cross(s, 0) : 0;
    struct timer *t = s->free_timers;
    if (t)
        s->free_timers = t->next;
    else
        t = (struct timer *)malloc(sizeof *t);
    int code = t ? 0 : weft_err_no_memory(err, "a timer");
    if (!code) {
        *t = *wanted;
        code = ask(s->inner, delay_ps, on_timer, t, arg, err);
    }
    if (s->weight)
        cross(s, before);
    return code;
}

static int seam_after(struct weft_net *net, int64_t delay_ps, void (*fn)(void *ctx, uint64_t arg),
                      void *ctx, uint64_t arg, struct weft_err *err)
{
    struct weft_bench_seam *s = of(net);
    const struct timer t = {.s = s, .fn = fn, .ctx = ctx};
    return ask_for(s, delay_ps, &t, arg, s->inner->ops->after, err);
}

static int seam_plan(struct weft_net *net, int64_t delay_ps, void (*fn)(void *ctx, uint64_t arg),
                     void *ctx, uint64_t arg, struct weft_err *err)
{
    struct weft_bench_seam *s = of(net);
    const struct timer t = {.s = s, .fn = fn, .ctx = ctx};
    return ask_for(s, delay_ps, &t, arg, weft_net_plan, err);
}

static int64_t seam_now_ps(const struct weft_net *net)
{
    return inner(net)->ops->now_ps(inner(net));
}

static int seam_run(struct weft_net *net, int64_t until_ps, struct weft_err *err)
{
    return of(net)->inner->ops->run(of(net)->inner, until_ps, err);
}

static void seam_stop(struct weft_net *net)
{
    of(net)->inner->ops->stop(of(net)->inner);
}

static const struct weft_net_ops seam_ops = {
    .now_ps = seam_now_ps,
    .set_sink = seam_set_sink,
    .send = seam_send,
    .after = seam_after,
    .plan = seam_plan,
    .run = seam_run,
    .stop = seam_stop,
};

/* The shortest of some runs of readings: the one that nothing interrupted. */
static double clock_read_ns(void)
{
    enum { READS = 100, TRIES = 20 };
    int64_t best = INT64_MAX;
    for (int t = 0; t < TRIES; t++) {
        int64_t from = weft_clock_monotonic_ns(NULL), to = from;
        for (int i = 0; i < READS; i++)
            to = weft_clock_monotonic_ns(NULL);
        best = to - from < best ? to - from : best;
    }
    return (double)best / READS;
}

struct weft_bench_seam *weft_bench_seam_new(struct weft_net *net, struct weft_err *err)
{
    struct weft_bench_seam *s = weft_err_calloc(1, sizeof *s, "a measurement", err);
    if (!s)
        return NULL;
    s->base.ops = &seam_ops;
    s->inner = net;
    s->read_ns = clock_read_ns();
    s->rng = weft_rng_stream(1, "bench-seam", 0);
    return s;
}

struct weft_net *weft_bench_seam_net(struct weft_bench_seam *s)
{
    return &s->base;
}

double weft_bench_seam_frontend_s(const struct weft_bench_seam *s)
{
    return s->frontend_ns > 0 ? s->frontend_ns / 1e9 : 0;
}

int64_t weft_bench_seam_last_ps(const struct weft_bench_seam *s)
{
    return s->last_ps;
}

void weft_bench_seam_free(struct weft_bench_seam *s)
{
    if (!s)
        return;
    for (struct timer *t = s->free_timers, *next; t; t = next) {
        next = t->next;
        free(t);
    }
    free(s);
}
