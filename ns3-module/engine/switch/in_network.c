/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * In-network operations: switches add up what hosts send, and copy it to them.
 *
 * A group has a tree of switches (topologies/reduction_tree.h) and two streams of packets: of
 * sums, to which all members give (all-reduce, reduce-scatter, reduce), and of copies of what one
 * gives (all-gather, broadcast). Sums fill the links up the tree and copies those down, so neither
 * waits for the other. In its stream each operation takes the next npkts positions of the stream as
 * its first member begins it; one that begins operations in another order sends them in this one
 * all the same. At each position every member sends one frame up, with payload if its data is
 * wanted, else headers only; a switch counts the frames of a position and, when all of its branches
 * have sent one, sends one frame further up. The root sends one down every branch, and each switch
 * copies it to its own: with payload where a receiver lies below, else headers only. An all-reduce
 * thus carries each byte once up and once down every link of the tree.
 *
 * Flow control: what comes down at a position is also the credit for it. A member sends position p
 * only after it has received p - window, so no switch has more than `window` sums in the making,
 * and slot p % window is free when p comes. A switch divides its slots equally among the groups
 * whose tree it is in, and the window of a group is the least share on its tree; fixed when the
 * first part is posted. Therefore groups can't wait for each other's slots. Copies take no slots,
 * and have a window of as many packets. A member queues the packets of each stream at its NIC two
 * at a time, where they take turns with the data of QPs of their priority.
 *
 * Adding up: a switch takes the frames that come in by a port in their order, for all groups, at
 * aggregation-rate; a sum is ready aggregation-latency after its last frame was taken. Copies are
 * not added up and pass at the rate of the link. Sums go
 * through the egress queues like other packets of their priority and obey PFC there, but they lie
 * in the slots and in copies of the aggregation unit, not in the packet buffer: nothing drops them,
 * and they cause no pause or mark. Only links can lose them, which a group's tree must not have: a
 * loss (a link that fails) ends the run.
 *
 * Sources: SHARP (Graham et al., COM-HPC 2016): trees, operations in order, slots per group.
 * SwitchML (Sapio et al., NSDI 2021): the result is the credit for the slot.
 */
#include "in_network.h"
#include "core/context.h"
#include "core/frame_size.h"
#include "core/gap.h"
#include "balance/ideal.h"
#include "in_network_state.h"
#include "core/pkt.h"
#include "core/port.h"
#include "core/events.h"

#include "base/grow.h"
#include "base/int128.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define NIC_QUEUE 2u /* packets of a member waiting at its NIC: one could leave it idle */

/* ---- packets ---- */

static uint64_t payload_of(const struct group *g, const struct operation *op, uint64_t pos)
{
    const uint64_t at = (pos - op->first) * g->mtu;
    return op->bytes - at < g->mtu ? op->bytes - at : g->mtu;
}

static void send_frame(struct weft_engine *e, const struct group *g, uint32_t port, uint64_t pos,
                       uint32_t stop, uint64_t payload, uint32_t flags, uint32_t member)
{
    const uint32_t i = pkt_new(e, WEFT_PKT_SUM);
    if (i == NIL)
        return;
    struct pkt *k = pkt_at(e, i);
    k->qp = member;
    k->msg = g->number;
    k->sent_ps = e->now;
    k->psn = pos;
    k->dst_host = stop;
    k->payload = (uint16_t)payload;
    e->own[e->ports[port].node].made += payload;
    k->frame = (uint16_t)payload_frame(&e->p.transport, payload, 0);
    k->prio = (uint8_t)g->prio;
    k->flags = (uint8_t)flags;
    port_catch_up(e, &e->ports[port], port);
    e->port_ops.enqueue(e, port, i);
}

static bool receives(const struct operation *op, uint32_t member)
{
    return weft_leaf_wants(member, op->from, op->to);
}

/* ---- hosts ---- */

/* The operation that a member sends next, if it has posted its part of it; else NULL. */
static const struct operation *to_send(const struct group *g, const struct member *m)
{
    const uint64_t index = m->sending - g->first_op;
    return index < g->nops && g->ops[index].part[m - g->member].posted ? &g->ops[index] : NULL;
}

/* Sends what a member has posted and has credit for. */
static void send_on(struct weft_engine *e, struct group *g, struct member *m)
{
    const uint32_t place = (uint32_t)(m - g->member);
    const struct operation *op;
    while (m->queued < NIC_QUEUE && m->sent < m->received + g->window && (op = to_send(g, m))) {
        const uint64_t pos = m->sent++;
        if (m->sent == op->first + op->npkts)
            m->sending++;
        m->queued++;
        send_frame(e, g, m->port, pos, m->stop,
                   weft_leaf_gives(place, op->from) ? payload_of(g, op, pos) : 0, 0, place);
    }
}

