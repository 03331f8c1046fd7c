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
 * is read.
 */
#include "base/file.h"
#include "collective/mscclpp.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static int wrong_plan(struct mscclpp *p, const char *what)
{
    return p->code = weft_err_at(p->err, WEFT_E_INPUT, p->file, 0, 0, "%s", what);
}

static bool count_of(const json_t *o, const char *key, uint64_t *out)
{
    const int64_t v = mscclpp_whole(json_object_get(o, key));
    *out = (uint64_t)v;
    return v >= 0 && v <= MSCCLPP_CHUNKS_MAX;
}

static int read_gpu_sizes(struct mscclpp *p, uint32_t rank, const json_t *gpu)
{
    struct weft_msccl *m = p->m;
    struct weft_msccl_gpu *g = &m->gpus[rank];
    const json_t *tbs = json_object_get(gpu, "threadblocks");
    uint64_t id;
    if (!count_of(gpu, "id", &id) || id != rank)
        return wrong_plan(p, "GPUs must be numbered 0, 1, 2 ... in order (\"id\")");
    if (!count_of(gpu, "input_chunks", &g->in_chunks) ||
        !count_of(gpu, "output_chunks", &g->out_chunks) ||
        !count_of(gpu, "scratch_chunks", &g->scratch_chunks))
        return wrong_plan(p, "a GPU needs input_chunks, output_chunks and scratch_chunks; plans of "
                             "before MSCCL++ 0.7 are not read");
    if (!json_is_array(tbs) || json_array_size(tbs) > MSCCLPP_TBS_MAX)
        return wrong_plan(p, "a GPU needs threadblocks, at most 1024");
    m->inputs_max = g->in_chunks > m->inputs_max ? g->in_chunks : m->inputs_max;
    m->outputs_max = g->out_chunks > m->outputs_max ? g->out_chunks : m->outputs_max;
    m->scratch_max = g->scratch_chunks > m->scratch_max ? g->scratch_chunks : m->scratch_max;
    g->nlanes = (uint32_t)json_array_size(tbs);
    p->room[rank] = g->nlanes;
    p->first_tb[rank] = p->ntbs;
    p->ntbs += g->nlanes;
    g->lanes = mscclpp_grow(p, NULL, 0, g->nlanes + 1, sizeof *g->lanes);
    for (uint32_t k = 0; g->lanes && k < g->nlanes; k++)
        g->lanes[k].send = g->lanes[k].recv = g->lanes[k].channel = -1;
    return p->code;
}

static int read_sizes(struct mscclpp *p, const json_t *root)
{
    struct weft_msccl *m = p->m;
    const json_t *gpus = json_object_get(root, "gpus");
    const char *coll = json_string_value(json_object_get(root, "collective"));
    if (!coll || !weft_msccl_kind(coll, &m->kind))
        return wrong_plan(p, "\"collective\" must be one of allreduce, allgather, reduce_scatter, "
                             "alltoall, broadcast, reduce, gather, scatter");
    m->inplace = json_is_true(json_object_get(root, "inplace"));
    m->n = (uint32_t)json_array_size(gpus);
    if (!json_is_array(gpus) || json_array_size(gpus) < 1 ||
        json_array_size(gpus) > MSCCLPP_GPUS_MAX)
        return wrong_plan(p, "\"gpus\" must be a list of 1 to 4096 GPUs");
    m->gpus = mscclpp_grow(p, NULL, 0, m->n, sizeof *m->gpus);
    p->room = mscclpp_grow(p, NULL, 0, m->n, sizeof *p->room);
    p->first_tb = mscclpp_grow(p, NULL, 0, m->n, sizeof *p->first_tb);
    for (uint32_t g = 0; !p->code && g < m->n; g++)
        read_gpu_sizes(p, g, json_array_get(gpus, g));
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

static int by_key(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(struct mscclpp_key)); /* the first member of events and waits */
}

/* Each wait gets the instruction that ends it. */
static int link_waits(struct mscclpp *p)
{
    if (p->nevents)
        qsort(p->events, p->nevents, sizeof *p->events, by_key);
    for (uint64_t k = 1; k < p->nevents; k++)
        if (by_key(&p->events[k - 1], &p->events[k]) == 0)
            return mscclpp_wrong(p, p->events[k].at, "packets come to one place twice", NULL);
    for (uint64_t k = 0; !p->code && k < p->nwaits; k++) {
        const struct mscclpp_wait *w = &p->waits[k];
        const struct mscclpp_event *e =
            p->nevents ? bsearch(w, p->events, p->nevents, sizeof *p->events, by_key) : NULL;
        if (!e)
            return mscclpp_wrong(p, w->at, "it waits for %s",
                                 w->key.kind == MSCCLPP_SIGNAL   ? "a signal that nobody sends"
                                 : w->key.kind == MSCCLPP_PACKET ? "packets that nobody sends"
                                                                 : "more threadblocks than come");
        struct weft_coll_instr *in = &p->m->gpus[w->at.gpu].lanes[w->at.lane].instrs[w->instr].in;
        if (e->at.lane == w->at.lane && e->instr >= w->instr)
            return mscclpp_wrong(p, w->at, "it waits for a later operation of its own", NULL);
        in->dep = WEFT_COLL_DEP_UPTO;
        in->dep_lane = e->at.lane;
        in->dep_instr = e->instr;
    }
    return p->code;
}

int weft_mscclpp_read(const char *text, size_t len, struct weft_msccl *m, struct weft_err *err)
{
    struct mscclpp p = {.m = m, .file = m->file, .err = err};
    json_error_t e;
    json_t *root = json_loadb(text, len, JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL, &e);
    if (!root)
        return weft_err_at(err, WEFT_E_INPUT, m->file, e.line, e.column, "not JSON: %s", e.text);
    m->operations = true;
    if (!read_sizes(&p, root)) {
        const json_t *gpus = json_object_get(root, "gpus");
        for (uint32_t g = 0; !p.code && g < m->n; g++)
            mscclpp_gpu(&p, g, json_array_get(gpus, g));
        m->slots += p.temps_max;
        if (!p.code)
            link_waits(&p);
    }
    json_decref(root);
    return p.code;
}
