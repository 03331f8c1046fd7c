/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which traffic meets which.
 *
 * QPs with messages belong together that have a port in common, there or back, or the buffer of a
 * switch. Such QPs form a component: nothing of it depends on anything else, until
 * something is posted whose way touches it. Therefore each component repeats itself at its own
 * pace, and is moved on by itself. QPs are joined by union and find (Tarjan, J. ACM 22(2), 1975).
 */
#include "core/context.h"
#include "core/loop.h"
#include "core/grow.h"
#include "replay.h"
#include "replay_internal.h"

#include "base/units.h"

#include <stdlib.h>

#define SHORTER_TRAINS 2u   /**< at the end of a message, as many packets as so many trains */
#define WORTH_PERIODS 16u   /**< that must be left to be skipped */
#define REFERENCE_PACKETS 8 /**< for which the reference QP is watched at first, later longer */
#define QUICK_TRIES 8u      /**< times that a state is compared after one period alone */
#define VALUES_PER_QP 128u  /**< of a state that take as long to read as a QP to be joined */

/* ---- room ---- */

static bool component_make_room(struct weft_engine *e, struct replay_packets *r)
{
    const uint32_t n = e->qps.pool.n + e->qps.pool.n / 8 + 16;
    struct replay_scope *map = &r->map;
    if (!grow_zeroed((void **)&r->turn, sizeof *r->turn, r->qps, n) ||
        !grow_zeroed((void **)&r->with, sizeof *r->with, r->qps, n) ||
        !grow_zeroed((void **)&r->group, sizeof *r->group, r->qps, n) ||
        !grow_zeroed((void **)&map->has_qp, sizeof *map->has_qp, r->qps, n) ||
        !grow_zeroed((void **)&map->moved, sizeof *map->moved, r->qps, n))
        return false;
    r->qps = map->qps_cap = n;
    return true;
}

static bool component_make_map(struct weft_engine *e, struct replay_packets *r)
{
    const size_t ports = e->fabric->nports + (size_t)1, nodes = e->fabric->nnodes + (size_t)1;
    r->map.has_port = calloc(ports, sizeof *r->map.has_port);
    r->map.has_node = calloc(nodes, sizeof *r->map.has_node);
    r->map.arrive_ps = calloc(ports, sizeof *r->map.arrive_ps);
    r->met = calloc(ports + nodes, sizeof *r->met);
    return r->map.has_port && r->map.has_node && r->map.arrive_ps && r->met;
}

static void component_share_map(struct replay_packets *r, uint32_t i)
{
    struct replay_scope *p = &r->component[i].scope;
    p->component = true;
    p->mark = (uint16_t)(i + 1);
    p->has_port = r->map.has_port;
    p->has_node = r->map.has_node;
    p->has_qp = r->map.has_qp;
    p->qps_cap = r->map.qps_cap;
    p->arrive_ps = r->map.arrive_ps;
    p->moved = r->map.moved;
}

bool replay_components_ready(struct weft_engine *e)
{
    struct replay_packets *r = &replay_of(e)->packets;
    if (!r->met && !component_make_map(e, r)) {
        replay_components_free(r);
        return false;
    }
    if (r->qps >= e->qps.pool.n)
        return true;
    if (!component_make_room(e, r))
        return false;
    for (uint32_t i = 0; i < r->top; i++)
        component_share_map(r, i);
    return true;
}

void replay_components_free(struct replay_packets *r)
{
    for (uint32_t i = 0; i < r->top; i++) {
        r->component[i].scope.component = true;
        replay_scope_free(&r->component[i].scope);
        snapshot_free(&r->component[i].snapshot);
        snapshot_free(&r->component[i].then);
        free(r->component[i].pauses.of);
    }
    replay_scope_free(&r->map);
    free(r->turn);
    free(r->with);
    free(r->group);
    free(r->met);
    r->turn = NULL;
    r->with = NULL;
    r->group = NULL;
    r->met = NULL;
    r->qps = 0;
}

/* ---- joining ---- */

