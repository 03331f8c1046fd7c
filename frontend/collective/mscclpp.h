/* SPDX-License-Identifier: GPL-2.0-only */
/* Between the plan of MSCCL++ (mscclpp_read.c), the words of its generations (mscclpp_words.c), its
 * operations (mscclpp_ops.c), what these wait for (mscclpp_sync.c) and their instructions
 * (mscclpp_emit.c); internal. */
#ifndef WEFT_COLLECTIVE_MSCCLPP_H
#define WEFT_COLLECTIVE_MSCCLPP_H

#include "base/tree.h"
#include "collective/msccl.h"

#define MSCCLPP_CHUNKS_MAX INT64_C(1048576)
enum { MSCCLPP_TBS_MAX = 1024, MSCCLPP_GPUS_MAX = 4096, MSCCLPP_EVENTS_MAX = 65536 };
/* Buffers of an operation; pieces that groups of threadblocks cut a chunk into. */
enum { MSCCLPP_BUFFERS_MAX = 64, MSCCLPP_FINE_MAX = 1024 };

/* An operation, and the lane that does it: its threadblock or one that serves it elsewhere. */
struct mscclpp_at {
    uint32_t gpu, lane, op;
};

/* Lanes of a GPU for a threadblock of another. */
enum mscclpp_service { MSCCLPP_WRITES, MSCCLPP_RELAXED, MSCCLPP_READS, MSCCLPP_SERVICES };

enum mscclpp_kind { MSCCLPP_SIGNAL, MSCCLPP_PACKET, MSCCLPP_BARRIER, MSCCLPP_SEMAPHORE };

/* What is waited for. Every member has 64 bits: keys are compared as memory. */
struct mscclpp_key {
    uint64_t kind, gpu; /* where the waiting threadblock is */
    uint64_t a, b, c;
};

struct mscclpp_event {
    struct mscclpp_key key;
    struct mscclpp_at at;
    uint32_t by; /* whose threadblock */
    uint64_t instr;
};

struct mscclpp_wait {
    struct mscclpp_key key;
    struct mscclpp_at at;
    uint64_t instr;
    bool free; /* the semaphore began high enough */
};

/* A piece of a buffer that an operation names. */
struct mscclpp_piece {
    uint32_t gpu;
    uint64_t slot, n;
    bool remote;
};

/* An operation where it is read. */
struct mscclpp_tb {
    const struct weft_tree *gpu, *tb, *op;
    struct mscclpp_at at;
};

/* Which channels an operation means: those of a type and, in the first generation of plans, between
 * two types of buffers ("" in the others). */
struct mscclpp_channels {
    const char *type, *src, *dst;
};

struct mscclpp {
    struct weft_msccl *m;
    const struct weft_tree *gpus;
    const char *file;
    struct weft_err *err;
    int code;                 /* first error */
    int64_t line, col;        /* of the operation */
    uint32_t ntbs, *first_tb; /* threadblocks of all GPUs; per GPU the first of its own */
    uint32_t *service;        /* 1 + lane, by GPU, threadblock and mscclpp_service; 0: none yet */
    uint32_t *room;           /* lanes that there is room for */
    struct mscclpp_wait *waits;
    struct mscclpp_event *events;
    uint64_t nwaits, waits_room, nevents, events_room;
    uint64_t temps, temps_max; /* slots for sums, of a GPU */
};

#pragma GCC visibility push(hidden)

