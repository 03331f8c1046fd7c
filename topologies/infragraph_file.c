/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * infragraph: a document of Keysight's InfraGraph as a fabric of accelerators and switches.
 *
 * An instance with an XPU in it is a host, every other one a switch, whatever it is made of; an
 * annotation device_type says otherwise. XPUs are ranks, by annotation `rank` or in their order.
 * Within a host, links between XPUs stay, and switches that join XPUs, unless their links to XPUs
 * are of a sort that the way from XPUs to the network takes (PCIe). What has an edge to another
 * instance is a way out: it belongs to the nearest XPU, with the least rate on that way; where
 * there are fewer ways out than XPUs, it is a switch that the nearest XPUs share. Hosts and the
 * network are dimensions (infragraph_dims.c).
 */
#include "base/grow.h"
#include "base/list.h"
#include "topologies/fabric_reach.h"
#include "topologies/infragraph.h"
#include "topologies/topology.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct params {
    const char *file;
    const char *rates, *delays;
    int64_t delay_ps;
    bool keep_pcie;
};

static const struct weft_param params[] = {
    {WEFT_ROW_STRING(struct params, file, "file", NULL),
     .help = "path of the document, YAML or JSON"},
    {WEFT_ROW_STRING(struct params, rates, "rates", ""),
     .help = "rates of links, by name, over those of the document: nvlink:3600Gbps,eth:400Gbps"},
    {WEFT_ROW_STRING(struct params, delays, "delays", ""),
     .help = "delays of links, by name, over those of the document: nvlink:250ns,eth:500ns"},
    {WEFT_ROW_TIME(struct params, delay_ps, "delay", "500ns", "0ps", "1s"),
     .help = "delay of links that have none"},
    {WEFT_ROW_BOOL(struct params, keep_pcie, "keep-pcie", "false"),
     .help = "keep switches in hosts also when their links to XPUs lead to the network, too"},
};

/* A link of the fabric to be. */
struct wire {
    uint32_t a, b; /* vertices; boxes as nv + number */
    double bps, ps, loss;
    bool egress;
};

struct flat {
    const struct params *p;
    struct weft_infra g;
    struct weft_arena *arena;
    struct weft_fabric *f;
    struct weft_err *err;
    bool *host;               /* per box */
    bool *way_out;            /* per vertex: has an edge to another instance */
    bool *pcie;               /* per link: XPUs take it to a way out */
    uint32_t *first;          /* per vertex: its neighbours in `next` */
    uint32_t *next, *by;      /* and the edges to them */
    uint32_t *from, *queue;   /* of a search: edge that led there */
    uint32_t *xpu;            /* per way out: its XPU, or NONE: a switch of its own */
    uint32_t *attached;       /* per XPU: ways out */
    double *out_bps, *out_ps; /* per way out: on the way to its XPU */
    uint32_t *node;           /* per vertex, then per box: node of the fabric, or NONE */
    struct wire *wires;
    uint32_t nwires, wires_cap;
    uint32_t nxpus, defaults; /* delays that were not given */
};

static const struct weft_param rate_fields[] = {{.type = WEFT_PARAM_STRING},
                                                {.type = WEFT_PARAM_RATE, .min = "1bps"}};
static const struct weft_param delay_fields[] = {{.type = WEFT_PARAM_STRING},
                                                 {.type = WEFT_PARAM_TIME, .min = "0ps"}};
static const struct weft_list_form rate_form = {.like = "LINK:RATE,..., such as nvlink:3600Gbps",
                                                .fields = rate_fields,
                                                .nfields = 2,
                                                .unique = true};
static const struct weft_list_form delay_form = {.like = "LINK:TIME,..., such as nvlink:250ns",
                                                 .fields = delay_fields,
                                                 .nfields = 2,
                                                 .unique = true};

