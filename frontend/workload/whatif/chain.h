/* SPDX-License-Identifier: GPL-2.0-only */
/* Transforms in a row, from the files of one trace to those of another. */
#ifndef WEFT_CHAIN_H
#define WEFT_CHAIN_H

#include "workload/whatif/transform.h"

struct weft_chain;

/** A chain over the trace of @p prefix; @p groups_file: JSON of its communicators, or NULL. NULL:
 * *err says why. */
struct weft_chain *weft_chain_new(const char *prefix, const char *groups_file,
                                  struct weft_err *err);
void weft_chain_free(struct weft_chain *c);
/** Adds a transform at the end, with default parameters for the caller to change. NULL: *err says
 * why. */
struct weft_transform *weft_chain_add(struct weft_chain *c, const struct weft_transform_ops *ops,
                                      struct weft_err *err);
/** The transforms, *n of them. */
const struct weft_transform *weft_chain_list(const struct weft_chain *c, size_t *n);
/**
 * Writes OUT.<rank>.et (".et.gz" when @p out ends in ".gz", without that ending) for every rank of
 * the last transform, and OUT.json with the communicators that hold for all ranks, when there are
 * any: *groups says whether. WEFT_E_INPUT also when it would be written over the trace that is
 * read.
 */
int weft_chain_write(struct weft_chain *c, const char *out, uint64_t *ranks, bool *groups,
                     struct weft_err *err);

#endif
