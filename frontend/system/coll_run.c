/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One rank's part of a collective.
 *
 * A collective is cut into chunks; a chunk goes through one phase (one algorithm over the whole
 * group) or, over the dimensions of a fabric, through several (collective/phases.h). A phase begins
 * with the endpoint delay, then runs the rank's program for it.
 *
 * At most active-chunks phases run at once in each queue. Without dimensions there is one, in
 * ascending order of chunks; with dimensions those of agreed_order.h, which all ranks compute
 * alike. Besides, a phase may have to let other collectives of the NPU go first (coll_hold.c).
 */
#include "system/coll.h"

#include "base/grow.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>

enum phase_state { READY, DELAYED, RUNNING };

/* A chunk's way through the dimensions. */
struct way {
    struct weft_coll_plan plan;
    struct weft_coll_cursor cursor;
};

struct weft_coll_chunk {
    struct weft_prog prog;
    struct weft_coll_run *run;
    struct weft_coll_chunk *prev, *next;
    uint64_t index;
    int64_t ready_ps, begin_ps; /* of the phase */
    uint32_t at;                /* phase */
    enum phase_state state;
    struct way *way;              /* with dimensions; else NULL */
    struct weft_coll_pairs pairs; /* all-to-all-v */
    struct weft_splits splits;
};

struct weft_coll_run {
    struct weft_coll_claim claim; /* first: retry() */
    struct weft_active *a;
    struct weft_coll_call call; /* of the whole collective */
    const struct weft_choice *choice;
    const struct weft_group *group;
    const struct weft_shape *shape;
    struct weft_shape own_shape; /* with dimensions left out */
    uint32_t position;
    uint32_t place[WEFT_DIMS_MAX]; /* with dimensions */
    uint64_t instance;
    uint64_t nchunks, begun, finished;
    struct weft_agreed_order *order;     /* with dimensions; else NULL */
    uint32_t active[WEFT_AGREED_QUEUES]; /* phases under way, per queue */
    uint64_t next[WEFT_AGREED_QUEUES];   /* per queue: first turn that has not begun */
    struct weft_coll_chunk *first, *last;
    int filling;
    struct weft_phase_record *record; /* per kind of phase */
    uint32_t nrecords;
};

static void coll_run_fail(struct weft_coll_run *run, int code, const char *what)
{
    struct weft_err err = {0};
    const struct weft_op *op = weft_active_op(run->a);
    weft_err_set(&err, code, "rank %u, node %" PRIu64 " '%s': %s", run->a->npu->rank, op->id,
                 op->name, what);
    weft_system_fail(run->a->npu->sys, &err);
}

uint32_t weft_coll_members(const struct weft_active *a)
{
    const struct weft_coll_run *run = a->coll;
    uint32_t n = 1;
    if (run->shape != &run->own_shape)
        return run->group->n;
    for (uint32_t d = 0; d < run->shape->dims.n; d++)
        n *= run->shape->dims.size[d];
    return n;
}

static uint32_t nphases(const struct weft_coll_chunk *c)
{
    return c->run->order ? c->way->plan.n : 1;
}

/* Dimension of the group that the chunk's phase is in; 0 without dimensions. */
static uint32_t dim_of(const struct weft_coll_chunk *c)
{
    return c->run->order ? c->way->plan.phase[c->at].dim : 0;
}

/* Dimensions of the fabric that the chunk's phase is in. */
static uint32_t mask_of(const struct weft_coll_chunk *c)
{
    const struct weft_shape *shape = c->run->shape;
    return c->run->order ? UINT32_C(1) << shape->fabric_dim[dim_of(c)] : shape->mask;
}

/* The algorithm of the chunk's phase. */
static const struct weft_coll_algorithm *algorithm_of(const struct weft_coll_chunk *c)
{
    const struct weft_coll_run *run = c->run;
    return run->order ? weft_choice_in(run->choice, run->shape->fabric_dim[dim_of(c)])
                      : &run->choice->alg[0];
}

/* Queue of the chunk's phase; 0 without dimensions. */
static uint32_t queue_of(const struct weft_coll_chunk *c)
{
    return c->run->order ? weft_agreed_queue_of(&c->way->plan.phase[c->at], algorithm_of(c)) : 0;
}

