/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * CONGA (Alizadeh et al.: CONGA: distributed congestion-aware load balancing for datacenters,
 * SIGCOMM 2014).
 *
 * A link's congestion is estimated by bytes that decay: X grows by each packet sent and shrinks by
 * the part conga-decay (alpha) every conga-interval (T), so that X is rate x T / alpha; it counts
 * in steps of an eighth of the link's rate, 0 to 7 (Q = 3 bits). Packets carry the number of their
 * uplink at the first leaf and the largest congestion on their way between the leaves; the last
 * leaf keeps both, and sends them back with packets of any kind to the first, one uplink after the
 * other. A new flowlet takes the uplink for which the larger of its own congestion and of what the
 * other leaf has said is least: the one it had if that is among the best, else a random one of
 * them. What is older than conga-age counts as 0.
 *
 * As in the paper, the first leaf decides; where routes branch again behind it, packets go by the
 * hash of their flow. ACKs and CNPs keep to their hash, measure and carry. A host's leaf is the
 * node at its first port.
 */
#include "ecmp.h"
#include "flowlet.h"
#include "path_balancer.h"

#include "base/units.h"

#include <string.h>

#define NO_TAG 255u
#define LEVELS 8 /* 2^Q */

/* Fields of a packet, in its 24 bits. */
struct carried {
    uint32_t tag, ce;       /* its uplink, the largest congestion so far */
    uint32_t fb_tag, fb_ce; /* the same of the other direction */
};

/* Knowledge of a leaf about an uplink towards, or from, another. */
struct metric {
    int64_t at_ps;
    uint8_t ce;
    bool known;
};

/* Knowledge of a leaf about another. */
struct pair {
    uint32_t uplinks; /* of the other: tags below have come */
    uint32_t turn;    /* the next to be sent back */
    /* its own uplinks as the other has said; then those of the other, as measured */
    struct metric metrics[];
};

/* Bytes sent through a port, decaying. */
struct dre {
    double bytes;
    int64_t ticks; /* decays applied */
};

struct conga {
    struct dre *ports;
    struct pair ***pairs; /* [leaf][leaf]; NULL until used */
    uint32_t *leaf;       /* number of a node among the leaves, NIL: none */
    uint32_t nleaves;
    uint32_t ntags; /* most uplinks of a leaf */
};

static struct conga *state(const struct weft_engine *e)
{
    return e->spread.path_state;
}

static struct carried unpack(const struct pkt *k)
{
    return (struct carried){k->mid & 255, k->mid >> 8 & 15, k->mid >> 12 & 255, k->mid >> 20 & 15};
}

static void pack(struct pkt *k, struct carried c)
{
    k->mid = (c.tag | c.ce << 8 | c.fb_tag << 12 | c.fb_ce << 20) & 0xffffff;
}

/* ---- congestion of links ---- */

static struct dre *decayed(const struct weft_engine *e, uint32_t port)
{
    struct dre *d = &state(e)->ports[port];
    const int64_t ticks = e->now / e->p.sw.conga_interval_ps;
    const double left = 1 - e->p.sw.conga_decay;
    for (; d->ticks < ticks && d->bytes >= 1; d->ticks++)
        d->bytes *= left;
    if (d->ticks < ticks)
        d->bytes = 0;
    d->ticks = ticks;
    return d;
}

/* 0 to LEVELS - 1. */
static uint32_t congestion(const struct weft_engine *e, uint32_t port)
{
    const double full = (double)port_rate_bps(e, port) / 8 *
                        ((double)e->p.sw.conga_interval_ps / (double)WEFT_PS_PER_S) /
                        e->p.sw.conga_decay;
    const double level = decayed(e, port)->bytes / full * LEVELS;
    return level < LEVELS - 1 ? (uint32_t)level : LEVELS - 1;
}

/* ---- tables of leaves ---- */

/* Knowledge of leaf @p a about leaf @p b; NULL (and the engine failed) when out of memory. */
static struct pair *pair_of(struct weft_engine *e, uint32_t a, uint32_t b)
{
    struct conga *c = state(e);
    struct pair ***row = &c->pairs[c->leaf[a]];
    if (!*row)
        *row = calloc(c->nleaves, sizeof **row);
    struct pair **p = *row ? &(*row)[c->leaf[b]] : NULL;
    if (p && !*p)
        *p = calloc(1, sizeof **p + 2 * (size_t)c->ntags * sizeof(struct metric));
    if (!p || !*p)
        engine_fail(e, WEFT_E_LIMIT, "out of memory for the tables of switch.balance=conga");
    return p ? *p : NULL;
}

static struct metric *to(struct pair *p, uint32_t tag)
{
    return &p->metrics[tag];
}

static struct metric *from(const struct weft_engine *e, struct pair *p, uint32_t tag)
{
    return &p->metrics[state(e)->ntags + tag];
}

static uint32_t current(const struct weft_engine *e, const struct metric *m)
{
    return m->known && e->now - m->at_ps <= e->p.sw.conga_age_ps ? m->ce : 0;
}

static void note(const struct weft_engine *e, struct metric *m, uint32_t ce)
{
    *m = (struct metric){.at_ps = e->now, .ce = (uint8_t)ce, .known = true};
}

