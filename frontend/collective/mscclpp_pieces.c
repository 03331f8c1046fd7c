/* SPDX-License-Identifier: GPL-2.0-only */
/* The buffers that operations of MSCCL++ plans name; see mscclpp_read.c. */
#include "collective/mscclpp.h"

#include <string.h>

enum { BUFFERS = MSCCLPP_BUFFERS_MAX };

/* `size` chunks from `index` of a buffer of a GPU, or this threadblock's share of them. */
static int piece(struct mscclpp *p, const struct mscclpp_tb *t, uint32_t gpu, const char *type,
                 int64_t index, int64_t size, struct mscclpp_piece *out)
{
    static const char names[] = "ios";
    const struct weft_tree *group = weft_tree_get(t->op, "tbg_info");
    const int64_t k = group ? mscclpp_whole(weft_tree_get(group, "tb_id")) : 0,
                  of = group ? mscclpp_whole(weft_tree_get(group, "tbg_size")) : 1;
    const char *at = type[0] && !type[1] ? strchr(names, type[0]) : NULL;
    if (!at)
        return mscclpp_wrong(p, t->at, "a buffer's type must be i, o or s, not '%.20s'", type);
    const struct weft_msccl *m = p->m;
    const uint64_t fine = m->fine,
                   room[] = {m->gpus[gpu].in_chunks, m->outputs_max, m->gpus[gpu].scratch_chunks};
    if (index < 0 || size < 1 || size > MSCCLPP_CHUNKS_MAX || index > MSCCLPP_CHUNKS_MAX ||
        (uint64_t)(index + size) * fine > room[at - names])
        return mscclpp_wrong(p, t->at, "index and size are not within buffer %s", type);
    if (of < 1 || k < 0 || k >= of || fine % (uint64_t)of)
        return mscclpp_wrong(p, t->at, "tbg_info needs tb_id below tbg_size", NULL);
    const uint64_t share = (uint64_t)size * fine / (uint64_t)of;
    *out =
        (struct mscclpp_piece){gpu,
                               weft_msccl_first_slot(m, gpu, (enum weft_msccl_buffer)(at - names)) +
                                   (uint64_t)index * fine + (uint64_t)k * share,
                               share, gpu != t->at.gpu};
    return 0;
}

/* --- buffers of others that are listed --- */

/* The n-th buffer of others that the threadblock knows. */
static const struct weft_tree *remote_buffer(const struct mscclpp_tb *t, int64_t ref)
{
    const struct weft_tree *refs = mscclpp_find(t->tb, "remote_buffer_refs");
    const struct mscclpp_channels c = {mscclpp_channel_type(t->op), "", ""};
    int64_t id = -1;
    if (refs && refs->kind == WEFT_TREE_LIST && refs->first)
        id = ref < 0 ? -1
             : refs->first->kind == WEFT_TREE_VALUE
                 ? mscclpp_whole(mscclpp_item(refs, (uint64_t)ref))
                 : mscclpp_listed(refs, &c, "remote_buffer_ids", (uint64_t)ref);
    return id < 0 ? NULL : mscclpp_item(mscclpp_find(t->gpu, "remote_buffers"), (uint64_t)id);
}

static int listed_piece(struct mscclpp *p, const struct mscclpp_tb *t, const struct weft_tree *from,
                        struct mscclpp_piece *out)
{
    const struct weft_tree *id = weft_tree_get(from, "buffer_id"),
                           *remote = id ? remote_buffer(t, mscclpp_whole(id)) : NULL;
    const int64_t rank = id ? mscclpp_whole(weft_tree_get(remote, "rank")) : t->at.gpu;
    if (id && (!remote || rank < 0 || rank >= p->m->n || rank == t->at.gpu))
        return mscclpp_wrong(p, t->at, "buffer_id names no buffer of another GPU", NULL);
    return piece(p, t, (uint32_t)rank, weft_tree_text(id ? remote : from, "type", ""),
                 mscclpp_whole(weft_tree_get(from, "index")),
                 mscclpp_whole(weft_tree_get(from, "size")), out);
}

