/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One pass over all ranks in the order of their dependencies (Kahn's), with two kinds of edges
 * between ranks: from a SEND to its RECV, and from the last member that comes to a collective to
 * all of them.
 */
#include "system/joint.h"

#include "system/system_internal.h"
#include "base/units.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NONE UINT64_MAX
#define NAMED 6u /* ops of a circle that are named */

/* A SEND or RECV. */
struct end {
    uint64_t tag;
    uint32_t src, dst;
    uint64_t op; /* number over all ranks */
    bool recv;
};

struct pass {
    const struct weft_workload *w;
    struct weft_joint *out;
    uint64_t nops, *first; /* number of the first op of each rank; [nranks] is nops */
    struct weft_op_state *state;
    int64_t *ready_ps;  /* when the parents are done; then when the op is */
    uint64_t *link;     /* SEND, RECV: its counterpart; COLL: the member that came before */
    uint64_t *stack, n; /* ops that can go on */
    uint64_t *anything; /* per rank: its RECVs of anything, which any message may end */
    uint64_t ninstances;
    struct instance {
        uint64_t came; /* the last member that came; NONE */
        uint32_t left; /* members to come */
        int64_t ps;
    } * instances;
};

static uint32_t joint_rank_of(const struct pass *p, uint64_t op)
{
    uint32_t lo = 0, hi = p->w->nranks;
    while (hi - lo > 1) {
        const uint32_t mid = lo + (hi - lo) / 2;
        *(p->first[mid] <= op ? &lo : &hi) = mid;
    }
    return lo;
}

static struct weft_joint_op joint_place(const struct pass *p, uint64_t op)
{
    const uint32_t r = joint_rank_of(p, op);
    return (struct weft_joint_op){r, (uint32_t)(op - p->first[r])};
}

static const struct weft_op *op_of(const struct pass *p, uint64_t op)
{
    const struct weft_joint_op at = joint_place(p, op);
    return &p->w->dags[at.rank].ops[at.op];
}

/* ---- messages ---- */

static int by_stream(const void *x, const void *y)
{
    const struct end *a = x, *b = y;
    if (a->src != b->src)
        return a->src < b->src ? -1 : 1;
    if (a->dst != b->dst)
        return a->dst < b->dst ? -1 : 1;
    if (a->tag != b->tag)
        return a->tag < b->tag ? -1 : 1;
    if (a->recv != b->recv)
        return a->recv ? 1 : -1;
    return a->op < b->op ? -1 : a->op > b->op;
}

static bool same_stream(const struct end *a, const struct end *b)
{
    return a->src == b->src && a->dst == b->dst && a->tag == b->tag;
}

static int unsent(const struct pass *p, const struct end *recv, uint64_t sends, uint64_t recvs,
                  struct weft_err *err)
{
    const struct weft_op *op = op_of(p, recv->op);
    return weft_err_set(err, WEFT_E_INPUT,
                        "rank %u, node %" PRIu64 " '%s': receives from rank %u with tag %" PRId64
                        ", %" PRIu64 " times in all, but rank "
                        "%u sends that %" PRIu64 " times: it would wait for ever",
                        recv->dst, op->id, op->name, recv->src, recv->tag, recvs, recv->src, sends);
}

static void note_mismatch(struct pass *p, uint64_t op)
{
    if (p->out->unreceived + p->out->unequal == 0)
        p->out->mismatch = joint_place(p, op);
}

/* The sends and receives of one stream, @p n in all, the sends first. */
static int match_stream(struct pass *p, const struct end *e, size_t n, struct weft_err *err)
{
    size_t sends = 0;
    while (sends < n && !e[sends].recv)
        sends++;
    const size_t recvs = n - sends;
    if (recvs > sends)
        return unsent(p, &e[2 * sends], sends, recvs, err);
    for (size_t i = 0; i < sends; i++) {
        if (i >= recvs && p->anything[e[i].dst]) {
            p->anything[e[i].dst]--;
            p->out->messages++;
            continue;
        }
        if (i >= recvs) {
            note_mismatch(p, e[i].op);
            p->out->unreceived++;
            continue;
        }
        const struct end *to = &e[sends + i];
        p->link[e[i].op] = to->op;
        p->link[to->op] = e[i].op;
        p->out->messages++;
        if (op_of(p, e[i].op)->bytes != op_of(p, to->op)->bytes) {
            note_mismatch(p, e[i].op);
            p->out->unequal++;
        }
    }
    return 0;
}

static int match_messages(struct pass *p, struct end *ends, size_t n, struct weft_err *err)
{
    int rc = 0;
    if (n)
        qsort(ends, n, sizeof *ends, by_stream);
    for (size_t from = 0, to; from < n && !rc; from = to) {
        for (to = from + 1; to < n && same_stream(&ends[from], &ends[to]);)
            to++;
        rc = match_stream(p, &ends[from], to - from, err);
    }
    for (uint32_t r = 0; r < p->w->nranks && !rc; r++)
        if (p->anything[r])
            rc = weft_err_set(err, WEFT_E_INPUT,
                              "rank %u receives from any rank or with any tag %" PRIu64
                              " times more often than messages come to it: it would wait for ever",
                              r, p->anything[r]);
    return rc;
}

static int read_messages(struct pass *p, struct weft_err *err)
{
    const struct weft_workload *w = p->w;
    size_t n = 0, at = 0;
    for (uint32_t r = 0; r < w->nranks; r++)
        for (uint32_t i = 0; i < w->dags[r].nops; i++) {
            const struct weft_op *op = weft_workload_visit(w, r, i);
            n += op->kind == WEFT_OP_SEND || (op->kind == WEFT_OP_RECV && !op->any);
            p->anything[r] += op->kind == WEFT_OP_RECV && op->any;
        }
    struct end *ends = weft_arena_calloc(w->arena, n, sizeof *ends);
    if (!ends)
        return weft_err_set(err, WEFT_E_LIMIT, "out of memory for %zu sends and receives", n);
    for (uint32_t r = 0; r < w->nranks; r++)
        for (uint32_t i = 0; i < w->dags[r].nops; i++) {
            const struct weft_op *op = weft_workload_visit(w, r, i);
            const bool recv = op->kind == WEFT_OP_RECV;
            if ((!recv && op->kind != WEFT_OP_SEND) || (recv && op->any))
                continue;
            if (op->peer >= w->nranks)
                return weft_err_set(err, WEFT_E_INPUT,
                                    "rank %u, node %" PRIu64
                                    " '%s': its peer is rank %u; there are the ranks 0 to %u",
                                    r, op->id, op->name, op->peer, w->nranks - 1);
            ends[at++] = (struct end){.tag = op->tag,
                                      .src = recv ? op->peer : r,
                                      .dst = recv ? r : op->peer,
                                      .op = p->first[r] + i,
                                      .recv = recv};
        }
    return match_messages(p, ends, n, err);
}

/* ---- collectives ---- */

/* Whether members issue the collectives of a group in one order: that of its first member. */
static int compare_orders(struct pass *p, struct weft_err *err)
{
    const struct weft_workload *w = p->w;
    uint64_t *turn = calloc(p->ninstances + 1, sizeof *turn); /* of the group's first member */
    uint64_t *next = calloc(w->ngroups + 1u, sizeof *next);
    if (!turn || !next) {
        free(turn);
        free(next);
        return weft_err_set(err, WEFT_E_LIMIT, "out of memory for %" PRIu64 " collectives",
                            p->ninstances);
    }
    for (int first = 1; first >= 0; first--)
        for (uint32_t r = 0; r < w->nranks; r++) {
            memset(next, 0, w->ngroups * sizeof *next);
            for (uint32_t i = 0; i < w->dags[r].nops; i++) {
                const struct weft_op *op = weft_workload_visit(w, r, i);
                if (op->kind != WEFT_OP_COLL || (w->groups[op->group].ranks[0] == r) != first)
                    continue;
                uint64_t *mine = &turn[p->state[p->first[r] + i].instance];
                const uint64_t at = next[op->group]++;
                if (first)
                    *mine = at;
                else if (*mine != at && p->out->reordered++ == 0)
                    p->out->reorder = (struct weft_joint_op){r, i};
            }
        }
    free(turn);
    free(next);
    return 0;
}

static int read_collectives(struct pass *p, struct weft_err *err)
{
    const struct weft_workload *w = p->w;
    int rc = weft_coll_ids(w, p->state, &p->ninstances, NULL, err);
    if (rc)
        return rc;
    p->out->collectives = p->ninstances;
    p->instances = calloc(p->ninstances + 1, sizeof *p->instances);
    if (!p->instances)
        return weft_err_set(err, WEFT_E_LIMIT, "out of memory for %" PRIu64 " collectives",
                            p->ninstances);
    for (uint32_t r = 0; r < w->nranks; r++)
        for (uint32_t i = 0; i < w->dags[r].nops; i++) {
            const struct weft_op *op = weft_workload_visit(w, r, i);
            if (op->kind == WEFT_OP_COLL)
                p->instances[p->state[p->first[r] + i].instance] =
                    (struct instance){.came = NONE, .left = w->groups[op->group].n};
        }
    return compare_orders(p, err);
}

/* ---- the pass ---- */

/* One of the edges to an op is done, at @p ps. */
static void joint_release(struct pass *p, uint64_t op, int64_t ps)
{
    if (p->ready_ps[op] < ps)
        p->ready_ps[op] = ps;
    if (--p->state[op].parents_left == 0)
        p->stack[p->n++] = op;
}

static void joint_finish(struct pass *p, uint64_t number, int64_t ps)
{
    const struct weft_joint_op at = joint_place(p, number);
    const struct weft_dag *d = &p->w->dags[at.rank];
    const struct weft_op *op = &d->ops[at.op];
    p->state[number].phase = WEFT_OP_DONE;
    if (ps > p->out->critical_ps || p->out->last.op == UINT32_MAX) {
        p->out->critical_ps = ps;
        p->out->last = at;
    }
    for (uint32_t k = 0; k < op->nchildren; k++)
        joint_release(p, p->first[at.rank] + d->children[op->first_child + k], ps);
    if (op->kind == WEFT_OP_SEND && p->link[number] != NONE)
        joint_release(p, p->link[number], ps);
}

/* A member has come to its collective; the last lets all of them go on. */
static void member_comes(struct pass *p, uint64_t op)
{
    struct instance *c = &p->instances[p->state[op].instance];
    p->link[op] = c->came;
    c->came = op;
    if (c->ps < p->ready_ps[op])
        c->ps = p->ready_ps[op];
    if (--c->left > 0)
        return;
    for (uint64_t m = c->came, before; m != NONE; m = before) {
        before = p->link[m];
        joint_finish(p, m, c->ps);
    }
}

static uint64_t joint_play(struct pass *p)
{
    uint64_t simulated = 0;
    while (p->n) {
        const uint64_t number = p->stack[--p->n];
        const struct weft_op *op = op_of(p, number);
        simulated++;
        if (op->kind == WEFT_OP_COLL)
            member_comes(p, number);
        else
            joint_finish(p, number, weft_ps_add(p->ready_ps[number], op->duration_ps));
    }
    return simulated;
}

/* ---- circles ---- */

/* What op @p number waits for, one of several: a parent, its SEND, or a member that has not come.
 */
static uint64_t waits_for(const struct pass *p, uint64_t number)
{
    const struct weft_joint_op at = joint_place(p, number);
    const struct weft_dag *d = &p->w->dags[at.rank];
    if (p->state[number].parents_left)
        for (uint32_t i = 0; i < d->nops; i++)
            for (uint32_t k = 0; k < d->ops[i].nchildren; k++)
                if (d->children[d->ops[i].first_child + k] == at.op &&
                    p->state[p->first[at.rank] + i].phase != WEFT_OP_DONE)
                    return p->first[at.rank] + i;
    if (d->ops[at.op].kind == WEFT_OP_RECV)
        return p->link[number];
    struct weft_op own;
    const struct weft_group *g = &p->w->groups[weft_dag_op(d, at.op, &own)->group];
    for (uint32_t m = 0; m < g->n; m++) {
        const uint64_t from = p->first[g->ranks[m]], to = p->first[g->ranks[m] + 1];
        for (uint64_t other = from; other < to; other++)
            if (op_of(p, other)->kind == WEFT_OP_COLL && p->state[other].parents_left &&
                p->state[other].instance == p->state[number].instance)
                return other;
    }
    return number;
}

static int circle(const struct pass *p, struct weft_err *err)
{
    char text[400];
    size_t used = 0;
    uint64_t at = 0, seen = 0;
    while (p->state[at].phase == WEFT_OP_DONE)
        at++;
    for (uint64_t i = 0; i < p->nops && p->state[at].phase != WEFT_OP_ACTIVE; i++) {
        p->state[at].phase = WEFT_OP_ACTIVE; /* seen on the way back */
        at = waits_for(p, at);
    }
    const uint64_t begin = at;
    text[0] = '\0';
    do {
        const struct weft_joint_op o = joint_place(p, at);
        const struct weft_op *op = &p->w->dags[o.rank].ops[o.op];
        if (seen++ < NAMED && used < sizeof text)
            used += (size_t)snprintf(text + used, sizeof text - used,
                                     "%srank %u, node %" PRIu64 " '%.40s'",
                                     seen > 1 ? " waits for " : "", o.rank, op->id, op->name);
        at = waits_for(p, at);
    } while (at != begin && seen < p->nops);
    return weft_err_set(err, WEFT_E_INPUT,
                        "the job can't end: %s%s, and that waits for the first of these %" PRIu64,
                        text, seen > NAMED ? " and so on" : "", seen);
}

/* ---- ---- */

static int joint_begin(struct pass *p, struct weft_err *err)
{
    const struct weft_workload *w = p->w;
    p->first = weft_arena_calloc(w->arena, w->nranks + 1u, sizeof *p->first);
    for (uint32_t r = 0; p->first && r < w->nranks; r++)
        p->first[r + 1] = p->first[r] + w->dags[r].nops;
    p->nops = p->first ? p->first[w->nranks] : 0;
    p->state = weft_arena_calloc(w->arena, p->nops + 1, sizeof *p->state);
    p->ready_ps = weft_arena_calloc(w->arena, p->nops + 1, sizeof *p->ready_ps);
    p->link = weft_arena_calloc(w->arena, p->nops + 1, sizeof *p->link);
    p->stack = weft_arena_calloc(w->arena, p->nops + 1, sizeof *p->stack);
    p->anything = weft_arena_calloc(w->arena, w->nranks + 1u, sizeof *p->anything);
    if (!p->anything || !p->first || !p->state || !p->ready_ps || !p->link || !p->stack)
        return weft_err_set(err, WEFT_E_LIMIT, "out of memory for %" PRIu64 " operations", p->nops);
    memset(p->link, 0xff, (p->nops + 1) * sizeof *p->link);
    return 0;
}

/* Edges that each op waits for; those that wait for none are ready. */
static void count_edges(struct pass *p)
{
    uint64_t at = 0;
    for (uint32_t r = 0; r < p->w->nranks; r++)
        for (uint32_t i = 0; i < p->w->dags[r].nops; i++, at++) {
            const struct weft_op *op = weft_workload_visit(p->w, r, i);
            p->state[at].parents_left = op->nparents + (op->kind == WEFT_OP_RECV && !op->any);
            if (p->state[at].parents_left == 0)
                p->stack[p->n++] = at;
        }
}

int weft_joint_look(const struct weft_workload *w, struct weft_joint *out, struct weft_err *err)
{
    struct pass p = {.w = w, .out = out};
    *out = (struct weft_joint){.last = {0, UINT32_MAX}};
    int rc = joint_begin(&p, err);
    if (!rc)
        rc = read_collectives(&p, err);
    if (!rc)
        rc = read_messages(&p, err);
    if (!rc) {
        count_edges(&p);
        if (joint_play(&p) < p.nops || out->last.op == UINT32_MAX)
            rc = p.nops ? circle(&p, err) : 0;
    }
    free(p.instances);
    return rc;
}
