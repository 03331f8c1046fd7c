/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * fuse: small collectives become one large one.
 *
 * Members of a communicator must agree on what becomes one. Each rank says which of its collectives
 * of a sort may (buckets.h); stretches, in the order of ids, that all members put into one bucket
 * are fused. A sort is all that a library would want alike: communicator, kind, root, algorithm,
 * priority, dimensions.
 */
#include "workload/whatif/buckets.h"
#include "workload/whatif/edit.h"
#include "workload/whatif/select.h"
#include "workload/whatif/transform.h"
#include "base/compare.h"
#include "base/hash_table.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct fuse {
    struct weft_select select;
    uint64_t size_bytes;
};

static const struct weft_param params[] = {
    {WEFT_ROW_SIZE(struct fuse, size_bytes, "size", "25MiB", "1B", NULL),
     .help = "most bytes of a bucket; a collective of more stays alone",
     .source = "PyTorch DistributedDataParallel, bucket_cap_mb"},
    WEFT_SELECT_OP(struct fuse),
    WEFT_SELECT_COLLECTIVE_PARAMS(struct fuse),
};

/** Collectives of one sort over all ranks. */
struct sort {
    char *key;
    uint32_t number;
    uint32_t n;           /* collectives of a member */
    uint32_t first;       /* the rank that was seen first */
    uint64_t *bytes;      /* of each, in the order of ids */
    uint8_t *starts;      /* of each: whether a bucket begins with it */
    uint32_t seen;        /* of the rank being looked at, counted */
    uint32_t last_bucket; /* of the one counted last */
    bool lost;
    UT_hash_handle hh;
};

struct fusing {
    struct sort *sorts;
    uint32_t nsorts;
};

static int start(struct weft_transform *t, struct weft_err *err)
{
    ((struct fuse *)t->params)->select.kind = WEFT_SELECT_COLLECTIVE;
    return 0;
}

/* "group,kind,root,priority,cpu,algorithm,dimensions" */
static int sort_key(const struct weft_transform *t, const struct weft_et *et,
                    const struct weft_et_node *node, char key[512], struct weft_err *err)
{
    static const char *const texts[] = {"comm_root", "comm_priority", "is_cpu_op", "comm_algorithm",
                                        "involved_dim"};
    uint32_t group;
    if (weft_transform_group(t, et, node, &group, err))
        return err->code;
    size_t used = (size_t)snprintf(key, 512, "%" PRIu32 ",%" PRIu64, group,
                                   weft_node_u64(node, "comm_type", 0));
    for (size_t i = 0; i < sizeof texts / sizeof texts[0] && used < 511; i++) {
        char value[128];
        const struct weft_et_attr *a = weft_et_find(node, texts[i]);
        used += (size_t)snprintf(key + used, 512 - used, ",%s",
                                 a ? weft_et_attr_format(a, value, sizeof value) : "");
    }
    return used < 511 ? 0 : weft_et_node_err(err, WEFT_E_LIMIT, et, node, "its texts are too long");
}

static int find_sort(struct weft_transform *t, uint32_t rank, const char *key, struct sort **out,
                     struct weft_err *err)
{
    struct fusing *f = t->state;
    struct sort *s = NULL;
    HASH_FIND_STR(f->sorts, key, s);
    *out = s;
    if (s)
        return 0;
    s = weft_arena_alloc(t->arena, sizeof *s);
    if (!s || !(s->key = weft_arena_strdup(t->arena, key)))
        return weft_err_no_memory(err, "fusing collectives");
    s->number = f->nsorts++;
    s->first = rank;
    HASH_ADD_KEYPTR(hh, f->sorts, s->key, strlen(s->key), s);
    *out = s;
    return s->lost ? weft_err_no_memory(err, "fusing collectives") : 0;
}

static bool eligible(const struct fuse *p, const struct weft_et_node *node)
{
    return weft_select_node(&p->select, node) && !weft_et_find(node, "comm_send_sizes") &&
           weft_node_u64(node, "comm_type", 9) != 9 &&
           weft_node_u64(node, "comm_size", UINT64_MAX) != UINT64_MAX;
}

/** A rank's collectives of all sorts, by id. */
struct mine {
    struct weft_edit e;
    struct weft_bucketed *list;
    struct sort **sort; /* of each */
    uint32_t n;
};

