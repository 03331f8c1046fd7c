/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Dependencies: from the ids in a trace's nodes to a checked graph of indices.
 */
#ifndef WEFT_DEPS_H
#define WEFT_DEPS_H

#include "workload/dag.h"
#include "workload/et.h"

/**
 * Fills nparents, first_child, nchildren and the children of a rank. @p sorted are the nodes in
 * ascending id, which must be distinct; dag->ops has one entry for each. ctrl_deps and data_deps
 * count alike and repeated ones count once. A dependency on an id that is not there and a cycle
 * are WEFT_E_INPUT.
 */
int weft_deps_link(const struct weft_et *et, const struct weft_et_node *const *sorted,
                   struct weft_arena *arena, struct weft_dag *dag, struct weft_err *err);

#endif
