/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Twins: pieces of the traffic that are the same but for the names of their hosts, ports and QPs.
 *
 * What follows from a state depends on it alone, so of pieces that are in the same state at the
 * same moment one, the leader, is simulated (and skips laps), and the others, its followers, stand
 * still. QPs, ports and nodes correspond by the order of their numbers: simultaneous events are
 * ordered by number, so that it is the same order in all of them. Everything that a piece depends
 * on is compared, number by place (replay_state.c with names); so are the paths, so that it does
 * not matter how the choices of equal-cost ports came about.
 *
 * Before the first instant at which someone may be told of a message they part: followers get the
 * state of their leader (replay_twins_copy.c), with the events of that instant before them, so that
 * words come in their order. When one of them is touched in the midst of an instant, followers are
 * simulated up to there from where they stand. The instant after, twins are looked for again.
 */
#include "core/context.h"
#include "core/loop.h"
#include "core/walk.h"
#include "parallel/window_crew.h"
#include "replay.h"
#include "replay_inside.h"
#include "replay_jump.h"

#include "base/int128.h"
#include "base/units.h"

#define LEADERS 8u      /**< that a piece is compared with at most */
#define MOST_IN_VAIN 6u /**< looks that found nothing: the next 2 to that power are left out */
#define LEAST_LAST_PS                                                                              \
    (100 * WEFT_PS_PER_NS) /**< delay of the shortest link to a host that is long enough to look   \
                              once in it */

/* ---- joining ---- */

struct crowd {
    struct replay_piece *of[REPLAY_PIECES]; /* that are new */
    struct replay_piece *lead[LEADERS];
    uint32_t n, leads;
};

/* Whether another piece is of as much. */
static bool may_have_twin(const struct crowd *c, const struct replay_piece *k)
{
    for (uint32_t i = 0; i < c->n; i++) {
        const struct replay_part *a = &c->of[i]->part, *b = &k->part;
        if (a != b && a->nqps == b->nqps && a->nports == b->nports && a->nnodes == b->nnodes)
            return true;
    }
    return false;
}

static void follow_one(struct weft_engine *e, struct crowd *c, struct replay_piece *k)
{
    struct replay_twins *w = &replay_of(e)->packets.twins;
    if (!may_have_twin(c, k))
        return;
    for (uint32_t i = 0; i < c->leads; i++)
        if (replay_twins_same(e, c->lead[i], k)) {
            if (!replay_copy_possible(e, k))
                return;
            k->phase = REPLAY_FOLLOWS;
            k->leader = (uint16_t)(c->lead[i] - replay_of(e)->packets.piece);
            k->next_ps = WEFT_NEVER;
            c->lead[i]->followers++;
            w->followers++;
            replay_publish(e);
            return;
        }
    if (c->leads == LEADERS)
        return;
    k->tape.most = replay_of(e)->packets.most / (2 * LEADERS);
    if (replay_twins_read(e, &k->part, &k->tape, TAPE_WRITE) && replay_copy_possible(e, k))
        c->lead[c->leads++] = k;
}

/* What the ports of a follower owe, nobody makes while it stands still: threads would, when they
 * settle switches (window_turns.c). */
static void set_still(struct weft_engine *e, const struct replay_part *p, bool still)
{
    for (uint32_t i = 0; i < p->nnodes; i++) {
        struct window_node *s = &e->windows.of[p->nodes[i]];
        s->still = still;
        s->owes |= !still;
    }
    window_crew_look_again(e);
}

/* Followers have no events any more. */
static bool stand_still(struct weft_engine *e, const struct crowd *c)
{
    struct replay_part *p = &replay_of(e)->packets.twins.still;
    if (!replay_part_clear(e, p))
        return false;
    for (uint32_t i = 0; i < c->n; i++)
        for (uint32_t q = 0; c->of[i]->phase == REPLAY_FOLLOWS && q < c->of[i]->part.nqps; q++)
            replay_part_add(e, p, c->of[i]->part.qps[q]);
    for (uint32_t i = 0; i < c->n && !p->failed; i++)
        if (c->of[i]->phase == REPLAY_FOLLOWS)
            set_still(e, &c->of[i]->part, true);
    if (!p->failed)
        replay_queue_clear(e, p, e->now);
    return !p->failed;
}

static void lead(struct weft_engine *e, struct replay_piece *k)
{
    k->then.most = replay_of(e)->packets.most / (2 * LEADERS);
    k->still_ps = e->now;
    k->tell_ps = e->now + 1;
    replay_piece_rest(k, k->next_ps > e->now ? k->next_ps : e->now + 1);
    replay_copy_begin(e, k);
}

static void join(struct weft_engine *e, struct crowd *c)
{
    struct replay_packets *r = &replay_of(e)->packets;
    for (uint32_t i = 0; i < c->n; i++)
        replay_settle_ports(e, &c->of[i]->part);
    replay_note_all_arrivals(e, r->map.arrive_ps);
    for (uint32_t i = 0; i < c->n; i++) {
        replay_twins_name(e, &c->of[i]->part);
        if (!c->of[i]->part.failed)
            follow_one(e, c, c->of[i]);
    }
    if (r->twins.followers && !stand_still(e, c))
        engine_fail(e, WEFT_E_LIMIT, "out of memory for replaying");
    for (uint32_t i = 0; i < c->n; i++)
        if (c->of[i]->followers) {
            lead(e, c->of[i]);
        } else if (c->of[i]->phase != REPLAY_FOLLOWS) {
            tape_clear(&c->of[i]->tape);
            replay_piece_release(e, c->of[i]);
        }
}