/* Counts a phase as wanting its dimensions (+1) or as done with them (-1). */
static void want(struct weft_coll_chunk *c, int64_t change)
{
    uint32_t mask = mask_of(c);
    for (uint32_t d = 0; d < WEFT_DIMS_MAX; d++)
        if (mask >> d & 1)
            c->run->claim.wanted[d] += (uint64_t)change;
}

static void chunk_free(struct weft_coll_chunk *c)
{
    weft_prog_close(&c->prog);
    free(c->way);
    free(c);
}

static void chunk_unlink(struct weft_coll_chunk *c)
{
    struct weft_coll_run *run = c->run;
    if (c->prev)
        c->prev->next = c->next;
    else
        run->first = c->next;
    if (c->next)
        c->next->prev = c->prev;
    else
        run->last = c->prev;
}

/* When a chunk of such a collective is over, every member has taken part in it. */
static bool needs_everybody(const struct weft_coll_call *call)
{
    return weft_coll_has_phases(call->kind) && !(call->pairs && call->pairs->local);
}

static int64_t now_of(const struct weft_coll_run *run)
{
    return weft_now_ps(run->a->npu->sys);
}

/* Adds a phase that is over to the records. */
static void note_phase(struct weft_coll_chunk *c)
{
    struct weft_coll_run *run = c->run;
    const struct weft_prog *p = &c->prog;
    int dim = run->order ? (int)run->shape->fabric_dim[dim_of(c)] : -1;
    uint32_t i = 0;
    while (i < run->nrecords && (run->record[i].dim != dim || run->record[i].kind != p->call.kind))
        i++;
    if (i == run->nrecords) {
        if (!WEFT_GROW_ONE(run->record, i)) {
            coll_run_fail(run, WEFT_E_LIMIT, "out of memory for a collective");
            return;
        }
        run->nrecords++;
        run->record[i] = (struct weft_phase_record){.rank = p->npu->rank,
                                                    .op = weft_active_op(run->a),
                                                    .algorithm = p->ops->name,
                                                    .dim = dim,
                                                    .kind = p->call.kind,
                                                    .begin_ps = c->begin_ps};
    }
    struct weft_phase_record *r = &run->record[i];
    r->chunks++;
    r->messages += p->messages;
    r->bytes += p->bytes;
    r->reduce_ps += p->reduce_ps;
    r->end_ps = now_of(run);
    r->begin_ps = c->begin_ps < r->begin_ps ? c->begin_ps : r->begin_ps;
    r->queue_ps += c->begin_ps - c->ready_ps;
    r->busy_ps += r->end_ps - c->begin_ps;
}

static void report_phases(struct weft_coll_run *run)
{
    const struct weft_system_observer *o = &run->a->npu->sys->observer;
    for (uint32_t i = 0; o->phase && i < run->nrecords; i++) {
        run->record[i].op_ready_ps = run->a->ready_ps;
        run->record[i].op_end_ps = now_of(run);
        run->record[i].members = weft_coll_members(run->a);
        o->phase(o->ctx, &run->record[i]);
    }
}

static void coll_run_fill(struct weft_coll_run *run);

/* Lets the collectives of an NPU try again. */
static void retry(struct weft_npu *npu)
{
    npu->retry = 1;
    if (npu->retrying)
        return; /* the loop below goes round again */
    npu->retrying = 1;
    while (npu->retry && npu->sys->err.code == 0) {
        npu->retry = 0;
        for (struct weft_coll_claim *claim = npu->claims; claim; claim = claim->next) {
            uint64_t left = npu->claims_left;
            coll_run_fill((struct weft_coll_run *)claim); /* its first member */
            if (npu->claims_left != left) {               /* the list is not what it was */
                npu->retry = 1;
                break;
            }
        }
    }
    npu->retrying = 0;
}

