/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The interpreter of collective programs (collective/collective.h) over net.h messages.
 *
 * A collective is cut into chunks; at most active-chunks of them run at once at a rank, in order. A
 * chunk begins with the endpoint delay, then runs the rank's program. A receive is taken in for the
 * endpoint delay (and the reduction) before what depends on it goes on; receives do not wait for
 * each other.
 *
 * A message's tag names the collective, the chunk and the receive instruction that takes it, so
 * that nothing that is in flight at once can be mixed up, however messages interleave. A message
 * that comes before its receive is posted waits in npu->early.
 */
#include "system/internal.h"

#include <stdlib.h>

struct weft_coll_chunk {
    uint64_t key; /* in npu->chunks */
    struct weft_coll_run *run;
    struct weft_npu *npu;
    struct weft_system *sys;
    uint64_t bytes;
    uint64_t issued; /* instructions 0 .. issued-1 are issued */
    uint64_t prefix; /* instructions 0 .. prefix-1 are done */
    uint64_t ndone;
    /* Done instructions from prefix on: bit i % 64 of word (i / 64) % nwords. */
    uint64_t *done, one_word;
    uint64_t nwords; /* power of two */
    int begun;       /* the delay before the program is over */
    uint64_t index;
    struct weft_coll_chunk *prev, *next;
};

struct weft_coll_run {
    /* what each step reads: one cache line */
    const struct weft_coll_ops *alg;
    const struct weft_group *group;
    uint64_t count;           /* instructions per chunk */
    enum weft_coll_kind kind; /* as played */
    uint32_t position;
    int started; /* a message has been posted */
    int filling;
    struct weft_active *a;
    uint64_t instance;
    uint64_t bytes;
    uint64_t nchunks, begun, finished, active;
    struct weft_coll_chunk *first, *last;
};

static void fail(struct weft_coll_run *run, int code, const char *what)
{
    struct weft_err err = {0};
    const struct weft_op *op = weft_active_op(run->a);
    weft_err_set(&err, code, "rank %u, node %llu '%s': %s", run->a->npu->rank,
                 (unsigned long long)op->id, op->name, what);
    weft_system_fail(run->a->npu->sys, &err);
}

/* --- which instructions are done --- */

static int is_done(const struct weft_coll_chunk *c, uint64_t i)
{
    if (i < c->prefix)
        return 1;
    if (i / 64 - c->prefix / 64 >= c->nwords)
        return 0; /* no room was needed for it yet */
    return c->done[(i / 64) & (c->nwords - 1)] >> (i % 64) & 1;
}

/* Makes room for the bits of prefix .. i. */
static int grow_done(struct weft_coll_chunk *c, uint64_t i)
{
    uint64_t need = i / 64 - c->prefix / 64 + 1, n = c->nwords;
    if (need <= n)
        return 0;
    while (n < need)
        n *= 2;
    uint64_t *words = calloc(n, sizeof(*words));
    if (!words)
        return WEFT_E_LIMIT;
    for (uint64_t w = c->prefix / 64; w < c->prefix / 64 + c->nwords; w++)
        words[w & (n - 1)] = c->done[w & (c->nwords - 1)];
    if (c->done != &c->one_word)
        free(c->done);
    c->done = words;
    c->nwords = n;
    return 0;
}

static void mark_done(struct weft_coll_chunk *c, uint64_t i)
{
    if (grow_done(c, i)) {
        fail(c->run, WEFT_E_LIMIT, "out of memory");
        return;
    }
    c->done[(i / 64) & (c->nwords - 1)] |= UINT64_C(1) << (i % 64);
    c->ndone++;
    while (c->prefix < c->issued) {
        uint64_t *word = &c->done[(c->prefix / 64) & (c->nwords - 1)];
        if (!(*word >> (c->prefix % 64) & 1))
            break;
        *word &= ~(UINT64_C(1) << (c->prefix % 64)); /* its place is used again */
        c->prefix++;
    }
}

/* --- running a chunk --- */

static void fill(struct weft_coll_run *run);

static void chunk_free(struct weft_coll_chunk *c)
{
    if (c->done != &c->one_word)
        free(c->done);
    free(c);
}

static void chunk_finished(struct weft_coll_chunk *c)
{
    struct weft_coll_run *run = c->run;
    weft_u64map_take(&c->npu->chunks, c->key, NULL);
    if (c->npu->recent == c)
        c->npu->recent = NULL;
    if (c->prev)
        c->prev->next = c->next;
    else
        run->first = c->next;
    if (c->next)
        c->next->prev = c->prev;
    else
        run->last = c->prev;
    chunk_free(c);
    run->active--;
    run->finished++;
    fill(run);
}

