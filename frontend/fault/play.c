/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Carrying faults out: all that happens at one instant is one change of the net, so the links of a
 * switch fail together. One timer at a time is outstanding.
 */
#include "base/units.h"
#include "fault/edges.h"

#include <stdlib.h>

/* What is known of a stretch while it lasts. */
struct running {
    bool begun, ended;
    uint64_t tx_packets, drops_error; /* of its link when it began */
    uint64_t lost;                    /* when it went down */
};

struct weft_fault_player {
    struct weft_fault_play c;
    struct weft_fault_edge *edges;
    size_t nedges, next;
    struct running *running; /* per stretch */
    uint32_t *holds;         /* per link: failures that last */
    struct weft_link_change *changes;
    uint32_t *of; /* per change: stretch that it belongs to */
    struct weft_err err;
};

/* Packets sent, and lost to errors, on both directions of a link. */
static void counters(const struct weft_fault_player *p, uint32_t link, uint64_t *tx,
                     uint64_t *errors)
{
    struct weft_net *net = p->c.net;
    const struct weft_fabric *f = p->c.plan->fabric;
    uint32_t port = weft_fabric_link_port(f, link);
    struct weft_port_counters a, b;
    net->ops->port_stats(net, port, &a);
    net->ops->port_stats(net, f->ports[port].peer, &b);
    *tx = a.tx_packets + b.tx_packets;
    *errors = a.drops[WEFT_DROP_ERROR] + b.drops[WEFT_DROP_ERROR];
}

static void record(struct weft_fault_player *p, uint32_t stretch, int64_t end_ps)
{
    const struct weft_fault_plan *plan = p->c.plan;
    const struct weft_fault_stretch *s = &plan->stretches[stretch];
    struct running *r = &p->running[stretch];
    struct weft_fault_record out = {.stretch = s,
                                    .kind = plan->items[s->item].kind->name,
                                    .end_ps = end_ps,
                                    .lost_packets = r->lost};
    uint64_t tx, errors;
    counters(p, s->link, &tx, &errors);
    out.tx_packets = tx - r->tx_packets;
    if (s->what == WEFT_LINK_BIT_ERRORS)
        out.lost_packets = errors - r->drops_error;
    r->ended = true;
    if (p->c.record)
        p->c.record(p->c.ctx, &out);
}

/* What an edge changes; false: nothing, since other failures of the link last. */
static bool change_of(struct weft_fault_player *p, const struct weft_fault_edge *e,
                      struct weft_link_change *c)
{
    const struct weft_fault_plan *plan = p->c.plan;
    const struct weft_fault_stretch *s = &plan->stretches[e->stretch];
    *c = (struct weft_link_change){.link = s->link, .kind = s->what};
    if (s->what == WEFT_LINK_RATE) {
        c->direction = s->direction;
        c->scaled = s->scaled;
        c->rate_bps = e->begins ? s->rate_bps : plan->fabric->links[s->link].rate_bps;
        return true;
    }
    if (s->what == WEFT_LINK_BIT_ERRORS) {
        c->bit_error_rate = e->begins ? s->bit_error_rate : 0;
        return true;
    }
    c->kind = e->begins ? WEFT_LINK_DOWN : WEFT_LINK_UP;
    if (e->begins)
        return p->holds[s->link]++ == 0;
    return --p->holds[s->link] == 0;
}

/* The edges of the next instant, which is now. */
static int fault_play_step(struct weft_fault_player *p, struct weft_err *err)
{
    struct weft_net *net = p->c.net;
    const size_t to = weft_fault_plan_instant(p->edges, p->nedges, p->next);
    size_t n = 0;
    for (size_t i = p->next; i < to; i++) {
        const struct weft_fault_edge *e = &p->edges[i];
        struct running *r = &p->running[e->stretch];
        if (e->begins) {
            r->begun = true;
            counters(p, p->c.plan->stretches[e->stretch].link, &r->tx_packets, &r->drops_error);
        } else {
            record(p, e->stretch, e->t_ps);
        }
        if (!change_of(p, e, &p->changes[n]))
            continue;
        p->of[n++] = e->stretch;
    }
    p->next = to;
    int rc = n ? net->ops->change_links(p->c.net, p->changes, n, err) : 0;
    for (size_t i = 0; i < n && !rc; i++)
        if (p->changes[i].kind == WEFT_LINK_DOWN)
            p->running[p->of[i]].lost = p->changes[i].lost_packets;
    return rc;
}

static int ask(struct weft_fault_player *p, struct weft_err *err);

static void fire(void *ctx, uint64_t arg)
{
    struct weft_fault_player *p = ctx;
    if (p->c.over && p->c.over(p->c.ctx))
        return;
    if (fault_play_step(p, &p->err) || ask(p, &p->err))
        p->c.net->ops->stop(p->c.net);
}

/* Asks for a call at the next instant, if there is one. */
static int ask(struct weft_fault_player *p, struct weft_err *err)
{
    struct weft_net *net = p->c.net;
    if (p->next == p->nedges)
        return 0;
    return net->ops->after(net, p->edges[p->next].t_ps - net->ops->now_ps(net), fire, p, 0, err);
}

struct weft_fault_player *weft_fault_player_new(const struct weft_fault_play *c,
                                                struct weft_err *err)
{
    struct weft_fault_player *p = weft_err_calloc(1, sizeof *p, "failures", err);
    if (!p)
        return NULL;
    p->c = *c;
    int rc = weft_fault_plan_edges(c->plan, &p->edges, &p->nedges, err);
    p->running = calloc(c->plan->nstretches + 1, sizeof *p->running);
    p->holds = calloc((size_t)c->plan->fabric->nlinks + 1, sizeof *p->holds);
    p->changes = calloc(p->nedges + 1, sizeof *p->changes);
    p->of = calloc(p->nedges + 1, sizeof *p->of);
    if (!rc && (!p->running || !p->holds || !p->changes || !p->of))
        rc = weft_err_no_memory(err, "failures");
    if (!rc && p->nedges && p->edges[0].t_ps == 0)
        rc = fault_play_step(p, err);
    if (!rc)
        rc = ask(p, err);
    if (rc) {
        weft_fault_player_free(p);
        return NULL;
    }
    return p;
}

const struct weft_err *weft_fault_player_error(const struct weft_fault_player *p)
{
    return &p->err;
}

bool weft_fault_player_ahead(const struct weft_fault_player *p)
{
    return p->next < p->nedges;
}

size_t weft_fault_player_finish(struct weft_fault_player *p)
{
    size_t never = 0;
    for (uint32_t i = 0; i < p->c.plan->nstretches; i++) {
        if (!p->running[i].begun)
            never++;
        else if (!p->running[i].ended)
            record(p, i, WEFT_NEVER);
    }
    return never;
}

void weft_fault_player_free(struct weft_fault_player *p)
{
    if (!p)
        return;
    free(p->edges);
    free(p->running);
    free(p->holds);
    free(p->changes);
    free(p->of);
    free(p);
}
