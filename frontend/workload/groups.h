/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Communicator groups while a trace is converted: what `pg_name` of a collective means.
 *
 * Definitions come from a JSON file, {"1": [0, 1], "2": [2, 3]}, valid on every rank, and from the
 * METADATA nodes of PyTorch traces, valid on the rank whose trace has them (ranks may use one name
 * for different groups). The file wins. "" is the world, and so is "0" when nothing defines it or
 * its definition lists every rank in order. "3.0" is "3" where it is not defined itself.
 */
#ifndef WEFT_GROUPS_H
#define WEFT_GROUPS_H

#include "workload/dag.h"

WEFT_C_BEGIN

struct weft_groups;

/** Only the world of @p nranks ranks. Results live in @p arena. NULL when out of memory. */
struct weft_groups *weft_groups_new(struct weft_arena *arena, uint32_t nranks);
/** Frees the working memory, not the results; NULL is allowed. */
void weft_groups_free(struct weft_groups *g);
/** Reads definitions from a JSON file. */
int weft_groups_load(struct weft_groups *g, const char *path, struct weft_err *err);
/** Adds a definition that holds for every rank. */
int weft_groups_define(struct weft_groups *g, const struct weft_group *def, struct weft_err *err);
/** Starts rank @p rank: forgets the definitions of the rank before. */
void weft_groups_begin_rank(struct weft_groups *g, uint32_t rank);
/** Adds the definitions in the `inputs.values` of a PyTorch process_group:init node. The error has
 * no place. */
int weft_groups_add_pytorch(struct weft_groups *g, const char *values, struct weft_err *err);
/** The index of the group that @p name means on the current rank, which must be a member. The error
 * has no place. */
int weft_groups_find(struct weft_groups *g, const char *name, uint32_t *index,
                     struct weft_err *err);
/** Makes a group like @p def, which no definition names. */
int weft_groups_add(struct weft_groups *g, const struct weft_group *def, uint32_t *index,
                    struct weft_err *err);
/** Name of a group that was found or made. */
const char *weft_groups_name(const struct weft_groups *g, uint32_t index);
/** Members of a group that was found or made. */
uint32_t weft_groups_size(const struct weft_groups *g, uint32_t index);
/** Their ranks, in the order of the communicator. */
const uint32_t *weft_groups_ranks(const struct weft_groups *g, uint32_t index);
/** Hands the groups found so far to the workload. */
int weft_groups_finish(const struct weft_groups *g, struct weft_workload *w, struct weft_err *err);

WEFT_C_END
#endif
