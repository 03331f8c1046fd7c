/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Rows on change show what is left of all changes of one instant: they are written when something
 * changes later, or at the end.
 */
#include "series/series_internal.h"

#include "base/compare.h"
#include "base/grow.h"
#include "base/require.h"

#include <stdlib.h>

void weft_instant_end(struct weft_instant *i)
{
    if (i->n > 1)
        qsort(i->objects, i->n, sizeof *i->objects, weft_by_u32);
    for (size_t k = 0; k < i->n; k++)
        i->write(i->ctx, i->t_ps, i->objects[k]);
    i->n = 0;
}

void weft_instant_note(struct weft_instant *i, int64_t t_ps, uint32_t object,
                       struct weft_series_sample *s)
{
    WEFT_REQUIRE(t_ps >= i->t_ps);
    if (t_ps > i->t_ps)
        weft_instant_end(i);
    i->t_ps = t_ps;
    if (i->n && i->objects[i->n - 1] == object)
        return;
    if (!WEFT_GROW(i->objects, i->n, &i->cap)) {
        if (!s->err.code)
            weft_err_no_memory(&s->err, "series on change");
        return;
    }
    i->objects[i->n++] = object;
}

void weft_instant_free(struct weft_instant *i)
{
    free(i->objects);
}