static int fuse_collect(struct weft_transform *t, uint32_t rank, struct weft_et *et,
                        struct weft_arena *arena, struct mine *m, struct weft_err *err)
{
    char key[512];
    int rc = weft_transform_begin_rank(t, rank, et, err);
    if (!rc)
        rc = weft_edit_start(&m->e, et, arena, err);
    m->list = malloc((et->nnodes + 1) * sizeof *m->list);
    m->sort = malloc((et->nnodes + 1) * sizeof(struct sort *));
    if (!rc && (!m->list || !m->sort))
        rc = weft_err_no_memory(err, "fusing collectives");
    for (uint32_t k = 0; !rc && k < m->e.n; k++) {
        const uint32_t i = m->e.by_id[k];
        const struct weft_et_node *node = &et->nodes[i];
        if (!eligible(t->params, node))
            continue;
        rc = sort_key(t, et, node, key, err);
        if (!rc)
            rc = find_sort(t, rank, key, &m->sort[m->n], err);
        if (rc)
            break;
        m->list[m->n] = (struct weft_bucketed){i, m->sort[m->n]->number, weft_node_bytes(node), 0};
        m->sort[m->n++]->seen = 0;
    }
    return rc;
}

static void fuse_release(struct mine *m)
{
    weft_edit_end(&m->e);
    free(m->list);
    free(m->sort);
}

/* Room for the collectives of sorts that were not seen before; others must have as many as before.
 */
static int size_up(const struct weft_transform *t, uint32_t rank, struct mine *m,
                   struct weft_err *err)
{
    for (uint32_t i = 0; i < m->n; i++)
        m->sort[i]->seen++;
    for (uint32_t i = 0; i < m->n; i++) {
        struct sort *s = m->sort[i];
        if (!s->bytes) {
            s->n = s->seen;
            s->bytes = weft_arena_calloc(t->arena, s->n, sizeof *s->bytes);
            s->starts = weft_arena_calloc(t->arena, s->n, 1);
            if (!s->bytes || !s->starts)
                return weft_err_no_memory(err, "fusing collectives");
        } else if (s->seen != s->n) {
            return weft_et_node_err(err, WEFT_E_INPUT, m->e.et, &m->e.et->nodes[m->list[i].node],
                                    "rank %" PRIu32 " has %" PRIu32
                                    " such collectives of its group, rank %" PRIu32 " has %" PRIu32
                                    ": they cannot be fused alike",
                                    rank, s->seen, s->first, s->n);
        }
    }
    for (uint32_t i = 0; i < m->n; i++)
        m->sort[i]->seen = 0;
    return 0;
}

/* A bucket begins wherever one does on some member. */
static int agree(struct mine *m, uint32_t rank, struct weft_err *err)
{
    for (uint32_t i = 0; i < m->n; i++) {
        struct sort *s = m->sort[i];
        const struct weft_bucketed *b = &m->list[i];
        const uint32_t k = s->seen++;
        if (s->first == rank)
            s->bytes[k] = b->bytes;
        if (s->bytes[k] != b->bytes)
            return weft_et_node_err(err, WEFT_E_INPUT, m->e.et, &m->e.et->nodes[b->node],
                                    "it has %" PRIu64 " bytes, its counterpart on rank %" PRIu32
                                    " %" PRIu64 ": collectives in different orders cannot be fused",
                                    b->bytes, s->first, s->bytes[k]);
        if (k == 0 || s->last_bucket != b->bucket)
            s->starts[k] = 1;
        s->last_bucket = b->bucket;
    }
    return 0;
}

static int look(struct weft_transform *t, uint32_t rank, const struct weft_et *et,
                struct weft_err *err)
{
    struct mine m = {0};
    int rc = fuse_collect(t, rank, (struct weft_et *)(uintptr_t)et, NULL, &m, err);
    if (!rc)
        rc = size_up(t, rank, &m, err);
    if (!rc)
        rc = weft_buckets_fill(&m.e, m.list, m.n, ((struct fusing *)t->state)->nsorts,
                               ((const struct fuse *)t->params)->size_bytes, err);
    if (!rc)
        rc = agree(&m, rank, err);
    fuse_release(&m);
    return rc;
}

/** Collectives of one sort that become one: some of the list, in the order of ids. */
struct run {
    const uint32_t *at; /* in the list */
    uint32_t n;
};

