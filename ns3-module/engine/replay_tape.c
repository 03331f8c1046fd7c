/* SPDX-License-Identifier: GPL-2.0-only */
/* See replay_tape.h. */
#include "replay_tape.h"

#include <stdlib.h>

bool tape_grow(struct tape *t)
{
    const size_t cap = t->cap ? 2 * t->cap : 4096;
    if (cap > t->most) {
        t->failed = true;
        return false;
    }
    int64_t *value = realloc(t->value, cap * sizeof *value);
    if (value)
        t->value = value;
    int64_t *step = value ? realloc(t->step, cap * sizeof *step) : NULL;
    if (!step) {
        t->failed = true;
        return false;
    }
    t->step = step;
    t->cap = cap;
    return true;
}

void tape_differs(struct tape *t, const char *name)
{
    t->same = false;
    t->other = name;
}

bool tape_over(struct tape *t)
{
    if ((t->use == TAPE_COMPARE || t->use == TAPE_MOVE) && t->same && t->at != t->n)
        tape_differs(t, "how much there is");
    return t->same && !t->failed;
}

void tape_free(struct tape *t)
{
    free(t->value);
    free(t->step);
    *t = (struct tape){0};
}
