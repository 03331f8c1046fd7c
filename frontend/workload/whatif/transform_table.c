/* SPDX-License-Identifier: GPL-2.0-only */
/* The table of transforms, from transform_table.def. */
#include "workload/whatif/transform.h"

#define WEFT_TRANSFORM(symbol) extern const struct weft_transform_ops weft_transform_##symbol;
#include "workload/whatif/transform_table.def"
#undef WEFT_TRANSFORM

static const struct weft_transform_ops *const table[] = {
#define WEFT_TRANSFORM(symbol) &weft_transform_##symbol,
#include "workload/whatif/transform_table.def"
#undef WEFT_TRANSFORM
};
enum { TABLE_SIZE = sizeof table / sizeof table[0] };

const struct weft_transform_ops *const *weft_transform_table(size_t *n)
{
    *n = TABLE_SIZE;
    return table;
}

static const char *transform_table_name_of(size_t i)
{
    return table[i]->name;
}

const struct weft_transform_ops *weft_transform_find(const char *name, struct weft_err *err)
{
    const size_t i = weft_find_named(name, transform_table_name_of, TABLE_SIZE, "transform", err);
    return i < TABLE_SIZE ? table[i] : NULL;
}
