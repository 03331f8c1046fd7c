/* SPDX-License-Identifier: GPL-2.0-only */
/* Contexts of threads that run switches: worker.h. */
#include "worker.h"
#include "core/events.h"
#include "core/fail.h"
#include "core/port.h"
#include "core/grow.h"
#include "core/walk.h"
#include "posts.h"
#include "core/windows.h"

#include <stdlib.h>
#include <string.h>

#define FRESH 256u    /**< records that a thread takes at once */
#define SURPLUS 4096u /**< free packets beyond which it gives so many away, if nobody has any */
#define GIVEN 512u    /**< that it is given at once */
#define AHEAD 8u      /**< outboxes that it fetches before they go onto links */

bool worker_init(struct worker *w, struct weft_engine *e, unsigned n, unsigned number,
                 struct outbox *out, const uint8_t *to, _Atomic uint32_t untouched[WORKER_POOLS])
{
    memset(w, 0, sizeof *w);
    w->n = n;
    w->number = number;
    w->out = out;
    w->to = to;
    w->sent = calloc(n, sizeof *w->sent);
    for (unsigned k = 0; k < WORKER_POOLS; k++) {
        const bool back = k == WORKER_PKTS || k == WORKER_LOGS; /* stacks flow the other way */
        w->pools[k] = (struct worker_pool){.head = NIL,
                                           .spare = NIL,
                                           .give = NIL,
                                           .most = back ? SURPLUS : UINT32_MAX,
                                           .untouched = &untouched[k],
                                           .all = worker_all(e, k)};
    }
    return w->sent != NULL;
}

void worker_fini(struct worker *w)
{
    for (unsigned k = 0; w->sent && k < w->n; k++)
        free(w->sent[k].ports);
    free(w->sent);
    free(w->drops);
    free(w->timers);
    free(w->notes);
    free(w->completions);
    free(w->posts);
}

static uint32_t next_free(const struct stable *s, uint32_t i)
{
    return *(const uint32_t *)(const void *)(s->base + (size_t)i * s->elem);
}

static void set_next_free(const struct stable *s, uint32_t i, uint32_t next)
{
    *(uint32_t *)(void *)(s->base + (size_t)i * s->elem) = next;
}

/* The engine gets a list of free records. */
static void give_back(struct weft_engine *e, struct stable *all, uint32_t head)
{
    uint32_t tail = head;
    if (head == NIL)
        return;
    for (uint32_t next, n = 0;
         (next = next_free(all, tail)) != NIL && walk_on(e, n, all->max, "free records"); n++)
        tail = next;
    set_next_free(all, tail, all->free_head);
    all->free_head = head;
}

static void pool_retire(struct weft_engine *e, const struct worker_pool *p, struct stable *all)
{
    give_back(e, all, p->head);
    give_back(e, all, p->spare);
    for (uint32_t i = p->fresh; i < p->fresh_end; i++) {
        set_next_free(all, i, all->free_head);
        all->free_head = i;
    }
}

void worker_retire(struct worker *w, struct weft_engine *e)
{
    for (unsigned k = 0; k < WORKER_POOLS; k++)
        if (worker_all(e, k)->base) /* else there are no stacks */
            pool_retire(e, &w->pools[k], worker_all(e, k));
}

/* ---- a window ---- */

/* The context's pool: the thread's free records, and none that were never used. */
static void pool_begin(struct worker_pool *p, struct stable *s)
{
    s->free_head = p->head;
    s->n = p->room = s->max;
    s->fixed = true;
    p->made = 0;
    p->live = s->live;
}

void worker_begin(struct worker *w, const struct weft_engine *e)
{
    struct weft_engine *c = &w->e;
    *c = *e;
    c->worker = w;
    c->path.rare |= RARE_WORKER;
    c->path.apart = APART | CROSSES | (e->parts ? 0 : TO_CLUSTER);
    memset(&c->tot, 0, sizeof c->tot);
    c->windows.notes = w->notes;
    c->windows.notes_cap = w->notes_cap;
    c->windows.nnotes = 0;
    w->nholds = e->delays.nholds;
    for (unsigned k = 0; k < WORKER_POOLS; k++)
        pool_begin(&w->pools[k], worker_all(c, k));
}

/* Keeps the free records, or sets some aside for the engine. */
static void pool_end(struct worker_pool *p, const struct stable *s)
{
    p->head = s->free_head;
    p->nfree += p->live + p->made - s->live;
    if (p->nfree <= p->most || p->head == NIL)
        return;
    uint32_t tail = p->head, n = 1;
    for (uint32_t next; n < SURPLUS && (next = next_free(s, tail)) != NIL; n++)
        tail = next;
    p->give = p->head;
    p->give_tail = tail;
    p->head = next_free(s, tail);
    p->nfree -= n;
}

