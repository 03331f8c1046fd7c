/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What can be told to be wrong before a run: groups, algorithms, peers, tags, missing rates.
 */
#include "system/remote.h"

#include <inttypes.h>

struct context {
    const struct weft_workload *w;
    const struct weft_system_params *p;
    struct weft_dims dims;
    struct weft_choices choices;
    uint32_t **position;
    struct weft_shape *shapes;
};

static int supported(const struct weft_coll_algorithm *a, struct weft_coll_call *call, int whole,
                     struct weft_err *err)
{
    const char *why = "it does not do that kind on that many ranks";
    weft_coll_use(call, a);
    if (a->ops->plan && !whole)
        return weft_err_set(err, WEFT_E_INPUT,
                            "algorithm %s fits whole groups to the fabric: name it alone, not in a "
                            "list with one per dimension",
                            a->ops->name);
    if (a->ops->supports(call, &why))
        return 0;
    return weft_err_set(err, WEFT_E_INPUT, "algorithm %s on %u ranks: %s", a->ops->name, call->n,
                        why);
}

/* A list of algorithms, one per dimension, for this collective. */
static int check_phases(const struct context *c, const struct weft_choice *choice,
                        const struct weft_group *g, const struct weft_shape *shape,
                        const struct weft_coll_call *call, struct weft_err *err)
{
    size_t n;
    uint32_t order[WEFT_DIMS_MAX] = {0, 1, 2, 3, 4, 5, 6, 7};
    struct weft_coll_plan plan;
    int turns_back = weft_inter_table(&n)[c->p->inter_dimension]->turns_back;
    if (!weft_coll_has_phases(call->kind) || call->pairs)
        return weft_err_set(err, WEFT_E_INPUT,
                            "'%s' is one algorithm per dimension, but only all-reduce, all-gather, "
                            "reduce-scatter and all-to-all of equal sizes go through dimensions",
                            choice->text);
    if (!shape->grid)
        return weft_err_set(err, WEFT_E_INPUT,
                            "'%s' is one algorithm per dimension, but the %u members of group '%s' "
                            "are not all combinations of places in the dimensions; name one "
                            "algorithm for it",
                            choice->text, g->n, g->name);
    weft_coll_plan_phases(call->kind, order, shape->dims.n,
                          turns_back                ? WEFT_COLL_TURN_BACK
                          : c->p->all_reduce_phases ? WEFT_COLL_TURN_WHOLE
                                                    : WEFT_COLL_TURN_FOLD,
                          &plan);
    for (uint32_t i = 0; i < plan.n; i++) {
        uint32_t d = plan.phase[i].dim;
        struct weft_coll_call phase = {.kind = plan.phase[i].kind, .n = shape->dims.size[d]};
        int rc = supported(weft_choice_in(choice, shape->fabric_dim[d]), &phase, 0, err);
        if (rc) {
            weft_err_prepend(err, "dimension %u, %s", shape->fabric_dim[d],
                             weft_coll_kind_name(phase.kind));
            return rc;
        }
    }
    return 0;
}

/* A collective that goes through some dimensions of its group only. */
static int check_involved(const struct context *c, const struct weft_choice *choice,
                          const struct weft_op *op, const struct weft_shape *shape,
                          struct weft_err *err)
{
    if (c->dims.n == 0)
        return weft_err_set(err, WEFT_E_INPUT,
                            "involved_dim leaves out dimensions, but the ranks have none here; set "
                            "system.dims (%u: all ranks are one, the first)",
                            c->w->nranks);
    if (op->ninvolved < c->dims.n)
        return weft_err_set(err, WEFT_E_INPUT,
                            "involved_dim has %u entries, but there are %u dimensions",
                            op->ninvolved, c->dims.n);
    if (choice->n == 1 && shape->dims.n > 1)
        return weft_err_set(err, WEFT_E_INPUT,
                            "involved_dim leaves %u dimensions, which '%s' can't take as one; name "
                            "one algorithm per dimension",
                            shape->dims.n, choice->text);
    return 0;
}

