/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The collective interface: one algorithm is one struct weft_coll_ops in one file, listed in
 * coll_table.def.
 *
 * An algorithm is a program per rank, computed one instruction at a time from (call, rank, lane,
 * i): nothing is materialised, so that a ring over 16,384 ranks costs nothing until it runs. `rank`
 * is the position in the group, 0 .. n-1.
 *
 * How a program runs: it has one or more lanes, which run side by side. The instructions of a lane
 * are issued in order; one is issued as soon as the one before it has been issued and its own
 * dependency, in this or another lane, is done. A send is done once it is posted. A receive is
 * posted when issued and done when its message has arrived and been taken in (and added up, for a
 * RECV_REDUCE). The program is done when all of its instructions are.
 *
 * Data is counted in blocks. A collective has units, which its kind defines, and an algorithm cuts
 * each unit into equal parts; the blocks are the parts of unit 0, of unit 1, and so on. `bytes` is
 * what the collective is called with (docs/reference/units.md):
 *   all-reduce, broadcast, reduce  1 unit: the buffer
 *   reduce-scatter, scatter        n units, together `bytes`; unit u ends at rank u
 *   all-gather, gather             n units of `bytes`; unit u starts at rank u
 *   all-to-all                     n * n units; unit s * n + d goes from rank s to rank d
 * Something is cut into k by giving each piece ceil(bytes / k), the last ones less or nothing.
 */
#ifndef WEFT_COLLECTIVE_H
#define WEFT_COLLECTIVE_H

#include "base/err.h"
#include "base/param.h"
#include "workload/dag.h"

#include <stdbool.h>

WEFT_C_BEGIN

/** Sizes of an all-to-all in which pairs differ. */
struct weft_coll_pairs {
    const void *ctx;
    /** Bytes from rank @p from to rank @p to. */
    uint64_t (*bytes)(const void *ctx, uint32_t from, uint32_t to);
    /** 1: a rank knows only what it sends and receives itself (all-to-all-v): only asked for
     * those, and a pair with nothing to say exchanges no message. */
    int local;
};

/** What is to be done: the same on every rank. */
struct weft_coll_call {
    enum weft_coll_kind kind; /**< as played, see weft_coll_run_as() */
    uint32_t n;               /**< ranks */
    uint32_t root;            /**< broadcast, reduce, gather, scatter */
    uint64_t bytes;
    int cut; /**< all-gather: `bytes` is the whole result, cut into n as a reduce-scatter does */
    const struct weft_coll_pairs *pairs; /**< all-to-all; NULL: `bytes` of a rank cut into n */
    const void *params;                  /**< of the algorithm */
    const void *program;                 /**< what the algorithm's load made, or NULL */
};

/** What an instruction does. */
enum weft_coll_action {
    WEFT_COLL_SEND,        /**< post the blocks, as they are now, to `peer` */
    WEFT_COLL_RECV,        /**< take blocks from `peer`, replacing what was there */
    WEFT_COLL_RECV_REDUCE, /**< take blocks from `peer` and add them to those at `source` */
    WEFT_COLL_COPY,        /**< copy the blocks at `source` to `first_block` */
    WEFT_COLL_ADD,         /**< add the blocks at `source` to those at `first_block` */
    WEFT_COLL_SWITCH,      /**< take part in an operation of the switches, see `from` */
    WEFT_COLL_COMPUTE,     /**< `duration_ps` of anything */
    WEFT_COLL_NOP          /**< only its dependency */
};

/** What an instruction waits for before it is issued, besides its turn. */
enum weft_coll_dep {
    WEFT_COLL_DEP_NONE,  /**< nothing */
    WEFT_COLL_DEP_INSTR, /**< instruction (dep_lane, dep_instr) is done; in its own lane an earlier
                            one */
    WEFT_COLL_DEP_UPTO   /**< so are all before it in its lane */
};

#define WEFT_COLL_SWITCHES UINT32_MAX
#define WEFT_COLL_ALL UINT32_MAX

