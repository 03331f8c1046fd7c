/* SPDX-License-Identifier: GPL-2.0-only */
/* What is unmatched between an NPU and its peers; private to p2p*.c and coll_rendezvous.c. */
#ifndef WEFT_SYSTEM_P2P_H
#define WEFT_SYSTEM_P2P_H

#include "system/system_internal.h"

#include <stdbool.h>
#include <string.h>
#define HASH_NONFATAL_OOM 1
#define uthash_nonfatal_oom(elt) ((elt)->failed = 1)
#include <uthash.h>

/** A message that nobody has received yet. */
struct weft_arrival {
    uint64_t bytes;
    struct weft_arrival *next;
};

/**
 * What is unmatched of one (peer, tag): either messages or the ops that wait for one. With
 * WEFT_TAG_CONTROL in the tag: requests or RECVs that want one; with WEFT_TAG_GRANT: grants or
 * SENDs.
 */
struct weft_p2p {
    struct {
        uint64_t tag; /**< as carried */
        uint32_t peer, zero;
    } key;
    struct weft_arrival *head, *tail;
    struct weft_fifo waiting;
    uint64_t controls;      /**< requests or grants that came */
    uint64_t wanting;       /**< RECVs without a request */
    struct weft_prog *prog; /**< tag of a collective: the program whose instruction waits */
    uint64_t instr;         /**< its lane and number, as in a tag */
    bool failed;            /**< the hash table was out of memory */
    UT_hash_handle hh;
};

/** A tag as messages carry it. */
static inline uint64_t weft_p2p_carried(uint64_t tag)
{
    return (tag & (WEFT_TAG_GRANT - 1)) | WEFT_TAG_P2P;
}

/* p2p_any.c */
/** Readies an NPU that has such RECVs. WEFT_E_LIMIT. */
int weft_any_new(struct weft_npu *npu, struct weft_err *err);
void weft_any_free(struct weft_npu *npu);
/** A RECV is posted. True: its message was there, of *bytes, and is taken; else it waits. */
bool weft_any_recv(struct weft_active *a, uint64_t *bytes);
/** A message has come: the RECV that takes it, which waits no more, or NULL: it is kept. */
struct weft_active *weft_any_arrival(struct weft_npu *npu, const struct weft_msg *msg);

/** The entry of (peer, tag), or NULL. */
struct weft_p2p *weft_p2p_find(const struct weft_npu *npu, uint32_t peer, uint64_t tag);
/** The same; makes it when there is none. NULL: out of memory, which the system has been told. */
struct weft_p2p *weft_p2p_entry(struct weft_npu *npu, uint32_t peer, uint64_t tag);
/** Removes an entry with nothing in it. */
void weft_p2p_tidy(struct weft_npu *npu, struct weft_p2p *e);

#endif
