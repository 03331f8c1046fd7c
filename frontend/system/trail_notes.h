/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Trails of ranks that take in messages in a thread of the net's (absorb.c): the thread has records
 * of its own for new ones, and notes those that are to be let go, which the frontend's own thread
 * sees to.
 */
#ifndef WEFT_SYSTEM_TRAIL_NOTES_H
#define WEFT_SYSTEM_TRAIL_NOTES_H

#include "system/trail.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Trails that a thread notes at most. */
#define WEFT_NOTES_MAX 65535u

/** What a thread has. */
struct weft_trail_notes {
    struct weft_trail *free; /**< linked by next_free */
    uint32_t nfree;
    void *blocks; /**< of memory, linked by their first word */
    uint32_t n;
    struct weft_trail *dropped[WEFT_NOTES_MAX];
};

/** Room for one new trail, and to note two; false: there is none. */
bool weft_notes_have_room(struct weft_trail_notes *n);
/** A trail, contents undefined; there is room. */
struct weft_trail *weft_notes_take(struct weft_trail_notes *n);
/** Trail @p t is to be let go; NULL: nothing. */
void weft_notes_drop(struct weft_trail_notes *n, struct weft_trail *t);
/** Takes over some of the free trails *@p free of the frontend's. */
void weft_notes_refill(struct weft_trail_notes *n, struct weft_trail **free);
void weft_notes_free(struct weft_trail_notes *n);

#ifdef __cplusplus
}
#endif
#endif
