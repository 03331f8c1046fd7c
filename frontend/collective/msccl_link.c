/* SPDX-License-Identifier: GPL-2.0-only */
/* What makes the threadblocks that were read one program: slots, waits, connections; see msccl.c.
 */
#include "collective/msccl.h"

#include <inttypes.h>
#include <string.h>

static const struct {
    const char *name;
    enum weft_coll_kind kind;
} colls[] = {
    {"allreduce", WEFT_COLL_ALL_REDUCE},
    {"allgather", WEFT_COLL_ALL_GATHER},
    {"reduce_scatter", WEFT_COLL_REDUCE_SCATTER},
    {"reducescatter", WEFT_COLL_REDUCE_SCATTER},
    {"alltoall", WEFT_COLL_ALL_TO_ALL},
    {"broadcast", WEFT_COLL_BROADCAST},
    {"reduce", WEFT_COLL_REDUCE},
    {"gather", WEFT_COLL_GATHER},
    {"scatter", WEFT_COLL_SCATTER},
};

bool weft_msccl_kind(const char *name, enum weft_coll_kind *kind)
{
    for (size_t i = 0; i < sizeof colls / sizeof colls[0]; i++)
        if (strcmp(name, colls[i].name) == 0) {
            *kind = colls[i].kind;
            return true;
        }
    return false;
}

static int wrong(const struct weft_msccl *m, int64_t line, int64_t col, const char *what,
                 struct weft_err *err)
{
    return weft_err_at(err, WEFT_E_INPUT, m->file, line, col, "%s", what);
}

uint64_t weft_msccl_first_slot(const struct weft_msccl *m, uint32_t rank,
                               enum weft_msccl_buffer buffer)
{
    if (buffer == WEFT_MSCCL_SCRATCH)
        return m->scratch_first;
    if (buffer == WEFT_MSCCL_OUTPUT)
        return m->output_first +
               (m->inplace && m->kind == WEFT_COLL_REDUCE_SCATTER ? rank * m->parts : 0);
    return m->inplace && m->kind == WEFT_COLL_ALL_GATHER ? rank * m->gpus[rank].in_chunks : 0;
}

/* In place, the smaller of the two lies in the larger. */
static void place_buffers(struct weft_msccl *m)
{
    const uint64_t in = m->inputs_max, out = m->outputs_max;
    m->output_first = m->inplace ? 0 : in;
    m->scratch_first = in + out;
    if (m->inplace && m->kind != WEFT_COLL_REDUCE_SCATTER)
        m->scratch_first = in > out ? in : out;
}

int weft_msccl_find_parts(struct weft_msccl *m, struct weft_err *err)
{
    uint64_t in = m->inputs_max, out = m->outputs_max;
    if (in == 0 && m->inplace) /* only the output is named */
        in = m->kind == WEFT_COLL_ALL_GATHER ? out / m->n : out;
    m->inputs_max = in;
    switch (m->kind) {
    case WEFT_COLL_ALL_GATHER:
    case WEFT_COLL_GATHER:
        m->parts = in;
        m->outputs = m->n * in;
        break;
    case WEFT_COLL_REDUCE_SCATTER:
    case WEFT_COLL_SCATTER:
        m->parts = in / m->n;
        m->outputs = m->parts;
        break;
    case WEFT_COLL_ALL_TO_ALL:
        m->parts = in / m->n;
        m->outputs = in;
        break;
    default:
        m->parts = m->outputs = in;
    }
    const bool split = m->kind == WEFT_COLL_REDUCE_SCATTER || m->kind == WEFT_COLL_SCATTER ||
                       m->kind == WEFT_COLL_ALL_TO_ALL;
    if (m->parts == 0 || (split && in % m->n))
        return wrong(m, m->line, m->col,
                     "the input's chunks do not fit the collective and the number of GPUs", err);
    for (uint32_t g = 0; g < m->n; g++)
        if (m->gpus[g].in_chunks == 0 && (m->inplace || m->kind == WEFT_COLL_ALL_REDUCE))
            m->gpus[g].in_chunks = in;
    m->outputs_max = m->outputs > out ? m->outputs : out;
    place_buffers(m);
    return 0;
}

