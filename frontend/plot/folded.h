/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A fabric as rows of boxes: hosts, above them the switches of the outermost dimension by tier,
 * below them those of inner dimensions. Large fabrics are folded: what hangs together below some
 * tier (the hosts of a server, of a rack, of a pod) becomes one box for each row, and switches with
 * the same neighbours one.
 */
#ifndef WEFT_PLOT_FOLDED_H
#define WEFT_PLOT_FOLDED_H

#include "base/arena.h"
#include "base/err.h"
#include "base/hash_table.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** The level of a link is its dimension times this, and its tier. */
enum { WEFT_FOLDED_TIERS = 8 };

/** A node of the fabric. */
struct weft_folded_node {
    const char *name;
    bool host, lost;       /**< lost: there was no memory to find it again */
    int dim, tier, row;    /**< row: 0 hosts, above them 1 .., below -1 .. */
    uint32_t group;        /**< union-find: its parent */
    uint32_t number, item; /**< its place among the nodes, and the box that it is in */
    UT_hash_handle hh;
};

/** A direction of a link. */
struct weft_folded_link {
    uint32_t a, b;        /**< nodes */
    uint32_t level, sort; /**< level: dimension and tier; sort: for who draws it */
    int dim;
    double util, rate; /**< of the busier direction, percent; bit/s */
};

/** What is drawn as one box. */
struct weft_folded_item {
    uint32_t first, last; /**< nodes */
    size_t n;
    int row;
    uint64_t order;      /**< within its row */
    double x, y, inside; /**< x, y: for who draws it; inside: the busiest link within, NAN: none */
};

/** A fabric. Starts with zeros and an arena. */
struct weft_folded {
    struct weft_arena *arena;
    struct weft_folded_node **node, *by_name;
    struct weft_folded_link *link;
    struct weft_folded_item *item;
    size_t nnodes, nlinks, nitems, cap_nodes, cap_links;
    int dims;
    bool switches;
    bool plain; /**< links have no use that could be shown: colours are their sorts */
};

/** Adds a direction of a link between nodes called so ("h..": a host), of which @p x has the
 * dimension, use and rate. */
int weft_folded_add(struct weft_folded *f, const char *from, const char *to,
                    struct weft_folded_link x, struct weft_err *err);
/** Gives nodes their rows and puts them into boxes, which lie in order of row and place. */
int weft_folded_fold(struct weft_folded *f, struct weft_err *err);
/** Boxes of a row. */
size_t weft_folded_row(const struct weft_folded *f, int row);
void weft_folded_free(struct weft_folded *f);

#endif
