/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Messages of collectives that a rank takes in while other ranks do so in other threads
 * (struct weft_net_concurrency).
 *
 * That is where the message has come before its receive, or the receive costs no time, and the
 * program then only posts messages at once, and other receives, but does not end. Then all that
 * changes is the rank's own: what is done of its program, and how its time was spent. What is
 * looked at before is how the program would go on (coll_prog.c, advance), so that the net knows
 * what is posted.
 *
 * Trails are shared. A thread has records of its own for new ones, counts on their steps together
 * with others, and notes those that are to be released; the next that is told on the frontend's own
 * thread sees to it. Till then more steps are kept than would be, which shows nowhere unless they
 * are as many as may be kept: so with a quarter of these nothing is taken in here, nor with so many
 * ranks that a window could add the rest.
 */
#include "system/coll_lanes.h"
#include "system/causal_path_notes.h"

#include <stdatomic.h>
#include <stdlib.h>

#define STEPS 16u /* instructions that are looked ahead at most */

struct weft_worker_receives {
    struct weft_causal_path_notes *of[WEFT_THREADS_MAX]; /* by thread, NULL: nothing yet */
    _Atomic unsigned n;                                  /* no thread from here on has anything */
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
           !(s->coll_control && (msg->tag & WEFT_TAG_CONTROL));
}

/* The receive that takes a message, if it has been posted. */
static bool receive_find(const struct weft_system *s, const struct weft_msg *msg, struct receive *r)
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

/* Whether receive @p i of a lane costs no time (coll_prog.c, take_in). */
static bool costs_nothing(const struct weft_prog *p, uint32_t lane, uint64_t i,
                          const struct weft_coll_instr *in)
{
    const struct weft_system_params *of = p->sys->p;
    const bool adds = in->action == WEFT_COLL_RECV_REDUCE;
    if ((in->action != WEFT_COLL_RECV && !adds) || in->peer == WEFT_COLL_SWITCHES ||
        of->endpoint_delay_ps || of->receive_overhead_ps || in->busy_ps || in->after_ps ||
        in->proxy_ps)
        return false;
    if (!in->charged && (!adds || in->free_pct >= 100))
        return true;
    const uint64_t bytes = weft_prog_bytes(p, lane, i, in);
    return weft_reduce_ps(of, weft_coll_added_bytes(in, bytes)) == 0;
}

/* Whether the receive of a message costs no time, and its program goes on. */
static bool goes_on(const struct weft_msg *msg, const struct receive *r)
{
    return r->p->left >= 2 && costs_nothing(r->p, (uint32_t)(r->lane - r->p->lane), r->i, &r->in) &&
           weft_prog_rank(r->p, r->in.peer) == msg->src && weft_prog_has_room(r->lane, r->i);
}

/* ---- what follows ---- */

/* A program, and what it will have issued. */
struct ahead {
    const struct weft_prog *p;
    struct {
        uint32_t lane;
        uint64_t i;
        bool done;
    } step[STEPS]; /* the first: the receive, which is done */
    uint32_t n;
    uint64_t left; /* of its instructions */
    bool lost;     /* that is more than is looked at */
};

static uint64_t issued(const struct ahead *a, uint32_t lane)
{
    uint64_t n = a->p->lane[lane].issued;
    for (uint32_t k = 1; k < a->n; k++)
        n += a->step[k].lane == lane;
    return n;
}

static bool is_done(const struct ahead *a, uint32_t lane, uint64_t i)
{
    for (uint32_t k = 0; k < a->n; k++)
        if (a->step[k].lane == lane && a->step[k].i == i)
            return a->step[k].done;
    return weft_prog_is_done(&a->p->lane[lane], i);
}

static bool may_issue(struct ahead *a, const struct weft_coll_instr *in)
{
    if (in->dep == WEFT_COLL_DEP_NONE)
        return true;
    if (in->dep != WEFT_COLL_DEP_UPTO)
        return is_done(a, in->dep_lane, in->dep_instr);
    const uint64_t from = a->p->lane[in->dep_lane].prefix;
    for (uint64_t i = from; i <= in->dep_instr; i++) {
        a->lost |= i - from >= STEPS;
        if (a->lost || !is_done(a, in->dep_lane, i))
            return false;
    }
    return true;
}

/* Adds an instruction that is issued if it only posts a message, at once, or a receive. */
static bool ahead_add(const struct weft_system *s, struct ahead *a, uint32_t lane, uint64_t i,
                      const struct weft_coll_instr *in, struct weft_follows *dependent)
{
    const struct weft_prog *p = a->p;
    const bool sends = in->action == WEFT_COLL_SEND;
    bool done = sends;
    if (a->n == STEPS || in->peer == WEFT_COLL_SWITCHES || p->call.pairs || s->coll_control ||
        (sends ? dependent->n == WEFT_FOLLOWS_MAX || in->proxy_ps > 0
               : !costs_nothing(p, lane, i, in)))
        return false;
    if (sends)
        weft_prog_message(p, in, weft_prog_bytes(p, lane, i, in), &dependent->msg[dependent->n++]);
    else
        done = weft_u64map_get(&p->npu->early, weft_prog_tag(p, lane, i), NULL);
    a->step[a->n].lane = lane;
    a->step[a->n].i = i;
    a->step[a->n++].done = done;
    a->left -= done;
    return true;
}

