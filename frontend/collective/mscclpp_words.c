/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The words of MSCCL++ plans, which changed: until 0.7 (mid 2025) channels were between two types
 * of buffers and operations named them with offsets (o_cids), since then buffers of other GPUs are
 * listed (remote_buffers). Other generations have the same under other names.
 */
#include "collective/mscclpp.h"

#include <string.h>

static const struct {
    const char *now, *then[2];
} aliases[] = {
    {"collective", {"colletive"}}, /* sic, until 0.6 */
    {"input_chunks", {"inputChunks"}},
    {"output_chunks", {"outputChunks"}},
    {"scratch_chunks", {"scratchChunks"}},
    {"connected_to", {"connectedTo"}},
    {"remote_buffers", {"remoteBuffers"}},
    {"remote_buffer_refs", {"remote_buffer_ids", "remoteBufferIds"}},
    {"channel_ids", {"cids", "cid"}},
    {"channel_type", {"ctype", "type"}},
    {"src_buff", {"src_buffer"}},
    {"dst_buff", {"dst_buffer"}},
    {"num_threadblocks", {"nthread_blocks"}},
    {"init_value", {"init"}},
};

static const struct {
    const char *then, *now;
} types[] = {{"sm", "memory"}, {"proxy", "port"}, {"nvls", "switch"}};

const struct weft_tree *mscclpp_find(const struct weft_tree *t, const char *key)
{
    const struct weft_tree *found = weft_tree_get(t, key);
    for (size_t k = 0; !found && k < sizeof aliases / sizeof aliases[0]; k++)
        for (size_t j = 0; !found && j < 2 && strcmp(aliases[k].now, key) == 0; j++)
            found = aliases[k].then[j] ? weft_tree_get(t, aliases[k].then[j]) : NULL;
    return found;
}

int64_t mscclpp_whole(const struct weft_tree *t)
{
    int64_t v = 0;
    const char *p = t && t->kind == WEFT_TREE_VALUE ? t->text : "";
    if (!*p)
        return -1;
    for (; *p; p++) {
        if (*p < '0' || *p > '9')
            return -1;
        v = 10 * v + (*p - '0');
        if (v > 1073741824)
            return -1;
    }
    return v;
}

const struct weft_tree *mscclpp_item(const struct weft_tree *list, uint64_t k)
{
    const struct weft_tree *t = list && list->kind == WEFT_TREE_LIST ? list->first : NULL;
    for (; t && k; k--)
        t = t->next;
    return t;
}

int64_t mscclpp_id(const struct weft_tree *t)
{
    return mscclpp_whole(t && t->kind == WEFT_TREE_MAP ? weft_tree_get(t, "id") : t);
}

static const char *mscclpp_words_word(const struct weft_tree *t)
{
    return t && t->kind == WEFT_TREE_VALUE ? t->text : "";
}

const char *mscclpp_channel_type(const struct weft_tree *t)
{
    const char *type = weft_tree_text(t, "access_channel_type",
                                      mscclpp_words_word(mscclpp_find(t, "channel_type")));
    for (size_t k = 0; k < sizeof types / sizeof types[0]; k++)
        if (strcmp(types[k].then, type) == 0)
            return types[k].now;
    return type;
}

bool mscclpp_first(const struct weft_tree *op)
{
    return weft_tree_get(op, "o_cids") || weft_tree_get(op, "i_cids") ||
           weft_tree_get(op, "srcbuff") || weft_tree_get(op, "dstbuff");
}

struct mscclpp_channels mscclpp_channels_of(const struct weft_tree *op, bool in)
{
    struct mscclpp_channels c = {mscclpp_channel_type(op), "", ""};
    if (!mscclpp_first(op))
        return c;
    const struct weft_tree *ends = weft_tree_get(op, in ? "i_buff" : "o_buff");
    c.src = ends ? weft_tree_text(ends, "src", "") : weft_tree_text(op, "srcbuff", "");
    c.dst = ends ? weft_tree_text(ends, "dst", "") : weft_tree_text(op, "dstbuff", "");
    return c;
}

const struct weft_tree *mscclpp_channel_ids(const struct weft_tree *op, bool in)
{
    const struct weft_tree *ids = mscclpp_first(op) ? weft_tree_get(op, in ? "i_cids" : "o_cids")
                                                    : mscclpp_find(op, "channel_ids");
    return ids && ids->kind == WEFT_TREE_LIST ? ids : NULL;
}

/* Whether a list of channels, of a GPU or a threadblock, is for such. */
static bool is_for(const struct weft_tree *l, const struct mscclpp_channels *c)
{
    const bool any = !*c->type || strcmp(c->type, "none") == 0; /* not said */
    if (!any && strcmp(mscclpp_channel_type(l), c->type) != 0)
        return false;
    return !*c->src ||
           (strcmp(weft_tree_text(l, "srcbuff", weft_tree_text(l, "src", "")), c->src) == 0 &&
            strcmp(weft_tree_text(l, "dstbuff", weft_tree_text(l, "dst", "")), c->dst) == 0);
}

int64_t mscclpp_listed(const struct weft_tree *lists, const struct mscclpp_channels *c,
                       const char *key, uint64_t i)
{
    const struct weft_tree *l = lists && lists->kind == WEFT_TREE_LIST ? lists->first : NULL;
    for (; l; l = l->next) {
        if (!is_for(l, c))
            continue;
        const struct weft_tree *ids = mscclpp_find(l, key);
        if (!ids)
            continue;
        if (i < ids->n)
            return mscclpp_whole(mscclpp_item(ids, i));
        i -= ids->n;
    }
    return -1;
}

bool mscclpp_channel(const struct mscclpp *p, const struct mscclpp_tb *t, uint64_t i,
                     const struct mscclpp_channels *c, uint32_t *peer, uint64_t *ordinal)
{
    const struct weft_tree *peers = NULL, *all = weft_tree_get(t->gpu, "channels");
    int64_t id = mscclpp_listed(weft_tree_get(t->tb, "channels"), c, "channel_ids", i), to = -1;
    for (const struct weft_tree *l = all ? all->first : NULL; id >= 0 && l; l = l->next)
        if (is_for(l, c)) {
            peers = mscclpp_find(l, "connected_to");
            if (peers && (uint64_t)id < peers->n)
                break;
            id -= peers ? peers->n : 0;
            peers = NULL;
        }
    if (id < 0 || !peers)
        return false;
    to = mscclpp_whole(mscclpp_item(peers, (uint64_t)id));
    if (to < 0 || to >= p->m->n || to == t->at.gpu)
        return false;
    *ordinal = 0;
    const struct weft_tree *e = peers->first;
    for (int64_t k = 0; k < id; k++, e = e->next)
        *ordinal += mscclpp_whole(e) == to;
    *peer = (uint32_t)to;
    return true;
}
