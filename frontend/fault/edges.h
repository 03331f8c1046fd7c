/* SPDX-License-Identifier: GPL-2.0-only */
/* Stretches of faults, their beginnings and ends in the order of time. Private to frontend/fault.
 */
#ifndef WEFT_FAULT_EDGES_H
#define WEFT_FAULT_EDGES_H

#include "fault/fault.h"

/** How links are listed. */
extern const struct weft_list_form weft_fault_links_form;

/** Makes room for one more entry of @p size in an array of @p n. */
int weft_fault_plan_grow(void **array, size_t n, size_t *cap, size_t size, struct weft_err *err);
/** Orders the stretches by their beginning; refuses two values of one link at a time. */
int weft_fault_plan_sort(struct weft_fault_plan *t, struct weft_err *err);

/** A stretch begins or ends. */
struct weft_fault_edge {
    int64_t t_ps;
    uint32_t stretch;
    int begins;
};

/** All edges of @p t in the order of time, ends before beginnings; *out is to be freed, also on
 * failure. */
int weft_fault_plan_edges(const struct weft_fault_plan *t, struct weft_fault_edge **out, size_t *n,
                          struct weft_err *err);
/** The first edge after @p from that has another time. */
size_t weft_fault_plan_instant(const struct weft_fault_edge *edges, size_t n, size_t from);

#endif
