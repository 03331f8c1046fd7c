/* SPDX-License-Identifier: GPL-2.0-only */
/* The first partition of nodes among threads: blocks of equally many hosts. */
#include "partition.h"

#include <string.h>

#define MOST 256u
#define NONE 255u /**< not dealt out yet */
#define NEARLY 8u /**< loads that differ by less than one in so many are as much */
#define IDLE 64.0 /**< one in so many of all the load is taken to be of all alike */

uint8_t partition_choose(const struct weft_fabric *f, unsigned n, const uint32_t *load,
                         const uint8_t *thread, uint32_t i, unsigned turn, bool *several)
{
    uint64_t links[MOST] = {0};
    const struct weft_fabric_node *node = &f->nodes[i];
    for (uint32_t p = node->first_port; p < node->first_port + node->nports; p++) {
        const uint32_t far = f->ports[f->ports[p].peer].node;
        if (f->nodes[far].tier < node->tier)
            links[thread[far]] += load ? load[far] + UINT64_C(1) : 1;
    }
    unsigned best = turn, some = 0;
    for (unsigned k = 0; k < n; k++) {
        some += links[k] != 0;
        if (links[k] > links[best] + (load ? links[best] / NEARLY : 0))
            best = k;
    }
    *several = some > 1;
    return (uint8_t)best;
}

/* Deals out the switches of a tier; whether there are any of a higher one. */
static bool deal(const struct weft_fabric *f, unsigned n, const uint32_t *of, const uint32_t *load,
                 uint8_t *thread, bool *stealable, uint32_t tier)
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
        const uint8_t its = partition_choose(f, n, load, thread, i,
                                             (unsigned)((uint64_t)turns++ * n / all), &several);
        if (stealable)
            stealable[i] = several && dealt[its] & 1; /* half of them even out what threads do */
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

/* The same by their load. @p groups: how many there are. */
static void deal_by_load(const struct weft_fabric *f, unsigned n, const uint32_t *of,
                         const uint32_t *load, uint8_t *thread, uint32_t groups)
{
    double all = 0, before = 0;
    memset(thread, NONE, f->nnodes);
    for (uint32_t h = 0; h < f->nhosts; h++) {
        const uint32_t group = of[f->hosts[h]];
        all += thread[group] == NONE ? load[group] : 0;
        thread[group] = 0;
    }
    const double idle = (all > 0 ? all / IDLE : 1) / groups;
    all += idle * groups;
    memset(thread, NONE, f->nnodes);
    for (uint32_t h = 0; h < f->nhosts; h++) {
        const uint32_t node = f->hosts[h];
        if (thread[of[node]] == NONE) {
            const double its = load[of[node]] + idle;
            const unsigned k = (unsigned)((before + its / 2) / all * n);
            thread[of[node]] = (uint8_t)(k < n ? k : n - 1);
            before += its;
        }
        thread[node] = thread[of[node]];
    }
}

uint32_t partition(const struct weft_fabric *f, unsigned n, const uint32_t *of,
                   const uint32_t *load, uint8_t *thread, bool *stealable)
{
    if (stealable)
        memset(stealable, 0, f->nnodes * sizeof *stealable);
    const uint32_t all = deal_hosts(f, 1, of, thread, 1);
    if (load)
        deal_by_load(f, n, of, load, thread, all);
    else
        deal_hosts(f, n, of, thread, all);
    for (uint32_t tier = 0; deal(f, n, of, load, thread, stealable, tier); tier++)
        ;
    return all < n ? all : n;
}