void in_network_left(struct weft_engine *e, uint32_t i)
{
    const struct pkt *k = pkt_at(e, i);
    if (k->kind != WEFT_PKT_SUM)
        return;
    struct group *g = e->in_network->group[k->msg];
    struct member *m = &g->member[k->qp];
    m->queued--;
    send_on(e, g, m);
}

/* Bytes on the wire of a frame of an operation: the last one, or a full one. */
static uint64_t wire_bytes(const struct weft_engine *e, const struct group *g,
                           const struct operation *op, bool data, bool last)
{
    const uint64_t payload = last ? payload_of(g, op, op->first + op->npkts - 1) : g->mtu;
    return payload_frame(&e->p.transport, data ? payload : 0, 0) + e->p.transport.gap_bytes;
}

/* Time that the last frame needs from a member to the root (up) or back, waiting for nothing. */
static int64_t path_ps(const struct weft_engine *e, const struct group *g,
                       const struct operation *op, uint32_t place, bool up)
{
    const struct weft_reduction_tree *t = &g->tree;
    bool data = up ? weft_leaf_gives(place, op->from) : receives(op, place);
    uint32_t port = g->member[place].port, at = g->member[place].stop;
    int64_t ps = 0;
    for (;;) {
        const uint32_t by = up ? port : e->ends[port].peer;
        const struct port *out = &e->ports[by];
        const uint64_t q = ideal_best_q(e, by, op->since);
        ps += gap_quantised(e->p.transport.quantum_ps, wire_bytes(e, g, op, data, true), q) +
              out->prop_ps;
        if (at == 0)
            return ps;
        port = t->switches[at].up;
        data = up ? weft_tree_gives(t, at, op->from) : weft_tree_wants(t, at, op->from, op->to);
        at = t->switches[at].parent;
    }
}

/* Time that all frames but one take on a member's own link. */
static int64_t serial_ps(const struct weft_engine *e, const struct group *g,
                         const struct operation *op, uint32_t place, bool up)
{
    const uint32_t port = g->member[place].port;
    const bool data = up ? weft_leaf_gives(place, op->from) : receives(op, place);
    const weft_i128 ps = (weft_i128)(op->npkts - 1) *
                         gap_quantised(e->p.transport.quantum_ps, wire_bytes(e, g, op, data, false),
                                       ideal_best_q(e, up ? port : e->ends[port].peer, op->since));
    return ps > FOREVER_PS ? FOREVER_PS : (int64_t)ps;
}

/* Notes when what a member has posted can be at the root. */
static void note_latest(const struct weft_engine *e, const struct group *g, struct operation *op,
                        uint32_t place)
{
    const int64_t at_ps = op->part[place].post_ps + path_ps(e, g, op, place, true);
    if (at_ps < op->latest_ps)
        return;
    op->latest_ps = at_ps;
    op->latest_serial_ps = serial_ps(e, g, op, place, true);
}

/* The least duration of a part, each link at the best rate that it had since the operation began:
 * what its own link takes, and not before the operation's latest member can have sent all. */
static int64_t part_ideal_ps(const struct weft_engine *e, const struct group *g,
                             struct operation *op, uint32_t place)
{
    if (op->counted.rates != e->ideal.now.rates) {
        op->latest_ps = 0;
        for (uint32_t i = 0; i < g->n; i++)
            note_latest(e, g, op, i);
        op->counted = e->ideal.now;
    }
    const int64_t up = serial_ps(e, g, op, place, true), down = serial_ps(e, g, op, place, false);
    const int64_t own = path_ps(e, g, op, place, true) + (up > down ? up : down);
    const int64_t late = op->latest_ps - op->part[place].post_ps +
                         (op->latest_serial_ps > down ? op->latest_serial_ps : down);
    return (own > late ? own : late) + path_ps(e, g, op, place, false);
}

