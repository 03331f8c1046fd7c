/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Arena: a chain of blocks from calloc, each filled from its start. Blocks double from 4 KiB to
 * 1 MiB; a request larger than a quarter of the next block gets a block of its own, so that
 * no more than a quarter of the memory is left unused.
 */
#include "base/arena.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ALIGN 16
#define BLOCK_MIN ((size_t)4096)
#define BLOCK_MAX ((size_t)1 << 20)

struct block {
    struct block *next;
    size_t size; /* of data, bytes */
    size_t used; /* of data, bytes, a multiple of ALIGN */
    _Alignas(ALIGN) unsigned char data[];
};

struct weft_arena {
    struct block *head; /* the block being filled, NULL before the first request */
    size_t next_size;   /* data bytes of the next shared block */
    size_t used;        /* bytes handed out */
};

struct weft_arena *weft_arena_new(void)
{
    struct weft_arena *a = calloc(1, sizeof *a);
    if (a)
        a->next_size = BLOCK_MIN;
    return a;
}

void weft_arena_free(struct weft_arena *a)
{
    if (!a)
        return;
    struct block *b = a->head;
    while (b) {
        struct block *next = b->next;
        free(b);
        b = next;
    }
    free(a);
}

static struct block *block_new(size_t size)
{
    if (size > SIZE_MAX - sizeof(struct block))
        return NULL;
    struct block *b = calloc(1, sizeof *b + size);
    if (b)
        b->size = size;
    return b;
}

void *weft_arena_alloc(struct weft_arena *a, size_t size)
{
    if (size > SIZE_MAX - ALIGN)
        return NULL;
    const size_t need = size == 0 ? ALIGN : (size + ALIGN - 1) & ~(size_t)(ALIGN - 1);
    struct block *b = a->head;
    if (!b || b->size - b->used < need) {
        if (need > a->next_size / 4) {
            /* Its own block goes behind the head, which keeps being filled. */
            b = block_new(need);
            if (!b)
                return NULL;
            if (a->head) {
                b->next = a->head->next;
                a->head->next = b;
            } else {
                a->head = b;
            }
        } else {
            b = block_new(a->next_size);
            if (!b)
                return NULL;
            if (a->next_size < BLOCK_MAX)
                a->next_size *= 2;
            b->next = a->head;
            a->head = b;
        }
    }
    void *p = b->data + b->used;
    b->used += need;
    a->used += need;
    return p;
}

void *weft_arena_calloc(struct weft_arena *a, size_t n, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(n, size, &bytes))
        return NULL;
    return weft_arena_alloc(a, bytes);
}

char *weft_arena_strndup(struct weft_arena *a, const char *s, size_t n)
{
    if (n == SIZE_MAX)
        return NULL;
    char *copy = weft_arena_alloc(a, n + 1);
    if (copy && n > 0)
        memcpy(copy, s, n);
    return copy;
}

char *weft_arena_strdup(struct weft_arena *a, const char *s)
{
    return weft_arena_strndup(a, s, strlen(s));
}

char *weft_arena_printf(struct weft_arena *a, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(NULL, 0, fmt, ap);
    va_end(ap);
    if (n < 0)
        return NULL;
    char *text = weft_arena_alloc(a, (size_t)n + 1);
    if (!text)
        return NULL;
    va_start(ap, fmt);
    vsnprintf(text, (size_t)n + 1, fmt, ap);
    va_end(ap);
    return text;
}

size_t weft_arena_used(const struct weft_arena *a)
{
    return a->used;
}
