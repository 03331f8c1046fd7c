/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Jobs whose ranks are made anew from the ranks of another: each new rank has the trace of an old
 * one, with peers, roots and communicators that belong to it.
 *
 * New ranks are copies: copy c of the old rank r is rank of(r, c). Communicators either exist once
 * per copy, or span all copies. They get numbers for names, whose members are in t->out.
 */
#ifndef WEFT_RELABEL_H
#define WEFT_RELABEL_H

#include "workload/whatif/transform.h"

/** State of a transform begins with it. */
struct weft_relabel {
    uint32_t copies;
    /** The new rank that is copy @p c of the old rank @p r. */
    uint32_t (*of)(const void *ctx, uint32_t r, uint32_t c);
    const void *ctx;
    const char *grow; /**< glob over communicators that span all copies; NULL or "": none */
    bool world;       /**< whether that of all ranks does */
    /** Filled in by weft_relabel_look: per group of the old job. */
    struct weft_relabel_group *groups;
    uint32_t ngroups, cap;
};

/** look of the transform: notes the communicators that a rank uses. */
int weft_relabel_look(struct weft_transform *t, uint32_t rank, const struct weft_et *et,
                      struct weft_err *err);
/** resolve: defines the new communicators. */
int weft_relabel_resolve(struct weft_transform *t, struct weft_err *err);
/** Makes the trace of the old rank @p rank that of its copy @p copy. */
int weft_relabel_apply(struct weft_transform *t, uint32_t rank, uint32_t copy, struct weft_et *et,
                       struct weft_arena *arena, struct weft_err *err);
/** end. */
void weft_relabel_end(struct weft_transform *t);

#endif
