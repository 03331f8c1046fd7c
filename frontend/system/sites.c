/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What algorithms need of the fabric, prepared before a run for each set of ranks that plays
 * together: a whole group, or with an algorithm per dimension each row of ranks in a dimension.
 */
#include "system/system_internal.h"

#include <inttypes.h>
#include <stdlib.h>

/* A set of ranks: base + place[j] * stride. */
struct row {
    const uint32_t *place;
    uint32_t n, stride, base;
    uint32_t prio; /* of in-network operations */
    uint64_t key;  /* of weft_site_net_key() */
};

static int open_group(struct weft_system *s, const struct row *row, const struct weft_coll_ops *alg,
                      struct weft_err *err)
{
    if (weft_u64map_get(&s->sites.net_group, row->key, NULL))
        return 0;
    if (!s->net->ops->group)
        return weft_err_set(err, WEFT_E_INPUT, "the backend has no switches that add up");
    struct weft_site_group *g = calloc(1, sizeof *g);
    uint32_t *hosts = malloc(row->n * sizeof *hosts);
    if (g) {
        g->next = s->sites.groups;
        s->sites.groups = g;
    }
    if (!hosts || !g || weft_u64map_put(&s->sites.net_group, row->key, g)) {
        free(hosts);
        return weft_err_no_memory(err, "groups");
    }
    for (uint32_t i = 0; i < row->n; i++)
        hosts[i] = row->base + row->place[i] * row->stride;
    int rc = s->net->ops->group(s->net, hosts, row->n, row->prio, &g->id, err);
    free(hosts);
    if (rc)
        weft_err_prepend(err, "algorithm %s on %u ranks", alg->name, row->n);
    return rc;
}

/* --- programs made for the fabric --- */

/* One planned program; those of a key are linked, one per algorithm and kind. */
struct weft_site_program {
    const struct weft_coll_algorithm *alg;
    enum weft_coll_kind kind;
    void *program;
    struct weft_site_program *same_key, *next;
};

static uint64_t program_key(uint32_t group, uint32_t root)
{
    return weft_site_key(group, WEFT_SITE_WHOLE, root);
}

static const struct weft_site_program *program_of(const struct weft_sites *sites,
                                                  const struct weft_coll_call *call, uint32_t group,
                                                  const struct weft_coll_algorithm *alg)
{
    void *found;
    if (!weft_u64map_get(&sites->programs, program_key(group, call->root), &found))
        return NULL;
    const struct weft_site_program *p = found;
    while (p && (p->alg != alg || p->kind != call->kind))
        p = p->same_key;
    return p;
}

void weft_site_use(const struct weft_sites *sites, struct weft_coll_call *call, uint32_t group,
                   const struct weft_coll_algorithm *a)
{
    weft_coll_use(call, a);
    if (a->ops->plan) {
        const struct weft_site_program *p = program_of(sites, call, group, a);
        call->program = p ? p->program : NULL;
    }
}

/* The links between members of a group; positions in *edge, to be freed. */
static int links_among(const struct weft_system *s, const struct weft_fabric *f, uint32_t group,
                       struct weft_coll_edge **edge, size_t *n)
{
    const struct weft_group *g = &s->w->groups[group];
    *n = 0;
    *edge = malloc(((size_t)f->nlinks * 2 + 1) * sizeof **edge);
    for (uint32_t i = 0; *edge && i < f->nlinks; i++) {
        const struct weft_fabric_link *l = &f->links[i];
        if (f->nodes[l->a].kind != WEFT_NODE_HOST || f->nodes[l->b].kind != WEFT_NODE_HOST)
            continue;
        uint32_t a = weft_position(g, s->position[group], f->nodes[l->a].host);
        uint32_t b = weft_position(g, s->position[group], f->nodes[l->b].host);
        if (a == UINT32_MAX || b == UINT32_MAX)
            continue;
        (*edge)[(*n)++] = (struct weft_coll_edge){a, b, l->rate_bps};
        (*edge)[(*n)++] = (struct weft_coll_edge){b, a, l->rate_bps};
    }
    return *edge ? 0 : WEFT_E_LIMIT;
}

