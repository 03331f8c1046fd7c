/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * GOAL schedules as graphs.
 *
 *   calc   a computation on its cpu
 *   send   a computation on its cpu (the overhead, which may be 0), then a SEND
 *   recv   a RECV, then a computation on its cpu
 *
 * `requires` waits for the last of these, of an eager send for its computation; `irequires` for the
 * beginning of the first. Where a schedule names several NICs, each send leaves by the port of its
 * number, or by the host of its own that the NIC is (nics-as-hosts). A recv begins when it is
 * posted: where something waits for that, a node without work stands before it. Model: T. Hoefler
 * et al., LogGOPSim (HPDC 2010); S. Shen et al., ATLAHS (SC 2025).
 */
#include "workload/goal/goal_internal.h"

#include "workload/names.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Places of an operation among the nodes of its rank. */
struct place {
    uint32_t start, end; /* nodes that begin and end it */
    uint32_t first;      /* what it waits for holds this one up */
};

/* An edge of the graph. */
struct edge {
    uint32_t from, to;
    bool early; /* when `from` begins */
};

struct maker {
    const struct weft_goal *g;
    const struct weft_goal_play *play;
    struct weft_arena *arena; /* of the job */
    struct weft_names *names; /* in it */
    struct weft_err *err;
    uint32_t rank;
    struct weft_op *nodes;
    uint32_t nnodes;
    struct edge *edges;
    uint32_t nedges;
    struct place *places;
    bool *watched; /* per operation: something waits for its beginning */
};

static void goal_dag_join(struct maker *m, uint32_t from, uint32_t to, bool early)
{
    m->edges[m->nedges++] = (struct edge){from, to, early};
}

static struct weft_op *node(struct maker *m, enum weft_op_kind kind, uint32_t number,
                            const char *name)
{
    struct weft_op *op = &m->nodes[m->nnodes++];
    *op = (struct weft_op){.id = number, .kind = kind, .name = name};
    return op;
}

/* A label, or what stands for it, for as long as the job lives. NULL: out of memory. */
static const char *goal_dag_name_of(struct maker *m, const struct weft_goal_op *op,
                                    const char *none)
{
    return op->label ? weft_names_get(m->names, op->label) : none;
}

static int compute(struct maker *m, const struct weft_goal_op *op, uint32_t i, const char *name,
                   int64_t unit_ps, uint64_t units, int64_t fixed_ps)
{
    struct weft_op *c = node(m, WEFT_OP_COMP, i, name);
    c->cpu = true;
    c->unit = op->cpu;
    if (unit_ps && units > (uint64_t)(INT64_MAX / 4 / unit_ps))
        return weft_goal_err(m->g, op, m->err, "it takes longer than simulated time lasts");
    c->duration_ps = (int64_t)units * unit_ps + fixed_ps;
    return name ? 0 : weft_err_no_memory(m->err, "a GOAL schedule");
}

static int goal_dag_message(struct maker *m, const struct weft_goal_op *op, uint32_t i)
{
    const bool send = op->kind == WEFT_GOAL_SEND;
    struct weft_op *n = node(m, send ? WEFT_OP_SEND : WEFT_OP_RECV, i,
                             goal_dag_name_of(m, op, send ? "send" : "recv"));
    n->bytes = op->value;
    n->peer = op->peer != WEFT_GOAL_ANY ? op->peer : 0;
    n->tag = op->tag != WEFT_GOAL_ANY ? op->tag : 0;
    n->any = (uint8_t)((op->peer == WEFT_GOAL_ANY ? WEFT_ANY_PEER : 0) |
                       (op->tag == WEFT_GOAL_ANY ? WEFT_ANY_TAG : 0));
    if (m->g->nnics > 1 && (send || m->play->nics_as_hosts))
        n->nic = (uint8_t)(op->nic % WEFT_GOAL_NICS_MAX + 1);
    return n->name ? 0 : weft_err_no_memory(m->err, "a GOAL schedule");
}

static int expand(struct maker *m, const struct weft_goal_op *op, uint32_t i)
{
    struct place *p = &m->places[i];
    const uint64_t more = op->value ? op->value - 1 : 0;
    int rc = 0;
    p->start = p->first = m->nnodes;
    if (op->kind == WEFT_GOAL_CALC) {
        rc = compute(m, op, i, goal_dag_name_of(m, op, "calc"), m->play->calc_ps, op->value, 0);
        p->end = p->start;
        return rc;
    }
    if (op->kind == WEFT_GOAL_SEND) {
        rc = compute(m, op, i, "send overhead", m->play->byte_ps, more, m->play->overhead_ps);
        goal_dag_join(m, p->start, m->nnodes, false);
        p->end = m->play->eager_bytes && op->value <= m->play->eager_bytes ? p->start : m->nnodes;
        return rc ? rc : goal_dag_message(m, op, i);
    }
    if (m->watched[i]) {
        node(m, WEFT_OP_META, i, "recv posted");
        goal_dag_join(m, p->start, m->nnodes, false);
    }
    rc = goal_dag_message(m, op, i);
    goal_dag_join(m, m->nnodes - 1, m->nnodes, false);
    p->end = m->nnodes;
    return rc ? rc
              : compute(m, op, i, "recv overhead", m->play->byte_ps, more, m->play->overhead_ps);
}

