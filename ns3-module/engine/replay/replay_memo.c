/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The memo of messages: traffic that does the same again but for small differences is taken over
 * within a tolerance.
 *
 * Where QPs send messages of the same size again and again beside the same other QPs, as in the
 * steps of a ring, these take nearly the same time. The memo notes of each message of 16 packets or
 * more how long it took until its last packet was sent, received and acknowledged, from the moment
 * when its QP could send it, under the size of the message and the pattern of its group
 * (replay_memo_groups.c). An entry is known once three messages agree within the tolerance. When
 * the next message of all QPs of a group is known, messages are taken over
 * (replay_memo_taken.c): no packet is made, and the application hears of them at the times that
 * the memo says. It decides all else, so waits, order and computation are its own.
 *
 * QPs without messages leave their groups. When one posts again, with nothing but members of its
 * last group beside it, that group is expected to form: its first message is known under it, and
 * taken over if those of the members before it were. The members come in any order.
 *
 * At intervals, first after 16 messages of a QP, later after 300, the group is simulated until each
 * QP has sent a message that met nothing but packets. Its deviation from the memo is the measured
 * error, and the memo learns from it. Messages that are being taken over are simulated from some
 * round trips before their end on, so that the next ones meet a network that is used to packets. A
 * message that a new QP meets, or a link that changes, is simulated from that moment on.
 *
 * Once the last QP of a group is known, or compared, or the first of its messages is taken over,
 * those that are being sent are, too, from the packet on that they have come to.
 *
 * Messages that share a link are simulated: from step to step they drift apart, slowly at first,
 * until ports mark. A mean of the first steps says nothing of that.
 */
#include "core/context.h"
#include "core/events.h"
#include "core/loop.h"
#include "core/moment.h"
#include "core/msg.h"
#include "replay.h"
#include "replay_internal.h"
#include "transport/rc.h"

#include "base/rng.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEAST_PACKETS 16u  /**< of a message that is worth it */
#define CHECK_EARLY 4      /**< times as early as the network is used to packets of a QP again */
#define MOST_MSGS 4194304u /**< at once, and entries */

/* ---- records ---- */

static bool memo_init(struct weft_engine *e)
{
    struct replay_memo *r = &replay_of(e)->memo;
    r->ready = stable_init_growing(&r->msgs, sizeof(struct memo_msg), MOST_MSGS) &&
               stable_init_growing(&r->entries, sizeof(struct memo_entry), MOST_MSGS) &&
               stable_init_growing(&r->courses, sizeof(struct memo_course), MOST_MSGS) &&
               stable_init_beside(&r->qps, sizeof(struct memo_qp), &e->qps.pool) &&
               stable_alloc(&r->msgs) == 0 && stable_alloc(&r->entries) == 0 &&
               stable_alloc(&r->courses) == 0 && memo_groups_init(e) &&
               (e->telemetry.unseen_bytes = calloc(e->fabric->nports + (size_t)1,
                                                   sizeof *e->telemetry.unseen_bytes)) != NULL;
    return r->ready;
}

void replay_memo_begin(struct weft_engine *e)
{
    if (!replay_of(e)->memo.ready && !memo_init(e))
        engine_fail(e, WEFT_E_LIMIT, "out of memory for the memo of messages");
}

void replay_memo_free(struct weft_engine *e)
{
    struct replay_memo *r = &replay_of(e)->memo;
    free(e->telemetry.unseen_bytes);
    e->telemetry.unseen_bytes = NULL;
    stable_fini(&r->msgs);
    stable_fini(&r->entries);
    stable_fini(&r->courses);
    stable_fini(&r->qps);
    evq_free(&r->events);
    evq_free(&r->leaves);
    memo_groups_free(r);
}

/* ---- messages ---- */

/* Message @p k is simulated, the first of its QP in a group: none is taken over there until it is
 * over. */
