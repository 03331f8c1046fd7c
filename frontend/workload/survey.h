/* SPDX-License-Identifier: GPL-2.0-only */
/* What a job consists of: operations by kind, and communication by kind and size of the group, and
 * by group. */
#ifndef WEFT_SURVEY_H
#define WEFT_SURVEY_H

#include "workload/dag.h"

WEFT_C_BEGIN

/** Communication of one kind in groups of one size; or of one kind in one group. */
struct weft_survey_row {
    enum weft_op_kind op;     /**< WEFT_OP_COLL, or WEFT_OP_SEND: messages by their sender */
    enum weft_coll_kind coll; /**< of WEFT_OP_COLL */
    uint32_t size;            /**< members; 2 for messages */
    uint32_t group;           /**< by group: which; else UINT32_MAX */
    uint32_t groups;          /**< groups with such operations; messages: 0 */
    uint64_t ops;             /**< over all ranks: an operation of n members counts n times */
    uint64_t least_bytes,
        most_bytes; /**< of an operation, as traces give them (docs/reference/units.md) */
    double bytes;   /**< of all, over all ranks */
};

/** All ranks together. */
struct weft_survey {
    uint64_t ops[WEFT_OP_KINDS];        /**< by enum weft_op_kind */
    int64_t duration_ps[WEFT_OP_KINDS]; /**< recorded, of all ranks; INT64_MAX: more than a clock
                                           holds */
    int64_t busiest_ps; /**< most durations of one rank's accelerator, one after the other;
                           INT64_MAX as above */
    uint32_t busiest;   /**< that rank, the first of several */
    uint64_t undated;   /**< COMP ops with operations of arithmetic, but no duration */
    double flops;       /**< of COMP */
    struct weft_survey_row *rows; /**< by kind and size of the group: kind, then size, ascending */
    size_t nrows;
    struct weft_survey_row *by_group; /**< by group, in the order of the groups, then kind */
    size_t nby_group;
};

/** Counts; WEFT_E_LIMIT: out of memory. To be given to weft_survey_free in either case. */
int weft_survey_make(const struct weft_workload *w, struct weft_survey *out, struct weft_err *err);
void weft_survey_free(struct weft_survey *s);

WEFT_C_END
#endif
