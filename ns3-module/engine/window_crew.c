/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Windows in which several threads run the switches.
 *
 * Before a window begins at S, every transmission of a lazy port that was due before S has been
 * made: a packet that arrives within the window left before S, so each switch finds all that
 * arrives there on the links to it, and takes from these links alone. What it sends waits in
 * outboxes for the end of the window. A thread settles each switch up to the end of the window; the
 * engine's own thread does so only where the next window begins later than that, or where others
 * have been at switches since (settle).
 *
 * A switch belongs to the thread that ran it last. One that has no more of its own takes over from
 * the others, so that the parts follow the load.
 */
#include "window_crew.h"
#include "context.h"
#include "crew.h"
#include "delay.h"
#include "port.h"
#include "window.h"
#include "window_node.h"
#include "window_queue.h"
#include "worker.h"

#include "base/rng.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MOST_THREADS 255u
/** Events of the last windows per thread below which one does it alone: a barrier takes as long as
 * some hundred. */
#define WORTHWHILE 200u

/** The switches of a thread that take part in a window. */
struct turn {
    uint32_t first, end;
    _Alignas(64) _Atomic uint32_t next; /**< not taken yet */
};

struct window_crew {
    struct crew *crew;
    unsigned n;
    struct worker *workers;
    struct outbox *out; /**< by port */
    _Atomic uint32_t untouched[2];
    uint32_t *switches, nswitches;
    uint32_t *nodes; /**< that take part in the window, by thread */
    struct turn *turns;
    int64_t settled_ps; /**< all transmissions before this time have been made */
    bool look_again;    /**< any switch may owe some */
    uint64_t shuffle;   /**< not 0, for tests: seed of random orders */
    /* this window */
    struct weft_engine *e;
    int64_t until_ps;
    uint64_t until;
    int64_t *busy_ns; /**< by thread */
    struct weft_thread_figures figures;
};

/* ---- life ---- */

static void fini(struct window_crew *c)
{
    if (!c)
        return;
    crew_free(c->crew);
    for (unsigned i = 0; c->workers && i < c->n; i++)
        worker_fini(&c->workers[i]);
    free(c->workers);
    free(c->out);
    free(c->switches);
    free(c->nodes);
    free(c->turns);
    free(c->busy_ns);
    free(c);
}

void window_crew_fini(struct weft_engine *e)
{
    fini(e->crew);
    e->crew = NULL;
}

uint64_t window_crew_bytes(const struct weft_engine *e)
{
    const struct window_crew *c = e->crew;
    return c ? c->n * sizeof *c->workers + e->fabric->nports * sizeof *c->out +
                   2 * (uint64_t)c->nswitches * sizeof *c->nodes
             : 0;
}

/* Memory of its own for each thread, on its own cache lines. */
static void *lines(size_t n, size_t size)
{
    void *p = aligned_alloc(64, (n * size + 63) / 64 * 64);
    if (p)
        memset(p, 0, (n * size + 63) / 64 * 64);
    return p;
}

/* The switches; at first those of each thread are neighbours in the fabric's numbering. */
static void list_switches(struct weft_engine *e, struct window_crew *c)
{
    for (uint32_t n = 0; n < e->fabric->nnodes; n++)
        if (e->fabric->nodes[n].host == NIL)
            c->switches[c->nswitches++] = n;
    for (uint32_t i = 0; i < c->nswitches; i++)
        e->windows.of[c->switches[i]].thread = (uint8_t)((uint64_t)i * c->n / c->nswitches);
}

static int init(struct weft_engine *e, struct window_crew *c, struct weft_err *err)
{
    const size_t nports = e->fabric->nports + (size_t)1, nnodes = e->fabric->nnodes + (size_t)1;
    c->workers = lines(c->n, sizeof *c->workers);
    c->turns = lines(c->n, sizeof *c->turns);
    c->busy_ns = calloc(c->n, sizeof *c->busy_ns);
    c->out = malloc(nports * sizeof *c->out);
    c->switches = malloc(nnodes * sizeof *c->switches);
    c->nodes = malloc(nnodes * sizeof *c->nodes);
    if (!c->workers || !c->turns || !c->busy_ns || !c->out || !c->switches || !c->nodes)
        return weft_err_set(err, WEFT_E_LIMIT, "out of memory for %u threads", c->n);
    for (size_t i = 0; i < nports; i++)
        c->out[i].head = NIL;
    for (unsigned i = 0; i < c->n; i++)
        worker_init(&c->workers[i], c->out, c->untouched);
    list_switches(e, c);
    c->settled_ps = INT64_MIN;
    c->look_again = true;
    if (delay_reserve(e))
        return weft_err_set(err, WEFT_E_LIMIT, "%s", e->err.msg);
    return crew_new(c->n, &c->crew, err);
}