void worker_end(struct worker *w)
{
    struct weft_engine *c = &w->e;
    w->notes = c->windows.notes;
    w->notes_cap = c->windows.notes_cap;
    for (unsigned k = 0; k < WORKER_POOLS; k++)
        pool_end(&w->pools[k], worker_all(c, k));
}

/* ---- what is taken over ---- */

/* How many records are in use, and those that the thread has set aside. */
static void pool_join(struct worker_pool *p, const struct stable *s, struct stable *all)
{
    all->live += s->live - p->live;
    if (all->live > all->peak)
        all->peak = all->live;
    if (p->give == NIL)
        return;
    set_next_free(all, p->give_tail, all->free_head);
    all->free_head = p->give;
    p->give = NIL;
}

/* Gives a thread some of the engine's free records if it had to take new ones. */
static void give(struct worker_pool *p, struct stable *all)
{
    uint32_t tail = all->free_head, n = 1;
    if (!p->made || p->spare != NIL || tail == NIL)
        return;
    for (uint32_t next; n < GIVEN && (next = next_free(all, tail)) != NIL; n++)
        tail = next;
    p->spare = all->free_head;
    p->nspare = n;
    all->free_head = next_free(all, tail);
    set_next_free(all, tail, NIL);
}

void worker_give(struct worker *w, struct weft_engine *e)
{
    w->pools[WORKER_PKTS].most = e->pkts.pool.free_head == NIL ? SURPLUS : UINT32_MAX;
    for (unsigned k = 0; k < WORKER_POOLS; k++)
        if (k != WORKER_STACKS)
            give(&w->pools[k], worker_all(e, k));
}

void worker_release_message(struct worker *w, struct weft_engine *e, uint32_t msg)
{
    struct worker_pool *const p = &w->pools[WORKER_MSGS];
    set_next_free(&e->msgs, msg, p->head);
    p->head = msg;
    p->nfree++;
    w->nposted--;
    e->msgs.live--;
}

bool worker_give_stacks(struct worker *w, struct weft_engine *e)
{
    struct stable *all = &e->telemetry.stacks;
    if (w->pools[WORKER_STACKS].spare != NIL)
        return false;
    w->pools[WORKER_STACKS].spare = all->free_head;
    all->free_head = NIL;
    return true;
}

/* Packets in the outbox of a port go onto its link. */
static void deliver(struct weft_engine *e, struct outbox *o, uint32_t port)
{
    struct link_end *l = &e->ends[port];
    struct list *fly = &l->fly;
    if (fly->head == NIL) {
        fly->head = o->first - 1;
        engine_push_arrival(e, l, o->at_ps, port);
    } else {
        struct pkt *before = pkt_at(e, fly->tail);
        before->next = o->first - 1;
        before->next_at_ps = o->at_ps;
    }
    fly->tail = o->tail;
    o->first = 0;
}

void worker_deliver(struct worker *all, unsigned number)
{
    struct weft_engine *e = &all[number].e;
    struct outbox *out = all[number].out;
    for (unsigned k = 0; k < all[number].n; k++) {
        struct outbox_ports *s = &all[k].sent[number];
        uint32_t left = 0;
        for (uint32_t i = 0; i < s->n; i++) {
            const uint32_t port = s->ports[i], ahead = s->ports[i + AHEAD < s->n ? i + AHEAD : i];
            const uint32_t later = s->ports[i + 2 * AHEAD < s->n ? i + 2 * AHEAD : i];
            __builtin_prefetch(&out[later], 1);
            __builtin_prefetch(&e->ends[ahead].fly, 1);
            if (out[ahead].first) /* it was written by another thread, and arrives soon */
                __builtin_prefetch(pkt_at(e, out[ahead].first - 1), 1);
            if (!e->parts && !(e->ends[port].ends & FAR_IN_WINDOWS))
                s->ports[left++] = port;
            else
                deliver(e, &out[port], port);
        }
        s->n = left;
    }
}

static void join_notes(struct weft_engine *e, const struct windows *w)
{
    for (uint32_t i = 0; i < w->nnotes; i++)
        window_note(e, &w->notes[i]);
}

