/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A job as a GOAL schedule, rank by rank. Each operation becomes one of the schedule's, a
 * collective (schedule_coll.c) as many as its program has. Tags of collectives come after those of
 * messages.
 */
#include "system/schedule_internal.h"

#include "system/remote.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct job {
    const struct weft_workload *w;
    struct weft_system_params p;
    struct weft_choices choices;
    uint32_t **position;
    struct weft_op_state *states; /* of all ops of rank 0, of rank 1 ... */
    uint64_t ninstances;
    struct numbers {
        uint64_t lanes, instrs; /* most of a rank */
        uint64_t first_tag;
    } * instances;
    struct weft_goal *g;
    struct weft_err *err;
};

static int system_schedule_refuse(const struct job *j, uint32_t rank, const struct weft_op *op,
                                  const char *what)
{
    return weft_err_set(j->err, WEFT_E_INPUT, "rank %u, node %" PRIu64 " '%s': %s", rank, op->id,
                        op->name, what);
}

/* In place of auto, which needs a fabric. */
static void without_auto(struct weft_system_params *p)
{
    const struct {
        const char **text, *plain;
    } kinds[] = {{&p->all_reduce, "ring"},     {&p->all_gather, "ring"},
                 {&p->reduce_scatter, "ring"}, {&p->all_to_all, "direct"},
                 {&p->broadcast, "binomial"},  {&p->reduce, "binomial"},
                 {&p->gather, "binomial"},     {&p->scatter, "binomial"}};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (strcmp(*kinds[i].text, WEFT_CHOICE_AUTO) == 0)
            *kinds[i].text = kinds[i].plain;
}

/* The collective of an op; its pairs live in *splits. */
static int collective_of(const struct job *j, uint32_t rank, const struct weft_op *op,
                         struct weft_coll_pairs *pairs, struct weft_splits *splits,
                         struct weft_schedule_coll *out)
{
    const struct weft_group *g = &j->w->groups[op->group];
    const struct weft_choice *choice = weft_choice_given(&j->choices, op);
    const char *why = "it does not do that kind on that many ranks";
    *out = (struct weft_schedule_coll){.p = &j->p,
                                       .group = g,
                                       .position = weft_position(g, j->position[op->group], rank),
                                       .call = weft_call_of(g, j->position[op->group], op)};
    if (choice->n != 1 || choice->alg[0].ops->plan || choice->alg[0].ops->in_network)
        return system_schedule_refuse(
            j, rank, op,
            "its algorithm needs a fabric (auto, one per dimension, sums in switches); "
            "name another, as in --set all-reduce=ring");
    if (op->involved)
        return system_schedule_refuse(
            j, rank, op, "involved_dim leaves out dimensions, which a schedule has not");
    out->ops = choice->alg[0].ops;
    weft_coll_use(&out->call, &choice->alg[0]);
    if (op->send_bytes) {
        *splits = (struct weft_splits){.op = op, .position = out->position, .chunks = 1};
        *pairs = (struct weft_coll_pairs){.ctx = splits, .bytes = weft_split_bytes, .local = 1};
        out->call.pairs = pairs;
    }
    return out->ops->supports(&out->call, &why) ? 0 : system_schedule_refuse(j, rank, op, why);
}

/* Numbers the tags: those of messages, then those of one collective after the other. */
static int number_tags(struct job *j)
{
    uint64_t next = 0, at = 0;
    bool any = false;
    for (uint32_t r = 0; r < j->w->nranks; r++)
        for (uint32_t i = 0; i < j->w->dags[r].nops; i++, at++) {
            const struct weft_op *op = weft_workload_visit(j->w, r, i);
            struct weft_coll_pairs pairs;
            struct weft_splits splits;
            struct weft_schedule_coll c;
            uint64_t lanes, instrs;
            any |= op->any != 0;
            if ((op->kind == WEFT_OP_SEND || op->kind == WEFT_OP_RECV) && op->tag >= UINT32_MAX)
                return system_schedule_refuse(
                    j, r, op, "its tag does not fit into the 32 bits of GOAL's tags");
            if ((op->kind == WEFT_OP_SEND || op->kind == WEFT_OP_RECV) && op->tag >= next)
                next = op->tag + 1;
            if (op->kind != WEFT_OP_COLL)
                continue;
            if (collective_of(j, r, op, &pairs, &splits, &c))
                return j->err->code;
            struct numbers *n = &j->instances[j->states[at].instance];
            weft_schedule_coll_size(&c, &lanes, &instrs);
            n->lanes = lanes > n->lanes ? lanes : n->lanes;
            n->instrs = instrs > n->instrs ? instrs : n->instrs;
        }
    if (any && j->ninstances)
        return weft_err_set(j->err, WEFT_E_INPUT,
                            "the job has collectives, and receives from any rank or with any tag: "
                            "in a schedule these would take messages of the collectives");
    for (uint64_t k = 0; k < j->ninstances; k++) {
        struct numbers *n = &j->instances[k];
        n->first_tag = next;
        if (n->instrs && n->lanes > (UINT32_MAX - next) / n->instrs)
            return weft_err_set(j->err, WEFT_E_LIMIT,
                                "the messages of its collectives are more than GOAL has tags for");
        next += n->lanes * n->instrs;
    }
    return 0;
}

/* Where an op of the job is. */
struct place {
    uint32_t begin, end;
};

