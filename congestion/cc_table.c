/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The table of congestion controls, made from cc_table.def.
 */
#include "congestion/cc.h"

#include <string.h>

#define WEFT_CC(x) extern const struct weft_cc_ops weft_cc_##x;
#include "cc_table.def"
#undef WEFT_CC

static const struct weft_cc_ops *const table[] = {
#define WEFT_CC(x) &weft_cc_##x,
#include "cc_table.def"
#undef WEFT_CC
};

#define TABLE_N (sizeof(table) / sizeof(table[0]))

const struct weft_cc_ops *const *weft_cc_table(size_t *n)
{
    *n = TABLE_N;
    return table;
}

const struct weft_cc_ops *weft_cc_find(const char *name, struct weft_err *err)
{
    const char *names[TABLE_N];
    for (size_t i = 0; i < TABLE_N; i++) {
        if (strcmp(table[i]->name, name) == 0)
            return table[i];
        names[i] = table[i]->name;
    }
    const char *near = weft_nearest(name, names, TABLE_N);
    if (near)
        weft_err_set(err, WEFT_E_INPUT, "unknown congestion control '%s'; did you mean '%s'?", name,
                     near);
    else
        weft_err_set(err, WEFT_E_INPUT,
                     "unknown congestion control '%s'; `weft list` shows all of them", name);
    return NULL;
}