static void advance(struct weft_coll_chunk *c);

static void taken_in(void *ctx, uint64_t i)
{
    struct weft_coll_chunk *c = ctx;
    if (c->sys->err.code)
        return;
    mark_done(c, i);
    advance(c);
}

/* The message of receive i is here. Returns 1 when it has been taken in at no cost. */
static int take_in(struct weft_coll_chunk *c, uint64_t i, const struct weft_coll_instr *in)
{
    struct weft_system *s = c->sys;
    const struct weft_coll_run *run = c->run;
    int64_t cost_ps = s->p->endpoint_delay_ps;
    if (in->action == WEFT_COLL_RECV_REDUCE)
        cost_ps += weft_reduce_ps(s->p, weft_coll_range_bytes(run->kind, run->group->n, c->bytes,
                                                              in->first_block, in->nblocks));
    if (cost_ps == 0) {
        mark_done(c, i);
        return 1;
    }
    struct weft_err err = {0};
    if (s->net->ops->after(s->net, cost_ps, taken_in, c, i, &err))
        weft_system_fail(s, &err);
    return 0;
}

static void post_send(struct weft_coll_chunk *c, const struct weft_coll_instr *in)
{
    struct weft_system *s = c->sys;
    struct weft_coll_run *run = c->run;
    struct weft_net_msg msg = {
        .src = c->npu->rank,
        .dst = run->group->ranks[in->peer],
        .bytes =
            weft_coll_range_bytes(run->kind, run->group->n, c->bytes, in->first_block, in->nblocks),
        .tag = c->key << s->instr_bits | in->peer_instr,
        .prio = WEFT_NET_PRIO_DEFAULT,
    };
    struct weft_err err = {0};
    if (!run->started) {
        run->started = 1;
        run->a->start_ps = s->net->ops->now_ps(s->net);
    }
    if (s->net->ops->send(s->net, &msg, 0, &err))
        weft_system_fail(s, &err);
}

/* Issues what can be issued; ends the chunk when all is done. */
static void advance(struct weft_coll_chunk *c)
{
    struct weft_coll_run *run = c->run;
    struct weft_system *s = c->sys;
    while (c->issued < run->count && s->err.code == 0) {
        struct weft_coll_instr in;
        uint64_t i = c->issued;
        run->alg->instr(run->kind, run->group->n, run->position, i, &in);
        if (in.dep == WEFT_COLL_DEP_ALL && c->ndone < i)
            return;
        if (in.dep == WEFT_COLL_DEP_INSTR && !is_done(c, in.dep_instr))
            return;
        c->issued++;
        if (in.action == WEFT_COLL_SEND) {
            post_send(c, &in);
            mark_done(c, i);
        } else if (weft_u64map_take(&c->npu->early, c->key << s->instr_bits | i, NULL)) {
            take_in(c, i, &in);
        }
    }
    if (c->ndone == run->count && s->err.code == 0)
        chunk_finished(c);
}

static void chunk_begin(void *ctx, uint64_t arg)
{
    struct weft_coll_chunk *c = ctx;
    (void)arg;
    if (c->sys->err.code)
        return;
    c->begun = 1;
    advance(c);
}

static struct weft_coll_chunk *chunk_new(struct weft_coll_run *run)
{
    struct weft_coll_chunk *c = calloc(1, sizeof(*c));
    if (!c)
        return NULL;
    c->run = run;
    c->npu = run->a->npu;
    c->sys = c->npu->sys;
    c->index = run->begun;
    c->key = run->instance << c->sys->chunk_bits | c->index;
    c->bytes = weft_coll_chunk_bytes(run->bytes, c->sys->p->chunks, c->index);
    c->done = &c->one_word;
    c->nwords = 1;
    if (weft_u64map_put(&c->npu->chunks, c->key, c)) {
        free(c);
        return NULL;
    }
    c->prev = run->last;
    if (c->prev)
        c->prev->next = c;
    else
        run->first = c;
    run->last = c;
    run->begun++;
    run->active++;
    return c;
}