/* What the user says of links. */
static int override(struct flat *x, const char *text, bool rate)
{
    struct weft_list list = {.text = text, .form = rate ? &rate_form : &delay_form};
    struct weft_list_item item;
    int rc = *text ? 1 : 0;
    while (rc > 0 && (rc = weft_list_next(&list, &item, x->err)) > 0) {
        bool found = false;
        for (uint32_t i = 0; i < x->g.nlinks; i++) {
            struct weft_infra_link *l = &x->g.links[i];
            if (strlen(l->name) != item.field[0].len ||
                strncmp(l->name, item.field[0].text, item.field[0].len) != 0)
                continue;
            found = true;
            l->bps = rate ? (double)item.field[1].value.u64 : l->bps;
            l->ps = rate ? l->ps : (double)item.field[1].value.i64;
        }
        if (!found)
            return weft_err_set(
                x->err, WEFT_E_INPUT, "infragraph.%s: the document has no link '%.*s'",
                rate ? "rates" : "delays", (int)item.field[0].len, item.field[0].text);
    }
    return rc < 0 ? weft_err_prepend(x->err, "infragraph.%s", rate ? "rates" : "delays") : 0;
}

static bool is_xpu(const struct flat *x, uint32_t v)
{
    return x->g.v[v].kind == WEFT_INFRA_XPU && x->host[x->g.v[v].box];
}

/* Roles of instances, and the neighbours of each component within its instance. */
static int infragraph_file_look(struct flat *x)
{
    const struct weft_infra *g = &x->g;
    const size_t nv = (size_t)g->nv + 2, ne = 2 * (size_t)g->ne + 1;
    x->host = weft_arena_calloc(x->arena, g->nboxes, sizeof *x->host);
    x->way_out = weft_arena_calloc(x->arena, nv, sizeof *x->way_out);
    x->pcie = weft_arena_calloc(x->arena, g->nlinks + 1, sizeof *x->pcie);
    x->first = weft_arena_calloc(x->arena, nv, sizeof *x->first);
    x->next = weft_arena_calloc(x->arena, ne, sizeof *x->next);
    x->by = weft_arena_calloc(x->arena, ne, sizeof *x->by);
    x->from = weft_arena_calloc(x->arena, nv, sizeof *x->from);
    x->queue = weft_arena_calloc(x->arena, nv, sizeof *x->queue);
    x->xpu = weft_arena_calloc(x->arena, nv, sizeof *x->xpu);
    x->attached = weft_arena_calloc(x->arena, nv, sizeof *x->attached);
    x->out_bps = weft_arena_calloc(x->arena, nv, sizeof *x->out_bps);
    x->out_ps = weft_arena_calloc(x->arena, nv, sizeof *x->out_ps);
    x->node = weft_arena_calloc(x->arena, nv + g->nboxes, sizeof *x->node);
    if (!x->host || !x->way_out || !x->pcie || !x->first || !x->next || !x->by || !x->from ||
        !x->queue || !x->xpu || !x->attached || !x->out_bps || !x->out_ps || !x->node)
        return weft_err_no_memory(x->err, "a topology");
    for (uint32_t v = 0; v < g->nv; v++)
        x->host[g->v[v].box] |= g->v[v].kind == WEFT_INFRA_XPU;
    for (uint32_t b = 0; b < g->nboxes; b++) {
        if (g->boxes[b].role == 1 && !x->host[b])
            return weft_err_at(x->err, WEFT_E_INPUT, g->file, 0, 0,
                               "%s is annotated as a host, but has no component of choice xpu",
                               g->boxes[b].name);
        x->host[b] = g->boxes[b].role < 0 ? x->host[b] : g->boxes[b].role == 1;
    }
    for (uint32_t v = 0; v < g->nv; v++)
        x->nxpus += is_xpu(x, v);
    if (!x->nxpus)
        return weft_err_at(
            x->err, WEFT_E_INPUT, g->file, 0, 0,
            "nothing is a host: no instance has a component of choice xpu, or none is "
            "annotated as a host (device_type)");
    for (uint32_t i = 0; i < g->ne; i++) {
        const struct weft_infra_edge *e = &g->e[i];
        if (g->v[e->a].box != g->v[e->b].box) {
            x->way_out[e->a] = x->way_out[e->b] = true;
            continue;
        }
        x->first[e->a + 1]++;
        x->first[e->b + 1]++;
    }
    for (uint32_t v = 0; v < g->nv; v++)
        x->first[v + 1] += x->first[v];
    for (uint32_t i = g->ne; i-- > 0;) {
        const struct weft_infra_edge *e = &g->e[i];
        if (g->v[e->a].box != g->v[e->b].box)
            continue;
        x->next[--x->first[e->a + 1]] = e->b;
        x->by[x->first[e->a + 1]] = i;
        x->next[--x->first[e->b + 1]] = e->a;
        x->by[x->first[e->b + 1]] = i;
    }
    return 0;
}

