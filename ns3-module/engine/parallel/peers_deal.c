/* SPDX-License-Identifier: GPL-2.0-only */
/* Which process gets which nodes: peers.h. */
#include "core/context.h"
#include "clusters.h"
#include "partition.h"
#include "peers.h"
#include "window.h"

#include <stdlib.h>
#include <string.h>

/* ---- by weft ---- */

/* The longest delay of a link below @p than_ps; 0: none is above 0. */
static int64_t next_shorter(const struct weft_engine *e, int64_t than_ps)
{
    int64_t best = 0;
    for (uint32_t i = 0; i < e->fabric->nports; i++)
        if (link_of(e, i)->delay_ps < than_ps && link_of(e, i)->delay_ps > best)
            best = link_of(e, i)->delay_ps;
    return best;
}

/* Gives each process its nodes. Nodes that short links join stay together; where that is too much
 * for so many processes, "short" means less. */
static int deal_blocks(const struct weft_engine *e, struct peers *p, struct weft_err *err)
{
    uint32_t *of = malloc(e->fabric->nnodes * sizeof *of), n = 0;
    if (!of)
        return weft_err_set(err, WEFT_E_LIMIT, "out of memory for %u processes", p->link.n);
    for (int64_t ps = WINDOW_LEAST_PS; ps > 0 && n < p->link.n; ps = next_shorter(e, ps)) {
        p->least_ps = ps;
        clusters_join(e, of, ps);
        n = partition(e->fabric, p->link.n, of, NULL, p->owner, NULL);
    }
    free(of);
    return n == p->link.n ? 0
                          : weft_err_set(err, WEFT_E_ALONE,
                                         "%u processes, but links without a delay join the hosts "
                                         "of the fabric to %u part%s",
                                         p->link.n, n, n == 1 ? "" : "s");
}

/* ---- by the user ---- */

/* Whether each process has a host. */
static int check_hosts(const struct weft_fabric *f, const struct peers *p, struct weft_err *err)
{
    uint32_t hosts[UINT8_MAX + 1] = {0};
    for (uint32_t h = 0; h < f->nhosts; h++) {
        const unsigned owner = p->owner[f->hosts[h]];
        if (owner >= p->link.n)
            return weft_err_set(err, WEFT_E_ALONE, "host %u is of rank %u, and there are %u", h,
                                owner, p->link.n);
        hosts[owner]++;
    }
    for (unsigned k = 0; k < p->link.n; k++)
        if (!hosts[k])
            return weft_err_set(err, WEFT_E_ALONE, "no host of the fabric is of rank %u", k);
    return 0;
}

/* Switches of which the user has not said whose they are, from the hosts upwards. */
static void deal_switches(const struct weft_fabric *f, struct peers *p)
{
    bool more = true, several;
    for (uint32_t tier = 0; more; tier++) {
        uint32_t all = 0, turns = 0;
        more = false;
        for (uint32_t i = 0; i < f->nnodes; i++) {
            more |= f->nodes[i].tier > tier;
            all += f->nodes[i].tier == tier && p->owner[i] >= p->link.n;
        }
        for (uint32_t i = 0; i < f->nnodes; i++)
            if (f->nodes[i].tier == tier && p->owner[i] >= p->link.n)
                p->owner[i] =
                    partition_choose(f, p->link.n, NULL, p->owner, i,
                                     (unsigned)((uint64_t)turns++ * p->link.n / all), &several);
    }
}

/* Windows are as short as the shortest link that is cut. */
static int find_least(const struct weft_engine *e, struct peers *p, struct weft_err *err)
{
    p->least_ps = WINDOW_LEAST_PS;
    for (uint32_t i = 0; i < e->fabric->nports; i++) {
        const uint32_t near = e->fabric->ports[i].node, far = far_node(e, i);
        const int64_t delay_ps = link_of(e, i)->delay_ps;
        if (p->owner[near] == p->owner[far] || delay_ps >= p->least_ps)
            continue;
        if (delay_ps == 0)
            return weft_err_set(err, WEFT_E_ALONE,
                                "a link without a delay joins nodes %u and %u, which are of ranks "
                                "%u and %u",
                                near, far, p->owner[near], p->owner[far]);
        p->least_ps = delay_ps;
    }
    return 0;
}

int peers_deal(const struct weft_engine *e, struct peers *p, struct weft_err *err)
{
    p->shortest_ps = WEFT_NEVER;
    for (uint32_t i = 0; i < e->fabric->nlinks; i++)
        if (e->fabric->links[i].delay_ps < p->shortest_ps)
            p->shortest_ps = e->fabric->links[i].delay_ps;
    if (!p->link.user)
        return deal_blocks(e, p, err);
    memcpy(p->owner, p->link.user->owner, e->fabric->nnodes);
    int rc = check_hosts(e->fabric, p, err);
    if (!rc) {
        deal_switches(e->fabric, p);
        rc = find_least(e, p, err);
    }
    return rc;
}