static void memo_msg_forms(struct weft_engine *e, const struct memo_msg *k)
{
    memo_group_forms(e, memo_qp_at(e, k->qp), true);
    if (memo_group(e, memo_qp_at(e, k->qp))->taken)
        memo_push(e, e->now, MEMO_BACK, k->qp);
}

/* All of the group of a QP is simulated from now on, until one message of each member is compared.
 */
static void memo_check_begin(struct weft_engine *e, uint32_t qi)
{
    struct memo_node *g = memo_group(e, memo_qp_at(e, qi));
    g->checks = true;
    memo_group_renew(e, g);
    if (g->taken && !replay_of(e)->memo.resamples)
        memo_push(e, e->now, MEMO_BACK, qi);
}

/* A check is due as message @p k begins. Whether it is so long that it is taken over all the same,
 * with the others of its group, until shortly before its end. */
static bool memo_check_later(struct weft_engine *e, const struct memo_msg *k, uint32_t entry)
{
    struct memo_node *g = memo_group(e, memo_qp_at(e, k->qp));
    const int64_t sent_ps = e->now + (int64_t)memo_entry_at(e, entry)->sent_ps,
                  check_ps = sent_ps - CHECK_EARLY * memo_warm_ps(e, qp_at(e, k->qp));
    if (k->home || check_ps <= e->now)
        return false;
    if (g->check_ps <= e->now) {
        g->check_ps = check_ps;
        memo_push(e, check_ps, MEMO_CHECK, k->qp);
    }
    return true;
}

/* Message @p i is the next that its QP sends: it is taken over, or simulated. */
static void memo_msg_begin(struct weft_engine *e, uint32_t i)
{
    struct memo_msg *k = memo_msg_at(e, i);
    struct memo_qp *q = memo_qp_at(e, k->qp);
    struct memo_node *g = memo_group(e, q);
    k->home = q->first ? q->home : 0;
    q->first = false;
    const uint32_t entry = memo_entry_find(e, q, k->bytes, k->home);
    bool known = memo_entry_known(e, q, entry);
    if (known && !g->checks && !(k->home && g->taken) &&
        memo_entry_at(e, entry)->hits >= memo_entry_at(e, entry)->gap) {
        known = memo_check_later(e, k, entry);
        if (!known)
            memo_check_begin(e, k->qp);
    }
    k->began = true;
    k->entry = entry;
    k->start_ps = weft_ps_max(e->now, q->free_ps);
    q->bytes = k->bytes;
    g->moved_ps = e->now;
    if (!k->home)
        memo_group_report(g, q, known);
    const bool ready = known && (k->home ? !g->forming && !g->checks : memo_group_ready(e, g));
    if (ready && memo_qp_is_plain(e, qp_at(e, k->qp))) {
        g->checks = false;
        /* those that are being sent would miss its packets */
        if (!g->taken && !replay_of(e)->memo.resamples)
            memo_push(e, e->now, MEMO_READY, k->qp);
        memo_take(e, i, entry);
        return;
    }
    if (g->partly) /* it will share ports with what is taken over */
        memo_push(e, e->now, MEMO_BACK, k->qp);
    memo_rates_watch(e, i);
    k->clean = !g->taken && g->taken_ps <= k->start_ps && (k->home || q->warm_ps <= k->start_ps);
    q->warm_ps = weft_ps_min(k->start_ps, q->warm_ps);
    if (k->home)
        memo_msg_forms(e, k);
    if (q->open_ps <= e->now)
        return;
    k->start_ps = weft_ps_max(q->open_ps, k->start_ps);
    memo_hide(e, k->qp);
    memo_push(e, q->open_ps, MEMO_OPEN, k->qp);
}

static void memo_check_possible(struct weft_engine *e)
{
    struct replay_memo *r = &replay_of(e)->memo;
    const char *why = replay_reason_against(e, REPLAY_MEMO);
    r->possible = !why;
    if (why)
        replay_say(e, WEFT_REPLAY_MEMO, why);
}

