/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A component that is suspended gets the state of its leader (replay_symmetry.c).
 *
 * Both were in the same state then, so that each field that both have moves in the one as it did in
 * the other: by what it is now less what it was then, whatever it is. What comes and goes, packets
 * and the turns of QPs, is made anew under the follower's names. Totals of the run are counted on
 * by what the follower's ports have sent. Not copied is what names decide: random draws; nor marks,
 * drops, pauses and timers, which others count.
 */
#include "core/context.h"
#include "core/loop.h"
#include "core/pkt.h"
#include "core/walk.h"
#include "core/executor.h"
#include "replay.h"
#include "replay_internal.h"
#include "replay_queues.h"
#include "transport/nic.h"

#include "base/units.h"

/* ---- whether ---- */

/* Whether a packet can be given other names. */
static bool copy_nameable(const struct weft_engine *e, uint32_t i)
{
    const struct pkt *k = pkt_at(e, i);
    const struct qp *q = qp_at(e, k->qp);
    const bool data = k->kind == WEFT_PKT_DATA;
    if ((!data && k->kind != WEFT_PKT_ACK) || k->sig != NIL ||
        (k->flags & (PKT_CUT | PKT_CHANNEL | PKT_UPPER)))
        return false;
    return k->dst_host == (data ? q->dst_host : q->src_host);
}

static bool copy_nameable_list(const struct weft_engine *e, struct list l)
{
    WALK_PKTS(e, i, l.head, "packets of a queue, or on a link")
        if (!copy_nameable(e, i))
            return false;
    return true;
}

bool replay_copy_ever(const struct weft_engine *e)
{
    return !e->delays.nholds && !e->telemetry.int_on;
}

bool replay_copy_possible(struct weft_engine *e, const struct replay_component *k)
{
    const struct replay_scope *p = &k->scope;
    bool can = replay_copy_ever(e);
    for (uint32_t i = 0; can && i < p->nqps; i++) {
        const struct qp *q = qp_at(e, p->qps[i]);
        can = !q->snd->retries && !q->snd->recovering && !rare_of(q)->held &&
              q->snd->state != QP_PARKED && q->snd->out.timer_at_ps == WEFT_NEVER;
    }
    for (uint32_t i = 0; can && i < p->nports; i++) {
        const struct port *port = &e->ports[p->ports[i]];
        can = port->ctrl.head == NIL && !port->paused &&
              copy_nameable_list(e, e->ends[p->ports[i]].fly);
        for (uint32_t prio = 0; can && prio < WEFT_PRIOS; prio++)
            can = copy_nameable_list(e, port->lane[prio].q);
    }
    for (uint32_t i = 0; can && i < p->nnodes; i++)
        can = !e->mmu.of[p->nodes[i]].eager;
    return can;
}

bool replay_copy_may_report(const struct weft_engine *e, uint32_t i)
{
    const struct pkt *k = pkt_at(e, i);
    if (k->kind == WEFT_PKT_DATA)
        return k->flags & PKT_LAST;
    const uint32_t head = qp_at(e, k->qp)->head_msg;
    return head != NIL && k->psn >= msg_at(e, head)->first_psn + msg_at(e, head)->npkts;
}

/* ---- when ---- */

static void copy_read(struct weft_engine *e, struct replay_scope *p, struct snapshot *t,
                      enum snapshot_use use)
{
    snapshot_start(t, use, e->now);
    t->fixed = true;
    t->periods = 1;
    replay_state_read(e, p, t);
    replay_count_state(e, t->at);
}

void replay_copy_begin(struct weft_engine *e, struct replay_component *lead)
{
    copy_read(e, &lead->scope, &lead->then, SNAPSHOT_WRITE);
}

bool replay_copy_ready(struct weft_engine *e, struct replay_component *lead)
{
    if (e->loop.due_id) /* in the midst of an instant: the order of its events goes by names */
        return false;
    windows_catch_up(e);
    replay_ports_catch_up(e, &lead->scope);
    if (!snapshot_over(&lead->then) || !replay_copy_possible(e, lead))
        return false;
    replay_note_arrivals(e, &lead->scope);
    copy_read(e, &lead->scope, &lead->then, SNAPSHOT_COMPARE);
    if (!snapshot_over(&lead->then))
        return false;
    copy_read(e, &lead->scope, &lead->then, SNAPSHOT_STEP);
    return snapshot_over(&lead->then);
}

/* ---- packets ---- */

struct copying {
    struct weft_engine *e;
    const struct replay_scope *from, *to;
    /* packets that were underway in the follower, and that are: data, ACKs, ends of trains */
    uint64_t old[3], new[3];
};

static size_t copy_sort(const struct pkt *k)
{
    return k->kind != WEFT_PKT_DATA ? 1 : k->frame ? 0 : 2;
}

static uint32_t copy_qp_there(const struct copying *c, uint32_t qi)
{
    return c->to->qps[replay_of(c->e)->packets.symmetry.names.qp[qi]];
}

static uint32_t copy_port_there(const struct copying *c, uint32_t port)
{
    return port == NIL ? NIL : c->to->ports[replay_of(c->e)->packets.symmetry.names.port[port]];
}

/* The record of a message that is at the place of @p m, which is one of QP @p qi, in the list of QP
 * @p there. */
static uint32_t copy_msg_there(const struct copying *c, uint32_t qi, uint32_t there, uint32_t m)
{
    uint32_t b = qp_at(c->e, there)->head_msg;
    WALK_MSGS(c->e, a, qp_at(c->e, qi)->head_msg) {
        if (a == m)
            break;
        b = b == NIL ? NIL : msg_at(c->e, b)->next;
    }
    return b;
}

