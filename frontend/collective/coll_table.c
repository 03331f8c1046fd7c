/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The table of collective algorithms, made from coll_table.def, and the facts about kinds.
 */
#include "collective/collective.h"

#include "base/family.h"

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
WEFT_FAMILY(weft_coll, "collective algorithm")

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
