/* SPDX-License-Identifier: GPL-2.0-only */
/* The operations of MSCCL++ plans as instructions; see mscclpp_read.c. */
#include "collective/mscclpp.h"

#include <string.h>

enum { BUFFERS_MAX = 64 };

/* A piece of a buffer that an operation names. */
struct piece {
    uint32_t gpu;
    uint64_t slot, n;
    bool remote;
};

struct tb {
    const json_t *gpu, *tb, *op;
    struct mscclpp_at at;
};

/* How an operation treats its buffers. */
struct op_type {
    const char *name;
    bool packets_in;  /* all sources, or with `sums` those but the first, are packets */
    bool packets_out; /* what goes to other GPUs, or else its destination, is packets */
    bool sums;        /* the sources are added up into the first destination */
    bool signals;     /* and signals its channels afterwards */
    bool keeps;       /* its second destination is packets of its own GPU */
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
    {.name = "cpkt", .packets_out = true},
    {.name = "ppkt", .packets_out = true},
    {.name = "upkt", .packets_in = true},
    {.name = "rppkt", .packets_in = true, .packets_out = true},
    {.name = "repkt", .packets_in = true, .sums = true},
    {.name = "respkt", .packets_in = true, .packets_out = true, .sums = true},
    {.name = "recpkt", .packets_in = true, .sums = true, .keeps = true},
    {.name = "recspkt", .packets_in = true, .packets_out = true, .sums = true, .keeps = true},
};

static const char *text(const json_t *o, const char *key)
{
    const char *t = json_string_value(json_object_get(o, key));
    return t ? t : "";
}

/* Element `i` of the list of `channel_type` among the lists of a threadblock; -1: there is none. */
static int64_t listed(const json_t *lists, const char *type_key, const char *type, const char *key,
                      uint64_t i)
{
    for (size_t k = 0; k < json_array_size(lists); k++) {
        const json_t *l = json_array_get(lists, k);
        if (strcmp(text(l, type_key), type) != 0)
            continue;
        const json_t *ids = json_object_get(l, key);
        if (i < json_array_size(ids))
            return mscclpp_whole(json_array_get(ids, i));
        i -= json_array_size(ids);
    }
    return -1;
}

/* Which GPU and buffer the n-th buffer of others that the threadblock knows is. */
static const json_t *remote_buffer(const struct tb *t, int64_t ref)
{
    const json_t *buffers = json_object_get(t->gpu, "remote_buffers");
    const int64_t id =
        ref < 0 ? -1
                : listed(json_object_get(t->tb, "remote_buffer_refs"), "access_channel_type",
                         text(t->op, "channel_type"), "remote_buffer_ids", (uint64_t)ref);
    return id < 0 ? NULL : json_array_get(buffers, (size_t)id);
}

static int read_piece(struct mscclpp *p, const struct tb *t, const json_t *from, struct piece *out)
{
    const json_t *id = json_object_get(from, "buffer_id"),
                 *remote = id ? remote_buffer(t, mscclpp_whole(id)) : NULL;
    const char *type = text(id ? remote : from, "type");
    const int64_t index = mscclpp_whole(json_object_get(from, "index")),
                  size = mscclpp_whole(json_object_get(from, "size")),
                  rank = id ? mscclpp_whole(json_object_get(remote, "rank")) : t->at.gpu;
    static const char names[] = "ios";
    const char *at = type[0] && !type[1] ? strchr(names, type[0]) : NULL;
    if (json_object_get(from, "switch_channel_id"))
        return mscclpp_wrong(p, t->at, "%s works in the switch (NVLS), which is not read here",
                             text(t->op, "name"));
    if (id && (!remote || rank < 0 || rank >= p->m->n || rank == t->at.gpu))
        return mscclpp_wrong(p, t->at, "buffer_id names no buffer of another GPU", NULL);
    if (!at)
        return mscclpp_wrong(p, t->at, "a buffer's type must be i, o or s, not '%.20s'", type);
    const struct weft_msccl_gpu *g = &p->m->gpus[rank];
    const uint64_t room[] = {g->in_chunks, p->m->outputs_max, g->scratch_chunks};
    if (index < 0 || size < 1 || size > MSCCLPP_CHUNKS_MAX || index > MSCCLPP_CHUNKS_MAX ||
        (uint64_t)(index + size) > room[at - names])
        return mscclpp_wrong(p, t->at, "index and size are not within buffer %s", type);
    *out = (struct piece){
        (uint32_t)rank,
        weft_msccl_first_slot(p->m, (uint32_t)rank, (enum weft_msccl_buffer)(at - names)) +
            (uint64_t)index,
        (uint64_t)size, id != NULL};
    return 0;
}

static int read_pieces(struct mscclpp *p, const struct tb *t, const char *key, struct piece *out,
                       size_t *n)
{
    const json_t *list = json_object_get(t->op, key);
    *n = json_array_size(list);
    if (*n == 0 || *n > BUFFERS_MAX)
        return mscclpp_wrong(p, t->at, "%s must be a list of 1 to 64 buffers", key);
    for (size_t k = 0; !p->code && k < *n; k++)
        read_piece(p, t, json_array_get(list, k), &out[k]);
    return p->code;
}

