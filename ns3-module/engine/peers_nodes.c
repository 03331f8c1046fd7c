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

void peers_posted(struct weft_engine *e)
{
    e->peers->posted = true;
    e->peers->figures = false;
}

/* Whether a port is at one end of a link with a node of this process. */
static bool near_port(const struct weft_engine *e, uint32_t port)
{
    return peers_own(e, e->fabric->ports[port].node) || peers_own(e, far_node(e, port));
}

void weft_engine_forget_others(struct weft_engine *e)
{
    const uint32_t n = e->fabric->nports;
    for (uint32_t i = 0, end; i < n; i = end) {
        for (end = i; end < n && near_port(e, end) == near_port(e, i);)
            end++;
        if (!near_port(e, i))
            stable_forget(&e->port_mem, i, end);
    }
}

void peers_fini(struct weft_engine *e)
{
    struct peers *p = e->peers;
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
    free(p->own);
    free(p->totals);
    free(p->ports);
    free(p);
    e->peers = NULL;
}
