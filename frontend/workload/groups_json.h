/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reading definitions of communicator groups from JSON text.
 */
#ifndef WEFT_GROUPS_JSON_H
#define WEFT_GROUPS_JSON_H

#include "workload/dag.h"

/** Receives one definition; n == 0 means every rank. The definition is valid during the call. */
typedef int (*weft_groups_json_fn)(void *ctx, const struct weft_group *def, struct weft_err *err);

/** Reads {"NAME": [rank, ...], ...} from a file. Errors carry file, line and column. */
int weft_groups_json_file(const char *path, uint32_t nranks, weft_groups_json_fn fn, void *ctx,
                          struct weft_err *err);
/**
 * Reads what a PyTorch trace stores: a Python list of one string, ['[{"pg_name": "1", "ranks": [0,
 * 1],
 * ...}, ...]']; empty ranks mean every rank. The error has no place.
 */
int weft_groups_json_pytorch(const char *values, uint32_t nranks, weft_groups_json_fn fn, void *ctx,
                             struct weft_err *err);

#endif
