/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * split: communication of more than so many bytes becomes several operations, which wait for the
 * same and are waited for together. The first part keeps the operation's id, so that parts match
 * across ranks in the order of their operations.
 */
#include "workload/whatif/edit.h"
#include "workload/whatif/select.h"
#include "workload/whatif/transform.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PARTS_MAX 65536u /* of one operation */

struct split {
    struct weft_select select;
    uint64_t size_bytes;
};

static const struct weft_param params[] = {
    {WEFT_ROW_SIZE(struct split, size_bytes, "size", NULL, "1B", NULL),
     .help = "most bytes of a part; the last part has the rest"},
    WEFT_SELECT_OP(struct split),
    WEFT_SELECT_KIND(struct split, "collective"),
    WEFT_SELECT_COLLECTIVE_PARAMS(struct split),
};

/* A part of node i: its attributes with another size. */
static int split_part(struct weft_edit *e, uint32_t i, uint64_t number, uint64_t bytes,
                      uint64_t *id, struct weft_err *err)
{
    const struct weft_et_node *whole = &e->et->nodes[i];
    char suffix[24];
    snprintf(suffix, sizeof suffix, ".%" PRIu64, number);
    struct weft_et_node *more = weft_edit_beside(e, i, whole->type, suffix, err);
    struct weft_et_attr *attrs =
        more ? weft_arena_calloc(e->arena, whole->nattrs, sizeof *attrs) : NULL;
    if (!attrs)
        return weft_err_no_memory(err, "a trace");
    memcpy(attrs, whole->attrs, whole->nattrs * sizeof *attrs);
    more->attrs = attrs;
    more->nattrs = whole->nattrs;
    more->start_us = whole->start_us;
    *id = more->id;
    return weft_node_set_u64(more, e->arena, "comm_size", bytes, err);
}

static int split_node(const struct split *p, struct weft_edit *e, uint32_t i, struct weft_err *err)
{
    struct weft_et_node *node = &e->et->nodes[i];
    const uint64_t bytes = weft_node_bytes(node), n = (bytes - 1) / p->size_bytes + 1;
    if (n > PARTS_MAX)
        return weft_et_node_err(err, WEFT_E_LIMIT, e->et, node,
                                "%" PRIu64 " bytes would be cut into %" PRIu64
                                " parts; at most %u are made",
                                bytes, n, PARTS_MAX);
    uint64_t *ids = malloc(n * sizeof *ids);
    if (!ids)
        return weft_err_no_memory(err, "a trace");
    int rc = 0;
    ids[0] = node->id;
    for (uint64_t k = 1; !rc && k < n; k++)
        rc = split_part(e, i, k, k + 1 < n ? p->size_bytes : bytes - k * p->size_bytes, &ids[k],
                        err);
    if (!rc)
        rc = weft_node_set_u64(node, e->arena, "comm_size", p->size_bytes, err);
    if (!rc)
        rc = weft_edit_instead(e, i, ids, n, err);
    free(ids);
    return rc;
}

static int apply(struct weft_transform *t, uint32_t rank, struct weft_et *et,
                 struct weft_arena *arena, struct weft_err *err)
{
    const struct split *p = t->params;
    struct weft_edit e = {0};
    int rc = weft_edit_start(&e, et, arena, err);
    for (uint32_t k = 0; !rc && k < e.n; k++) {
        const uint32_t i = e.by_id[k]; /* new ids go up as those of what is cut */
        const struct weft_et_node *node = &et->nodes[i];
        if (node->type < WEFT_ET_COMM_SEND_NODE || weft_node_bytes(node) <= p->size_bytes ||
            !weft_select_node(&p->select, node))
            continue;
        rc = weft_et_find(node, "comm_send_sizes")
                 ? weft_et_node_err(err, WEFT_E_INPUT, et, node,
                                    "it has sizes per member, and cannot be split: leave it out "
                                    "with op, group or collective")
                 : split_node(p, &e, i, err);
        t->touched++;
    }
    if (!rc)
        rc = weft_edit_finish(&e, err);
    weft_edit_end(&e);
    return rc;
}

const struct weft_transform_ops weft_transform_split = {
    .name = "split",
    .title = "large communication cut into parts",
    .source = "Jayarajan et al., P3, MLSys 2019; Peng et al., ByteScheduler, SOSP 2019",
    .params = WEFT_PARAM_TABLE(params, struct split),
    .apply = apply,
};
