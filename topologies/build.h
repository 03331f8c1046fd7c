/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the generators share: hosts first, then switches, and a chain of calls that stops at the
 * first error. Node ids: 0 .. hosts-1 are the hosts, so host number and node id agree.
 */
#ifndef WEFT_TOPOLOGY_BUILD_H
#define WEFT_TOPOLOGY_BUILD_H

#include "fabric.h"

WEFT_C_BEGIN

/** A fabric under construction. After the first error every call does nothing. */
struct weft_build {
    struct weft_fabric *f;
    struct weft_err *err;
    int rc;
    struct weft_fabric_link link; /**< what the next links have in common: dimension, cost, ... */
};

/** Rate and delay of one sort of link. */
struct weft_build_wire {
    uint64_t rate_bps;
    int64_t delay_ps;
};

/** The rows of a parameter table for a field `struct weft_build_wire field` of @p owner: PREFIX
 * "rate", with the default
 * @p value and the source @p from (NULL: weft's own), and PREFIX "delay"; @p rate_of and @p
 * delay_of: which links. */
#define WEFT_WIRE_PARAMS(owner, field, prefix, value, rate_of, delay_of, from)                     \
    {WEFT_ROW_RATE(owner, field.rate_bps, prefix "rate", value, "1bps", NULL),                     \
     .help = "rate of " rate_of ", each direction", .source = from},                               \
    {                                                                                              \
        WEFT_ROW_TIME(owner, field.delay_ps, prefix "delay", "1us", "0ps", "1s"),                  \
            .help = "propagation delay of " delay_of                                               \
    }

/** Opens an empty fabric. */
void weft_build_start(struct weft_build *b, struct weft_err *err);
/** Adds @p n nodes; returns the id of the first. */
uint32_t weft_build_nodes(struct weft_build *b, enum weft_node_kind kind, uint32_t tier,
                          uint64_t n);
/** Adds a loss-free link like b->link. */
void weft_build_link(struct weft_build *b, uint32_t x, uint32_t y, struct weft_build_wire wire);
/** Adds @p parallel such links from each of the @p n nodes from @p x on to each of the @p m nodes
 * from
 * @p y on: the stage of a Clos. */
void weft_build_stage(struct weft_build *b, uint32_t x, uint32_t n, uint32_t y, uint32_t m,
                      uint64_t parallel, struct weft_build_wire wire);
/** Finishes the fabric into *out, or frees it and returns the first error. */
int weft_build_finish(struct weft_build *b, struct weft_fabric **out);

WEFT_C_END
#endif
