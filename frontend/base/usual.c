/* SPDX-License-Identifier: GPL-2.0-only */
/* Sorts by kind and value, counts equal ones. */
#include "base/usual.h"

#include <stdlib.h>

static int usual_order(const void *va, const void *vb)
{
    const struct weft_usual *a = *(const struct weft_usual *const *)va;
    const struct weft_usual *b = *(const struct weft_usual *const *)vb;
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    return (a->value > b->value) - (a->value < b->value);
}

/* The things from @p from to @p to, which are of one kind and sorted by value. */
static void usual_of_kind(struct weft_usual **sorted, size_t from, size_t to)
{
    size_t most = 0;
    double usual = 0;
    for (size_t i = from; i < to;) {
        size_t end = i + 1;
        while (end < to && sorted[end]->value == sorted[i]->value)
            end++;
        if (end - i >= most) {
            most = end - i;
            usual = sorted[i]->value;
        }
        i = end;
    }
    for (size_t i = from; i < to; i++) {
        sorted[i]->usual = usual;
        sorted[i]->others = to - from - most;
    }
}

int weft_usual_find(struct weft_usual *list, size_t n, struct weft_err *err)
{
    struct weft_usual **sorted = (struct weft_usual **)calloc(n + 1, sizeof *sorted);
    if (!sorted)
        return weft_err_no_memory(err, "what links have in common");
    for (size_t i = 0; i < n; i++)
        sorted[i] = &list[i];
    qsort(sorted, n, sizeof *sorted, usual_order);
    for (size_t from = 0, to; from < n; from = to) {
        for (to = from + 1; to < n && sorted[to]->kind == sorted[from]->kind;)
            to++;
        usual_of_kind(sorted, from, to);
    }
    free(sorted);
    return 0;
}
