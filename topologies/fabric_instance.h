/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The single networks that a fabric of several dimensions is made of.
 */
#ifndef WEFT_FABRIC_INSTANCE_H
#define WEFT_FABRIC_INSTANCE_H

#include "fabric.h"

WEFT_C_BEGIN

/** One instance of a dimension as a fabric of its own. */
struct weft_fabric_instance {
    struct weft_fabric *fabric; /**< finished; its host i is the i-th NPU of the instance */
    uint32_t *nodes;            /**< node id in the whole fabric of each of its nodes */
    uint32_t
        *ports; /**< port number in the whole fabric of each of its ports, ascending per node */
    uint32_t *links; /**< link number in the whole fabric of each of its links, ascending */
    uint8_t *down;   /**< per link, not 0 when it is down; NULL: none is */
};

/** How many instances a dimension has. */
uint32_t weft_fabric_instance_count(const struct weft_fabric *f, uint32_t dim);
/** The instance that host @p host belongs to, 0 .. count-1. */
uint32_t weft_fabric_instance_of(const struct weft_fabric *f, uint32_t dim, uint32_t host);
/** Which NPU of its instance host @p host is. */
uint32_t weft_fabric_member(const struct weft_fabric *f, uint32_t dim, uint32_t host);
/** Cuts instance @p index of dimension @p dim out of @p f. @p down: per link of @p f, not 0 when it
 * is down; NULL: none is. */
int weft_fabric_instance_open(const struct weft_fabric *f, const uint8_t *down, uint32_t dim,
                              uint32_t index, struct weft_fabric_instance *out,
                              struct weft_err *err);
void weft_fabric_instance_close(struct weft_fabric_instance *i);

WEFT_C_END
#endif
