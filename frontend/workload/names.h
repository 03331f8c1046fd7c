/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A set of strings: equal texts become one pointer. The ranks of a job repeat the names of
 * their operations; this keeps one copy.
 */
#ifndef WEFT_NAMES_H
#define WEFT_NAMES_H

#include "base/arena.h"

struct weft_names;

/** An empty set whose strings live in @p arena (which must outlive it); NULL when out of memory. */
struct weft_names *weft_names_new(struct weft_arena *arena);
/** Frees the set, not the strings; NULL is allowed. */
void weft_names_free(struct weft_names *t);
/** A copy of @p s, the one there is unless the set is full. NULL when out of memory. */
const char *weft_names_get(struct weft_names *t, const char *s);

#endif
