/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The layout of the route tables; only routes*.c see it.
 *
 * Hosts with the same neighbours, port by port, form a class; a host with a link to another host is
 * a class of its own. Three tables:
 *
 * - switch table: (destination class, switch) -> a group, or LOCAL + j when the switch is the j-th
 *   neighbour of the class: then the group is the j-th access group of the one host meant. Classes
 *   come in runs of ROUTE_RUN. Where a switch sends a whole run the same way, as nearly all do that
 *   are not next to it, there is one entry for the run; else a page with an entry per class.
 * - source table: (destination class, source class) -> the number of a choice, a subset of the
 *   host's own ports. Only for classes with more than one port.
 * - host groups: host -> its first group. Its access groups (one per neighbour switch) and its
 *   choices follow one another.
 *
 * The first two are stored by destination, the order in which they are filled.
 */
#ifndef WEFT_ROUTES_INTERNAL_H
#define WEFT_ROUTES_INTERNAL_H

#include "topologies/route_groups.h"
#include "topologies/routes.h"

#include <stdbool.h>

/** Marks an entry of the switch table that holds the number of a neighbour instead of a group. */
#define ROUTE_LOCAL UINT32_C(0x80000000)
/** Classes in a run. */
#define ROUTE_RUN 16u
/** Marks an entry of a run that holds the number of a page instead of a group. */
#define ROUTE_PAGE UINT32_C(0x80000000)
/** A class without a source row: its hosts have one port. */
#define ROUTE_NO_ROW UINT32_MAX

struct route_class {
    uint32_t host;     /**< its first host; the others have the same neighbours */
    uint32_t nnear;    /**< distinct neighbour switches */
    uint32_t near;     /**< their switch indices, ascending: near_switches[near ..] */
    uint32_t row;      /**< index of the source row, or ROUTE_NO_ROW */
    uint32_t nchoices; /**< distinct choices in the source row; 1 without a row */
    uint32_t choices;  /**< while building: index of the first choice of the class */
};

struct route_dims;
struct weft_shared;

struct weft_routes {
    const struct weft_fabric *fabric;
    const uint8_t *down; /**< while building: per link, not 0 when it can't be used; NULL: none */
    uint32_t *flat; /**< hosts forward: entry of (node, dst) is node * nhosts + dst; else NULL */
    struct route_dims *dims; /**< dimension by dimension, else NULL */
    uint32_t nclasses;
    uint32_t *class_of; /**< per host */
    struct route_class *classes;
    uint32_t *near_switches;
    uint32_t *switch_index; /**< per node: 0 .. nswitches-1, UINT32_MAX for hosts */
    uint32_t *switch_runs;  /**< entry of (run, switch): run * nswitches + switch */
    uint32_t *pages;        /**< entry of (page, class): page * ROUTE_RUN + class % ROUTE_RUN */
    uint32_t npages, pages_cap;
    uint32_t *source_cols; /**< entry of (dst class, source row): class * nrows + row */
    uint32_t nrows;
    uint32_t *host_groups; /**< per host: its first group */
    struct weft_route_groups groups;
    struct weft_shared *shared; /**< where the tables are since weft_routes_share; NULL: its own */
};

/** Whether the link of a port can be used. */
static inline bool route_link_up(const struct weft_routes *r, uint32_t port)
{
    return !r->down || !r->down[r->fabric->ports[port].link];
}

static inline struct weft_route_group route_group(const struct weft_routes *r, uint32_t id)
{
    const struct group_span *s = &r->groups.spans[id];
    return (struct weft_route_group){r->groups.ports + s->first, s->n};
}

/** As weft_routes_lookup(), where routes are not dimension by dimension. */
static inline struct weft_route_group weft_routes_lookup_whole(const struct weft_routes *r,
                                                               uint32_t node, uint32_t dst_host)
{
    if (__builtin_expect(!r->class_of, 0))
        return route_group(r, r->flat[(size_t)node * r->fabric->nhosts + dst_host]);
    uint32_t dst_class = r->class_of[dst_host];
    uint32_t sw = r->switch_index[node];
    if (sw != UINT32_MAX) {
        uint32_t e = r->switch_runs[(size_t)(dst_class / ROUTE_RUN) * r->fabric->nswitches + sw];
        if (e & ROUTE_PAGE)
            e = r->pages[(size_t)(e & ~ROUTE_PAGE) * ROUTE_RUN + dst_class % ROUTE_RUN];
        return route_group(r, e & ROUTE_LOCAL ? r->host_groups[dst_host] + (e & ~ROUTE_LOCAL) : e);
    }
    uint32_t src_host = r->fabric->nodes[node].host;
    if (src_host == dst_host)
        return route_group(r, 0);
    const struct route_class *c = &r->classes[r->class_of[src_host]];
    uint32_t choice =
        c->row == ROUTE_NO_ROW ? 0 : r->source_cols[(size_t)dst_class * r->nrows + c->row];
    return route_group(r, r->host_groups[src_host] + c->nnear + choice);
}

/* routes_whole.c */
/** Routes without entries yet. NULL on failure. */
struct weft_routes *weft_routes_open(const struct weft_fabric *f, const uint8_t *down,
                                     struct weft_err *err);
/** Fills in those of the fabric as a whole. */
int weft_routes_fill_whole(struct weft_routes *r, struct weft_err *err);
/** Frees what weft_routes_open() and weft_routes_fill_whole() made; NULL is allowed. */
void weft_routes_close(struct weft_routes *r);
int weft_routes_share_whole(struct weft_routes *r, const struct weft_peers *peers,
                            struct weft_err *err);
size_t weft_routes_bytes_whole(const struct weft_routes *r);

/** Sorts the hosts into classes. */
int weft_routes_classify(struct weft_routes *r, struct weft_err *err);
/** Fills the rows and groups. */
int weft_routes_fill(struct weft_routes *r, struct weft_err *err);
/** As weft_routes_classify and _fill, for fabrics whose hosts forward: fills `flat`. */
int weft_routes_fill_flat(struct weft_routes *r, struct weft_err *err);
/** The routes of every instance of every dimension (routes_dims.c). */
int weft_routes_fill_dims(struct weft_routes *r, struct weft_err *err);
void weft_routes_free_dims(struct route_dims *d);
size_t weft_routes_bytes_dims(const struct route_dims *d);
struct weft_route_group weft_routes_lookup_dims(const struct weft_routes *r, uint32_t node,
                                                uint32_t dst_host);

#endif
