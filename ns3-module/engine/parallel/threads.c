/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How many threads run an engine by itself (run.threads=auto).
 *
 * What several threads gain depends on the fabric, on what it carries, and on what else the machine
 * has to do: it can't be told but by trying. Therefore the time that the engine takes per event is
 * measured, in stretches of some milliseconds between two calls of weft_engine_run, and now and
 * then as many stretches are run with another number of threads: twice or half as many. If their
 * median is shorter, that number stays. Else the next attempt comes after four times as many.
 * Results do not depend on it, only the run time.
 *
 * Fewer threads are tried only where those that there are wait. An attempt costs more than its own
 * time: what one thread had has packets of all hosts side by side in memory, and neighbouring cache
 * lines of two threads slow both down from then on (a ring of 128 hosts by 22 %).
 */
#include "core/context.h"
#include "obstacles.h"
#include "thread_pool.h"
#include "window.h"
#include "window_threads.h"

#include "base/processors.h"
#include "base/rng.h"

#include <stdlib.h>

#define STRETCH_EVENTS 20000u /**< at least, of a stretch: it takes some milliseconds */
#define STRETCHES 3u          /**< whose median is compared, odd */
#define FIRST_REST 64u        /**< stretches between two attempts, half as many before the first */
#define REST_GROWS 4u         /**< times as many after an attempt in vain */
#define LONGEST_REST 4096u
#define HOSTS_PER_THREAD 8u
/** Hosts from which on all threads are there at first: several are mostly faster. */
#define MANY_HOSTS 64u
/** An attempt that takes so many times as long is over at once. */
#define HOPELESS 1.5
/** Threads that compute for so much of the time are not too many. */
#define BUSY 0.75
/** A change has to be worth so many times what it takes before the next one. */
#define WORTH 50

struct thread_choice {
    unsigned most;    /**< threads */
    unsigned n;       /**< by now */
    unsigned home;    /**< what it is if no attempt is under way */
    bool up;          /**< the next attempt is with more threads */
    uint64_t shuffle; /**< not 0, for tests: seed of random numbers of threads */
    uint64_t turns;
    /* the stretch */
    uint64_t events;  /**< when it began */
    int64_t began_ns; /**< 0: it begins now */
    /* ns per event, the last first: of home, and of the attempt */
    double at_home[STRETCHES], tried[STRETCHES];
    unsigned nhome, ntried; /**< how many there have been, of an attempt with the first, which is
                               not counted, as caches have other contents */
    uint32_t rest;          /**< stretches until the next attempt */
    uint32_t next_rest;     /**< after it, if it is in vain */
    int64_t took_ns;        /**< that the last change took */
    int64_t since_ns;       /**< its end, */
    int64_t busy_ns;        /**< and the CPU time of all threads before */
    struct weft_thread_figures figures; /**< of all pools before this one */
};

static int set(struct weft_engine *e, unsigned n, uint64_t shuffle, struct weft_err *err)
{
    const int rc = window_threads_make(e, n, shuffle, err);
    window_choose(e);
    return rc;
}

void weft_engine_thread_figures(const struct weft_engine *e, struct weft_thread_figures *out)
{
    *out = (struct weft_thread_figures){0};
    if (e->threads)
        *out = e->threads->figures;
    else if (e->choice)
        *out = e->choice->figures;
    loads_moved(e, out);
    out->alone = obstacle_find(e, OBSTACLE_THREADS);
    out->threads = e->choice ? e->choice->home : e->threads ? e->threads->n : 1;
}

/* From now on there are @p n; if the system gives no more, nothing is tried any more. */
static void change(struct weft_engine *e, struct thread_choice *c, unsigned n)
{
    struct weft_err err = {0};
    const int64_t began_ns = thread_pool_wall_ns();
    if (e->threads)
        c->figures = e->threads->figures;
    if (set(e, n, c->shuffle, &err)) /* then there is one */
        c->most = c->home = n = 1;
    if (e->threads) {
        e->threads->figures = c->figures;
        e->threads->look_at += c->figures.windows;
    }
    c->n = n;
    c->since_ns = thread_pool_wall_ns();
    c->busy_ns = c->figures.busy_ns;
    c->took_ns = c->since_ns - began_ns;
    c->began_ns = 0;
}

