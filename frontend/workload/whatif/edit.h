/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Putting operations into a trace and taking them out, with the dependencies following.
 *
 * Edits are noted first, then carried out by weft_edit_finish in one pass. Nodes are meant by their
 * index in et->nodes as it is before that.
 */
#ifndef WEFT_EDIT_H
#define WEFT_EDIT_H

#include "workload/et.h"

struct weft_edit_note;
struct weft_edit_new;

/** Edits of one trace. */
struct weft_edit {
    struct weft_et *et;
    struct weft_arena *arena;    /**< for what is new */
    uint32_t n;                  /**< nodes before */
    uint32_t *by_id;             /**< their indices in ascending id */
    struct weft_edit_note *note; /**< per node */
    struct weft_edit_new *added; /**< new nodes, in the order made */
    uint32_t nadded, cap;
    uint64_t next_id; /**< of a new node: above all others */
};

/** Starts. An id that is used twice is WEFT_E_INPUT; WEFT_E_LIMIT: out of memory or ids. */
int weft_edit_start(struct weft_edit *e, struct weft_et *et, struct weft_arena *arena,
                    struct weft_err *err);
/** Frees working memory; a zeroed one is allowed. */
void weft_edit_end(struct weft_edit *e);
/** Index of the node with this id; UINT32_MAX: there is none. */
uint32_t weft_edit_find(const struct weft_edit *e, uint64_t id);
/**
 * A new node, named as node @p at and @p suffix, for the caller to fill in: it waits for what @p at
 * waited for, and @p at waits for it alone. Before it in the file. NULL: out of memory, *err says
 * so.
 */
struct weft_et_node *weft_edit_before(struct weft_edit *e, uint32_t at, int32_t type,
                                      const char *suffix, struct weft_err *err);
/** The same behind: it waits for @p at alone, and whoever waited for @p at waits for it. */
struct weft_et_node *weft_edit_after(struct weft_edit *e, uint32_t at, int32_t type,
                                     const char *suffix, struct weft_err *err);
/**
 * The same beside: it waits for what @p at waits for. The caller says with weft_edit_instead who
 * stands for @p at, which may be @p at itself among others.
 */
struct weft_et_node *weft_edit_beside(struct weft_edit *e, uint32_t at, int32_t type,
                                      const char *suffix, struct weft_err *err);
/** Whoever depends on node @p at depends on @p ids instead, of which there are @p n: new nodes, or
 * @p at. */
int weft_edit_instead(struct weft_edit *e, uint32_t at, const uint64_t *ids, size_t n,
                      struct weft_err *err);
/** Takes node @p at out; whoever depends on it depends on node @p on instead, which stays. */
void weft_edit_merge(struct weft_edit *e, uint32_t at, uint32_t on);
/** Takes node @p at out; whoever depends on it depends on what it depends on instead. */
void weft_edit_remove(struct weft_edit *e, uint32_t at);
/** Carries the edits out. WEFT_E_INPUT: nodes that are removed depend on each other in a circle;
 * WEFT_E_LIMIT: out of memory. */
int weft_edit_finish(struct weft_edit *e, struct weft_err *err);

#endif