/* mscclpp_words.c */
/** What an object has under a key, or under what other generations of plans call it. */
const struct weft_tree *mscclpp_find(const struct weft_tree *t, const char *key);
/** A whole number from 0 to 2^30, else -1. */
int64_t mscclpp_whole(const struct weft_tree *t);
/** Element @p k of a list; NULL: there is none. */
const struct weft_tree *mscclpp_item(const struct weft_tree *list, uint64_t k);
/** The number of a channel: an element of a list of them, or its "id". */
int64_t mscclpp_id(const struct weft_tree *t);
/** "memory", "port", "switch" or what else stands there; "". */
const char *mscclpp_channel_type(const struct weft_tree *t);
/** Whether an operation is of the first generation: i_cids, o_cids, srcbuff ... */
bool mscclpp_first(const struct weft_tree *op);
/** The channels that an operation waits for, reads from (@p in) or writes to. */
struct mscclpp_channels mscclpp_channels_of(const struct weft_tree *op, bool in);
/** Their numbers. */
const struct weft_tree *mscclpp_channel_ids(const struct weft_tree *op, bool in);
/** Element @p i of the lists under @p key of those lists of a threadblock that are for @p c. */
int64_t mscclpp_listed(const struct weft_tree *lists, const struct mscclpp_channels *c,
                       const char *key, uint64_t i);
/** The GPU at the other end of channel @p i, and which of the channels to it this is. */
bool mscclpp_channel(const struct mscclpp *p, const struct mscclpp_tb *t, uint64_t i,
                     const struct mscclpp_channels *c, uint32_t *peer, uint64_t *ordinal);

/* mscclpp_pieces.c */
/** Buffers that an operation reads and writes; @p out has room for MSCCLPP_BUFFERS_MAX. */
int mscclpp_sources(struct mscclpp *p, const struct mscclpp_tb *t, struct mscclpp_piece *out,
                    size_t *n);
int mscclpp_destinations(struct mscclpp *p, const struct mscclpp_tb *t, struct mscclpp_piece *out,
                         size_t *n);

/* mscclpp_sync.c */
/** signal and wait, over the channels that the operation lists. */
int mscclpp_signals(struct mscclpp *p, struct mscclpp_tb *t, bool wait, bool relaxed);
/** sem_release and sem_acquire, within a GPU. */
int mscclpp_semaphores(struct mscclpp *p, struct mscclpp_tb *t, bool wait);
/** Every threadblock that takes part waits for all others. */
int mscclpp_barrier(struct mscclpp *p, struct mscclpp_tb *t);
/** Each wait gets the instruction that ends it. */
int mscclpp_link_waits(struct mscclpp *p);

/* mscclpp_emit.c */
/** @p n elements in room for @p cap, the rest zero; NULL: out of memory, which p->code says. */
void *mscclpp_grow(struct mscclpp *p, void *old, uint64_t n, uint64_t cap, size_t size);
struct weft_msccl_instr *mscclpp_emit(struct mscclpp *p, struct mscclpp_at at,
                                      enum weft_coll_action action);
/** Writes slots into those of GPU @p to; with n 0 a signal. Returns what receives it. */
struct mscclpp_at mscclpp_put(struct mscclpp *p, struct mscclpp_at at, uint64_t source, uint32_t to,
                              uint64_t slot, uint64_t n, bool relaxed);
/** Reads slots of GPU @p from. */
void mscclpp_get(struct mscclpp *p, struct mscclpp_at at, uint32_t from, uint64_t source,
                 uint64_t slot, uint64_t n);
/** Copies or adds within the GPU. */
void mscclpp_local(struct mscclpp *p, struct mscclpp_at at, enum weft_coll_action action,
                   uint64_t source, uint64_t slot, uint64_t n);
/** Waits for an event of its key, which may be noted later. */
void mscclpp_wait(struct mscclpp *p, struct mscclpp_at at, struct mscclpp_wait w);
/** Notes that the last instruction of e.at is the event. */
void mscclpp_event(struct mscclpp *p, struct mscclpp_event e);
/** An error of an operation; @p fmt has one %s or none. */
int mscclpp_wrong(struct mscclpp *p, struct mscclpp_at at, const char *fmt, const char *what);
/** All operations of a GPU; mscclpp_ops.c. */
int mscclpp_gpu(struct mscclpp *p, uint32_t gpu, const struct weft_tree *from);

#pragma GCC visibility pop

#endif
