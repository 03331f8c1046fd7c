/* SPDX-License-Identifier: GPL-2.0-only */
/* Whose nodes are whose: peers.h. */
#include "context.h"
#include "peers.h"
#include "stable.h"

#include <stdlib.h>

bool peers_own(const struct weft_engine *e, uint32_t node)
{
    return !e->peers || e->peers->owner[node] == e->peers->link.me;
}

unsigned peers_ends(const struct weft_engine *e, uint32_t src_host, uint32_t dst_host)
{
    return (peers_own(e, e->fabric->hosts[src_host]) ? PEERS_SENDS : 0) |
           (peers_own(e, e->fabric->hosts[dst_host]) ? PEERS_RECEIVES : 0);
}

uint32_t peers_held_with(const struct weft_engine *e, uint32_t cluster)
{
    return e->peers && e->peers->link.user ? 0 : cluster;
}

void peers_posted(struct weft_engine *e)
{
    e->peers->posted = true;
    e->peers->figures = false;
}

bool peers_near(const struct peers *p, const struct weft_fabric *f, uint32_t port)
{
    const uint32_t far = f->ports[f->ports[port].peer].node;
    return p->owner[f->ports[port].node] == p->link.me || p->owner[far] == p->link.me;
}

bool peers_spared(const struct weft_engine *e, uint32_t port)
{
    return !peers_near(e->peers ? e->peers : e->expected, e->fabric, port);
}

void peers_spare_ports(struct weft_engine *e)
{
    const uint32_t n = e->fabric->nports;
    e->spared = true;
    stable_small_pages(&e->port_mem);
    for (uint32_t i = 0, end; i < n; i = end) {
        const bool near = peers_near(e->expected, e->fabric, i);
        for (end = i; end < n && peers_near(e->expected, e->fabric, end) == near;)
            end++;
        if (near)
            stable_huge_pages(&e->port_mem, i, end);
    }
}

void peers_free(struct peers *p)
{
    if (!p)
        return;
    for (unsigned k = 0; k < p->link.n; k++) {
        free(p->out ? p->out[k].bytes : NULL);
        free(p->lasts ? p->lasts[k].bytes : NULL);
    }
    free(p->all.bytes);
    free(p->said.bytes);
    free(p->out);
    free(p->lasts);
    free(p->owner);
    free(p->mail);
    free(p->came);
    free(p->crossed.ports);
    free(p->tells);
    free(p->words);
    free(p->totals);
    free(p->ports);
    free(p);
}

void peers_fini(struct weft_engine *e)
{
    peers_free(e->peers);
    peers_free(e->expected);
    e->peers = e->expected = NULL;
}
