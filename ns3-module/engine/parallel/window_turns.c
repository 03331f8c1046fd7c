/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Windows in which several threads run the switches.
 *
 * Before a window begins at S, every transmission of a lazy port that was due before S has been
 * made, if the port leads to a node that another thread may run: a packet that arrives within the
 * window left before S, so each switch finds all that arrives there on the links to it, and takes
 * from these links alone. A packet to such a node waits for the end of the window; the rest
 * goes onto its link. A thread settles each switch with such ports up to the end of the window; the
 * engine's own thread does so only where the next window begins later than that, or where others
 * have been at switches since (settle). Where no other thread may be at either end of a link, its
 * port is settled as it is with one thread, by the arrival at its end.
 *
 * A switch belongs to a thread (partition.h). Some are for any: who has no more of his own takes
 * those over from the others; what is taken over again and again changes hands.
 */
#include "window_threads.h"
#include "core/context.h"
#include "host_agendas.h"
#include "window.h"
#include "core/windows.h"
#include "worker.h"

#include "base/rng.h"

#include <stdatomic.h>
#include <time.h>

/** Windows in a row that other threads ran a switch after which it belongs to the last of them. */
#define STOLEN 8u
/** Switches per thread from which on threads settle them together: it takes as long as a barrier.
 */
#define CATCH_UP_TOGETHER 64u

/* ---- a thread's part ---- */

/* For tests: each thread comes late at random, so that any of them is first. */
static void dawdle(const struct window_threads *c, unsigned number)
{
    struct weft_rng rng =
        weft_rng_stream(c->shuffle, "threads", c->figures.barriers * c->n + number);
    const struct timespec t = {.tv_nsec = (long)weft_rng_below(&rng, 20000)};
    if (weft_rng_below(&rng, 4) == 0)
        nanosleep(&t, NULL);
}

/* Has a switch make the transmissions that it owes before @p until_ps. */
static void catch_up_switch(struct weft_engine *e, uint32_t node, int64_t until_ps)
{
    e->windows.of[node].deferred = window_catch_up_node(e, node, until_ps);
    window_note_first(&e->windows, node);
}

/* Has a switch do what it has to in the window; false: nothing. */
static bool run_switch(struct window_threads *c, struct worker *w, unsigned number, uint32_t node)
{
    struct turn *own = &c->turns[number];
    if (w->e.windows.marks[c->place[node]].first >= c->until)
        return false;
    struct window_node *s = &w->e.windows.of[node];
    if (s->q.h[0] < c->until) {
        window_run_node(&w->e, node, c->until, c->until_ps);
        if (c->counted)
            s->load += s->events;
        window_threads_loads(c, number)[c->thread[node]] += s->events;
        own->events += s->events;
        return true;
    }
    if (!s->deferred || !s->apart)
        return false;
    s->events = 0;
    catch_up_switch(&w->e, node, c->until_ps);
    return true;
}

/* A switch that thread after thread takes over changes hands. */
static void note_runner(struct window_threads *c, struct window_node *s, unsigned number)
{
    s->stolen = s->thread == number ? 0 : s->stolen + 1;
    if (s->stolen == STOLEN) {
        s->stolen = 0;
        s->thread = (uint8_t)number;
        atomic_store_explicit(&c->changed_hands, true, memory_order_relaxed);
    }
}

void window_threads_turns(struct window_threads *c, struct worker *w, unsigned number)
{
    const struct turn *own = &c->turns[number];
    for (uint32_t i = own->first; i < own->stealable; i++)
        run_switch(c, w, number, c->switches[i]);
    for (unsigned k = 0; k < c->n; k++) {
        struct turn *t = &c->turns[(number + k) % c->n];
        const uint32_t end = t->any_end; /* on a line that its thread writes */
        for (uint32_t i; (i = atomic_fetch_add_explicit(&t->next, 1, memory_order_relaxed)) < end;)
            if (run_switch(c, w, number, c->any[i]))
                note_runner(c, &w->e.windows.of[c->any[i]], number);
    }
}

/* Settles those that are its own at first up to the beginning of the window. */
static void catch_up_turn(struct window_threads *c, struct worker *w, unsigned number)
{
    const struct turn *own = &c->turns[number];
    for (uint32_t i = own->first; i < own->end; i++) {
        const struct window_node *s = &w->e.windows.of[c->switches[i]];
        if (s->apart && (s->deferred || c->all_deferred))
            catch_up_switch(&w->e, c->switches[i], w->e.windows.done_ps);
    }
}

static void run_part(void *ctx, unsigned number)
{
    struct window_threads *c = ctx;
    struct worker *w = &c->workers[number];
    const int64_t began_ns = window_threads_clock_ns(c);
    if (c->shuffle)
        dawdle(c, number);
    worker_begin(w, c->e);
    c->work(c, w, number);
    worker_end(w);
    c->busy_ns[number] = window_threads_clock_ns(c) - began_ns;
}