/* --- channels --- */

/* The GPU at the other end of a channel, and which of the channels to it this is. */
static bool channel(struct mscclpp *p, const struct tb *t, uint64_t i, const char *type,
                    uint32_t *peer, uint64_t *ordinal)
{
    const json_t *peers = NULL, *channels = json_object_get(t->gpu, "channels");
    const int64_t id =
        listed(json_object_get(t->tb, "channels"), "channel_type", type, "channel_ids", i);
    for (size_t k = 0; k < json_array_size(channels); k++)
        if (strcmp(text(json_array_get(channels, k), "channel_type"), type) == 0)
            peers = json_object_get(json_array_get(channels, k), "connected_to");
    if (id < 0 || (size_t)id >= json_array_size(peers))
        return false;
    const int64_t to = mscclpp_whole(json_array_get(peers, (size_t)id));
    if (to < 0 || to >= p->m->n || to == t->at.gpu)
        return false;
    *ordinal = 0;
    for (size_t k = 0; k < (size_t)id; k++)
        *ordinal += mscclpp_whole(json_array_get(peers, k)) == to;
    *peer = (uint32_t)to;
    return true;
}

/* How many signals or waits of a channel there were; *shared: by another threadblock. */
static uint64_t turn(const struct mscclpp *p, const struct mscclpp_key *key, bool wait,
                     uint32_t lane, bool *shared)
{
    for (uint64_t k = wait ? p->nwaits : p->nevents; k-- > 0;) {
        const struct mscclpp_key *o = wait ? &p->waits[k].key : &p->events[k].key;
        if (o->kind != key->kind || o->gpu != key->gpu || o->a != key->a || o->b != key->b)
            continue;
        *shared = (wait ? p->waits[k].at.lane : p->events[k].by) != lane;
        return o->c + 1;
    }
    return 0;
}

/* signal and wait, over the channels that the operation lists. c of a key: how many came before. */
static int semaphores(struct mscclpp *p, struct tb *t, bool wait, bool relaxed)
{
    const json_t *ids = json_object_get(t->op, "channel_ids");
    const char *type = text(t->op, "channel_type");
    const bool port = strcmp(type, "port") == 0;
    if (!port && strcmp(type, "memory") != 0)
        return mscclpp_wrong(p, t->at, "channel_type must be memory or port, not '%.20s'", type);
    for (size_t k = 0; !p->code && k < json_array_size(ids); k++) {
        uint32_t peer = 0;
        uint64_t ordinal = 0;
        bool shared = false;
        const int64_t i = mscclpp_whole(json_array_get(ids, k));
        if (i < 0 || !channel(p, t, (uint64_t)i, type, &peer, &ordinal))
            return mscclpp_wrong(p, t->at, "channel_ids names no channel to another GPU", NULL);
        struct mscclpp_key key = {.kind = MSCCLPP_SIGNAL,
                                  .gpu = wait ? t->at.gpu : peer,
                                  .a = 2 * (uint64_t)(wait ? peer : t->at.gpu) + port,
                                  .b = ordinal};
        key.c = turn(p, &key, wait, t->at.lane, &shared);
        if (shared)
            return mscclpp_wrong(p, t->at, "two threadblocks use one channel; their order is open",
                                 NULL);
        if (wait) {
            mscclpp_wait(p, t->at, (struct mscclpp_wait){.key = key});
        } else {
            const struct mscclpp_at there = mscclpp_put(p, t->at, 0, peer, 0, 0, relaxed);
            mscclpp_event(p, (struct mscclpp_event){.key = key, .at = there, .by = t->at.lane});
        }
    }
    return p->code;
}

/* --- data --- */

static struct mscclpp_key packet(uint32_t gpu, uint64_t slot)
{
    return (struct mscclpp_key){.kind = MSCCLPP_PACKET, .gpu = gpu, .a = slot};
}

static void wait_for_packets(struct mscclpp *p, const struct tb *t, const struct piece *from)
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
static uint64_t fetch(struct mscclpp *p, const struct tb *t, const struct piece *from, bool packets)
{
    if (packets && !from->remote)
        wait_for_packets(p, t, from);
    if (!from->remote)
        return from->slot;
    const uint64_t slot = temporary(p, from->n);
    mscclpp_get(p, t->at, from->gpu, from->slot, slot, from->n);
    return slot;
}

