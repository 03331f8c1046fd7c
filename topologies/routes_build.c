/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Filling the route tables: one breadth-first search over the switches per destination class.
 *
 * The search starts at the neighbours of the class (distance 1); a switch at distance d > 1
 * forwards on its ports to switches at d - 1. Those of a run are done together (routes_search.c),
 * but where links have costs or orders. Time O(classes x ports between switches), and for searches
 * together mostly a sixteenth of that.
 */
#include "topologies/routes_work.h"

#include "base/grow.h"

#include <stdlib.h>
#include <string.h>

#define FAR UINT32_MAX

/* A choice: which of its own ports a host of a class may take. */
struct choice {
    uint32_t first, n; /* local port numbers at choice_ports[first ..] */
    uint32_t before;   /* the choice before it with the same first port, + 1; 0: none */
};

static uint32_t routes_build_peer_node(const struct weft_fabric *f, uint32_t port)
{
    return f->ports[f->ports[port].peer].node;
}

/* Lists the links between switches, switch by switch, in port order. */
static int list_switch_links(struct route_work *w)
{
    const struct weft_fabric *f = w->f;
    const uint32_t *index = w->r->switch_index;
    w->adj_start = malloc(((size_t)f->nswitches + 1) * sizeof *w->adj_start);
    w->adj = malloc(((size_t)f->nports + 1) * sizeof *w->adj);
    w->dists = malloc(((size_t)f->nswitches * ROUTE_RUN + 1) * sizeof *w->dists);
    w->last = calloc((size_t)f->nswitches + 1, sizeof *w->last);
    w->reach = malloc(((size_t)f->nswitches + 1) * sizeof *w->reach);
    w->queue = malloc((2 * (size_t)f->nswitches + 1) * sizeof *w->queue);
    w->list = malloc(((size_t)f->nports + 1) * sizeof *w->list);
    if (!w->adj_start || !w->adj || !w->dists || !w->last || !w->reach || !w->queue || !w->list)
        return weft_err_no_memory(w->err, "routes");
    uint32_t n = 0, s = 0;
    for (uint32_t i = 0; i < f->nnodes; i++) {
        if (f->nodes[i].kind != WEFT_NODE_SWITCH)
            continue;
        w->adj_start[s++] = n;
        for (uint32_t p = f->nodes[i].first_port; p < f->nodes[i].first_port + f->nodes[i].nports;
             p++)
            if (route_link_up(w->r, p) && index[routes_build_peer_node(f, p)] != UINT32_MAX)
                w->adj[n++] = (struct route_adj){index[routes_build_peer_node(f, p)], p};
    }
    w->adj_start[s] = n;
    return 0;
}

/* The number of a new page. */
static int new_page(struct weft_routes *r, uint32_t *out, struct weft_err *err)
{
    if (r->npages == r->pages_cap) {
        uint32_t cap = r->pages_cap ? r->pages_cap + r->pages_cap / 2 : 256;
        uint32_t *p = realloc(r->pages, (size_t)cap * ROUTE_RUN * sizeof *p);
        if (!p)
            return weft_err_no_memory(err, "routes");
        r->pages = p;
        r->pages_cap = cap;
    }
    *out = r->npages++;
    return 0;
}

/* Moves the columns of the run that ends with class `last` into the switch table. */
static int store_run(struct route_work *w, uint32_t last)
{
    struct weft_routes *r = w->r;
    uint32_t n = last % ROUTE_RUN + 1, nsw = w->f->nswitches, page = 0;
    uint32_t *run = r->switch_runs + (size_t)(last / ROUTE_RUN) * nsw;
    for (uint32_t s = 0; s < nsw; s++) {
        uint32_t e = w->columns[s], i = 1;
        while (i < n && w->columns[(size_t)i * nsw + s] == e)
            i++;
        if (i == n && !(e & ROUTE_LOCAL)) {
            run[s] = e;
            continue;
        }
        if (new_page(r, &page, w->err))
            return WEFT_E_LIMIT;
        for (i = 0; i < ROUTE_RUN; i++)
            r->pages[(size_t)page * ROUTE_RUN + i] = i < n ? w->columns[(size_t)i * nsw + s] : 0;
        run[s] = ROUTE_PAGE | page;
    }
    return 0;
}

static uint32_t cost_of(const struct route_work *w, uint32_t port)
{
    uint32_t cost = w->f->links[w->f->ports[port].link].cost;
    return cost ? cost : 1;
}

