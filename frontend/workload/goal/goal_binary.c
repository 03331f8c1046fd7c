/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The binary form of GOAL, read and written. Little-endian and packed:
 *
 *   u64 4223; then, where all offsets count from: u32 ranks, u8 highest cpu, u8 highest nic, per
 *   rank {u64 begin, u64 end}; the blocks of the ranks.
 *   Block: u32 operations, u32 roots, u32 root[]; operations of 39 bytes; a pool of u32 indices.
 *   Operation: u32 dependencies, u8 kind, u32 peer, u64 value, u32 tag, u8 cpu, u8 nic, and two
 *   ranges of the pool, {u32 how many, u32 first} each: what waits for its end, what for its start.
 */
#include "workload/goal/goal_internal.h"

#include "base/file.h"
#include "workload/trace_files.h"

#include <inttypes.h>
#include <stdlib.h>

enum { HEAD = 8, OP_BYTES = 39, FIXED = 6, ENTRY = 16 };

struct reader {
    struct weft_goal *g;
    const unsigned char *at; /* behind the magic number */
    uint64_t size;           /* of that */
    const char *file;
    struct weft_err *err;
};

static uint64_t get(const unsigned char *p, int bytes)
{
    uint64_t v = 0;
    for (int i = bytes; i-- > 0;)
        v = v << 8 | p[i];
    return v;
}

static int goal_binary_fail(const struct reader *r, uint64_t at, const char *what)
{
    return weft_err_at_byte(r->err, WEFT_E_INPUT, r->file, (int64_t)(at + HEAD), "%s", what);
}

/* A block: where its parts are, and how large. */
struct block {
    uint32_t nops, nroots, npool;
    const unsigned char *ops, *pool;
    uint64_t begin; /* its offset */
};

static int read_op(const struct reader *r, const struct block *b, uint32_t i,
                   struct weft_goal_rank *k, uint32_t *waits)
{
    const unsigned char *p = b->ops + (size_t)i * OP_BYTES;
    const uint64_t at = (uint64_t)(p - r->at);
    struct weft_goal_op *op = &k->ops[i];
    *op = (struct weft_goal_op){.kind = p[4],
                                .peer = (uint32_t)get(p + 5, 4),
                                .value = get(p + 9, 8),
                                .tag = (uint32_t)get(p + 17, 4),
                                .cpu = p[21],
                                .nic = p[22]};
    if (op->kind < WEFT_GOAL_SEND || op->kind > WEFT_GOAL_CALC)
        return goal_binary_fail(r, at + 4,
                                "the kind of an operation is not 1 (send), 2 (recv) or 3 (calc)");
    if (op->value > INT64_MAX)
        return goal_binary_fail(r, at + 9, "a size or time is above 2^63 - 1");
    for (int late = 0; late < 2; late++) {
        const uint64_t n = get(p + 23 + 8 * late, 4), first = get(p + 27 + 8 * late, 4);
        if (n && (first > b->npool || n > b->npool - first))
            return goal_binary_fail(r, at + 23, "a list of what waits lies outside of its block");
        for (uint64_t j = 0; j < n; j++) {
            const uint32_t to = (uint32_t)get(b->pool + 4 * (first + j), 4);
            if (to >= b->nops || to == i)
                return goal_binary_fail(r, at + 23,
                                        "what waits for an operation is not another of its rank");
            if (k->ndeps >= b->npool)
                return goal_binary_fail(r, at + 23, "lists of what waits overlap");
            k->deps[k->ndeps++] = (struct weft_goal_dep){to, i, late == 1};
            waits[to]++;
        }
    }
    return 0;
}

/* What a block says twice must agree. */
static int check_block(const struct reader *r, const struct block *b, const uint32_t *waits)
{
    uint32_t roots = 0;
    for (uint32_t i = 0; i < b->nops; i++) {
        const unsigned char *p = b->ops + (size_t)i * OP_BYTES;
        roots += waits[i] == 0;
        if (get(p, 4) != waits[i])
            return goal_binary_fail(
                r, (uint64_t)(p - r->at),
                "an operation says that it waits for another number than wait lists have");
    }
    return roots == b->nroots
               ? 0
               : goal_binary_fail(r, b->begin + 4,
                                  "the number of operations that wait for nothing is wrong");
}

