/* SPDX-License-Identifier: GPL-2.0-only */
/* Records what each operation waited for, and walks back along it: the critical path of a run. */
#include "system/system_internal.h"
#include "system/causal_path_notes.h"

#include "base/arena.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct weft_step {
    struct weft_step *parent; /* NULL: the root */
    uintptr_t children;       /* sum of their addresses */
    uint32_t nchildren;
    uint32_t refs; /* causal_paths, and `last` */
    uint32_t rank, op;
    int64_t end_ps;
    uint64_t messages, folded;
    int64_t spent_ps[WEFT_CAUSES];
};

/* The root that a run begins with is no step of it. */
#define NO_OP UINT32_MAX

static const struct {
    const char *name, *meaning;
} kinds[WEFT_CAUSES] = {
    [WEFT_CAUSE_NETWORK] = {"network", "data on its way, as long as it would take alone"},
    [WEFT_CAUSE_OWN_NIC] = {"own NIC", "the sender's NIC sent other data of its host"},
    [WEFT_CAUSE_CONGESTION_CONTROL] = {"congestion control", "paced, or a full window"},
    [WEFT_CAUSE_LOSS_RECOVERY] = {"loss recovery", "timeouts, and what was sent again"},
    [WEFT_CAUSE_PFC_PAUSE] = {"PFC pause", "paused by a full buffer, or without credit"},
    [WEFT_CAUSE_FABRIC_QUEUEING] = {"fabric queueing", "waited in queues of switches"},
    [WEFT_CAUSE_REDUCE] = {"reduce", "adding up and copying received data"},
    [WEFT_CAUSE_ENDPOINT] = {"endpoint", "software and injection (system.endpoint-delay, LogGP)"},
    [WEFT_CAUSE_PEER] = {"peers", "waited for ranks that had not called the operation yet"},
    [WEFT_CAUSE_DEPENDENCY] =
        {"dependency",
         "waited for ranks that had to receive or add up data before they could send"},
    [WEFT_CAUSE_OPEN] =
        {"open", "still in progress when the run ended, so what it waited for is not known"},
    [WEFT_CAUSE_COMPUTE] = {"compute", "accelerators"},
    [WEFT_CAUSE_CPU] = {"cpu", "computation on hosts"},
    [WEFT_CAUSE_MEMORY] = {"memory", "accesses to memory"},
};

const char *weft_cause_name(enum weft_cause kind)
{
    return kinds[kind].name;
}

const char *weft_cause_meaning(enum weft_cause kind)
{
    return kinds[kind].meaning;
}

static void causal_path_fail(struct weft_system *s, int code, const char *what)
{
    struct weft_err err = {0};
    weft_err_set(&err, code, "critical path: %s", what);
    weft_system_fail(s, &err);
}

/* --- memory --- */

enum { PER_BLOCK = 1024 };

static void *block_of(struct weft_system *s, size_t size)
{
    void **block = calloc(1, sizeof(void *) + PER_BLOCK * size);
    if (!block) {
        causal_path_fail(s, WEFT_E_LIMIT, "out of memory for the critical path");
        return NULL;
    }
    *block = s->causal_paths.blocks;
    s->causal_paths.blocks = block;
    return block + 1;
}

/* A record of @p size bytes from the list *free; its link to the next lies at offset @p link. */
static void *record_new(struct weft_system *s, void **free, size_t size, size_t link)
{
    if (!*free) {
        char *records = block_of(s, size);
        for (size_t i = 0; records && i < PER_BLOCK; i++) {
            memcpy(records + i * size + link, free, sizeof *free);
            *free = records + i * size;
        }
        if (!records)
            return NULL;
    }
    void *record = *free;
    memcpy(free, (char *)record + link, sizeof *free);
    return record;
}

static struct weft_causal_path *causal_path_new(struct weft_system *s)
{
    void *free = s->causal_paths.free_causal_paths;
    struct weft_causal_path *t =
        record_new(s, &free, sizeof *t, offsetof(struct weft_causal_path, next_free));
    s->causal_paths.free_causal_paths = free;
    return t;
}

static struct weft_step *step_new(struct weft_system *s)
{
    void *free = s->causal_paths.free_steps;
    struct weft_step *p = record_new(s, &free, sizeof *p, offsetof(struct weft_step, parent));
    s->causal_paths.free_steps = free;
    s->causal_paths.nsteps += p != NULL;
    return p;
}

static void step_free(struct weft_system *s, struct weft_step *p)
{
    p->parent = s->causal_paths.free_steps;
    s->causal_paths.free_steps = p;
    s->causal_paths.nsteps--;
}

/* --- the tree of steps --- */

static void causal_path_report(struct weft_system *s, const struct weft_step *p)
{
    struct weft_causal_paths *all = &s->causal_paths;
    struct weft_path_record r = {.rank = p->rank,
                                 .from_rank = all->reported ? all->reported_rank : p->rank,
                                 .begin_ps = all->reported_end_ps,
                                 .end_ps = p->end_ps,
                                 .messages = p->messages,
                                 .folded = p->folded};
    all->reported_end_ps = p->end_ps;
    if (p->op == NO_OP)
        return;
    r.op = &s->w->dags[p->rank].ops[p->op];
    memcpy(r.spent_ps, p->spent_ps, sizeof r.spent_ps);
    if (++all->reported % WEFT_VISIT_OPS == 0)
        weft_arena_relax(s->w->arena);
    all->reported_rank = p->rank;
    if (s->observer.path)
        s->observer.path(s->observer.ctx, &r);
}