static uint32_t component_group_of(struct replay_packets *r, uint32_t qi)
{
    while (r->with[qi] != qi) {
        r->with[qi] = r->with[r->with[qi]];
        qi = r->with[qi];
    }
    return qi;
}

struct joining {
    struct weft_engine *e;
    struct replay_packets *r;
    uint32_t qi;
};

static void component_join(struct joining *j, size_t place)
{
    struct replay_packets *r = j->r;
    const uint64_t was = r->met[place];
    if (was >> 32 == r->searches)
        r->with[component_group_of(r, (uint32_t)was)] = component_group_of(r, j->qi);
    r->met[place] = (uint64_t)r->searches << 32 | j->qi;
}

static void component_join_port(void *ctx, uint32_t port)
{
    struct joining *j = ctx;
    const uint32_t node = replay_scope_node(j->e, port);
    component_join(j, port);
    if (node != NIL)
        component_join(j, j->e->fabric->nports + (size_t)1 + node);
}

/* QPs with messages that are in no component. */
static bool component_free_qp(const struct weft_engine *e, const struct replay_packets *r,
                              uint32_t qi)
{
    return qp_at(e, qi)->head_msg != NIL && !r->map.has_qp[qi];
}

static void component_join_all(struct weft_engine *e, struct replay_packets *r)
{
    r->searches++;
    replay_of(e)->figures.values += 2 * (uint64_t)e->qps.pool.n;
    for (uint32_t i = 0; i < e->qps.pool.n; i++)
        r->with[i] = i;
    for (uint32_t i = 0; i < e->qps.pool.n; i++) {
        struct joining j = {e, r, i};
        if (!component_free_qp(e, r, i))
            continue;
        replay_of(e)->figures.values += VALUES_PER_QP;
        replay_scope_each_port(e, i, component_join_port, &j);
    }
}

/* ---- groups ---- */

uint64_t replay_before_last(const struct weft_engine *e, const struct qp *q)
{
    if (q->snd->nxt_msg == NIL)
        return 0;
    const struct msg *m = msg_at(e, q->snd->nxt_msg);
    const uint64_t left = m->first_psn + m->npkts - 1 - q->snd->nxt_psn,
                   shorter = q->kind->train > 1 ? SHORTER_TRAINS * q->kind->train : 0;
    return left > shorter ? left - shorter : 0;
}

static void component_count_in(struct weft_engine *e, struct replay_packets *r, uint32_t qi)
{
    const struct qp *q = qp_at(e, qi);
    struct replay_group *g = &r->group[component_group_of(r, qi)];
    const uint64_t left = replay_before_last(e, q);
    if (r->turn[qi].reported_ps >= g->turn.reported_ps)
        g->turn = r->turn[qi];
    g->between |= q->head_msg != q->snd->nxt_msg;
    if (left > g->left) {
        g->left = left;
        g->reference = qi;
    }
}

static void component_form_groups(struct weft_engine *e, struct replay_packets *r)
{
    const uint64_t least = replay_of(e)->eager ? 1 : WORTH_PERIODS;
    component_join_all(e, r);
    for (uint32_t i = 0; i < e->qps.pool.n; i++)
        if (component_free_qp(e, r, i) && r->with[i] == i)
            r->group[i] = (struct replay_group){
                .turn.reported_ps = INT64_MIN, .left = least, .reference = NIL};
    for (uint32_t i = 0; i < e->qps.pool.n; i++)
        if (component_free_qp(e, r, i))
            component_count_in(e, r, i);
}

/* Packets in lists that are of QPs with messages. The lists are walked abreast: one alone is a
 * wait for memory per packet. */
static uint64_t component_of_messages(const struct weft_engine *e, uint32_t *at, uint32_t lists)
{
    uint64_t n = 0;
    while (lists)
        for (uint32_t l = 0; l < lists;) {
            const struct pkt *k = pkt_at(e, at[l]);
            n += replay_scope_knows(k) &&
                 (k->kind == WEFT_PKT_PFC || qp_at(e, k->qp)->head_msg != NIL);
            at[l] = k->next != NIL ? k->next : at[--lists];
            l += k->next != NIL;
        }
    return n;
}

