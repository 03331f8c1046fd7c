/* SPDX-License-Identifier: GPL-2.0-only */
/* Parts of a simulation that several threads, or processes, can't share, and why. */
#ifndef WEFT_ENGINE_OBSTACLES_H
#define WEFT_ENGINE_OBSTACLES_H

#include "engine.h"

/** For whom: several threads run hosts, several processes a fabric. */
#define OBSTACLE_THREADS 1u
#define OBSTACLE_PROCESSES 2u

/** Why hosts can't be shared out to @p whom as things are, for people; NULL: they can. Whether the
 * frontend allows it (weft_engine_hooks, concurrency) is not asked. */
const char *obstacle_find(const struct weft_engine *e, unsigned whom);

#endif
