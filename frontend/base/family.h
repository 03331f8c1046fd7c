/* SPDX-License-Identifier: GPL-2.0-only */
/* A family of plug-ins: its table, with members that are loaded at run time behind its own. */
#ifndef WEFT_BASE_FAMILY_H
#define WEFT_BASE_FAMILY_H

#include "base/plugin.h"

/**
 * Defines PREFIX_table, PREFIX_find and PREFIX_add over `table`, an array of pointers to struct
 * PREFIX_ops with room for WEFT_PLUGIN_ROOM more than the family's own, which are TABLE_OWN.
 * @p what: a member, in errors.
 */
#define WEFT_FAMILY(prefix, what)                                                                  \
    static size_t table_n = TABLE_OWN;                                                             \
                                                                                                   \
    const struct prefix##_ops *const *prefix##_table(size_t *n)                                    \
    {                                                                                              \
        *n = table_n;                                                                              \
        return table;                                                                              \
    }                                                                                              \
                                                                                                   \
    static const char *prefix##_name_of(size_t i)                                                  \
    {                                                                                              \
        return table[i]->name;                                                                     \
    }                                                                                              \
                                                                                                   \
    const struct prefix##_ops *prefix##_find(const char *name, struct weft_err *err)               \
    {                                                                                              \
        const size_t i = weft_find_named(name, prefix##_name_of, table_n, what, err);              \
        return i < table_n ? table[i] : NULL;                                                      \
    }                                                                                              \
                                                                                                   \
    int prefix##_add(const void *ops, struct weft_err *err)                                        \
    {                                                                                              \
        const struct prefix##_ops *o = (const struct prefix##_ops *)ops;                           \
        const int rc = weft_plugin_check_name(o->name, prefix##_name_of, table_n,                  \
                                              sizeof table / sizeof *table, what, err);            \
        if (!rc)                                                                                   \
            table[table_n++] = o;                                                                  \
        return rc;                                                                                 \
    }

#endif