static int check_coll(const struct context *c, uint32_t rank, const struct weft_op *op,
                      struct weft_err *err)
{
    static const struct weft_coll_pairs splits = {.local = 1};
    if (op->group >= c->w->ngroups)
        return weft_err_set(err, WEFT_E_INPUT, "group %u does not exist", op->group);
    const struct weft_group *g = &c->w->groups[op->group];
    if (weft_position(g, c->position[op->group], rank) == UINT32_MAX)
        return weft_err_set(err, WEFT_E_INPUT, "rank %u is no member of group '%s'", rank, g->name);
    if (op->has_root && weft_position(g, c->position[op->group], op->root) == UINT32_MAX)
        return weft_err_set(err, WEFT_E_INPUT, "its root, rank %u, is no member of group '%s'",
                            op->root, g->name);
    const struct weft_choice *choice = weft_choice_of(&c->choices, op);
    struct weft_coll_call call = weft_call_of(g, c->position[op->group], op);
    if (op->send_bytes)
        call.pairs = &splits;
    struct weft_shape scratch;
    const struct weft_shape *shape = weft_shape_of(&c->shapes[op->group], op, &scratch);
    int part = op->involved && (c->dims.n == 0 || shape == &scratch);
    int rc = part ? check_involved(c, choice, op, shape, err) : 0;
    if (rc || choice->n > 1 || part)
        return rc ? rc : check_phases(c, choice, g, shape, &call, err);
    return supported(&choice->alg[0], &call, 1, err);
}

/* Lists of algorithms have one for each dimension. */
static int check_lists(const struct context *c, struct weft_err *err)
{
    for (size_t k = 0; k < WEFT_COLL_KINDS + c->choices.nnamed; k++) {
        const struct weft_choice *choice =
            k < WEFT_COLL_KINDS ? &c->choices.kind[k] : &c->choices.named[k - WEFT_COLL_KINDS];
        if (choice->n > 1 && choice->n != c->dims.n)
            return weft_err_set(err, WEFT_E_INPUT,
                                "'%s' has %u algorithms, one per dimension, but there are %u "
                                "dimensions%s",
                                choice->text, choice->n, c->dims.n,
                                c->dims.n ? "; one algorithm alone takes all ranks as one dimension"
                                          : "; set system.dims");
    }
    return 0;
}

static int check_peer(const struct context *c, const struct weft_op *op, struct weft_err *err)
{
    const char *what = op->kind == WEFT_OP_SEND ? "sends to" : "receives from";
    if (op->any && c->p->rendezvous_bytes)
        return weft_err_set(
            err, WEFT_E_INPUT,
            "it receives from any rank or with any tag, which system.rendezvous has "
            "no requests and grants for; set system.rendezvous=0");
    if (op->peer >= c->w->nranks && !(op->any & WEFT_ANY_PEER))
        return weft_err_set(err, WEFT_E_INPUT, "it %s rank %u, but there are the ranks 0 to %u",
                            what, op->peer, c->w->nranks - 1);
    if (!weft_p2p_tag_fits(op->tag))
        return weft_err_set(err, WEFT_E_LIMIT, "tag %" PRIu64 " is outside of -2^60 to 2^60 - 1",
                            op->tag);
    return 0;
}

static int check_duration(const struct context *c, const struct weft_op *op, struct weft_err *err)
{
    const struct weft_system_params *p = c->p;
    if (op->duration_ps < 0)
        return weft_err_set(err, WEFT_E_INPUT, "its duration is negative");
    if (weft_uses_roofline(p, op)) {
        if (!(op->flops >= 0))
            return weft_err_set(err, WEFT_E_INPUT, "num_ops is not a number from 0 on");
        if (op->flops > 0 && !(p->peak_flops > 0))
            return weft_err_set(err, WEFT_E_INPUT,
                                "its duration follows from num_ops; set system.peak-flops");
        if (op->tensor_bytes && p->memory_bw_bps == 0)
            return weft_err_set(
                err, WEFT_E_INPUT,
                "its duration follows from tensor_size; set system.memory-bandwidth");
    } else if (op->kind == WEFT_OP_COMP && !op->cpu && p->roofline && op->duration_ps == 0) {
        return weft_err_set(err, WEFT_E_INPUT,
                            "system.roofline is on, but it has neither num_ops nor a duration");
    } else if (op->kind == WEFT_OP_MEM && !weft_is_remote(p, op) && op->duration_ps == 0 &&
               op->tensor_bytes && p->memory_bw_bps == 0) {
        return weft_err_set(err, WEFT_E_INPUT,
                            "it has no duration, only tensor_size; set system.memory-bandwidth");
    }
    return 0;
}

