/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The system layer's interface: building a run, starting it, results.
 */
#include "system/coll.h"
#include "system/p2p.h"
#include "system/remote.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>

static void system_on_sent(void *ctx, const struct weft_completion *done)
{
    struct weft_system *s = ctx;
    const uint64_t tag = done->msg.tag;
    weft_causal_paths_let_go(s);
    if (s->err.code == 0 && (tag & WEFT_TAG_P2P) && !(tag & WEFT_TAG_CONTROL))
        weft_p2p_sent(done);
    else if (done->msg.kind == WEFT_MSG_PART)
        weft_joint_sent(s, done);
}

static void remote_received(struct weft_system *s, const struct weft_completion *done)
{
    struct weft_active *over = weft_remote_received(s, done);
    if (over)
        weft_resource_done(over);
}

static void system_on_received(void *ctx, const struct weft_completion *done)
{
    struct weft_system *s = ctx;
    const struct weft_msg *msg = &done->msg;
    weft_causal_paths_let_go(s);
    if (s->err.code)
        return;
    if (msg->src >= s->w->nranks || msg->dst >= s->w->nranks)
        remote_received(s, done);
    else if ((msg->tag & WEFT_TAG_P2P) && (msg->tag & WEFT_TAG_CONTROL))
        weft_p2p_control(&s->npus[msg->dst], done);
    else if (msg->tag & WEFT_TAG_P2P)
        weft_p2p_received(&s->npus[msg->dst], done);
    else if (s->coll_control && (msg->tag & WEFT_TAG_CONTROL))
        weft_prog_control(&s->npus[msg->dst], done);
    else
        weft_prog_received(&s->npus[msg->dst], done);
}

static unsigned bits_for(uint64_t n) /* to tell 0 .. n-1 apart */
{
    unsigned b = 0;
    while (b < 64 && n > 1 && ((n - 1) >> b))
        b++;
    return b;
}

/* Most lanes and instructions of one rank's programs for an algorithm. */
static void size_program(const struct weft_coll_algorithm *a, const struct weft_coll_call *call,
                         uint32_t position, uint64_t *lanes, uint64_t *instrs)
{
    uint32_t l = weft_coll_lanes(a->ops, call, position);
    *lanes = l > *lanes ? l : *lanes;
    for (uint32_t k = 0; k < l; k++) {
        uint64_t n = a->ops->count(call, position, k);
        *instrs = n > *instrs ? n : *instrs;
    }
}

static void size_op(struct weft_system *s, uint32_t rank, const struct weft_op *op, uint64_t *lanes,
                    uint64_t *instrs)
{
    const struct weft_group *g = &s->w->groups[op->group];
    struct weft_shape scratch;
    const struct weft_shape *shape = weft_shape_of(&s->shapes[op->group], op, &scratch);
    const struct weft_choice *choice = weft_choice_of(&s->choices, op);
    struct weft_coll_call call = weft_call_of(g, s->position[op->group], op);
    if (choice->n == 1 && shape != &scratch) {
        weft_site_use(&s->sites, &call, op->group, &choice->alg[0]);
        s->coll_control |= choice->alg[0].ops->grants;
        size_program(&choice->alg[0], &call, weft_position(g, s->position[op->group], rank), lanes,
                     instrs);
        return;
    }
    static const enum weft_coll_kind kinds[] = {WEFT_COLL_ALL_REDUCE, WEFT_COLL_ALL_GATHER,
                                                WEFT_COLL_REDUCE_SCATTER, WEFT_COLL_ALL_TO_ALL};
    for (uint32_t d = 0; d < shape->dims.n; d++)
        for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
            const struct weft_coll_algorithm *a = weft_choice_in(choice, shape->fabric_dim[d]);
            struct weft_coll_call phase = {.kind = kinds[k], .n = shape->dims.size[d]};
            weft_coll_use(&phase, a);
            for (uint32_t at = 0; a->ops->supports(&phase, NULL) && at < phase.n; at++)
                size_program(a, &phase, at, lanes, instrs);
        }
}

/* Divides the bits of a collective's tag, 63 or with rendezvous 61: instance, chunk, phase, lane,
 * instruction. */
static int size_tags(struct weft_system *s, uint64_t ninstances, struct weft_err *err)
{
    uint64_t chunks = 1, lanes = 1, instrs = 1, phases = 1;
    for (uint32_t r = 0; r < s->w->nranks; r++)
        for (uint32_t i = 0; i < s->w->dags[r].nops; i++) {
            const struct weft_op *op = weft_workload_visit(s->w, r, i);
            if (op->kind != WEFT_OP_COLL || s->w->groups[op->group].n < 2)
                continue;
            uint64_t c = op->send_bytes ? s->p->chunks : weft_coll_chunks(op->bytes, s->p->chunks);
            chunks = c > chunks ? c : chunks;
            if (weft_choice_of(&s->choices, op)->n > 1 || op->involved)
                phases = 2 * (uint64_t)s->dims.n;
            size_op(s, r, op, &lanes, &instrs);
        }
    s->coll_control |= s->coll_rendezvous_bytes > 0;
    s->chunk_bits = bits_for(chunks);
    s->phase_bits = bits_for(phases);
    s->lane_bits = bits_for(lanes);
    s->instr_bits = bits_for(instrs);
    const unsigned most = s->coll_control ? 61 : 63; /* without WEFT_TAG_* */
    if (bits_for(ninstances) + s->chunk_bits + s->phase_bits + s->lane_bits + s->instr_bits > most)
        return weft_err_set(err, WEFT_E_LIMIT,
                            "%" PRIu64 " collectives of up to %" PRIu64 " chunks, %" PRIu64
                            " lanes and %" PRIu64 " instructions are more than "
                            "a message tag can name",
                            ninstances, chunks, lanes, instrs);
    return 0;
}

