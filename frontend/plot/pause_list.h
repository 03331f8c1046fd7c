/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The PFC pauses of a run: stretches of time, and what each followed from. A node that stops
 * another while it has itself to stop passes a pause on; the one that began it, without being
 * stopped, is where the congestion is: the root.
 */
#ifndef WEFT_PLOT_PAUSE_LIST_H
#define WEFT_PLOT_PAUSE_LIST_H

#include "base/u64map.h"
#include "plot/figure.h"
#include "plot/runs.h"

#include <stdbool.h>

/** A node of the fabric. */
struct weft_pause_node {
    const char *name;
    size_t first_stopped, first_asked; /**< its first pause in the list; SIZE_MAX: none */
    size_t open;                       /**< the latest that has not ended; SIZE_MAX: none */
    uint32_t parent;                   /**< whom it had to obey first; UINT32_MAX: it is a root */
    double stopped_ns;                 /**< its ports together */
    bool host;
};

/** A pause. */
struct weft_pause {
    uint32_t node, peer; /**< who had to stop, and who asked for it */
    uint32_t port, prio;
    uint32_t hop; /**< 1: the peer was free itself; 2: it was stopped by one that was ... */
    size_t older; /**< of those of its node that had not ended as it began, the latest */
    double from_ns, to_ns;
};

/** All of them, in order of their beginning. */
struct weft_pause_list {
    struct weft_arena *arena;
    struct weft_pause *list;
    size_t n, cap;
    struct weft_pause_node *node;
    size_t nnodes, cap_nodes;
    struct weft_u64map by_name; /**< the node of a name's hash */
    double end_ns;              /**< of the last */
};

/** Lets @p draw add the panels of each run's pauses; @p title is the run's label, "" where there is
 * but one. WEFT_E_INPUT: no run has any. */
int weft_pause_list_draw(const struct weft_runs *runs, struct weft_figure *f,
                         int (*draw)(const struct weft_pause_list *p, struct weft_figure *f,
                                     const char *title, struct weft_err *err),
                         struct weft_err *err);

#endif
