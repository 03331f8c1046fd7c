/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The table of topologies, made from topology_table.def.
 */
#include "topologies/topology.h"
#include "topologies/topology_keys.h"

#define WEFT_TOPOLOGY(x) extern const struct weft_topology_ops weft_topology_##x;
#include "topology_table.def"
#undef WEFT_TOPOLOGY

static const struct weft_topology_ops *const table[] = {
#define WEFT_TOPOLOGY(x) &weft_topology_##x,
#include "topology_table.def"
#undef WEFT_TOPOLOGY
};

#define TABLE_N (sizeof(table) / sizeof(table[0]))

const struct weft_topology_ops *const *weft_topology_table(size_t *n)
{
    *n = TABLE_N;
    return table;
}

static const char *topology_table_name_of(size_t i)
{
    return table[i]->name;
}

const struct weft_topology_ops *weft_topology_find(const char *name, struct weft_err *err)
{
    const size_t i = weft_find_named(name, topology_table_name_of, TABLE_N, "topology", err);
    return i < TABLE_N ? table[i] : NULL;
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
