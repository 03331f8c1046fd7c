/* SPDX-License-Identifier: GPL-2.0-only */
/* The threads of windows, and which nodes are whose. Their work: window_threads.h. */
#include "switch/pause_clock.h"
#include "window_threads.h"
#include "core/context.h"
#include "thread_pool.h"
#include "host_agendas.h"
#include "partition.h"
#include "core/port.h"
#include "window.h"
#include "core/windows.h"
#include "worker.h"

#include <stdlib.h>
#include <string.h>

/* ---- life ---- */

static void fini(struct window_threads *c)
{
    if (!c)
        return;
    thread_pool_free(c->pool);
    for (unsigned i = 0; c->workers && i < c->n; i++)
        worker_fini(&c->workers[i]);
    free(c->workers);
    free(c->out);
    free(c->switches);
    free(c->any);
    free(c->border);
    free(c->turns);
    free(c->busy_ns);
    free(c->thread);
    free(c->stealable);
    free(c->load);
    free(c->seen_load);
    free(c->to);
    free(c->place);
    free(c->loads);
    free(c->projection);
    free(c);
}

void window_threads_list_all(struct weft_engine *e)
{
    struct windows *w = &e->windows;
    if (!w->one_per_thread)
        return;
    keyheap_clear(&w->order);
    for (uint32_t i = 0; i < e->threads->nswitches; i++) {
        const uint32_t node = e->threads->switches[i];
        window_mark(w, node)->listed_ps = WEFT_NEVER;
        if (w->of[node].q.n)
            window_list(e, node, window_time(w, w->of[node].q.h[0]));
    }
    w->one_per_thread = false;
}

void window_threads_fini(struct weft_engine *e)
{
    host_agendas_gather(e);
    window_threads_list_all(e);
    struct window_threads *c = e->threads;
    if (!e->peers)
        e->windows.least_ps = WINDOW_LEAST_PS;
    e->threads = NULL; /* a signal may look meanwhile (event_now.c) */
    atomic_signal_fence(memory_order_seq_cst);
    if (c)
        host_agendas_free(c->parts);
    fini(c);
}

uint64_t window_threads_bytes(const struct weft_engine *e)
{
    const struct window_threads *c = e->threads;
    return c ? c->n * sizeof *c->workers + e->fabric->nports * sizeof *c->out +
                   (2 * (uint64_t)c->nswitches + c->nborder) * sizeof *c->switches +
                   e->fabric->nnodes * (2 * sizeof *c->load + sizeof *c->place)
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
        border |= !(e->ends[i].ends & TOGETHER);
    return border && n->host == NIL && !e->windows.clusters.in_windows[node];
}

/* Whether several threads may have to do with the two ends of a link in a window: not where both
 * are of one, and one of them at least is a switch in windows, as a cluster may be held. */
static bool apart(const struct weft_engine *e, const struct window_threads *c, uint32_t own,
                  uint32_t far, uint8_t ends)
{
    if (ends & TOGETHER)
        return false;
    return !(ends & (FAR_IN_WINDOWS | OWN_IN_WINDOWS)) || c->thread[own] != c->thread[far] ||
           e->windows.of[own].stealable || e->windows.of[far].stealable;
}

static void note_ends(struct weft_engine *e, struct window_threads *c, uint32_t port)
{
    const uint32_t own = e->fabric->ports[port].node, far = far_node(e, port);
    c->to[port] = c->thread[far];
    if (!end_known(e, port))
        return;
    const uint8_t ends = e->ends[port].ends & (uint8_t) ~(APART | TO_CLUSTER);
    const bool is_apart = apart(e, c, own, far, ends),
               to_cluster = (ends & (FAR_IN_WINDOWS | OWN_IN_WINDOWS)) == OWN_IN_WINDOWS;
    set_ends(e, port, ends | (is_apart ? APART : 0) | (to_cluster ? TO_CLUSTER : 0));
    if (is_apart && ends & OWN_IN_WINDOWS)
        e->windows.of[own].apart = true;
}

/* Whose a switch in windows is at first, those for any last. */
static uint32_t place(const struct weft_engine *e, const struct window_threads *c, uint32_t node)
{
    return 2u * c->thread[node] + e->windows.of[node].stealable;
}

/* Lists the switches in windows by thread. */
static void group(const struct weft_engine *e, struct window_threads *c)
{
    uint32_t at[2 * MOST_THREADS + 1] = {0}, n = 0;
    const bool *in_windows = e->windows.clusters.in_windows;
    for (uint32_t i = 0; i < e->fabric->nnodes; i++)
        if (in_windows[i] && part_own(e, i))
            at[place(e, c, i)]++;
    for (unsigned k = 0; k < c->n; k++) {
        struct turn *t = &c->turns[k];
        t->first = n;
        t->stealable = n += at[2 * k];
        t->end = n += at[2 * k + 1];
        at[2 * k] = t->first;
        at[2 * k + 1] = t->stealable;
    }
    c->nswitches = n;
    for (uint32_t i = 0; i < e->fabric->nnodes; i++)
        if (in_windows[i] && part_own(e, i))
            c->switches[at[place(e, c, i)]++] = i;
}

void window_threads_list_any(const struct weft_engine *e, struct window_threads *c)
{
    uint32_t at[MOST_THREADS + 1] = {0}, n = 0;
    for (unsigned k = 0; k < c->n; k++)
        for (uint32_t i = c->turns[k].stealable; i < c->turns[k].end; i++)
            at[e->windows.of[c->switches[i]].thread]++;
    for (unsigned k = 0; k < c->n; k++) {
        c->turns[k].any = n;
        c->turns[k].any_end = n += at[k];
        at[k] = c->turns[k].any;
    }
    for (unsigned k = 0; k < c->n; k++)
        for (uint32_t i = c->turns[k].stealable; i < c->turns[k].end; i++)
            c->any[at[e->windows.of[c->switches[i]].thread]++] = c->switches[i];
}