static void copy_packet(struct copying *c, struct list *to, const struct pkt *k)
{
    struct weft_engine *e = c->e;
    const uint32_t i = stable_alloc(&e->pkts.pool);
    if (i == NIL) {
        engine_full(e, &e->pkts.pool, "packets in flight");
        return;
    }
    struct pkt *n = pkt_at(e, i);
    const bool data = k->kind == WEFT_PKT_DATA;
    *n = *k;
    n->qp = copy_qp_there(c, k->qp);
    n->psn += (uint64_t)replay_of(e)->packets.map.moved[n->qp][0];
    n->dst_host = data ? qp_at(e, n->qp)->dst_host : qp_at(e, n->qp)->src_host;
    n->in_port = copy_port_there(c, k->in_port);
    if (data)
        n->msg = copy_msg_there(c, k->qp, n->qp, k->msg);
    list_append(e, to, n, i);
    c->new[copy_sort(n)]++;
}

static void copy_list(struct copying *c, struct list from, struct list *to)
{
    struct weft_engine *e = c->e;
    for (uint32_t n = 0; to->head != NIL && walk_on(e, n, e->pkts.pool.n, "packets of a copy");
         n++) {
        const uint32_t i = to->head;
        c->old[copy_sort(pkt_at(e, i))]++;
        list_take(to, pkt_at(e, i));
        pkt_free(e, i);
    }
    WALK_PKTS(e, i, from.head, "packets of a queue, or on a link")
        copy_packet(c, to, pkt_at(e, i));
}

static void copy_turns(struct copying *c, const struct nic *from, struct nic *to)
{
    for (uint32_t prio = 0; prio < WEFT_PRIOS; prio++) {
        to->ready[prio].head = to->ready[prio].tail = NIL;
        WALK_TURNS(c->e, i, from->ready[prio].head) {
            const uint32_t there = copy_qp_there(c, i);
            qp_at(c->e, there)->snd->next = NIL;
            if (to->ready[prio].head == NIL)
                to->ready[prio].head = there;
            else
                qp_at(c->e, to->ready[prio].tail)->snd->next = there;
            to->ready[prio].tail = there;
        }
        if (c->e->nics.last)
            nic_train_turns_again(c->e, to, prio);
    }
}

static void copy_port(struct copying *c, uint32_t from, uint32_t to)
{
    struct weft_engine *e = c->e;
    struct port *a = &e->ports[from], *b = &e->ports[to];
    for (uint32_t prio = 0; prio < WEFT_PRIOS; prio++)
        copy_list(c, a->lane[prio].q, &b->lane[prio].q);
    copy_list(c, e->ends[from].fly, &e->ends[to].fly);
    if (a->nic != NIL)
        copy_turns(c, &e->nics.of[a->nic], &e->nics.of[b->nic]);
    replay_of(e)->packets.map.arrive_ps[to] = replay_of(e)->packets.map.arrive_ps[from];
}

/* ---- the follower ---- */

/* Packets that its ports have sent; that its hosts have made; of them, data, a train being one. */
struct sent {
    uint64_t hops, made, data;
};

static uint64_t copy_length(const struct weft_engine *e, struct list l)
{
    uint64_t n = 0;
    WALK_PKTS(e, i, l.head, "packets of a queue, or on a link")
        n++;
    return n;
}

static struct sent copy_sent_of(const struct weft_engine *e, const struct replay_scope *p)
{
    const struct replay_sent ports = replay_sent_of(e, p);
    struct sent s = {ports.all, ports.hosts, 0};
    for (uint32_t i = 0; i < p->nports; i++) {
        const struct port *port = &e->ports[p->ports[i]];
        for (uint32_t prio = 0; port->nic != NIL && prio < WEFT_PRIOS; prio++)
            s.made += copy_length(e, port->lane[prio].q);
    }
    for (uint32_t i = 0; i < p->nqps; i++)
        s.data += qp_at(e, p->qps[i])->snd->nxt_psn;
    s.data -= ports.in_trains;
    return s;
}

void replay_copy(struct weft_engine *e, struct replay_component *lead, struct replay_component *k)
{
    const struct sent before = copy_sent_of(e, &k->scope);
    struct copying c = {.e = e, .from = &lead->scope, .to = &k->scope};
    copy_read(e, &k->scope, &lead->then, SNAPSHOT_MOVE);
    if (!snapshot_over(&lead->then))
        engine_fail(e, WEFT_E_INTERNAL, "replay: symmetric components in unequal states");
    for (uint32_t i = 0; i < k->scope.nports; i++)
        copy_port(&c, lead->scope.ports[i], k->scope.ports[i]);
    for (uint32_t i = 0; i < k->scope.nqps; i++) {
        const uint32_t qa = lead->scope.qps[i], qb = k->scope.qps[i],
                       m = qp_at(e, qa)->snd->nxt_msg;
        qp_at(e, qb)->snd->nxt_msg = m == NIL ? NIL : copy_msg_there(&c, qa, qb, m);
    }
    const struct sent after = copy_sent_of(e, &k->scope);
    const uint64_t data = after.data - before.data, acks = after.made - before.made - data;
    e->tot.packet_hops += after.hops - before.hops;
    e->tot.sent[WEFT_PKT_DATA] += data + c.new[2] - c.old[2];
    e->tot.sent[WEFT_PKT_ACK] += acks;
    e->tot.delivered[WEFT_PKT_DATA] += data + c.old[0] - c.new[0];
    e->tot.delivered[WEFT_PKT_ACK] += acks + c.old[1] - c.new[1];
    replay_of(e)->figures.hops += after.hops - before.hops;
    replay_of(e)->figures.copies++;
    replay_queue_add(e, &k->scope);
}