/* QPs that have had no message for long leave their groups. */
static void memo_leaves(struct weft_engine *e)
{
    struct evq *leaves = &replay_of(e)->memo.leaves;
    while (leaves->n && leaves->h[0].t <= e->now) {
        const uint32_t qi = (uint32_t)leaves->h[0].id;
        struct memo_qp *q = memo_qp_at(e, qi);
        evq_pop(leaves);
        q->leaving = !q->head && q->leave_ps > e->now;
        if (q->leaving)
            engine_push(e, leaves, q->leave_ps, qi);
        else if (!q->head)
            memo_group_leave(e, qi);
    }
}

void replay_memo_posted(struct weft_engine *e, const struct msg *m)
{
    struct replay_memo *r = &replay_of(e)->memo;
    struct memo_qp *q = memo_qp_at(e, m->qp);
    memo_leaves(e);
    if (!q->node && m->npkts < LEAST_PACKETS)
        return;
    if (!r->active)
        memo_check_possible(e);
    if (!q->node && r->possible)
        memo_group_enter(e, m->qp);
    const uint32_t i = q->node ? stable_alloc(&r->msgs) : NIL;
    if (i == NIL)
        return;
    const uint32_t number = (uint32_t)(m - msg_at(e, 0));
    *memo_msg_at(e, i) = (struct memo_msg){.qp = m->qp,
                                           .msg = number,
                                           .first_psn = m->first_psn,
                                           .packets = m->npkts,
                                           .bytes = m->bytes,
                                           .post_ps = m->post_ps};
    if (q->tail)
        memo_msg_at(e, q->tail)->next = i;
    else
        q->head = i;
    q->tail = i;
    q->sending = q->sending ? q->sending : i;
    q->receiving = q->receiving ? q->receiving : i;
    if (q->hidden)
        memo_hide(e, m->qp);
    else if (qp_at(e, m->qp)->snd->nxt_msg == number)
        memo_msg_begin(e, i);
}

void replay_memo_sent(struct weft_engine *e, const struct msg *m)
{
    struct memo_qp *q = memo_qp_at(e, m->qp);
    const uint32_t i = q->sending;
    if (i && memo_msg_at(e, i)->msg == (uint32_t)(m - msg_at(e, 0))) {
        const struct qp *of = qp_at(e, m->qp);
        const uint64_t last = m->bytes - (m->npkts - 1) * of->kind->env.mtu_bytes;
        memo_msg_at(e, i)->sent_ps = q->free_ps = e->now + memo_packet_ps(e, of, last);
        q->sending = memo_msg_at(e, i)->next;
        memo_group(e, q)->moved_ps = e->now;
    }
    if (q->sending && memo_msg_at(e, q->sending)->msg == m->next)
        memo_msg_begin(e, q->sending);
}

/* A message of QP @p q was simulated, and is noted: what its group waited for may be known now. */
static void memo_learnt(struct weft_engine *e, struct memo_qp *q, uint32_t qi)
{
    struct memo_node *g = memo_group(e, q);
    const uint32_t ready = g->ready;
    memo_group_report(g, q, memo_entry_known(e, q, memo_entry_find(e, q, q->bytes, 0)));
    if (g->ready > ready && memo_group_ready(e, g))
        memo_push(e, e->now, MEMO_READY, qi);
}

static void memo_acknowledged(struct weft_engine *e, struct memo_qp *q,
                              const struct weft_completion *d)
{
    struct replay_memo *r = &replay_of(e)->memo;
    const uint32_t i = q->head;
    const struct memo_msg *k = memo_msg_at(e, i);
    const int64_t took_ps = d->received_ps - d->post_ps;
    r->simulated += !k->taken && !k->partly;
    if (!k->taken && !k->partly && k->began && r->taken)
        memo_entry_outlier(e, k);
    if (!k->taken && k->began && k->clean && memo_msg_fits(e, k) && !d->retx_bytes &&
        k->packets >= LEAST_PACKETS) {
        memo_entry_learn(e, q, k, d);
        if (!r->resamples) /* times that scatter are drawn for whole messages */
            memo_learnt(e, q, k->qp);
    }
    if (k->home)
        memo_group_forms(e, q, false);
    q->home = memo_group(e, q)->expects;
    q->head = k->next;
    q->tail = q->head ? q->tail : 0;
    q->leave_ps = e->now + 2 * took_ps;
    if (!q->head && !q->leaving)
        engine_push(e, &r->leaves, q->leave_ps, k->qp);
    q->leaving |= !q->head;
    memo_msg_at(e, i)->taken = false;
    stable_release(&r->msgs, i);
}