static int set_slowdowns(struct weft_system *s, struct weft_err *err)
{
    double *slowdown = calloc(s->w->nranks ? s->w->nranks : 1, sizeof *slowdown);
    int rc = slowdown ? weft_read_stragglers(s->p, s->w->nranks, slowdown, err)
                      : weft_err_no_memory(err, "the system layer");
    for (uint32_t r = 0; !rc && r < s->w->nranks; r++)
        s->npus[r].slowdown = slowdown[r];
    free(slowdown);
    return rc;
}

/* Makes the CPUs that the ops of each rank name. */
static int give_cpus(struct weft_system *s, uint64_t n, struct weft_err *err)
{
    struct weft_resource *next = s->cpus = calloc(n ? n : 1, sizeof *s->cpus);
    if (!next)
        return weft_err_set(err, WEFT_E_LIMIT, "out of memory for %" PRIu64 " CPUs", n);
    for (uint32_t r = 0; r < s->w->nranks; r++) {
        s->npus[r].cpus = next;
        next += s->npus[r].ncpus;
    }
    return 0;
}

static int system_prepare(struct weft_system *s, const struct weft_system_env *env,
                          struct weft_err *err)
{
    const struct weft_workload *w = s->w;
    uint64_t ninstances, ncpus = 0;
    for (uint32_t r = 0; r < w->nranks; r++)
        s->total += w->dags[r].nops;
    s->npus = calloc(w->nranks ? w->nranks : 1, sizeof *s->npus);
    s->states = calloc(s->total ? s->total : 1, sizeof *s->states);
    if (!s->npus || !s->states)
        return weft_err_set(err, WEFT_E_LIMIT, "out of memory for %" PRIu64 " operations",
                            s->total);
    struct weft_op_state *at = s->states;
    for (uint32_t r = 0; r < w->nranks; r++) {
        struct weft_npu *npu = &s->npus[r];
        npu->sys = s;
        npu->rank = r;
        npu->dag = &w->dags[r];
        npu->state = at;
        at += npu->dag->nops;
        for (uint32_t i = 0; i < npu->dag->nops; i++) {
            const struct weft_op *op = weft_workload_visit(w, r, i);
            npu->state[i].parents_left = op->nparents;
            if (op->kind == WEFT_OP_COMP && op->cpu && op->unit >= npu->ncpus)
                npu->ncpus = op->unit + 1;
            if (op->kind == WEFT_OP_RECV && op->any && weft_any_new(npu, err))
                return err->code;
        }
        ncpus += npu->ncpus;
    }
    int rc = give_cpus(s, ncpus, err);
    if (!rc)
        rc = set_slowdowns(s, err);
    if (!rc)
        rc = weft_read_classes(s->p, &s->classes, err);
    if (!rc)
        weft_read_urgencies(w, s->p, &s->classes);
    if (!rc)
        rc = weft_read_turns(env, s->p, w->nranks, &s->classes, err);
    if (!rc)
        rc = weft_choices_new(w, s->p, &s->choices, err);
    if (!rc)
        rc = weft_coll_ids(w, s->states, &ninstances, &s->instance_order, err);
    if (rc)
        return rc;
    s->position = weft_positions_new(w, err);
    s->shapes = s->position ? weft_shapes_new(w, &s->dims, err) : NULL;
    if (!s->shapes)
        return err->code;
    rc = weft_choices_resolve(&s->choices, w, s->p, env, &s->dims, s->shapes, s->rings, err);
    rc = rc ? rc : weft_remote_begin(s, err);
    rc = rc ? rc : weft_worker_receives_new(s, err);
    rc = rc ? rc : weft_sites_new(s, env ? env->fabric : NULL, err);
    return rc ? rc : size_tags(s, ninstances, err);
}

