/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * MSCCL++ execution plans (JSON, github.com/microsoft/mscclpp): per GPU, threadblocks of operations
 * that write into and read from other GPUs' buffers, with semaphores between.
 *
 * What a threadblock writes elsewhere is received there by a lane of its own, in its order; so are
 * its signals, but those that are relaxed come in a lane beside, since they say nothing about what
 * was written before. A read asks a lane of the GPU that has the data. A signal, and a question, is
 * a message of 8 bytes. The j-th wait on a channel is for the j-th signal of its other end: the
 * k-th channel from a to b and the k-th from b to a are one. A packet (LL) is waited for where it
 * is read. A semaphore is the same within a GPU. A group of threadblocks shares an operation: each
 * has its pieces of the chunks, which the program counts in such pieces. A pipeline is played as
 * one round over whole chunks.
 */
#include "collective/mscclpp.h"

#include <string.h>

static int wrong_plan(struct mscclpp *p, const struct weft_tree *at, const char *what)
{
    return p->code = weft_tree_err(at, p->file, p->err, "%s", what);
}

/* @p none: without it; -1: it has to be there. */
static bool count_of(const struct weft_tree *o, const char *key, int64_t none, uint64_t *out)
{
    const struct weft_tree *n = mscclpp_find(o, key);
    const int64_t v = n ? mscclpp_whole(n) : none;
    *out = (uint64_t)v;
    return v >= 0 && v <= MSCCLPP_CHUNKS_MAX;
}

/* Pieces of a chunk such that each threadblock of a group has whole ones. */
static uint64_t least_multiple(uint64_t a, uint64_t b)
{
    uint64_t x = a, y = b;
    while (y) {
        const uint64_t rest = x % y;
        x = y;
        y = rest;
    }
    return a / x * b;
}

static int find_groups(struct mscclpp *p, const struct weft_tree *ops)
{
    for (const struct weft_tree *o = ops ? ops->first : NULL; !p->code && o; o = o->next) {
        const struct weft_tree *group = weft_tree_get(o, "tbg_info");
        const int64_t n = group ? mscclpp_whole(weft_tree_get(group, "tbg_size")) : 1;
        if (n < 1 || n > MSCCLPP_FINE_MAX ||
            least_multiple(p->m->fine, (uint64_t)n) > MSCCLPP_FINE_MAX)
            return wrong_plan(p, o,
                              "a group of threadblocks (tbg_info) cuts a chunk into more than "
                              "1024 pieces, or its tbg_size is missing");
        p->m->fine = least_multiple(p->m->fine, (uint64_t)n);
        find_groups(p, weft_tree_get(o, "ops"));
    }
    return p->code;
}

static int read_gpu_sizes(struct mscclpp *p, uint32_t rank, const struct weft_tree *gpu)
{
    struct weft_msccl *m = p->m;
    struct weft_msccl_gpu *g = &m->gpus[rank];
    const struct weft_tree *tbs = weft_tree_get(gpu, "threadblocks");
    uint64_t id;
    if (!count_of(gpu, "id", -1, &id) || id != rank)
        return wrong_plan(p, gpu, "GPUs must be numbered 0, 1, 2 ... in order (\"id\")");
    if (!count_of(gpu, "input_chunks", -1, &g->in_chunks) ||
        !count_of(gpu, "output_chunks", -1, &g->out_chunks) ||
        !count_of(gpu, "scratch_chunks", 0, &g->scratch_chunks))
        return wrong_plan(p, gpu,
                          "a GPU needs input_chunks and output_chunks as numbers (a template, with "
                          "${...}, has to be filled in first)");
    if (!tbs || tbs->kind != WEFT_TREE_LIST || tbs->n > MSCCLPP_TBS_MAX)
        return wrong_plan(p, gpu, "a GPU needs threadblocks, at most 1024");
    g->in_chunks *= m->fine;
    g->out_chunks *= m->fine;
    g->scratch_chunks *= m->fine;
    m->inputs_max = g->in_chunks > m->inputs_max ? g->in_chunks : m->inputs_max;
    m->outputs_max = g->out_chunks > m->outputs_max ? g->out_chunks : m->outputs_max;
    m->scratch_max = g->scratch_chunks > m->scratch_max ? g->scratch_chunks : m->scratch_max;
    g->nlanes = tbs->n;
    p->room[rank] = g->nlanes;
    p->first_tb[rank] = p->ntbs;
    p->ntbs += g->nlanes;
    g->lanes = mscclpp_grow(p, NULL, 0, g->nlanes + 1, sizeof *g->lanes);
    for (uint32_t k = 0; g->lanes && k < g->nlanes; k++)
        g->lanes[k].send = g->lanes[k].recv = g->lanes[k].channel = -1;
    return p->code;
}