void replay_memo_completed(struct weft_engine *e, uint32_t qi, bool acked,
                           const struct weft_completion *d)
{
    struct memo_qp *q = memo_qp_at(e, qi);
    const uint32_t i = acked ? q->head : q->receiving;
    if (!i || memo_msg_at(e, i)->first_psn != d->first_psn)
        return;
    if (acked) {
        memo_acknowledged(e, q, d);
        return;
    }
    memo_msg_at(e, i)->received_ps = e->now;
    q->receiving = memo_msg_at(e, i)->next;
}

/* ---- what interferes ---- */

void replay_memo_disturb(struct weft_engine *e)
{
    struct replay_memo *r = &replay_of(e)->memo;
    r->changes++;
    if (!r->active)
        return;
    replay_memo_catch_up(e);
    const int64_t now_ps = moment_reached_ps(e); /* up to which that is */
    memo_push(e, now_ps, MEMO_BACK, NIL);
    memo_push(e, now_ps, MEMO_REROUTED, 0);
}

/* ---- events ---- */

static void memo_sent_event(struct weft_engine *e, uint32_t i)
{
    const struct memo_msg *k = memo_msg_at(e, i);
    const uint32_t qi = k->qp, next = k->next;
    if (!memo_sent(e, i))
        return;
    const struct memo_msg *first = memo_msg_at(e, memo_qp_at(e, qi)->receiving);
    const uint64_t last_psn = first->first_psn + first->packets - 1;
    if (next)
        memo_msg_begin(e, next);
    /* a window is not to be full of what no ACK will come for */
    rc_acknowledge(e, qi, last_psn);
    if (next && !memo_qp_at(e, qi)->hidden)
        memo_show(e, qi);
}

static void memo_rerouted(struct weft_engine *e, uint32_t none)
{
    (void)none;
    memo_check_possible(e);
    memo_groups_reroute(e);
}

static void memo_check(struct weft_engine *e, uint32_t qi)
{
    const struct memo_qp *q = memo_qp_at(e, qi);
    if (q->node && memo_group(e, q)->check_ps == e->now && !memo_group(e, q)->checks)
        memo_check_begin(e, qi);
}

static void memo_open(struct weft_engine *e, uint32_t qi)
{
    if (memo_qp_at(e, qi)->hidden && memo_qp_at(e, qi)->open_ps == e->now)
        memo_show(e, qi);
}

void replay_memo_look(struct weft_engine *e)
{
    static void (*const happen[])(struct weft_engine *, uint32_t) = {
        [MEMO_BACK] = memo_back,
        [MEMO_SENT] = memo_sent_event,
        [MEMO_RECEIVED] = memo_received,
        [MEMO_ACKED] = memo_acked,
        [MEMO_OPEN] = memo_open,
        [MEMO_REROUTED] = memo_rerouted,
        [MEMO_MEASURED] = memo_rates_measure,
        [MEMO_CHECK] = memo_check,
        [MEMO_READY] = memo_take_group,
    };
    struct replay *r = replay_of(e);
    while (r->memo.events.n && r->memo.events.h[0].t <= e->now && !e->err.code) {
        const uint64_t id = r->memo.events.h[0].id;
        evq_pop(&r->memo.events);
        happen[id >> EV_KIND_SHIFT](e, (uint32_t)EV_NUMBER(id));
        r->figures.values++;
    }
    replay_look_at(e, &r->base.first_ps, r->memo.events.n ? r->memo.events.h[0].t : WEFT_NEVER);
}
