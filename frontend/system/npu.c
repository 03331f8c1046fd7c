/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One NPU: which ops are ready, what runs them, and how its time is spent.
 *
 * Ready ops are issued in ascending id. The accelerator, the CPU and the memory each do one op at a
 * time, in the order in which ops became ready; any number of SENDs, RECVs and collectives is in
 * progress at once. A META op is done when it is issued.
 *
 * Exposed communication is time with communication in progress and nothing running. Whatever ends a
 * stretch of it says what it waited for. A message: first for the sender (or, in a collective, one
 * that the sender had to hear from) to come to the operation, then for the sender to be able to
 * send, then for the network as long as that takes alone, then for what delayed it (base/delay.h). A cost
 * that is over: for that cost. With several communications in progress a stretch lasts until the first of
 * them gets on.
 */
#include "system/internal.h"

#include "base/fetch.h"

#include <stdlib.h>

void weft_system_fail(struct weft_system *s, const struct weft_err *err)
{
    if (s->err.code == 0)
        s->err = *err;
    s->net->ops->stop(s->net);
}

void weft_system_after(struct weft_system *s, int64_t delay_ps, void (*fn)(void *ctx, uint64_t arg),
                       void *ctx, uint64_t arg)
{
    struct weft_err err = {0};
    if (delay_ps > WEFT_LONGEST_PS) {
        weft_err_set(
            &err, WEFT_E_LIMIT,
            "an operation, or a part of one, takes longer than the 26 days that simulated time "
            "has room for: look for a duration, a size, or a rate of memory or computation that is "
            "out of all proportion");
        weft_system_fail(s, &err);
    } else if (s->net->ops->after(s->net, delay_ps, fn, ctx, arg, &err)) {
        weft_system_fail(s, &err);
    }
}

static void fail_memory(struct weft_npu *npu)
{
    struct weft_err err = {0};
    weft_err_set(&err, WEFT_E_LIMIT, "rank %u: out of memory", npu->rank);
    weft_system_fail(npu->sys, &err);
}

static int64_t now_of(const struct weft_npu *npu)
{
    return npu->sys->net->ops->now_ps(npu->sys->net);
}

void weft_fifo_put(struct weft_fifo *q, struct weft_active *a)
{
    a->queued = NULL;
    if (q->tail)
        q->tail->queued = a;
    else
        q->head = a;
    q->tail = a;
}

struct weft_active *weft_fifo_take(struct weft_fifo *q)
{
    struct weft_active *a = q->head;
    if (a) {
        q->head = a->queued;
        if (!q->head)
            q->tail = NULL;
    }
    return a;
}

/* Divides exposed time from..now, which ended because a (NULL: nobody) got on, among the causes. */
static void expose(struct weft_rank_result *r, struct weft_active *a, int64_t from_ps,
                   int64_t now_ps, const struct weft_npu_part *parts, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        int64_t to_ps = i + 1 == n || parts[i].until_ps > now_ps ? now_ps : parts[i].until_ps;
        if (to_ps <= from_ps)
            continue;
        r->exposed_ps[parts[i].kind] += to_ps - from_ps;
        a->exposed_ps[parts[i].kind] += to_ps - from_ps;
        from_ps = to_ps;
    }
    r->exposed_ps[WEFT_SPENT_OPEN] += now_ps - from_ps;
}

/* weft_npu_account() when a (NULL: none) gets on; @p parts: what exposed communication waited for until
 * then, in order; the last one holds until now. n 0: not known. */
static void account(struct weft_npu *npu, struct weft_active *a, int64_t now_ps,
                    const struct weft_npu_part *parts, size_t n)
{
    int64_t dt = now_ps - npu->counted_ps;
    struct weft_rank_result *r = &npu->result;
    int busy = npu->accelerator.running || npu->cpu.running || npu->memory.running;
    if (dt == 0)
        return;
    if (npu->communicating && !busy)
        expose(r, a, npu->counted_ps, now_ps, parts, n);
    npu->counted_ps = now_ps;
    if (npu->accelerator.running)
        r->compute_ps += dt;
    if (npu->cpu.running)
        r->cpu_ps += dt;
    if (npu->communicating)
        r->comm_ps += dt;
    if (npu->communicating && !busy)
        r->exposed_comm_ps += dt;
    if (!npu->communicating && !busy)
        r->idle_ps += dt;
}

void weft_npu_account(struct weft_npu *npu, int64_t now_ps)
{
    account(npu, NULL, now_ps, NULL, 0);
}

/* Writes what a message was on its way for, one after the other: WEFT_WAY_PARTS of them. Returns how long it would
 * have taken alone. */
