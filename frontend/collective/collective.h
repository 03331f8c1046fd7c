/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The collective interface: one algorithm is one struct weft_coll_ops in one file, listed in
 * coll_table.def.
 *
 * An algorithm is a program per rank, computed one instruction at a time from (kind, n, rank, i):
 * nothing is materialised, so that a ring over 16,384 ranks costs nothing until it runs. `rank` is
 * the position in the group, 0 .. n-1.
 *
 * How a program runs: instructions are issued in order; one is issued as soon as the one before it
 * has been issued and its own dependency is done. A send is done once it is posted. A receive is
 * posted when issued and done when its message has arrived and been taken in (and added up, for a
 * RECV_REDUCE). The program is done when all of its instructions are.
 *
 * Data is counted in blocks. `bytes` is what the collective is called with (docs/units.md):
 *   all-reduce      n blocks of ceil(bytes / n), the last ones shorter or empty
 *   reduce-scatter  the same; block b ends at rank b
 *   all-gather      n blocks of `bytes`; block b starts at rank b
 *   all-to-all      n * n blocks; block s * n + d goes from rank s to rank d and has the size of
 *                   block d of an all-reduce
 */
#ifndef WEFT_COLLECTIVE_H
#define WEFT_COLLECTIVE_H

#include "base/err.h"
#include "workload/dag.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What an instruction does. */
enum weft_coll_action {
    WEFT_COLL_SEND,       /**< post the blocks, as they are now, to `peer` */
    WEFT_COLL_RECV,       /**< take blocks from `peer`, replacing what was there */
    WEFT_COLL_RECV_REDUCE /**< take blocks from `peer` and add them to what is there */
};

/** What an instruction waits for before it is issued, besides its turn. */
enum weft_coll_dep {
    WEFT_COLL_DEP_NONE,  /**< nothing */
    WEFT_COLL_DEP_INSTR, /**< instruction `dep_instr` (an earlier one) is done */
    WEFT_COLL_DEP_ALL    /**< every earlier instruction is done */
};

/** One instruction. */
struct weft_coll_instr {
    enum weft_coll_action action;
    uint32_t peer; /**< position in the group, not the own one */
    /** SEND: index of the receive that takes it, in the peer's program; else 0 */
    uint64_t peer_instr;
    uint64_t first_block; /**< the blocks are first_block .. first_block + nblocks - 1 */
    uint64_t nblocks;
    enum weft_coll_dep dep;
    uint64_t dep_instr; /**< DEP_INSTR: index of an earlier instruction */
    uint64_t step;      /**< for people: the step of the algorithm that this belongs to, from 0 */
};

/** One algorithm. Every function is pure. */
struct weft_coll_ops {
    const char *name;   /**< what users type: "ring" */
    const char *title;  /**< one line for lists */
    const char *source; /**< paper, NULL when there is none to name */
    /** Required. 1 when it can do @p kind on @p n ranks. On 0, *why (may be NULL) says what is
     * missing. */
    int (*supports)(enum weft_coll_kind kind, uint32_t n, const char **why);
    /** Required. Instructions in the program of @p rank; 0 when n is 1. */
    uint64_t (*count)(enum weft_coll_kind kind, uint32_t n, uint32_t rank);
    /** Required. Instruction @p i < count of @p rank. */
    void (*instr)(enum weft_coll_kind kind, uint32_t n, uint32_t rank, uint64_t i,
                  struct weft_coll_instr *out);
    /** Required. Bytes that all ranks together send for a collective of @p bytes. */
    uint64_t (*total_bytes)(enum weft_coll_kind kind, uint32_t n, uint64_t bytes);
};

/** All algorithms, in the order of coll_table.def; *n receives their number. */
const struct weft_coll_ops *const *weft_coll_table(size_t *n);
/** The algorithm called @p name; on an unknown name NULL, and *err names the nearest. */
const struct weft_coll_ops *weft_coll_find(const char *name, struct weft_err *err);

/** Number of blocks of @p kind on @p n ranks: n, or n * n for an all-to-all. */
uint64_t weft_coll_blocks(enum weft_coll_kind kind, uint32_t n);
/** Bytes in a range of blocks of a collective of @p bytes. */
uint64_t weft_coll_range_bytes(enum weft_coll_kind kind, uint32_t n, uint64_t bytes,
                               uint64_t first_block, uint64_t nblocks);

/**
 * The kind whose program plays @p kind: a barrier is an all-reduce (of nothing),
 * reduce-scatter-block a reduce-scatter. Returns 0, or WEFT_E_INPUT when no algorithm of weft plays
 * that kind.
 */
int weft_coll_played_as(enum weft_coll_kind kind, enum weft_coll_kind *as, struct weft_err *err);

/**
 * Chunks that @p bytes are cut into when at most @p max_chunks (>= 1) are wanted: pieces of
 * ceil(bytes / max_chunks), the last one shorter; fewer pieces when that covers everything, 1 for 0
 * bytes.
 */
uint64_t weft_coll_chunks(uint64_t bytes, uint64_t max_chunks);
/** Bytes in chunk @p i < weft_coll_chunks(bytes, max_chunks). */
uint64_t weft_coll_chunk_bytes(uint64_t bytes, uint64_t max_chunks, uint64_t i);

#ifdef __cplusplus
}
#endif
#endif
