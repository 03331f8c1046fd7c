/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The table of collective algorithms, made from coll_table.def, and the facts about kinds.
 */
#include "collective/collective.h"

#include "base/plugin.h"

#define WEFT_COLL(x) extern const struct weft_coll_ops weft_coll_##x;
#include "collective/coll_table.def"
#undef WEFT_COLL

/* Their number. */
enum {
#define WEFT_COLL(x) TABLE_OF_##x,
#include "collective/coll_table.def"
#undef WEFT_COLL
    TABLE_OWN
};

/* Those of the program, then those that are loaded at run time. */
static const struct weft_coll_ops *table[TABLE_OWN + WEFT_PLUGIN_ROOM] = {
#define WEFT_COLL(x) &weft_coll_##x,
#include "collective/coll_table.def"
#undef WEFT_COLL
};
static size_t table_n = TABLE_OWN;

const struct weft_coll_ops *const *weft_coll_table(size_t *n)
{
    *n = table_n;
    return table;
}

static const char *coll_table_name_of(size_t i)
{
    return table[i]->name;
}

const struct weft_coll_ops *weft_coll_find(const char *name, struct weft_err *err)
{
    const size_t i =
        weft_find_named(name, coll_table_name_of, table_n, "collective algorithm", err);
    return i < table_n ? table[i] : NULL;
}

int weft_coll_add(const struct weft_coll_ops *ops, struct weft_err *err)
{
    const int rc =
        weft_plugin_check_name(ops->name, coll_table_name_of, table_n, sizeof table / sizeof *table,
                               "collective algorithm", err);
    if (!rc)
        table[table_n++] = ops;
    return rc;
}

bool weft_coll_one_of(const struct weft_coll_call *c, unsigned kinds, const char *text,
                      const char **why)
{
    const bool in = kinds >> c->kind & 1;
    if (!in && why)
        *why = text;
    return in;
}

enum weft_coll_kind weft_coll_run_as(enum weft_coll_kind kind)
{
    switch (kind) {
    case WEFT_COLL_BARRIER:
        return WEFT_COLL_ALL_REDUCE;
    case WEFT_COLL_REDUCE_SCATTER_BLOCK:
        return WEFT_COLL_REDUCE_SCATTER;
    default:
        return kind;
    }
}

bool weft_coll_has_root(enum weft_coll_kind kind)
{
    return kind == WEFT_COLL_BROADCAST || kind == WEFT_COLL_REDUCE || kind == WEFT_COLL_GATHER ||
           kind == WEFT_COLL_SCATTER;
}