/* All that a thread delivers to has come: notes the first event of its switches, by which all of
 * them are listed, and what there was to do at these. */
static void note_first(struct window_threads *c, const struct windows *w, struct turn *own)
{
    uint64_t first = KEYHEAP_EMPTY;
    const uint64_t soon = window_key(w, c->soon_ps);
    own->soon_events = 0;
    own->soon = 0;
    for (uint32_t i = own->first; i < own->end; i++) {
        const uint32_t node = c->switches[i];
        const struct window_mark *mark = &w->marks[c->place[node]];
        const uint64_t key = mark->first ? mark->first : w->of[node].q.h[0]; /* it owes something */
        if (key < soon) {
            own->soon++;
            own->soon_events += w->of[node].events + 1;
        }
        if (key < first) {
            first = key;
            own->first_node = node;
        }
    }
    own->first_ps = window_time(w, first);
    for (uint32_t i = 0; i < own->end - own->first; i++)
        w->marks[own->place + i].listed_ps = own->first_ps;
}

/* Events in the window at switches that are a thread's at first, whoever ran them. */
static uint64_t take_load(struct window_threads *c, unsigned number)
{
    uint64_t load = 0;
    for (unsigned k = 0; k < c->n; k++) {
        uint64_t *by = &window_threads_loads(c, k)[number];
        load += *by;
        *by = 0;
    }
    return load;
}

/* Packets sent in the window go onto the links. */
static void deliver(void *ctx, unsigned number)
{
    struct window_threads *c = ctx;
    const int64_t began_ns = window_threads_clock_ns(c);
    worker_deliver(c->workers, number);
    if (c->look && c->e->parts && !c->e->peers)
        c->look(&c->workers[number].e, number);
    c->turns[number].load = take_load(c, number);
    note_first(c, &c->e->windows, &c->turns[number]);
    c->busy_ns[number] = window_threads_clock_ns(c) - began_ns;
}

/* ---- a window ---- */

/* Makes the transmissions that are owed before the window, which begins at @p hosts_ps for all but
 * switches in windows. */
static void catch_up_switches(struct weft_engine *e, struct window_threads *c, int64_t hosts_ps)
{
    struct windows *w = &e->windows;
    for (uint32_t i = 0; i < c->nborder; i++)
        window_catch_up_node(e, c->border[i], hosts_ps);
    if (c->caught_up_ps >= w->done_ps && !e->windows.changed)
        return;
    c->all_deferred = e->windows.changed && e->pkts.pool.live; /* else none has anything to send */
    if (c->n > 1 && (c->shuffle || c->nswitches >= CATCH_UP_TOGETHER * c->n)) {
        window_threads_do(e, c, catch_up_turn);
    } else {
        for (uint32_t i = 0; i < c->nswitches; i++) {
            const struct window_node *s = &w->of[c->switches[i]];
            if (s->apart && (s->deferred || c->all_deferred))
                catch_up_switch(e, c->switches[i], w->done_ps);
        }
    }
    e->windows.changed = false;
    c->caught_up_ps = w->done_ps;
}

static void mix(uint32_t *of, uint32_t n, struct weft_rng *rng)
{
    for (uint32_t i = n; i > 1; i--) {
        const uint32_t k = (uint32_t)weft_rng_below(rng, i), node = of[k];
        of[k] = of[i - 1];
        of[i - 1] = node;
    }
}

/* For tests: any order of switches, any thread. */
static void shuffle(struct weft_engine *e, struct window_threads *c)
{
    struct weft_rng rng = weft_rng_stream(c->shuffle, "switches", c->figures.windows);
    for (unsigned k = 0; k < c->n; k++) {
        const struct turn *own = &c->turns[k];
        mix(&c->switches[own->first], own->stealable - own->first, &rng);
        mix(&c->switches[own->stealable], own->end - own->stealable, &rng);
        for (uint32_t i = own->stealable; i < own->end; i++)
            e->windows.of[c->switches[i]].thread = (uint8_t)weft_rng_below(&rng, c->n);
    }
    window_threads_list_any(e, c);
}

/* Free records go to threads that want some. */
static void hand_out(struct weft_engine *e, struct window_threads *c)
{
    for (unsigned i = 0; i < c->n; i++)
        worker_give(&c->workers[i], e);
    const unsigned first = (unsigned)(c->figures.windows % c->n);
    for (unsigned i = 0; i < c->n && e->telemetry.stacks.free_head != NIL; i++)
        if (worker_give_stacks(&c->workers[(first + i) % c->n], e))
            return;
}

/* Enters the first switch of each thread into windows.order, which stands for all of it. */
static void list_firsts(struct weft_engine *e, const struct window_threads *c)
{
    keyheap_clear(&e->windows.order);
    for (unsigned k = 0; k < c->n; k++)
        if (c->turns[k].first_ps != WEFT_NEVER)
            window_list(e, c->turns[k].first_node, c->turns[k].first_ps);
    e->windows.one_per_thread = true;
}