/* The marks of each thread's switches lie together, and those of none between them. */
static void mark(struct weft_engine *e, struct window_threads *c)
{
    struct windows *w = &e->windows;
    uint32_t next = 0, left = 0;
    /* nobody has anything listed: all are once more */
    for (unsigned k = 0; k < c->n; k++) {
        struct turn *t = &c->turns[k];
        next = (next + WINDOW_MARKS - 1) / WINDOW_MARKS * WINDOW_MARKS;
        t->place = next;
        for (uint32_t i = t->first; i < t->end; i++)
            w->of[c->switches[i]].place = next++;
    }
    next = (next + WINDOW_MARKS - 1) / WINDOW_MARKS * WINDOW_MARKS;
    keyheap_clear(&w->order);
    w->one_per_thread = false;
    for (uint32_t n = 0; n < e->fabric->nnodes; n++) {
        struct window_node *s = &w->of[n];
        if (e->fabric->nodes[n].host != NIL)
            continue;
        if (!e->windows.clusters.in_windows[n] || !part_own(e, n))
            s->place = next + left++;
        c->place[n] = s->place;
        window_mark(w, n)->listed_ps = WEFT_NEVER;
        window_note_first(w, n);
        if (s->q.n)
            window_list(e, n, window_time(w, s->q.h[0]));
    }
}

void window_threads_list(struct weft_engine *e)
{
    struct window_threads *c = e->threads;
    const struct clusters *of = &e->windows.clusters;
    if (!c)
        return;
    c->nborder = 0;
    e->windows.changed = true;
    partition(e->fabric, c->n, of->of, c->by_load ? c->load : NULL, c->thread, c->stealable);
    for (uint32_t n = 0; n < e->fabric->nnodes; n++) {
        if (e->fabric->nodes[n].host == NIL) {
            e->windows.of[n].thread = c->thread[n];
            e->windows.of[n].stealable =
                c->n > 1 && of->in_windows[n] && (c->stealable[n] || c->shuffle >> 2 & 1);
            e->windows.of[n].apart = e->peers != NULL; /* others know when all are settled */
        }
        if (part_own(e, n) && !of->in_windows[n] && at_border(e, n))
            c->border[c->nborder++] = n;
    }
    group(e, c);
    window_threads_list_any(e, c);
    for (uint32_t i = 0; i < e->fabric->nports; i++)
        note_ends(e, c, i);
    mark(e, c);
}

static int init(struct weft_engine *e, struct window_threads *c, struct weft_err *err)
{
    const size_t nports = e->fabric->nports + (size_t)1, nnodes = e->fabric->nnodes + (size_t)1;
    c->workers = lines(c->n, sizeof *c->workers);
    c->turns = lines(c->n, sizeof *c->turns);
    c->busy_ns = calloc(c->n, sizeof *c->busy_ns);
    c->out = calloc(nports, sizeof *c->out);
    c->stealable = malloc(nnodes * sizeof *c->stealable);
    c->load = calloc(nnodes, sizeof *c->load);
    c->seen_load = calloc(nnodes, sizeof *c->seen_load);
    c->switches = malloc(nnodes * sizeof *c->switches);
    c->any = malloc(nnodes * sizeof *c->any);
    c->border = malloc(nnodes * sizeof *c->border);
    c->thread = malloc(nnodes);
    c->place = malloc(nnodes * sizeof *c->place);
    c->loads = lines(c->n * window_threads_row(c->n), sizeof *c->loads);
    c->to = malloc(nports);
    if (!c->thread || !c->place || !c->loads || !c->stealable || !c->load || !c->seen_load ||
        !c->to || !c->workers || !c->turns || !c->busy_ns || !c->out || !c->switches || !c->any ||
        !c->border)
        return weft_err_set(err, WEFT_E_LIMIT, "out of memory for %u threads", c->n);
    for (unsigned i = 0; i < c->n; i++)
        if (!worker_init(&c->workers[i], e, c->n, i, c->out, c->to, c->untouched))
            return weft_err_set(err, WEFT_E_LIMIT, "out of memory for %u threads", c->n);
    c->caught_up_ps = INT64_MIN;
    c->look_at = c->look_every = WINDOWS_PER_LOOK;
    e->windows.changed = true;
    c->measured = c->counted = true;
    c->weight = 1;
    c->clock_ns = thread_pool_cpu_clock_ns();
    if (pause_clock_reserve(e))
        return weft_err_set(err, WEFT_E_LIMIT, "%s", e->err.msg);
    return thread_pool_new(c->n, &c->pool, err);
}

int window_threads_make(struct weft_engine *e, unsigned n, uint64_t shuffle, struct weft_err *err)
{
    for (unsigned k = 0; e->threads && k < e->threads->n; k++)
        worker_retire(&e->threads->workers[k], e);
    window_threads_fini(e);
    if (!e->peers && (n == 1 || e->fabric->nswitches < 2))
        return 0;
    struct window_threads *c = calloc(1, sizeof *c);
    if (!c)
        return weft_err_set(err, WEFT_E_LIMIT, "out of memory for %u threads", n);
    c->n = n;
    c->shuffle = shuffle;
    const int rc = init(e, c, err);
    if (rc) {
        fini(c);
        return rc;
    }
    e->threads = c;
    if (!e->peers && c->shuffle >> 1 & 1)
        e->windows.least_ps = 1;
    window_threads_list(e);
    return 0;
}
