/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A pool of port groups, each stored once.
 *
 * A group is an ascending list of port numbers. Equal lists get the same number. Lists that are a
 * run of consecutive ports (one port, all uplinks of a switch) point into one shared identity array
 * and so take 8 bytes; in a fat-tree that is all of them.
 */
#ifndef WEFT_ROUTE_GROUPS_H
#define WEFT_ROUTE_GROUPS_H

#include "base/err.h"

struct weft_route_groups {
    uint32_t *ports; /**< 0 .. nports-1 (the identity), then the lists that are not runs */
    uint32_t nidentity, used, ports_cap;
    struct group_span {
        uint32_t first, n;
    } * spans; /**< group g is ports[first .. first+n-1] */
    uint32_t n, spans_cap;
    uint32_t *slots;  /**< open-addressing hash of group numbers + 1; used while building */
    uint32_t nslots;  /**< a power of two */
    uint32_t *single; /**< per port: number + 1 of the group of it alone; used while building */
};

/** Opens the pool for a fabric with @p nports ports. Group 0 is the empty group. */
int weft_route_groups_open(struct weft_route_groups *g, uint32_t nports, struct weft_err *err);
/** The number of the group @p list (ascending, n entries), new or old, in *id. */
int weft_route_groups_add(struct weft_route_groups *g, const uint32_t *list, uint32_t n,
                          uint32_t *id, struct weft_err *err);
/** Appends a group without looking for an equal one: its number is the number of groups so far. */
int weft_route_groups_append(struct weft_route_groups *g, const uint32_t *list, uint32_t n,
                             struct weft_err *err);
/** Frees what only building needs. */
void weft_route_groups_seal(struct weft_route_groups *g);
void weft_route_groups_close(struct weft_route_groups *g);

#endif
