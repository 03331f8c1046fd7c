/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The state of a conversion and the conversion of one node; internal to convert*.c.
 */
#ifndef WEFT_CONVERT_NODE_H
#define WEFT_CONVERT_NODE_H

#include "workload/convert.h"
#include "workload/groups.h"
#include "workload/names.h"

/** An algorithm that a node is given. */
struct weft_node_algorithm {
    uint64_t id;
    const char *algorithm;
    bool used; /**< a rank has such a collective */
};

struct weft_convert {
    struct weft_workload *job;
    struct weft_names *names;
    struct weft_groups *groups;
    uint32_t rank;            /**< being converted */
    const struct weft_et *et; /**< its trace */
    uint64_t file_bytes;      /**< of the traces so far */
    uint32_t elem_bytes;      /**< of an element, where sizes count elements */
    bool replay;
    struct weft_node_algorithm *algorithms; /**< in ascending id; in the arena of the job */
    size_t nalgorithms;
    uint32_t unit_bytes; /**< what sizes of this trace count: bytes (1), or elements */
};

/** Fills everything of @p op but its dependencies. */
int weft_convert_node(struct weft_convert *c, const struct weft_et_node *node, struct weft_op *op,
                      struct weft_err *err);

#endif