static int listed(struct mscclpp *p, const struct mscclpp_tb *t, const char *key,
                  struct mscclpp_piece *out, size_t *n)
{
    const struct weft_tree *list = mscclpp_find(t->op, key);
    *n = 0;
    if (!list || list->kind != WEFT_TREE_LIST || list->n == 0 || list->n > BUFFERS)
        return mscclpp_wrong(p, t->at, "%s must be a list of 1 to 64 buffers", key);
    for (const struct weft_tree *e = list->first; !p->code && e; e = e->next)
        listed_piece(p, t, e, &out[(*n)++]);
    return p->code;
}

/* --- the first generation: own buffers by offset, others' by channel and offset --- */

static int64_t count_of(const struct weft_tree *op)
{
    const struct weft_tree *n = weft_tree_get(op, "cnt");
    return n ? mscclpp_whole(n) : 1;
}

/* srcbuff and srcoff, or dstbuff and dstoff. */
static void own(struct mscclpp *p, const struct mscclpp_tb *t, const char *buffer,
                const char *offset, struct mscclpp_piece *out, size_t *n)
{
    if (!p->code && weft_tree_get(t->op, offset))
        piece(p, t, t->at.gpu, weft_tree_text(t->op, buffer, ""),
              mscclpp_whole(weft_tree_get(t->op, offset)), count_of(t->op), &out[(*n)++]);
}

static void over_channels(struct mscclpp *p, const struct mscclpp_tb *t, bool in,
                          struct mscclpp_piece *out, size_t *n)
{
    const struct weft_tree *ids = mscclpp_channel_ids(t->op, in);
    const struct mscclpp_channels c = mscclpp_channels_of(t->op, in);
    for (const struct weft_tree *e = ids ? ids->first : NULL; !p->code && e; e = e->next) {
        uint32_t peer = 0;
        uint64_t ordinal = 0;
        const int64_t id = mscclpp_id(e);
        if (*n == BUFFERS)
            mscclpp_wrong(p, t->at, "more than 64 buffers", NULL);
        else if (id < 0 || !mscclpp_channel(p, t, (uint64_t)id, &c, &peer, &ordinal))
            mscclpp_wrong(p, t->at, "%s names no channel to another GPU", in ? "i_cids" : "o_cids");
        else
            piece(p, t, peer, c.dst, mscclpp_whole(weft_tree_get(e, "off")), count_of(t->op),
                  &out[(*n)++]);
    }
}

int mscclpp_sources(struct mscclpp *p, const struct mscclpp_tb *t, struct mscclpp_piece *out,
                    size_t *n)
{
    if (!mscclpp_first(t->op))
        return listed(p, t, "src_buff", out, n);
    const struct weft_tree *more = weft_tree_get(t->op, "srcs");
    *n = 0;
    own(p, t, "srcbuff", "srcoff", out, n);
    if (*n == 0 && weft_tree_get(t->op, "i_cids")) /* what is added to is where the sum goes */
        own(p, t, "dstbuff", "dstoff", out, n);
    for (const struct weft_tree *e = more ? more->first : NULL; !p->code && e; e = e->next) {
        if (*n == BUFFERS)
            return mscclpp_wrong(p, t->at, "more than 64 buffers", NULL);
        piece(p, t, t->at.gpu, weft_tree_text(e, "buff", ""),
              mscclpp_whole(weft_tree_get(e, "off")), count_of(t->op), &out[(*n)++]);
    }
    over_channels(p, t, true, out, n);
    if (*n == 0)
        mscclpp_wrong(p, t->at, "it names nothing to read (srcbuff and srcoff, srcs)", NULL);
    return p->code;
}

int mscclpp_destinations(struct mscclpp *p, const struct mscclpp_tb *t, struct mscclpp_piece *out,
                         size_t *n)
{
    if (!mscclpp_first(t->op))
        return listed(p, t, "dst_buff", out, n);
    *n = 0;
    own(p, t, "dstbuff", "dstoff", out, n);
    over_channels(p, t, false, out, n);
    if (*n == 0)
        mscclpp_wrong(p, t->at, "it names nothing to write (dstbuff and dstoff, o_cids)", NULL);
    return p->code;
}