static void phase_finished(struct weft_prog *p)
{
    struct weft_coll_chunk *c = (struct weft_coll_chunk *)p; /* prog is its first member */
    struct weft_coll_run *run = c->run;
    note_phase(c);
    weft_prog_close(p);
    want(c, -1);
    run->active[queue_of(c)]--;
    if (run->order)
        weft_coll_cursor_next(&c->way->cursor, &c->way->plan.phase[c->at]);
    c->at++;
    c->state = READY;
    c->ready_ps = now_of(run);
    if (c->at == nphases(c)) {
        chunk_unlink(c);
        chunk_free(c);
        run->finished++;
        run->claim.going |= needs_everybody(&run->call);
    } else {
        want(c, 1);
    }
    struct weft_npu *npu = run->a->npu;
    coll_run_fill(run); /* may free the run */
    if (npu->sys->p->intra_dimension != WEFT_INTRA_CONCURRENT)
        retry(npu);
}

static void phase_start(struct weft_coll_chunk *c)
{
    c->state = RUNNING;
    weft_prog_start(&c->prog);
}

static void delay_over(void *ctx, uint64_t arg)
{
    struct weft_causal_path *t = ctx;
    struct weft_coll_chunk *c = t->ctx;
    struct weft_npu *npu = c->prog.npu;
    (void)arg;
    if (npu->sys->err.code)
        return;
    weft_npu_timer(c->run->a, t);
    phase_start(c);
    weft_causal_path_leave(npu);
}

/* What the chunk's phase runs, and among whom. */
static void set_up(struct weft_coll_chunk *c)
{
    struct weft_coll_run *run = c->run;
    struct weft_prog *p = &c->prog;
    const struct weft_system *s = p->sys;
    const struct weft_coll_algorithm *alg = algorithm_of(c);
    const struct weft_op *op = weft_active_op(run->a);
    const uint32_t prio = s->classes.prio[op->coll];
    uint64_t site = weft_site_net_key(op->group, WEFT_SITE_WHOLE, 0, prio);
    if (run->order) {
        const struct weft_shape *shape = run->shape;
        uint32_t d = dim_of(c);
        weft_coll_cursor_call(&c->way->cursor, &c->way->plan.phase[c->at], &p->call);
        p->position = run->place[d];
        p->ranks = shape->places[d];
        p->stride = shape->stride[d];
        p->base = p->npu->rank - p->ranks[p->position] * p->stride;
        site = weft_site_net_key(op->group, d, p->base, prio);
    } else {
        p->call = run->call;
        p->call.bytes =
            weft_coll_chunk_bytes(run->call.bytes, weft_choice_chunks(run->choice, s->p), c->index);
        if (run->call.pairs) {
            c->splits = (struct weft_splits){op, run->position, c->index, run->nchunks};
            c->pairs = *run->call.pairs;
            c->pairs.ctx = &c->splits;
            p->call.pairs = &c->pairs;
        }
        p->position = run->position;
        p->ranks = run->group->ranks;
        p->stride = 1;
        p->base = 0;
        if (s->rings && alg->ops->ordered && !p->call.pairs) {
            const struct weft_ring *ring = &s->rings[op->group];
            p->ranks = ring->ranks;
            p->position = ring->place[run->position];
        }
    }
    p->ops = alg->ops;
    weft_site_use(&s->sites, &p->call, op->group, alg);
    if (p->ops->in_network && p->ops->island && !run->order)
        site = weft_site_net_key(op->group, WEFT_SITE_WHOLE, p->position / p->ops->island(&p->call),
                                 prio);
    if (p->ops->in_network)
        p->net_group = weft_site_net_group(&s->sites, site);
    p->key = ((run->instance << s->chunk_bits | c->index) << s->phase_bits) | c->at;
}

static void phase_begin(struct weft_coll_chunk *c)
{
    struct weft_coll_run *run = c->run;
    struct weft_system *s = c->prog.sys;
    c->state = DELAYED;
    c->begin_ps = now_of(run);
    run->active[queue_of(c)]++;
    set_up(c);
    if (weft_prog_open(&c->prog)) {
        coll_run_fail(run, WEFT_E_LIMIT, "out of memory for a collective");
        return;
    }
    int64_t delay_ps = s->p->endpoint_delay_ps;
    if (c->prog.ops->launch_ps)
        delay_ps = weft_sum_ps(delay_ps, c->prog.ops->launch_ps(&c->prog.call));
    if (delay_ps == 0) {
        phase_start(c);
        return;
    }
    struct weft_causal_path *t = weft_causal_path_timer(run->a->npu, run->a->op, delay_ps, 0, c);
    if (t)
        weft_system_after(s, delay_ps, delay_over, t, 0);
}

