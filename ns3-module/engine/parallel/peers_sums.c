/* SPDX-License-Identifier: GPL-2.0-only */
/* Statements of all processes about one thing: peers.h. */
#include "core/context.h"
#include "switch/lazy.h"
#include "obstacles.h"
#include "peers.h"

#include <string.h>

/* Gives e->part.all to all; p->came has what they gave. */
static void give_all(struct weft_engine *e)
{
    struct peers *p = e->peers;
    struct weft_err err = {0};
    for (unsigned k = 0; k < p->link.n; k++)
        p->mail[k] = (struct weft_mail){e->part.all.bytes, e->part.all.n};
    if (p->link.exchange(p->link.ctx, p->mail, p->came, &err)) {
        engine_fail(e, err.code, "%s", err.msg);
        p->failed = true;
        for (unsigned k = 0; k < p->link.n; k++)
            p->came[k].n = 0;
    }
}

void peers_ask(struct weft_engine *e, size_t size, part_answer_fn fn, void *ctx)
{
    struct peers *p = e->peers;
    give_all(e);
    for (unsigned k = 0; k < p->link.n; k++) {
        const struct weft_mail *m = &p->came[k];
        for (size_t at = 0; k != p->link.me && at + size <= m->n; at += size)
            fn(e, ctx, k, (const char *)m->bytes + at);
    }
}

/** Losses of a process at a link. */
struct lost {
    size_t at; /**< of the list of changes */
    uint64_t packets;
};

static void add_lost(struct weft_engine *e, void *ctx, unsigned from, const void *answer)
{
    struct weft_link_change *list = ctx;
    struct lost l;
    memcpy(&l, answer, sizeof l);
    list[l.at].lost_packets += l.packets;
}

void peers_links_changed(struct weft_engine *e, struct weft_link_change *list, size_t n)
{
    struct peers *p = e->peers;
    peers_exchange(e); /* pauses that went with the links, which all are told of */
    e->part.all.n = 0;
    for (size_t i = 0; i < n; i++) {
        const struct lost l = {i, list[i].lost_packets};
        if (l.packets)
            send_buffer_add(e, &e->part.all, &l, sizeof l);
    }
    part_ask(e, sizeof(struct lost), add_lost, list);
    p->ended |= part_sum(e, obstacle_find(e, OBSTACLE_PROCESSES) || !e->parts) != 0;
}

void peers_meet(struct weft_engine *e)
{
    const struct peers *p = e->peers;
    if (p->posted && !p->failed)
        peers_exchange(e);
    lazy_catch_up(e);
    if (p->known.deferred && !p->failed)
        peers_exchange(e); /* what switches owed until now has been sent, some of it to others */
}
