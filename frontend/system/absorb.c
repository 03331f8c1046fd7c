/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Messages of collectives that a rank takes in while other ranks do so in other threads
 * (struct weft_net_sink, absorbs).
 *
 * That is where nothing follows: the receive costs no time, all instructions of the program have
 * been issued, and others are not done yet. Then all that changes is the rank's own: what is done
 * of its program, and how its time was spent. The trail that came with the message is shared; a
 * thread notes that it is to be let go, and the next that is told on the frontend's own thread
 * sees to it. Till then more steps are kept than would be, which shows nowhere unless they are as
 * many as may be kept: so with a quarter of these nothing is taken in here, nor with so many ranks
 * that a window could add the rest.
 */
#include "system/coll_lanes.h"

#include <stdatomic.h>
#include <stdlib.h>

#define KEPT 65535u /* trails that a thread notes at most */

/* What a thread has noted. */
struct noted {
    uint32_t n;
    struct weft_trail *trail[KEPT];
};

struct weft_absorbed {
    struct noted *of[WEFT_THREADS_MAX]; /* by thread, NULL: nothing yet */
    _Atomic unsigned n;                 /* no thread from here on has anything */
};

/* The receive that a message is for. */
struct receive {
    struct weft_prog *p;
    struct weft_prog_lane *lane;
    uint64_t i;
    struct weft_coll_instr in;
};

/* Whether a message is one of a collective's program, for a rank. */
static bool of_program(const struct weft_system *s, const struct weft_msg *msg)
{
    return msg->kind == WEFT_MSG_POINT_TO_POINT && msg->src < s->w->nranks &&
           msg->dst < s->w->nranks && !(msg->tag & WEFT_TAG_P2P) &&
           !(s->coll_rendezvous_bytes && (msg->tag & WEFT_TAG_CONTROL));
}

/* The receive that takes a message, if it has been posted. */
static bool find(const struct weft_system *s, const struct weft_msg *msg, struct receive *r)
{
    const struct weft_npu *npu = &s->npus[msg->dst];
    const uint64_t key = msg->tag >> s->instr_bits >> s->lane_bits;
    const uint64_t lane = msg->tag >> s->instr_bits & ((UINT64_C(1) << s->lane_bits) - 1);
    void *found = npu->recent;
    if ((!npu->recent || npu->recent->key != key) && !weft_u64map_get(&npu->progs, key, &found))
        return false;
    *r = (struct receive){.p = found, .i = msg->tag & ((UINT64_C(1) << s->instr_bits) - 1)};
    if (!r->p->running || lane >= r->p->nlanes)
        return false;
    r->lane = &r->p->lane[lane];
    if (r->i >= r->lane->issued)
        return false;
    weft_prog_instr(r->p, (uint32_t)lane, r->i, &r->in);
    return true;
}

/* Whether the rank has nothing to do when that receive is done, which costs no time. */
static bool ends_quietly(const struct weft_system *s, const struct weft_msg *msg,
                         const struct receive *r)
{
    const struct weft_prog *p = r->p;
    const bool adds = r->in.action == WEFT_COLL_RECV_REDUCE;
    if ((r->in.action != WEFT_COLL_RECV && !adds) || r->in.charged ||
        (adds && r->in.free_pct < 100) || r->in.peer == WEFT_COLL_SWITCHES ||
        weft_prog_rank(p, r->in.peer) != msg->src || p->left < 2)
        return false;
    if (s->p->endpoint_delay_ps || s->p->receive_overhead_ps || !weft_prog_has_room(r->lane, r->i))
        return false;
    bool issued = true;
    for (uint32_t k = 0; k < p->nlanes && issued; k++)
        issued = p->lane[k].issued == p->lane[k].count;
    return issued;
}

/* Room for what a thread notes. */
static bool has_room(struct weft_absorbed *all, unsigned thread)
{
    struct noted **a = &all->of[thread];
    if (*a)
        return (*a)->n < KEPT;
    *a = malloc(sizeof **a);
    if (!*a)
        return false;
    (*a)->n = 0;
    unsigned seen = atomic_load_explicit(&all->n, memory_order_relaxed);
    while (seen <= thread &&
           !atomic_compare_exchange_weak_explicit(&all->n, &seen, thread + 1, memory_order_relaxed,
                                                  memory_order_relaxed))
        ;
    return true;
}

bool weft_system_absorbs(void *ctx, unsigned thread, const struct weft_msg *msg)
{
    struct weft_system *s = ctx;
    struct receive r;
    return s->err.code == 0 && s->w->nranks <= WEFT_STEPS_MAX / 8 &&
           s->trails.nsteps <= WEFT_STEPS_MAX / 4 && of_program(s, msg) && find(s, msg, &r) &&
           ends_quietly(s, msg, &r) && has_room(s->trails.absorbed, thread);
}

void weft_system_absorb(void *ctx, unsigned thread, const struct weft_completion *done)
{
    struct weft_system *s = ctx;
    struct noted *a = s->trails.absorbed->of[thread];
    struct weft_trail *t = weft_token_trail(done);
    struct receive r;
    if (!find(s, &done->msg, &r))
        return; /* not so: it absorbs */
    s->npus[done->msg.dst].recent = r.p;
    weft_npu_absorbed(r.p->active, t, done);
    weft_prog_mark_done(r.p, r.lane, r.i);
    if (t)
        a->trail[a->n++] = t;
}

void weft_trails_let_go(struct weft_system *s)
{
    const struct weft_absorbed *all = s->trails.absorbed;
    const unsigned n = atomic_load_explicit(&all->n, memory_order_relaxed);
    for (unsigned k = 0; k < n; k++) {
        struct noted *a = all->of[k];
        for (uint32_t i = 0; a && i < a->n; i++)
            weft_trail_drop(s, a->trail[i]);
        if (a)
            a->n = 0;
    }
}

int weft_absorbed_new(struct weft_system *s, struct weft_err *err)
{
    s->trails.absorbed = calloc(1, sizeof *s->trails.absorbed);
    if (!s->trails.absorbed)
        return weft_err_set(err, WEFT_E_LIMIT, "out of memory for the critical path");
    return 0;
}

void weft_absorbed_free(struct weft_system *s)
{
    struct weft_absorbed *all = s->trails.absorbed;
    for (unsigned k = 0; all && k < WEFT_THREADS_MAX; k++)
        free(all->of[k]);
    free(all);
}
