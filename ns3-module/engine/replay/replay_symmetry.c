/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Symmetric components: components of the traffic that are the same but for the names of their
 * hosts, ports and QPs.
 *
 * What follows from a state depends on it alone, so of components that are in the same state at the
 * same moment one, the leader, is simulated (and skips periods), and the others, its followers,
 * stand still. QPs, ports and nodes correspond by the order of their numbers: simultaneous events
 * are ordered by number, so that it is the same order in all of them. Everything that a component
 * depends on is compared, number by place (replay_state.c with names); so are the paths, so that it
 * does not matter how the choices of equal-cost ports came about.
 *
 * Symmetric components part before the first instant at which a message may complete, or once the
 * leader has drawn a random number: each follower draws another one. Followers get the state of
 * their leader (replay_symmetry_copy.c), with the events of that instant before them, so that host
 * events come in their order. When one of them is touched in the midst of an instant, or numbers
 * were drawn, followers are simulated up to there from where they stand. Then symmetric
 * components are looked for again.
 */
#include "core/context.h"
#include "core/loop.h"
#include "core/walk.h"
#include "core/executor.h"
#include "replay.h"
#include "replay_internal.h"
#include "replay_queues.h"

#include "base/int128.h"
#include "base/units.h"

#define LEADERS 8u     /**< that a component is compared with at most */
#define MOST_FAILED 6u /**< looks that found nothing: the next 2 to that power are left out */
#define LEAST_LAST_PS                                                                              \
    (100 * WEFT_PS_PER_NS) /**< delay of the shortest link to a host that is long enough to look   \
                              once in it */

/* ---- joining ---- */

struct candidates {
    struct replay_component *of[REPLAY_COMPONENTS]; /* that are new */
    struct replay_component *lead[LEADERS];
    uint32_t n, leads;
};

/* Whether another component is of as much. */
static bool symmetry_may_be_symmetric(const struct candidates *c, const struct replay_component *k)
{
    for (uint32_t i = 0; i < c->n; i++) {
        const struct replay_scope *a = &c->of[i]->scope, *b = &k->scope;
        if (a != b && a->nqps == b->nqps && a->nports == b->nports && a->nnodes == b->nnodes)
            return true;
    }
    return false;
}

static void symmetry_follow_one(struct weft_engine *e, struct candidates *c,
                                struct replay_component *k)
{
    struct replay_symmetry *w = &replay_of(e)->packets.symmetry;
    if (!symmetry_may_be_symmetric(c, k))
        return;
    for (uint32_t i = 0; i < c->leads; i++)
        if (replay_symmetry_same(e, c->lead[i], k)) {
            if (!replay_copy_possible(e, k))
                return;
            k->phase = REPLAY_FOLLOWER;
            k->leader = (uint16_t)(c->lead[i] - replay_of(e)->packets.component);
            k->next_ps = WEFT_NEVER;
            c->lead[i]->followers++;
            w->followers++;
            replay_publish(e);
            return;
        }
    if (c->leads == LEADERS)
        return;
    k->snapshot.most = replay_of(e)->packets.most / (2 * LEADERS);
    if (replay_symmetry_read(e, &k->scope, &k->snapshot, SNAPSHOT_WRITE) &&
        replay_copy_possible(e, k))
        c->lead[c->leads++] = k;
}

/* What the ports of a follower owe, nobody makes while it is suspended: threads would, when they
 * settle switches (window_turns.c). */
static void symmetry_set_suspended(struct weft_engine *e, const struct replay_scope *p,
                                   bool suspended)
{
    for (uint32_t i = 0; e->windows.of && i < p->nnodes; i++) {
        struct window_node *s = &e->windows.of[p->nodes[i]];
        s->suspended = suspended;
        s->deferred |= !suspended;
    }
    e->windows.changed = true;
}

/* Followers have no events any more. */
static bool symmetry_suspend(struct weft_engine *e, const struct candidates *c)
{
    struct replay_scope *p = &replay_of(e)->packets.symmetry.suspended;
    if (!replay_scope_clear(e, p))
        return false;
    for (uint32_t i = 0; i < c->n; i++)
        for (uint32_t q = 0; c->of[i]->phase == REPLAY_FOLLOWER && q < c->of[i]->scope.nqps; q++)
            replay_scope_add(e, p, c->of[i]->scope.qps[q]);
    for (uint32_t i = 0; i < c->n && !p->failed; i++)
        if (c->of[i]->phase == REPLAY_FOLLOWER)
            symmetry_set_suspended(e, &c->of[i]->scope, true);
    if (!p->failed)
        replay_queue_clear(e, p, e->now);
    return !p->failed;
}

