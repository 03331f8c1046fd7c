/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Questions about a whole fabric: who reaches whom, and how far a switch is from a host.
 */
#ifndef WEFT_FABRIC_REACH_H
#define WEFT_FABRIC_REACH_H

#include "fabric.h"

WEFT_C_BEGIN

/**
 * Checks that every host has a link and reaches every other host through switches or over a
 * direct link (hosts do not forward), over the links whose byte in @p down is 0 (NULL: all). The
 * ports must be numbered. WEFT_E_INPUT names a pair that fails.
 */
int weft_fabric_check_reach(const struct weft_fabric *f, const uint8_t *down, struct weft_err *err);

/**
 * Sets the tier of every switch to its hop distance from the nearest host (a switch that no host
 * reaches gets 0), of every host to 0. For readers of formats that know no tiers. Call after
 * finish.
 */
int weft_fabric_tiers_by_distance(struct weft_fabric *f, struct weft_err *err);

WEFT_C_END
#endif