/* Whether messages are posted as soon as a program comes to them. */
static bool posts_at_once(const struct weft_system *s)
{
    return !s->p->send_overhead_ps && !s->p->message_gap_ps && !s->p->injection_bps &&
           !s->p->send_latency_ps;
}

static bool all_issued(const struct weft_prog *p)
{
    bool all = true;
    for (uint32_t k = 0; k < p->nlanes && all; k++)
        all = p->lane[k].issued == p->lane[k].count;
    return all;
}

/* Whether nothing but messages that are posted follows from a receive, and which. */
static bool prepare_sends(const struct weft_system *s, const struct receive *r,
                          struct weft_follows *dependent)
{
    const struct weft_prog *p = r->p;
    struct ahead a = {.p = p, .n = 1, .left = p->left - 1};
    bool again = !all_issued(p);
    a.step[0].lane = (uint32_t)(r->lane - p->lane);
    a.step[0].i = r->i;
    a.step[0].done = true;
    if (again && !posts_at_once(s))
        return false;
    while (again) {
        again = false;
        for (uint32_t k = 0; k < p->nlanes; k++) {
            struct weft_coll_instr in;
            for (uint64_t i; (i = issued(&a, k)) < p->lane[k].count;) {
                weft_prog_instr(p, k, i, &in);
                if (!may_issue(&a, &in))
                    break;
                if (!ahead_add(s, &a, k, i, &in, dependent))
                    return false;
                again = p->nlanes > 1;
            }
        }
    }
    return !a.lost && a.left > 0;
}

/* Room for what a thread notes. */
static bool has_room(struct weft_worker_receives *all, unsigned thread)
{
    struct weft_causal_path_notes **a = &all->of[thread];
    if (*a)
        return weft_notes_have_room(*a);
    *a = malloc(sizeof **a);
    if (!*a)
        return false;
    (*a)->free = NULL;
    (*a)->blocks = NULL;
    (*a)->n = (*a)->nfree = 0;
    unsigned seen = atomic_load_explicit(&all->n, memory_order_relaxed);
    while (seen <= thread &&
           !atomic_compare_exchange_weak_explicit(&all->n, &seen, thread + 1, memory_order_relaxed,
                                                  memory_order_relaxed))
        ;
    return weft_notes_have_room(*a);
}

bool weft_system_receives_in_worker(void *ctx, unsigned thread, const struct weft_msg *msg,
                                    struct weft_follows *dependent)
{
    struct weft_system *s = ctx;
    struct receive r;
    return s->err.code == 0 && s->w->nranks <= WEFT_STEPS_MAX / 8 &&
           s->causal_paths.nsteps <= WEFT_STEPS_MAX / 4 && of_program(s, msg) &&
           (receive_find(s, msg, &r) ? goes_on(msg, &r) && prepare_sends(s, &r, dependent)
                                     : weft_u64map_has_room(&s->npus[msg->dst].early)) &&
           has_room(s->causal_paths.in_worker, thread);
}

void weft_system_receive_in_worker(void *ctx, unsigned thread, const struct weft_completion *done)
{
    struct weft_system *s = ctx;
    struct weft_npu *npu = &s->npus[done->msg.dst];
    struct weft_causal_path_notes *notes = s->causal_paths.in_worker->of[thread];
    struct receive r;
    npu->notes = notes;
    if (receive_find(s, &done->msg, &r) && all_issued(r.p)) {
        npu->recent = r.p;
        weft_npu_received_in_worker(r.p->active, weft_token_causal_path(done), done);
        weft_prog_mark_done(r.p, r.lane, r.i);
        weft_causal_path_let_go(npu, weft_token_causal_path(done));
    } else {
        weft_prog_received(npu, done);
    }
    npu->notes = NULL;
}

void weft_causal_paths_let_go(struct weft_system *s)
{
    const struct weft_worker_receives *all = s->causal_paths.in_worker;
    const unsigned n = atomic_load_explicit(&all->n, memory_order_relaxed);
    for (unsigned k = 0; k < n; k++) {
        struct weft_causal_path_notes *a = all->of[k];
        for (uint32_t i = 0; a && i < a->n; i++)
            weft_causal_path_drop(s, a->dropped[i]);
        if (a) {
            a->n = 0;
            weft_notes_refill(a, &s->causal_paths.free_causal_paths);
        }
    }
}

int weft_worker_receives_new(struct weft_system *s, struct weft_err *err)
{
    s->causal_paths.in_worker = calloc(1, sizeof *s->causal_paths.in_worker);
    if (!s->causal_paths.in_worker)
        return weft_err_no_memory(err, "the critical path");
    return 0;
}

void weft_worker_receives_free(struct weft_system *s)
{
    struct weft_worker_receives *all = s->causal_paths.in_worker;
    for (unsigned k = 0; all && k < WEFT_THREADS_MAX; k++)
        if (all->of[k])
            weft_notes_free(all->of[k]);
    free(all);
}
