/* SPDX-License-Identifier: GPL-2.0-only */
/* Scales durations and sizes of operations by a factor. */
#include "workload/whatif/stretch.h"

#include <math.h>
#include <string.h>

#define MOST 9e18 /* of a size or duration, below 2^63 */

/* One rank's operations, one after the other. */
struct stretch {
    double factor;
    double carry_us;  /* what rounding to microseconds left over so far */
    uint64_t touched; /* operations changed */
};

static uint64_t scaled(const void *ctx, uint64_t value)
{
    const double factor = *(const double *)ctx, x = (double)value * factor;
    if (factor == 1) /* exact beyond the digits of a double */
        return value;
    if (x >= MOST)
        return (uint64_t)MOST;
    return x > 0 && x < 1 ? 1 : (uint64_t)llround(x);
}

static int too_large(const struct weft_et *et, const struct weft_et_node *node, const char *what,
                     struct weft_err *err)
{
    return weft_et_node_err(err, WEFT_E_LIMIT, et, node, "its %s would be over 9e18", what);
}

/* A duration; the carry is rounded into it. */
static int duration(struct stretch *s, const struct weft_et *et, struct weft_et_node *node,
                    struct weft_err *err)
{
    const double x = (double)node->duration_us * s->factor + s->carry_us;
    if (node->duration_us == 0 || s->factor == 1)
        return 0;
    if (x >= MOST)
        return too_large(et, node, "duration", err);
    node->duration_us = x > 0 ? (uint64_t)llround(x) : 0;
    s->carry_us = x - (double)node->duration_us;
    return 0;
}

static int work(const struct stretch *s, struct weft_et_node *node, struct weft_arena *arena,
                const char *name, struct weft_err *err)
{
    for (size_t i = node->nattrs; i > 0; i--) {
        struct weft_et_attr *a = &node->attrs[i - 1];
        if (strcmp(a->name, name) != 0)
            continue;
        if (a->kind == WEFT_ET_DOUBLE || a->kind == WEFT_ET_FLOAT) {
            a->value.f64 *= s->factor;
            return 0;
        }
        const uint64_t value = weft_node_u64(node, name, UINT64_MAX);
        return value == UINT64_MAX
                   ? 0
                   : weft_node_set_u64(node, arena, name, scaled(&s->factor, value), err);
    }
    return 0;
}

static int stretch_node(struct stretch *s, const struct weft_et *et, struct weft_et_node *node,
                        struct weft_arena *arena, struct weft_err *err)
{
    int rc = 0;
    switch (node->type) {
    case WEFT_ET_COMP_NODE:
    case WEFT_ET_MEM_LOAD_NODE:
    case WEFT_ET_MEM_STORE_NODE:
        rc = duration(s, et, node, err);
        if (!rc)
            rc = work(s, node, arena, "num_ops", err);
        if (!rc)
            rc = work(s, node, arena, "tensor_size", err);
        break;
    case WEFT_ET_COMM_SEND_NODE:
    case WEFT_ET_COMM_RECV_NODE:
    case WEFT_ET_COMM_COLL_NODE:
        if ((double)weft_node_bytes(node) * s->factor >= MOST)
            return too_large(et, node, "size", err);
        rc = weft_node_map_bytes(node, arena, scaled, &s->factor, err);
        break;
    default:
        return 0;
    }
    s->touched++;
    return rc;
}

int weft_stretch_apply(struct weft_transform *t, const struct weft_select *select, double factor,
                       uint32_t rank, struct weft_et *et, struct weft_arena *arena,
                       struct weft_err *err)
{
    struct stretch s = {.factor = factor};
    int rc = 0;
    if (!weft_select_rank(select, rank))
        return 0;
    for (size_t i = 0; !rc && i < et->nnodes; i++)
        if (weft_select_node(select, &et->nodes[i]))
            rc = stretch_node(&s, et, &et->nodes[i], arena, err);
    t->touched += s.touched;
    return rc;
}