/* A member's part is over: tells its host. */
static void end_part(struct weft_engine *e, struct group *g, uint32_t place)
{
    struct member *m = &g->member[place];
    struct operation *op = &g->ops[m->over - g->first_op];
    const struct part *p = &op->part[place];
    const bool takes = receives(op, place);
    struct weft_completion d = {.id = p->id,
                                .msg = {.src = m->host,
                                        .dst = m->host,
                                        .bytes = op->bytes,
                                        .tag = op->tag,
                                        .token = p->token,
                                        .prio = g->prio,
                                        .qp = p->qp,
                                        .token_type = p->token_type,
                                        .kind = WEFT_MSG_PART,
                                        .gives_nothing = !weft_leaf_gives(place, op->from)},
                                .post_ps = p->post_ps,
                                .received_ps = e->now,
                                .acked_ps = e->now,
                                .ideal_ps = part_ideal_ps(e, g, op, place)};
    if (d.received_ps - d.post_ps < d.ideal_ps)
        engine_fail(e, WEFT_E_INTERNAL,
                    "part %" PRIu64 " of an in-network operation took %" PRId64
                    " ps, less than its ideal %" PRId64 " ps",
                    d.id, (d.received_ps - d.post_ps), d.ideal_ps);
    weft_delays_resolve(d.delay_ps, d.received_ps - d.post_ps - d.ideal_ps, WEFT_DELAY_QUEUE);
    m->over++;
    e->tot.msgs_received++;
    e->tot.msgs_acked++;
    e->tot.bytes_received += takes ? op->bytes : 0;
    e->in_network->parts--;
    if (++op->nover == g->n) { /* members end operations in order, so it is the first */
        free(op->part);
        g->nops--;
        g->first_op++;
        memmove(g->ops, g->ops + 1, g->nops * sizeof *g->ops);
    }
    if (takes && e->hooks.received)
        e->hooks.received(e->hooks.ctx, &d);
    if (e->hooks.acked)
        e->hooks.acked(e->hooks.ctx, &d);
}

static void host_receive(struct weft_engine *e, struct group *g, uint32_t place, uint64_t pos)
{
    struct member *m = &g->member[place];
    const struct operation *op = operation_at(g, pos);
    if (pos != m->received) {
        engine_fail(e, WEFT_E_INTERNAL,
                    "in-network group %u: h%u received position %" PRIu64 " before %" PRIu64,
                    g->number / 2, m->host, pos, m->received);
        return;
    }
    m->received++;
    const bool last = m->received == op->first + op->npkts;
    send_on(e, g, m);
    if (last)
        end_part(e, g, place);
}

/* ---- switches ---- */

/* Sends a position down every branch of a switch. */
static void copy_down(struct weft_engine *e, const struct stop *s, uint64_t pos)
{
    const struct group *g = s->g;
    const struct operation *op = operation_at(g, pos);
    const uint64_t payload = payload_of(g, op, pos);
    for (uint32_t i = 0; i < s->nbranches; i++) {
        const struct branch *b = &s->branch[i];
        const bool wanted =
            b->host ? receives(op, b->stop) : weft_tree_wants(&g->tree, b->stop, op->from, op->to);
        send_frame(e, g, b->port, pos, b->stop, wanted ? payload : 0, PKT_DOWN, NIL);
    }
}

/* The sum of a position is ready at a switch. */
static void summed(void *ctx, uint64_t pos)
{
    struct stop *s = ctx;
    const struct group *g = s->g;
    const struct operation *op = operation_at(g, pos);
    s->came[pos % g->window] = 0;
    s->taken_ps[pos % g->window] = 0;
    const uint32_t at = (uint32_t)(s - g->stop);
    const struct weft_tree_switch *w = &g->tree.switches[at];
    if (at == 0)
        copy_down(s->e, s, pos);
    else
        send_frame(s->e, g, w->up, pos, w->parent,
                   weft_tree_gives(&g->tree, at, op->from) ? payload_of(g, op, pos) : 0, 0, NIL);
}

/* A frame has come up to a switch, in by @p port. */
static void add_up(struct weft_engine *e, struct stop *s, uint32_t port, uint64_t pos,
                   uint64_t frame)
{
    const struct in_network *in = e->in_network;
    int64_t *const free_ps = &in->free_ps[port];
    struct weft_err err = {0};
    const bool adds = in->rate_q && !in_network_copies(s->g);
    if (adds)
        *free_ps = (*free_ps > e->now ? *free_ps : e->now) + gap_ps(frame, in->rate_q);
    int64_t *const taken_ps = &s->taken_ps[pos % s->g->window];
    const int64_t now_taken_ps = adds ? *free_ps : e->now;
    *taken_ps = now_taken_ps > *taken_ps ? now_taken_ps : *taken_ps;
    const int64_t ready = *taken_ps + e->p.in_network.latency_ps;
    if (++s->came[pos % s->g->window] < s->nbranches)
        return;
    if (ready == e->now)
        summed(s, pos);
    else if (weft_engine_timer(e, ready, summed, s, pos, &err))
        engine_fail(e, err.code, "%s", err.msg);
}

void in_network_arrive(struct weft_engine *e, uint32_t port, uint32_t i)
{
    const struct pkt k = *pkt_at(e, i);
    struct group *g = e->in_network->group[k.msg];
    e->tot.delivered[WEFT_PKT_SUM]++;
    e->own[e->ports[port].node].taken += k.payload;
    pkt_free(e, i);
    if (!(k.flags & PKT_DOWN))
        add_up(e, &g->stop[k.dst_host], port, k.psn, k.frame);
    else if (e->ports[port].nic != NIL)
        host_receive(e, g, k.dst_host, k.psn);
    else
        copy_down(e, &g->stop[k.dst_host], k.psn);
}