static int read_rank(const struct reader *r, uint64_t begin, uint64_t end, struct weft_goal_rank *k)
{
    if (begin > end || end > r->size || end - begin < 8)
        return goal_binary_fail(r, begin < r->size ? begin : 0,
                                "the block of a rank lies outside of the file");
    struct block b = {.begin = begin,
                      .nops = (uint32_t)get(r->at + begin, 4),
                      .nroots = (uint32_t)get(r->at + begin + 4, 4)};
    const uint64_t room = end - begin - 8;
    const uint64_t fixed = (uint64_t)b.nroots * 4 + (uint64_t)b.nops * OP_BYTES;
    if (fixed > room || (room - fixed) % 4 || b.nops > WEFT_GOAL_OPS_MAX ||
        (room - fixed) / 4 > WEFT_GOAL_OPS_MAX)
        return goal_binary_fail(r, begin, "the operations of a rank do not fit into its block");
    b.npool = (uint32_t)((room - fixed) / 4);
    b.ops = r->at + begin + 8 + (size_t)b.nroots * 4;
    b.pool = b.ops + (size_t)b.nops * OP_BYTES;
    k->ops = weft_arena_calloc(r->g->arena, b.nops, sizeof *k->ops);
    k->deps = weft_arena_calloc(r->g->arena, b.npool, sizeof *k->deps);
    uint32_t *waits = calloc((size_t)b.nops + 1, sizeof *waits);
    int rc = k->ops && k->deps && waits ? 0 : weft_err_no_memory(r->err, "a GOAL schedule");
    k->nops = rc ? 0 : b.nops;
    for (uint32_t i = 0; !rc && i < b.nops; i++)
        rc = read_op(r, &b, i, k, waits);
    if (!rc)
        rc = check_block(r, &b, waits);
    free(waits);
    return rc;
}

int weft_goal_read_binary(const char *path, const char *data, size_t size, struct weft_goal **out,
                          struct weft_err *err)
{
    struct reader r = {
        .at = (const unsigned char *)data + HEAD, .size = size - HEAD, .file = path, .err = err};
    if (r.size < FIXED)
        return goal_binary_fail(&r, 0, "the file ends within its head");
    const uint64_t n = get(r.at, 4);
    if (n == 0 || n > WEFT_TRACE_RANKS_MAX || (r.size - FIXED) / ENTRY < n)
        return goal_binary_fail(&r, 0,
                                "the number of ranks is 0, or more than the file has blocks for");
    r.g = *out = weft_goal_new((uint32_t)n, path, err);
    if (!r.g)
        return err->code;
    r.g->binary = true;
    int rc = 0;
    uint64_t last = 0;
    for (uint64_t i = 0; !rc && i < n; i++) {
        const unsigned char *entry = r.at + FIXED + i * ENTRY;
        const uint64_t end = get(entry + 8, 8);
        rc = read_rank(&r, get(entry, 8), end, &r.g->ranks[i]);
        last = end > last ? end : last;
    }
    return rc || last == r.size ? rc
                                : goal_binary_fail(&r, last, "more follows behind the last rank");
}

/* --- writing --- */

static void goal_binary_put(FILE *f, uint64_t v, int bytes)
{
    for (int i = 0; i < bytes; i++)
        fputc((int)(v >> (8 * i) & 0xff), f);
}

/* How many wait for each operation, by way: [2 * op] for its end, [2 * op + 1] for its start. */
struct waiting {
    uint32_t *n, *first, *pool, *waits;
};

static int sort_waiting(const struct weft_goal_rank *k, struct waiting *w, struct weft_err *err)
{
    const size_t lists = 2 * (size_t)k->nops + 1;
    uint32_t next = 0;
    w->n = calloc(lists, sizeof *w->n);
    w->first = calloc(lists, sizeof *w->first);
    w->pool = calloc((size_t)k->ndeps + 1, sizeof *w->pool);
    w->waits = calloc((size_t)k->nops + 1, sizeof *w->waits);
    if (!w->n || !w->first || !w->pool || !w->waits)
        return weft_err_no_memory(err, "a GOAL schedule");
    for (uint32_t i = 0; i < k->ndeps; i++) {
        w->n[2 * k->deps[i].on + k->deps[i].start]++;
        w->waits[k->deps[i].op]++;
    }
    for (size_t i = 0; i + 1 < lists; i++) {
        w->first[i] = next;
        next += w->n[i];
        w->n[i] = 0;
    }
    for (uint32_t i = 0; i < k->ndeps; i++) {
        const uint32_t list = 2 * k->deps[i].on + k->deps[i].start;
        w->pool[w->first[list] + w->n[list]++] = k->deps[i].op;
    }
    return 0;
}