static void store(struct mscclpp *p, const struct tb *t, uint64_t slot, const struct piece *to,
                  bool packets)
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
static void sum(struct mscclpp *p, const struct tb *t, const struct op_type *type,
                const struct piece *src, size_t nsrc, const struct piece *dst, size_t ndst)
{
    const uint64_t total = temporary(p, src[0].n);
    for (size_t k = 0; k < nsrc; k++)
        mscclpp_local(p, t->at, k == 0 ? WEFT_COLL_COPY : WEFT_COLL_ADD,
                      fetch(p, t, &src[k], type->packets_in && k > 0), total, src[0].n);
    for (size_t k = 0; k < ndst; k++)
        store(p, t, total, &dst[k],
              (type->packets_out && dst[k].remote) || (type->keeps && k == 1));
}

static int move(struct mscclpp *p, struct tb *t, const struct op_type *type)
{
    struct piece src[BUFFERS_MAX], dst[BUFFERS_MAX];
    size_t nsrc, ndst;
    if (read_pieces(p, t, "src_buff", src, &nsrc) || read_pieces(p, t, "dst_buff", dst, &ndst))
        return p->code;
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
            store(p, t, fetch(p, t, &src[nsrc == 1 ? 0 : k], type->packets_in), &dst[k],
                  type->packets_out);
    if (!p->code && type->signals)
        semaphores(p, t, false, false);
    return p->code;
}

/* Every threadblock that takes part waits for all others: their number says who. */
static int barrier(struct mscclpp *p, struct tb *t)
{
    const int64_t id = mscclpp_whole(json_object_get(t->op, "barrier_id")),
                  n = mscclpp_whole(json_object_get(t->op, "num_threadblocks"));
    if (id < 0 || n < 1 || n > (int64_t)p->m->gpus[t->at.gpu].nlanes)
        return mscclpp_wrong(p, t->at, "a barrier needs barrier_id and num_threadblocks", NULL);
    /* all who come must agree on how many they are */
    struct mscclpp_key key = {.kind = MSCCLPP_BARRIER,
                              .gpu = t->at.gpu,
                              .a = (uint64_t)id * (MSCCLPP_TBS_MAX + 1) + (uint64_t)n};
    uint64_t round = 0, first = p->nevents;
    for (uint64_t k = 0; k < first; k++) {
        const struct mscclpp_key *o = &p->events[k].key;
        round += o->kind == key.kind && o->gpu == key.gpu && o->a == key.a &&
                 p->events[k].at.lane == t->at.lane;
    }
    uint64_t place = 0; /* among those who come to this round */
    for (uint64_t k = 0; k < first; k++) {
        const struct mscclpp_key *o = &p->events[k].key;
        place += o->kind == key.kind && o->gpu == key.gpu && o->a == key.a && o->b == round;
    }
    if (place >= (uint64_t)n)
        return mscclpp_wrong(p, t->at, "more threadblocks than num_threadblocks come to a barrier",
                             NULL);
    if (!mscclpp_emit(p, t->at, WEFT_COLL_NOP))
        return p->code;
    key.b = round;
    key.c = place;
    mscclpp_event(p, (struct mscclpp_event){.key = key, .at = t->at});
    for (uint64_t k = 0; !p->code && k < (uint64_t)n; k++) {
        key.c = k;
        if (k != place)
            mscclpp_wait(p, t->at, (struct mscclpp_wait){.key = key});
    }
    return p->code;
}

static int operation(struct mscclpp *p, struct tb *t)
{
    const char *name = text(t->op, "name");
    if (json_object_get(t->op, "tbg_info"))
        return mscclpp_wrong(p, t->at,
                             "%.20s shares its chunks among a group of threadblocks "
                             "(tbg_info), which is not read here",
                             name);
    p->temps = p->m->gpus[t->at.gpu].temps;
    for (size_t k = 0; k < sizeof moves / sizeof moves[0]; k++)
        if (strcmp(moves[k].name, name) == 0) {
            move(p, t, &moves[k]);
            p->m->gpus[t->at.gpu].temps = p->temps;
            return p->code;
        }
    if (strcmp(name, "nop") == 0 || strcmp(name, "flush") == 0)
        return 0; /* the operations of a threadblock follow each other anyway */
    if (strcmp(name, "barrier") == 0)
        return barrier(p, t);
    if (strcmp(name, "signal") == 0 || strcmp(name, "rlxsignal") == 0)
        return semaphores(p, t, false, name[0] == 'r');
    if (strcmp(name, "wait") == 0 || strcmp(name, "rlxwait") == 0)
        return semaphores(p, t, true, false);
    return mscclpp_wrong(p, t->at, "the operation '%.20s' is not read here", name);
}

int mscclpp_gpu(struct mscclpp *p, uint32_t gpu, const json_t *from)
{
    const json_t *tbs = json_object_get(from, "threadblocks");
    for (uint32_t k = 0; !p->code && k < json_array_size(tbs); k++) {
        struct tb t = {.gpu = from, .tb = json_array_get(tbs, k), .at = {gpu, k, 0}};
        const json_t *ops = json_object_get(t.tb, "ops");
        for (t.at.op = 0; !p->code && t.at.op < json_array_size(ops); t.at.op++) {
            t.op = json_array_get(ops, t.at.op);
            operation(p, &t);
        }
    }
    return p->code;
}