/* The next uplink of the other leaf's that something is known of. */
static void take_feedback(const struct weft_engine *e, struct pair *p, struct carried *c)
{
    for (uint32_t i = 0; i < p->uplinks; i++) {
        const uint32_t tag = (p->turn + i) % p->uplinks;
        const struct metric *m = from(e, p, tag);
        if (!m->known || e->now - m->at_ps > e->p.sw.conga_age_ps)
            continue;
        c->fb_tag = tag;
        c->fb_ce = m->ce;
        p->turn = tag + 1;
        return;
    }
}

/* ---- packets ---- */

static uint32_t tag_of(const struct weft_engine *e, struct weft_route_group g, uint32_t port)
{
    uint32_t i = 0;
    while (i + 1 < g.n && g.ports[i] != port)
        i++;
    return i % state(e)->ntags;
}

/* The best uplink for a new flowlet, whose last one was @p before (NIL: none). */
static uint32_t best(struct weft_engine *e, struct weft_route_group g, struct pair *p,
                     uint32_t before)
{
    uint32_t least = LEVELS, n = 0, port = NIL;
    for (uint32_t i = 0; i < g.n; i++) {
        const uint32_t own = congestion(e, g.ports[i]);
        const uint32_t far = current(e, to(p, i % state(e)->ntags));
        const uint32_t ce = own > far ? own : far;
        n = ce < least ? 0 : n;
        if (ce > least)
            continue;
        least = ce;
        n++;
        if (g.ports[i] == before) /* stays unless a better one comes */
            port = before;
        else if (n == 1 || (port != before && weft_rng_below(&e->spread.steer_rng, n) == 0))
            port = g.ports[i];
    }
    return port;
}

static uint32_t choose(struct weft_engine *e, struct weft_route_group g, uint32_t in, struct pkt *k)
{
    const uint32_t node = e->ports[in].node, leaf = path_leaf(e, k->dst_host);
    const bool begins = path_begins(e, k, in), data = k->kind == WEFT_PKT_DATA;
    struct pair *const p = begins && leaf != node ? pair_of(e, node, leaf) : NULL;
    uint32_t port = ecmp_port(e, g, node, qp_at(e, k->qp), data);
    if (p && data && g.n > 1) {
        bool goes_on;
        struct flowlet *f = flowlet_of(e, g, node, k->qp, &goes_on);
        if (!goes_on)
            f->port = best(e, g, p, f->port);
        port = f->port;
    }
    struct carried c = begins ? (struct carried){tag_of(e, g, port), 0, NO_TAG, 0} : unpack(k);
    if (p)
        take_feedback(e, p, &c);
    if (!path_ends(e, k, port)) {
        struct dre *d = decayed(e, port);
        d->bytes += k->frame;
        const uint32_t ce = congestion(e, port);
        c.ce = ce > c.ce ? ce : c.ce;
    } else if (!begins) {
        struct pair *back = pair_of(e, node, path_leaf(e, path_source(e, k)));
        if (!back)
            return port;
        note(e, from(e, back, c.tag), c.ce);
        back->uplinks = c.tag + 1 > back->uplinks ? c.tag + 1 : back->uplinks;
        if (c.fb_tag != NO_TAG)
            note(e, to(back, c.fb_tag), c.fb_ce);
    }
    pack(k, c);
    return port;
}

static void fini(struct weft_engine *e)
{
    struct conga *c = state(e);
    for (uint32_t a = 0; c && c->pairs && a < c->nleaves; a++) {
        for (uint32_t b = 0; c->pairs[a] && b < c->nleaves; b++)
            free(c->pairs[a][b]);
        free(c->pairs[a]);
    }
    if (c) {
        free(c->pairs);
        free(c->ports);
        free(c->leaf);
    }
    free(c);
}

/* Numbers the nodes at hosts. */
static void number_leaves(struct conga *c, const struct weft_fabric *f)
{
    memset(c->leaf, 0xff, f->nnodes * sizeof *c->leaf);
    c->ntags = 1;
    for (uint32_t p = 0; p < f->nports; p++) {
        const uint32_t node = f->ports[f->ports[p].peer].node;
        const struct weft_fabric_node *x = &f->nodes[node];
        uint32_t uplinks = 0;
        if (f->nodes[f->ports[p].node].kind != WEFT_NODE_HOST || c->leaf[node] != NIL)
            continue;
        c->leaf[node] = c->nleaves++;
        for (uint32_t i = x->first_port; i < x->first_port + x->nports; i++)
            uplinks += x->kind == WEFT_NODE_HOST ||
                       f->nodes[f->ports[f->ports[i].peer].node].kind == WEFT_NODE_SWITCH;
        uplinks = uplinks < NO_TAG ? uplinks : NO_TAG;
        c->ntags = uplinks > c->ntags ? uplinks : c->ntags;
    }
}

static int init(struct weft_engine *e, struct weft_err *err)
{
    const struct weft_fabric *f = e->fabric;
    struct conga *c = e->spread.path_state = calloc(1, sizeof *c);
    if (c) {
        c->ports = calloc((size_t)f->nports + 1, sizeof *c->ports);
        c->leaf = calloc((size_t)f->nnodes + 1, sizeof *c->leaf);
        if (c->leaf)
            number_leaves(c, f);
        c->pairs = calloc((size_t)c->nleaves + 1, sizeof *c->pairs);
    }
    if (!c || !c->ports || !c->leaf || !c->pairs)
        return weft_err_no_memory(err, "load balancing");
    return 0;
}

const struct path_balancer path_conga = {
    .choose = choose, .answers = true, .init = init, .fini = fini};
