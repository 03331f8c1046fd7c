/* SPDX-License-Identifier: GPL-2.0-only */
/* LINK_DOWN of a configuration whose traffic is a workload's (ASTRA-sim, SimAI). */
#ifndef WEFT_HPCC_LINK_DOWN_H
#define WEFT_HPCC_LINK_DOWN_H

#include "base/arena.h"
#include "foreign/hpcc/config.h"
#include "topologies/fabric.h"

/**
 * The setting fault.events=... of LINK_DOWN, and what is to be said of it in *note; "" with an
 * empty note where no link fails. The profile has checked the values. NULL: out of memory.
 */
const char *weft_hpcc_link_down_setting(struct weft_arena *a, const struct weft_hpcc_config *c,
                                        const struct weft_fabric *f, const char **note);

#endif
