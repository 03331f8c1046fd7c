/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The table of topologies, made from topology_table.def.
 */
#include "topologies/topology.h"
#include "topologies/topology_keys.h"

#include "base/family.h"

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
WEFT_FAMILY(weft_topology, "topology")

bool weft_topology_has_key(const struct weft_fabric *f, const char *key)
{
    for (uint32_t d = 0; d < f->ndims; d++) {
        const struct weft_topology_ops *ops = weft_topology_find(f->dims[d].kind, NULL);
        if (ops && weft_params_find(&ops->params, key))
            return true;
    }
    return false;
}