void window_threads_do(struct weft_engine *e, struct window_threads *c, window_threads_work *work)
{
    c->work = work;
    host_agendas_change(e);
    window_threads_spent(c, WEFT_ALONE_LIST);
    for (unsigned k = 0; k < WORKER_POOLS; k++)
        atomic_store_explicit(&c->untouched[k], worker_all(e, k)->n, memory_order_relaxed);
    const unsigned threads = window_threads_together(c, run_part);
    if (threads < c->n && !e->choice)
        engine_fail(e, WEFT_E_LIMIT, "the system gives %u threads, not %u", threads, c->n);
    window_threads_together(c, deliver);
    for (unsigned k = 0; k < WORKER_POOLS; k++) {
        worker_all(e, k)->n = atomic_load_explicit(&c->untouched[k], memory_order_relaxed);
        stable_note_room(worker_all(e, k));
    }
    list_firsts(e, c);
    window_threads_spent(c, WEFT_ALONE_LIST);
    for (unsigned i = 0; i < c->n; i++)
        worker_join(&c->workers[i], e);
    hand_out(e, c);
    window_threads_spent(c, WEFT_ALONE_JOIN);
}

void window_threads_begin_hosts(struct weft_engine *e, struct window_threads *c, int64_t hosts_ps)
{
    window_threads_spent(c, WEFT_ALONE_EVENTS);
    c->e = e;
    for (uint32_t i = 0; c->counted && i < c->nswitches; i++)
        e->windows.of[c->switches[i]].events = 0;
    c->soon_ps = e->windows.done_ps + e->windows.lookahead_ps;
    catch_up_switches(e, c, hosts_ps);
    window_threads_spent(c, WEFT_ALONE_SETTLE);
}

void window_threads_begin(struct weft_engine *e, struct window_threads *c, int64_t hosts_ps,
                          int64_t until_ps)
{
    window_threads_begin_hosts(e, c, hosts_ps);
    c->until_ps = c->caught_up_ps = until_ps;
    c->until = window_key(&e->windows, until_ps);
    c->soon_ps = until_ps + e->windows.lookahead_ps;
    if (c->shuffle)
        shuffle(e, c);
    else if (atomic_load_explicit(&c->changed_hands, memory_order_relaxed))
        window_threads_list_any(e, c);
    atomic_store_explicit(&c->changed_hands, false, memory_order_relaxed);
    for (unsigned k = 0; k < c->n; k++) {
        struct turn *t = &c->turns[k];
        atomic_store_explicit(&t->next, t->any, memory_order_relaxed);
    }
}

void window_threads_end(struct window_threads *c, uint64_t events)
{
    for (unsigned k = 0; k < c->n; k++) {
        struct turn *t = &c->turns[k];
        events += t->events;
        t->sum += t->load;
        t->events = 0;
    }
    c->figures.events += events;
    if (!c->counted && !c->posting)
        return;
    window_threads_spent(c, WEFT_ALONE_JOIN);
    loads_project(c->e, events);
    c->mark_ns =
        c->measured ? thread_pool_cpu_ns() : 0; /* a run without figures does not do that */
}

/* Whether what was seen at the end of the last window says so: there may be more by now. */
static bool soon_worthwhile(const struct window_threads *c, uint64_t enough)
{
    uint64_t events = 0;
    uint32_t n = 0;
    for (unsigned k = 0; k < c->n; k++) {
        n += c->turns[k].soon;
        events += c->turns[k].soon_events;
    }
    return n > 1 && events >= enough;
}

bool window_threads_worthwhile(struct weft_engine *e, const struct window_threads *c,
                               int64_t until_ps)
{
    const struct windows *w = &e->windows;
    const uint64_t until = window_key(w, until_ps);
    const uint64_t enough = window_threads_enough(c->n);
    uint64_t events = 0;
    uint32_t n = 0;
    if (c->shuffle)
        return window_first(e) < until_ps;
    if (w->one_per_thread && until_ps >= c->soon_ps && soon_worthwhile(c, enough))
        return true;
    const uint32_t all = w->one_per_thread ? c->nswitches : w->order.n;
    for (uint32_t i = 0; i < all && (n < 2 || events < enough); i++) {
        const uint32_t node = w->one_per_thread ? c->switches[i] : window_switch(w->order.h[i]);
        const struct window_node *s = &w->of[node];
        if (s->q.h[0] < until && (w->one_per_thread || window_time(w, w->order.h[i]) ==
                                                           window_mark(w, node)->listed_ps)) {
            events += s->events + 1;
            n++;
        }
    }
    return n > 1 && events >= enough;
}

bool window_threads_run(struct weft_engine *e, int64_t until_ps)
{
    struct window_threads *c = e->threads;
    if (!c || !window_threads_worthwhile(e, c, until_ps))
        return false;
    window_threads_begin(e, c, e->windows.done_ps, until_ps);
    window_threads_do(e, c, window_threads_turns);
    window_threads_end(c, 0);
    window_threads_measure(c);
    return true;
}
