/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What-ifs on traces: one transform is one struct weft_transform_ops in one file, listed in
 * transform_table.def.
 *
 * Transforms stand in a chain. A rank's trace is pulled through it: read from its file, handed to
 * the first, then to the second, ... One rank at a time is in memory. A transform that needs to
 * know all ranks before it changes one sees them in a pass of its own (look), as those before it
 * leave them.
 */
#ifndef WEFT_TRANSFORM_H
#define WEFT_TRANSFORM_H

#include "base/param.h"
#include "workload/dag.h"
#include "workload/et.h"
#include "workload/groups.h"

/** Definitions of communicators that hold for every rank; n of an entry 0: every rank. */
struct weft_group_list {
    struct weft_group *groups;
    size_t n, cap;
};

struct weft_transform_ops;

/** One transform in a chain. */
struct weft_transform {
    const struct weft_transform_ops *ops;
    void *params;               /**< ops->params, filled in */
    void *state;                /**< ops->state_size bytes, zeroed at first */
    struct weft_arena *arena;   /**< for what lives as long as the chain */
    uint32_t ranks_in;          /**< ranks of the job that it gets */
    uint32_t ranks_out;         /**< ranks of the job that it makes */
    struct weft_group_list in;  /**< communicators that hold for all ranks that it gets */
    struct weft_group_list out; /**< ... that it makes; the same unless it defines its own */
    struct weft_groups *groups; /**< what a name of a communicator means in what it gets */
    uint64_t touched;           /**< operations changed, made or removed, over all ranks */
};

/** One transform. */
struct weft_transform_ops {
    const char *name;   /**< what users type: "scale" */
    const char *title;  /**< one line for lists */
    const char *source; /**< paper that it follows, NULL when weft's own */
    struct weft_param_table params;
    size_t state_size;
    /** Optional. Checks the parameters, once ranks_in is known; may set ranks_out. */
    int (*start)(struct weft_transform *t, struct weft_err *err);
    /** Optional, where ranks are made anew: the rank whose trace becomes that of @p rank. Default:
     * the same. */
    uint32_t (*source_rank)(const struct weft_transform *t, uint32_t rank);
    /** Optional. Sees the trace of each rank that it gets, in order, before any is changed. */
    int (*look)(struct weft_transform *t, uint32_t rank, const struct weft_et *et,
                struct weft_err *err);
    /** Optional, with look: after the last rank. Defines @p out, where communicators change. */
    int (*resolve)(struct weft_transform *t, struct weft_err *err);
    /** Required. Makes the trace of @p rank (of those that it makes) out of that of its source
     * rank, in place; what is new goes to @p arena. */
    int (*apply)(struct weft_transform *t, uint32_t rank, struct weft_et *et,
                 struct weft_arena *arena, struct weft_err *err);
    /** Optional. The algorithm that collectives are to ask for, for who knows algorithms to check;
     * this layer does not. */
    const char *(*algorithm)(const void *params);
    /** Optional. Frees what state holds outside of arenas. */
    void (*end)(struct weft_transform *t);
};

/** All transforms, in the order of transform_table.def; *n receives their number. */
const struct weft_transform_ops *const *weft_transform_table(size_t *n);
/** The transform called @p name; on an unknown name NULL, and *err names the nearest. */
const struct weft_transform_ops *weft_transform_find(const char *name, struct weft_err *err);

/** Adds a definition to a list, in @p arena. WEFT_E_LIMIT: out of memory. */
int weft_group_list_add(struct weft_group_list *list, struct weft_arena *arena, const char *name,
                        const uint32_t *ranks, uint32_t n, struct weft_err *err);
/** Group of @p node, a collective, on the rank being looked at: index into t->groups. */
int weft_transform_group(const struct weft_transform *t, const struct weft_et *et,
                         const struct weft_et_node *node, uint32_t *index, struct weft_err *err);
/** Learns the communicators that the trace of @p rank defines itself; before weft_transform_group.
 */
int weft_transform_begin_rank(struct weft_transform *t, uint32_t rank, const struct weft_et *et,
                              struct weft_err *err);

#endif
