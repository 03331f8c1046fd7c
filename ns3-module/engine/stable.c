/* SPDX-License-Identifier: GPL-2.0-only */
/* Stable array: see stable.h. Uses a private anonymous mapping without swap reservation. */
#include "stable.h"

#include <sys/mman.h>

#define HUGE_PAGE ((size_t)2 << 20)

bool stable_init(struct stable *s, size_t elem, uint32_t max)
{
    *s = (struct stable){.elem = elem, .max = max, .free_head = NIL};
    if (elem == 0)
        return true;
    void *p = mmap(NULL, elem * max, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED)
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
