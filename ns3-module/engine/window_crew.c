/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Windows in which several threads run the switches.
 *
 * Before a window begins at S, every transmission of a lazy port that was due before S has been
 * made: a packet that arrives within the window left before S, so each switch finds all that
 * arrives there on the links to it, and takes from these links alone. What it sends to a node that
 * another thread may run waits for the end of the window; the rest goes onto its link. A thread
 * settles each switch up to the end of the window; the engine's own thread does so only where the
 * next window begins later than that, or where others have been at switches since (settle).
 *
 * A switch belongs to a thread (partition.h). Some are for any: who has no more of his own takes
 * those over from the others; what is taken over again and again changes hands. Where threads wait
 * much for each other all the same, all switches are for any (window_times.c).
 */
#include "window_crew.h"
#include "window_crew_inside.h"
#include "context.h"
#include "crew.h"
#include "delay.h"
#include "host_agendas.h"
#include "partition.h"
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

/** Windows in a row that other threads ran a switch after which it belongs to the last of them. */
#define STRAYED 8u

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
    free(c->border);
    free(c->turns);
    free(c->busy_ns);
    free(c->thread);
    free(c->loose);
    free(c->to);
    free(c);
}

void window_crew_fini(struct weft_engine *e)
{
    host_agendas_gather(e);
    if (e->crew)
        host_agendas_free(e->crew->parts);
    fini(e->crew);
    e->crew = NULL;
}