/* Reports the root as long as there is but one way on. */
static void causal_path_resolve(struct weft_system *s)
{
    struct weft_step *root = s->causal_paths.root;
    while (root->refs == 0 && root->nchildren == 1) {
        struct weft_step *next = (struct weft_step *)root->children;
        causal_path_report(s, root);
        step_free(s, root);
        next->parent = NULL;
        s->causal_paths.root = root = next;
    }
}

static void adopt(struct weft_step *parent, struct weft_step *child)
{
    child->parent = parent;
    parent->children += (uintptr_t)child;
    parent->nchildren++;
}

/* Lets go of steps that lead nowhere. */
static void step_drop(struct weft_system *s, struct weft_step *p)
{
    p->refs--;
    while (p->refs == 0 && p->nchildren == 0 && p->parent) {
        struct weft_step *parent = p->parent;
        parent->children -= (uintptr_t)p;
        parent->nchildren--;
        step_free(s, p);
        p = parent;
    }
    if (p == s->causal_paths.root)
        causal_path_resolve(s);
}

/* --- causal_paths --- */

void weft_causal_path_drop(struct weft_system *s, struct weft_causal_path *t)
{
    WEFT_REQUIRE(!t || t->refs > 0);
    if (!t || --t->refs > 0)
        return;
    struct weft_step *step = t->step;
    t->next_free = s->causal_paths.free_causal_paths;
    s->causal_paths.free_causal_paths = t;
    step_drop(s, step);
}

void weft_causal_path_let_go(struct weft_npu *npu, struct weft_causal_path *t)
{
    if (npu->notes)
        weft_notes_drop(npu->notes, t);
    else
        weft_causal_path_drop(npu->sys, t);
}

/* A new causal_path that begins where `step` ends. */
static struct weft_causal_path *causal_path_at(struct weft_system *s, struct weft_step *step)
{
    struct weft_causal_path *t = causal_path_new(s);
    if (!t)
        return NULL;
    *t = (struct weft_causal_path){.step = step, .latest_ps = step->end_ps, .refs = 1};
    step->refs++;
    return t;
}

static struct weft_causal_path *copy_of(struct weft_npu *npu, const struct weft_causal_path *from)
{
    struct weft_causal_path *t =
        npu->notes ? weft_notes_take(npu->notes) : causal_path_new(npu->sys);
    if (!t)
        return NULL;
    *t = *from;
    t->refs = 1;
    if (npu->notes) /* ranks in other threads may have come the same way */
        __atomic_fetch_add(&t->step->refs, 1, __ATOMIC_RELAXED);
    else
        t->step->refs++;
    return t;
}

void weft_causal_path_enter(struct weft_npu *npu, struct weft_causal_path *t, uint32_t op)
{
    weft_causal_path_let_go(npu, npu->causal_path);
    npu->causal_path = t;
    npu->causal_path_op = op;
}

void weft_causal_path_leave(struct weft_npu *npu)
{
    weft_causal_path_let_go(npu, npu->causal_path);
    npu->causal_path = NULL;
}

static enum weft_cause work_of(const struct weft_op *op)
{
    if (op->kind == WEFT_OP_MEM)
        return WEFT_CAUSE_MEMORY;
    return op->cpu ? WEFT_CAUSE_CPU : WEFT_CAUSE_COMPUTE;
}

/* Writes into p what has gone by since its end, with op. */
static void add_spent(struct weft_npu *npu, struct weft_step *p, const struct weft_causal_path *t,
                      uint32_t op, int64_t now_ps)
{
    int64_t left_ps = now_ps - p->end_ps;
    for (int k = 0; k < WEFT_CAUSES_ON_THE_WAY; k++) {
        p->spent_ps[k] += t->spent_ps[k];
        left_ps -= t->spent_ps[k];
    }
    const struct weft_op *what = &npu->dag->ops[op];
    if (what->kind == WEFT_OP_COMP || what->kind == WEFT_OP_MEM)
        p->spent_ps[work_of(what)] += left_ps;
    else if (left_ps)
        causal_path_fail(npu->sys, WEFT_E_INTERNAL,
                         "an operation has time that nothing accounts for");
    p->messages += t->messages;
    p->rank = npu->rank;
    p->op = op;
    p->end_ps = now_ps;
}

