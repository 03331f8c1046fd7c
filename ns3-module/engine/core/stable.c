/* SPDX-License-Identifier: GPL-2.0-only */
/* Stable array: see stable.h. Uses private anonymous mappings without swap reservation. */
#include "stable.h"
#include "address_space.h"

#include "base/err.h"
#include "base/units.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>

#define HUGE_PAGE ADDRESS_STEP
#define PAGE ((size_t)4096) /**< or more, on some machines, where advice is then refused */
#define SHARE 16            /**< arrays that grow, of an engine */

static pthread_mutex_t growing = PTHREAD_MUTEX_INITIALIZER;

static size_t steps(size_t bytes)
{
    return (bytes + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
}

static void advise(const struct stable *s, size_t from, size_t end)
{
#ifdef MADV_HUGEPAGE /* thousands of records in random order: the page walks cost more than the    \
                        records */
    if (s->small || end - from >= HUGE_PAGE)
        madvise(s->base + from, end - from, s->small ? MADV_NOHUGEPAGE : MADV_HUGEPAGE);
#else
#endif
}

/* Address space for @p n bytes, behind which nothing is mapped; it lies where it is: if all arrays
 * began alike, they would be in the way of each other in the caches. NULL: it is refused. */
static void *map_once(size_t n)
{
    const size_t all = (n + PAGE - 1) / PAGE * PAGE + PAGE;
    char *const p = address_map(all);
    if (p)
        munmap(p + all - PAGE, PAGE);
    return p;
}

bool stable_init(struct stable *s, size_t elem, uint32_t n)
{
    *s = (struct stable){.elem = elem, .max = n, .most = n, .fixed = true, .free_head = NIL};
    s->base = elem ? map_once(elem * n) : NULL;
    if (s->base)
        advise(s, 0, elem * n);
    return !elem || s->base;
}

/* Where no range of addresses is to be had, all is mapped at once, or as much of it as there is. */
static size_t map_all(struct stable *s, size_t bytes)
{
    struct rlimit limit;
    if (!getrlimit(RLIMIT_AS, &limit) && limit.rlim_cur != RLIM_INFINITY)
        while (bytes > HUGE_PAGE && bytes > limit.rlim_cur / SHARE)
            bytes /= 2;
    for (; bytes >= HUGE_PAGE && !(s->base = address_map(bytes + HUGE_PAGE)); bytes /= 2)
        ;
    if (!s->base)
        return 0;
    const size_t before = -(uintptr_t)s->base % HUGE_PAGE;
    munmap(s->base + before + bytes, HUGE_PAGE - before);
    if (before)
        munmap(s->base, before);
    s->base += before;
    return bytes;
}

/* Records that there is mapped memory for. */
static uint32_t capacity(const struct stable *s)
{
    const size_t n = s->map->bytes / s->elem;
    return n < s->most ? (uint32_t)n : s->most;
}

bool stable_init_growing(struct stable *s, size_t elem, uint32_t most)
{
    *s = (struct stable){.elem = elem, .most = most, .free_head = NIL};
    if (elem == 0) {
        s->max = most;
        return true;
    }
    s->map = calloc(1, sizeof *s->map);
    if (!s->map)
        return false;
    s->base = address_take(elem * most);
    s->ranged = s->base != NULL;
    s->map->bytes = s->base ? HUGE_PAGE : map_all(s, steps(elem * most));
    if (!s->base) {
        free(s->map);
        s->map = NULL;
        return false;
    }
    advise(s, 0, s->map->bytes);
    s->map->max = s->max = capacity(s);
    s->fixed = !s->ranged;
    if (s->fixed)
        s->most = s->max;
    return true;
}

bool stable_init_beside(struct stable *s, size_t elem, struct stable *of)
{
    if (!stable_init_growing(s, elem, of->most))
        return false;
    if (elem == 0)
        return true;
    s->of = of;
    s->next = of->beside;
    of->beside = s;
    stable_room(s, of->max);
    of->map->max = s->map->max < of->map->max ? s->map->max : of->map->max;
    stable_note_room(of);
    if (of->max >= of->n)
        return true;
    stable_fini(s);
    return false;
}

void stable_fini(struct stable *s)
{
    for (struct stable **at = s->of ? &s->of->beside : NULL; at && *at; at = &(*at)->next)
        if (*at == s) {
            *at = s->next;
            break;
        }
    const size_t bytes = s->map ? s->map->bytes : s->elem * s->max;
    if (s->base && s->ranged)
        address_give(s->base, bytes);
    else if (s->base)
        munmap(s->base, bytes);
    free(s->map);
    s->base = NULL;
    s->map = NULL;
    s->of = NULL;
}

/* Maps room for @p n records, and for @p wish if there is so much memory, else for as many as there
 * is: half of what was too much is tried next. */
static bool extend(const struct stable *s, uint32_t n, uint32_t wish)
{
    const size_t least = steps(s->elem * n), from = s->map->bytes;
    size_t bytes = steps(s->elem * (wish < s->most ? wish : s->most));
    while (bytes > from && bytes >= least) {
        if (address_extend(s->base, from, bytes)) {
            advise(s, from, bytes);
            s->map->bytes = bytes;
            break;
        }
        const size_t less = from + (bytes - from) / 2 / HUGE_PAGE * HUGE_PAGE;
        bytes = less < least && bytes > least ? least : less;
    }
    return capacity(s) >= n;
}

static bool make_room(const struct stable *s, uint32_t n)
{
    const uint32_t twice = 2 * s->map->max;
    if (n <= s->map->max)
        return true;
    if (n > s->most || (capacity(s) < n && !extend(s, n, n > twice ? n : twice)))
        return false;
    uint32_t max = capacity(s);
    for (const struct stable *b = s->beside; b; b = b->next) {
        if (capacity(b) < max && !extend(b, n, max))
            return false;
        b->map->max = capacity(b);
        max = b->map->max < max ? b->map->max : max;
    }
    s->map->max = max;
    return true;
}

bool stable_room(const struct stable *s, uint32_t n)
{
    pthread_mutex_lock(&growing);
    const bool is = make_room(s, n);
    pthread_mutex_unlock(&growing);
    return is;
}

void stable_note_room(struct stable *s)
{
    if (!s->map)
        return;
    s->max = s->map->max;
    for (struct stable *b = s->beside; b; b = b->next)
        b->max = b->map->max;
}

uint32_t stable_grow(struct stable *s)
{
    if (s->fixed || !stable_room(s, s->n + 1))
        return NIL;
    stable_note_room(s);
    return stable_free(s);
}

int stable_full(const struct stable *s, const char *what, struct weft_err *err)
{
    char more[WEFT_UNIT_TEXT_MAX];
    if (s->max == s->most)
        return weft_err_set(err, WEFT_E_LIMIT, "more than %u %s", s->max, what);
    return weft_err_set(err, WEFT_E_LIMIT, "out of memory for %s more: %s are more than %u",
                        weft_human_size(HUGE_PAGE, more), what, s->max);
}

void stable_small_pages(struct stable *s)
{
    s->small = true;
    advise(s, 0, s->map ? s->map->bytes : s->elem * s->max);
}

void stable_huge_pages(const struct stable *s, uint32_t first, uint32_t end)
{
    char *const from = s->base + first * s->elem, *const to = s->base + end * s->elem;
    char *const page = s->base + ((size_t)(from - s->base) + PAGE - 1) / PAGE * PAGE;
#ifdef MADV_HUGEPAGE
    if (page < to && (size_t)(to - page) >= 2 * HUGE_PAGE) /* else there may be no whole one */
        madvise(page, (size_t)(to - page) / PAGE * PAGE, MADV_HUGEPAGE);
#endif
}
