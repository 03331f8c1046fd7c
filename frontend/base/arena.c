/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Arena: a chain of blocks from calloc, each filled from its start. Blocks double from 4 KiB to
 * 1 MiB; a request larger than a quarter of the next block gets a block of its own, so that
 * no more than a quarter of the memory is left unused. Past its limit a spilling arena takes its
 * blocks from a file without a name, mapped shared, so that the kernel may write pages out and drop
 * them.
 */
#include "base/arena.h"

#include "base/os.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define ALIGN 16
#define BLOCK_MIN ((size_t)4096)
#define BLOCK_MAX ((size_t)1 << 20)
#define SPILL_BLOCK ((size_t)32 << 20)
#define PAGE ((size_t)4096)

struct block {
    struct block *next;
    size_t size;   /* of data, bytes */
    size_t used;   /* of data, bytes, a multiple of ALIGN */
    size_t mapped; /* bytes of the file, 0: from calloc */
    _Alignas(ALIGN) unsigned char data[];
};

struct weft_arena {
    struct block *head; /* the block being filled, NULL before the first request */
    size_t next_size;   /* data bytes of the next shared block */
    size_t used;        /* bytes handed out */
    size_t taken;       /* bytes of blocks from calloc */
    size_t limit;       /* of taken; SIZE_MAX: no file */
    size_t spilled;     /* bytes of the file */
    int fd;
};

struct weft_arena *weft_arena_new(void)
{
    struct weft_arena *a = calloc(1, sizeof *a);
    if (a) {
        a->next_size = BLOCK_MIN;
        a->limit = SIZE_MAX;
        a->fd = -1;
    }
    return a;
}

/* A file without a name, -1 when none can be made. */
static int arena_open_file(void)
{
    const char *dir = getenv("TMPDIR");
    char path[4096];
    int n = snprintf(path, sizeof path, "%s/weft-XXXXXX", dir && *dir ? dir : "/var/tmp");
    int fd = n > 0 && (size_t)n < sizeof path ? mkstemp(path) : -1;
    if (fd >= 0)
        unlink(path);
    return fd;
}

void weft_arena_spill(struct weft_arena *a, size_t memory_bytes)
{
    if (a->fd < 0)
        a->fd = arena_open_file();
    a->limit = a->fd < 0 ? SIZE_MAX : memory_bytes;
}

void weft_arena_free(struct weft_arena *a)
{
    if (!a)
        return;
    struct block *b = a->head;
    while (b) {
        struct block *next = b->next;
        if (b->mapped)
            munmap(b, b->mapped);
        else
            free(b);
        b = next;
    }
    if (a->fd >= 0)
        close(a->fd);
    free(a);
}

void weft_arena_relax(const struct weft_arena *a)
{
    for (struct block *b = a && a->spilled ? a->head : NULL; b; b = b->next)
        if (b->mapped)
            madvise(b, b->mapped, MADV_DONTNEED);
}

size_t weft_arena_spilled(const struct weft_arena *a)
{
    return a->spilled;
}

/* A block of at least @p size data bytes in the file. Its room is reserved: a full disk is seen
 * here. */
static struct block *file_block(struct weft_arena *a, size_t size)
{
    size_t want = (size + sizeof(struct block) + PAGE - 1) & ~(PAGE - 1);
    if (!weft_os_reserve(a->fd, (off_t)a->spilled, (off_t)want))
        return NULL;
    struct block *b =
        mmap(NULL, want, PROT_READ | PROT_WRITE, MAP_SHARED, a->fd, (off_t)a->spilled);
    if (b == MAP_FAILED)
        return NULL;
    weft_arena_relax(a);
    a->spilled += want;
    b->mapped = want;
    b->size = want - sizeof *b;
    return b;
}

static bool over_limit(const struct weft_arena *a, size_t size)
{
    return size > a->limit || a->taken > a->limit - size;
}

static struct block *block_new(struct weft_arena *a, size_t size)
{
    if (size > SIZE_MAX - SPILL_BLOCK)
        return NULL;
    if (over_limit(a, size))
        return file_block(a, size);
    struct block *b = calloc(1, sizeof *b + size);
    if (b) {
        b->size = size;
        a->taken += size;
    }
    return b;
}

void *weft_arena_alloc(struct weft_arena *a, size_t size)
{
    if (size > SIZE_MAX - ALIGN)
        return NULL;
    const size_t need = size == 0 ? ALIGN : (size + ALIGN - 1) & ~(size_t)(ALIGN - 1);
    struct block *b = a->head;
    if (!b || b->size - b->used < need) {
        bool in_file = over_limit(a, a->next_size);
        size_t shared = in_file ? SPILL_BLOCK - sizeof *b : a->next_size;
        if (need > shared / 4) {
            /* Its own block goes behind the head, which keeps being filled. */
            b = block_new(a, need);
            if (!b)
                return NULL;
            if (a->head) {
                b->next = a->head->next;
                a->head->next = b;
            } else {
                a->head = b;
            }
        } else {
            b = in_file ? file_block(a, shared) : block_new(a, shared);
            if (!b)
                return NULL;
            if (!in_file && a->next_size < BLOCK_MAX)
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

int weft_text_add(struct weft_text *t, const char *add, size_t n)
{
    if (n >= t->cap - t->len) { /* one byte is for the terminator */
        if (n > SIZE_MAX / 4 || t->len > SIZE_MAX / 4)
            return -1;
        const size_t cap = 2 * t->len + n + 1;
        char *more = weft_arena_alloc(t->arena, cap);
        if (!more)
            return -1;
        if (t->len)
            memcpy(more, t->s, t->len);
        t->s = more;
        t->cap = cap;
    }
    if (n)
        memcpy(t->s + t->len, add, n);
    t->len += n;
    t->s[t->len] = '\0';
    return 0;
}

size_t weft_arena_used(const struct weft_arena *a)
{
    return a->used;
}