static uint32_t end_of(const struct flat *x, uint32_t v)
{
    return v + 1 < x->g.nv ? x->first[v + 2] : x->first[x->g.nv + 1];
}

static uint32_t other(const struct weft_infra_edge *e, uint32_t v)
{
    return e->a == v ? e->b : e->a;
}

/* Hops from v to the nearest XPUs of its host, which are marked with the edges that led there; the
 * one with the fewest ways out. NONE: there is none. */
static uint32_t nearest(struct flat *x, uint32_t v)
{
    uint32_t head = 0, tail = 0, best = WEFT_INFRA_NONE, level_end = 1;
    const struct weft_infra_box *box = &x->g.boxes[x->g.v[v].box];
    if (is_xpu(x, v))
        return v;
    for (uint32_t i = 0; i < box->n; i++)
        x->from[box->first + i] = WEFT_INFRA_NONE;
    x->queue[tail++] = v;
    while (head < tail) {
        const uint32_t at = x->queue[head++];
        for (uint32_t i = x->first[at + 1]; i < end_of(x, at); i++) {
            const uint32_t to = x->next[i];
            if (to == v || x->from[to] != WEFT_INFRA_NONE)
                continue;
            x->from[to] = x->by[i];
            x->queue[tail++] = to;
            if (is_xpu(x, to) && (best == WEFT_INFRA_NONE || x->attached[to] < x->attached[best] ||
                                  (x->attached[to] == x->attached[best] && to < best)))
                best = to;
        }
        if (head == level_end && best != WEFT_INFRA_NONE)
            return best;
        level_end = head == level_end ? tail : level_end;
    }
    return best;
}

/* The least rate and the sum of delays of the way that nearest() found from v to @p to; marks the
 * links. */
static void infragraph_file_measure(struct flat *x, uint32_t v, uint32_t to, double *bps,
                                    double *ps)
{
    while (to != v) {
        const struct weft_infra_edge *e = &x->g.e[x->from[to]];
        const struct weft_infra_link *l = &x->g.links[e->link];
        x->pcie[e->link] = true;
        *bps = l->bps > 0 && (*bps <= 0 || l->bps < *bps) ? l->bps : *bps;
        *ps += l->ps > 0 ? l->ps : 0;
        to = other(e, to);
    }
}

/* Gives each way out of a host its XPU. */
static void find_ways(struct flat *x)
{
    for (uint32_t b = 0; b < x->g.nboxes; b++) {
        const struct weft_infra_box *box = &x->g.boxes[b];
        uint32_t xpus = 0, ways = 0;
        for (uint32_t v = box->first; x->host[b] && v < box->first + box->n; v++) {
            xpus += is_xpu(x, v);
            ways += x->way_out[v];
        }
        for (uint32_t v = box->first; x->host[b] && v < box->first + box->n; v++) {
            if (!x->way_out[v])
                continue;
            const uint32_t xpu = nearest(x, v);
            x->xpu[v] = ways < xpus && !is_xpu(x, v) ? WEFT_INFRA_NONE : xpu;
            if (xpu == WEFT_INFRA_NONE)
                continue;
            x->attached[xpu]++;
            infragraph_file_measure(x, v, xpu, &x->out_bps[v], &x->out_ps[v]);
        }
    }
}

