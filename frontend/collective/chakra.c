/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Algorithms written as Chakra traces, one per position in the group: PREFIX.<position>.et with
 * SEND, RECV, COMP and METADATA nodes (ASTRA-sim's custom collectives; collectiveapi writes them).
 *
 * The k-th SEND of a (source, destination, tag) meets the k-th RECV of it, in ascending id. A chain
 * of nodes is a lane; further dependencies are instructions that only wait. Sizes are those of the
 * trace for a collective of `size`, and scaled for any other. Computations take what is recorded.
 *
 * Such traces say nothing about what data a message carries, so that they can't be proved; what is
 * checked is that every message has two ends of equal size.
 */
#include "base/int128.h"
#include "base/file.h"
#include "collective/collective.h"
#include "workload/chakra_read.h"

#include <stdbool.h>
#include <inttypes.h>
#include <stdlib.h>

struct params {
    const char *file;
    uint64_t size_bytes;
};

static const struct weft_param params[] = {
    {WEFT_ROW_STRING(struct params, file, "file", NULL),
     .help = "prefix of the trace files PREFIX.<position>.et",
     .source = "ASTRA-sim custom collectives"},
    {WEFT_ROW_SIZE(struct params, size_bytes, "size", "0", NULL, NULL),
     .help = "size of the collective that the traces are for; 0: use their sizes for every size, "
             "in one chunk"},
};

struct lane {
    struct weft_coll_instr *instrs;
    uint64_t *bytes;
    uint64_t n, cap;
};

struct rank {
    struct lane *lanes;
    uint32_t nlanes;
};

struct program {
    struct weft_arena *arena;
    uint32_t n;
    uint64_t size_bytes;
    struct rank *ranks;
};

static const struct program *program_of(const struct weft_coll_call *c)
{
    return c->program;
}

static bool chakra_supports(const struct weft_coll_call *c, const char **why)
{
    if (c->n == 1 || (c->n == program_of(c)->n && !c->pairs))
        return true;
    if (why)
        *why = c->pairs ? "a trace has no sizes that differ from pair to pair"
                        : "the traces are for another number of ranks";
    return false;
}

static uint32_t chakra_lanes(const struct weft_coll_call *c, uint32_t rank)
{
    return c->n == 1 || program_of(c)->ranks[rank].nlanes == 0 ? 1
                                                               : program_of(c)->ranks[rank].nlanes;
}

static uint64_t chakra_count(const struct weft_coll_call *c, uint32_t rank, uint32_t lane)
{
    const struct rank *r = &program_of(c)->ranks[rank];
    return c->n == 1 || lane >= r->nlanes ? 0 : r->lanes[lane].n;
}

static void chakra_instr(const struct weft_coll_call *c, uint32_t rank, uint32_t lane, uint64_t i,
                         struct weft_coll_instr *out)
{
    *out = program_of(c)->ranks[rank].lanes[lane].instrs[i];
}

static uint64_t bytes(const struct weft_coll_call *c, uint32_t rank, uint32_t lane, uint64_t i)
{
    const struct program *p = program_of(c);
    uint64_t b = p->ranks[rank].lanes[lane].bytes[i];
    return p->size_bytes ? (uint64_t)((weft_u128)b * c->bytes / p->size_bytes) : b;
}

extern const struct weft_coll_ops weft_coll_chakra;

static uint64_t chakra_total_bytes(const struct weft_coll_call *c)
{
    return weft_coll_sent_bytes(&weft_coll_chakra, c);
}

/* --- reading --- */

/* Where an op of a rank went. */
struct place {
    uint32_t lane;
    uint64_t instr;
};

struct message;

/* What goes through the reading of one rank. */
struct reader {
    struct program *p;
    const struct weft_dag *dag;
    uint32_t rank;
    struct place *places;     /* per op */
    uint32_t *parents;        /* concatenated */
    uint64_t *first;          /* per op + 1: index into parents */
    struct message *messages; /* by kind, peer, tag and op */
    size_t nmessages;
};

static struct weft_coll_instr *chakra_add(struct program *p, struct lane *l, uint64_t bytes)
{
    if (l->n == l->cap) {
        uint64_t cap = l->cap ? 2 * l->cap : 8;
        struct weft_coll_instr *in = weft_arena_calloc(p->arena, cap, sizeof *in);
        uint64_t *b = weft_arena_calloc(p->arena, cap, sizeof *b);
        if (!in || !b)
            return NULL;
        for (uint64_t i = 0; i < l->n; i++) {
            in[i] = l->instrs[i];
            b[i] = l->bytes[i];
        }
        l->instrs = in;
        l->bytes = b;
        l->cap = cap;
    }
    l->bytes[l->n] = bytes;
    return &l->instrs[l->n++];
}

static int find_parents(struct reader *r)
{
    const struct weft_dag *d = r->dag;
    uint64_t total = 0;
    r->first = calloc((uint64_t)d->nops + 2, sizeof *r->first);
    r->places = calloc((uint64_t)d->nops + 1, sizeof *r->places);
    if (!r->first || !r->places)
        return -1;
    for (uint32_t i = 0; i < d->nops; i++)
        total += r->first[i + 1] = d->ops[i].nparents;
    r->parents = calloc(total + 1, sizeof *r->parents);
    uint64_t *fill = calloc((uint64_t)d->nops + 1, sizeof *fill);
    if (!r->parents || !fill) {
        free(fill);
        return -1;
    }
    for (uint32_t i = 0; i < d->nops; i++) {
        r->first[i + 1] += r->first[i];
        fill[i] = r->first[i];
    }
    for (uint32_t i = 0; i < d->nops; i++)
        for (uint32_t k = 0; k < d->ops[i].nchildren; k++)
            r->parents[fill[d->children[d->ops[i].first_child + k]]++] = i;
    free(fill);
    return 0;
}

/* A lane whose last op is a parent of op i, else a new one. */
static struct lane *lane_of(struct reader *r, uint32_t i, uint32_t *number)
{
    struct rank *k = &r->p->ranks[r->rank];
    for (uint64_t j = r->first[i]; j < r->first[i + 1]; j++) {
        struct place at = r->places[r->parents[j]];
        if (k->lanes[at.lane].n == at.instr + 1) {
            *number = at.lane;
            return &k->lanes[at.lane];
        }
    }
    *number = k->nlanes;
    return &k->lanes[k->nlanes++];
}

static int add_op(struct reader *r, uint32_t i, struct weft_err *err)
{
    const struct weft_op *op = &r->dag->ops[i];
    uint32_t number;
    struct lane *l = lane_of(r, i, &number);
    struct weft_coll_instr *in = NULL;
    uint64_t parents = r->first[i + 1] - r->first[i];
    for (uint64_t j = 0; j < parents || j == 0; j++) {
        bool last = j + 1 >= parents;
        in = chakra_add(r->p, l, last && op->kind != WEFT_OP_COMP ? op->bytes : 0);
        if (!in)
            return weft_err_no_memory(err, "traces");
        in->action = WEFT_COLL_NOP;
        if (parents) {
            struct place at = r->places[r->parents[r->first[i] + j]];
            in->dep = WEFT_COLL_DEP_INSTR;
            in->dep_lane = at.lane;
            in->dep_instr = at.instr;
        }
    }
    r->places[i] = (struct place){number, l->n - 1};
    in->nblocks = 1;
    in->peer = op->peer;
    in->step = i;
    switch (op->kind) {
    case WEFT_OP_SEND:
        in->action = WEFT_COLL_SEND;
        return 0;
    case WEFT_OP_RECV:
        in->action = WEFT_COLL_RECV;
        return 0;
    case WEFT_OP_COMP:
        in->action = WEFT_COLL_COMPUTE;
        in->duration_ps = op->duration_ps;
        return 0;
    case WEFT_OP_META:
        return 0;
    default:
        return weft_err_set(err, WEFT_E_INPUT,
                            "position %u, node %" PRIu64
                            " '%s': a collective's trace consists of SEND, "
                            "RECV, COMP and METADATA nodes",
                            r->rank, op->id, op->name);
    }
}

/* Adds the ops of a rank in an order that has parents first. */
static int read_rank(struct reader *r, struct weft_err *err)
{
    const struct weft_dag *d = r->dag;
    struct rank *k = &r->p->ranks[r->rank];
    uint32_t *left = calloc((uint64_t)d->nops + 1, sizeof *left);
    uint32_t *queue = calloc((uint64_t)d->nops + 1, sizeof *queue);
    uint32_t head = 0, tail = 0;
    k->lanes = weft_arena_calloc(r->p->arena, (uint64_t)d->nops + 1, sizeof *k->lanes);
    int rc =
        left && queue && k->lanes && find_parents(r) == 0 ? 0 : weft_err_no_memory(err, "traces");
    for (uint32_t i = 0; !rc && i < d->nops; i++) {
        left[i] = d->ops[i].nparents;
        if (left[i] == 0)
            queue[tail++] = i;
    }
    while (!rc && head < tail) {
        uint32_t i = queue[head++];
        rc = add_op(r, i, err);
        for (uint32_t c = 0; !rc && c < d->ops[i].nchildren; c++) {
            uint32_t child = d->children[d->ops[i].first_child + c];
            if (--left[child] == 0)
                queue[tail++] = child;
        }
    }
    free(left);
    free(queue);
    return rc;
}

/* What messages are matched by, in order: the k-th of a kind, peer and tag meets the k-th of its
 * like. */
struct message {
    enum weft_op_kind kind;
    uint32_t peer;
    uint64_t tag;
    uint32_t op;
};

static int by_match(const void *pa, const void *pb)
{
    const struct message *a = pa, *b = pb;
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    if (a->peer != b->peer)
        return a->peer < b->peer ? -1 : 1;
    if (a->tag != b->tag)
        return a->tag < b->tag ? -1 : 1;
    return a->op < b->op ? -1 : a->op > b->op;
}

static int sort_messages(struct reader *r)
{
    const struct weft_dag *d = r->dag;
    r->messages = malloc(((size_t)d->nops + 1) * sizeof *r->messages);
    if (!r->messages)
        return -1;
    for (uint32_t i = 0; i < d->nops; i++)
        if (d->ops[i].kind == WEFT_OP_SEND || d->ops[i].kind == WEFT_OP_RECV)
            r->messages[r->nmessages++] =
                (struct message){d->ops[i].kind, d->ops[i].peer, d->ops[i].tag, i};
    qsort(r->messages, r->nmessages, sizeof *r->messages, by_match);
    return 0;
}

/* How many messages of a rank come before @p m. */
static size_t messages_before(const struct reader *r, const struct message *m)
{
    size_t low = 0, high = r->nmessages;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (by_match(&r->messages[mid], m) < 0)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

/* The op of another rank that op i meets; that rank's nops when there is none. */
static uint32_t other_end(const struct reader *rs, uint32_t rank, uint32_t i)
{
    const struct weft_op *op = &rs[rank].dag->ops[i];
    const struct reader *other = &rs[op->peer];
    struct message m = {op->kind, op->peer, op->tag, i};
    size_t k = messages_before(&rs[rank], &m);
    m.op = 0;
    k -= messages_before(&rs[rank], &m); /* which of its like it is */
    m.kind = op->kind == WEFT_OP_SEND ? WEFT_OP_RECV : WEFT_OP_SEND;
    m.peer = rank;
    k += messages_before(other, &m);
    const struct message *got = k < other->nmessages ? &other->messages[k] : NULL;
    return got && got->kind == m.kind && got->peer == rank && got->tag == op->tag
               ? got->op
               : other->dag->nops;
}

static int match(struct reader *rs, uint32_t rank, struct weft_err *err)
{
    const struct weft_dag *d = rs[rank].dag;
    for (uint32_t i = 0; i < d->nops; i++) {
        const struct weft_op *op = &d->ops[i];
        if (op->kind != WEFT_OP_SEND && op->kind != WEFT_OP_RECV)
            continue;
        const struct weft_dag *other = rs[op->peer].dag;
        uint32_t j = other_end(rs, rank, i);
        if (j == other->nops || other->ops[j].bytes != op->bytes)
            return weft_err_set(
                err, WEFT_E_INPUT,
                "position %u, node %" PRIu64 " '%s': position %u has no %s of this size "
                "and tag for it",
                rank, op->id, op->name, op->peer, op->kind == WEFT_OP_SEND ? "receive" : "send");
        if (op->kind == WEFT_OP_RECV)
            continue;
        struct place at = rs[rank].places[i], there = rs[op->peer].places[j];
        struct weft_coll_instr *in = &rs[rank].p->ranks[rank].lanes[at.lane].instrs[at.instr];
        in->peer_lane = there.lane;
        in->peer_instr = there.instr;
    }
    return 0;
}

static int build(struct program *p, const struct weft_workload *w, struct weft_err *err)
{
    struct reader *rs = calloc(w->nranks, sizeof *rs);
    p->n = w->nranks;
    p->ranks = weft_arena_calloc(p->arena, p->n, sizeof *p->ranks);
    int rc = rs && p->ranks ? 0 : weft_err_no_memory(err, "traces");
    for (uint32_t r = 0; !rc && r < p->n; r++) {
        rs[r] = (struct reader){.p = p, .dag = &w->dags[r], .rank = r};
        rc = read_rank(&rs[r], err);
        if (!rc && sort_messages(&rs[r]))
            rc = weft_err_no_memory(err, "traces");
    }
    for (uint32_t r = 0; !rc && r < p->n; r++)
        rc = match(rs, r, err);
    for (uint32_t r = 0; rs && r < p->n; r++) {
        free(rs[r].places);
        free(rs[r].parents);
        free(rs[r].first);
        free(rs[r].messages);
    }
    free(rs);
    return rc;
}

static void chakra_unload(void *program)
{
    weft_arena_free(((struct program *)program)->arena);
}

static int chakra_load(const void *given, const char *dir, void **program, struct weft_err *err)
{
    const struct params *q = given;
    struct weft_workload *w = NULL;
    char path[WEFT_PATH_MAX];
    int rc = weft_path_join(path, dir, q->file, err);
    if (!rc)
        rc = weft_chakra_read(path, 0, NULL, &w, err);
    if (rc)
        return rc;
    struct weft_arena *arena = weft_arena_new();
    struct program *p = arena ? weft_arena_alloc(arena, sizeof *p) : NULL;
    if (p) {
        *p = (struct program){.arena = arena, .size_bytes = q->size_bytes};
        rc = build(p, w, err);
    } else {
        rc = weft_err_no_memory(err, "traces");
    }
    weft_workload_free(w);
    if (rc)
        weft_arena_free(arena);
    else
        *program = p;
    return rc;
}

static bool uncut(const void *program)
{
    return ((const struct program *)program)->size_bytes == 0;
}

const struct weft_coll_ops weft_coll_chakra = {
    .name = "chakra",
    .title = "a program from Chakra traces, one per rank, scaled to the size",
    .source = "ASTRA-sim custom collectives",
    .params = WEFT_PARAM_TABLE(params, struct params),
    .supports = chakra_supports,
    .uncut = uncut,
    .lanes = chakra_lanes,
    .count = chakra_count,
    .instr = chakra_instr,
    .total_bytes = chakra_total_bytes,
    .load = chakra_load,
    .unload = chakra_unload,
    .bytes = bytes,
};
