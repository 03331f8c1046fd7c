/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The table of topologies, made from topology_table.def.
 */
#include "topologies/topology.h"
#include "topologies/topology_keys.h"

#include "base/plugin.h"

#define WEFT_TOPOLOGY(x) extern const struct weft_topology_ops weft_topology_##x;
#include "topology_table.def"
#undef WEFT_TOPOLOGY

/* Their number. */
enum {
#define WEFT_TOPOLOGY(x) TABLE_OF_##x,
#include "topology_table.def"
#undef WEFT_TOPOLOGY
    TABLE_OWN
};

/* Those of the program, then those that are loaded at run time. */
static const struct weft_topology_ops *table[TABLE_OWN + WEFT_PLUGIN_ROOM] = {
#define WEFT_TOPOLOGY(x) &weft_topology_##x,
#include "topology_table.def"
#undef WEFT_TOPOLOGY
};
static size_t table_n = TABLE_OWN;

const struct weft_topology_ops *const *weft_topology_table(size_t *n)
{
    *n = table_n;
    return table;
}

static const char *topology_table_name_of(size_t i)
{
    return table[i]->name;
}

const struct weft_topology_ops *weft_topology_find(const char *name, struct weft_err *err)
{
    const size_t i = weft_find_named(name, topology_table_name_of, table_n, "topology", err);
    return i < table_n ? table[i] : NULL;
}

int weft_topology_add(const struct weft_topology_ops *ops, struct weft_err *err)
{
    const int rc = weft_plugin_check_name(ops->name, topology_table_name_of, table_n,
                                          sizeof table / sizeof *table, "topology", err);
    if (!rc)
        table[table_n++] = ops;
    return rc;
}

bool weft_topology_has_key(const struct weft_fabric *f, const char *key)
{
    for (uint32_t d = 0; d < f->ndims; d++) {
        const struct weft_topology_ops *ops = weft_topology_find(f->dims[d].kind, NULL);
        if (ops && weft_params_find(&ops->params, key))
            return true;
    }
    return false;
}