/* Grows by one number with each draw of a port. */
static uint64_t symmetry_drawn(const struct weft_engine *e, const struct replay_component *k)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < k->scope.nports; i++)
        sum += e->ports[k->scope.ports[i]].ecn_rng.state;
    return sum;
}

static void symmetry_lead(struct weft_engine *e, struct replay_component *k)
{
    k->drawn = symmetry_drawn(e, k);
    k->then.most = replay_of(e)->packets.most / (2 * LEADERS);
    k->suspended_ps = e->now;
    k->next_completion_ps = e->now + 1;
    replay_component_back_off(k, k->next_ps > e->now ? k->next_ps : e->now + 1);
    replay_copy_begin(e, k);
}

static void symmetry_join(struct weft_engine *e, struct candidates *c)
{
    struct replay_packets *r = &replay_of(e)->packets;
    for (uint32_t i = 0; i < c->n; i++)
        replay_ports_catch_up(e, &c->of[i]->scope);
    replay_note_all_arrivals(e, r->map.arrive_ps);
    for (uint32_t i = 0; i < c->n; i++) {
        replay_symmetry_name(e, &c->of[i]->scope);
        if (!c->of[i]->scope.failed)
            symmetry_follow_one(e, c, c->of[i]);
    }
    if (r->symmetry.followers && !symmetry_suspend(e, c))
        engine_fail(e, WEFT_E_LIMIT, "out of memory for replaying");
    for (uint32_t i = 0; i < c->n; i++)
        if (c->of[i]->followers) {
            symmetry_lead(e, c->of[i]);
        } else if (c->of[i]->phase != REPLAY_FOLLOWER) {
            snapshot_clear(&c->of[i]->snapshot);
            replay_component_release(e, c->of[i]);
        }
}

static void symmetry_find(struct weft_engine *e)
{
    struct replay_packets *r = &replay_of(e)->packets;
    struct replay_symmetry *w = &r->symmetry;
    struct candidates c = {.n = 0};
    if (!replay_copy_ever(e) || !replay_components_ready(e) || !replay_symmetry_ready(e))
        return;
    c.n = replay_components_make(e, c.of);
    const uint32_t before = w->followers;
    if (c.n)
        symmetry_join(e, &c);
    w->failed = w->followers > before ? 0 : w->failed < MOST_FAILED ? w->failed + 1 : w->failed;
    w->skip = (1u << w->failed) - 1;
}

/* ---- when ---- */

void replay_symmetry_posted(struct weft_engine *e)
{
    struct replay_symmetry *w = &replay_of(e)->packets.symmetry;
    if (w->posted_ps != e->now || !w->posted) {
        w->posted_ps = e->now;
        w->posted = 0;
    }
    if (++w->posted != 2) /* at one instant */
        return;
    if (w->skip && !replay_of(e)->eager) {
        w->skip--;
        return;
    }
    replay_symmetry_find_at(e, e->now + 1);
}

void replay_symmetry_find_at(struct weft_engine *e, int64_t t_ps)
{
    replay_of(e)->packets.symmetry.next_ps = t_ps;
    replay_packets_next(e);
}

/* The first instant at which someone may be told of a message of the component: none is before.
 * Each is told when a packet arrives at a host, whose last link it enters now or later, or is on.
 */
static int64_t symmetry_first_completion_ps(struct weft_engine *e, const struct replay_component *k)
{
    const struct replay_scope *p = &k->scope;
    int64_t last_ps = WEFT_NEVER, first_ps = WEFT_NEVER;
    for (uint32_t i = 0; i < p->nports; i++)
        if (e->ends[p->ports[i]].to_host && e->ports[p->ports[i]].prop_ps < last_ps)
            last_ps = e->ports[p->ports[i]].prop_ps;
    if (last_ps < LEAST_LAST_PS) /* too many looks */
        return e->now;
    for (uint32_t i = 0; i < p->nqps; i++) {
        const struct qp *q = qp_at(e, p->qps[i]);
        const struct port *port = &e->ports[q->port];
        int64_t t = e->now + last_ps;
        if (q->head_msg == q->rcv_msg && q->head_msg == q->snd->nxt_msg) { /* it is sent before */
            const uint64_t bytes = replay_before_last(e, q) * q->kind->env.mtu_bytes;
            t += (int64_t)(((weft_u128)bytes * port->ser_q) >> GAP_SHIFT);
            t += e->ends[q->port].to_host ? 0 : port->prop_ps;
        }
        first_ps = t < first_ps ? t : first_ps;
    }
    for (uint32_t i = 0; i < p->nports; i++) {
        const struct link_end *l = &e->ends[p->ports[i]];
        if (!l->to_host)
            continue;
        int64_t t = p->arrive_ps[p->ports[i]];
        WALK_PKTS(e, n, l->fly.head, "packets on a link") {
            if (t < first_ps && replay_copy_may_report(e, n))
                first_ps = t;
            t = pkt_at(e, n)->next_at_ps;
        }
    }
    return first_ps;
}

