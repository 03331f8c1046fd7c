/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the processes of a simulation have alike, once on each machine.
 *
 * The first process of each machine writes the bytes into memory without a name (memfd), which the
 * others of that machine map as it does, read-only. Only pages that a process reads are its own
 * resident memory.
 */
#ifndef WEFT_BASE_SHARED_H
#define WEFT_BASE_SHARED_H

#include "base/peers.h"

#include <stdint.h>

WEFT_C_BEGIN

/** The bytes of several blocks. */
struct weft_shared {
    void *at;
    size_t n;
};

/** Bytes of malloc, or NULL, 0. */
struct weft_shared_block {
    void **at;
    size_t n;
};

/**
 * Shares @p n blocks that say the same in all processes: each *at is freed and points to where they
 * are now, never to be written to. @p same: a hash of what they say. All processes call it
 * together. A process keeps its blocks, and *out is NULL, where the system can't share memory,
 * where it is alone on its machine, and where sizes or hash are not those of the first process
 * there. Not 0: the others can't be reached, and *err says so.
 */
int weft_shared_make(const struct weft_peers *peers, uint64_t same,
                     const struct weft_shared_block *blocks, size_t n, struct weft_shared **out,
                     struct weft_err *err);
/** Unmaps the bytes; NULL is allowed. */
void weft_shared_free(struct weft_shared *s);
/** What is not read from here on is no longer resident memory of this process; NULL is allowed. */
void weft_shared_unread(const struct weft_shared *s);

WEFT_C_END
#endif
