/* SPDX-License-Identifier: GPL-2.0-only */
/* The operations of MSCCL++ plans as instructions; see mscclpp_read.c. */
#include "collective/mscclpp.h"

#include <string.h>

/* How an operation treats its buffers. */
struct op_type {
    const char *name;
    bool packets_in;    /* all sources, or with `sums` those but the first, are packets */
    bool packets_out;   /* what goes to other GPUs, or else its destination, is packets */
    bool sums;          /* the sources are added up into the first destination */
    bool signals;       /* and signals its channels afterwards */
    bool maybe_unpacks; /* packets are in scratch alone: to elsewhere, it takes them out of there,
                           as plans of before July 2025 mean it */
    bool keeps;         /* its second destination is packets of its own GPU */
};

static const struct op_type moves[] = {
    {.name = "copy"},
    {.name = "put"},
    {.name = "pws", .signals = true},
    {.name = "pwsf", .signals = true},
    {.name = "get"},
    {.name = "re", .sums = true},
    {.name = "res", .sums = true},
    {.name = "rre", .sums = true},
    {.name = "rres", .sums = true},
    {.name = "cpkt", .packets_out = true, .maybe_unpacks = true},
    {.name = "ppkt", .packets_out = true},
    {.name = "upkt", .packets_in = true},
    {.name = "rppkt", .packets_in = true, .packets_out = true},
    {.name = "repkt", .packets_in = true, .sums = true},
    {.name = "respkt", .packets_in = true, .packets_out = true, .sums = true},
    {.name = "recpkt", .packets_in = true, .sums = true, .keeps = true},
    {.name = "recspkt", .packets_in = true, .packets_out = true, .sums = true, .keeps = true},
    /* what they were called before */
    {.name = "rs", .sums = true},
    {.name = "rrc", .sums = true},
    {.name = "rrcs", .sums = true},
    {.name = "tpkt", .packets_out = true},
    {.name = "ucpkt", .packets_in = true},
    {.name = "rpkt", .packets_in = true, .sums = true},
    {.name = "rspkt", .packets_in = true, .packets_out = true, .sums = true},
};

static struct mscclpp_key packet(uint32_t gpu, uint64_t slot)
{
    return (struct mscclpp_key){.kind = MSCCLPP_PACKET, .gpu = gpu, .a = slot};
}

static void wait_for_packets(struct mscclpp *p, const struct mscclpp_tb *t,
                             const struct mscclpp_piece *from)
{
    for (uint64_t j = 0; !p->code && j < from->n; j++)
        mscclpp_wait(p, t->at, (struct mscclpp_wait){.key = packet(t->at.gpu, from->slot + j)});
}

/* Slots for what is added up or was read; of the operation alone. */
static uint64_t temporary(struct mscclpp *p, uint64_t n)
{
    const uint64_t slot = p->m->scratch_first + p->m->scratch_max + p->temps;
    p->temps += n;
    p->temps_max = p->temps > p->temps_max ? p->temps : p->temps_max;
    return slot;
}

/* Where a source can be read: itself, or a copy of what is elsewhere. */
static uint64_t mscclpp_ops_fetch(struct mscclpp *p, const struct mscclpp_tb *t,
                                  const struct mscclpp_piece *from, bool packets)
{
    if (packets && !from->remote)
        wait_for_packets(p, t, from);
    if (!from->remote)
        return from->slot;
    const uint64_t slot = temporary(p, from->n);
    mscclpp_get(p, t->at, from->gpu, from->slot, slot, from->n);
    return slot;
}

static void store(struct mscclpp *p, const struct mscclpp_tb *t, uint64_t slot,
                  const struct mscclpp_piece *to, bool packets)
{
    struct mscclpp_at at = t->at;
    if (to->remote)
        at = mscclpp_put(p, t->at, slot, to->gpu, to->slot, to->n, false);
    else
        mscclpp_local(p, t->at, WEFT_COLL_COPY, slot, to->slot, to->n);
    for (uint64_t j = 0; packets && !p->code && j < to->n; j++)
        mscclpp_event(p, (struct mscclpp_event){.key = packet(to->gpu, to->slot + j), .at = at});
}

/* Adds up all sources and stores the sum into all destinations. */
static void sum(struct mscclpp *p, const struct mscclpp_tb *t, const struct op_type *type,
                const struct mscclpp_piece *src, size_t nsrc, const struct mscclpp_piece *dst,
                size_t ndst)
{
    const uint64_t total = temporary(p, src[0].n);
    for (size_t k = 0; k < nsrc; k++)
        mscclpp_local(p, t->at, k == 0 ? WEFT_COLL_COPY : WEFT_COLL_ADD,
                      mscclpp_ops_fetch(p, t, &src[k], type->packets_in && k > 0), total, src[0].n);
    for (size_t k = 0; k < ndst; k++)
        store(p, t, total, &dst[k],
              (type->packets_out && dst[k].remote) || (type->keeps && k == 1));
}

static bool in_scratch(const struct mscclpp *p, const struct mscclpp_piece *at)
{
    return at->slot >= p->m->scratch_first;
}

