/* SPDX-License-Identifier: GPL-2.0-only */
/* A document of InfraGraph while it is read: between infragraph_read.c, which expands it, and
 * infragraph_ends.c, which finds what its edges name. */
#ifndef WEFT_TOPOLOGY_INFRAGRAPH_READER_H
#define WEFT_TOPOLOGY_INFRAGRAPH_READER_H

#include "topologies/infragraph.h"

#include <stdlib.h>

/* What a device has under one component name: so many vertices or boxes, one after the other. */
struct infra_part {
    const struct weft_tree *at; /* the component */
    const char *name;
    uint32_t first, n; /* places in `members` */
};

/* A device, wherever it is used. */
struct infra_box {
    const struct weft_tree *device;
    struct infra_part *parts;
    uint32_t nparts;
};

/* A list of vertices or boxes. */
struct infra_list {
    uint32_t *id;
    uint32_t n, cap;
};

struct infra_reader {
    struct weft_infra *g;
    struct weft_arena *arena;
    struct weft_err *err;
    const struct weft_tree *root, *devices;
    struct infra_box *boxes; /* all, nested ones too */
    uint32_t nboxes, boxes_cap, v_cap, e_cap;
    struct infra_list
        members;   /* what parts name: a vertex, or a box by `nested` of its component */
    uint32_t *top; /* per instance: its box */
};

#define infra_fail(r, t, ...) weft_tree_err((t), (r)->g->file, (r)->err, __VA_ARGS__)

#pragma GCC visibility push(hidden)

/** Adds to a list. */
int infra_push(struct infra_reader *r, struct infra_list *l, uint32_t id);
/** "name", "name[3]", "name[a:b]", "name[a:b:step]", "name[:]": from, to (exclusive) and step, of
 * @p n. */
int infra_slice(struct infra_reader *r, const struct weft_tree *t, const char *text, size_t len,
                uint32_t n, uint32_t out[3]);
/** The components of one end of an edge; @p boxes are where it looks. */
int infra_end_of(struct infra_reader *r, const struct weft_tree *ep, const struct infra_list *boxes,
                 struct infra_list *out);

#pragma GCC visibility pop

#endif