static struct weft_coll_chunk *chunk_new(struct weft_coll_run *run)
{
    struct weft_coll_chunk *c = calloc(1, sizeof *c);
    if (c && run->order && !(c->way = calloc(1, sizeof *c->way))) {
        free(c);
        c = NULL;
    }
    if (!c) {
        coll_run_fail(run, WEFT_E_LIMIT, "out of memory for a collective");
        return NULL;
    }
    c->run = run;
    c->index = run->begun++;
    c->ready_ps = run->order ? run->a->ready_ps : now_of(run);
    c->prog.npu = run->a->npu;
    c->prog.sys = run->a->npu->sys;
    c->prog.run = run;
    c->prog.active = run->a;
    c->prog.posted_ps = &run->a->start_ps;
    c->prog.finished = phase_finished;
    if (run->order) {
        weft_agreed_order_plan(run->order, c->index, &c->way->plan);
        weft_coll_cursor_begin(
            &c->way->cursor, &run->shape->dims, run->place,
            weft_coll_chunk_bytes(run->call.bytes, c->prog.sys->p->chunks, c->index));
    }
    c->prev = run->last;
    if (c->prev)
        c->prev->next = c;
    else
        run->first = c;
    run->last = c;
    want(c, 1);
    return c;
}

/* Without dimensions: the next chunk; with: the chunk whose turn it is in queue q, when it is ready
 * for that. NULL: none may begin. */
static struct weft_coll_chunk *next_of(struct weft_coll_run *run, uint32_t q)
{
    const struct weft_system *s = run->a->npu->sys;
    if (run->active[q] >= weft_active_chunks(s->p, weft_active_op(run->a)))
        return NULL;
    if (!run->order) {
        if (run->last && run->last->state == READY)
            return run->last; /* held before */
        return run->begun < run->nchunks ? chunk_new(run) : NULL;
    }
    struct weft_agreed_turn turn;
    if (!weft_agreed_order_turn(run->order, q, run->next[q], &turn))
        return NULL;
    while (run->begun <= turn.chunk)
        if (!chunk_new(run))
            return NULL;
    for (struct weft_coll_chunk *c = run->first; c; c = c->next)
        if (c->index == turn.chunk)
            return c->at == turn.phase && c->state == READY ? c : NULL;
    return NULL;
}

/* A collective that goes before the chunk's phase; NULL: none. Switches take operations in the
 * order in which they are begun: one that was held would keep the others of its group waiting. */
static const struct weft_coll_claim *held_by(const struct weft_coll_chunk *c)
{
    return algorithm_of(c)->ops->in_network ? NULL : weft_coll_held_by(&c->run->claim, mask_of(c));
}

/* Begins what may begin. */
static void coll_run_fill(struct weft_coll_run *run)
{
    struct weft_npu *npu = run->a->npu;
    struct weft_system *s = npu->sys;
    if (run->filling)
        return; /* a chunk that ends while it begins: the loop below goes on */
    run->filling = 1;
    const uint32_t nqueues = run->order ? weft_agreed_order_queues(run->order) : 1;
    int again = run->finished < run->nchunks;
    while (again) {
        again = 0;
        for (uint32_t q = 0; q < nqueues; q++) {
            struct weft_coll_chunk *c;
            while (s->err.code == 0 && (c = next_of(run, q)) && !held_by(c)) {
                run->next[q]++;
                phase_begin(c);
                again = run->order != NULL; /* it may have ended and be ready elsewhere */
            }
        }
    }
    run->filling = 0;
    if (run->finished == run->nchunks && s->err.code == 0) {
        report_phases(run);
        weft_npu_done(run->a); /* frees the run */
        weft_npu_issue(npu);
    }
}

