/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * InfraGraph documents (Keysight, schema 2): devices made of components and of other devices,
 * instances of them, and what joins them. Read and expanded to a graph of components here;
 * flattened to a fabric in infragraph_file.c.
 */
#ifndef WEFT_TOPOLOGY_INFRAGRAPH_H
#define WEFT_TOPOLOGY_INFRAGRAPH_H

#include "base/arena.h"
#include "base/tree.h"
#include "topologies/fabric.h"

#include <stdbool.h>

/** Most components of a document once expanded, and most edges. */
#define WEFT_INFRA_VERTICES_MAX (UINT32_C(1) << 20)
#define WEFT_INFRA_EDGES_MAX (UINT32_C(1) << 22)
#define WEFT_INFRA_NONE UINT32_MAX

/** What a component is. */
enum weft_infra_kind {
    WEFT_INFRA_CUSTOM,
    WEFT_INFRA_DEVICE,
    WEFT_INFRA_CPU,
    WEFT_INFRA_XPU,
    WEFT_INFRA_NIC,
    WEFT_INFRA_MEMORY,
    WEFT_INFRA_PORT,
    WEFT_INFRA_SWITCH,
    WEFT_INFRA_KINDS
};

/** A component, "host.0.nvsw.0". */
struct weft_infra_vertex {
    const char *name;
    const char *component; /**< "nvsw" */
    enum weft_infra_kind kind;
    uint32_t box;  /**< the instance that it is in */
    uint32_t rank; /**< from an annotation, or NONE */
};

/** A sort of link. */
struct weft_infra_link {
    const char *name;
    double bps; /**< 0: not given */
    double ps;  /**< delay; below 0: not given */
    double loss;
    uint32_t used; /**< edges */
    const struct weft_tree *at;
};

/** Two components joined. */
struct weft_infra_edge {
    uint32_t a, b, link;
    bool outer; /**< of the infrastructure: between instances */
};

/** An instance of a device in the infrastructure. */
struct weft_infra_box {
    const char *name; /**< "host.0" */
    const char *instance, *device;
    uint32_t first, n; /**< its vertices */
    int role;          /**< annotation device_type: 1 host, 0 switch, -1 none */
};

/** The graph. */
struct weft_infra {
    const char *name, *file;
    struct weft_infra_vertex *v;
    struct weft_infra_edge *e;
    struct weft_infra_link *links;
    struct weft_infra_box *boxes;
    uint32_t nv, ne, nlinks, nboxes;
};

/** Reads and expands the document; everything lives in @p a. */
int weft_infra_read(const char *file, struct weft_arena *a, struct weft_infra *out,
                    struct weft_err *err);

/** Takes over what a document's annotations say, infragraph_notes.c. */
int weft_infra_annotate(struct weft_infra *g, const struct weft_tree *notes, struct weft_err *err);

/** Gives a fabric that is not finished its dimensions, infragraph_dims.c: accelerators are its
 * nodes 0 to n - 1, each in the host box[i]; links within hosts are in dimension 0, those to others
 * in 1.
 */
int weft_infra_dimensions(struct weft_fabric *f, const uint32_t *box, uint32_t n,
                          struct weft_err *err);

#endif
