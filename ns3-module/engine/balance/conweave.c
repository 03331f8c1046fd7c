/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ConWeave (Song et al.: Network load balancing with in-network reordering support for RDMA,
 * SIGCOMM 2023).
 *
 * The first switch sends a flow along one way and asks for an answer (RTT_REQUEST). If that isn't
 * there after the round trip of an empty way and conweave-reply, it draws two ways and takes the
 * first that no one has found busy within conweave-path-busy: one more packet, the TAIL, goes the
 * old way, the others the new one (rerouted), until the last switch says that it has seen the tail
 * (CLEAR). Then, or when the answer was in time, a new epoch begins on the way that the flow has; a
 * flow that pauses for conweave-inactive begins one on a new way. Where both ways drawn are busy it
 * stays, and draws again with its next packet.
 *
 * The last switch (conweave_last.c) keeps rerouted packets until the tail has come, so that the
 * receiver sees them in order, and says that a way is busy (NOTIFY) by each packet with an ECN mark
 * that came along it.
 *
 * RTT_REPLY, CLEAR and NOTIFY are no packets here: they are known at the first switch after the
 * time that 64 bytes take on an empty way back, for they travel before all others. Therefore they
 * take no bandwidth and are never lost. Nothing limits how many flows have packets kept at a port,
 * and what packets carry takes no bytes, as in the authors' simulator. A way is the ports taken at
 * up to four switches with a choice (of 256 at most); a host's leaf is the node at its first port.
 * ACKs and CNPs keep to the hash of their flow.
 */
#include "conweave.h"
#include "core/gap.h"
#include "ecmp.h"

#include "base/rng.h"

#define DIGITS 4u            /* switches with a choice that a way tells apart */
#define DIGIT_MAX 256u       /* ports of theirs */
#define ANSWER_BYTES 64u     /* of RTT_REPLY, CLEAR and NOTIFY on the wire */
#define LONGEST_WAY MAX_PATH /* hops */

static uint32_t digit(uint32_t path, uint32_t at)
{
    return at < DIGITS ? path >> (8 * at) & (DIGIT_MAX - 1) : 0;
}

static uint32_t behind(const struct weft_engine *e, uint32_t port)
{
    return e->ports[e->ends[port].peer].node;
}

/* A random way from @p node to a host. */
static uint32_t draw(struct weft_engine *e, uint32_t node, uint32_t dst_host)
{
    uint32_t path = 0, choices = 0;
    for (uint32_t h = 0; h < LONGEST_WAY && choices < DIGITS; h++) {
        const struct weft_route_group g = weft_routes_lookup(e->routing.routes, node, dst_host);
        uint32_t at = 0;
        if (!g.n)
            break;
        if (g.n > 1) {
            at = (uint32_t)weft_rng_below(&e->spread.steer_rng, g.n < DIGIT_MAX ? g.n : DIGIT_MAX);
            path |= at << 8 * choices++;
        }
        node = behind(e, g.ports[at]);
        if (node == e->fabric->hosts[dst_host])
            break;
    }
    return path;
}

/* Times of an empty way from @p node to the last switch before a host. */
static void measure(const struct weft_engine *e, const struct qp *q, uint32_t node,
                    struct conweave_flow *f)
{
    uint32_t choices = 0;
    f->back_ps = 0;
    f->rtt_ps = 1; /* not 0 */
    for (uint32_t h = 0; h < LONGEST_WAY; h++) {
        const struct weft_route_group g = weft_routes_lookup(e->routing.routes, node, q->dst_host);
        if (!g.n)
            break;
        const uint32_t out = g.n > 1 ? g.ports[digit(f->path, choices++) % g.n] : g.ports[0];
        const struct port *p = &e->ports[out];
        node = behind(e, out);
        if (node == e->fabric->hosts[q->dst_host])
            break;
        f->rtt_ps += gap_ps(q->kind->env.mtu_wire_bytes, p->ser_q) + p->prop_ps;
        f->back_ps += gap_ps(ANSWER_BYTES + e->p.transport.gap_bytes, p->ser_q) + p->prop_ps;
    }
    f->rtt_ps += f->back_ps;
}

