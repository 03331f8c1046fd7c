/* SPDX-License-Identifier: GPL-2.0-only */
/* What several processes know of pauses together: peers.h. */
#include "context.h"
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

void peers_borrow(struct weft_engine *e)
{
    struct peers *p = e->peers;
    if (!p)
        return;
    p->all.n = 0;
    for (uint32_t i = 0; i < e->fabric->nports; i++)
        if (peers_own(e, e->fabric->ports[i].node) && (e->ports[i].paused || e->ports[i].qtotal))
            lend(e, i);
    peers_give_all(e);
    for (unsigned k = 0; k < p->link.n; k++)
        for (size_t at = 0; k != p->link.me && at + sizeof(struct loan) <= p->came[k].n;
             at += sizeof(struct loan)) {
            struct loan l;
            memcpy(&l, (const char *)p->came[k].bytes + at, sizeof l);
            e->ports[l.port].paused = l.paused;
            for (uint32_t prio = 0; prio < WEFT_PRIOS; prio++) {
                e->pfc.since[l.port].ps[prio] = l.since_ps[prio];
                e->ports[l.port].lane[prio].qbytes = l.queue_bytes[prio];
            }
        }
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

void peers_union(struct weft_engine *e, uint8_t *bytes, uint32_t n)
{
    struct peers *p = e->peers;
    p->all.n = 0;
    pouch_add(e, &p->all, bytes, n);
    peers_give_all(e);
    for (unsigned k = 0; k < p->link.n; k++)
        for (uint32_t i = 0; k != p->link.me && p->came[k].n == n && i < n; i++)
            bytes[i] |= ((const uint8_t *)p->came[k].bytes)[i];
}