struct weft_system *weft_system_new(const struct weft_workload *w,
                                    const struct weft_system_params *p,
                                    const struct weft_system_env *env, struct weft_net *net,
                                    const struct weft_system_observer *observer,
                                    struct weft_err *err)
{
    struct weft_err own = {0};
    err = err ? err : &own;
    if (weft_system_check(w, p, env, err))
        return NULL;
    struct weft_system *s = weft_err_calloc(1, sizeof *s, "the system layer", err);
    if (!s)
        return NULL;
    s->w = w;
    s->params = *p;
    s->p = &s->params;
    if (p->rendezvous_for == WEFT_RENDEZVOUS_ALL)
        s->coll_rendezvous_bytes = p->rendezvous_bytes;
    s->net = net;
    if (observer)
        s->observer = *observer;
    s->seed = env ? env->seed : 1;
    if (weft_read_dims(p, env ? env->dims : NULL, w->nranks, &s->dims, err) ||
        weft_remote_resolve(w, &s->dims, &s->params, err) ||
        weft_rings_new(w, p->order, &s->dims, &s->rings, err) || system_prepare(s, env, err)) {
        weft_system_free(s);
        return NULL;
    }
    const struct weft_net_sink sink = {
        .ctx = s,
        .sent = system_on_sent,
        .received = system_on_received,
        .concurrency = {.local = true,
                        .runs_in_worker = weft_system_receives_in_worker,
                        .run_in_worker = weft_system_receive_in_worker,
                        .ctx = s}};
    net->ops->set_sink(net, &sink);
    return s;
}

void weft_system_free(struct weft_system *s)
{
    if (!s)
        return;
    for (uint32_t r = 0; s->npus && r < s->w->nranks; r++) {
        struct weft_npu *npu = &s->npus[r];
        for (struct weft_active *a = npu->first_active, *next; a; a = next) {
            next = a->next;
            weft_npu_drop(a);
        }
        weft_u64map_release(&npu->progs);
        weft_u64map_release(&npu->early);
        weft_p2p_free(npu);
        weft_any_free(npu);
        free(npu->ready.op);
        free(npu->held.op);
    }
    weft_sites_free(&s->sites);
    weft_agreed_order_forget(&s->latest_orders);
    weft_shapes_free(s->shapes, s->w);
    weft_rings_free(s->rings, s->w);
    weft_positions_free(s->position, s->w);
    weft_choices_free(&s->choices);
    weft_causal_paths_free(s);
    weft_worker_receives_free(s);
    free(s->instance_order);
    free(s->memory_free_ps);
    free(s->npus);
    free(s->cpus);
    free(s->states);
    free(s->classes.turns);
    free(s);
}

int weft_system_start(struct weft_system *s, struct weft_err *err)
{
    int64_t now_ps = weft_now_ps(s);
    struct weft_err own = {0};
    if (weft_causal_paths_begin(s, err ? err : &own))
        return err ? err->code : own.code;
    for (uint32_t r = 0; r < s->w->nranks && s->err.code == 0; r++) {
        struct weft_npu *npu = &s->npus[r];
        npu->counted_ps = now_ps;
        for (uint32_t i = 0; i < npu->dag->nops; i++)
            if (npu->state[i].parents_left == 0)
                weft_npu_ready(npu, i);
        weft_npu_issue(npu);
        weft_causal_path_leave(npu);
    }
    if (s->err.code && err)
        *err = s->err;
    return s->err.code;
}

void weft_system_progress(const struct weft_system *s, uint64_t *done, uint64_t *total)
{
    *done = s->done;
    *total = s->total;
}

bool weft_system_finished(const struct weft_system *s)
{
    return s->done == s->total;
}

const struct weft_dims *weft_system_dims(const struct weft_system *s, bool *given)
{
    if (given)
        *given = *s->p->dims != '\0';
    return &s->dims;
}

const struct weft_err *weft_system_error(const struct weft_system *s)
{
    return &s->err;
}

void weft_system_reach(struct weft_system *s, int64_t reached_ps)
{
    s->reached_ps = reached_ps;
}

void weft_system_result(const struct weft_system *s, uint32_t rank, struct weft_rank_result *out)
{
    struct weft_npu npu = s->npus[rank]; /* a copy: what is still going on counts up to the end */
    bool finished = npu.done == npu.dag->nops;
    const int64_t now_ps = weft_now_ps(s);
    if (!finished)
        weft_npu_account(&npu, s->reached_ps > now_ps ? s->reached_ps : now_ps);
    *out = npu.result;
    out->finished = finished;
}

int weft_system_conclude(struct weft_system *s, struct weft_err *err)
{
    weft_causal_paths_let_go(s);
    int rc = weft_causal_paths_conclude(s, err);
    for (uint32_t r = 0; !rc && r < s->w->nranks; r++) {
        struct weft_rank_result x;
        weft_system_result(s, r, &x);
        int64_t sum_ps = 0;
        for (int k = 0; k < WEFT_CAUSES; k++)
            sum_ps += x.exposed_ps[k];
        if (sum_ps != x.exposed_comm_ps || (x.finished && x.exposed_ps[WEFT_CAUSE_OPEN]))
            rc = weft_err_set(err, WEFT_E_INTERNAL,
                              "rank %u: exposed communication is %" PRId64
                              " ps, its causes are %" PRId64 " ps, "
                              "%" PRId64 " ps of them not known",
                              r, x.exposed_comm_ps, sum_ps, x.exposed_ps[WEFT_CAUSE_OPEN]);
    }
    return rc;
}
