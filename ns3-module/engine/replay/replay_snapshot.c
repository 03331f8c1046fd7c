/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The snapshot of a state, such as that at the beginning of a period: a row of values in a fixed
 * order: written, compared, and moved on by the difference of
 * two rows.
 */
#include "replay_snapshot.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

#define PAGE 4096u

bool snapshot_grow(struct snapshot *t)
{
    const size_t cap = t->cap ? 2 * t->cap : 4096;
    if (cap > t->most) {
        t->failed = true;
        return false;
    }
    int64_t *value = realloc(t->value, cap * sizeof *value);
    if (!value) {
        t->failed = true;
        return false;
    }
    t->value = value;
    t->cap = cap;
    return true;
}

/* The pages of what is to be written now, all at once: faults, one for each, take as long again as
 * to write them. */
static void snapshot_have_pages(char *from, size_t size)
{
#ifdef MADV_POPULATE_WRITE
    char *page = from + (PAGE - (uintptr_t)from % PAGE) % PAGE;
    if (page + PAGE <= from + size)
        madvise(page, (size_t)(from + size - page) / PAGE * PAGE, MADV_POPULATE_WRITE);
#else
    (void)from;
    (void)size;
#endif
}

void snapshot_room(struct snapshot *t, uint64_t n)
{
    if (n <= t->cap || n > t->most)
        return;
    snapshot_clear(t);
    t->value = malloc(n * sizeof *t->value);
    t->cap = t->value ? n : 0;
    if (t->value)
        snapshot_have_pages((char *)t->value, n * sizeof *t->value);
}

/* Part of a value that is the same in each period. */
static int64_t snapshot_relative(const struct snapshot *t, int64_t v, enum evolution move)
{
    switch (move) {
    case EVOLVES_SAME:
    case EVOLVES_RARE:
        return v;
    case EVOLVES_TIME:
        return v == WEFT_NEVER || v == 0 ? v : v - t->now_ps;
    case EVOLVES_PAST:
        return v > t->now_ps ? v - t->now_ps : 0;
    case EVOLVES_PSN:
        return v - t->psn;
    case EVOLVES_BYTES:
        return v - t->bytes;
    case EVOLVES_GATE:
        return v ? v - t->bytes : 0;
    default: /* EVOLVES_CHANGE, EVOLVES_COUNT */
        return 0;
    }
}

void snapshot_add(struct snapshot *t, int64_t v, enum evolution move)
{
    const uint64_t sum =
        (t->sum + (uint64_t)snapshot_relative(t, v, move)) * UINT64_C(0x9e3779b97f4a7c15);
    t->sum = sum ^ sum >> 32;
}

void snapshot_differs(struct snapshot *t, const char *name)
{
    t->same = false;
    t->other = name;
}

bool snapshot_over(struct snapshot *t)
{
    if ((t->use == SNAPSHOT_COMPARE || t->use == SNAPSHOT_STEP || t->use == SNAPSHOT_MOVE) &&
        t->same && t->at != t->n)
        snapshot_differs(t, "how much there is");
    return t->same && !t->failed;
}

void snapshot_clear(struct snapshot *t)
{
    free(t->value);
    t->value = NULL;
    t->n = t->cap = 0;
}

void snapshot_free(struct snapshot *t)
{
    free(t->value);
    *t = (struct snapshot){0};
}