static void find(struct weft_engine *e)
{
    struct replay_packets *r = &replay_of(e)->packets;
    struct replay_twins *w = &r->twins;
    struct crowd c = {.n = 0};
    if (!replay_copy_ever(e) || !replay_pieces_ready(e) || !replay_twins_ready(e))
        return;
    c.n = replay_pieces_make(e, c.of);
    const uint32_t before = w->followers;
    if (c.n)
        join(e, &c);
    w->vain = w->followers > before ? 0 : w->vain < MOST_IN_VAIN ? w->vain + 1 : w->vain;
    w->skip = (1u << w->vain) - 1;
}

/* ---- when ---- */

void replay_twins_posted(struct weft_engine *e)
{
    struct replay_twins *w = &replay_of(e)->packets.twins;
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
    replay_twins_find_at(e, e->now + 1);
}

void replay_twins_find_at(struct weft_engine *e, int64_t t_ps)
{
    replay_of(e)->packets.twins.next_ps = t_ps;
    replay_packets_next(e);
}

/* The first instant at which someone may be told of a message of the piece: none is before. Each is
 * told when a packet arrives at a host, whose last link it enters now or later, or is on. */
static int64_t first_told_ps(struct weft_engine *e, const struct replay_piece *k)
{
    const struct replay_part *p = &k->part;
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
            const uint64_t bytes = replay_before_last(e, q) * q->mtu_bytes;
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
            if (t < first_ps && replay_copy_may_tell(e, n))
                first_ps = t;
            t = pkt_at(e, n)->next_at_ps;
        }
    }
    return first_ps;
}

/* ---- parting ---- */

/* When to look for twins again: in the next instant, or where they part again and nobody has been
 * told of a message since, after twice as long each time. */
static int64_t part_wait(struct weft_engine *e)
{
    struct replay_twins *w = &replay_of(e)->packets.twins;
    const uint64_t told = e->tot.msgs_received + e->tot.msgs_acked;
    w->wait_ps = told == w->told && w->wait_ps ? 2 * w->wait_ps : 1;
    w->wait_ps = w->wait_ps < WEFT_PS_PER_S ? w->wait_ps : WEFT_PS_PER_S;
    w->told = told;
    return w->wait_ps;
}

void replay_twins_part(struct weft_engine *e, struct replay_piece *lead)
{
    struct replay_packets *r = &replay_of(e)->packets;
    const uint16_t number = (uint16_t)(lead - r->piece);
    const bool copies = replay_copy_ready(e, lead);
    for (uint32_t i = 0; i < r->top && lead->followers; i++) {
        struct replay_piece *k = &r->piece[i];
        if (!k->used || k->phase != REPLAY_FOLLOWS || k->leader != number)
            continue;
        set_still(e, &k->part, false);
        if (copies)
            replay_copy(e, lead, k);
        else
            replay_piece_catch_up(e, k, k->still_ps);
        k->phase = REPLAY_REST;
        lead->followers--;
        r->twins.followers--;
        replay_publish(e);
        replay_piece_release(e, k);
    }
    const int64_t ready_ps = r->turn[lead->part.qps[0]].ready_ps;
    r->changes++;
    tape_clear(&lead->then);
    replay_piece_release(e, lead);
    replay_packets_find_by(e, ready_ps > e->now + 2 ? ready_ps : e->now + 2);
    replay_twins_find_at(e, e->loop.due_ps + part_wait(e));
}

void replay_twins_look(struct weft_engine *e)
{
    struct replay_packets *r = &replay_of(e)->packets;
    for (uint32_t i = 0; r->twins.followers && i < r->top; i++) {
        struct replay_piece *k = &r->piece[i];
        if (!k->used || !k->followers || k->tell_ps > e->now)
            continue;
        if (k->phase == REPLAY_AHEAD) {
            k->tell_ps = k->ahead_ps;
            continue;
        }
        replay_note_arrivals(e, &k->part);
        k->tell_ps = first_told_ps(e, k);
        if (k->tell_ps <= e->now)
            replay_twins_part(e, k);
    }
    if (r->twins.next_ps <= e->now) {
        r->twins.next_ps = WEFT_NEVER;
        if (e->msgs.live && !replay_why_not(e, false) && replay_may_read(e, e->msgs.live) &&
            replay_affordable(e) && !(replay_of(e)->settled.tolerance > 0))
            find(e);
    }
}

/* ---- back to the present ---- */

void replay_piece_back(struct weft_engine *e, struct replay_piece *k)
{
    if (k->phase == REPLAY_FOLLOWS)
        k = &replay_of(e)->packets.piece[k->leader];
    replay_piece_from_ahead(e, k);
    if (k->followers)
        replay_twins_part(e, k);
}

void replay_pieces_back(struct weft_engine *e)
{
    struct replay_packets *r = &replay_of(e)->packets;
    bool any = false;
    for (uint32_t i = 0; i < r->top; i++)
        if (r->piece[i].used && (r->piece[i].phase == REPLAY_AHEAD || r->piece[i].followers)) {
            replay_piece_back(e, &r->piece[i]);
            any = true;
        }
    if (any)
        replay_packets_next(e);
}