/* Begins chunks while the limit allows; ends the op after the last one. */
static void fill(struct weft_coll_run *run)
{
    struct weft_npu *npu = run->a->npu;
    struct weft_system *s = npu->sys;
    if (run->filling)
        return; /* a chunk that ends while it begins: the loop below goes on */
    run->filling = 1;
    while (run->begun < run->nchunks && run->active < s->p->active_chunks && s->err.code == 0) {
        struct weft_coll_chunk *c = chunk_new(run);
        struct weft_err err = {0};
        if (!c)
            fail(run, WEFT_E_LIMIT, "out of memory");
        else if (s->p->endpoint_delay_ps == 0)
            chunk_begin(c, 0);
        else if (s->net->ops->after(s->net, s->p->endpoint_delay_ps, chunk_begin, c, 0, &err))
            weft_system_fail(s, &err);
    }
    run->filling = 0;
    if (run->finished == run->nchunks && s->err.code == 0) {
        weft_npu_done(run->a); /* frees the run */
        weft_npu_issue(npu);
    }
}

void weft_coll_begin(struct weft_active *a)
{
    struct weft_npu *npu = a->npu;
    struct weft_system *s = npu->sys;
    const struct weft_op *op = weft_active_op(a);
    struct weft_coll_run *run = calloc(1, sizeof(*run));
    struct weft_err err = {0};
    if (!run) {
        weft_err_set(&err, WEFT_E_LIMIT, "rank %u: out of memory for a collective", npu->rank);
        weft_system_fail(s, &err);
        return;
    }
    a->coll = run;
    run->a = a;
    if (weft_coll_played_as(op->coll, &run->kind, &err)) {
        weft_system_fail(s, &err);
        return;
    }
    run->alg = s->algorithm[run->kind];
    run->group = &s->w->groups[op->group];
    run->position = weft_position(run->group, s->position[op->group], npu->rank);
    run->instance = npu->state[a->op].instance;
    run->bytes = op->coll == WEFT_COLL_BARRIER ? 0 : op->bytes;
    run->count = run->alg->count(run->kind, run->group->n, run->position);
    if (run->count > 0) /* a group of one has nothing to do */
        run->nchunks = weft_coll_chunks(run->bytes, s->p->chunks);
    fill(run);
}

/* The running chunk with this key, or NULL. Messages mostly come in for the same one. */
static struct weft_coll_chunk *find_chunk(struct weft_npu *npu, uint64_t key)
{
    void *found;
    if (npu->recent && npu->recent->key == key)
        return npu->recent;
    if (!weft_u64map_get(&npu->chunks, key, &found))
        return NULL;
    npu->recent = found;
    return found;
}

void weft_coll_received(struct weft_npu *npu, const struct weft_net_msg *msg)
{
    struct weft_system *s = npu->sys;
    uint64_t i = msg->tag & ((UINT64_C(1) << s->instr_bits) - 1);
    struct weft_coll_chunk *c = find_chunk(npu, msg->tag >> s->instr_bits);
    if (c && c->begun && i < c->issued) {
        struct weft_coll_instr in;
        c->run->alg->instr(c->run->kind, c->run->group->n, c->run->position, i, &in);
        if (in.action == WEFT_COLL_SEND || c->run->group->ranks[in.peer] != msg->src)
            fail(c->run, WEFT_E_INTERNAL, "a message came from the wrong rank");
        else if (take_in(c, i, &in))
            advance(c);
    } else if (weft_u64map_put(&npu->early, msg->tag, NULL)) {
        struct weft_err err = {0};
        weft_err_set(&err, WEFT_E_LIMIT, "rank %u: out of memory for early messages", npu->rank);
        weft_system_fail(s, &err);
    }
}

void weft_coll_run_free(struct weft_coll_run *run)
{
    if (!run)
        return;
    for (struct weft_coll_chunk *c = run->first, *next; c; c = next) {
        next = c->next;
        chunk_free(c);
    }
    free(run);
}

void weft_coll_waits_for(const struct weft_coll_run *run, struct weft_coll_wait *out)
{
    const struct weft_coll_chunk *c = run->first;
    *out =
        (struct weft_coll_wait){.chunk = run->finished, .chunks = run->nchunks, .peer = UINT32_MAX};
    if (!c)
        return;
    out->chunk = c->index;
    if (c->prefix < c->issued) { /* a receive that is posted and not taken in */
        struct weft_coll_instr in;
        run->alg->instr(run->kind, run->group->n, run->position, c->prefix, &in);
        out->step = in.step;
        out->peer = run->group->ranks[in.peer];
    }
}