static int move(struct mscclpp *p, struct mscclpp_tb *t, const struct op_type *type)
{
    struct mscclpp_piece src[MSCCLPP_BUFFERS_MAX], dst[MSCCLPP_BUFFERS_MAX];
    size_t nsrc, ndst;
    struct op_type as = *type;
    if (mscclpp_sources(p, t, src, &nsrc) || mscclpp_destinations(p, t, dst, &ndst))
        return p->code;
    if (type->maybe_unpacks && !in_scratch(p, &dst[0])) {
        as.packets_in = true;
        as.packets_out = false;
        type = &as;
    }
    for (size_t k = 0; k < (type->sums ? nsrc : 0); k++)
        if (src[k].n != src[0].n)
            return mscclpp_wrong(p, t->at, "%s adds up buffers of different sizes", type->name);
    for (size_t k = 0; k < ndst; k++)
        if (dst[k].n != src[type->sums || nsrc == 1 ? 0 : k < nsrc ? k : 0].n)
            return mscclpp_wrong(p, t->at, "%s moves between buffers of different sizes",
                                 type->name);
    if (!type->sums && nsrc != 1 && nsrc != ndst)
        return mscclpp_wrong(p, t->at, "%s needs as many dst_buff as src_buff", type->name);
    if (type->sums)
        sum(p, t, type, src, nsrc, dst, ndst);
    for (size_t k = 0; !type->sums && !p->code && k < ndst; k++)
        if (src[nsrc == 1 ? 0 : k].remote && !dst[k].remote) /* straight to where it goes */
            mscclpp_get(p, t->at, src[nsrc == 1 ? 0 : k].gpu, src[nsrc == 1 ? 0 : k].slot,
                        dst[k].slot, dst[k].n);
        else
            store(p, t, mscclpp_ops_fetch(p, t, &src[nsrc == 1 ? 0 : k], type->packets_in), &dst[k],
                  type->packets_out);
    if (!p->code && type->signals)
        mscclpp_signals(p, t, false, false);
    return p->code;
}

/* Operations that wait or do nothing, and why those of the switch are not played. */
enum word { NOTHING, BARRIER, SIGNAL, WAIT, RELEASE, ACQUIRE, SWITCH, PIPELINE };

static const struct {
    const char *name;
    enum word word;
    bool relaxed;
} others[] = {
    {"nop", NOTHING, false}, /* the operations of a threadblock follow each other anyway */
    {"flush", NOTHING, false},       {"barrier", BARRIER, false},   {"signal", SIGNAL, false},
    {"rlxsignal", SIGNAL, true},     {"rsignal", SIGNAL, true},     {"wait", WAIT, false},
    {"rlxwait", WAIT, true},         {"rwait", WAIT, true},         {"sem_release", RELEASE, false},
    {"sem_acquire", ACQUIRE, false}, {"pipeline", PIPELINE, false}, {"glre", SWITCH, false},
    {"glres", SWITCH, false},        {"gstore", SWITCH, false},     {"gstpkt", SWITCH, false},
};

static void operations(struct mscclpp *p, struct mscclpp_tb *t, const struct weft_tree *ops,
                       bool numbered);

static int other(struct mscclpp *p, struct mscclpp_tb *t, enum word word, bool relaxed)
{
    switch (word) {
    case NOTHING:
        return 0;
    case BARRIER:
        return mscclpp_barrier(p, t);
    case SIGNAL:
    case WAIT:
        return mscclpp_signals(p, t, word == WAIT, relaxed);
    case RELEASE:
    case ACQUIRE:
        return mscclpp_semaphores(p, t, word == ACQUIRE);
    case SWITCH:
        return mscclpp_wrong(p, t->at,
                             "%.20s has the switches add up or copy (NVLS) for one GPU, which weft "
                             "does for all of them together alone: see the algorithm in-network",
                             weft_tree_text(t->op, "name", ""));
    case PIPELINE: /* as one round, of all chunks at once */
        if (!weft_tree_get(t->op, "ops"))
            return mscclpp_wrong(p, t->at, "a pipeline needs operations (ops)", NULL);
        operations(p, t, weft_tree_get(t->op, "ops"), false);
    }
    return p->code;
}

static int mscclpp_ops_operation(struct mscclpp *p, struct mscclpp_tb *t)
{
    const char *name = weft_tree_text(t->op, "name", "");
    p->line = t->op->line;
    p->col = t->op->col;
    p->temps = p->m->gpus[t->at.gpu].temps;
    for (size_t k = 0; k < sizeof moves / sizeof moves[0]; k++)
        if (strcmp(moves[k].name, name) == 0) {
            move(p, t, &moves[k]);
            p->m->gpus[t->at.gpu].temps = p->temps;
            return p->code;
        }
    for (size_t k = 0; k < sizeof others / sizeof others[0]; k++)
        if (strcmp(others[k].name, name) == 0)
            return other(p, t, others[k].word, others[k].relaxed);
    return mscclpp_wrong(p, t->at, "the operation '%.20s' is not read here", name);
}

/* @p numbered: those of a threadblock; the others are parts of one of these. */
static void operations(struct mscclpp *p, struct mscclpp_tb *t, const struct weft_tree *ops,
                       bool numbered)
{
    const struct weft_tree *outer = t->op;
    for (t->op = ops && ops->kind == WEFT_TREE_LIST ? ops->first : NULL; !p->code && t->op;
         t->op = t->op->next) {
        mscclpp_ops_operation(p, t);
        t->at.op += numbered;
    }
    t->op = outer;
}

int mscclpp_gpu(struct mscclpp *p, uint32_t gpu, const struct weft_tree *from)
{
    struct mscclpp_tb t = {.gpu = from, .at = {gpu, 0, 0}};
    const struct weft_tree *tbs = weft_tree_get(from, "threadblocks");
    for (t.tb = tbs->first; !p->code && t.tb; t.tb = t.tb->next) {
        t.at.op = 0;
        operations(p, &t, weft_tree_get(t.tb, "ops"), true);
        t.at.lane++;
    }
    return p->code;
}
