/* SPDX-License-Identifier: GPL-2.0-only */
/* DRILL; see drill.c. */
#ifndef WEFT_ENGINE_DRILL_H
#define WEFT_ENGINE_DRILL_H

#include "core/context.h"

#define DRILL_SAMPLES_MAX 16
#define DRILL_MEMORY_MAX 4

/** A balance_fn. */
uint32_t drill(struct weft_engine *e, struct weft_route_group g, uint32_t node,
               const struct pkt *k);
/** Its memory; NULL when out of memory. */
uint32_t *drill_memory_new(const struct weft_fabric *f);

#endif
