/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * GOAL schedules (LogGOPSim, ATLAHS) in memory, as the file says them: per rank sends, receives and
 * computations, and what waits for what.
 *
 * Two forms of file hold the same: text, one statement per line, and the binary form that the
 * converter of LogGOPSim makes of it. Tags are compared modulo 2^32, as the binary form keeps them.
 */
#ifndef WEFT_GOAL_H
#define WEFT_GOAL_H

#include "base/arena.h"
#include "base/err.h"
#include "workload/dag.h"
#include "workload/et.h"

#include <stdbool.h>
#include <stdio.h>

/** A peer or tag that matches any. */
#define WEFT_GOAL_ANY UINT32_MAX
/** What the binary form begins with. */
#define WEFT_GOAL_MAGIC UINT64_C(4223)

/** Kinds of operations, with the numbers of the binary form. */
enum weft_goal_kind { WEFT_GOAL_SEND = 1, WEFT_GOAL_RECV = 2, WEFT_GOAL_CALC = 3 };

/** An operation. */
struct weft_goal_op {
    const char *label; /**< in the text; NULL: none */
    uint64_t value;    /**< bytes, of a calc its units of time */
    uint32_t peer;     /**< SEND: to, RECV: from, or WEFT_GOAL_ANY */
    uint32_t tag;      /**< or WEFT_GOAL_ANY */
    uint32_t cpu, nic;
    uint32_t line; /**< in the text, 0: none */
    uint32_t col;
    uint8_t kind; /**< enum weft_goal_kind */
};

/** `op` waits for `on`: until it has ended, or with `start` until it has begun. */
struct weft_goal_dep {
    uint32_t op, on; /**< indices, different */
    bool start;      /**< irequires */
};

/** The schedule of a rank. */
struct weft_goal_rank {
    struct weft_goal_op *ops;
    struct weft_goal_dep *deps;
    uint32_t nops, ndeps;
};

/** A schedule. */
struct weft_goal {
    struct weft_arena *arena; /**< owns everything below */
    const char *file;
    struct weft_goal_rank *ranks;
    uint32_t nranks;
    uint64_t nops, ndeps;  /**< of all ranks */
    uint64_t bytes;        /**< that all sends have together */
    uint32_t ncpus, nnics; /**< highest number and 1 */
    uint64_t markers;      /**< sends of nothing to ranks that there are not: end marks of an older
                              generator; kept as computations of no time */
    bool binary;           /**< form of the file */
};

/** Reads a schedule in either form, told apart by its first bytes. WEFT_E_INPUT names the place. */
int weft_goal_read(const char *path, struct weft_goal **out, struct weft_err *err);
/** Frees it; NULL is allowed. */
void weft_goal_free(struct weft_goal *g);
/** Whether the @p n first bytes of a file are those of the binary form. */
bool weft_goal_is_binary(const void *head, size_t n);

/** Writes the text form. Operations without a label that others wait for, or that wait, are called
 * l1, l2, ... by their place. */
int weft_goal_write_text(const struct weft_goal *g, FILE *out, struct weft_err *err);
/** Writes the binary form to @p path. WEFT_E_INPUT: a cpu or nic above 255, which it cannot hold.
 */
int weft_goal_write_binary(const struct weft_goal *g, const char *path, struct weft_err *err);

/** How a schedule is played. */
struct weft_goal_play {
    int64_t calc_ps;      /**< of a unit of calc */
    int64_t overhead_ps;  /**< o: a message occupies the cpu that it names, at both ends */
    int64_t byte_ps;      /**< O: more of it for each byte behind the first */
    uint64_t eager_bytes; /**< what waits for a send of so many or fewer goes on when its cpu has
                             done it, else when it has been delivered */
    bool nics_as_hosts;   /**< NIC k of rank r is host r * NICs + k, of both ends the sender's k */
};
/** The graphs of the schedule in *out (caller frees). WEFT_E_INPUT: what weft cannot play. */
int weft_goal_workload(const struct weft_goal *g, const struct weft_goal_play *play,
                       struct weft_workload **out, struct weft_err *err);

/** The trace of @p rank as Chakra has it, in @p arena; @p calc_ps as above. Attributes that Chakra
 * does not know keep the rest: see docs/how-to/chakra.md. */
int weft_goal_to_et(const struct weft_goal *g, uint32_t rank, int64_t calc_ps,
                    struct weft_arena *arena, struct weft_et **out, struct weft_err *err);
/** What weft_goal_from_et left out or filled in. */
struct weft_goal_notes {
    uint64_t metadata; /**< nodes without work, made computations of no time */
};
/** The schedule of @p rank of @p g from its trace. WEFT_E_INPUT: a collective or memory access
 * without a duration, which GOAL has no words for. */
int weft_goal_from_et(struct weft_goal *g, uint32_t rank, const struct weft_et *et,
                      struct weft_goal_notes *notes, struct weft_err *err);
/** An empty schedule of @p nranks ranks. NULL: out of memory. */
struct weft_goal *weft_goal_new(uint32_t nranks, const char *file, struct weft_err *err);
/** Counts what the ranks of @p g have, and checks that each can come to its end. */
int weft_goal_finish(struct weft_goal *g, struct weft_err *err);

#endif