/* The group of switch `s` under costs and orders: w->list receives the ports, returns how many. */
static uint32_t cheapest(struct route_work *w, const uint32_t *dist, uint32_t s)
{
    uint32_t n = 0, order = UINT32_MAX;
    for (uint32_t i = w->adj_start[s]; i < w->adj_start[s + 1]; i++) {
        const struct weft_fabric_link *l = &w->f->links[w->f->ports[w->adj[i].port].link];
        uint32_t far = dist[w->adj[i].sw];
        if (far == FAR || far + cost_of(w, w->adj[i].port) != dist[s] || l->order > order)
            continue;
        if (l->order < order)
            n = 0;
        order = l->order;
        w->list[n++] = w->adj[i].port;
    }
    return n;
}

/* As search, by cost, which includes the links of the hosts: distances are settled one value after
 * the other. */
static int search_hints(struct route_work *w, uint32_t cls)
{
    struct weft_routes *r = w->r;
    const struct route_class *c = &r->classes[cls];
    uint32_t *column = route_column(w, cls), *dist = route_dist(w, cls);
    uint32_t farthest = 1;
    for (uint32_t s = 0; s < w->f->nswitches; s++) {
        dist[s] = FAR;
        column[s] = 0;
    }
    const struct weft_fabric_node *x = &w->f->nodes[w->f->hosts[c->host]];
    for (uint32_t p = x->first_port; p < x->first_port + x->nports; p++) {
        uint32_t s =
            route_link_up(r, p) ? r->switch_index[routes_build_peer_node(w->f, p)] : UINT32_MAX;
        if (s != UINT32_MAX && dist[s] > cost_of(w, p))
            dist[s] = cost_of(w, p);
        if (s != UINT32_MAX && farthest < cost_of(w, p))
            farthest = cost_of(w, p);
    }
    for (uint32_t j = 0; j < c->nnear; j++) {
        column[r->near_switches[c->near + j]] = ROUTE_LOCAL + j;
    }
    for (uint32_t d = 1; d <= farthest; d++) {
        for (uint32_t s = 0; s < w->f->nswitches; s++) {
            for (uint32_t i = w->adj_start[s]; dist[s] == d && i < w->adj_start[s + 1]; i++) {
                uint32_t to = d + cost_of(w, w->adj[i].port);
                if (dist[w->adj[i].sw] > to)
                    dist[w->adj[i].sw] = to;
                if (farthest < to && dist[w->adj[i].sw] == to)
                    farthest = to;
            }
        }
    }
    for (uint32_t s = 0; s < w->f->nswitches; s++) {
        if (dist[s] == FAR || column[s] & ROUTE_LOCAL)
            continue;
        int rc = weft_route_number_group(w, s, cheapest(w, dist, s), &column[s]);
        if (rc)
            return rc;
    }
    return 0;
}

/* Lists the links that join other hosts to the one of class `dst`, by their classes. Where all are
 * joined, looking at all ports for every pair would take the cube of their number. */
static void list_direct(struct route_work *w, uint32_t dst)
{
    const struct weft_fabric *f = w->f;
    const struct weft_fabric_node *x = &f->nodes[f->hosts[w->r->classes[dst].host]];
    for (uint32_t p = 0; p < x->nports; p++) {
        const uint32_t host = f->nodes[routes_build_peer_node(f, x->first_port + p)].host;
        if (host == UINT32_MAX || !route_link_up(w->r, x->first_port + p))
            continue;
        struct route_direct *d = &w->direct[w->r->class_of[host]];
        if (d->dst != dst)
            *d = (struct route_direct){.dst = dst, .head = p + 1};
        else
            w->direct_next[d->tail - 1] = p + 1;
        d->tail = p + 1;
        w->direct_next[p] = 0;
    }
}

/* As routes_build_choose(), of a source with links to the destination itself; 0: it has none. */
static uint32_t choose_direct(struct route_work *w, uint32_t src, uint32_t dst)
{
    const struct weft_fabric *f = w->f;
    const struct weft_fabric_node *x = &f->nodes[f->hosts[w->r->classes[src].host]];
    const struct weft_fabric_node *y = &f->nodes[f->hosts[w->r->classes[dst].host]];
    const struct route_direct *d = &w->direct[src];
    uint32_t n = 0;
    for (uint32_t p = d->dst == dst ? d->head : 0; p; p = w->direct_next[p - 1])
        w->list[n++] = f->ports[y->first_port + p - 1].peer - x->first_port;
    return n;
}