void worker_join(struct worker *w, struct weft_engine *e)
{
    struct weft_engine *c = &w->e;
    if (c->err.code)
        engine_fail(e, c->err.code, "%s", c->err.msg);
    for (unsigned k = 0; k < w->n && !e->parts; k++) { /* to hosts, which are of nobody */
        struct outbox_ports *s = &w->sent[k];
        for (uint32_t i = 0; i < s->n; i++)
            deliver(e, &w->out[s->ports[i]], s->ports[i]);
        s->n = 0;
    }
    for (uint32_t i = 0; i < w->ndrops; i++) {
        struct port *p = &e->ports[w->drops[i].port];
        p->st.drops[w->drops[i].why]++;
        p->dropped_payload += w->drops[i].payload;
    }
    w->ndrops = 0;
    for (uint32_t i = 0; i < w->ntimers; i++)
        engine_push(e, &e->loop.agenda.slow, w->timers[i].t, w->timers[i].id);
    w->ntimers = 0;
    totals_add(&e->tot, &c->tot);
    join_notes(e, &c->windows);
    for (unsigned k = 0; k < WORKER_POOLS; k++)
        pool_join(&w->pools[k], worker_all(c, k), worker_all(e, k));
    for (uint32_t i = 0; i < w->nposts; i++)
        post_await(e, qp_at(e, msg_at(e, w->posts[i].msg)->qp), w->posts[i].msg,
                   w->posts[i].before);
    w->nposts = 0;
    if (e->peers) /* messages are complete in the thread's context, which is the only one */
        e->ideal = c->ideal;
    if (c->windows.last_ps > e->windows.last_ps)
        e->windows.last_ps = c->windows.last_ps;
    e->rc.last_try |= c->rc.last_try;
    e->path.on_enqueue |= c->path.on_enqueue;
    e->path.on_dequeue |= c->path.on_dequeue;
    e->delays.nholds += c->delays.nholds - w->nholds;
    if (c->delays.waits.n > e->delays.waits.n)
        e->delays.waits.n = c->delays.waits.n;
    if (c->rc.maps.n > e->rc.maps.n)
        e->rc.maps.n = c->rc.maps.n;
}

/* ---- in a thread's context ---- */

static __attribute__((noinline, cold)) void no_room(struct weft_engine *e)
{
    engine_fail(e, WEFT_E_LIMIT, "out of memory for what a thread has sent");
}

/* A port has something in its outbox. */
static __attribute__((noinline)) void note_sent(struct weft_engine *e, uint32_t port)
{
    if (!outbox_ports_add(&e->worker->sent[e->worker->to[port]], port))
        no_room(e);
}

void worker_send(struct weft_engine *e, uint32_t port, uint32_t i, int64_t at_ps)
{
    if (outbox_add(e, &e->worker->out[port], pkt_at(e, i), i, at_ps))
        note_sent(e, port);
}

void worker_timer(struct weft_engine *e, int64_t t_ps, uint64_t id)
{
    struct worker *w = e->worker;
    if (!GROW(w->timers, w->ntimers, &w->timers_cap)) {
        no_room(e);
        return;
    }
    w->timers[w->ntimers++] = (struct ev){t_ps, id};
}

void worker_complete(struct weft_engine *e, uint32_t msg, enum completion_kind what,
                     const struct weft_completion *done)
{
    struct worker *w = e->worker;
    if (!GROW(w->completions, w->ncompletions, &w->completions_cap)) {
        no_room(e);
        return;
    }
    uint32_t at = w->ncompletions++; /* what waits from the window before may be of later events */
    for (; at && ev_before(w->at, w->completions[at - 1].completion.at); at--)
        w->completions[at] = w->completions[at - 1];
    w->completions[at] =
        (struct worker_completion){.completion = {.at = w->at, .msg = msg, .kind = (uint8_t)what}};
    if (done)
        w->completions[at].done = *done;
}

void worker_call(struct weft_engine *e, const struct weft_completion *done)
{
    engine_here = e;
    e->hooks.concurrency.run_in_worker(e->hooks.concurrency.ctx, e->worker->number, done);
    engine_here = NULL;
}

void worker_awaits(struct weft_engine *e, uint32_t msg, uint32_t before)
{
    struct worker *w = e->worker;
    if (GROW(w->posts, w->nposts, &w->posts_cap))
        w->posts[w->nposts++] = (struct worker_post){msg, before};
    else
        no_room(e);
}

void worker_drop(struct weft_engine *e, uint32_t port, uint32_t payload, enum weft_drop_reason why)
{
    struct worker *w = e->worker;
    if (!GROW(w->drops, w->ndrops, &w->drops_cap)) {
        no_room(e);
        return;
    }
    w->drops[w->ndrops++] =
        (struct worker_drop){.port = port, .payload = (uint16_t)payload, .why = (uint8_t)why};
}

uint32_t worker_alloc(struct weft_engine *e, struct stable *pool)
{
    struct worker_pool *p = e->worker->pools;
    for (unsigned k = 0; worker_all(e, k) != pool; k++)
        p++;
    if (p->spare != NIL) {
        pool->free_head = p->spare;
        p->nfree += p->nspare;
        p->spare = NIL;
        p->nspare = 0;
        return stable_alloc(pool);
    }
    if (p->fresh == p->fresh_end) {
        const uint32_t from = atomic_fetch_add_explicit(p->untouched, FRESH, memory_order_relaxed);
        if (from + FRESH > p->room && !stable_room(p->all, from + FRESH)) {
            atomic_fetch_sub_explicit(p->untouched, FRESH, memory_order_relaxed);
            return NIL;
        }
        p->fresh = from;
        p->fresh_end = from + FRESH;
        p->room = p->room < p->fresh_end ? p->fresh_end : p->room;
    }
    pool->live++;
    p->made++;
    return p->fresh++;
}
