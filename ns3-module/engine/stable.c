/* SPDX-License-Identifier: GPL-2.0-only */
/* Stable array: see stable.h. Uses a private anonymous mapping without swap reservation. */
#include "stable.h"

#include <sys/mman.h>

#define HUGE_PAGE ((size_t)2 << 20)
#define PAGE ((size_t)4096) /**< or more, on some machines, where advice is then refused */

/* Address space for @p n bytes, behind which nothing is mapped; that of what grows begins with a
 * huge page, other arrays lie where it is: if all began alike, they would be in the way of each
 * other in the caches. NULL: it is refused. */
static void *map(size_t n)
{
    const bool grows = n % HUGE_PAGE == 0;
    const size_t all = (n + PAGE - 1) / PAGE * PAGE + (grows ? HUGE_PAGE : PAGE);
    char *const p =
        mmap(NULL, all, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED)
        return NULL;
    const size_t before = grows ? -(uintptr_t)p % HUGE_PAGE : 0,
                 end = (before + n + PAGE - 1) / PAGE * PAGE;
    if (before)
        munmap(p, before);
    if (end < all)
        munmap(p + end, all - end);
    return p + before;
}

bool stable_init(struct stable *s, size_t elem, uint32_t max)
{
    *s = (struct stable){.elem = elem, .max = max, .free_head = NIL};
    if (elem == 0)
        return true;
    void *const p = map(elem * max);
    if (!p)
        return false;
#ifdef MADV_HUGEPAGE /* thousands of records in random order: the page walks cost more than the    \
                        records */
    if (elem * max >= HUGE_PAGE)
        madvise(p, elem * max, MADV_HUGEPAGE);
#endif
    s->base = p;
    return true;
}

void stable_fini(struct stable *s)
{
    if (s->base)
        munmap(s->base, s->elem * s->max);
    s->base = NULL;
}

void stable_small_pages(struct stable *s)
{
#ifdef MADV_NOHUGEPAGE
    madvise(s->base, s->elem * s->max, MADV_NOHUGEPAGE);
#else
    (void)s;
#endif
}

void stable_huge_pages(struct stable *s, uint32_t first, uint32_t end)
{
    char *const from = s->base + first * s->elem, *const to = s->base + end * s->elem;
    char *const page = s->base + ((size_t)(from - s->base) + PAGE - 1) / PAGE * PAGE;
#ifdef MADV_HUGEPAGE
    if (page < to && (size_t)(to - page) >= 2 * HUGE_PAGE) /* else there may be no whole one */
        madvise(page, (size_t)(to - page) / PAGE * PAGE, MADV_HUGEPAGE);
#endif
}
