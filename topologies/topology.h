/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The topology interface: one generator or reader is one struct weft_topology_ops in one file,
 * listed in topology_table.def. `build` turns parameters into a finished fabric.
 */
#ifndef WEFT_TOPOLOGY_H
#define WEFT_TOPOLOGY_H

#include "base/param.h"
#include "fabric.h"

WEFT_C_BEGIN

struct weft_dimensions;

/** One generator or reader. */
struct weft_topology_ops {
    const char *name;   /**< what users type: "leaf-spine" */
    const char *title;  /**< one line for lists */
    const char *source; /**< paper or format it follows, NULL when weft's own */
    struct weft_param_table params;
    /** Builds and finishes the fabric into *out (caller frees). @p params points to the filled
     * struct. Optional with `dimensions`: the fabric of these dimensions. Callers use
     * weft_topology_build. */
    int (*build)(const void *params, struct weft_fabric **out, struct weft_err *err);
    /** Optional with `build`: appends what these parameters mean as dimensions (compose.h), so that
     * the generator can be part of a fabric of several. @p params must outlive @p to. */
    int (*dimensions)(const void *params, struct weft_dimensions *to, struct weft_err *err);
    /** Optional: what the dimensions of the fabric set for themselves, without building it. *n
     * receives how many there are. Without it: nothing. */
    int (*settings)(const void *params, struct weft_dim_settings list[WEFT_FABRIC_DIMS_MAX],
                    uint32_t *n, struct weft_err *err);
};

/** The finished fabric of @p ops under the filled @p params, in *out; the caller frees it. */
int weft_topology_build(const struct weft_topology_ops *ops, const void *params,
                        struct weft_fabric **out, struct weft_err *err);
/** All topologies, in the order of topology_table.def; *n receives their number. */
const struct weft_topology_ops *const *weft_topology_table(size_t *n);
/** The topology called @p name; on an unknown name NULL, and *err names the nearest. */
const struct weft_topology_ops *weft_topology_find(const char *name, struct weft_err *err);
/** Adds a struct weft_topology_ops that was loaded at run time (base/plugin.h). */
int weft_topology_add(const void *ops, struct weft_err *err);

WEFT_C_END
#endif