/* Whether other packets are underway. They would come to a component from outside. */
static bool component_foreign_packets(struct weft_engine *e)
{
    enum { ABREAST = 64 };
    const struct replay_packets *r = &replay_of(e)->packets;
    uint32_t at[ABREAST + WEFT_PRIOS + 2], lists = 0;
    uint64_t n = 0;
    for (uint32_t port = 0; port < e->fabric->nports; port++) {
        const struct port *p = &e->ports[port];
        if (r->met[port] >> 32 != r->searches && !r->map.has_port[port])
            continue; /* no QP with messages goes there */
        if (e->ends[port].fly.head != NIL)
            at[lists++] = e->ends[port].fly.head;
        if (p->ctrl.head != NIL)
            at[lists++] = p->ctrl.head;
        for (uint32_t prio = 0; prio < WEFT_PRIOS; prio++)
            if (p->lane[prio].q.head != NIL)
                at[lists++] = p->lane[prio].q.head;
        if (lists >= ABREAST) {
            n += component_of_messages(e, at, lists);
            lists = 0;
        }
    }
    n += component_of_messages(e, at, lists);
    replay_of(e)->figures.values += n / 4;
    return n != e->pkts.pool.live;
}

/* ---- components ---- */

void replay_component_watch(struct weft_engine *e, struct replay_component *k)
{
    const struct qp *q = qp_at(e, k->reference);
    k->reference_psn = q->snd->nxt_psn;
    k->reference_ps = q->snd->last_tx_ps;
    k->reference_pauses = e->ports[q->port].st.pauses;
    k->reference_pause_ps =
        e->ports[q->port].hold ? e->ports[q->port].hold->from_ps[q->snd->prio] : e->now;
    k->since_ps = e->now;
    k->phase = REPLAY_TIME;
    k->next_ps = e->now + ((int64_t)REFERENCE_PACKETS << (QUICK_TRIES - k->quick) / 2) * k->gap_ps;
}

static void component_watch_reference(struct weft_engine *e, struct replay_component *k,
                                      uint32_t reference)
{
    const struct qp *q = qp_at(e, reference);
    const struct sender *snd = q->snd;
    k->reference = reference;
    k->gap_ps = snd->next_avail_ps > snd->last_tx_ps ? snd->next_avail_ps - snd->last_tx_ps : 1;
    k->quick = QUICK_TRIES;
    replay_component_watch(e, k);
}

static struct replay_component *component_new_component(struct weft_engine *e,
                                                        struct replay_packets *r,
                                                        const struct replay_group *g)
{
    struct replay_component *k = r->component;
    if (r->components == REPLAY_COMPONENTS)
        return NULL;
    while (k->used)
        k++;
    if (k == r->component + r->top)
        component_share_map(r, r->top++);
    k->used = true;
    k->wait_ps = g->turn.wait_ps;
    component_watch_reference(e, k, g->reference);
    k->scope.failed = false;
    r->components++;
    replay_publish(e);
    return k;
}

/* When a group can be looked at; no later than now: at once; WEFT_NEVER: it has too little left. */
static int64_t component_ready_ps(const struct weft_engine *e, const struct replay_group *g)
{
    if (g->reference == NIL)
        return WEFT_NEVER;
    if (g->between && g->turn.ready_ps <= e->now)
        return e->now + g->turn.wait_ps;
    return g->turn.ready_ps;
}

/* Makes components of the groups that can be looked at no later than @until_ps; of[n]: which. Says
 * how many. */
static uint32_t component_deal(struct weft_engine *e, struct replay_packets *r, int64_t until_ps,
                               struct replay_component **of)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < e->qps.pool.n; i++) {
        struct replay_group *g = &r->group[component_group_of(r, i)];
        if (!component_free_qp(e, r, i) || component_ready_ps(e, g) > until_ps)
            continue;
        if (!g->component) {
            struct replay_component *k = component_new_component(e, r, g);
            g->component = k ? (uint16_t)(k - r->component + 1) : UINT16_MAX;
            if (k)
                of[n++] = k;
        }
        if (g->component != UINT16_MAX)
            replay_scope_add(e, &r->component[g->component - 1].scope, i);
    }
    return n;
}