#define WEFT_WAY_PARTS (1 + WEFT_DELAYS)
static int64_t way_parts(const struct weft_net_done *done, struct weft_npu_part *parts)
{
    int64_t alone_ps = done->received_ps - done->post_ps;
    for (int k = 0; k < WEFT_DELAYS; k++)
        alone_ps -= done->delay_ps[k];
    parts[0] = (struct weft_npu_part){WEFT_SPENT_NETWORK, done->post_ps + alone_ps};
    for (int k = 0; k < WEFT_DELAYS; k++)
        parts[1 + k] = (struct weft_npu_part){(enum weft_spent)(WEFT_SPENT_DELAY + k),
                                              parts[k].until_ps + done->delay_ps[k]};
    return alone_ps;
}

void weft_npu_arrival(struct weft_active *a, const struct weft_trail *trail,
                      const struct weft_net_done *done)
{
    struct weft_npu *npu = a->npu;
    weft_fetch(weft_active_op(a), sizeof(struct weft_op)); /* for the next message */
    struct weft_npu_part parts[2 + WEFT_WAY_PARTS] = {
        {WEFT_SPENT_PEER, trail ? trail->latest_ps : 0},
        {a->coll ? WEFT_SPENT_DEPENDENCY : WEFT_SPENT_NETWORK, done->post_ps}};
    const int64_t alone_ps = way_parts(done, parts + 2);
    account(npu, a, now_of(npu), parts, sizeof(parts) / sizeof(parts[0]));
    struct weft_trail *t = weft_trail_arrived(npu, trail, alone_ps, done->delay_ps);
    if (t && t->latest_ps < a->ready_ps)
        t->latest_ps = a->ready_ps;
    weft_trail_enter(npu, t, a->op);
}

void weft_npu_acked(struct weft_active *a, const struct weft_net_done *done)
{
    const int64_t now_ps = now_of(a->npu);
    struct weft_npu_part parts[WEFT_WAY_PARTS + 1] = {
        [WEFT_WAY_PARTS] = {WEFT_SPENT_NETWORK, now_ps}}; /* the way of the ACK */
    const int64_t alone_ps = way_parts(done, parts);
    account(a->npu, a, now_ps, parts, sizeof(parts) / sizeof(parts[0]));
    struct weft_trail *t =
        weft_trail_arrived(a->npu, a->trail, alone_ps + now_ps - done->received_ps, done->delay_ps);
    weft_trail_drop(a->npu->sys, a->trail);
    weft_trail_enter(a->npu, t, a->op);
}

void weft_npu_timer(struct weft_active *a, struct weft_trail *t)
{
    const struct weft_npu_part parts[] = {{WEFT_SPENT_ENDPOINT, t->endpoint_ps},
                                          {WEFT_SPENT_REDUCE, 0}};
    account(a->npu, a, now_of(a->npu), parts, 2);
    weft_trail_enter(a->npu, t, a->op);
}

void weft_npu_ready(struct weft_npu *npu, uint32_t op)
{
    if (npu->nready == npu->ready_cap) {
        uint32_t cap = npu->ready_cap ? 2 * npu->ready_cap : 8;
        uint32_t *p = realloc(npu->ready, (size_t)cap * sizeof(*p));
        if (!p) {
            fail_memory(npu);
            return;
        }
        npu->ready = p;
        npu->ready_cap = cap;
    }
    uint32_t i = npu->nready++;
    for (; i > 0 && op < npu->ready[(i - 1) / 2]; i = (i - 1) / 2)
        npu->ready[i] = npu->ready[(i - 1) / 2];
    npu->ready[i] = op;
}

static uint32_t first_ready(struct weft_npu *npu)
{
    uint32_t first = npu->ready[0], x = npu->ready[--npu->nready];
    uint32_t i = 0;
    for (;;) {
        uint32_t c = 2 * i + 1;
        if (c >= npu->nready)
            break;
        if (c + 1 < npu->nready && npu->ready[c + 1] < npu->ready[c])
            c++;
        if (npu->ready[c] >= x)
            break;
        npu->ready[i] = npu->ready[c];
        i = c;
    }
    npu->ready[i] = x;
    return first;
}

static struct weft_resource *resource_of(struct weft_npu *npu, const struct weft_op *op)
{
    if (op->kind == WEFT_OP_MEM)
        return &npu->memory;
    return op->cpu ? &npu->cpu : &npu->accelerator;
}

static void resource_done(void *ctx, uint64_t arg);

/* Begins the next waiting op of a resource that is free. */
static void resource_next(struct weft_npu *npu, struct weft_resource *r)
{
    struct weft_active *a = r->running ? NULL : weft_fifo_take(&r->waiting);
    if (!a)
        return;
    struct weft_system *s = npu->sys;
    a->start_ps = now_of(npu);
    weft_npu_account(npu, a->start_ps);
    a->trail = weft_trail_take(npu, a->op);
    r->running = a;
    if (weft_is_remote(s->p, weft_active_op(a))) {
        weft_remote_access(a);
        return;
    }
    int64_t ps = weft_npu_duration_ps(npu, a->op);
    if (s->p->comm_share > 0 && r == &npu->accelerator)
        weft_share_begin(npu, ps);
    else
        weft_system_after(s, ps, resource_done, a, 0);
}

