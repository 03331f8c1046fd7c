/* SPDX-License-Identifier: GPL-2.0-only */
/* What all processes say of one thing: peers.h. */
#include "core/context.h"
#include "peers.h"

#include <string.h>

/* Gives p->all to all; p->came has what they gave. */
static void give_all(struct weft_engine *e)
{
    struct peers *p = e->peers;
    struct weft_err err = {0};
    for (unsigned k = 0; k < p->link.n; k++)
        p->mail[k] = (struct weft_mail){p->all.bytes, p->all.n};
    if (p->link.exchange(p->link.ctx, p->mail, p->came, &err)) {
        engine_fail(e, err.code, "%s", err.msg);
        p->failed = true;
        for (unsigned k = 0; k < p->link.n; k++)
            p->came[k].n = 0;
    }
}

void peers_ask(struct weft_engine *e, size_t size, peers_answer_fn fn, void *ctx)
{
    struct peers *p = e->peers;
    give_all(e);
    for (unsigned k = 0; k < p->link.n; k++) {
        const struct weft_mail *m = &p->came[k];
        for (size_t at = 0; k != p->link.me && at + size <= m->n; at += size)
            fn(e, ctx, k, (const char *)m->bytes + at);
    }
}

static void lesser(struct weft_engine *e, void *ctx, unsigned from, const void *answer)
{
    int64_t *least = ctx, other;
    (void)e, (void)from;
    memcpy(&other, answer, sizeof other);
    *least = other < *least ? other : *least;
}

int64_t peers_least(struct weft_engine *e, int64_t value)
{
    struct peers *p = e->peers;
    p->all.n = 0;
    pouch_add(e, &p->all, &value, sizeof value);
    peers_ask(e, sizeof value, lesser, &value);
    return value;
}

static void add(struct weft_engine *e, void *ctx, unsigned from, const void *answer)
{
    uint64_t *sum = ctx, other;
    (void)e, (void)from;
    memcpy(&other, answer, sizeof other);
    *sum += other;
}

uint64_t peers_sum(struct weft_engine *e, uint64_t value)
{
    struct peers *p = e->peers;
    p->all.n = 0;
    pouch_add(e, &p->all, &value, sizeof value);
    peers_ask(e, sizeof value, add, &value);
    return value;
}

/** What a process has lost at a link. */
struct lost {
    size_t at; /**< of the list of changes */
    uint64_t packets;
};

static void add_lost(struct weft_engine *e, void *ctx, unsigned from, const void *answer)
{
    struct weft_link_change *list = ctx;
    struct lost l;
    (void)e, (void)from;
    memcpy(&l, answer, sizeof l);
    list[l.at].lost_packets += l.packets;
}

void peers_links_changed(struct weft_engine *e, struct weft_link_change *list, size_t n)
{
    struct peers *p = e->peers;
    p->all.n = 0;
    for (size_t i = 0; i < n; i++) {
        const struct lost l = {i, list[i].lost_packets};
        if (l.packets)
            pouch_add(e, &p->all, &l, sizeof l);
    }
    peers_ask(e, sizeof(struct lost), add_lost, list);
    p->ended |= peers_sum(e, peers_obstacle(e) || !e->parts) != 0;
}

static void first_error(struct weft_engine *e, void *ctx, unsigned from, const void *answer)
{
    struct weft_err *err = ctx, other;
    (void)e;
    memcpy(&other, answer, sizeof other);
    if (other.code && !err->code)
        weft_err_set(err, other.code, "process %u: %s", from, other.msg);
}

int peers_agree(struct weft_engine *e, int code, struct weft_err *err)
{
    struct peers *p = e->peers;
    struct weft_err own = {0}, *first = err ? err : &own;
    if (code && err)
        own = *err;
    own.code = first->code = code;
    p->all.n = 0;
    pouch_add(e, &p->all, &own, sizeof own);
    peers_ask(e, sizeof own, first_error, first);
    return first->code;
}
