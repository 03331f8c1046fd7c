/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Plug-ins that are loaded at run time (weft --plugin FILE): a shared object with members of
 * families that weft's own members are written to as well.
 *
 *   #include "base/plugin.h"
 *   #include "congestion/cc.h"
 *   static const struct weft_cc_ops mine = {.name = "mine", ...};
 *   WEFT_PLUGINS(WEFT_PLUGIN_CC(mine));
 *
 * It may call what the interfaces of its family name; the program exports these functions.
 */
#ifndef WEFT_BASE_PLUGIN_H
#define WEFT_BASE_PLUGIN_H

#include "base/err.h"
#include "base/param.h"

WEFT_C_BEGIN

/** Version of all interfaces below: a change of any of their structs is another. */
#define WEFT_PLUGIN_ABI 2
/** Most members of a family that may be added. */
#define WEFT_PLUGIN_ROOM 64

/** Families. */
enum weft_plugin_family {
    WEFT_PLUGIN_FAMILY_CC,         /**< struct weft_cc_ops, congestion/cc.h */
    WEFT_PLUGIN_FAMILY_TOPOLOGY,   /**< struct weft_topology_ops, topologies/topology.h */
    WEFT_PLUGIN_FAMILY_COLLECTIVE, /**< struct weft_coll_ops, collective/collective.h */
    WEFT_PLUGIN_FAMILY_WORKLOAD,   /**< struct weft_workload_ops, workload/workload.h */
    WEFT_PLUGIN_FAMILY_BALANCER,   /**< struct weft_balancer_ops, topologies/balancer.h */
    WEFT_PLUGIN_FAMILIES
};

/** A member of a family. */
struct weft_plugin {
    enum weft_plugin_family family;
    size_t size; /**< of its struct */
    const void *ops;
};

/** What a file has: its symbol `weft_plugins`. */
struct weft_plugin_file {
    uint32_t abi;        /**< WEFT_PLUGIN_ABI */
    uint32_t param_size; /**< sizeof(struct weft_param) */
    const struct weft_plugin *list;
    size_t n;
};

#define WEFT_PLUGIN_CC(o)                                                                          \
    {                                                                                              \
        WEFT_PLUGIN_FAMILY_CC, sizeof(struct weft_cc_ops), &(o)                                    \
    }
#define WEFT_PLUGIN_TOPOLOGY(o)                                                                    \
    {                                                                                              \
        WEFT_PLUGIN_FAMILY_TOPOLOGY, sizeof(struct weft_topology_ops), &(o)                        \
    }
#define WEFT_PLUGIN_COLLECTIVE(o)                                                                  \
    {                                                                                              \
        WEFT_PLUGIN_FAMILY_COLLECTIVE, sizeof(struct weft_coll_ops), &(o)                          \
    }
#define WEFT_PLUGIN_WORKLOAD(o)                                                                    \
    {                                                                                              \
        WEFT_PLUGIN_FAMILY_WORKLOAD, sizeof(struct weft_workload_ops), &(o)                        \
    }
#define WEFT_PLUGIN_BALANCER(o)                                                                    \
    {                                                                                              \
        WEFT_PLUGIN_FAMILY_BALANCER, sizeof(struct weft_balancer_ops), &(o)                        \
    }
/** The members of a file, once. */
#define WEFT_PLUGINS(...)                                                                          \
    static const struct weft_plugin weft_plugin_list[] = {__VA_ARGS__};                            \
    extern const struct weft_plugin_file weft_plugins;                                             \
    const struct weft_plugin_file weft_plugins = {                                                 \
        WEFT_PLUGIN_ABI, sizeof(struct weft_param), weft_plugin_list,                              \
        sizeof weft_plugin_list / sizeof *weft_plugin_list}

/** Whether a member called @p name may be added to the @p n of a table with room for @p room.
 * WEFT_E_INPUT: it has no name of small letters, digits and '-', or one that is taken. */
int weft_plugin_check_name(const char *name, weft_name_of_fn name_of, size_t n, size_t room,
                           const char *what, struct weft_err *err);
/** Remembers a file that was loaded, for run.json. */
int weft_plugin_note_file(const char *path, struct weft_err *err);
/** The files that were loaded, *@p n of them, by their absolute paths. */
const char *const *weft_plugin_files(size_t *n);

WEFT_C_END
#endif
