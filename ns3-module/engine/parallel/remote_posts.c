/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A user who does something else in each process: messages wait until all processes know of them,
 * and his own events are executed between those of the fabric.
 */
#include "core/context.h"
#include "host_parts_internal.h"
#include "peers.h"
#include "core/grow.h"

#include <stdlib.h>
#include <string.h>

/* Adds a message that waits; false: out of memory. */
static bool remote_posts_add(struct peers *p, const struct remote_post *w)
{
    if (!GROW(p->remote, p->nremote, &p->remote_cap))
        return false;
    p->remote[p->nremote++] = *w;
    return true;
}

int remote_posts_post(struct weft_engine *e, const struct weft_msg *msg, uint32_t prio,
                      struct weft_err *err)
{
    struct peers *p = e->peers;
    const unsigned owner = p->owner[e->fabric->hosts[msg->src]];
    if (owner != p->link.me)
        return weft_err_set(err, WEFT_E_INPUT,
                            "host %u is of rank %u: rank %u can't post its messages", msg->src,
                            owner, p->link.me);
    struct remote_post w = {
        .t_ps = e->now, .order = p->nreported, .seq = p->nposted++, .post = true, .msg = *msg};
    w.msg.prio = prio;
    return remote_posts_add(p, &w) ? 0 : weft_err_no_memory(err, "messages that wait");
}

/* When the first event of this process's user is due. One that was asked for by what happened at
 * its own time comes after all else of that time. */
static int64_t due_ps(const struct peers *p)
{
    const int64_t next_ps = p->link.user->next(p->link.user->ctx);
    return next_ps <= p->reported_ps ? p->reported_ps + 1 : next_ps;
}

static void deliver(struct weft_engine *e, const struct remote_post *w)
{
    struct peers *p = e->peers;
    p->user_ps = w->t_ps < p->user_ps ? w->t_ps : p->user_ps;
    p->ran_ps = w->ran_ps > p->ran_ps ? w->ran_ps : p->ran_ps;
    p->stopping |= w->stop;
}

static void take_word(struct weft_engine *e, void *ctx, unsigned from, const void *answer)
{
    struct peers *p = e->peers;
    struct remote_post w;
    memcpy(&w, answer, sizeof w);
    if (!w.post) {
        deliver(e, &w);
        return;
    }
    w.msg.token = (union weft_token){0}; /* of another process */
    if (!remote_posts_add(p, &w))
        engine_fail(e, WEFT_E_LIMIT, "out of memory for messages that wait");
}

static int compare_words(const void *va, const void *vb)
{
    const struct remote_post *a = va, *b = vb;
    if (a->t_ps != b->t_ps)
        return a->t_ps < b->t_ps ? -1 : 1;
    if (a->order != b->order)
        return a->order < b->order ? -1 : 1;
    if (a->msg.src != b->msg.src)
        return a->msg.src < b->msg.src ? -1 : 1;
    return a->seq < b->seq ? -1 : 1; /* a host is of one process */
}

/* Posts the messages that have waited, as all processes do, but for those that come after the first
 * event of a user, who may post others before: no host is run beyond it. */
static void post_all(struct weft_engine *e)
{
    struct peers *p = e->peers;
    const int64_t now_ps = e->now;
    struct weft_err err = {0};
    uint32_t n = 0;
    if (p->nremote)
        qsort(p->remote, p->nremote, sizeof *p->remote, compare_words);
    p->posting = true;
    for (; n < p->nremote && p->remote[n].t_ps < p->user_ps && !e->err.code; n++) {
        e->now = p->remote[n].t_ps;
        if (weft_engine_send(e, &p->remote[n].msg, NULL, &err))
            p->failed = engine_fail(e, err.code, "%s", err.msg) != 0;
    }
    p->posting = false;
    p->nremote -= n;
    if (n)
        memmove(p->remote, p->remote + n, p->nremote * sizeof *p->remote);
    p->nagreed = p->nremote;
    e->now = now_ps;
}

void remote_posts_agree(struct weft_engine *e)
{
    struct peers *p = e->peers;
    const struct remote_post own = {
        .t_ps = due_ps(p), .stop = p->link.user->stopped(p->link.user->ctx), .ran_ps = p->ran_ps};
    p->user_ps = WEFT_NEVER;
    p->stopping = false;
    e->part.all.n = 0;
    send_buffer_add(e, &e->part.all, &own, sizeof own);
    send_buffer_add(e, &e->part.all, p->remote + p->nagreed,
                    (p->nremote - p->nagreed) * sizeof *p->remote);
    deliver(e, &own);
    part_ask(e, sizeof own, take_word, NULL);
    post_all(e);
}

void remote_posts_run(struct weft_engine *e)
{
    struct peers *p = e->peers;
    const struct weft_peers_user *u = p->link.user;
    const int64_t until_ps = p->user_ps;
    p->nreported++;
    while (due_ps(p) <= until_ps && !u->stopped(u->ctx)) {
        p->ran_ps = e->now = u->next(u->ctx);
        if (e->now < e->parts->done_ps)
            e->parts->done_ps = e->now;
        u->run(u->ctx);
    }
    if (e->parts->done_ps > until_ps)
        e->parts->done_ps = until_ps;
    e->now = until_ps;
    remote_posts_agree(e);
}
