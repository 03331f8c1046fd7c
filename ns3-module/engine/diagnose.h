/* SPDX-License-Identifier: GPL-2.0-only */
/* Deadlocks, roots of pauses and their victims, in sentences. */
#ifndef WEFT_ENGINE_DIAGNOSE_H
#define WEFT_ENGINE_DIAGNOSE_H

#include "engine.h"

#pragma GCC visibility push(hidden)

/** Sentences on deadlocks, roots of pauses and their victims; at most @p max; returns how many. */
uint64_t diagnose_pauses(const struct weft_engine *e, uint64_t max,
                         void (*fn)(void *ctx, const char *sentence), void *ctx);

#pragma GCC visibility pop

#endif
