/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Arena: many small allocations with one lifetime. Memory is zeroed and 16-byte aligned.
 */
#ifndef WEFT_BASE_ARENA_H
#define WEFT_BASE_ARENA_H

#include "base/linkage.h"

#include <stddef.h>

WEFT_C_BEGIN

struct weft_arena;

/** A new empty arena, NULL when out of memory. */
struct weft_arena *weft_arena_new(void);
/**
 * From now on what exceeds @p memory_bytes lies in a temporary file (in $TMPDIR, else /var/tmp;
 * gone with the process) that is mapped: addresses stay valid, and pages come back when they are
 * touched. Where no such file can be made everything stays in memory.
 */
void weft_arena_spill(struct weft_arena *a, size_t memory_bytes);
/** Lets go of the memory behind what lies in the file, for now. NULL is allowed. */
void weft_arena_relax(const struct weft_arena *a);
/** Bytes that lie in the file. */
size_t weft_arena_spilled(const struct weft_arena *a);
/** Frees the arena and everything allocated from it; NULL is allowed. */
void weft_arena_free(struct weft_arena *a);
/** @p size zeroed bytes, NULL when out of memory. size 0 returns a valid pointer. */
void *weft_arena_alloc(struct weft_arena *a, size_t size);
/** n * size zeroed bytes, NULL on overflow or when out of memory. */
void *weft_arena_calloc(struct weft_arena *a, size_t n, size_t size);
/** A copy of a string, NULL when out of memory. */
char *weft_arena_strdup(struct weft_arena *a, const char *s);
/** A copy of the first @p n bytes of @p s with a terminator. */
char *weft_arena_strndup(struct weft_arena *a, const char *s, size_t n);
/** printf into the arena. */
char *weft_arena_printf(struct weft_arena *a, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/** A text that grows in an arena; its room doubles, so that adding takes time and memory linear in
 * the text. */
struct weft_text {
    struct weft_arena *arena;
    char *s; /**< terminated; NULL: nothing was added */
    size_t len, cap;
};
/** Appends @p n bytes of @p add. 0, or -1 when out of memory; the text is then as before. */
int weft_text_add(struct weft_text *t, const char *add, size_t n);

/** Bytes handed out so far, each request rounded up to a multiple of 16. */
size_t weft_arena_used(const struct weft_arena *a);

WEFT_C_END
#endif
