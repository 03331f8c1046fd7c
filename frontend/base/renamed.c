/* SPDX-License-Identifier: GPL-2.0-only */
/* The table of former names, and the search in it. */
#include "base/renamed.h"

#include <string.h>

static const struct weft_renamed table[] = {
    {WEFT_RENAMED_SECTION, "trouble", "fault"},
    {WEFT_RENAMED_FAMILY, "trouble", "fault"},
    {WEFT_RENAMED_FAMILY, "troubles", "faults"},
    {WEFT_RENAMED_METRIC, "troubles", "faults"},
    {WEFT_RENAMED_METRIC, "trouble-losses", "fault-losses"},
};

const struct weft_renamed *weft_renamed_table(size_t *n)
{
    *n = sizeof table / sizeof table[0];
    return table;
}

const char *weft_renamed_kind_name(enum weft_renamed_kind kind)
{
    static const char *const names[] = {"section", "family", "metric"};
    return names[kind];
}

const char *weft_renamed_find(enum weft_renamed_kind kind, const char *name)
{
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        if (table[i].kind == kind && strcmp(table[i].former, name) == 0)
            return table[i].present;
    return NULL;
}