int weft_engine_set_threads(struct weft_engine *e, unsigned n, uint64_t shuffle,
                            struct weft_err *err)
{
    if (n == 0)
        n = crew_processors();
    if (n > MOST_THREADS)
        return weft_err_set(err, WEFT_E_INPUT, "%u threads: at most %u", n, MOST_THREADS);
    window_crew_fini(e);
    if (n == 1 || e->fabric->nswitches < 2)
        return 0;
    struct window_crew *c = calloc(1, sizeof *c);
    if (!c)
        return weft_err_set(err, WEFT_E_LIMIT, "out of memory for %u threads", n);
    c->n = n;
    c->shuffle = shuffle;
    const int rc = init(e, c, err);
    if (rc)
        fini(c);
    else
        e->crew = c;
    return rc;
}

void window_crew_look_again(struct weft_engine *e)
{
    if (e->crew)
        e->crew->look_again = true;
}

/* ---- a thread's part ---- */

static void run_switch(struct window_crew *c, struct worker *w, uint32_t node)
{
    struct window_node *s = &w->e.windows.of[node];
    if (s->q.h[0] < c->until) {
        window_run_node(&w->e, node, c->until, c->until_ps);
    } else {
        s->events = 0;
        s->owes = window_settle_node(&w->e, node, c->until_ps);
    }
}

/* For tests: each thread comes late at random, so that any of them is first. */
static void dawdle(const struct window_crew *c, unsigned number)
{
    struct weft_rng rng =
        weft_rng_stream(c->shuffle, "threads", c->figures.windows * c->n + number);
    const struct timespec t = {.tv_nsec = (long)weft_rng_below(&rng, 20000)};
    if (weft_rng_below(&rng, 4) == 0)
        nanosleep(&t, NULL);
}

static void run_part(void *ctx, unsigned number)
{
    struct window_crew *c = ctx;
    struct worker *w = &c->workers[number];
    const int64_t began_ns = crew_cpu_ns();
    if (c->shuffle)
        dawdle(c, number);
    worker_begin(w, c->e);
    for (unsigned k = 0; k < c->n; k++) {
        struct turn *t = &c->turns[(number + k) % c->n];
        for (uint32_t i;
             (i = atomic_fetch_add_explicit(&t->next, 1, memory_order_relaxed)) < t->end;) {
            w->e.windows.of[c->nodes[i]].thread = (uint8_t)number;
            run_switch(c, w, c->nodes[i]);
        }
    }
    worker_end(w);
    c->busy_ns[number] = crew_cpu_ns() - began_ns;
}

/* ---- a window ---- */

/* Makes the transmissions that are owed before the window. */
static void settle(struct weft_engine *e, struct window_crew *c)
{
    struct windows *w = &e->windows;
    for (uint32_t i = 0; i < c->nswitches; i++) {
        struct window_node *s = &w->of[c->switches[i]];
        if (s->owes || c->look_again)
            s->owes = window_settle_node(e, c->switches[i], w->done_ps);
    }
    c->look_again = false;
    c->settled_ps = w->done_ps;
}

/* For tests: any order of switches, any thread. */
static void shuffle(struct weft_engine *e, struct window_crew *c)
{
    struct weft_rng rng = weft_rng_stream(c->shuffle, "switches", c->figures.windows);
    for (uint32_t i = c->nswitches; i > 1; i--) {
        const uint32_t k = (uint32_t)weft_rng_below(&rng, i), node = c->switches[k];
        c->switches[k] = c->switches[i - 1];
        c->switches[i - 1] = node;
        e->windows.of[node].thread = (uint8_t)weft_rng_below(&rng, c->n);
    }
}

/* Whether a switch has something to do in the window. */
static bool takes_part(const struct window_node *s, uint64_t until)
{
    return s->q.h[0] < until || s->owes;
}

/* What the window would take with this many threads: the events of the busiest at best. */
static void project(struct weft_thread_figures *f, uint64_t events, uint64_t most)
{
    f->events += events;
    for (int i = 0; i < WEFT_THREAD_PROJECTIONS; i++) {
        const uint64_t share = events / weft_thread_projections[i];
        f->critical_events[i] += share > most ? share : most;
    }
}

/* Whether enough happened lately for several threads. */
static bool worthwhile(const struct weft_engine *e, const struct window_crew *c, uint64_t until)
{
    uint64_t events = 0;
    uint32_t n = 0;
    for (uint32_t i = 0; i < c->nswitches; i++) {
        const struct window_node *s = &e->windows.of[c->switches[i]];
        if (s->q.h[0] < until) {
            events += s->events + 1;
            n++;
        }
    }
    return c->shuffle ? n > 0 : n >= c->n && events >= (uint64_t)WORTHWHILE * c->n;
}