/** One instruction. */
struct weft_coll_instr {
    enum weft_coll_action action;
    /** SEND, RECV*: position in the group, not the own one; RECV: or WEFT_COLL_SWITCHES */
    uint32_t peer;
    uint32_t peer_lane; /**< SEND, SWITCH: the receive that takes it; COMPUTE: busy worker */
    uint64_t peer_instr;
    /**
     * SWITCH: whose blocks the switches take, and the ranks that receive them from the peer
     * WEFT_COLL_SWITCHES. WEFT_COLL_ALL: the sum of everybody's; everybody but `from`. Each rank
     * has the same SWITCH instructions at the same places, also those that neither give nor
     * receive.
     */
    uint32_t from, to;
    /** The blocks are first_block + j * max(stride, 1) for j < nblocks, modulo their number. */
    uint64_t first_block, nblocks, stride;
    bool listed;     /**< instead, ops->block lists them */
    uint64_t source; /**< COPY, ADD, RECV_REDUCE with has_source: first block read */
    bool has_source; /**< RECV_REDUCE: the sum of the message and `source` goes to first_block */
    enum weft_coll_dep dep;
    uint32_t dep_lane;
    uint64_t dep_instr;
    uint64_t step;       /**< for people: the step of the algorithm that this belongs to, from 0 */
    int64_t duration_ps; /**< COMPUTE */
    uint64_t free_pct; /**< RECV_REDUCE: share of its bytes whose addition costs no time, 0..100 */
    bool charged;      /**< RECV: costs the time of an addition, though nothing is added */
    /** RECV*, COMPUTE: the worker of the lane is busy with it, one instruction after the other. */
    int64_t busy_ps;
    bool overlaps;    /**< busy_ps passes while the message comes in: cut-through */
    int64_t after_ps; /**< RECV*: from then until it is done; instructions do not wait for it */
    int64_t proxy_ps; /**< SEND, RECV*: the thread that serves the rank's NICs is busy with it */
    uint32_t proxy_round; /**< messages that this thread handles in that time, if they wait; 0: 1 */
    uint32_t channel;     /**< SEND: its messages have QPs of their own; 0: none */
    /** SEND: each `payload` bytes are a line of `line` bytes on the wire; line 0: no such lines. */
    uint32_t line, payload;
    bool granted; /**< SEND, RECV*: the message waits for the receive, as in a rendezvous */
};
/** Bytes on the wire of a message of @p bytes. */
static inline uint64_t weft_coll_wire_bytes(const struct weft_coll_instr *in, uint64_t bytes)
{
    return in->line ? (bytes / in->payload + (bytes % in->payload != 0)) * in->line : bytes;
}
/** Of the @p bytes that a receive takes in, those that cost the time of an addition. */
static inline uint64_t weft_coll_added_bytes(const struct weft_coll_instr *in, uint64_t bytes)
{
    if (in->action == WEFT_COLL_RECV)
        return in->charged ? bytes : 0;
    return in->action == WEFT_COLL_RECV_REDUCE
               ? bytes / 100 * (100 - in->free_pct) + bytes % 100 * (100 - in->free_pct) / 100
               : 0;
}

/** The direct links among the ranks of a collective, one entry per direction. */
struct weft_coll_edge {
    uint32_t from, to; /**< positions in the group */
    uint64_t rate_bps;
};
struct weft_coll_graph {
    uint32_t n;
    size_t nedges;
    const struct weft_coll_edge *edge;
};

struct weft_coll_cost_sink;

