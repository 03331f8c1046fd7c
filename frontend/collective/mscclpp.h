/* SPDX-License-Identifier: GPL-2.0-only */
/* Between the plan of MSCCL++ (mscclpp_read.c), its operations (mscclpp_ops.c) and
 * their instructions (mscclpp_emit.c); internal. */
#ifndef WEFT_COLLECTIVE_MSCCLPP_H
#define WEFT_COLLECTIVE_MSCCLPP_H

#include "collective/msccl.h"

#include <jansson.h>

#ifdef __cplusplus
extern "C" {
#endif

#define MSCCLPP_CHUNKS_MAX INT64_C(1048576)
enum { MSCCLPP_TBS_MAX = 1024, MSCCLPP_GPUS_MAX = 4096, MSCCLPP_EVENTS_MAX = 65536 };

/* An operation, and the lane that does it: its threadblock or one that serves it elsewhere. */
struct mscclpp_at {
    uint32_t gpu, lane, op;
};

/* Lanes of a GPU for a threadblock of another. */
enum mscclpp_service { MSCCLPP_WRITES, MSCCLPP_RELAXED, MSCCLPP_READS, MSCCLPP_SERVICES };

enum mscclpp_kind { MSCCLPP_SIGNAL, MSCCLPP_PACKET, MSCCLPP_BARRIER };

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
};

struct mscclpp {
    struct weft_msccl *m;
    const char *file;
    struct weft_err *err;
    int code;                 /* first error */
    uint32_t ntbs, *first_tb; /* threadblocks of all GPUs; per GPU the first of its own */
    uint32_t *service;        /* 1 + lane, by GPU, threadblock and mscclpp_service; 0: none yet */
    uint32_t *room;           /* lanes that there is room for */
    struct mscclpp_wait *waits;
    struct mscclpp_event *events;
    uint64_t nwaits, waits_room, nevents, events_room;
    uint64_t temps, temps_max; /* slots for sums, of a GPU */
};

#pragma GCC visibility push(hidden)

/** A whole number from 0 to 2^30, else -1. Plans have numbers that no integer of JSON libraries
 * holds, so all are read as reals. */
int64_t mscclpp_whole(const json_t *o);
/** @p n elements in room for @p cap, the rest zero; NULL: out of memory, which p->code says. */
void *mscclpp_grow(struct mscclpp *p, void *old, uint64_t n, uint64_t cap, size_t size);
struct weft_msccl_instr *mscclpp_emit(struct mscclpp *p, struct mscclpp_at at,
                                      enum weft_coll_action action);
/** Index of the last instruction of a lane. */
uint64_t mscclpp_last(const struct mscclpp *p, struct mscclpp_at at);
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
/** All operations of a GPU. */
int mscclpp_gpu(struct mscclpp *p, uint32_t gpu, const json_t *from);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif
#endif