/* All GPUs, the collective; what groups of threadblocks cut chunks into. */
static int read_head(struct mscclpp *p, const struct weft_tree *root)
{
    struct weft_msccl *m = p->m;
    const struct weft_tree *coll = mscclpp_find(root, "collective");
    const char *inplace = weft_tree_text(root, "inplace", "false");
    p->gpus = weft_tree_get(root, "gpus");
    if (!coll || coll->kind != WEFT_TREE_VALUE || !weft_msccl_kind(coll->text, &m->kind))
        return wrong_plan(p, coll ? coll : root,
                          "\"collective\" must be one of allreduce, allgather, reduce_scatter, "
                          "alltoall, broadcast, reduce, gather, scatter: what others do is not "
                          "known, so it can't be proved");
    m->inplace = strcmp(inplace, "true") == 0;
    if (!p->gpus || p->gpus->kind != WEFT_TREE_LIST || p->gpus->n < 1 ||
        p->gpus->n > MSCCLPP_GPUS_MAX)
        return wrong_plan(p, p->gpus ? p->gpus : root, "\"gpus\" must be a list of 1 to 4096 GPUs");
    m->n = p->gpus->n;
    for (const struct weft_tree *g = p->gpus->first; !p->code && g; g = g->next) {
        const struct weft_tree *tbs = weft_tree_get(g, "threadblocks");
        for (const struct weft_tree *t = tbs ? tbs->first : NULL; !p->code && t; t = t->next)
            find_groups(p, weft_tree_get(t, "ops"));
    }
    return p->code;
}

static int read_sizes(struct mscclpp *p)
{
    struct weft_msccl *m = p->m;
    m->gpus = mscclpp_grow(p, NULL, 0, m->n, sizeof *m->gpus);
    p->room = mscclpp_grow(p, NULL, 0, m->n, sizeof *p->room);
    p->first_tb = mscclpp_grow(p, NULL, 0, m->n, sizeof *p->first_tb);
    const struct weft_tree *gpu = p->gpus->first;
    for (uint32_t g = 0; !p->code && g < m->n; g++, gpu = gpu->next)
        read_gpu_sizes(p, g, gpu);
    if (p->code)
        return p->code;
    const uint64_t cells = (uint64_t)m->n * p->ntbs * MSCCLPP_SERVICES;
    if (cells > m->file_bytes + MSCCLPP_CHUNKS_MAX)
        return p->code = weft_err_set(p->err, WEFT_E_LIMIT,
                                      "%s: %u GPUs with %u threadblocks together are too many",
                                      p->file, m->n, p->ntbs);
    p->service = mscclpp_grow(p, NULL, 0, cells + 1, sizeof *p->service);
    if (!p->code)
        p->code = weft_msccl_find_parts(m, p->err);
    m->slots = m->scratch_first + m->scratch_max;
    return p->code;
}

static int read_root(struct mscclpp *p, const struct weft_tree *root)
{
    struct weft_msccl *m = p->m;
    m->operations = true;
    m->line = root->line;
    m->col = root->col;
    if (read_head(p, root) || read_sizes(p))
        return p->code;
    const struct weft_tree *gpu = p->gpus->first;
    for (uint32_t g = 0; !p->code && g < m->n; g++, gpu = gpu->next)
        mscclpp_gpu(p, g, gpu);
    m->slots += p->temps_max;
    return p->code ? p->code : mscclpp_link_waits(p);
}

int weft_mscclpp_read(const char *text, size_t len, struct weft_msccl *m, struct weft_err *err)
{
    struct mscclpp p = {.m = m, .file = m->file, .err = err};
    struct weft_arena *arena = weft_arena_new();
    struct weft_tree *root = NULL;
    if (!arena)
        return weft_err_set(err, WEFT_E_LIMIT, "out of memory for %s", m->file);
    m->fine = 1;
    int rc = weft_tree_parse(text, len, m->file, arena, &root, err);
    if (!rc)
        rc = read_root(&p, root);
    weft_arena_free(arena);
    return rc;
}
