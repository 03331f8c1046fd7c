/* SPDX-License-Identifier: GPL-2.0-only */
/* What only the building of route tables needs; only routes_build.c and routes_search.c see it. */
#ifndef WEFT_ROUTES_WORK_H
#define WEFT_ROUTES_WORK_H

#include "topologies/routes_internal.h"

/** Which classes of a run have reached a switch, a bit each. */
struct route_reach {
    uint16_t seen;   /**< at all, up to this level */
    uint16_t at;     /**< at this level */
    uint16_t before; /**< at the level before */
    uint16_t next;   /**< at the next level, first */
};

struct route_work {
    struct weft_routes *r;
    const struct weft_fabric *f;
    uint32_t *adj_start; /**< per switch: its first entry in adj; one more at the end */
    struct route_adj {
        uint32_t sw, port; /**< a neighbour switch, and the port that leads to it */
    } * adj;
    uint32_t *columns;         /**< of the newest ROUTE_RUN classes; see route_column */
    uint32_t *dists;           /**< as columns: see route_dist */
    uint32_t *last;            /**< per switch: the group that it got last */
    struct route_reach *reach; /**< per switch */
    uint32_t *queue;           /**< two levels of switches */
    uint32_t *list;            /**< ports of a group */
    bool hints;                /**< some link has a cost or an order */
    struct choice *choices;    /**< class c has choices[classes[c].choices .. + nchoices-1] */
    uint32_t *choice_ports;
    uint32_t nchoice_ports, choice_ports_cap;
    uint32_t *first_choice; /**< per port, then per class for no port: its newest choice that begins
                               so, + 1; 0: none */
    /** Links between hosts: those of a destination, source by source; see list_direct(). */
    struct route_direct {
        uint32_t dst;        /**< of which head and tail are */
        uint32_t head, tail; /**< of a source class: a port of the destination, + 1 */
    } * direct;              /**< per class */
    uint32_t *direct_next;   /**< per local port of the destination: the next one, + 1 */
    struct weft_err *err;
};

/** The entries of all switches for class @p cls, which is among the newest ROUTE_RUN. */
static inline uint32_t *route_column(const struct route_work *w, uint32_t cls)
{
    return w->columns + (size_t)(cls % ROUTE_RUN) * w->f->nswitches;
}

/** Links from each switch to a host of class @p cls, UINT32_MAX: none lead there. Where no host has
 * several ports nobody asks, and they are not kept. */
static inline uint32_t *route_dist(const struct route_work *w, uint32_t cls)
{
    return w->dists + (size_t)(cls % ROUTE_RUN) * w->f->nswitches;
}

/** Fills the columns of the @p n classes from @p first on, which are of one run, and distances. */
int weft_route_search_run(struct route_work *w, uint32_t first, uint32_t n);
/** Numbers the group w->list[0 .. n-1] of switch @p s in *id; mostly it is the one that it got
 * before. */
int weft_route_number_group(struct route_work *w, uint32_t s, uint32_t n, uint32_t *id);

#endif
