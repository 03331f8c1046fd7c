/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finds presets by name.
 */
#include "base/preset.h"

#include <string.h>

const struct weft_preset *weft_preset_find(const struct weft_preset *table, const char *owner,
                                           const char *shown, const char *name,
                                           struct weft_err *err)
{
    enum { MAX_PRESETS = 64 };
    const char *names[MAX_PRESETS];
    size_t n = 0;
    for (const struct weft_preset *p = table; p && p->name; p++) {
        if (strcmp(p->name, name) == 0)
            return p;
        if (n < MAX_PRESETS)
            names[n++] = p->name;
    }
    if (n == 0) {
        weft_err_set(err, WEFT_E_INPUT, "%s has no presets", owner);
        return NULL;
    }
    const char *near = weft_nearest(name, names, n);
    if (near)
        weft_err_set(err, WEFT_E_INPUT, "%s has no preset '%s'; did you mean '%s'?", owner, name,
                     near);
    else
        weft_err_set(err, WEFT_E_INPUT, "%s has no preset '%s'; `weft show %s` lists them", owner,
                     name, shown);
    return NULL;
}