static int check_op(const struct context *c, uint32_t rank, const struct weft_op *op,
                    struct weft_err *err)
{
    switch (op->kind) {
    case WEFT_OP_COLL:
        return check_coll(c, rank, op, err);
    case WEFT_OP_SEND:
    case WEFT_OP_RECV:
        return check_peer(c, op, err);
    case WEFT_OP_COMP:
    case WEFT_OP_MEM:
    case WEFT_OP_RECORDED:
    case WEFT_OP_RECORDED_RECV:
        return check_duration(c, op, err);
    default:
        return 0;
    }
}

static int check_ops(const struct context *c, struct weft_err *err)
{
    for (uint32_t r = 0; r < c->w->nranks; r++)
        for (uint32_t i = 0; i < c->w->dags[r].nops; i++) {
            const struct weft_op *op = weft_workload_visit(c->w, r, i);
            int rc = check_op(c, r, op, err);
            if (rc) {
                weft_err_prepend(err, "rank %u, node %" PRIu64 " '%s'", r, op->id, op->name);
                return rc;
            }
        }
    return 0;
}

int weft_system_check(const struct weft_workload *w, const struct weft_system_params *p,
                      const struct weft_system_env *env, struct weft_err *err)
{
    struct weft_system_params own_params = *p;
    const struct weft_fabric *fabric = !env ? NULL : env->fabric ? env->fabric : env->net_fabric;
    struct context c = {.w = w, .p = &own_params};
    struct weft_classes classes;
    struct weft_err own = {0};
    uint64_t ninstances;
    err = err ? err : &own;
    if (p->chunks == 0 || p->active_chunks == 0 || p->quantum_ps <= 0)
        return weft_err_set(
            err, WEFT_E_INPUT,
            "system.chunks, system.active-chunks and system.quantum must be above 0");
    int rc = weft_read_dims(p, env ? env->dims : NULL, w->nranks, &c.dims, err);
    if (!rc)
        rc = weft_read_stragglers(p, w->nranks, NULL, err);
    if (!rc)
        rc = weft_read_classes(p, &classes, err);
    if (!rc)
        rc = weft_remote_resolve(w, &c.dims, &own_params, err);
    if (!rc)
        rc = weft_remote_check(w, &own_params, fabric, err);
    if (!rc)
        rc = weft_choices_new(w, p, &c.choices, err);
    if (rc)
        return rc;
    rc = check_lists(&c, err);
    if (!rc && !(c.position = weft_positions_new(w, err)))
        rc = err->code;
    if (!rc && !(c.shapes = weft_shapes_new(w, &c.dims, err)))
        rc = err->code;
    struct weft_ring *rings = NULL;
    if (!rc)
        rc = weft_rings_new(w, p->order, &c.dims, &rings, err);
    if (!rc)
        rc = weft_choices_resolve(&c.choices, w, &own_params, env, &c.dims, c.shapes, rings, err);
    weft_rings_free(rings, w);
    if (!rc)
        rc = check_ops(&c, err);
    if (!rc)
        rc = weft_coll_ids(w, NULL, &ninstances, NULL, err);
    if (!rc)
        rc = weft_check_splits(w, err);
    weft_shapes_free(c.shapes, w);
    weft_positions_free(c.position, w);
    weft_choices_free(&c.choices);
    return rc;
}
