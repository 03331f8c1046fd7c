/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What algorithms need of the fabric, prepared before a run for each set of ranks that plays together:
 * a whole group, or with an algorithm per dimension each row of ranks in a dimension.
 */
#include "system/internal.h"

#include <stdlib.h>

/* A set of ranks: base + place[j] * stride. */
struct row {
    const uint32_t *place;
    uint32_t n, stride, base;
    uint64_t key;
};

static int open_group(struct weft_system *s, const struct row *row, const struct weft_coll_ops *alg,
                      struct weft_err *err)
{
    uint32_t id;
    if (weft_u64map_get(&s->sites.net_group, row->key, NULL))
        return 0;
    if (!s->net->ops->group)
        return weft_err_set(err, WEFT_E_INPUT, "the backend has no switches that add up");
    uint32_t *hosts = malloc(row->n * sizeof(*hosts));
    if (!hosts)
        return weft_err_set(err, WEFT_E_LIMIT, "out of memory for groups");
    for (uint32_t i = 0; i < row->n; i++)
        hosts[i] = row->base + row->place[i] * row->stride;
    int rc = s->net->ops->group(s->net, hosts, row->n, WEFT_NET_PRIO_DEFAULT, &id, err);
    free(hosts);
    if (rc)
        weft_err_prepend(err, "algorithm %s on %u ranks", alg->name, row->n);
    else if (weft_u64map_put(&s->sites.net_group, row->key, (void *)((uintptr_t)id + 1)))
        rc = weft_err_set(err, WEFT_E_LIMIT, "out of memory for groups");
    return rc;
}

static int prepare_op(struct weft_system *s, uint32_t rank, const struct weft_op *op,
                      struct weft_err *err)
{
    const struct weft_group *g = &s->w->groups[op->group];
    const struct weft_shape *shape = &s->shapes[op->group];
    const struct weft_choice *choice = weft_choice_of(&s->choices, op);
    int rc = 0;
    if (choice->n == 1) {
        struct row whole = {g->ranks, g->n, 1, 0, weft_site_key(op->group, WEFT_SITE_WHOLE, 0)};
        return choice->alg[0].ops->in_network ? open_group(s, &whole, choice->alg[0].ops, err) : 0;
    }
    for (uint32_t d = 0; !rc && d < shape->dims.n; d++) {
        const struct weft_coll_ops *alg = choice->alg[shape->fabric_dim[d]].ops;
        uint32_t place = rank / shape->stride[d] % s->dims.size[shape->fabric_dim[d]];
        uint32_t base = rank - place * shape->stride[d];
        struct row row = {shape->places[d], shape->dims.size[d], shape->stride[d], base,
                          weft_site_key(op->group, d, base)};
        rc = alg->in_network ? open_group(s, &row, alg, err) : 0;
    }
    return rc;
}

int weft_sites_new(struct weft_system *s, struct weft_err *err)
{
    for (uint32_t r = 0; r < s->w->nranks; r++)
        for (uint32_t i = 0; i < s->w->dags[r].nops; i++) {
            const struct weft_op *op = weft_workload_visit(s->w, r, i);
            if (op->kind != WEFT_OP_COLL || s->w->groups[op->group].n < 2)
                continue;
            int rc = prepare_op(s, r, op, err);
            if (rc) {
                weft_err_prepend(err, "rank %u, node %llu '%s'", r, (unsigned long long)op->id,
                                 op->name);
                return rc;
            }
        }
    return 0;
}

void weft_sites_free(struct weft_sites *sites)
{
    weft_u64map_release(&sites->net_group);
}

uint32_t weft_site_net_group(const struct weft_sites *sites, uint64_t key)
{
    void *id = NULL;
    weft_u64map_get(&sites->net_group, key, &id);
    return (uint32_t)((uintptr_t)id - 1);
}