/* What the members wait for, but for each other; run_of: of a node, the run that it is in. */
static uint64_t *all_deps(const struct mine *m, struct run run, const uint32_t *run_of, size_t *n)
{
    const struct weft_et_node *nodes = m->e.et->nodes;
    const uint32_t own = run_of[m->list[run.at[0]].node];
    size_t most = 0;
    for (uint32_t i = 0; i < run.n; i++)
        most +=
            nodes[m->list[run.at[i]].node].nctrl_deps + nodes[m->list[run.at[i]].node].ndata_deps;
    uint64_t *list = weft_arena_calloc(m->e.arena, most, sizeof *list);
    *n = 0;
    for (uint32_t i = 0; list && i < run.n; i++) {
        const struct weft_et_node *node = &nodes[m->list[run.at[i]].node];
        for (size_t k = 0; k < node->nctrl_deps + node->ndata_deps; k++) {
            const uint64_t id =
                k < node->nctrl_deps ? node->ctrl_deps[k] : node->data_deps[k - node->nctrl_deps];
            const uint32_t d = weft_edit_find(&m->e, id);
            if (d == UINT32_MAX || run_of[d] != own)
                list[(*n)++] = id;
        }
    }
    if (list)
        qsort(list, *n, sizeof *list, weft_by_u64);
    const size_t all = *n;
    for (size_t k = *n = 0; list && k < all; k++)
        if (*n == 0 || list[k] != list[*n - 1])
            list[(*n)++] = list[k];
    return list;
}

/* Makes one of a run; the last stays. */
static int fuse_run(struct mine *m, struct run run, uint32_t *run_of, struct weft_err *err)
{
    struct weft_et *et = m->e.et;
    const uint32_t kept = m->list[run.at[run.n - 1]].node;
    uint64_t bytes = 0;
    size_t ndeps;
    for (uint32_t i = 0; i < run.n; i++) {
        bytes += m->list[run.at[i]].bytes;
        run_of[m->list[run.at[i]].node] = kept + 1;
    }
    const uint64_t *deps = all_deps(m, run, run_of, &ndeps);
    const char *name = weft_arena_printf(m->e.arena, "%s+%" PRIu32 " fused",
                                         et->nodes[m->list[run.at[0]].node].name, run.n - 1);
    if (!deps || !name)
        return weft_err_no_memory(err, "fusing collectives");
    for (uint32_t i = 0; i + 1 < run.n; i++)
        weft_edit_merge(&m->e, m->list[run.at[i]].node, kept);
    et->nodes[kept].name = name;
    et->nodes[kept].nctrl_deps = 0;
    et->nodes[kept].data_deps = deps;
    et->nodes[kept].ndata_deps = ndeps;
    return weft_node_set_u64(&et->nodes[kept], m->e.arena, "comm_size", bytes, err);
}

/* Fuses each run of the list, whose order is that of sorts, then of ids. */
static int fuse_all(struct weft_transform *t, struct mine *m, const uint32_t *order,
                    uint32_t *run_of, struct weft_err *err)
{
    int rc = 0;
    for (uint32_t i = 0, n; !rc && i < m->n; i += n) {
        struct sort *s = m->sort[order[i]];
        const uint32_t k = s->seen;
        for (n = 1; k + n < s->n && !s->starts[k + n];)
            n++;
        s->seen += n;
        if (n == 1)
            continue;
        rc = fuse_run(m, (struct run){order + i, n}, run_of, err);
        t->touched += n;
    }
    return rc;
}

static int apply(struct weft_transform *t, uint32_t rank, struct weft_et *et,
                 struct weft_arena *arena, struct weft_err *err)
{
    struct mine m = {0};
    const uint32_t nsorts = ((const struct fusing *)t->state)->nsorts;
    int rc = fuse_collect(t, rank, et, arena, &m, err);
    uint32_t *order = calloc(et->nnodes + 1, sizeof *order);
    uint32_t *run_of = calloc(et->nnodes + 1, sizeof *run_of);
    uint32_t *first = calloc((size_t)nsorts + 2, sizeof *first);
    if (!rc && (!order || !run_of || !first))
        rc = weft_err_no_memory(err, "fusing collectives");
    if (!rc) {
        for (uint32_t i = 0; i < m.n; i++)
            first[m.list[i].sort + 1]++;
        for (uint32_t s = 0; s < nsorts; s++)
            first[s + 1] += first[s];
        for (uint32_t i = 0; i < m.n; i++)
            order[first[m.list[i].sort]++] = i;
        rc = fuse_all(t, &m, order, run_of, err);
    }
    if (!rc)
        rc = weft_edit_finish(&m.e, err);
    free(order);
    free(run_of);
    free(first);
    fuse_release(&m);
    return rc;
}

static void end(struct weft_transform *t)
{
    struct fusing *f = t->state;
    HASH_CLEAR(hh, f->sorts);
}

const struct weft_transform_ops weft_transform_fuse = {
    .name = "fuse",
    .title = "small collectives of a communicator gathered into buckets",
    .source = "Li et al., PyTorch Distributed, PVLDB 13(12), 2020; Daydream, USENIX ATC 2020",
    .params = WEFT_PARAM_TABLE(params, struct fuse),
    .state_size = sizeof(struct fusing),
    .start = start,
    .look = look,
    .apply = apply,
    .end = end,
};