/* A switch in a host that stays. */
static bool stays(const struct flat *x, uint32_t v)
{
    uint32_t xpus = 0;
    if (x->g.v[v].kind != WEFT_INFRA_SWITCH || !x->host[x->g.v[v].box])
        return false;
    for (uint32_t i = x->first[v + 1]; i < end_of(x, v); i++)
        if (is_xpu(x, x->next[i])) {
            if (x->pcie[x->g.e[x->by[i]].link] && !x->p->keep_pcie)
                return false;
            xpus++;
        }
    return xpus > 1;
}

static int add_wire(struct flat *x, struct wire w)
{
    if (!WEFT_GROW(x->wires, x->nwires, &x->wires_cap))
        return weft_err_no_memory(x->err, "a topology");
    x->wires[x->nwires++] = w;
    return 0;
}

/* The rate and delay that an edge must have, and the sum of ways at its ends. */
static int infragraph_file_fill(struct flat *x, const struct weft_infra_edge *e, struct wire *w)
{
    const struct weft_infra_link *l = &x->g.links[e->link];
    if (l->bps > 0)
        w->bps = w->bps > 0 && w->bps < l->bps ? w->bps : l->bps;
    else if (w->bps <= 0)
        return weft_tree_err(
            l->at, x->g.file, x->err,
            "link '%.60s' has no bandwidth, and %s joins %s by it: say how fast it "
            "is with infragraph.rates=%.60s:400Gbps",
            l->name, x->g.v[e->a].name, x->g.v[e->b].name, l->name);
    if (l->ps < 0)
        x->defaults++;
    w->ps += l->ps < 0 ? (double)x->p->delay_ps : l->ps;
    w->loss = l->loss;
    return 0;
}

/* What stands for an end of an edge between instances. */
static uint32_t stand_in(const struct flat *x, uint32_t v, struct wire *w)
{
    if (!x->host[x->g.v[v].box])
        return x->g.nv + x->g.v[v].box;
    if (x->xpu[v] == WEFT_INFRA_NONE)
        return v;
    if (x->out_bps[v] > 0)
        w->bps = w->bps > 0 && w->bps < x->out_bps[v] ? w->bps : x->out_bps[v];
    w->ps += x->out_ps[v];
    return x->xpu[v];
}

/* Joins an XPU to the nearest of the ways out that are switches. */
static int share_ways(struct flat *x, const struct weft_infra_box *box)
{
    int rc = 0;
    bool shared = false;
    for (uint32_t v = box->first; v < box->first + box->n; v++)
        shared |= x->way_out[v] && x->xpu[v] == WEFT_INFRA_NONE;
    for (uint32_t v = box->first; !rc && shared && v < box->first + box->n; v++) {
        uint32_t best = WEFT_INFRA_NONE, hops_best = 0;
        if (!is_xpu(x, v))
            continue;
        for (uint32_t o = box->first; o < box->first + box->n; o++) {
            if (!x->way_out[o] || x->xpu[o] != WEFT_INFRA_NONE || nearest(x, o) == WEFT_INFRA_NONE)
                continue;
            uint32_t hops = 0, at = v;
            /* the search stops at the nearest XPUs; farther ones are told by going on from v */
            while (at != o && x->from[at] != WEFT_INFRA_NONE && hops < box->n) {
                at = other(&x->g.e[x->from[at]], at);
                hops++;
            }
            if (at != o)
                hops = box->n;
            if (best == WEFT_INFRA_NONE || hops < hops_best ||
                (hops == hops_best && x->attached[o] < x->attached[best])) {
                best = o;
                hops_best = hops;
            }
        }
        if (best == WEFT_INFRA_NONE)
            continue;
        struct wire w = {.a = v, .b = best, .egress = true};
        x->attached[best]++;
        if (hops_best < box->n) {
            nearest(x, best);
            infragraph_file_measure(x, best, v, &w.bps, &w.ps);
        }
        for (uint32_t i = 0; w.bps <= 0 && i < x->g.ne; i++) /* as fast as its port */
            if (x->g.e[i].a == best || x->g.e[i].b == best)
                w.bps = x->g.v[x->g.e[i].a].box != x->g.v[x->g.e[i].b].box
                            ? x->g.links[x->g.e[i].link].bps
                            : 0;
        rc = w.bps > 0 ? add_wire(x, w)
                       : weft_err_at(x->err, WEFT_E_INPUT, x->g.file, 0, 0,
                                     "nothing says how fast %s joins %s: give rates of the links "
                                     "between with infragraph.rates",
                                     x->g.v[v].name, x->g.v[best].name);
    }
    return rc;
}