/** One algorithm. Every function is pure. */
struct weft_coll_ops {
    const char *name;               /**< what users type: "ring" */
    const char *title;              /**< one line for lists */
    const char *source;             /**< paper, NULL when there is none to name */
    struct weft_param_table params; /**< optional; users write "ring:channels=2" */
    bool ordered;    /**< the pairs that communicate follow from the order of the members, which
                       system.order    may change */
    bool grants;     /**< some of its messages are granted */
    bool in_network; /**< has SWITCH instructions, so switches join the ranks in a tree */
    /** Required. Whether it can do @p c. If not, *why (may be NULL) says what is missing. */
    bool (*supports)(const struct weft_coll_call *c, const char **why);
    /** Optional. Makes the program for kind, n, root and params of @p c over the links that there
     * are; `unload` frees it. Only for whole groups; `supports` is called before. */
    int (*plan)(const struct weft_coll_call *c, const struct weft_coll_graph *g, void **program,
                struct weft_err *err);
    /** Optional. Whether its messages are the same for every size, so that a collective can't be
     * cut into chunks; without it they are not. */
    bool (*uncut)(const void *program);
    /** Optional. Parts that each unit is cut into, >= 1; without it 1. */
    uint64_t (*parts)(const struct weft_coll_call *c);
    /** Optional. Lanes of the program of @p rank, >= 1; without it 1. */
    uint32_t (*lanes)(const struct weft_coll_call *c, uint32_t rank);
    /** Required. Instructions in a lane; 0 when n is 1. */
    uint64_t (*count)(const struct weft_coll_call *c, uint32_t rank, uint32_t lane);
    /** Required. Instruction @p i < count of a lane; *out is zero before. */
    void (*instr)(const struct weft_coll_call *c, uint32_t rank, uint32_t lane, uint64_t i,
                  struct weft_coll_instr *out);
    /** Block @p j < nblocks of an instruction that has `listed` set; required if one has. */
    uint64_t (*block)(const struct weft_coll_call *c, uint32_t rank, uint32_t lane, uint64_t i,
                      uint64_t j);
    /** Required. Bytes that all ranks together send. */
    uint64_t (*total_bytes)(const struct weft_coll_call *c);
    /** Optional. Software time before the first instruction, after system.endpoint-delay. */
    int64_t (*launch_ps)(const struct weft_coll_call *c);
    /** Optional, in_network: the switches join this many consecutive ranks each, whose SWITCH
     * instructions name them by their place among these; without it all. */
    uint32_t (*island)(const struct weft_coll_call *c);
    /** Optional. Messages that have to wait for each other, for estimates; without it half of the
     * instructions of lane 0 of rank 0. */
    uint64_t (*rounds)(const struct weft_coll_call *c);

    /** Optional. Says which rounds the program has (collective/cost.h), for a choice among
     * algorithms. */
    void (*cost)(const struct weft_coll_call *c, const struct weft_coll_cost_sink *sink);
    /** With cost: the ways in which it is written that such a choice weighs, "ring:channels=2";
     * NULL-terminated. Without: its name alone. */
    const char *const *tries;

    /*
     * Programs from files. Their blocks are slots of their own, in which pieces of data move
     * about, and their lanes go on only when a receive is done; all of these (serves may be
     * missing) or, but for unload, none.
     */
    /** Makes the program that @p params name, *dir is where relative names begin ("" for here). */
    int (*load)(const void *params, const char *dir, void **program, struct weft_err *err);
    void (*unload)(void *program);
    /** Slots of each rank; NULL: the slots are the blocks. */
    uint64_t (*slots)(const struct weft_coll_call *c);
    /** Block whose data is in a slot at the start, must be there at the end; WEFT_COLL_NO_BLOCK. */
    uint64_t (*start)(const struct weft_coll_call *c, uint32_t rank, uint64_t slot);
    uint64_t (*end)(const struct weft_coll_call *c, uint32_t rank, uint64_t slot);
    /** Bytes that a SEND, RECV*, COPY or ADD moves; NULL: those of its blocks. */
    uint64_t (*bytes)(const struct weft_coll_call *c, uint32_t rank, uint32_t lane, uint64_t i);
    /** Optional. Whether a lane does what other ranks ask for: what it receives must have been
     * waited for when the rank's other lanes are over. Without it no lane does. */
    bool (*serves)(const struct weft_coll_call *c, uint32_t rank, uint32_t lane);
    /** What the file calls an instruction and a slot, for people; @p text of @p size bytes. */
    void (*name_instr)(const struct weft_coll_call *c, uint32_t rank, uint32_t lane, uint64_t i,
                       char *text, size_t size);
    void (*name_slot)(const struct weft_coll_call *c, uint32_t rank, uint64_t slot, char *text,
                      size_t size);
};
#define WEFT_COLL_NO_BLOCK UINT64_MAX

/** All algorithms, in the order of coll_table.def; *n receives their number. */
const struct weft_coll_ops *const *weft_coll_table(size_t *n);
/** The algorithm called @p name; on an unknown name NULL, and *err names the nearest. */
const struct weft_coll_ops *weft_coll_find(const char *name, struct weft_err *err);
/** Adds a struct weft_coll_ops that was loaded at run time (base/plugin.h). */
int weft_coll_add(const void *ops, struct weft_err *err);

/* --- blocks --- */

