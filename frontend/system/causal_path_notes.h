/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Trails of ranks that take in messages in a thread of the net's (absorb.c): the thread has records
 * of its own for new ones, and notes those that are to be released, which the frontend's own thread
 * sees to.
 */
#ifndef WEFT_SYSTEM_CAUSAL_PATH_NOTES_H
#define WEFT_SYSTEM_CAUSAL_PATH_NOTES_H

#include "system/causal_path.h"

/** Trails that a thread notes at most. */
#define WEFT_NOTES_MAX 65535u

/** What a thread has. */
struct weft_causal_path_notes {
    struct weft_causal_path *free; /**< linked by next_free */
    uint32_t nfree;
    void *blocks; /**< of memory, linked by their first word */
    uint32_t n;
    struct weft_causal_path *dropped[WEFT_NOTES_MAX];
};

/** Room for one new causal_path, and to note two; false: there is none. */
bool weft_notes_have_room(struct weft_causal_path_notes *n);
/** A causal_path, contents undefined; there is room. */
struct weft_causal_path *weft_notes_take(struct weft_causal_path_notes *n);
/** Trail @p t is to be released; NULL: nothing. */
void weft_notes_drop(struct weft_causal_path_notes *n, struct weft_causal_path *t);
/** Takes over some of the free causal_paths *@p free of the frontend's. */
void weft_notes_refill(struct weft_causal_path_notes *n, struct weft_causal_path **free);
void weft_notes_free(struct weft_causal_path_notes *n);

#endif
