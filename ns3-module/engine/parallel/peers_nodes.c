/* SPDX-License-Identifier: GPL-2.0-only */
/* Whose nodes are whose: peers.h. */
#include "core/context.h"
#include "core/stable.h"
#include "peers.h"

#include <stdlib.h>

bool peers_own(const struct weft_engine *e, uint32_t node)
{
    return !e->peers || e->peers->owner[node] == e->peers->link.me;
}

bool peers_far_own(const struct weft_engine *e, uint32_t port)
{
    const struct link_end *l = &e->ends[port];
    return peers_own(e, l->to_host ? e->fabric->hosts[l->far] : l->far);
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

static bool is_own(const struct peers *p, uint32_t node)
{
    return p->owner[node] == p->link.me;
}

static const struct peers *peers_of(const struct weft_engine *e)
{
    return e->peers ? e->peers : e->expected;
}

bool peers_node_spared(const struct weft_engine *e, uint32_t node)
{
    return !is_own(peers_of(e), node);
}

bool peers_spared(const struct weft_engine *e, uint32_t port)
{
    return !is_own(peers_of(e), e->fabric->ports[port].node);
}

bool peers_end_spared(const struct weft_engine *e, uint32_t port)
{
    return peers_spared(e, port) && !is_own(peers_of(e), far_node(e, port));
}

/* Only records that are not @p spared take memory. */
static void spare(const struct weft_engine *e, struct stable *s,
                  bool (*spared)(const struct weft_engine *e, uint32_t port))
{
    const uint32_t n = e->fabric->nports;
    stable_small_pages(s);
    for (uint32_t i = 0, end; i < n; i = end) {
        const bool is = spared(e, i);
        for (end = i; end < n && spared(e, end) == is;)
            end++;
        if (!is)
            stable_huge_pages(s, i, end);
    }
}

void peers_spare(struct weft_engine *e)
{
    stable_small_pages(&e->windows.mem);
    stable_small_pages(&e->timers.pool);
}

void peers_spare_ports(struct weft_engine *e)
{
    e->spared = true;
    spare(e, &e->port_mem, peers_spared);
    spare(e, &e->ends_mem, peers_end_spared);
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