uint64_t window_crew_bytes(const struct weft_engine *e)
{
    const struct window_crew *c = e->crew;
    return c ? c->n * sizeof *c->workers + (c->out ? e->fabric->nports * sizeof *c->out : 0) +
                   (2 * (uint64_t)c->nswitches + c->nborder) * sizeof *c->nodes
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

/* Whether a switch that does not run in windows has a link to another cluster, or to one that does.
 */
static bool at_border(const struct weft_engine *e, uint32_t node)
{
    const struct weft_fabric_node *n = &e->fabric->nodes[node];
    bool border = false;
    for (uint32_t i = n->first_port; i < n->first_port + n->nports; i++)
        border |= !(e->ports[i].ends & TOGETHER);
    return border && n->host == NIL && !e->windows.clusters.in_windows[node];
}

/* Whether several threads may have to do with the two ends of a link in a window: not where both
 * are of one, and one of them at least is a switch in windows, as a cluster may be held. */
static bool apart(const struct weft_engine *e, const struct window_crew *c, uint32_t own,
                  uint32_t far, uint8_t ends)
{
    if (ends & TOGETHER)
        return false;
    return !(ends & (FAR_IN_WINDOWS | OWN_IN_WINDOWS)) || c->thread[own] != c->thread[far] ||
           e->windows.of[own].loose || e->windows.of[far].loose;
}

static void note_ends(struct weft_engine *e, struct window_crew *c, uint32_t port)
{
    struct port *p = &e->ports[port];
    const uint32_t far = far_node(e, port);
    c->to[port] = c->thread[far];
    if (!port_known(e, port))
        return;
    const uint8_t ends = p->ends & (uint8_t) ~(APART | TO_CLUSTER);
    p->ends =
        (uint8_t)(ends | (apart(e, c, p->node, far, ends) ? APART : 0) |
                  ((ends & (FAR_IN_WINDOWS | OWN_IN_WINDOWS)) == OWN_IN_WINDOWS ? TO_CLUSTER : 0));
}

/* Whether any thread may run any switch. */
static bool all_loose(const struct window_crew *c)
{
    return c->uneven || c->shuffle >> 2 & 1;
}

void window_crew_list(struct weft_engine *e)
{
    struct window_crew *c = e->crew;
    const struct clusters *of = &e->windows.clusters;
    if (!c)
        return;
    c->nswitches = c->nborder = 0;
    partition(e->fabric, c->n, of->of, c->thread, c->loose);
    for (uint32_t n = 0; n < e->fabric->nnodes; n++) {
        if (e->fabric->nodes[n].host == NIL) {
            e->windows.of[n].thread = c->thread[n];
            e->windows.of[n].loose = c->n > 1 && of->in_windows[n] && (c->loose[n] || all_loose(c));
        }
        if (!peers_own(e, n))
            continue;
        if (of->in_windows[n])
            c->switches[c->nswitches++] = n;
        else if (at_border(e, n))
            c->border[c->nborder++] = n;
    }
    for (uint32_t i = 0; i < e->fabric->nports; i++)
        note_ends(e, c, i);
}

static int init(struct weft_engine *e, struct window_crew *c, struct weft_err *err)
{
    const size_t nports = e->fabric->nports + (size_t)1, nnodes = e->fabric->nnodes + (size_t)1;
    c->workers = lines(c->n, sizeof *c->workers);
    c->turns = lines(c->n, sizeof *c->turns);
    c->busy_ns = calloc(c->n, sizeof *c->busy_ns);
    c->out = e->peers ? malloc(nports * sizeof *c->out) : NULL;
    c->loose = malloc(nnodes * sizeof *c->loose);
    c->switches = malloc(nnodes * sizeof *c->switches);
    c->nodes = malloc(nnodes * sizeof *c->nodes);
    c->border = malloc(nnodes * sizeof *c->border);
    c->thread = malloc(nnodes);
    c->to = malloc(nports);
    if (!c->thread || !c->loose || !c->to || !c->workers || !c->turns || !c->busy_ns ||
        (e->peers && !c->out) || !c->switches || !c->nodes || !c->border)
        return weft_err_set(err, WEFT_E_LIMIT, "out of memory for %u threads", c->n);
    for (uint32_t i = 0; c->out && i < e->fabric->nports; i++)
        if (peers_own(e, e->fabric->ports[i].node))
            c->out[i].head = NIL;
    for (unsigned i = 0; i < c->n; i++)
        if (!worker_init(&c->workers[i], c->n, c->to, c->untouched))
            return weft_err_set(err, WEFT_E_LIMIT, "out of memory for %u threads", c->n);
    c->settled_ps = INT64_MIN;
    c->look_again = c->measured = true;
    if (delay_reserve(e))
        return weft_err_set(err, WEFT_E_LIMIT, "%s", e->err.msg);
    return crew_new(c->n, &c->crew, err);
}

int window_crew_make(struct weft_engine *e, unsigned n, uint64_t shuffle, struct weft_err *err)
{
    window_crew_fini(e);
    if (!e->peers && (n == 1 || e->fabric->nswitches < 2))
        return 0;
    struct window_crew *c = calloc(1, sizeof *c);
    if (!c)
        return weft_err_set(err, WEFT_E_LIMIT, "out of memory for %u threads", n);
    c->n = n;
    c->shuffle = shuffle;
    const int rc = init(e, c, err);
    if (rc) {
        fini(c);
        return rc;
    }
    e->crew = c;
    window_crew_list(e);
    return 0;
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

void window_crew_dawdle(const struct window_crew *c, unsigned number)
{
    struct weft_rng rng =
        weft_rng_stream(c->shuffle, "threads", c->figures.windows * c->n + number);
    const struct timespec t = {.tv_nsec = (long)weft_rng_below(&rng, 20000)};
    if (weft_rng_below(&rng, 4) == 0)
        nanosleep(&t, NULL);
}

/* A switch that thread after thread takes over changes hands. */
static void note_runner(struct window_node *s, unsigned number)
{
    s->strayed = s->thread == number ? 0 : s->strayed + 1;
    if (s->strayed == STRAYED) {
        s->strayed = 0;
        s->thread = (uint8_t)number;
    }
}

void window_crew_turns(struct window_crew *c, struct worker *w, unsigned number)
{
    const struct turn *own = &c->turns[number];
    for (uint32_t i = own->first; i < own->loose; i++)
        run_switch(c, w, c->nodes[i]);
    for (unsigned k = 0; k < c->n; k++) {
        struct turn *t = &c->turns[(number + k) % c->n];
        for (uint32_t i;
             (i = atomic_fetch_add_explicit(&t->next, 1, memory_order_relaxed)) < t->end;) {
            note_runner(&w->e.windows.of[c->nodes[i]], number);
            run_switch(c, w, c->nodes[i]);
        }
    }
}

static void run_part(void *ctx, unsigned number)
{
    struct window_crew *c = ctx;
    struct worker *w = &c->workers[number];
    const int64_t began_ns = window_crew_clock_ns(c);
    if (c->shuffle)
        window_crew_dawdle(c, number);
    worker_begin(w, c->e);
    window_crew_turns(c, w, number);
    worker_end(w);
    c->busy_ns[number] = window_crew_clock_ns(c) - began_ns;
}

/* ---- a window ---- */

/* Makes the transmissions that are owed before the window, which begins at @p hosts_ps for all but
 * switches in windows. */
static void settle(struct weft_engine *e, struct window_crew *c, int64_t hosts_ps)
{
    struct windows *w = &e->windows;
    for (uint32_t i = 0; i < c->nborder; i++)
        window_settle_node(e, c->border[i], hosts_ps);
    const bool all = c->look_again && e->pkts.pool.live; /* else none has anything to send */
    if (c->settled_ps >= w->done_ps && !c->look_again)
        return;
    for (uint32_t i = 0; i < c->nswitches; i++) {
        struct window_node *s = &w->of[c->switches[i]];
        if (s->owes || all)
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
        if (e->windows.of[node].loose)
            e->windows.of[node].thread = (uint8_t)weft_rng_below(&rng, c->n);
    }
}

/* Whether a switch has something to do in the window. */
static bool takes_part(const struct window_node *s, uint64_t until)
{
    return s->q.h[0] < until || s->owes;
}

/* What a window would take with so many threads: the events of the busiest at best. */
static void project(struct weft_thread_figures *f, uint64_t events, uint64_t most)
{
    f->events += events;
    for (int i = 0; i < WEFT_THREAD_PROJECTIONS; i++) {
        const uint64_t share = events / weft_thread_projections[i];
        f->critical_events[i] += share > most ? share : most;
    }
}

/* Lists the switches that take part, by thread, those that only it may run first. */
static void list_turns(const struct weft_engine *e, struct window_crew *c)
{
    uint32_t count[2 * (MOST_THREADS + 1)] = {0};
    for (uint32_t i = 0; i < c->nswitches; i++) {
        struct window_node *s = &e->windows.of[c->switches[i]];
        s->listed_ps = INT64_MIN; /* until all are listed again */
        if (takes_part(s, c->until))
            count[2 * s->thread + s->loose]++;
    }
    uint32_t at = 0;
    for (unsigned k = 0; k < c->n; k++) {
        struct turn *t = &c->turns[k];
        t->first = at;
        t->loose = at + count[2 * k];
        t->end = at = t->loose + count[2 * k + 1];
        count[2 * k] = t->first;
        count[2 * k + 1] = t->loose;
        atomic_store_explicit(&t->next, t->loose, memory_order_relaxed);
    }
    for (uint32_t i = 0; i < c->nswitches; i++) {
        const struct window_node *s = &e->windows.of[c->switches[i]];
        if (takes_part(s, c->until))
            c->nodes[count[2 * s->thread + s->loose]++] = c->switches[i];
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

/* What was sent in the window goes onto the links. */
static void deliver(void *ctx, unsigned number)
{
    struct window_crew *c = ctx;
    const int64_t began_ns = window_crew_clock_ns(c);
    worker_deliver(c->workers, number);
    c->busy_ns[number] += window_crew_clock_ns(c) - began_ns;
}

void window_crew_do(struct weft_engine *e, struct window_crew *c,
                    void (*fn)(void *ctx, unsigned number), void *ctx)
{
    atomic_store_explicit(&c->untouched[0], e->pkts.pool.n, memory_order_relaxed);
    atomic_store_explicit(&c->untouched[1], e->telemetry.stacks.n, memory_order_relaxed);
    const int64_t began_ns = crew_wall_ns();
    crew_do(c->crew, fn, ctx);
    crew_do(c->crew, deliver, c);
    c->done_ns = crew_wall_ns();
    c->run_ns = c->done_ns - began_ns;
    c->figures.run_ns += c->run_ns;
    e->pkts.pool.n = atomic_load_explicit(&c->untouched[0], memory_order_relaxed);
    e->telemetry.stacks.n = atomic_load_explicit(&c->untouched[1], memory_order_relaxed);
    for (unsigned i = 0; i < c->n; i++)
        worker_join(&c->workers[i], e);
    hand_out(e, c);
}

void window_crew_begin(struct weft_engine *e, struct window_crew *c, int64_t hosts_ps,
                       int64_t until_ps)
{
    c->e = e;
    c->until_ps = until_ps;
    c->until = window_key(&e->windows, until_ps);
    if (c->list_again)
        window_crew_list(e);
    c->list_again = false;
    if (c->shuffle)
        shuffle(e, c);
    settle(e, c, hosts_ps);
    list_turns(e, c);
}

/* Enters switches into windows.order. */
static void list_all(struct weft_engine *e, const struct window_crew *c)
{
    struct windows *w = &e->windows;
    keyheap_clear(&w->order);
    for (uint32_t i = 0; i < c->nswitches; i++) {
        struct window_node *s = &w->of[c->switches[i]];
        s->listed_ps = WEFT_NEVER;
        if (s->q.n)
            window_list(e, c->switches[i], window_time(w, s->q.h[0]));
    }
}

void window_crew_end(struct weft_engine *e, struct window_crew *c, uint64_t events, uint64_t most)
{
    const struct windows *w = &e->windows;
    for (uint32_t i = 0; i < c->turns[c->n - 1].end; i++) {
        const struct window_node *s = &w->of[c->nodes[i]];
        events += s->events;
        most = s->events > most ? s->events : most;
    }
    list_all(e, c);
    c->settled_ps = c->until_ps;
    project(&c->figures, events, most);
}

void window_crew_begin_hosts(struct weft_engine *e, struct window_crew *c, int64_t hosts_ps)
{
    settle(e, c, hosts_ps);
    for (uint32_t i = 0; i < c->nswitches; i++)
        e->windows.of[c->switches[i]].listed_ps = INT64_MIN;
}

void window_crew_end_hosts(struct weft_engine *e, struct window_crew *c, uint64_t events,
                           uint64_t most)
{
    list_all(e, c);
    project(&c->figures, events, most);
}

bool window_crew_worthwhile(const struct weft_engine *e, const struct window_crew *c,
                            int64_t until_ps)
{
    const uint64_t until = window_key(&e->windows, until_ps);
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

bool window_crew_run(struct weft_engine *e, int64_t until_ps)
{
    struct window_crew *c = e->crew;
    if (!c || !window_crew_worthwhile(e, c, until_ps))
        return false;
    window_crew_begin(e, c, e->windows.done_ps, until_ps);
    window_crew_do(e, c, run_part, c);
    window_crew_end(e, c, 0, 0);
    window_crew_measure(c);
    return true;
}
