/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Fabrics as lists of dimensions, innermost first.
 *
 * A generator describes its dimensions (struct weft_dimension) and how one instance of each is
 * wired over given NPUs. weft_compose makes the hosts, finds the NPUs of every instance, wires them
 * all and finishes the fabric. A generator on its own is a fabric of its dimensions; the topology
 * "multi" strings the dimensions of several generators together.
 */
#ifndef WEFT_TOPOLOGY_COMPOSE_H
#define WEFT_TOPOLOGY_COMPOSE_H

#include "base/list.h"
#include "topologies/build.h"
#include "topologies/topology.h"

WEFT_C_BEGIN

/** Most hosts of a composed fabric. */
#define WEFT_COMPOSE_HOSTS_MAX (UINT32_C(1) << 20)

/** One dimension before it is wired. */
struct weft_dimension {
    struct weft_fabric_dim about;
    /** Adds the switches and links of one instance over the NPUs npus[0 .. n-1]. */
    void (*wire)(struct weft_build *b, const struct weft_dimension *d, const uint32_t *npus,
                 uint32_t n);
    const void *params; /**< the generator's */
    uint32_t axis;      /**< which of the generator's dimensions this is */
};

/** Dimensions in the making. */
struct weft_dimensions {
    struct weft_dimension list[WEFT_FABRIC_DIMS_MAX];
    uint32_t n;
    uint64_t npus; /**< the product of the sizes so far: the NPUs inside the next dimension */
};

/** Appends one; fails when there are too many, or too many hosts. */
int weft_dimensions_add(struct weft_dimensions *ds, const struct weft_dimension *d,
                        struct weft_err *err);
/**
 * Appends a dimension that spans and has @p endpoints NPU ports: its size is endpoints divided by
 * the NPUs inside it.
 */
int weft_dimensions_add_spanning(struct weft_dimensions *ds, struct weft_dimension *d,
                                 uint64_t endpoints, struct weft_err *err);
/** Builds and finishes the fabric. */
int weft_compose(const struct weft_dimensions *ds, struct weft_fabric **out, struct weft_err *err);
/** How shapes are written: of parameters that are one. */
extern const struct weft_list_form weft_shape_form;
/** Reads "4x4x2" into sizes of 2 and more each; *n receives how many. */
int weft_parse_shape(const char *text, uint32_t sizes[WEFT_FABRIC_DIMS_MAX], uint32_t *n,
                     struct weft_err *err);

/** What the links of a direct dimension, or from NPUs to the switch of one, are like. */
struct weft_npu_links {
    uint64_t links;
    uint64_t rate_bps;
    int64_t delay_ps;
};
/** The rows of a parameter table for a field `struct weft_npu_links wire` of @p owner. */
#define WEFT_NPU_LINKS_PARAMS(owner, what)                                                         \
    WEFT_WIRE_PARAMS(owner, wire, "", "400Gbps", "every link", "every link", NULL),                \
    {                                                                                              \
        WEFT_ROW_U64(owner, wire.links, "links", "1", "1", "64"), .help = "parallel links " what   \
    }

/** The parameter row for a field `int hosts_forward` of @p owner. */
#define WEFT_HOSTS_FORWARD_PARAM(owner)                                                            \
    {                                                                                              \
        WEFT_ROW_BOOL(owner, hosts_forward, "hosts-forward", "false"),                             \
            .help = "NPUs may forward packets for others when links fail; else pairs that only "   \
                    "NPUs would join are cut off. In rings, meshes, and where dimensions are "     \
                    "joined through NPUs alone, they forward anyway"                               \
    }

/** Adds the parallel links of one pair. */
static inline void weft_wire_pair(struct weft_build *b, const struct weft_npu_links *w, uint32_t x,
                                  uint32_t y, bool dateline)
{
    b->link.dateline = dateline;
    for (uint64_t i = 0; i < w->links; i++)
        weft_build_link(b, x, y, (struct weft_build_wire){w->rate_bps, w->delay_ps});
    b->link.dateline = false;
}

WEFT_C_END
#endif
