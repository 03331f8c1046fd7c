/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Breadth-first searches over the switches, for the classes of a run together; see routes_work.h.
 *
 * A switch has a bit per class in each mask. It is reached from the classes of a run at one
 * distance mostly (those of a pod), and has the same next hops towards all of them: so one scan of
 * its links does for sixteen searches. All are a level further each time; the search of a class
 * does not know of the others.
 */
#include "topologies/routes_work.h"

#include <string.h>

int weft_route_number_group(struct route_work *w, uint32_t s, uint32_t n, uint32_t *id)
{
    struct weft_route_groups *g = &w->r->groups;
    const struct group_span *last = &g->spans[w->last[s]];
    if (last->n == n && memcmp(g->ports + last->first, w->list, n * sizeof *w->list) == 0) {
        *id = w->last[s];
        return 0;
    }
    const int rc = weft_route_groups_add(g, w->list, n, id, w->err);
    w->last[s] = *id;
    return rc;
}

/* Begins at the neighbours of each class of a run. Returns how many switches these are. */
static uint32_t routes_search_begin(struct route_work *w, uint32_t first, uint32_t n)
{
    const struct weft_routes *r = w->r;
    uint32_t count = 0;
    memset(w->reach, 0, w->f->nswitches * sizeof *w->reach);
    memset(w->columns, 0, (size_t)n * w->f->nswitches * sizeof *w->columns);
    if (r->nrows)
        memset(w->dists, 0xff, (size_t)n * w->f->nswitches * sizeof *w->dists);
    for (uint32_t i = 0; i < n; i++) {
        const struct route_class *c = &r->classes[first + i];
        for (uint32_t j = 0; j < c->nnear; j++) {
            const uint32_t s = r->near_switches[c->near + j];
            if (!w->reach[s].next)
                w->queue[count++] = s;
            w->reach[s].next |= 1u << i;
            route_column(w, first + i)[s] = ROUTE_LOCAL + j;
        }
    }
    return count;
}

/* The switches of the next level become those of this one, whose distance is @p d. */
static void routes_search_step(struct route_work *w, const uint32_t *level, uint32_t n, uint32_t d)
{
    for (uint32_t k = 0; k < n; k++) {
        struct route_reach *s = &w->reach[level[k]];
        s->at = s->next;
        s->seen |= s->next;
        s->next = 0;
        for (uint32_t i = 0; w->r->nrows && s->at >> i; i++)
            if (s->at >> i & 1)
                route_dist(w, i)[level[k]] = d;
    }
}

/* Numbers the next hops of switch @p s towards those classes of a run that reach it now; with @p
 * alike they are the same for all of these. */
static int number_hops(struct route_work *w, uint32_t first, uint32_t s, bool alike)
{
    const uint32_t at = w->reach[s].at;
    uint32_t id = 0;
    bool known = false;
    int rc = 0;
    for (uint32_t i = 0; at >> i && !rc; i++) {
        if (!(at >> i & 1))
            continue;
        uint32_t n = 0;
        for (uint32_t k = w->adj_start[s]; !known && k < w->adj_start[s + 1]; k++)
            if (w->reach[w->adj[k].sw].before >> i & 1)
                w->list[n++] = w->adj[k].port;
        if (!known)
            rc = weft_route_number_group(w, s, n, &id);
        known = alike;
        route_column(w, first + i)[s] = id;
    }
    return rc;
}

/* Looks at the links of a switch of this level: for the switches behind it, which are added to @p
 * more, and, but next to a class, for its next hops. */
static int scan(struct route_work *w, uint32_t first, uint32_t s, bool near, uint32_t *more,
                uint32_t *nmore)
{
    const uint32_t at = w->reach[s].at;
    bool alike = true;
    for (uint32_t k = w->adj_start[s]; k < w->adj_start[s + 1]; k++) {
        struct route_reach *t = &w->reach[w->adj[k].sw];
        const uint32_t hop = t->before & at, on = at & ~(uint32_t)t->seen;
        alike = alike && (!hop || hop == at);
        if (on && !t->next)
            more[(*nmore)++] = w->adj[k].sw;
        t->next |= (uint16_t)on;
    }
    return near ? 0 : number_hops(w, first, s, alike);
}

int weft_route_search_run(struct route_work *w, uint32_t first, uint32_t n)
{
    uint32_t *level = w->queue, *more = w->queue + w->f->nswitches;
    uint32_t nlevel = routes_search_begin(w, first, n), nmore;
    int rc = 0;
    for (uint32_t d = 1; nlevel && !rc; d++) {
        routes_search_step(w, level, nlevel, d);
        nmore = 0;
        for (uint32_t k = 0; k < nlevel && !rc; k++)
            rc = scan(w, first, level[k], d == 1, more, &nmore);
        for (uint32_t s = 0; s < w->f->nswitches; s++)
            w->reach[s].before = 0;
        for (uint32_t k = 0; k < nlevel; k++) {
            w->reach[level[k]].before = w->reach[level[k]].at;
            w->reach[level[k]].at = 0;
        }
        uint32_t *const swap = level;
        level = more;
        more = swap;
        nlevel = nmore;
    }
    return rc;
}
