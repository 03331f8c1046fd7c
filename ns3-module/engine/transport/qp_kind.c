/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Kinds of QPs, and the states of their congestion controls.
 *
 * A fabric has as many kinds as there are congestion controls and unloaded round trips: three in a
 * fat-tree. Threads that open QPs look for a kind, and add one, at the same time.
 *
 * A control that starts with its first CNP (cc.h) needs no state before: of many short flows few
 * ever get one. Other states lie in an array by number of the QP, which has room for the stamps of
 * usual paths. Where a path has more, or packets come by a longer one, a state lies apart.
 */
#include "control.h"
#include "core/context.h"
#include "nic.h"
#include "qp.h"

#include "base/rng.h"
#include "congestion/cc_switch.h"
#include "congestion/cc_table.h"

#include <stdlib.h>
#include <string.h>

bool qp_kinds_init(struct weft_engine *e)
{
    e->qps.kinds = calloc(QP_KINDS, sizeof *e->qps.kinds);
    return e->qps.kinds != NULL;
}

void qp_kinds_fini(struct weft_engine *e)
{
    for (uint32_t h = 0; e->qps.kinds && h < QP_KINDS; h++)
        for (struct qp_kind *k = e->qps.kinds[h], *next; k; k = next) {
            next = k->next;
            free(k);
        }
    free(e->qps.kinds);
}

static uint32_t qp_kind_hash(const struct weft_cc_env *env)
{
    const uint64_t h = weft_mix64(env->line_rate_bps ^ weft_mix64((uint64_t)env->base_rtt_ps) ^
                                  ((uint64_t)env->hops << 32 | env->mtu_bytes));
    return (uint32_t)(h % QP_KINDS);
}

/* A kind with what @p like has, and the control's initial state; NULL: out of memory. */
static struct qp_kind *qp_kind_new(const struct weft_engine *e, const struct qp_kind *like)
{
    const size_t at = (sizeof *like + 15) & ~(size_t)15;
    struct qp_kind *k = calloc(1, at + like->cc->state_size);
    if (!k)
        return NULL;
    memcpy(k, like, sizeof *k);
    k->fresh = (char *)k + at;
    const struct weft_cc_signals *const signals = &k->control->signals;
    k->state_bytes = (uint32_t)weft_cc_state_bytes(k->cc, signals, k->env.hops);
    k->stamps = signals->head_bytes ? weft_cc_stamps(k->env.hops) : WEFT_CC_MAX_HOPS;
    k->cc->init(k->fresh, k->ccp, &k->env, e->now, &k->out);
    nic_train_acks(k);
    return k;
}

const struct qp_kind *qp_kind_of(const struct weft_engine *e, const struct qp_kind *like,
                                 struct weft_err *err)
{
    struct qp_kind **list = &e->qps.kinds[qp_kind_hash(&like->env)];
    struct qp_kind *k = __atomic_load_n(list, __ATOMIC_ACQUIRE);
    for (; k; k = k->next)
        if (k->control == like->control && memcmp(&k->env, &like->env, sizeof k->env) == 0)
            return k;
    k = qp_kind_new(e, like);
    if (!k) {
        weft_err_no_memory(err, "kinds of QPs");
        return NULL;
    }
    k->next = __atomic_load_n(list, __ATOMIC_RELAXED);
    while (
        !__atomic_compare_exchange_n(list, &k->next, k, true, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
        continue; /* where two threads add the same, QPs that are alike have either */
    return k;
}

bool qp_start_control(struct weft_engine *e, struct qp *q, uint32_t qi)
{
    struct sender *const s = q->snd;
    const size_t size = q->kind->state_bytes;
    if (q->kind->cc->starts_with_cnp) {
        s->out = q->kind->out;
        return true;
    }
    q->cc_state = !size                         ? q->kind->fresh
                  : size > e->qps.cc_state.elem ? malloc(size)
                                                : e->qps.cc_state.base + qi * e->qps.cc_state.elem;
    if (q->cc_state)
        q->kind->cc->init(q->cc_state, q->kind->ccp, &q->kind->env, e->now, &s->out);
    return q->cc_state != NULL;
}

/* Bytes of a state that lies apart. */
static size_t state_apart_bytes(const struct weft_engine *e, const struct qp *q)
{
    const struct stable *const all = &e->qps.cc_state;
    const void *const state = q->cc_state;
    const uintptr_t at = (uintptr_t)state - (uintptr_t)all->base;
    return state && at >= all->elem * all->most ? qp_state_bytes(q) : 0;
}

/* Gives a QP a state of @p size bytes apart that begins as the @p n bytes at @p from. */
static bool state_move(struct weft_engine *e, struct qp *q, const void *from, size_t n, size_t size)
{
    char *const state = malloc(size);
    if (!state) {
        engine_fail(e, WEFT_E_LIMIT, "out of memory for the state of a congestion control");
        return false;
    }
    memcpy(state, from, n);
    memset(state + n, 0, size - n);
    qp_free_state(e, q);
    q->cc_state = state;
    return true;
}

bool qp_first_cnp(struct weft_engine *e, struct qp *q)
{
    const size_t size = q->kind->state_bytes;
    return state_move(e, q, q->kind->fresh, size, size);
}

bool qp_whole_state(struct weft_engine *e, struct qp *q)
{
    if (!q->whole)
        q->whole = state_move(e, q, q->cc_state, q->kind->state_bytes, q->kind->cc->state_size);
    return q->whole;
}

void qp_free_state(const struct weft_engine *e, struct qp *q)
{
    if (state_apart_bytes(e, q))
        free(q->cc_state);
}

uint64_t qp_states_bytes(const struct weft_engine *e)
{
    static const struct qp_rare none;
    uint64_t bytes = (uint64_t)e->qps.cc_state.n * e->qps.cc_state.elem;
    for (uint32_t i = 0; i < e->qps.pool.n; i++) {
        const struct qp *q = qp_at(e, i);
        bytes += q->kind ? state_apart_bytes(e, q) : 0;
        bytes += q->kind && memcmp(rare_of(q), &none, sizeof none) ? sizeof none : 0;
    }
    return bytes;
}
