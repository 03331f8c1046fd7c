/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A state as a row of values in a fixed order: written, compared, and moved on by the difference of
 * two rows.
 */
#include "replay_tape.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

#define PAGE 4096u

bool tape_grow(struct tape *t)
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
static void have_pages(char *from, size_t size)
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

void tape_room(struct tape *t, uint64_t n)
{
    if (n <= t->cap || n > t->most)
        return;
    tape_clear(t);
    t->value = malloc(n * sizeof *t->value);
    t->cap = t->value ? n : 0;
    if (t->value)
        have_pages((char *)t->value, n * sizeof *t->value);
}

/* What of a value is the same in each lap. */
static int64_t relative(const struct tape *t, int64_t v, enum move move)
{
    switch (move) {
    case MOVE_NOT:
    case MOVE_HELD:
    case MOVE_SELDOM:
        return v;
    case MOVE_TIME:
        return v == WEFT_NEVER || v == 0 ? v : v - t->now_ps;
    case MOVE_PAST:
        return v > t->now_ps ? v - t->now_ps : 0;
    case MOVE_PSN:
        return v - t->psn;
    case MOVE_BYTES:
        return v - t->bytes;
    case MOVE_GATE:
        return v ? v - t->bytes : 0;
    case MOVE_STILL:
    case MOVE_COUNT:
        break;
    }
    return 0;
}

void tape_add(struct tape *t, int64_t v, enum move move)
{
    const uint64_t sum = (t->sum + (uint64_t)relative(t, v, move)) * UINT64_C(0x9e3779b97f4a7c15);
    t->sum = sum ^ sum >> 32;
}

void tape_differs(struct tape *t, const char *name)
{
    t->same = false;
    t->other = name;
}

bool tape_over(struct tape *t)
{
    if ((t->use == TAPE_COMPARE || t->use == TAPE_STEP || t->use == TAPE_MOVE) && t->same &&
        t->at != t->n)
        tape_differs(t, "how much there is");
    return t->same && !t->failed;
}

void tape_clear(struct tape *t)
{
    free(t->value);
    t->value = NULL;
    t->n = t->cap = 0;
}

void tape_free(struct tape *t)
{
    free(t->value);
    *t = (struct tape){0};
}
