/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Making a trace in memory, node by node, with the wire types that Chakra tools use.
 *
 * Calls after one that ran out of memory do nothing; weft_et_build_finish tells.
 */
#ifndef WEFT_ET_BUILD_H
#define WEFT_ET_BUILD_H

#include "workload/et.h"

WEFT_C_BEGIN

/** The attribute of a trace's header that names what made it, and its value in those that weft
 * makes. */
#define WEFT_ET_GENERATOR "generator"
#define WEFT_ET_GENERATOR_WEFT "weft"

/** A trace being made. */
struct weft_et_build {
    struct weft_arena *arena;
    struct weft_et *et;
    struct weft_et_node *node; /**< the newest node, which attr and dep calls extend */
    size_t node_cap;
    size_t attr_cap, ctrl_cap, data_cap; /**< of the newest node */
    bool out_of_memory;
};

/** Starts a trace with metadata version 0.0.4. */
void weft_et_build_start(struct weft_et_build *b, struct weft_arena *arena);
/** Adds a node; it becomes the newest. */
void weft_et_build_node(struct weft_et_build *b, uint64_t id, enum weft_et_node_type type,
                        const char *name, uint64_t duration_us);
void weft_et_build_ctrl_dep(struct weft_et_build *b, uint64_t id);
void weft_et_build_data_dep(struct weft_et_build *b, uint64_t id);
/** Attributes of integer and bool kinds; @p value is converted to the kind's class. */
void weft_et_build_int(struct weft_et_build *b, const char *name, enum weft_et_kind kind,
                       int64_t value);
/** A list of @p n sizes in bytes. */
void weft_et_build_sizes(struct weft_et_build *b, const char *name, const uint64_t *sizes,
                         size_t n);
/** A list of @p n values that are 0 or 1. */
void weft_et_build_bools(struct weft_et_build *b, const char *name, const bool *list, size_t n);
/** A collective with its canonical attributes; pg_name is left out when @p group is "". */
void weft_et_build_coll(struct weft_et_build *b, uint64_t id, const char *name, int comm_type,
                        uint64_t bytes, const char *group);
/** A SEND (to @p peer) or RECV (from @p peer) with its canonical attributes. */
void weft_et_build_message(struct weft_et_build *b, uint64_t id, enum weft_et_node_type type,
                           const char *name, uint64_t bytes, uint32_t peer, uint32_t tag);
/** A computation on the accelerator. */
void weft_et_build_comp(struct weft_et_build *b, uint64_t id, const char *name,
                        uint64_t duration_us);
/** Hands out the trace, or WEFT_E_LIMIT. */
int weft_et_build_finish(struct weft_et_build *b, struct weft_et **out, struct weft_err *err);

WEFT_C_END
#endif