static int by_edge(const void *va, const void *vb)
{
    const struct edge *a = va, *b = vb;
    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    if (a->early != b->early)
        return a->early ? -1 : 1;
    return (a->to > b->to) - (a->to < b->to);
}

/* The lists of children, each edge once. */
static int link_nodes(struct maker *m, struct weft_dag *dag)
{
    uint32_t *children = weft_arena_calloc(m->arena, m->nedges, sizeof *children);
    if (!children)
        return weft_err_no_memory(m->err, "a GOAL schedule");
    if (m->nedges)
        qsort(m->edges, m->nedges, sizeof *m->edges, by_edge);
    uint32_t n = 0;
    for (uint32_t i = 0; i < m->nedges; i++) {
        const struct edge *e = &m->edges[i];
        if (i && e->from == e[-1].from && e->to == e[-1].to && e->early == e[-1].early)
            continue;
        struct weft_op *from = &dag->ops[e->from];
        if (!from->nchildren)
            from->first_child = n;
        from->nchildren++;
        from->nearly += e->early;
        dag->ops[e->to].nparents++;
        children[n++] = e->to;
    }
    dag->children = children;
    return 0;
}

static int rank_graph(struct maker *m, const struct weft_goal_rank *k, struct weft_dag *dag)
{
    int rc = 0;
    m->nnodes = m->nedges = 0;
    for (uint32_t i = 0; i < k->ndeps; i++)
        m->watched[k->deps[i].on] |= k->deps[i].start;
    for (uint32_t i = 0; !rc && i < k->nops; i++)
        rc = expand(m, &k->ops[i], i);
    for (uint32_t i = 0; !rc && i < k->ndeps; i++) {
        const struct weft_goal_dep *d = &k->deps[i];
        const struct place *on = &m->places[d->on];
        const bool early = d->start && m->nodes[on->start].kind == WEFT_OP_COMP;
        goal_dag_join(m, d->start ? on->start : on->end, m->places[d->op].first, early);
    }
    if (rc)
        return rc;
    dag->nops = m->nnodes;
    dag->ops = weft_arena_calloc(m->arena, m->nnodes, sizeof *dag->ops);
    if (!dag->ops)
        return weft_err_no_memory(m->err, "a GOAL schedule");
    memcpy(dag->ops, m->nodes, m->nnodes * sizeof *dag->ops);
    return link_nodes(m, dag);
}

static int make_rank(struct maker *m, uint32_t r, struct weft_dag *dag)
{
    const struct weft_goal_rank *k = &m->g->ranks[r];
    const size_t n = (size_t)k->nops + 1;
    m->rank = r;
    m->nodes = calloc(3 * n, sizeof *m->nodes);
    m->edges = calloc(2 * n + k->ndeps, sizeof *m->edges);
    m->places = calloc(n, sizeof *m->places);
    m->watched = calloc(n, sizeof *m->watched);
    const int rc = m->nodes && m->edges && m->places && m->watched
                       ? rank_graph(m, k, dag)
                       : weft_err_no_memory(m->err, "a GOAL schedule");
    free(m->nodes);
    free(m->edges);
    free(m->places);
    free(m->watched);
    return rc;
}

int weft_goal_workload(const struct weft_goal *g, const struct weft_goal_play *play,
                       struct weft_workload **out, struct weft_err *err)
{
    struct weft_arena *arena = weft_arena_new();
    struct weft_workload *w = arena ? weft_arena_alloc(arena, sizeof *w) : NULL;
    uint32_t *world = w ? weft_arena_calloc(arena, g->nranks, sizeof *world) : NULL;
    struct maker m = {.g = g, .play = play, .arena = arena, .err = err};
    m.names = w ? weft_names_new(arena) : NULL;
    int rc = 0;
    if (!w || !world || !m.names || !(w->groups = weft_arena_alloc(arena, sizeof *w->groups)) ||
        !(w->dags = weft_arena_calloc(arena, g->nranks, sizeof *w->dags)))
        rc = weft_err_no_memory(err, "a GOAL schedule");
    for (uint32_t r = 0; !rc && r < g->nranks; r++) {
        world[r] = r;
        rc = make_rank(&m, r, &w->dags[r]);
    }
    weft_names_free(m.names);
    if (rc) {
        weft_arena_free(arena);
        return rc;
    }
    w->arena = arena;
    w->nranks = g->nranks;
    w->nics = g->nnics > 1 ? g->nnics : 0;
    w->hosts_per_rank = play->nics_as_hosts ? g->nnics : 1;
    w->groups[0] = (struct weft_group){.name = "", .ranks = world, .n = g->nranks};
    w->ngroups = 1;
    *out = w;
    return 0;
}
