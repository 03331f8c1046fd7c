/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Receives and the messages for them. A receive takes the earliest message that fits; a message
 * goes to the earliest receive that fits. Receives that name source and tag, and messages, are in a
 * queue of their (receiver, source, tag); other receives, and all messages, are in lists of their
 * receiver as well.
 */
#include "lib/sim.h"
#include "base/hash_table.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <utlist.h>

/* A receive that waits, or a message that no receive has taken. */
struct match_entry {
    uint64_t id, user, tag, bytes;
    uint32_t src;                      /* WEFT_RECV_ANY_HOST in receives */
    struct match_entry *qprev, *qnext; /* in the queue of its key */
    struct match_entry *prev, *next;   /* in the list of its receiver */
    struct match_entry *aprev, *anext; /* receives: all that wait */
    uint32_t dst;
};

struct match_key {
    struct {
        uint32_t dst, src;
        uint64_t tag;
    } key;
    bool lost;
    struct match_entry *receives, *messages; /* one of them is empty */
    UT_hash_handle hh;
};

struct match_host {
    uint32_t dst;
    bool lost;
    struct match_entry *receives, *messages; /* receives: those that do not name both */
    UT_hash_handle hh;
};

struct sim_match {
    struct match_key *keys;
    struct match_host *hosts;
    struct match_entry *waiting; /* all receives, in the order posted */
    uint64_t nwaiting;
};

struct sim_match *sim_match_new(struct weft_err *err)
{
    struct sim_match *m = (struct sim_match *)calloc(1, sizeof *m);
    if (!m)
        weft_err_no_memory(err, "receives");
    return m;
}

static void match_free_list(struct match_entry *e)
{
    while (e) {
        struct match_entry *next = e->anext;
        free(e);
        e = next;
    }
}

void sim_match_free(struct sim_match *m)
{
    struct match_key *k, *next_key;
    struct match_host *h, *next_host;
    struct match_entry *e, *next;
    if (!m)
        return;
    HASH_ITER(hh, m->hosts, h, next_host)
    {
        DL_FOREACH_SAFE(h->messages, e, next)
        free(e);
        HASH_DEL(m->hosts, h);
        free(h);
    }
    HASH_ITER(hh, m->keys, k, next_key)
    {
        HASH_DEL(m->keys, k);
        free(k);
    }
    match_free_list(m->waiting);
    free(m);
}

static struct match_host *match_host(struct sim_match *m, uint32_t dst)
{
    struct match_host *h;
    HASH_FIND(hh, m->hosts, &dst, sizeof dst, h);
    if (h || !(h = (struct match_host *)calloc(1, sizeof *h)))
        return h;
    h->dst = dst;
    HASH_ADD(hh, m->hosts, dst, sizeof h->dst, h);
    if (h->lost) {
        free(h);
        h = NULL;
    }
    return h;
}

static struct match_key *match_key(struct sim_match *m, uint32_t dst, uint32_t src, uint64_t tag,
                                   bool make)
{
    struct match_key *k, like;
    memset(&like, 0, sizeof like);
    like.key.dst = dst;
    like.key.src = src;
    like.key.tag = tag;
    HASH_FIND(hh, m->keys, &like.key, sizeof like.key, k);
    if (k || !make || !(k = (struct match_key *)malloc(sizeof *k)))
        return k;
    *k = like;
    HASH_ADD(hh, m->keys, key, sizeof k->key, k);
    if (k->lost) {
        free(k);
        k = NULL;
    }
    return k;
}

/* Keys come and go with what they hold. */
static void match_drop_key(struct sim_match *m, struct match_key *k)
{
    if (!k || k->receives || k->messages)
        return;
    HASH_DEL(m->keys, k);
    free(k);
}

static bool match_is_exact(const struct match_entry *receive)
{
    return receive->src != WEFT_RECV_ANY_HOST && receive->tag != WEFT_RECV_ANY_TAG;
}

static bool match_fits(const struct match_entry *receive, uint32_t src, uint64_t tag)
{
    return (receive->src == WEFT_RECV_ANY_HOST || receive->src == src) &&
           (receive->tag == WEFT_RECV_ANY_TAG || receive->tag == tag);
}

/* A receive has got a message. */
static int match_event(struct weft_sim *s, const struct match_entry *receive, uint32_t src,
                       uint64_t tag, uint64_t bytes, uint64_t message, int64_t t_ps)
{
    const struct weft_event e = {.kind = WEFT_MATCHED,
                                 .src = src,
                                 .dst = receive->dst,
                                 .time_ps = t_ps,
                                 .id = receive->id,
                                 .user = receive->user,
                                 .tag = tag,
                                 .bytes = bytes,
                                 .other = message};
    return sim_event_add(s, &e, true);
}

/* Keeps a message until a receive takes it. */
static int match_keep(struct weft_sim *s, struct match_host *h, struct match_key *k,
                      const struct sim_item *message)
{
    struct match_entry *e = k ? (struct match_entry *)calloc(1, sizeof *e) : NULL;
    if (!e) {
        match_drop_key(s->match, k);
        return weft_err_no_memory(&s->err, "receives and messages for them");
    }
    *e = (struct match_entry){.id = message->id,
                              .tag = message->tag,
                              .bytes = message->bytes,
                              .src = message->src,
                              .dst = message->dst};
    DL_APPEND(h->messages, e);
    DL_APPEND2(k->messages, e, qprev, qnext);
    return 0;
}

