/* SPDX-License-Identifier: GPL-2.0-only */
/* What the files of a GOAL schedule share. */
#ifndef WEFT_GOAL_INTERNAL_H
#define WEFT_GOAL_INTERNAL_H

#include "workload/goal/goal.h"

/** Longest schedule of a rank, operations. */
#define WEFT_GOAL_OPS_MAX (UINT32_MAX / 8)
/** NICs that a rank has at most; more share them in turn. */
#define WEFT_GOAL_NICS_MAX 255u

/** An error about an operation: where, and @p text. */
int weft_goal_err(const struct weft_goal *g, const struct weft_goal_op *op, struct weft_err *err,
                  const char *text);
/** Read the forms; @p data is cut up. weft_goal_finish is still to be called. */
int weft_goal_read_text(const char *path, char *data, size_t size, struct weft_goal **out,
                        struct weft_err *err);
int weft_goal_read_binary(const char *path, const char *data, size_t size, struct weft_goal **out,
                          struct weft_err *err);

#endif