/* With one algorithm per dimension: where this rank is in the grid, and the agreed order. */
static int use_dimensions(struct weft_coll_run *run)
{
    struct weft_npu *npu = run->a->npu;
    const struct weft_system *s = npu->sys;
    const struct weft_shape *shape = run->shape;
    weft_shape_place(shape, &s->dims, npu->rank, run->place);
    struct weft_agreed_problem problem = {
        .kind = run->call.kind,
        .bytes = run->call.bytes,
        .nchunks = run->nchunks,
        .max_chunks = s->p->chunks,
        .dims = &shape->dims,
        .endpoint_ps = s->p->endpoint_delay_ps,
        .active = weft_active_chunks(s->p, weft_active_op(run->a)),
        .alone = s->net->alone,
        .turn = s->p->all_reduce_phases ? WEFT_COLL_TURN_WHOLE : WEFT_COLL_TURN_FOLD,
        .inter = s->p->inter_dimension,
        .intra = (enum weft_intra)s->p->intra_dimension,
    };
    if (s->p->reduce_bw_bps)
        problem.reduce_ps_per_byte =
            (double)s->p->reduce_passes * 8e12 / (double)s->p->reduce_bw_bps;
    for (uint32_t d = 0; d < shape->dims.n; d++)
        problem.alg[d] = weft_choice_in(run->choice, shape->fabric_dim[d]);
    run->order = weft_agreed_order_share(&problem, &npu->sys->latest_orders);
    return run->order ? 0 : WEFT_E_LIMIT;
}

void weft_coll_begin(struct weft_active *a)
{
    static const struct weft_coll_pairs splits = {.bytes = weft_split_bytes, .local = 1};
    struct weft_npu *npu = a->npu;
    struct weft_system *s = npu->sys;
    const struct weft_op *op = weft_active_op(a);
    struct weft_coll_run *run = calloc(1, sizeof *run);
    if (!run) {
        weft_npu_no_memory(npu, "a collective");
        return;
    }
    a->coll = run;
    run->a = a;
    run->group = &s->w->groups[op->group];
    run->shape = weft_shape_of(&s->shapes[op->group], op, &run->own_shape);
    run->choice = weft_choice_of(&s->choices, op);
    run->call = weft_call_of(run->group, s->position[op->group], op);
    run->position = weft_position(run->group, s->position[op->group], npu->rank);
    run->instance = npu->state[a->op].instance;
    run->claim.order = s->instance_order[run->instance];
    const int part = run->shape == &run->own_shape;
    if (run->group->n > 1 && !(part && run->shape->dims.n == 0)) /* else nothing to do */
        run->nchunks = op->send_bytes ? s->p->chunks
                                      : weft_coll_chunks(run->call.bytes,
                                                         weft_choice_chunks(run->choice, s->p));
    if (op->send_bytes)
        run->call.pairs = &splits;
    weft_coll_enter(&run->claim, a);
    if (run->nchunks && (run->choice->n > 1 || part) && use_dimensions(run)) {
        coll_run_fail(run, WEFT_E_LIMIT, "out of memory for a collective");
        return;
    }
    coll_run_fill(run);
}

void weft_coll_release(struct weft_active *a)
{
    struct weft_coll_run *run = a->coll;
    if (!run)
        return;
    for (struct weft_coll_chunk *c = run->first, *next; c; c = next) {
        next = c->next;
        chunk_free(c);
    }
    weft_coll_leave(&run->claim);
    weft_agreed_order_free(run->order);
    free(run->record);
    free(run);
}

void weft_coll_waits_for(const struct weft_coll_run *run, struct weft_coll_wait *out)
{
    *out = (struct weft_coll_wait){
        .chunk = run->finished, .chunks = run->nchunks, .phases = 1, .peer = UINT32_MAX};
    for (const struct weft_coll_chunk *c = run->first; c; c = c->next) {
        out->chunk = c->index;
        out->phase = c->at;
        out->phases = nphases(c);
        if (c->state == READY) {
            const struct weft_coll_claim *by = held_by(c);
            out->held_by = by ? by->a : NULL;
        } else if (weft_prog_waits_for(&c->prog, &out->step, &out->peer)) {
            return;
        }
    }
}