/* Takes an answer that has arrived by now. */
static void take_answer(const struct weft_engine *e, struct conweave_flow *f)
{
    if (f->answer_ps > e->now)
        return;
    if (f->answer_epoch == f->epoch && (f->clear || f->answer_ps < f->deadline_ps)) {
        f->over = f->clear || !f->rerouted;
        f->deadline_ps = f->over ? WEFT_NEVER : f->deadline_ps;
    }
    f->answer_ps = WEFT_NEVER;
}

/* Draws two ways; whether one of them isn't known to be busy. */
static bool find(struct weft_engine *e, const struct qp *q, uint32_t node, uint32_t *path)
{
    const uint32_t first = draw(e, node, q->dst_host), second = draw(e, node, q->dst_host);
    const bool busy = conweave_is_busy(e, q, first);
    *path = busy ? second : first;
    return !busy || !conweave_is_busy(e, q, second);
}

/* A new epoch. */
static void begin(struct weft_engine *e, struct conweave_flow *f, struct conweave_tag *t)
{
    f->epoch++;
    f->rerouted = f->over = false;
    f->tail_ps = 0;
    f->deadline_ps = e->now + f->rtt_ps + e->p.sw.conweave_reply_ps;
    f->answer_ps = WEFT_NEVER;
    t->ask = CONWEAVE_REQUEST;
}

/* The first switch of data packet @p k. */
static void first(struct weft_engine *e, uint32_t node, const struct pkt *k, struct conweave_tag *t)
{
    const struct qp *q = qp_at(e, k->qp);
    struct conweave_flow *f = conweave_flow(e, k->qp);
    const bool fresh = f->rtt_ps == 0;
    uint32_t path;
    *t = (struct conweave_tag){.sent_ps = e->now, .ask = CONWEAVE_NOTHING};
    if (!fresh)
        take_answer(e, f);
    if (fresh || e->now - f->active_ps > e->p.sw.conweave_inactive_ps) {
        if (find(e, q, node, &path) || fresh)
            f->path = path;
        measure(e, q, node, f);
        begin(e, f, t);
    } else if (f->over) {
        begin(e, f, t);
    } else if (f->deadline_ps < e->now && find(e, q, node, &path)) {
        t->ask = CONWEAVE_TAIL;
        f->deadline_ps = WEFT_NEVER;
        f->tail_ps = e->now;
    }
    f->active_ps = e->now;
    t->epoch = f->epoch;
    t->path = f->path;
    t->rerouted = f->rerouted;
    t->tail_ps = f->tail_ps;
    if (t->ask == CONWEAVE_TAIL) { /* from the next packet on */
        f->rerouted = true;
        f->path = path;
    }
}

static uint32_t choose(struct weft_engine *e, struct weft_route_group g, uint32_t in, struct pkt *k)
{
    const uint32_t node = e->ports[in].node;
    if (k->kind != WEFT_PKT_DATA)
        return ecmp_port(e, g, node, qp_at(e, k->qp), false);
    struct conweave_tag *t =
        conweave_tag(e, (uint32_t)(k - (const struct pkt *)(const void *)e->pkts.pool.base));
    if (path_begins(e, k, in)) {
        if (g.n == 1 && path_ends(e, k, g.ports[0]))
            t->ask = CONWEAVE_UNTAGGED;
        else
            first(e, node, k, t);
    }
    if (g.n == 1)
        return g.ports[0];
    if (t->ask == CONWEAVE_UNTAGGED || t->choices >= DIGITS)
        return ecmp_port(e, g, node, qp_at(e, k->qp), true);
    return g.ports[digit(t->path, t->choices++) % g.n];
}

static int init(struct weft_engine *e, struct weft_err *err)
{
    struct conweave *c = e->spread.path_state = calloc(1, sizeof *c);
    if (c)
        c->busy = calloc(CONWEAVE_BUSY_PATHS, sizeof *c->busy);
    if (!c || !c->busy ||
        !stable_init_beside(&c->tags, sizeof(struct conweave_tag), &e->pkts.pool) ||
        !stable_init_beside(&c->flows, sizeof(struct conweave_flow), &e->qps.pool))
        return weft_err_no_memory(err, "load balancing");
    return 0;
}

static void fini(struct weft_engine *e)
{
    struct conweave *c = e->spread.path_state;
    if (c) {
        stable_fini(&c->tags);
        stable_fini(&c->flows);
        free(c->busy);
    }
    free(c);
}

const struct path_balancer path_conweave = {
    .choose = choose, .keeps = conweave_keeps, .keep = conweave_keep, .init = init, .fini = fini};