int weft_engine_set_threads(struct weft_engine *e, unsigned n, uint64_t shuffle,
                            struct weft_err *err)
{
    free(e->choice);
    e->choice = NULL;
    if (n > MOST_THREADS)
        return weft_err_set(err, WEFT_E_INPUT, "%u threads: at most %u", n, MOST_THREADS);
    if (n)
        return set(e, n, shuffle, err);
    const unsigned processors = weft_processors(), least = 1 + (shuffle != 0);
    unsigned most = e->fabric->nhosts / HOSTS_PER_THREAD;
    most = most < processors ? most : processors;
    most = shuffle ? 5 : most < MOST_THREADS ? most : MOST_THREADS;
    if (most < 2 || e->fabric->nswitches < 2 || e->expected)
        return set(e, 1, shuffle, err);
    struct thread_choice *c = calloc(1, sizeof *c);
    if (!c)
        return weft_err_no_memory(err, "threads");
    *c = (struct thread_choice){
        .most = most, .shuffle = shuffle, .rest = FIRST_REST / 2, .next_rest = FIRST_REST};
    c->n = c->home = e->fabric->nhosts >= MANY_HOSTS ? most : least;
    c->up = c->n < most;
    e->choice = c;
    change(e, c, c->n);
    return 0;
}

static double median(const double *of)
{
    double in[STRETCHES];
    for (unsigned i = 0; i < STRETCHES; i++) {
        unsigned at = i;
        for (; at && in[at - 1] > of[i]; at--)
            in[at] = in[at - 1];
        in[at] = of[i];
    }
    return in[STRETCHES / 2];
}

static void note(double *of, double ns)
{
    for (unsigned i = STRETCHES - 1; i; i--)
        of[i] = of[i - 1];
    of[0] = ns;
}

/* The number of threads to be tried, in the other direction if there is none in this one. */
static unsigned other(struct thread_choice *c)
{
    if (c->home == 1 || c->home == c->most)
        c->up = c->home == 1;
    return !c->up ? c->home / 2 : 2 * c->home < c->most ? 2 * c->home : c->most;
}

/* Whether threads have computed for nearly all of the time since there are so many. */
static bool busy(const struct weft_engine *e, const struct thread_choice *c)
{
    const double all_ns = (double)c->n * (double)(thread_pool_wall_ns() - c->since_ns);
    return e->threads && (double)(e->threads->figures.busy_ns - c->busy_ns) > BUSY * all_ns;
}

/* An attempt begins, or is put off. */
static void attempt(struct weft_engine *e, struct thread_choice *c)
{
    unsigned n = other(c);
    if (n < c->home && busy(e, c)) {
        c->up = c->home < c->most;
        n = c->up ? other(c) : c->home;
    }
    if (n == c->home)
        c->rest = FIRST_REST;
    else
        change(e, c, n);
}

/* The attempt is over: it stays so if it is @p better. */
static void decide(struct weft_engine *e, struct thread_choice *c, bool better)
{
    const double stretch_ns = c->at_home[0] * STRETCH_EVENTS;
    const double worth = WORTH * (double)c->took_ns / stretch_ns;
    c->ntried = 0;
    if (better) {
        c->home = c->n;
        c->nhome = 0;
        c->next_rest = FIRST_REST;
        c->rest = c->n == 1 || c->n == c->most ? FIRST_REST : 0; /* further, if there is more */
    } else {
        change(e, c, c->home);
        c->up = !c->up;
        c->rest = c->next_rest;
        c->next_rest = REST_GROWS * c->rest < LONGEST_REST ? REST_GROWS * c->rest : LONGEST_REST;
    }
    c->rest = c->rest > worth ? c->rest : (uint32_t)worth;
}

/* A stretch has taken @p ns per event. */
static void stretch_over(struct weft_engine *e, struct thread_choice *c, double ns)
{
    if (c->n == c->home) {
        note(c->at_home, ns);
        c->rest -= c->rest > 0;
        if (++c->nhome >= STRETCHES && !c->rest && c->most > 1)
            attempt(e, c);
        return;
    }
    const double before = median(c->at_home);
    if (c->ntried++)
        note(c->tried, ns);
    if (c->ntried > STRETCHES)
        decide(e, c, median(c->tried) < before);
    else if (ns > HOPELESS * before)
        decide(e, c, false);
}

void threads_choose(struct weft_engine *e)
{
    struct thread_choice *c = e->choice;
    if (c->shuffle) {
        struct weft_rng rng = weft_rng_stream(c->shuffle, "number of threads", c->turns++);
        if (weft_rng_below(&rng, 8) == 0)
            change(e, c, 2 + (unsigned)weft_rng_below(&rng, c->most - 1));
        return;
    }
    if (!e->windows.on || (c->began_ns && e->tot.events - c->events < STRETCH_EVENTS))
        return;
    const int64_t now_ns = thread_pool_wall_ns();
    if (c->began_ns)
        stretch_over(e, c, (double)(now_ns - c->began_ns) / (double)(e->tot.events - c->events));
    c->began_ns = thread_pool_wall_ns();
    c->events = e->tot.events;
}
