/* SPDX-License-Identifier: GPL-2.0-only */
/* Ranges of addresses: address_space.h. */
#include "address_space.h"

#include "base/grow.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#ifndef MAP_ANONYMOUS
#define MAP_ANONYMOUS MAP_ANON
#endif
#ifndef MAP_NORESERVE
#define MAP_NORESERVE 0
#endif

/* Where ranges may lie. The system's own mappings begin at the top or at a third of the addresses,
 * programs at two thirds, heaps behind them. The second is for processors and tools that do not
 * have the first: ARM with 39 bits, ThreadSanitizer. */
static const struct region {
    uint64_t from, end;
} regions[] = {{UINT64_C(0x110000000000), UINT64_C(0x290000000000)},
               {UINT64_C(0x1000000000), UINT64_C(0x4000000000)}};

static struct range {
    uint64_t from, end;
} * ranges; /* those that are taken, in order */
static size_t nranges, ranges_cap;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *map_at(uint64_t at, size_t bytes)
{
    void *const p = mmap((void *)(uintptr_t)at, bytes, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

void *address_map(size_t bytes)
{
    return map_at(0, bytes);
}

/* Maps just there, or nowhere. */
static bool map_there(uint64_t at, size_t bytes)
{
    void *const p = map_at(at, bytes);
    if (p && (uintptr_t)p != at) {
        munmap(p, bytes); /* something is there */
        return false;
    }
    return p != NULL;
}

/* The first gap of @p bytes in a region, and the place of its range in the list; 0: none. */
static uint64_t gap_in(const struct region *in, size_t bytes, size_t *place)
{
    uint64_t from = in->from;
    size_t i = 0;
    for (; i < nranges; i++) {
        if (ranges[i].end <= from)
            continue;
        if (ranges[i].from >= from + bytes)
            break;
        from = ranges[i].end;
    }
    *place = i;
    return from + bytes <= in->end ? from : 0;
}

static bool list(size_t place, uint64_t from, size_t bytes)
{
    if (!WEFT_GROW(ranges, nranges, &ranges_cap))
        return false;
    memmove(ranges + place + 1, ranges + place, (nranges - place) * sizeof *ranges);
    ranges[place] = (struct range){from, from + bytes};
    nranges++;
    return true;
}

void *address_take(size_t most)
{
    /* a step more, behind which the next begins: what runs over its end is found out */
    const size_t bytes = (most + ADDRESS_STEP - 1) / ADDRESS_STEP * ADDRESS_STEP + ADDRESS_STEP;
    uint64_t at = 0;
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < sizeof regions / sizeof regions[0] && !at; i++) {
        size_t place;
        at = gap_in(&regions[i], bytes, &place);
        if (at && !map_there(at, ADDRESS_STEP))
            at = 0;
        if (at && !list(place, at, bytes)) {
            munmap((void *)(uintptr_t)at, ADDRESS_STEP);
            at = 0;
        }
    }
    pthread_mutex_unlock(&lock);
    return (void *)(uintptr_t)at;
}

bool address_extend(void *at, size_t mapped, size_t bytes)
{
    return map_there((uintptr_t)at + mapped, bytes - mapped);
}

void address_give(void *at, size_t mapped)
{
    munmap(at, mapped);
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < nranges; i++) {
        if (ranges[i].from != (uintptr_t)at)
            continue;
        nranges--;
        memmove(ranges + i, ranges + i + 1, (nranges - i) * sizeof *ranges);
        break;
    }
    if (!nranges) {
        free(ranges);
        ranges = NULL;
        ranges_cap = 0;
    }
    pthread_mutex_unlock(&lock);
}
