/* SPDX-License-Identifier: GPL-2.0-only */
/* Families of plug-ins behind one interface: topologies, backends, congestion controls, workloads.
 */
#include "scenario/families.h"
#include "congestion/cc_table.h"

#include <stdio.h>
#include <string.h>

const struct weft_family weft_families[WEFT_FAMILIES] = {
    [WEFT_FAMILY_TOPOLOGY] = {"topology", "type", "topology"},
    [WEFT_FAMILY_NETWORK] = {"network", "backend", "network backend"},
    [WEFT_FAMILY_CC] = {"congestion-control", "name", "congestion control"},
    [WEFT_FAMILY_WORKLOAD] = {"workload", "type", "workload"},
};

const struct weft_param_table weft_no_params = WEFT_PARAM_TABLE_NONE;

size_t weft_family_size(enum weft_family_id id, const struct weft_backends *b)
{
    size_t n = 0;
    switch (id) {
    case WEFT_FAMILY_TOPOLOGY:
        weft_topology_table(&n);
        break;
    case WEFT_FAMILY_NETWORK:
        n = b->n;
        break;
    case WEFT_FAMILY_CC:
        weft_cc_table(&n);
        break;
    case WEFT_FAMILY_WORKLOAD:
        weft_workload_table(&n);
        break;
    case WEFT_FAMILIES:
        break;
    }
    return n;
}

struct weft_plugin weft_family_member(enum weft_family_id id, const struct weft_backends *b,
                                      size_t i)
{
    size_t n;
    switch (id) {
    case WEFT_FAMILY_TOPOLOGY: {
        const struct weft_topology_ops *t = weft_topology_table(&n)[i];
        return (struct weft_plugin){t->name, t->title, &t->params, t};
    }
    case WEFT_FAMILY_NETWORK: {
        const struct weft_net_backend *t = b->list[i];
        return (struct weft_plugin){t->name, t->title, &weft_no_params, t};
    }
    case WEFT_FAMILY_CC: {
        const struct weft_cc_ops *t = weft_cc_table(&n)[i];
        return (struct weft_plugin){t->name, t->title, &t->params, t};
    }
    case WEFT_FAMILY_WORKLOAD: {
        const struct weft_workload_ops *t = weft_workload_table(&n)[i];
        return (struct weft_plugin){t->name, t->title, &t->params, t};
    }
    case WEFT_FAMILIES:
        break;
    }
    return (struct weft_plugin){0};
}

int weft_family_find(enum weft_family_id id, const struct weft_backends *b, const char *name,
                     struct weft_plugin *out, struct weft_err *err)
{
    enum { MAX_NAMES = 128 };
    const char *names[MAX_NAMES];
    char all[512];
    size_t n = weft_family_size(id, b);
    if (n > MAX_NAMES)
        n = MAX_NAMES;
    for (size_t i = 0; i < n; i++) {
        struct weft_plugin p = weft_family_member(id, b, i);
        if (strcmp(p.name, name) == 0) {
            *out = p;
            return 0;
        }
        names[i] = p.name;
    }
    const struct weft_cc_ops *owner = id == WEFT_FAMILY_CC ? weft_cc_preset_owner(name) : NULL;
    if (owner)
        return weft_err_set(err, WEFT_E_INPUT,
                            "'%s' is a preset of %s: congestion-control.name=%s "
                            "congestion-control.preset=%s",
                            name, owner->name, owner->name, name);
    const char *near = weft_nearest(name, names, n);
    if (near)
        return weft_err_set(err, WEFT_E_INPUT, "unknown %s '%s'; did you mean '%s'?",
                            weft_families[id].what, name, near);
    return weft_err_set(err, WEFT_E_INPUT,
                        "unknown %s '%s'; there are: %s (--plugin FILE adds those of a file)",
                        weft_families[id].what, name, weft_names_joined(all, sizeof all, names, n));
}