static void resource_done(void *ctx, uint64_t arg)
{
    struct weft_active *a = ctx;
    struct weft_npu *npu = a->npu;
    struct weft_resource *r = resource_of(npu, weft_active_op(a));
    (void)arg;
    if (npu->sys->err.code)
        return;
    weft_npu_account(npu, now_of(npu));
    weft_trail_enter(npu, a->trail, a->op);
    r->running = NULL;
    weft_npu_done(a);
    resource_next(npu, r); /* ops that were waiting go before those that just became ready */
    weft_npu_issue(npu);
    weft_trail_leave(npu);
}

void weft_npu_computed(struct weft_npu *npu)
{
    resource_done(npu->accelerator.running, 0);
}

void weft_npu_accessed(struct weft_active *a)
{
    resource_done(a, 0);
}

/* Counts a collective that begins (+1) or ends (-1). */
static void count_collective(struct weft_npu *npu, int change)
{
    int before = npu->collectives > 0;
    npu->collectives += (uint32_t)change;
    if (npu->sys->p->comm_share > 0 && before != (npu->collectives > 0))
        weft_share_changed(npu);
}

static void begin(struct weft_npu *npu, struct weft_active *a)
{
    const struct weft_op *op = weft_active_op(a);
    switch (op->kind) {
    case WEFT_OP_META:
        weft_npu_done(a);
        return;
    case WEFT_OP_COMP:
    case WEFT_OP_MEM: {
        struct weft_resource *r = resource_of(npu, op);
        weft_fifo_put(&r->waiting, a);
        resource_next(npu, r);
        return;
    }
    default:
        break;
    }
    weft_npu_account(npu, a->ready_ps);
    npu->communicating++;
    if (op->kind == WEFT_OP_COLL)
        count_collective(npu, 1);
    if (op->kind == WEFT_OP_SEND)
        weft_p2p_send(a);
    else if (op->kind == WEFT_OP_RECV)
        weft_p2p_recv(a);
    else
        weft_coll_begin(a);
}

void weft_npu_issue(struct weft_npu *npu)
{
    if (npu->issuing)
        return; /* an op that is done while being issued: the loop below goes on */
    npu->issuing = 1;
    while (npu->nready > 0 && npu->sys->err.code == 0) {
        struct weft_active *a = calloc(1, sizeof(*a));
        if (!a) {
            fail_memory(npu);
            break;
        }
        a->npu = npu;
        a->op = first_ready(npu);
        a->ready_ps = now_of(npu);
        a->start_ps = -1;
        a->prev = npu->last_active;
        if (a->prev)
            a->prev->next = a;
        else
            npu->first_active = a;
        npu->last_active = a;
        npu->state[a->op].phase = WEFT_OP_ACTIVE;
        begin(npu, a);
    }
    npu->issuing = 0;
}

void weft_npu_done(struct weft_active *a)
{
    struct weft_npu *npu = a->npu;
    struct weft_system *s = npu->sys;
    const struct weft_op *op = weft_active_op(a);
    int64_t now = now_of(npu);
    weft_npu_account(npu, now);
    weft_trail_done(npu, a->op);
    if (op->kind == WEFT_OP_SEND || op->kind == WEFT_OP_RECV || op->kind == WEFT_OP_COLL)
        npu->communicating--;
    if (op->kind == WEFT_OP_COLL)
        count_collective(npu, -1);
    npu->result.end_ps = now;
    npu->state[a->op].phase = WEFT_OP_DONE;
    npu->done++;
    if (++s->done % WEFT_VISIT_OPS == 0)
        weft_arena_relax(s->w->arena);
    if (s->observer.op) {
        struct weft_op_record record = {
            .rank = npu->rank,
            .op = op,
            .ready_ps = a->ready_ps,
            .start_ps = a->start_ps < 0 ? a->ready_ps : a->start_ps,
            .end_ps = now,
            .exposed_ps = a->exposed_ps,
            .members = a->coll ? weft_coll_members(a->coll) : 0,
            .instance = npu->state[a->op].instance,
        };
        s->observer.op(s->observer.ctx, &record);
    }
    for (uint32_t i = 0; i < op->nchildren; i++) {
        uint32_t child = npu->dag->children[op->first_child + i];
        if (--npu->state[child].parents_left == 0)
            weft_npu_ready(npu, child);
    }
    if (a->prev)
        a->prev->next = a->next;
    else
        npu->first_active = a->next;
    if (a->next)
        a->next->prev = a->prev;
    else
        npu->last_active = a->prev;
    weft_coll_run_free(a->coll);
    free(a);
}
