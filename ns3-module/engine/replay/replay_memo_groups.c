/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Groups of QPs whose packets share egress ports, data or ACKs.
 *
 * A group grows when a QP posts a message, and loses a QP that had no message for some time. Once
 * many have left, groups are formed anew: one may have become several. Until then a group that is
 * larger than it has to be only waits for more QPs to be known. Where messages that scatter are
 * taken over, too, ACKs form no groups: what they take of a port is less than that scatter.
 * The pattern of a group is the set of its QPs, as the exclusive or of a hash of each
 * one's name.
 */
#include "core/context.h"
#include "core/events.h"
#include "core/grow.h"
#include "replay_internal.h"
#include "replay_state.h"

#include "base/rng.h"

#include <stdlib.h>
#include <string.h>

#define LEFT_OF 4u      /**< this part of the QPs in groups has left, */
#define LEFT_OF_ALL 64u /**< and this part of all: groups are formed anew */

void memo_push(struct weft_engine *e, int64_t t_ps, enum memo_event what, uint32_t number)
{
    struct replay *r = replay_of(e);
    engine_push(e, &r->memo.events, t_ps, EV_ID(what, number));
    replay_look_at(e, &r->base.first_ps, r->memo.events.h[0].t);
}

bool memo_groups_init(struct weft_engine *e)
{
    struct replay_memo *r = &replay_of(e)->memo;
    r->port = calloc(e->fabric->nports + (size_t)1, sizeof *r->port);
    r->users = calloc(e->fabric->nports + (size_t)1, sizeof *r->users);
    r->nodes = 1;
    return r->port && r->users && memo_paths_init(e);
}

void memo_groups_free(struct replay_memo *r)
{
    free(r->port);
    free(r->users);
    free(r->node);
    r->port = r->users = NULL;
    r->node = NULL;
    memo_paths_free(&r->paths);
}

static uint32_t groups_root(struct replay_memo *r, uint32_t i)
{
    while (r->node[i].up != i) {
        r->node[i].up = r->node[r->node[i].up].up;
        i = r->node[i].up;
    }
    return i;
}

struct memo_node *memo_group(struct weft_engine *e, const struct memo_qp *q)
{
    struct replay_memo *r = &replay_of(e)->memo;
    return &r->node[groups_root(r, q->node)];
}

void memo_group_renew(struct weft_engine *e, struct memo_node *g)
{
    g->epoch = ++replay_of(e)->memo.epochs;
    g->changed_ps = e->now;
    g->ready = 0;
}

static uint64_t groups_hash(const struct memo_qp *q)
{
    return weft_mix64(q->name);
}

/* The circles of members that two QPs are in become one. */
static void groups_link(struct weft_engine *e, uint32_t a, uint32_t b)
{
    const uint32_t after_a = memo_qp_at(e, a)->next, after_b = memo_qp_at(e, b)->next;
    memo_qp_at(e, a)->next = after_b;
    memo_qp_at(e, after_b)->prev = a;
    memo_qp_at(e, b)->next = after_a;
    memo_qp_at(e, after_a)->prev = b;
}

static void groups_join(struct weft_engine *e, uint32_t a, uint32_t b)
{
    struct replay_memo *r = &replay_of(e)->memo;
    a = groups_root(r, a);
    b = groups_root(r, b);
    if (a == b)
        return;
    struct memo_node *to = &r->node[a], *from = &r->node[b];
    if (to->active < from->active) {
        struct memo_node *other = to;
        to = from;
        from = other;
    }
    from->up = (uint32_t)(to - r->node);
    groups_link(e, to->member, from->member);
    to->active += from->active;
    to->taken += from->taken;
    to->pattern ^= from->pattern;
    to->taken_ps = weft_ps_max(to->taken_ps, from->taken_ps);
    to->changed_ps = weft_ps_max(to->changed_ps, from->changed_ps);
    to->checks |= from->checks;
    to->check_ps = weft_ps_max(to->check_ps, from->check_ps);
    to->forming += from->forming;
    to->partly += from->partly;
    to->moved_ps = e->now;
    to->interval_ps = weft_ps_max(to->interval_ps, from->interval_ps);
    to->measured_ps = weft_ps_max(to->measured_ps, from->measured_ps);
    to->measures_ps = weft_ps_max(to->measures_ps, from->measures_ps);
    to->expects = to->expects == from->expects ? to->expects : 0;
    to->whole_ps = weft_ps_max(to->whole_ps, from->whole_ps);
}

/* Calls fn for the egress ports of a QP that may hold it up, there and back. */
static void groups_each_port(struct weft_engine *e, uint32_t qi, memo_port_fn fn)
{
    for (int forward = replay_of(e)->memo.resamples; forward < 2; forward++)
        memo_paths_walk(e, qp_at(e, qi), forward, 0, 0, fn, memo_qp_at(e, qi));
}

static void groups_enter_port(struct weft_engine *e, void *qp, uint32_t port, uint64_t none)
{
    struct replay_memo *r = &replay_of(e)->memo;
    const struct memo_qp *q = qp;
    (void)none;
    if (r->users[port]++)
        groups_join(e, r->port[port], q->node);
    r->port[port] = q->node;
}

static void groups_leave_port(struct weft_engine *e, void *qp, uint32_t port, uint64_t none)
{
    (void)qp;
    (void)none;
    replay_of(e)->memo.users[port]--;
}

static bool groups_partly(const struct weft_engine *e, const struct memo_qp *q)
{
    return q->sending && memo_msg_at(e, q->sending)->taken && memo_msg_at(e, q->sending)->rated;
}

/* A QP begins a group, and joins those that it shares ports with. @p was: its group before; NULL:
 * it is new. */