/* Waits of one instruction: from the step that it names to that step's last instruction. */
static int msccl_link_resolve(const struct weft_msccl *m, uint32_t g, uint32_t lane, uint64_t i,
                              struct weft_err *err)
{
    const struct weft_msccl_gpu *gpu = &m->gpus[g];
    struct weft_msccl_instr *in = &gpu->lanes[lane].instrs[i];
    if (!in->names_step)
        return 0;
    in->names_step = false;
    if (in->in.dep_lane >= gpu->nlanes || in->in.dep_instr >= gpu->lanes[in->in.dep_lane].nsteps)
        return wrong(m, in->line, in->col, "depid and deps name no step of this GPU", err);
    in->in.dep_instr = gpu->lanes[in->in.dep_lane].last[in->in.dep_instr];
    if (in->in.dep_lane == lane && in->in.dep_instr >= i)
        return wrong(m, in->line, in->col, "it waits for a later step", err);
    return 0;
}

static uint64_t next_recv(const struct weft_msccl_lane *l, uint64_t from)
{
    while (from < l->n && l->instrs[from].in.action != WEFT_COLL_RECV &&
           l->instrs[from].in.action != WEFT_COLL_RECV_REDUCE)
        from++;
    return from;
}

/* Threadblock of `gpu` that receives from `from` on a channel; nlanes: none. */
static uint32_t receiver(const struct weft_msccl_gpu *gpu, uint32_t from, int64_t channel)
{
    uint32_t k = 0;
    while (k < gpu->nlanes &&
           (gpu->lanes[k].recv != (int64_t)from || gpu->lanes[k].channel != channel))
        k++;
    return k;
}

/* A connection has one threadblock at either end. */
static int check_connections(const struct weft_msccl *m, uint32_t g, uint32_t k,
                             struct weft_err *err)
{
    const struct weft_msccl_lane *l = &m->gpus[g].lanes[k];
    for (uint32_t other = 0; other < k; other++) {
        const struct weft_msccl_lane *o = &m->gpus[g].lanes[other];
        const bool sends = l->send >= 0 && o->send == l->send,
                   receives = l->recv >= 0 && o->recv == l->recv;
        if (o->channel == l->channel && (sends || receives))
            return weft_err_at(err, WEFT_E_INPUT, m->file, l->line, l->col,
                               "threadblocks %u and %u of GPU %u both %s GPU %" PRId64
                               " on channel %" PRId64 "; only one can",
                               other, k, g, sends ? "send to" : "receive from",
                               sends ? l->send : l->recv, l->channel);
    }
    return 0;
}

/* The k-th send of a threadblock to the k-th receive of the one at the other end. */
static int match(const struct weft_msccl *m, uint32_t g, uint32_t k, struct weft_err *err)
{
    struct weft_msccl_lane *l = &m->gpus[g].lanes[k];
    if (l->send < 0)
        return 0;
    const struct weft_msccl_gpu *peer = &m->gpus[l->send];
    const uint32_t other = receiver(peer, g, l->channel);
    uint64_t at = 0;
    for (uint64_t i = 0; i < l->n; i++) {
        struct weft_coll_instr *in = &l->instrs[i].in;
        if (in->action != WEFT_COLL_SEND)
            continue;
        at = other < peer->nlanes ? next_recv(&peer->lanes[other], at) : 0;
        if (other == peer->nlanes || at == peer->lanes[other].n)
            return wrong(m, l->instrs[i].line, l->instrs[i].col,
                         "no step of the other GPU receives this on that channel", err);
        in->peer_lane = other;
        in->peer_instr = at++;
    }
    return 0;
}

int weft_msccl_link(struct weft_msccl *m, struct weft_err *err)
{
    int rc = 0;
    for (uint32_t g = 0; !rc && g < m->n; g++)
        for (uint32_t k = 0; !rc && k < m->gpus[g].nlanes; k++) {
            for (uint64_t i = 0; !rc && i < m->gpus[g].lanes[k].n; i++)
                rc = msccl_link_resolve(m, g, k, i, err);
            if (!rc)
                rc = check_connections(m, g, k, err);
        }
    for (uint32_t g = 0; !rc && g < m->n; g++)
        for (uint32_t k = 0; !rc && k < m->gpus[g].nlanes; k++)
            rc = match(m, g, k, err);
    return rc;
}
