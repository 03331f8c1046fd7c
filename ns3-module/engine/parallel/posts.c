/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Has messages wait, and posts all that wait: in the engine's own thread, or each thread those of
 * its hosts.
 */
#include "posts.h"
#include "transport/qp.h"
#include "core/context.h"
#include "core/extension.h"
#include "core/fail.h"
#include "core/executor.h"
#include "core/grow.h"
#include "host_agendas.h"
#include "host_parts_internal.h"
#include "transport/nic.h"
#include "window_threads.h"
#include "worker.h"

#include "base/fetch.h"

#include <stdlib.h>

#define POST_EVENTS 5u /**< posting a message takes as long as some such events */
/** Room for messages of a thread beyond which it is given back. */
#define POSTS_KEPT 1024u
#define POSTS_AHEAD 4u /**< messages that are fetched ahead */

bool posts_may_wait(const struct weft_engine *e)
{
    return e->parts && !e->peers && !e->hooks.posted && !e->links.ndown && !e->spread.steer &&
           !(e->extension && e->extension->orders_posts);
}

bool posts_wait(const struct weft_engine *e)
{
    return !e->loop.in_event && posts_may_wait(e);
}

/* A new QP is known by its name until it is opened. */
static bool add_qp(struct qps *all, const struct post *p)
{
    if (!GROW(all->unopened, all->nunopened, &all->unopened_cap))
        return false;
    if (all->nunopened == 0)
        all->opened = p->qp;
    all->unopened[all->nunopened++] = post_name(p);
    return true;
}

int posts_add(struct weft_engine *e, const struct post *p, struct weft_err *err)
{
    struct host_part *of = host_part_of(e, p->msg.src);
    if (!GROW(of->posts, of->nposts, &of->posts_cap) || (p->opens && !add_qp(&e->qps, p)))
        return weft_err_set(err, WEFT_E_LIMIT, "out of memory for %u messages", of->nposts);
    of->posts[of->nposts] = *p;
    of->posts[of->nposts].at_ps = e->now;
    of->posts[of->nposts++].turn = e->parts->turn;
    if (e->loop.ahead && !p->opens && p->qp < e->qps.opened)
        e->parts->late = true; /* its receiver may be run at the same time (send_timers.c) */
    if (e->loop.ahead && !e->parts->late)
        of->timely = of->nposts;
    e->loop.posts += !e->loop.ahead; /* else each has its time */
    return 0;
}

/* ---- posting ---- */

/* State of its host that posting a message touches. */
static void fetch(const struct weft_engine *e, const struct post *p)
{
    const uint32_t port = e->fabric->nodes[e->fabric->hosts[p->msg.src]].first_port;
    weft_fetch(&e->ports[port], sizeof(struct port));
    weft_fetch(&e->nics.of[e->ports[port].nic], sizeof(struct nic));
}

/* The posts of a thread; counts them by host. */
static void make_turn(struct window_threads *c, struct worker *w, unsigned number)
{
    struct host_part *of = &c->parts->of[number];
    for (uint32_t i = 0; i < of->nposts; i++) {
        const struct post *p = &of->posts[i];
        if (i + POSTS_AHEAD < of->nposts)
            fetch(&w->e, p + POSTS_AHEAD);
        post_make(&w->e, p);
        cluster_count(c->parts, cluster_of_host(&w->e, p->msg.src));
    }
}

/* Threads post together. */
static void make_together(struct weft_engine *e, struct host_parts *h)
{
    struct window_threads *c = e->threads;
    h->window++;
    window_threads_begin_posts(c);
    window_threads_begin_hosts(e, c, e->now);
    window_threads_do(e, c, make_turn);
    for (unsigned k = 0; k < h->n; k++)
        c->turns[k].load += h->of[k].nposts;
    window_threads_end(c, e->loop.posts);
    h->per_ps = (double)e->loop.posts / (double)h->lookahead_ps; /* each sends a packet */
    h->since_ps = e->now;
    h->alone = 0;
    window_threads_measure(c);
}

void posts_made(struct weft_engine *e)
{
    for (unsigned k = 0; k < e->parts->n; k++) {
        struct host_part *of = &e->parts->of[k];
        for (uint32_t i = 0; e->extension && i < of->nposts; i++)
            e->extension->ops->posted(e, msg_at(e, of->posts[i].record));
        of->nposts = 0;
        if (of->posts_cap > POSTS_KEPT) {
            free(of->posts);
            of->posts = NULL;
            of->posts_cap = 0;
        }
    }
    e->loop.posts = 0;
    e->qps.opened = UINT32_MAX;
    e->qps.nunopened = 0;
}

void posts_make(struct weft_engine *e)
{
    struct host_parts *h = e->parts;
    const bool together =
        e->now >= h->done_ps &&
        (e->threads->shuffle || POST_EVENTS * e->loop.posts >= window_threads_enough(h->n));
    if (together)
        make_together(e, h);
    for (unsigned k = 0; !together && k < h->n; k++) {
        const struct host_part *of = &h->of[k];
        for (uint32_t i = 0; i < of->nposts; i++)
            post_make(e, &of->posts[i]);
    }
    posts_made(e);
}

/* ---- in the thread of a host ---- */

/*
 * Messages that the user posts in the thread of their host, when he has taken in another there
 * (struct weft_net_concurrency).
 *
 * Their QPs are open. What others may see of such a message, they see when the window is over: its
 * receiver, that it is the next of its QP (nothing of it arrives before, unless it is of the same
 * cluster, which the same thread runs); the user, its number,
 * which is that of the order of all posts: the host_completions_report of the events in which they
 * were posted.
 */

/* The QP of a message, if there is one and it is open; else NIL. */
static uint32_t qp_of(const struct weft_engine *e, const struct weft_msg *msg)
{
    const uint32_t prio =
        msg->prio == WEFT_PRIO_DEFAULT ? (uint32_t)e->p.transport.data_prio : msg->prio;
    const struct qp_name name = {msg->src, msg->dst, msg->qp, (uint8_t)prio, msg->nic};
    const uint32_t qi = prio < WEFT_PRIOS ? qp_find(e, &name) : NIL;
    return qi < e->qps.opened ? qi : NIL;
}

bool worker_may_post(const struct weft_engine *e, const struct weft_follows *sends)
{
    bool may = true;
    for (uint32_t i = 0; i < sends->n && may; i++)
        may = qp_of(e, &sends->msg[i]) != NIL;
    return may;
}

int worker_post(struct weft_engine *e, const struct weft_msg *msg, struct weft_err *err)
{
    struct post p = {.msg = *msg, .id = UINT64_MAX, .qp = qp_of(e, msg)};
    if (p.qp == NIL)
        return weft_err_set(err, WEFT_E_INTERNAL,
                            "host %u posts a message in its thread that it did not foresee",
                            msg->src);
    p.record = stable_alloc(&e->msgs);
    if (p.record == NIL)
        p.record = worker_alloc(e, &e->msgs);
    if (p.record == NIL)
        return stable_full(&e->msgs, "messages in flight", err);
    post_take(e, &p);
    worker_complete(e, p.record, COMPLETION_POSTED, NULL);
    nic_wake(e, p.qp);
    return 0;
}
