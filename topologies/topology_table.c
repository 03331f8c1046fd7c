/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The table of topologies, made from topology_table.def.
 */
#include "topologies/topology.h"

#include <string.h>

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

const struct weft_topology_ops *weft_topology_find(const char *name, struct weft_err *err)
{
    const char *names[TABLE_N];
    for (size_t i = 0; i < TABLE_N; i++) {
        if (strcmp(table[i]->name, name) == 0)
            return table[i];
        names[i] = table[i]->name;
    }
    const char *near = weft_nearest(name, names, TABLE_N);
    if (near)
        weft_err_set(err, WEFT_E_INPUT, "unknown topology '%s'; did you mean '%s'?", name, near);
    else
        weft_err_set(err, WEFT_E_INPUT, "unknown topology '%s'; `weft list` shows all of them",
                     name);
    return NULL;
}
