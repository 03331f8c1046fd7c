/* SPDX-License-Identifier: GPL-2.0-only */
/* What a row and a point of a sweep are of. */
#include "sweep/sweep.h"

const char *weft_sweep_key(const struct weft_sweep *s, size_t column)
{
    return s->axis[s->column[column].axis].key[s->column[column].key];
}

const char *weft_sweep_axis_value(const struct weft_sweep *s, size_t axis, size_t key, size_t row)
{
    for (size_t k = s->naxes - 1; k > axis; k--)
        row /= s->axis[k].n;
    return s->axis[axis].value[key].list[row % s->axis[axis].n];
}

const char *weft_sweep_value(const struct weft_sweep *s, size_t column, size_t row)
{
    return weft_sweep_axis_value(s, s->column[column].axis, s->column[column].key, row);
}

size_t weft_sweep_points_per_row(const struct weft_sweep *s)
{
    return s->seeds.n ? s->seeds.n : 1;
}

size_t weft_sweep_row_of(const struct weft_sweep *s, size_t point)
{
    return point / weft_sweep_points_per_row(s);
}

const char *weft_sweep_seed_of(const struct weft_sweep *s, size_t point)
{
    return s->seeds.n ? s->seeds.list[point % s->seeds.n] : NULL;
}