static int list_wires(struct flat *x)
{
    int rc = 0;
    for (uint32_t i = 0; !rc && i < x->g.ne; i++) {
        const struct weft_infra_edge *e = &x->g.e[i];
        struct wire w = {.a = e->a, .b = e->b};
        if (x->g.v[e->a].box != x->g.v[e->b].box || !x->host[x->g.v[e->a].box])
            continue;
        if ((is_xpu(x, e->a) || is_xpu(x, e->b)) && (is_xpu(x, e->a) || stays(x, e->a)) &&
            (is_xpu(x, e->b) || stays(x, e->b))) {
            rc = infragraph_file_fill(x, e, &w);
            rc = rc ? rc : add_wire(x, w);
        }
    }
    for (uint32_t b = 0; !rc && b < x->g.nboxes; b++)
        if (x->host[b])
            rc = share_ways(x, &x->g.boxes[b]);
    for (uint32_t i = 0; !rc && i < x->g.ne; i++) {
        const struct weft_infra_edge *e = &x->g.e[i];
        struct wire w = {.egress = true};
        if (x->g.v[e->a].box == x->g.v[e->b].box)
            continue;
        w.a = stand_in(x, e->a, &w);
        w.b = stand_in(x, e->b, &w);
        rc = infragraph_file_fill(x, e, &w);
        if (!rc && w.a != w.b)
            rc = add_wire(x, w);
    }
    return rc;
}

/* Nodes: XPUs by rank, then switches in hosts, ways out that are switches, and the boxes. */
static int add_nodes(struct flat *x)
{
    const struct weft_infra *g = &x->g;
    const uint32_t all = g->nv + g->nboxes;
    uint32_t *of = weft_arena_calloc(x->arena, x->nxpus, sizeof *of), n = 0, ranked = 0;
    int rc = of ? 0 : weft_err_no_memory(x->err, "a topology");
    for (uint32_t v = 0; v < all; v++)
        x->node[v] = WEFT_INFRA_NONE;
    for (uint32_t v = 0; !rc && v < g->nv; v++)
        ranked += is_xpu(x, v) && g->v[v].rank != WEFT_INFRA_NONE;
    for (uint32_t i = 0; !rc && i < x->nxpus; i++)
        of[i] = WEFT_INFRA_NONE;
    for (uint32_t v = 0; !rc && v < g->nv; v++) {
        if (!is_xpu(x, v))
            continue;
        const uint32_t rank = ranked ? g->v[v].rank : n;
        n++;
        if (rank >= x->nxpus || of[rank] != WEFT_INFRA_NONE)
            return weft_err_at(x->err, WEFT_E_INPUT, g->file, 0, 0,
                               rank == WEFT_INFRA_NONE
                                   ? "%s has no rank, but other XPUs have one"
                                   : "%s: its rank is that of another XPU, or not below the number "
                                     "of XPUs",
                               g->v[v].name);
        of[rank] = v;
        x->node[v] = rank;
    }
    for (uint32_t i = 0; !rc && i < x->nxpus; i++)
        rc = weft_fabric_add_node(x->f, WEFT_NODE_HOST, 0, NULL, x->err);
    for (uint32_t v = 0; !rc && v < g->nv; v++)
        if (stays(x, v))
            rc = weft_fabric_add_node(x->f, WEFT_NODE_SWITCH, 0, &x->node[v], x->err);
    for (uint32_t v = 0; !rc && v < g->nv; v++)
        if (x->way_out[v] && x->host[g->v[v].box] && x->xpu[v] == WEFT_INFRA_NONE &&
            x->node[v] == WEFT_INFRA_NONE)
            rc = weft_fabric_add_node(x->f, WEFT_NODE_SWITCH, 0, &x->node[v], x->err);
    for (uint32_t b = 0; !rc && b < g->nboxes; b++)
        if (!x->host[b])
            rc = weft_fabric_add_node(x->f, WEFT_NODE_SWITCH, 0, &x->node[g->nv + b], x->err);
    return rc;
}