static int goal_binary_write_rank(const struct weft_goal_rank *k, FILE *f, struct weft_err *err)
{
    struct waiting w = {0};
    uint32_t roots = 0;
    int rc = sort_waiting(k, &w, err);
    for (uint32_t i = 0; !rc && i < k->nops; i++)
        roots += !w.waits[i];
    if (!rc) {
        goal_binary_put(f, k->nops, 4);
        goal_binary_put(f, roots, 4);
    }
    for (uint32_t i = 0; !rc && i < k->nops; i++)
        if (!w.waits[i])
            goal_binary_put(f, i, 4);
    for (uint32_t i = 0; !rc && i < k->nops; i++) {
        const struct weft_goal_op *op = &k->ops[i];
        goal_binary_put(f, w.waits[i], 4);
        goal_binary_put(f, op->kind, 1);
        goal_binary_put(f, op->peer, 4);
        goal_binary_put(f, op->value, 8);
        goal_binary_put(f, op->tag, 4);
        goal_binary_put(f, op->cpu, 1);
        goal_binary_put(f, op->nic, 1);
        for (int late = 0; late < 2; late++) {
            goal_binary_put(f, w.n[2 * i + late], 4);
            goal_binary_put(f, w.first[2 * i + late], 4);
        }
    }
    for (uint32_t i = 0; !rc && i < k->ndeps; i++)
        goal_binary_put(f, w.pool[i], 4);
    free(w.n);
    free(w.first);
    free(w.pool);
    free(w.waits);
    return rc;
}

static uint64_t block_bytes(const struct weft_goal_rank *k)
{
    uint64_t roots = k->nops;
    unsigned char *waits = calloc((size_t)k->nops + 1, 1);
    for (uint32_t i = 0; waits && i < k->ndeps; i++)
        if (!waits[k->deps[i].op]) {
            waits[k->deps[i].op] = 1;
            roots--;
        }
    const bool ok = waits != NULL;
    free(waits);
    return ok ? 8 + 4 * roots + (uint64_t)OP_BYTES * k->nops + 4 * (uint64_t)k->ndeps : 0;
}

static int goal_binary_write_all(const struct weft_goal *g, FILE *f, struct weft_err *err)
{
    uint64_t at = FIXED + (uint64_t)ENTRY * g->nranks;
    int rc = 0;
    goal_binary_put(f, WEFT_GOAL_MAGIC, 8);
    goal_binary_put(f, g->nranks, 4);
    goal_binary_put(f, g->ncpus - 1, 1);
    goal_binary_put(f, g->nnics - 1, 1);
    for (uint32_t r = 0; r < g->nranks; r++) {
        const uint64_t bytes = block_bytes(&g->ranks[r]);
        if (!bytes)
            return weft_err_no_memory(err, "a GOAL schedule");
        goal_binary_put(f, at, 8);
        goal_binary_put(f, at += bytes, 8);
    }
    for (uint32_t r = 0; !rc && r < g->nranks; r++)
        rc = goal_binary_write_rank(&g->ranks[r], f, err);
    return rc;
}

int weft_goal_write_binary(const struct weft_goal *g, const char *path, struct weft_err *err)
{
    struct weft_memfile m;
    if (g->ncpus > 256 || g->nnics > 256)
        return weft_err_at(
            err, WEFT_E_INPUT, g->file, 0, 0,
            "the binary form has room for cpus and nics up to 255; there are %" PRIu32
            " and %" PRIu32 ": write the text form",
            g->ncpus - 1, g->nnics - 1);
    int rc = weft_memfile_open(&m, "a GOAL schedule", err);
    if (rc)
        return rc;
    rc = goal_binary_write_all(g, m.f, err);
    return weft_memfile_write(&m, "a GOAL schedule", path, rc, err);
}