static int system_schedule_operation(const struct job *j, struct weft_schedule *s, uint32_t rank,
                                     uint64_t number, const struct weft_op *op, struct place *out)
{
    static const uint32_t cpus[2] = {WEFT_SCHEDULE_ACCELERATOR, WEFT_SCHEDULE_CPU};
    const struct numbers *n = &j->instances[j->states[number].instance];
    struct weft_coll_pairs pairs;
    struct weft_splits splits;
    struct weft_schedule_coll c;
    uint32_t cpu = op->kind == WEFT_OP_MEM ? WEFT_SCHEDULE_MEMORY : cpus[op->cpu];
    switch (op->kind) {
    case WEFT_OP_COLL:
        if (collective_of(j, rank, op, &pairs, &splits, &c))
            return j->err->code;
        c.first_tag = (uint32_t)n->first_tag;
        c.lane_tags = n->instrs;
        if (weft_schedule_coll(s, &c, j->err))
            return j->err->code;
        *out = (struct place){c.begin, c.end};
        return 0;
    case WEFT_OP_SEND:
    case WEFT_OP_RECV:
        out->begin = out->end =
            weft_schedule_message(s, op->kind == WEFT_OP_SEND ? WEFT_GOAL_SEND : WEFT_GOAL_RECV,
                                  op->bytes, op->any & WEFT_ANY_PEER ? WEFT_GOAL_ANY : op->peer,
                                  op->any & WEFT_ANY_TAG ? WEFT_GOAL_ANY : (uint32_t)op->tag);
        return 0;
    case WEFT_OP_META:
        cpu = WEFT_SCHEDULE_JOINS;
        break;
    default:
        if (op->unit)
            cpu = WEFT_SCHEDULE_REDUCTIONS + op->unit;
    }
    if (weft_is_remote(&j->p, op))
        return system_schedule_refuse(j, rank, op,
                                      "it accesses a remote memory, which a schedule has not");
    out->begin = out->end =
        weft_schedule_op(s, WEFT_GOAL_CALC, weft_schedule_ns(weft_op_duration_ps(&j->p, op)), cpu);
    return 0;
}

static int system_schedule_keep(const struct job *j, const struct weft_schedule *s,
                                struct weft_goal_rank *k)
{
    if (!s->full) {
        k->ops = weft_arena_calloc(j->g->arena, s->nops, sizeof *k->ops);
        k->deps = weft_arena_calloc(j->g->arena, s->ndeps, sizeof *k->deps);
    }
    if (!k->ops || !k->deps)
        return weft_err_no_memory(j->err, "a schedule");
    if (s->nops)
        memcpy(k->ops, s->ops, s->nops * sizeof *k->ops);
    if (s->ndeps)
        memcpy(k->deps, s->deps, s->ndeps * sizeof *k->deps);
    k->nops = (uint32_t)s->nops;
    k->ndeps = (uint32_t)s->ndeps;
    return 0;
}

static int make_rank(const struct job *j, uint32_t rank, uint64_t first)
{
    const struct weft_dag *d = &j->w->dags[rank];
    struct weft_schedule s = {.ops = NULL};
    struct place *places = calloc((size_t)d->nops + 1, sizeof *places);
    int rc = places ? 0 : weft_err_no_memory(j->err, "a schedule");
    for (uint32_t i = 0; !rc && i < d->nops; i++)
        rc = system_schedule_operation(j, &s, rank, first + i, weft_workload_visit(j->w, rank, i),
                                       &places[i]);
    for (uint32_t i = 0; !rc && i < d->nops; i++)
        for (uint32_t k = 0; k < d->ops[i].nchildren; k++) {
            const bool start = k < d->ops[i].nearly;
            weft_schedule_wait(&s, places[d->children[d->ops[i].first_child + k]].begin,
                               start ? places[i].begin : places[i].end, start);
        }
    if (!rc)
        rc = system_schedule_keep(j, &s, &j->g->ranks[rank]);
    free(places);
    free(s.ops);
    free(s.deps);
    return rc;
}

static int system_schedule_make(struct job *j, struct weft_err *err)
{
    uint64_t total = 0;
    for (uint32_t r = 0; r < j->w->nranks; r++)
        total += j->w->dags[r].nops;
    j->states = calloc(total + 1, sizeof *j->states);
    if (!j->states)
        return weft_err_no_memory(err, "a schedule");
    int rc = weft_choices_new(j->w, &j->p, &j->choices, err);
    if (!rc)
        rc = weft_coll_ids(j->w, j->states, &j->ninstances, NULL, err);
    if (!rc && !(j->position = weft_positions_new(j->w, err)))
        rc = err->code;
    if (!rc && !(j->instances = calloc(j->ninstances + 1, sizeof *j->instances)))
        rc = weft_err_no_memory(err, "a schedule");
    if (!rc)
        rc = number_tags(j);
    total = 0;
    for (uint32_t r = 0; !rc && r < j->w->nranks; r++) {
        rc = make_rank(j, r, total);
        total += j->w->dags[r].nops;
    }
    weft_choices_free(&j->choices);
    return rc ? rc : weft_goal_finish(j->g, err);
}

int weft_schedule_make(const struct weft_workload *w, const struct weft_system_params *p,
                       const char *file, struct weft_goal **out, struct weft_err *err)
{
    struct job j = {.w = w, .p = *p, .err = err};
    *out = NULL;
    without_auto(&j.p);
    int rc = weft_system_check(w, &j.p, NULL, err);
    if (!rc && !(j.g = weft_goal_new(w->nranks, file, err)))
        rc = err->code;
    if (!rc)
        rc = system_schedule_make(&j, err);
    free(j.instances);
    free(j.states);
    if (j.position)
        weft_positions_free(j.position, w);
    if (rc)
        weft_goal_free(j.g);
    else
        *out = j.g;
    return rc;
}