/** Units of a collective: 1, n or n * n. */
uint64_t weft_coll_units(const struct weft_coll_call *c);
/** Bytes in a unit. */
uint64_t weft_coll_unit_bytes(const struct weft_coll_call *c, uint64_t unit);
/** Parts that @p ops cuts a unit into. */
uint64_t weft_coll_parts(const struct weft_coll_ops *ops, const struct weft_coll_call *c);
/** Bytes in a block when units are cut into @p parts. */
uint64_t weft_coll_block_bytes(const struct weft_coll_call *c, uint64_t parts, uint64_t block);
/** Bytes in the consecutive blocks first .. first + n - 1. */
uint64_t weft_coll_range_bytes(const struct weft_coll_call *c, uint64_t parts, uint64_t first,
                               uint64_t n);
/** Lanes of @p rank. */
uint32_t weft_coll_lanes(const struct weft_coll_ops *ops, const struct weft_coll_call *c,
                         uint32_t rank);
/** Block (or slot) @p j of an instruction. @p nblocks: how many there are in all. */
uint64_t weft_coll_nth_block(const struct weft_coll_ops *ops, const struct weft_coll_call *c,
                             uint32_t rank, uint32_t lane, uint64_t i,
                             const struct weft_coll_instr *in, uint64_t nblocks, uint64_t j);
/** Bytes that an instruction moves. */
uint64_t weft_coll_instr_bytes(const struct weft_coll_ops *ops, const struct weft_coll_call *c,
                               uint32_t rank, uint32_t lane, uint64_t i,
                               const struct weft_coll_instr *in);
/** Whether a rank gives data to a SWITCH instruction, and whether it receives from it. */
static inline bool weft_coll_gives(const struct weft_coll_instr *in, uint32_t rank)
{
    return in->from == WEFT_COLL_ALL || in->from == rank;
}
static inline int weft_coll_receives(const struct weft_coll_instr *in, uint32_t rank)
{
    return in->to == WEFT_COLL_ALL ? rank != in->from : rank == in->to;
}
/** Bytes over all ranks where every rank but one sends its data up a tree and gets the sum back. */
uint64_t weft_coll_bytes_up_and_down(const struct weft_coll_call *c);
/** Piece @p i of @p bytes cut into @p n, and where it begins. */
uint64_t weft_coll_cut(uint64_t bytes, uint64_t n, uint64_t i);

/* --- helpers of algorithms --- */

/** A kind in a set of kinds: WEFT_COLL_BIT(ALL_REDUCE) | WEFT_COLL_BIT(REDUCE). */
#define WEFT_COLL_BIT(kind) (1u << WEFT_COLL_##kind)
/** Whether the kind of @p c is in the set @p kinds; if not, sets *why (may be NULL) to @p text. */
bool weft_coll_one_of(const struct weft_coll_call *c, unsigned kinds, const char *text,
                      const char **why);
/** (a - b) mod n */
static inline uint32_t weft_coll_minus(uint32_t a, uint64_t b, uint32_t n)
{
    const uint64_t d = (uint64_t)a + n - (b < n ? b : b % n);
    return (uint32_t)(d < n ? d : (d - n) < n ? d - n : d % n); /* mostly without a division */
}
/** Largest power of two that is <= n > 0, as an exponent. */
static inline unsigned weft_coll_log2(uint32_t n)
{
    return 31u - (unsigned)__builtin_clz(n);
}

/**
 * The kind whose program plays @p kind: a barrier is an all-reduce (of nothing),
 * reduce-scatter-block a reduce-scatter. Every kind has one.
 */
enum weft_coll_kind weft_coll_run_as(enum weft_coll_kind kind);
/** Bytes of all sends of a program whose operations say how many each has (`bytes`): for
 * `total_bytes`. */
uint64_t weft_coll_sent_bytes(const struct weft_coll_ops *ops, const struct weft_coll_call *c);
/** Whether @p kind has a root. */
bool weft_coll_has_root(enum weft_coll_kind kind);

/**
 * Chunks that @p bytes are cut into when at most @p max_chunks (>= 1) are wanted: pieces of
 * ceil(bytes / max_chunks), the last one shorter; fewer pieces when that covers everything, 1 for 0
 * bytes.
 */
uint64_t weft_coll_chunks(uint64_t bytes, uint64_t max_chunks);
/** Bytes in chunk @p i < weft_coll_chunks(bytes, max_chunks). */
uint64_t weft_coll_chunk_bytes(uint64_t bytes, uint64_t max_chunks, uint64_t i);

WEFT_C_END
#endif
