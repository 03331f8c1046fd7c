/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where tokens go: how many rows (a token and one of its experts) each rank of an expert-parallel
 * group receives from every other.
 *
 * Without skew all experts are equally popular. With it the popularity of the experts of a block is
 * that of Zipf's law, the k-th most popular in proportion to 1 / k^skew, in an order drawn for each
 * block; every microbatch and rank sees the same. With a capacity factor each expert takes
 * ceil(tokens x top-k / experts x factor) rows from every rank, no more (others are dropped) and no
 * less (padded): 2006.16668, 2.2.
 */
#ifndef WEFT_TRAINING_ROUTING_H
#define WEFT_TRAINING_ROUTING_H

#include "workload/training/plan.h"

WEFT_C_BEGIN

/** Rows that a rank routes in block @p layer, to each of the e members of its expert-parallel
 * group: rows[e]. */
void weft_training_routing(const struct weft_training_plan *plan, uint64_t layer, uint64_t *rows);

WEFT_C_END
#endif
