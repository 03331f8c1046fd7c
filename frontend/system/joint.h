/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The graphs of all ranks as one: what belongs together, whether it can come to an end, and how
 * long that takes when nothing but dependencies counts.
 *
 * Collectives match as in a run (coll_ids.c). The k-th SEND of a (source, destination, tag) in
 * ascending id matches the k-th RECV; RECVs from any rank or with any tag take what is left over,
 * and wait for nothing here. A collective ends on all members when all have come to it, a RECV when
 * its SEND was issued; both take no time, and resources are not shared: the result is the longest
 * path through recorded durations, below which no network and no scheduling brings the job.
 */
#ifndef WEFT_SYSTEM_JOINT_H
#define WEFT_SYSTEM_JOINT_H

#include "workload/dag.h"

WEFT_C_BEGIN

/** An op of a rank. */
struct weft_joint_op {
    uint32_t rank, op; /**< op: index into the rank's graph */
};

/** What a job comes to. */
struct weft_joint {
    int64_t critical_ps; /**< longest path through durations; INT64_MAX: more than a clock holds */
    struct weft_joint_op last;     /**< which ends it */
    uint64_t collectives;          /**< operations of groups, each counted once */
    uint64_t messages;             /**< SENDs with a RECV */
    uint64_t unreceived;           /**< SENDs without */
    uint64_t unequal;              /**< pairs whose sizes differ */
    struct weft_joint_op mismatch; /**< the first SEND of these two kinds */
    uint64_t reordered; /**< collectives that a member issues, in ascending id, in another order
                           than the group's first */
    struct weft_joint_op reorder; /**< the first of them */
};

/**
 * Looks at a job. WEFT_E_INPUT: a collective that its members do not issue equally often, a peer
 * that there is not, a RECV without a SEND, or a circle of waiting through several ranks, whose ops
 * are named. WEFT_E_LIMIT: out of memory; what it takes, 36 bytes per op and 32 per message, comes
 * from the job's arena.
 */
int weft_joint_look(const struct weft_workload *w, struct weft_joint *out, struct weft_err *err);

WEFT_C_END
#endif