static void groups_add(struct weft_engine *e, uint32_t qi, const struct memo_node *was)
{
    struct replay_memo *r = &replay_of(e)->memo;
    struct memo_qp *q = memo_qp_at(e, qi);
    q->node = r->nodes++;
    r->node[q->node] = (struct memo_node){.up = q->node,
                                          .member = qi,
                                          .active = 1,
                                          .taken = q->taken,
                                          .pattern = groups_hash(q),
                                          .taken_ps = was ? was->taken_ps : INT64_MIN,
                                          .expects = was ? was->expects : q->home,
                                          .whole_ps = was ? was->whole_ps : INT64_MIN,
                                          .forming = q->forming,
                                          .partly = groups_partly(e, q),
                                          .moved_ps = was ? was->moved_ps : e->now,
                                          .interval_ps = was ? was->interval_ps : 0,
                                          .check_ps = was ? was->check_ps : INT64_MIN,
                                          .measured_ps = was ? was->measured_ps : INT64_MIN,
                                          .measures_ps = was ? was->measures_ps : INT64_MIN,
                                          .changed_ps = INT64_MIN};
    q->next = q->prev = qi;
    groups_each_port(e, qi, groups_enter_port);
}

void memo_group_enter(struct weft_engine *e, uint32_t qi)
{
    struct replay_memo *r = &replay_of(e)->memo;
    struct memo_qp *q = memo_qp_at(e, qi);
    if (!r->active)
        r->nodes = 1;
    if (!GROW(r->node, r->nodes, &r->nodes_cap))
        return;
    q->name = q->name ? q->name : memo_qp_name(e, qi);
    r->active++;
    q->warm_ps = WEFT_NEVER;
    groups_add(e, qi, NULL);
    struct memo_node *g = memo_group(e, q);
    memo_group_renew(e, g);
    q->first = q->home && g->expects == q->home;
    if (!q->first)
        g->expects = g->pattern;
    if (g->pattern == g->expects)
        g->whole_ps = e->now;
    if (g->taken && !q->first)
        memo_push(e, e->now, MEMO_BACK, qi);
}

void memo_groups_reroute(struct weft_engine *e)
{
    struct replay_memo *r = &replay_of(e)->memo;
    memset(r->users, 0, e->fabric->nports * sizeof *r->users);
    for (uint32_t i = 0; r->active && i < e->qps.pool.n; i++)
        if (memo_qp_at(e, i)->node) {
            groups_each_port(e, i, groups_enter_port);
            memo_group_renew(e, memo_group(e, memo_qp_at(e, i)));
        }
}

/* Groups are formed anew of the QPs in them. One whose members stay the same goes on as it was. */
static void groups_form(struct weft_engine *e)
{
    struct replay_memo *r = &replay_of(e)->memo;
    struct memo_node *node = malloc((r->active + (size_t)1) * sizeof *node), *was = r->node;
    if (!node)
        return;
    for (uint32_t i = 0; i < e->qps.pool.n; i++)
        memo_qp_at(e, i)->was = memo_qp_at(e, i)->node ? groups_root(r, memo_qp_at(e, i)->node) : 0;
    memset(r->users, 0, e->fabric->nports * sizeof *r->users);
    r->node = node;
    r->nodes_cap = r->active + 1;
    r->nodes = 1;
    r->left = 0;
    for (uint32_t i = 0; i < e->qps.pool.n; i++)
        if (memo_qp_at(e, i)->was)
            groups_add(e, i, &was[memo_qp_at(e, i)->was]);
    for (uint32_t i = 0; i < e->qps.pool.n; i++) {
        const struct memo_qp *q = memo_qp_at(e, i);
        struct memo_node *g = q->was ? memo_group(e, q) : NULL;
        if (!g || g->epoch)
            continue;
        if (g->pattern != was[q->was].pattern) {
            memo_group_renew(e, g);
            if (g->measures_ps > e->now)
                memo_push(e, g->measures_ps, MEMO_MEASURED, i);
            continue;
        }
        const uint32_t up = g->up, member = g->member;
        *g = was[q->was];
        g->up = up;
        g->member = member;
    }
    free(was);
}

void memo_group_leave(struct weft_engine *e, uint32_t qi)
{
    struct replay_memo *r = &replay_of(e)->memo;
    struct memo_qp *q = memo_qp_at(e, qi);
    struct memo_node *g = memo_group(e, q);
    g->active--;
    g->member = q->next;
    memo_qp_at(e, q->prev)->next = q->next;
    memo_qp_at(e, q->next)->prev = q->prev;
    g->pattern ^= groups_hash(q);
    memo_group_renew(e, g);
    groups_each_port(e, qi, groups_leave_port);
    q->node = 0;
    q->sending = q->receiving = q->head = q->tail = 0;
    r->active--;
    if (++r->left > r->active / LEFT_OF + e->qps.pool.n / LEFT_OF_ALL)
        groups_form(e);
}

void memo_group_measures(struct weft_engine *e, struct memo_node *g, uint32_t qi)
{
    if (g->measures_ps > e->now)
        return;
    g->measures_ps = e->now + g->interval_ps;
    memo_push(e, g->measures_ps, MEMO_MEASURED, qi);
}

void memo_group_forms(struct weft_engine *e, struct memo_qp *q, bool forms)
{
    memo_group(e, q)->forming += (uint32_t)forms - (uint32_t)q->forming;
    q->forming = forms;
}

void memo_group_report(struct memo_node *g, struct memo_qp *q, bool ready)
{
    const bool was = q->ready_epoch == g->epoch;
    g->ready += (uint32_t)ready - (uint32_t)was;
    q->ready_epoch = ready ? g->epoch : 0;
}