int sim_match_arrived(struct weft_sim *s, const struct sim_item *message, int64_t t_ps)
{
    struct sim_match *m = s->match;
    struct match_host *h = match_host(m, message->dst);
    if (!h)
        return weft_err_no_memory(&s->err, "receives and messages for them");
    struct match_key *k = match_key(m, message->dst, message->src, message->tag, false);
    struct match_entry *r = k ? k->receives : NULL, *wild;
    DL_FOREACH(h->receives, wild)
    if (match_fits(wild, message->src, message->tag))
        break;
    if (wild && (!r || wild->id < r->id))
        r = wild;
    if (!r)
        return match_keep(
            s, h, k ? k : match_key(m, message->dst, message->src, message->tag, true), message);
    if (r == wild)
        DL_DELETE(h->receives, r);
    else
        DL_DELETE2(k->receives, r, qprev, qnext);
    match_drop_key(m, k);
    DL_DELETE2(m->waiting, r, aprev, anext);
    m->nwaiting--;
    const int rc = match_event(s, r, message->src, message->tag, message->bytes, message->id, t_ps);
    free(r);
    return rc;
}

/* The earliest message that fits a receive. */
static struct match_entry *match_find(struct match_host *h, struct match_key *k,
                                      const struct match_entry *receive)
{
    struct match_entry *e;
    if (match_is_exact(receive))
        return k ? k->messages : NULL;
    DL_FOREACH(h->messages, e)
    if (match_fits(receive, e->src, e->tag))
        return e;
    return NULL;
}

/* A message that waited goes to a receive that is posted now. */
static int match_take(struct weft_sim *s, struct match_host *h, struct match_entry *message,
                      const struct match_entry *receive)
{
    struct match_key *k = match_key(s->match, message->dst, message->src, message->tag, false);
    const int rc =
        match_event(s, receive, message->src, message->tag, message->bytes, message->id, s->now_ps);
    if (rc)
        return rc;
    DL_DELETE(h->messages, message);
    DL_DELETE2(k->messages, message, qprev, qnext);
    match_drop_key(s->match, k);
    free(message);
    s->instant = true;
    return 0;
}

/* Has a receive wait. */
static int match_wait(struct weft_sim *s, struct match_host *h, const struct match_entry *receive)
{
    struct sim_match *m = s->match;
    struct match_entry *e = (struct match_entry *)malloc(sizeof *e);
    struct match_key *k = NULL;
    if (e && match_is_exact(receive))
        k = match_key(m, receive->dst, receive->src, receive->tag, true);
    if (!e || (match_is_exact(receive) && !k)) {
        free(e);
        return weft_err_no_memory(&s->err, "receives and messages for them");
    }
    *e = *receive;
    if (k)
        DL_APPEND2(k->receives, e, qprev, qnext);
    else
        DL_APPEND(h->receives, e);
    DL_APPEND2(m->waiting, e, aprev, anext);
    m->nwaiting++;
    return 0;
}

int64_t weft_sim_recv(weft_sim *s, const struct weft_recv *r)
{
    const uint32_t n = s->parts.fabric->nhosts;
    if (s->broken)
        return s->err.code;
    if (!s->match)
        return sim_fail(s, WEFT_E_USAGE,
                        "a receive is posted, but the network was opened without receives");
    if (r->dst >= n || (r->src >= n && r->src != WEFT_RECV_ANY_HOST))
        return sim_fail(s, WEFT_E_INPUT,
                        "receive of host %u from host %u: the network has the hosts 0 to %u",
                        r->dst, r->src, n - 1);
    const struct match_entry receive = {
        .id = s->posted, .user = r->user, .tag = r->tag, .src = r->src, .dst = r->dst};
    struct match_host *h = match_host(s->match, r->dst);
    if (!h)
        return weft_err_no_memory(&s->err, "receives and messages for them");
    struct match_key *k =
        match_is_exact(&receive) ? match_key(s->match, r->dst, r->src, r->tag, false) : NULL;
    struct match_entry *message = match_find(h, k, &receive);
    const int rc = message ? match_take(s, h, message, &receive) : match_wait(s, h, &receive);
    return rc ? rc : (int64_t)s->posted++;
}

uint64_t sim_match_waiting(const struct weft_sim *s)
{
    return s->match ? s->match->nwaiting : 0;
}

uint64_t sim_match_explain(const struct weft_sim *s, uint64_t max,
                           void (*say)(void *ctx, const char *sentence), void *ctx)
{
    const struct match_entry *e;
    uint64_t nlines = 0;
    if (!s->match)
        return 0;
    DL_FOREACH2(s->match->waiting, e, anext)
    {
        char text[160], src[16] = "any host", tag[32] = "any tag";
        if (nlines++ >= max)
            break;
        if (e->src != WEFT_RECV_ANY_HOST)
            snprintf(src, sizeof src, "h%u", e->src);
        if (e->tag != WEFT_RECV_ANY_TAG)
            snprintf(tag, sizeof tag, "tag %" PRIu64, e->tag);
        snprintf(text, sizeof text, "h%u: receive %" PRIu64 " waits for a message of %s, %s",
                 e->dst, e->id, src, tag);
        say(ctx, text);
    }
    return s->match->nwaiting;
}