/* Writes into w->list the local ports that a host of class `src` takes to class `dst`; returns how
 * many. */
static uint32_t routes_build_choose(struct route_work *w, uint32_t src, uint32_t dst)
{
    const struct weft_fabric *f = w->f;
    const struct weft_fabric_node *x = &f->nodes[f->hosts[w->r->classes[src].host]];
    const uint32_t *dist = route_dist(w, dst);
    uint32_t dst_node = f->hosts[w->r->classes[dst].host];
    uint32_t best = FAR, n = 0, order = 0;
    for (uint32_t p = 0; p < x->nports; p++) {
        if (!route_link_up(w->r, x->first_port + p))
            continue;
        const uint32_t of = f->links[f->ports[x->first_port + p].link].order;
        uint32_t y = routes_build_peer_node(f, x->first_port + p), s = w->r->switch_index[y];
        uint32_t d = s != UINT32_MAX ? dist[s] : y == dst_node ? 0 : FAR;
        if (w->hints && d != FAR)
            d += cost_of(w, x->first_port + p);
        if (d < best || (d == best && of < order)) {
            best = d;
            order = of;
            n = 0;
        }
        if (d == best && d != FAR && of == order)
            w->list[n++] = p;
    }
    return n;
}

/* The number of the choice w->list[0 .. n-1] within class `src`, new or old. */
static int number_choice(struct route_work *w, uint32_t src, uint32_t n, uint32_t *out)
{
    struct route_class *c = &w->r->classes[src];
    struct choice *mine = w->choices + c->choices;
    uint32_t *newest =
        &w->first_choice[n ? w->f->nodes[w->f->hosts[c->host]].first_port + w->list[0]
                           : w->f->nports + src];
    for (uint32_t i = *newest; i; i = mine[i - 1].before) {
        if (mine[i - 1].n == n && (n == 0 || memcmp(w->choice_ports + mine[i - 1].first, w->list,
                                                    n * sizeof *w->list) == 0)) {
            *out = i - 1;
            return 0;
        }
    }
    if (!WEFT_GROW_TO(w->choice_ports, w->nchoice_ports + n, &w->choice_ports_cap))
        return weft_err_no_memory(w->err, "routes");
    if (n > 0)
        memcpy(w->choice_ports + w->nchoice_ports, w->list, n * sizeof *w->list);
    mine[c->nchoices] = (struct choice){w->nchoice_ports, n, *newest};
    w->nchoice_ports += n;
    *out = c->nchoices++;
    *newest = c->nchoices;
    return 0;
}

/* Fills one column of the source table. */
static int fill_sources(struct route_work *w, uint32_t dst)
{
    struct weft_routes *r = w->r;
    if (!w->hints)
        list_direct(w, dst);
    for (uint32_t src = 0; src < r->nclasses; src++) {
        if (r->classes[src].row == ROUTE_NO_ROW)
            continue;
        uint32_t n = w->hints ? 0 : choose_direct(w, src, dst);
        if (n == 0)
            n = routes_build_choose(w, src, dst);
        int rc =
            number_choice(w, src, n, &r->source_cols[(size_t)dst * r->nrows + r->classes[src].row]);
        if (rc)
            return rc;
    }
    return 0;
}

/* Makes the access groups and the choices of one host. Both ends number their ports in the order of
 * the links, so the peers of ascending ports towards one switch ascend too. */
static int fill_host(struct route_work *w, uint32_t host)
{
    struct weft_routes *r = w->r;
    const struct weft_fabric *f = w->f;
    const struct weft_fabric_node *x = &f->nodes[f->hosts[host]];
    const struct route_class *c = &r->classes[r->class_of[host]];
    r->host_groups[host] = r->groups.n;
    for (uint32_t j = 0; j < c->nnear; j++) {
        uint32_t n = 0;
        for (uint32_t p = x->first_port; p < x->first_port + x->nports; p++)
            if (route_link_up(r, p) &&
                r->switch_index[routes_build_peer_node(f, p)] == r->near_switches[c->near + j])
                w->list[n++] = f->ports[p].peer;
        int rc = weft_route_groups_append(&r->groups, w->list, n, w->err);
        if (rc)
            return rc;
    }
    for (uint32_t i = 0; i < c->nchoices; i++) {
        uint32_t n =
            x->nports; /* a class without a row has one choice: all (that is, its one port) */
        for (uint32_t p = 0; p < n; p++)
            w->list[p] = x->first_port + p;
        if (n == 1 && !route_link_up(r, x->first_port))
            n = 0;
        if (c->row != ROUTE_NO_ROW) {
            const struct choice *ch = &w->choices[c->choices + i];
            n = ch->n;
            for (uint32_t p = 0; p < n; p++)
                w->list[p] = x->first_port + w->choice_ports[ch->first + p];
        }
        int rc = weft_route_groups_append(&r->groups, w->list, n, w->err);
        if (rc)
            return rc;
    }
    return 0;
}

