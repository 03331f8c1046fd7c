/* SPDX-License-Identifier: GPL-2.0-only */
/* What operations of MSCCL++ plans wait for: signals, semaphores, barriers; see mscclpp_read.c. */
#include "collective/mscclpp.h"

#include <stdlib.h>
#include <string.h>

/* How many signals or waits of a channel there were; *shared: by another threadblock. */
static uint64_t mscclpp_sync_turn(const struct mscclpp *p, const struct mscclpp_key *key, bool wait,
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

int mscclpp_signals(struct mscclpp *p, struct mscclpp_tb *t, bool wait, bool relaxed)
{
    static const char letters[] = "?ios";
    const struct weft_tree *ids = mscclpp_channel_ids(t->op, wait);
    const struct mscclpp_channels c = mscclpp_channels_of(t->op, wait);
    const bool port = strcmp(c.type, "port") == 0;
    if (!port && strcmp(c.type, "memory") != 0)
        return mscclpp_wrong(p, t->at, "channel_type must be memory or port, not '%.20s'", c.type);
    if (!ids || !ids->n)
        return mscclpp_wrong(p, t->at, "it names no channel (channel_ids)", NULL);
    /* channels between other buffers are others */
    const char *src = strchr(letters, *c.src ? *c.src : '?'),
               *dst = strchr(letters, *c.dst ? *c.dst : '?');
    if (!src || !dst)
        return mscclpp_wrong(p, t->at, "a buffer's type must be i, o or s", NULL);
    const uint64_t sort = (uint64_t)((src - letters) * 8 + (dst - letters) * 2) + port;
    for (const struct weft_tree *id = ids->first; !p->code && id; id = id->next) {
        uint32_t peer = 0;
        uint64_t ordinal = 0;
        bool shared = false;
        const int64_t i = mscclpp_id(id);
        if (i < 0 || !mscclpp_channel(p, t, (uint64_t)i, &c, &peer, &ordinal))
            return mscclpp_wrong(p, t->at, "channel_ids names no channel to another GPU", NULL);
        struct mscclpp_key key = {.kind = MSCCLPP_SIGNAL,
                                  .gpu = wait ? t->at.gpu : peer,
                                  .a = 32 * (uint64_t)(wait ? peer : t->at.gpu) + sort,
                                  .b = ordinal};
        key.c = mscclpp_sync_turn(p, &key, wait, t->at.lane, &shared);
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

/* The j-th acquisition follows the release that makes the semaphore reach j: it may begin above 0.
 */
int mscclpp_semaphores(struct mscclpp *p, struct mscclpp_tb *t, bool wait)
{
    const struct weft_tree *ids = weft_tree_get(t->op, "semaphore_ids"),
                           *all = weft_tree_get(t->gpu, "semaphores");
    if (!ids || !ids->n || ids->kind != WEFT_TREE_LIST)
        return mscclpp_wrong(p, t->at, "it names no semaphore (semaphore_ids)", NULL);
    for (const struct weft_tree *id = ids->first; !p->code && id; id = id->next) {
        const int64_t i = mscclpp_whole(id);
        const struct weft_tree *s = i < 0 ? NULL : mscclpp_item(all, (uint64_t)i);
        const int64_t from = mscclpp_whole(mscclpp_find(s, "init_value"));
        bool shared = false;
        if (!s || from < 0)
            return mscclpp_wrong(
                p, t->at, "semaphore_ids names no semaphore of the GPU with an init_value", NULL);
        struct mscclpp_key key = {
            .kind = MSCCLPP_SEMAPHORE, .gpu = t->at.gpu, .a = (uint64_t)i, .b = 0};
        key.c = mscclpp_sync_turn(p, &key, wait, t->at.lane, &shared);
        if (!wait && key.c == 0)
            key.c = (uint64_t)from;
        if (shared)
            return mscclpp_wrong(
                p, t->at, "two threadblocks do this to one semaphore; their order is open", NULL);
        if (wait) {
            mscclpp_wait(p, t->at,
                         (struct mscclpp_wait){.key = key, .free = key.c < (uint64_t)from});
        } else if (mscclpp_emit(p, t->at, WEFT_COLL_NOP)) {
            mscclpp_event(p, (struct mscclpp_event){.key = key, .at = t->at, .by = t->at.lane});
        }
    }
    return p->code;
}

/* Every threadblock that takes part waits for all others: their number says who. */
int mscclpp_barrier(struct mscclpp *p, struct mscclpp_tb *t)
{
    const int64_t id = mscclpp_whole(weft_tree_get(t->op, "barrier_id")),
                  n = mscclpp_whole(mscclpp_find(t->op, "num_threadblocks"));
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

static int mscclpp_sync_by_key(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(struct mscclpp_key)); /* the first member of events and waits */
}

/* Errors are at the operation of an instruction. */
static void at_instr(struct mscclpp *p, struct mscclpp_at at, uint64_t instr)
{
    const struct weft_msccl_instr *in = &p->m->gpus[at.gpu].lanes[at.lane].instrs[instr];
    p->line = in->line;
    p->col = in->col;
}

int mscclpp_link_waits(struct mscclpp *p)
{
    static const char *const missing[] = {
        [MSCCLPP_SIGNAL] = "a signal that no rank sends",
        [MSCCLPP_PACKET] = "packets that no rank sends",
        [MSCCLPP_BARRIER] = "more threadblocks than come",
        [MSCCLPP_SEMAPHORE] = "a semaphore that no rank releases",
    };
    if (p->nevents)
        qsort(p->events, p->nevents, sizeof *p->events, mscclpp_sync_by_key);
    for (uint64_t k = 1; k < p->nevents; k++)
        if (mscclpp_sync_by_key(&p->events[k - 1], &p->events[k]) == 0) {
            at_instr(p, p->events[k].at, p->events[k].instr);
            return mscclpp_wrong(p, p->events[k].at, "packets come to one place twice", NULL);
        }
    for (uint64_t k = 0; !p->code && k < p->nwaits; k++) {
        const struct mscclpp_wait *w = &p->waits[k];
        if (w->free)
            continue;
        const struct mscclpp_event *e =
            p->nevents ? bsearch(w, p->events, p->nevents, sizeof *p->events, mscclpp_sync_by_key)
                       : NULL;
        at_instr(p, w->at, w->instr);
        if (!e)
            return mscclpp_wrong(p, w->at, "it waits for %s", missing[w->key.kind]);
        struct weft_coll_instr *in = &p->m->gpus[w->at.gpu].lanes[w->at.lane].instrs[w->instr].in;
        if (e->at.lane == w->at.lane && e->instr >= w->instr)
            return mscclpp_wrong(p, w->at, "it waits for a later operation of its own", NULL);
        in->dep = WEFT_COLL_DEP_UPTO;
        in->dep_lane = e->at.lane;
        in->dep_instr = e->instr;
    }
    return p->code;
}