static int plan(struct weft_system *s, const struct weft_fabric *f, const struct weft_op *op,
                const struct weft_coll_algorithm *alg, struct weft_err *err)
{
    struct weft_coll_call call = weft_call_of(&s->w->groups[op->group], s->position[op->group], op);
    struct weft_coll_edge *edge = NULL;
    size_t n = 0;
    void *before = NULL;
    if (program_of(&s->sites, &call, op->group, alg))
        return 0;
    if (!f)
        return weft_err_set(err, WEFT_E_INPUT, "algorithm %s needs to know the fabric",
                            alg->ops->name);
    struct weft_site_program *p = calloc(1, sizeof *p);
    int rc = p ? links_among(s, f, op->group, &edge, &n) : WEFT_E_LIMIT;
    if (rc) {
        free(p);
        return weft_err_set(err, rc, "out of memory for the plan of a collective");
    }
    *p = (struct weft_site_program){.alg = alg, .kind = call.kind, .next = s->sites.first};
    s->sites.first = p;
    const struct weft_coll_graph graph = {call.n, n, edge};
    weft_coll_use(&call, alg);
    rc = alg->ops->plan(&call, &graph, &p->program, err);
    free(edge);
    if (rc) {
        weft_err_prepend(err, "algorithm %s on %u ranks", alg->ops->name, call.n);
        return rc;
    }
    const uint64_t key = program_key(op->group, call.root);
    if (weft_u64map_get(&s->sites.programs, key, &before))
        p->same_key = before;
    if (weft_u64map_put(&s->sites.programs, key, p))
        return weft_err_no_memory(err, "the plan of a collective");
    return 0;
}

/* --- all --- */

static int prepare_op(struct weft_system *s, const struct weft_fabric *f, uint32_t rank,
                      const struct weft_op *op, struct weft_err *err)
{
    const struct weft_group *g = &s->w->groups[op->group];
    struct weft_shape scratch;
    const struct weft_shape *shape = weft_shape_of(&s->shapes[op->group], op, &scratch);
    const struct weft_choice *choice = weft_choice_of(&s->choices, op);
    const int whole_group = choice->n == 1 && shape != &scratch;
    const uint32_t prio = s->classes.prio[op->coll];
    int rc = 0;
    if (whole_group && choice->alg[0].ops->plan)
        return plan(s, f, op, &choice->alg[0], err);
    if (whole_group) {
        const struct weft_coll_ops *alg = choice->alg[0].ops;
        struct weft_coll_call call = weft_call_of(g, s->position[op->group], op);
        weft_coll_use(&call, &choice->alg[0]);
        const uint32_t at = weft_position(g, s->position[op->group], rank);
        const uint32_t n = alg->island ? alg->island(&call) : g->n, island = at / n;
        struct row row = {g->ranks + island * n,
                          n,
                          1,
                          0,
                          prio,
                          weft_site_net_key(op->group, WEFT_SITE_WHOLE, island, prio)};
        return alg->in_network ? open_group(s, &row, alg, err) : 0;
    }
    for (uint32_t d = 0; !rc && d < shape->dims.n; d++) {
        const struct weft_coll_ops *alg = weft_choice_in(choice, shape->fabric_dim[d])->ops;
        uint32_t place = rank / shape->stride[d] % s->dims.size[shape->fabric_dim[d]];
        uint32_t base = rank - place * shape->stride[d];
        struct row row = {shape->places[d],
                          shape->dims.size[d],
                          shape->stride[d],
                          base,
                          prio,
                          weft_site_net_key(op->group, d, base, prio)};
        rc = alg->in_network ? open_group(s, &row, alg, err) : 0;
    }
    return rc;
}

int weft_sites_new(struct weft_system *s, const struct weft_fabric *fabric, struct weft_err *err)
{
    for (uint32_t r = 0; r < s->w->nranks; r++)
        for (uint32_t i = 0; i < s->w->dags[r].nops; i++) {
            const struct weft_op *op = weft_workload_visit(s->w, r, i);
            if (op->kind != WEFT_OP_COLL || s->w->groups[op->group].n < 2)
                continue;
            int rc = prepare_op(s, fabric, r, op, err);
            if (rc) {
                weft_err_prepend(err, "rank %u, node %" PRIu64 " '%s'", r, op->id, op->name);
                return rc;
            }
        }
    return 0;
}

void weft_sites_free(struct weft_sites *sites)
{
    for (struct weft_site_program *p = sites->first, *next; p; p = next) {
        next = p->next;
        p->alg->ops->unload(p->program);
        free(p);
    }
    for (struct weft_site_group *g = sites->groups, *next; g; g = next) {
        next = g->next;
        weft_joints_free(g);
        free(g);
    }
    weft_u64map_release(&sites->programs);
    weft_u64map_release(&sites->net_group);
}

struct weft_site_group *weft_site_net_group(const struct weft_sites *sites, uint64_t key)
{
    void *group = NULL;
    weft_u64map_get(&sites->net_group, key, &group);
    return group;
}