/* Allocates the tables; a class of hosts with several ports gets a source row. */
static int make_tables(struct route_work *w)
{
    struct weft_routes *r = w->r;
    const struct weft_fabric *f = w->f;
    size_t nchoices = 0;
    for (uint32_t c = 0; c < r->nclasses; c++) {
        struct route_class *k = &r->classes[c];
        uint32_t nports = f->nodes[f->hosts[k->host]].nports;
        k->row = nports > 1 ? r->nrows++ : ROUTE_NO_ROW;
        k->nchoices = nports > 1 ? 0 : 1;
        k->choices = (uint32_t)nchoices;
        /* No more choices than destinations, nor than subsets of the ports. */
        if (nports > 1)
            nchoices += nports < 31 && (1u << nports) < r->nclasses ? 1u << nports : r->nclasses;
        if (nchoices > UINT32_MAX / 4)
            return weft_err_set(w->err, WEFT_E_LIMIT, "too many hosts with several ports to route");
    }
    size_t nruns = ((size_t)r->nclasses + ROUTE_RUN - 1) / ROUTE_RUN;
    r->switch_runs = malloc(((size_t)f->nswitches * nruns + 1) * sizeof(uint32_t));
    w->columns = malloc(((size_t)f->nswitches * ROUTE_RUN + 1) * sizeof(uint32_t));
    r->source_cols = malloc(((size_t)r->nrows * r->nclasses + 1) * sizeof(uint32_t));
    r->host_groups = malloc(((size_t)f->nhosts + 1) * sizeof(uint32_t));
    w->choices = malloc((nchoices + 1) * sizeof *w->choices);
    w->first_choice = calloc((size_t)f->nports + r->nclasses + 1, sizeof *w->first_choice);
    w->direct = malloc(((size_t)r->nclasses + 1) * sizeof *w->direct);
    w->direct_next = malloc(((size_t)f->nports + 1) * sizeof *w->direct_next);
    if (!r->switch_runs || !w->columns || !r->source_cols || !r->host_groups || !w->choices ||
        !w->first_choice || !w->direct || !w->direct_next)
        return weft_err_no_memory(w->err, "routes");
    for (uint32_t c = 0; c < r->nclasses; c++)
        w->direct[c].dst = UINT32_MAX;
    return weft_route_groups_open(&r->groups, f->nports, w->err);
}

/* Fills both tables for the @p n classes of a run. */
static int fill_run(struct route_work *w, uint32_t first, uint32_t n)
{
    int rc = w->hints ? 0 : weft_route_search_run(w, first, n);
    for (uint32_t c = first; c < first + n && !rc; c++) {
        if (w->hints)
            rc = search_hints(w, c);
        if (!rc)
            rc = fill_sources(w, c);
    }
    return rc ? rc : store_run(w, first + n - 1);
}

int weft_routes_fill(struct weft_routes *r, struct weft_err *err)
{
    struct route_work w = {.r = r, .f = r->fabric, .err = err};
    for (uint32_t l = 0; l < w.f->nlinks; l++)
        w.hints = w.hints || w.f->links[l].cost > 1 || w.f->links[l].order > 0;
    int rc = list_switch_links(&w);
    if (!rc)
        rc = make_tables(&w);
    for (uint32_t first = 0; first < r->nclasses && !rc; first += ROUTE_RUN)
        rc = fill_run(&w, first, r->nclasses - first < ROUTE_RUN ? r->nclasses - first : ROUTE_RUN);
    for (uint32_t h = 0; h < r->fabric->nhosts && !rc; h++)
        rc = fill_host(&w, h);
    weft_route_groups_seal(&r->groups);
    free(w.adj_start);
    free(w.adj);
    free(w.columns);
    free(w.dists);
    free(w.last);
    free(w.reach);
    free(w.queue);
    free(w.list);
    free(w.choices);
    free(w.choice_ports);
    free(w.first_choice);
    free(w.direct);
    free(w.direct_next);
    return rc;
}