/* Ways over the network cost more than any within a host. */
#define EGRESS_COST 8u

static int add_links(struct flat *x)
{
    int rc = 0;
    bool direct = false;
    for (uint32_t i = 0; !rc && i < x->nwires; i++) {
        const struct wire *w = &x->wires[i];
        const struct weft_fabric_link l = {.a = x->node[w->a],
                                           .b = x->node[w->b],
                                           .rate_bps = (uint64_t)(w->bps + 0.5),
                                           .delay_ps = (int64_t)(w->ps + 0.5),
                                           .error_rate = w->loss,
                                           .dim = w->egress,
                                           .cost = w->egress ? EGRESS_COST : 1};
        direct |= l.a < x->nxpus && l.b < x->nxpus;
        rc = weft_fabric_add_link(x->f, &l, NULL, x->err);
    }
    x->f->routing = direct ? WEFT_ROUTING_TRANSIT : WEFT_ROUTING_SHORTEST;
    if (!rc && x->defaults)
        rc = weft_fabric_note(x->f, x->err,
                              "%s: %" PRIu32 " links have no latency; taken as infragraph.delay "
                              "(infragraph.delays gives them by name)",
                              x->g.file, x->defaults);
    return rc;
}

static int add_dimensions(struct flat *x)
{
    uint32_t *box = weft_arena_calloc(x->arena, x->nxpus, sizeof *box);
    if (!box)
        return weft_err_no_memory(x->err, "a topology");
    for (uint32_t v = 0; v < x->g.nv; v++)
        if (is_xpu(x, v))
            box[x->node[v]] = x->g.v[v].box;
    return weft_infra_dimensions(x->f, box, x->nxpus, x->err);
}

static int flatten(struct flat *x)
{
    int rc = override(x, x->p->rates, true);
    rc = rc ? rc : override(x, x->p->delays, false);
    rc = rc ? rc : infragraph_file_look(x);
    if (rc)
        return rc;
    find_ways(x);
    rc = list_wires(x);
    rc = rc ? rc : add_nodes(x);
    rc = rc ? rc : add_links(x);
    rc = rc ? rc : add_dimensions(x);
    rc = rc ? rc : weft_fabric_finish(x->f, x->err);
    rc = rc ? rc : weft_fabric_tiers_by_distance(x->f, x->err);
    if (rc)
        weft_err_locate(x->err, x->g.file, 0, 0);
    return rc;
}

static int infragraph_build(const void *raw, struct weft_fabric **out, struct weft_err *err)
{
    struct weft_err local = {0};
    struct flat x = {.p = raw, .err = err ? err : &local};
    *out = NULL;
    if (!x.p->file || !*x.p->file)
        return weft_err_set(x.err, WEFT_E_INPUT, "infragraph: 'file' must be given");
    x.arena = weft_arena_new();
    x.f = weft_fabric_new();
    int rc = x.arena && x.f ? weft_infra_read(x.p->file, x.arena, &x.g, x.err)
                            : weft_err_no_memory(x.err, "a topology");
    rc = rc ? rc : flatten(&x);
    if (rc)
        weft_fabric_free(x.f);
    else
        *out = x.f;
    free(x.wires);
    weft_arena_free(x.arena);
    return rc;
}

const struct weft_topology_ops weft_topology_infragraph = {
    .name = "infragraph",
    .title = "an InfraGraph document: accelerators, their switches and the network",
    .source = "Keysight/infragraph, schema 2.4",
    .params = WEFT_PARAM_TABLE(params, struct params),
    .build = infragraph_build,
};