/* Lists the switches that take part, by thread. */
static void list_turns(const struct weft_engine *e, struct window_crew *c)
{
    uint32_t count[MOST_THREADS + 1] = {0};
    for (uint32_t i = 0; i < c->nswitches; i++) {
        struct window_node *s = &e->windows.of[c->switches[i]];
        s->listed_ps = INT64_MIN; /* until all are listed again */
        if (takes_part(s, c->until))
            count[s->thread]++;
    }
    uint32_t at = 0;
    for (unsigned k = 0; k < c->n; k++) {
        c->turns[k].first = c->turns[k].end = at;
        atomic_store_explicit(&c->turns[k].next, at, memory_order_relaxed);
        at += count[k];
    }
    for (uint32_t i = 0; i < c->nswitches; i++) {
        const struct window_node *s = &e->windows.of[c->switches[i]];
        if (takes_part(s, c->until))
            c->nodes[c->turns[s->thread].end++] = c->switches[i];
    }
}

/* Free records go to threads that want some. */
static void hand_out(struct weft_engine *e, struct window_crew *c)
{
    for (unsigned i = 0; i < c->n; i++)
        worker_give_packets(&c->workers[i], e);
    const unsigned first = (unsigned)(c->figures.windows % c->n);
    for (unsigned i = 0; i < c->n && e->telemetry.stacks.free_head != NIL; i++)
        if (worker_give_stacks(&c->workers[(first + i) % c->n], e))
            return;
}

/* Takes over what the threads have done. */
static void join(struct weft_engine *e, struct window_crew *c)
{
    struct windows *w = &e->windows;
    e->pkts.pool.n = atomic_load_explicit(&c->untouched[0], memory_order_relaxed);
    e->telemetry.stacks.n = atomic_load_explicit(&c->untouched[1], memory_order_relaxed);
    for (unsigned i = 0; i < c->n; i++)
        worker_join(&c->workers[i], e);
    hand_out(e, c);
    keyheap_clear(&w->order);
    uint64_t events = 0, most = 0;
    for (uint32_t i = 0; i < c->turns[c->n - 1].end; i++) {
        const struct window_node *s = &w->of[c->nodes[i]];
        events += s->events;
        most = s->events > most ? s->events : most;
    }
    for (uint32_t i = 0; i < c->nswitches; i++) {
        struct window_node *s = &w->of[c->switches[i]];
        s->listed_ps = WEFT_NEVER;
        if (s->q.n)
            window_list(e, c->switches[i], window_time(w, s->q.h[0]));
    }
    project(&c->figures, events, most);
}

static void measure(struct window_crew *c, int64_t began_ns, int64_t done_ns, int64_t joined_ns)
{
    int64_t most = 0;
    for (unsigned i = 0; i < c->n; i++) {
        c->figures.busy_ns += c->busy_ns[i];
        most = c->busy_ns[i] > most ? c->busy_ns[i] : most;
    }
    c->figures.critical_ns += most;
    c->figures.run_ns += done_ns - began_ns;
    c->figures.join_ns += joined_ns - done_ns;
    c->figures.windows++;
}

bool window_crew_run(struct weft_engine *e, int64_t until_ps)
{
    struct window_crew *c = e->crew;
    struct windows *w = &e->windows;
    if (!c)
        return false;
    const int64_t asked_ns = crew_wall_ns();
    c->until_ps = until_ps;
    c->until = window_key(w, until_ps);
    if (!worthwhile(e, c, c->until))
        return false;
    if (c->shuffle)
        shuffle(e, c);
    if (c->settled_ps < w->done_ps || c->look_again)
        settle(e, c);
    c->e = e;
    list_turns(e, c);
    atomic_store_explicit(&c->untouched[0], e->pkts.pool.n, memory_order_relaxed);
    atomic_store_explicit(&c->untouched[1], e->telemetry.stacks.n, memory_order_relaxed);
    crew_do(c->crew, run_part, c);
    const int64_t done_ns = crew_wall_ns();
    join(e, c);
    c->settled_ps = until_ps;
    measure(c, asked_ns, done_ns, crew_wall_ns());
    return true;
}

void weft_engine_thread_figures(const struct weft_engine *e, struct weft_thread_figures *out)
{
    *out = (struct weft_thread_figures){.threads = 1};
    if (e->crew) {
        *out = e->crew->figures;
        out->threads = e->crew->n;
    }
}
