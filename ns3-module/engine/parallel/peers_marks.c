/* SPDX-License-Identifier: GPL-2.0-only */
/* What several processes know of pauses together: peers.h. */
#include "core/context.h"
#include "peers.h"

#include <string.h>

struct loan {
    uint32_t port;
    uint16_t paused;
    int64_t since_ps[WEFT_PRIOS];
    uint32_t queue_bytes[WEFT_PRIOS];
};

static void lend(struct weft_engine *e, uint32_t port)
{
    const struct port *p = &e->ports[port];
    struct loan l;
    memset(&l, 0, sizeof l);
    l.port = port;
    l.paused = p->paused;
    for (uint32_t k = 0; k < WEFT_PRIOS; k++) {
        l.since_ps[k] = e->pfc.since[port].ps[k];
        l.queue_bytes[k] = p->lane[k].qbytes;
    }
    pouch_add(e, &e->peers->all, &l, sizeof l);
}

static void borrow(struct weft_engine *e, void *ctx, unsigned from, const void *answer)
{
    struct loan l;
    (void)ctx, (void)from;
    memcpy(&l, answer, sizeof l);
    e->ports[l.port].paused = l.paused;
    for (uint32_t prio = 0; prio < WEFT_PRIOS; prio++) {
        e->pfc.since[l.port].ps[prio] = l.since_ps[prio];
        e->ports[l.port].lane[prio].qbytes = l.queue_bytes[prio];
    }
}

void peers_borrow(struct weft_engine *e)
{
    struct peers *p = e->peers;
    if (!p)
        return;
    p->all.n = 0;
    for (uint32_t i = 0; i < e->fabric->nports; i++)
        if (peers_own(e, e->fabric->ports[i].node) && (e->ports[i].paused || e->ports[i].qtotal))
            lend(e, i);
    peers_ask(e, sizeof(struct loan), borrow, NULL);
}

void peers_give_back(struct weft_engine *e)
{
    for (uint32_t i = 0; e->peers && i < e->fabric->nports; i++)
        if (!peers_own(e, e->fabric->ports[i].node)) {
            struct port *p = &e->ports[i]; /* one without a record stays without, untouched */
            if (p->paused)
                p->paused = 0;
            for (uint32_t k = 0; k < WEFT_PRIOS; k++)
                if (p->lane[k].qbytes)
                    p->lane[k].qbytes = 0;
        }
}

struct bits {
    uint8_t *bytes;
    uint32_t n;
};

static void unite(struct weft_engine *e, void *ctx, unsigned from, const void *answer)
{
    const struct bits *b = ctx;
    (void)e, (void)from;
    for (uint32_t i = 0; i < b->n; i++)
        b->bytes[i] |= ((const uint8_t *)answer)[i];
}

void peers_union(struct weft_engine *e, uint8_t *bytes, uint32_t n)
{
    struct peers *p = e->peers;
    struct bits b = {bytes, n};
    p->all.n = 0;
    pouch_add(e, &p->all, bytes, n);
    peers_ask(e, n, unite, &b);
}