/* Makes a step of what the present causal_path has since its last one, as a part of op. */
static void make_step(struct weft_npu *npu, uint32_t op)
{
    struct weft_system *s = npu->sys;
    struct weft_causal_path *t = npu->causal_path;
    struct weft_step *before = t->step, *p = before;
    int64_t now_ps = weft_now_ps(s);
    if (now_ps == before->end_ps)
        return;
    if (s->causal_paths.nsteps >= WEFT_STEPS_MAX && t->refs == 1 && before->nchildren == 0 &&
        before->refs == 1 + (before == s->causal_paths.last) && before->op != NO_OP) {
        p->folded++;
        add_spent(npu, p, t, op, now_ps);
        *t = (struct weft_causal_path){.step = p, .latest_ps = now_ps, .refs = 1};
    } else {
        p = step_new(s);
        struct weft_causal_path *next = NULL;
        if (p) {
            *p = (struct weft_step){.end_ps = before->end_ps};
            adopt(before, p);
            add_spent(npu, p, t, op, now_ps);
            next = causal_path_at(s, p);
        }
        if (!next)
            return;
        weft_causal_path_enter(npu, next, op);
    }
    if (!s->causal_paths.last || now_ps > s->causal_paths.last->end_ps) {
        struct weft_step *old = s->causal_paths.last;
        s->causal_paths.last = p;
        p->refs++;
        if (old)
            step_drop(s, old);
    }
}

/* What follows is for op: what was on the way for another one becomes a step of that. */
static void causal_path_move(struct weft_npu *npu, uint32_t op)
{
    if (npu->causal_path_op == op)
        return;
    make_step(npu, npu->causal_path_op);
    npu->causal_path_op = op;
}

struct weft_causal_path *weft_causal_path_take(struct weft_npu *npu, uint32_t op)
{
    if (!npu->causal_path)
        return NULL; /* out of memory before */
    causal_path_move(npu, op);
    npu->causal_path->refs++;
    return npu->causal_path;
}

struct weft_causal_path *weft_causal_path_timer(struct weft_npu *npu, uint32_t op,
                                                int64_t endpoint_ps, int64_t reduce_ps, void *ctx)
{
    if (!npu->causal_path)
        return NULL;
    causal_path_move(npu, op);
    struct weft_causal_path *t = copy_of(npu, npu->causal_path);
    if (!t)
        return NULL;
    t->spent_ps[WEFT_CAUSE_ENDPOINT] += endpoint_ps;
    t->spent_ps[WEFT_CAUSE_REDUCE] += reduce_ps;
    t->endpoint_ps = weft_now_ps(npu->sys) + endpoint_ps;
    t->ctx = ctx;
    return t;
}

struct weft_causal_path *weft_causal_path_arrived(struct weft_npu *npu,
                                                  const struct weft_causal_path *message,
                                                  int64_t network_ps,
                                                  const int64_t delay_ps[WEFT_DELAYS])
{
    struct weft_causal_path *t = message ? copy_of(npu, message) : NULL;
    if (!t)
        return NULL;
    t->spent_ps[WEFT_CAUSE_NETWORK] += network_ps;
    for (int k = 0; k < WEFT_DELAYS; k++)
        t->spent_ps[WEFT_CAUSE_DELAY + k] += delay_ps[k];
    t->messages++;
    return t;
}

void weft_causal_path_done(struct weft_npu *npu, uint32_t op)
{
    if (!npu->causal_path)
        return;
    causal_path_move(npu, op);
    make_step(npu, op);
}

/* --- the run --- */

int weft_causal_paths_begin(struct weft_system *s, struct weft_err *err)
{
    struct weft_causal_paths *all = &s->causal_paths;
    all->root = step_new(s);
    if (!all->root)
        return weft_err_no_memory(err, "the critical path");
    *all->root = (struct weft_step){.op = NO_OP, .end_ps = weft_now_ps(s)};
    all->reported_end_ps = all->root->end_ps;
    for (uint32_t r = 0; r < s->w->nranks; r++) {
        s->npus[r].causal_path = causal_path_at(s, all->root);
        s->npus[r].causal_path_op = NO_OP;
        if (!s->npus[r].causal_path)
            return weft_err_no_memory(err, "the critical path");
    }
    return 0;
}

int weft_causal_paths_conclude(struct weft_system *s, struct weft_err *err)
{
    struct weft_causal_paths *all = &s->causal_paths;
    uint64_t n = 0;
    int64_t end_ps = 0;
    for (struct weft_step *p = all->last; p; p = p->parent)
        n++;
    struct weft_step **way = calloc(n ? n : 1, sizeof *way);
    if (!way)
        return weft_err_no_memory(err, "the critical path");
    uint64_t i = n;
    for (struct weft_step *p = all->last; p; p = p->parent)
        way[--i] = p;
    for (; i < n; i++)
        causal_path_report(s, way[i]);
    free(way);
    all->last = NULL;
    for (uint32_t r = 0; r < s->w->nranks; r++)
        if (s->npus[r].result.end_ps > end_ps)
            end_ps = s->npus[r].result.end_ps;
    if (end_ps && all->reported_end_ps != end_ps)
        return weft_err_set(err, WEFT_E_INTERNAL,
                            "the critical path ends at %" PRId64 " ps, the run at %" PRId64 " ps",
                            all->reported_end_ps, end_ps);
    return 0;
}

void weft_causal_paths_free(struct weft_system *s)
{
    for (void **b = s->causal_paths.blocks, **next; b; b = next) {
        next = *b;
        free(b);
    }
}