/* ---- parting ---- */

/* When to look for symmetric components again: in the next instant, or where they part again and
 * nobody has been told of a message since, after twice as long each time. */
static int64_t symmetry_part_wait(struct weft_engine *e)
{
    struct replay_symmetry *w = &replay_of(e)->packets.symmetry;
    const uint64_t completions = e->tot.msgs_received + e->tot.msgs_acked;
    w->wait_ps = completions == w->completions && w->wait_ps ? 2 * w->wait_ps : 1;
    w->wait_ps = w->wait_ps < WEFT_PS_PER_S ? w->wait_ps : WEFT_PS_PER_S;
    w->completions = completions;
    return w->wait_ps;
}

/* A leader, which is as it is now, and its followers are no symmetric components any more, and no
 * components. */
static void replay_symmetry_part(struct weft_engine *e, struct replay_component *lead)
{
    struct replay_packets *r = &replay_of(e)->packets;
    const uint16_t number = (uint16_t)(lead - r->component);
    const bool copies = replay_copy_ready(e, lead);
    const uint64_t completions = e->tot.msgs_received + e->tot.msgs_acked;
    for (uint32_t i = 0; i < r->top && lead->followers; i++) {
        struct replay_component *k = &r->component[i];
        if (!k->used || k->phase != REPLAY_FOLLOWER || k->leader != number)
            continue;
        symmetry_set_suspended(e, &k->scope, false);
        if (copies)
            replay_copy(e, lead, k);
        else
            replay_component_catch_up(e, k, k->suspended_ps);
        k->phase = REPLAY_BACK_OFF;
        lead->followers--;
        r->symmetry.followers--;
        replay_publish(e);
        replay_component_release(e, k);
    }
    if (e->tot.msgs_received + e->tot.msgs_acked != completions)
        engine_fail(e, WEFT_E_INTERNAL,
                    "replay: a symmetric component has completed a message before its leader");
    const int64_t ready_ps = r->turn[lead->scope.qps[0]].ready_ps;
    r->changes++;
    snapshot_clear(&lead->then);
    replay_component_release(e, lead);
    replay_packets_find_by(e, ready_ps > e->now + 2 ? ready_ps : e->now + 2);
    replay_symmetry_find_at(e, e->loop.due_ps + symmetry_part_wait(e));
}

void replay_symmetry_look(struct weft_engine *e)
{
    struct replay_packets *r = &replay_of(e)->packets;
    for (uint32_t i = 0; r->symmetry.followers && i < r->top; i++) {
        struct replay_component *k = &r->component[i];
        if (!k->used || !k->followers || k->next_completion_ps > e->now)
            continue;
        if (symmetry_drawn(e, k) != k->drawn) { /* followers draw other numbers */
            replay_component_back(e, k);
            continue;
        }
        if (k->phase == REPLAY_AHEAD) {
            k->next_completion_ps = k->ahead_ps;
            continue;
        }
        replay_note_arrivals(e, &k->scope);
        k->next_completion_ps = symmetry_first_completion_ps(e, k);
        if (k->next_completion_ps <= e->now)
            replay_symmetry_part(e, k);
    }
    if (r->symmetry.next_ps <= e->now) {
        r->symmetry.next_ps = WEFT_NEVER;
        if (e->msgs.live && !replay_reason_against(e, REPLAY_EXACT) &&
            replay_may_read(e, e->msgs.live) && replay_affordable(e) &&
            !(replay_of(e)->memo.tolerance > 0))
            symmetry_find(e);
    }
}

/* ---- back to the present ---- */

void replay_component_back(struct weft_engine *e, struct replay_component *k)
{
    if (k->phase == REPLAY_FOLLOWER)
        k = &replay_of(e)->packets.component[k->leader];
    replay_component_rewind(e, k);
    if (k->followers)
        replay_symmetry_part(e, k);
}

void replay_components_back(struct weft_engine *e)
{
    struct replay_packets *r = &replay_of(e)->packets;
    bool any = false;
    for (uint32_t i = 0, left = r->components; left && i < r->top; i++) {
        left -= r->component[i].used;
        if (r->component[i].used &&
            (r->component[i].phase == REPLAY_AHEAD || r->component[i].followers)) {
            replay_component_back(e, &r->component[i]);
            any = true;
        }
    }
    if (any)
        replay_packets_next(e);
}
