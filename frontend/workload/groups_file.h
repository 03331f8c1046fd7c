/* SPDX-License-Identifier: GPL-2.0-only */
/* Writing the JSON file of a trace's communicators, {"1": [0, 1], ...}. */
#ifndef WEFT_GROUPS_FILE_H
#define WEFT_GROUPS_FILE_H

#include "workload/dag.h"

/** Writes @p n definitions to @p path, in place of what was there. */
int weft_groups_write(const char *path, const struct weft_group *groups, size_t n,
                      struct weft_err *err);

#endif