/* ---- posting ---- */

/* Divides the slots of switches among the groups, whose two streams have the same tree. */
static int fix_windows(struct weft_engine *e, struct weft_err *err)
{
    struct in_network *in = e->in_network;
    for (uint32_t k = 0; k < in->ngroups; k++) {
        struct group *g = in->group[k];
        g->window = UINT64_MAX;
        for (uint32_t i = 0; i < g->tree.nswitches; i++) {
            const uint64_t share = e->p.in_network.slots / in->groups[g->tree.switches[i].node];
            g->window = share < g->window ? share : g->window;
        }
        for (uint32_t i = 0; i < g->tree.nswitches; i++) {
            g->stop[i].came = calloc(g->window, sizeof *g->stop[i].came);
            g->stop[i].taken_ps = calloc(g->window, sizeof *g->stop[i].taken_ps);
            if (!g->stop[i].came || !g->stop[i].taken_ps)
                return weft_err_no_memory(err, "in-network slots");
        }
    }
    in->begun = true;
    return 0;
}

static struct operation *new_operation(const struct weft_engine *e, struct group *g,
                                       const struct weft_part *p)
{
    if (!WEFT_GROW(g->ops, g->nops, &g->ops_cap))
        return NULL;
    struct operation *op = &g->ops[g->nops];
    *op = (struct operation){.first = g->end,
                             .npkts = p->bytes ? (p->bytes - 1) / g->mtu + 1 : 1,
                             .bytes = p->bytes,
                             .tag = p->tag,
                             .from = p->from,
                             .to = p->to,
                             .since = e->ideal.now,
                             .counted = e->ideal.now,
                             .part = calloc(g->n, sizeof *op->part)};
    if (!op->part)
        return NULL;
    g->end += op->npkts;
    g->nops++;
    return op;
}

/* The first operation with the tag that others have begun and the member has not; else NULL. */
static struct operation *operation_of(const struct group *g, const struct member *m, uint64_t tag)
{
    for (uint64_t i = m->sending - g->first_op; i < g->nops; i++)
        if (g->ops[i].tag == tag && !g->ops[i].part[m - g->member].posted)
            return &g->ops[i];
    return NULL;
}

static int check_part(const struct weft_engine *e, const struct weft_part *p, struct weft_err *err)
{
    const struct in_network *in = e->in_network;
    if (!in || p->group >= in->ngroups / 2)
        return weft_err_set(err, WEFT_E_INPUT, "in-network group %u was not opened", p->group);
    const uint32_t n = in->group[2 * p->group]->n;
    if (p->member >= n || (p->from != NIL && p->from >= n) || (p->to != NIL && p->to >= n))
        return weft_err_set(err, WEFT_E_INPUT, "in-network group %u has members 0 to %u", p->group,
                            n - 1);
    return 0;
}

int weft_engine_contribute(struct weft_engine *e, const struct weft_part *p, struct weft_err *err)
{
    struct in_network *in = e->in_network;
    if (check_part(e, p, err) || (!in->begun && fix_windows(e, err)))
        return err ? err->code : WEFT_E_INPUT;
    struct group *g = in->group[2 * p->group + (p->from != NIL)];
    struct member *m = &g->member[p->member];
    struct operation *op = operation_of(g, m, p->tag);
    if (!op && !(op = new_operation(e, g, p)))
        return weft_err_no_memory(err, "in-network operations");
    if (op->bytes != p->bytes || op->from != p->from || op->to != p->to)
        return weft_err_set(err, WEFT_E_INPUT,
                            "h%u begins the in-network operation with tag %" PRIu64 " with %" PRIu64
                            " bytes, another member of its group began it with %" PRIu64
                            ": bytes, givers and getters have to be the same at all",
                            m->host, p->tag, p->bytes, op->bytes);
    op->part[p->member] = (struct part){.id = e->tot.msgs_posted++,
                                        .token = p->token,
                                        .qp = p->qp,
                                        .token_type = p->token_type,
                                        .post_ps = e->now,
                                        .posted = true};
    note_latest(e, g, op, p->member);
    op->nposted++;
    m->posted++;
    in->parts++;
    e->tot.bytes_posted += weft_leaf_gives(p->member, p->from) ? p->bytes : 0;
    send_on(e, g, m);
    return 0;
}

uint64_t in_network_parts(const struct weft_engine *e)
{
    return e->in_network ? e->in_network->parts : 0;
}