int64_t replay_components_find(struct weft_engine *e)
{
    struct replay_packets *r = &replay_of(e)->packets;
    int64_t next_ps = WEFT_NEVER;
    bool any = false;
    component_form_groups(e, r);
    for (uint32_t i = 0; i < e->qps.pool.n; i++) {
        if (!component_free_qp(e, r, i) || r->with[i] != i)
            continue;
        const int64_t t = component_ready_ps(e, &r->group[i]);
        any |= t <= e->now;
        next_ps = t > e->now && t < next_ps ? t : next_ps;
    }
    if (!any) {
        replay_say(e, WEFT_REPLAY_PACKETS, "no long message, or one between two");
        return next_ps;
    }
    if (component_foreign_packets(e)) {
        replay_say(e, WEFT_REPLAY_PACKETS, "packets that are of no QP with messages");
        r->foreign_ps = 2 * r->foreign_ps < WEFT_PS_PER_US ? WEFT_PS_PER_US : 2 * r->foreign_ps;
        r->foreign_ps = r->foreign_ps < WEFT_PS_PER_S ? r->foreign_ps : WEFT_PS_PER_S;
        return e->now + r->foreign_ps;
    }
    r->foreign_ps = 0;
    struct replay_component *of[REPLAY_COMPONENTS];
    component_deal(e, r, e->now, of);
    return next_ps;
}

uint32_t replay_components_make(struct weft_engine *e, struct replay_component **of)
{
    struct replay_packets *r = &replay_of(e)->packets;
    uint32_t n = 0;
    component_form_groups(e, r);
    for (uint32_t i = 0; i < e->qps.pool.n; i++)
        n += component_free_qp(e, r, i) && r->with[i] == i && r->group[i].reference != NIL;
    if (n < 2 || component_foreign_packets(e))
        return 0;
    n = component_deal(e, r, WEFT_NEVER - 1, of);
    for (uint32_t i = 0; i < n; i++)
        of[i]->next_ps = r->group[component_group_of(r, of[i]->reference)].turn.ready_ps;
    return n;
}

void replay_component_back_off(struct replay_component *k, int64_t t_ps)
{
    k->phase = REPLAY_BACK_OFF;
    k->next_ps = t_ps;
}

void replay_component_wake(struct weft_engine *e, struct replay_component *k)
{
    uint64_t most = replay_of(e)->eager ? 1 : WORTH_PERIODS;
    uint32_t reference = NIL;
    for (uint32_t i = 0; i < k->scope.nqps; i++) {
        const struct qp *q = qp_at(e, k->scope.qps[i]);
        const uint64_t left = replay_before_last(e, q);
        if (q->head_msg != q->snd->nxt_msg) {
            replay_component_back_off(k, e->now + k->wait_ps);
            return;
        }
        if (left > most) {
            most = left;
            reference = k->scope.qps[i];
        }
    }
    if (reference == NIL) {
        replay_component_back_off(k, WEFT_NEVER);
        return;
    }
    component_watch_reference(e, k, reference);
}

void replay_component_drop(struct weft_engine *e, struct replay_component *k, int64_t wait_ps)
{
    for (uint32_t i = 0; i < k->scope.nqps; i++)
        replay_of(e)->packets.turn[k->scope.qps[i]] =
            (struct replay_turn){e->now, e->now + wait_ps, wait_ps};
    replay_component_release(e, k);
}

void replay_component_release(struct weft_engine *e, struct replay_component *k)
{
    struct replay_packets *r = &replay_of(e)->packets;
    struct replay_scope *p = &k->scope;
    for (uint32_t i = 0; i < p->nqps; i++)
        p->has_qp[p->qps[i]] = 0;
    for (uint32_t i = 0; i < p->nports; i++)
        p->has_port[p->ports[i]] = 0;
    for (uint32_t i = 0; i < p->nnodes; i++)
        p->has_node[p->nodes[i]] = 0;
    p->nqps = p->nports = p->nnodes = 0;
    k->used = false;
    r->components--;
    replay_publish(e);
}
