/* SPDX-License-Identifier: GPL-2.0-only */
/* See partition.h. */
#include "partition.h"

#include <string.h>

#define MOST 256u
#define NONE 255u /**< not dealt out yet */

uint8_t partition_choose(const struct weft_fabric *f, unsigned n, const uint8_t *thread, uint32_t i,
                         unsigned turn, bool *several)
{
    uint32_t links[MOST] = {0};
    const struct weft_fabric_node *node = &f->nodes[i];
    for (uint32_t p = node->first_port; p < node->first_port + node->nports; p++) {
        const uint32_t far = f->ports[f->ports[p].peer].node;
        if (f->nodes[far].tier < node->tier)
            links[thread[far]]++;
    }
    unsigned best = turn, some = 0;
    for (unsigned k = 0; k < n; k++) {
        some += links[k] != 0;
        if (links[k] > links[best])
            best = k;
    }
    *several = some > 1;
    return (uint8_t)best;
}

/* Deals out the switches of a tier; whether there are any of a higher one. */
static bool deal(const struct weft_fabric *f, unsigned n, const uint32_t *of, uint8_t *thread,
                 bool *loose, uint32_t tier)
{
    uint32_t all = 0, turns = 0, dealt[MOST] = {0};
    bool more = false;
    for (uint32_t i = 0; i < f->nnodes; i++) {
        more |= f->nodes[i].tier > tier;
        all += f->nodes[i].host == UINT32_MAX && f->nodes[i].tier == tier;
    }
    for (uint32_t i = 0; i < f->nnodes; i++) {
        if (f->nodes[i].host != UINT32_MAX || f->nodes[i].tier != tier)
            continue;
        bool several;
        const uint8_t its =
            partition_choose(f, n, thread, i, (unsigned)((uint64_t)turns++ * n / all), &several);
        if (loose)
            loose[i] = several && dealt[its] & 1; /* half of them even out what threads do */
        if (thread[of[i]] == NONE)
            thread[of[i]] = its;
        thread[i] = thread[of[i]];
        dealt[thread[i]]++;
    }
    return more;
}

/* Deals out the groups of hosts to @p n of @p all of them; returns how many there are. */
static uint32_t deal_hosts(const struct weft_fabric *f, unsigned n, const uint32_t *of,
                           uint8_t *thread, uint32_t all)
{
    uint32_t groups = 0;
    memset(thread, NONE, f->nnodes);
    for (uint32_t h = 0; h < f->nhosts; h++) {
        const uint32_t node = f->hosts[h];
        if (thread[of[node]] == NONE)
            thread[of[node]] = (uint8_t)((uint64_t)groups++ * n / all);
        thread[node] = thread[of[node]];
    }
    return groups;
}

uint32_t partition(const struct weft_fabric *f, unsigned n, const uint32_t *of, uint8_t *thread,
                   bool *loose)
{
    if (loose)
        memset(loose, 0, f->nnodes * sizeof *loose);
    const uint32_t all = deal_hosts(f, 1, of, thread, 1);
    deal_hosts(f, n, of, thread, all);
    for (uint32_t tier = 0; deal(f, n, of, thread, loose, tier); tier++)
        ;
    return all < n ? all : n;
}
