/* SPDX-License-Identifier: GPL-2.0-only */
/* Distributions of sizes and times of a trace in bins, and numbers drawn from them. */
#include "workload/whatif/profile.h"

#include "base/rng.h"
#include "workload/whatif/select.h"

#include <math.h>

uint32_t weft_profile_bin(double value)
{
    const double x = value > 1 ? log2(value) * WEFT_PROFILE_PER_OCTAVE : 0;
    return x < WEFT_PROFILE_BINS - 1 ? (uint32_t)x : WEFT_PROFILE_BINS - 1;
}

/* Counts a value; 0 is not counted. */
static void profile_add(struct weft_profile *p, unsigned quantity, double value)
{
    if (!(value > 0) || quantity >= WEFT_QUANTITIES)
        return;
    const uint32_t bin = weft_profile_bin(value);
    p->bins[quantity][bin].count++;
    p->bins[quantity][bin].sum += value;
}

double weft_profile_attr(const struct weft_et_node *node, const char *name)
{
    const struct weft_et_attr *a = weft_et_find(node, name);
    if (a && (a->kind == WEFT_ET_DOUBLE || a->kind == WEFT_ET_FLOAT))
        return a->value.f64;
    return (double)weft_node_u64(node, name, 0);
}

static void add_sizes(struct weft_profile *p, const struct weft_et_node *node, const char *name)
{
    const struct weft_et_attr *a = weft_et_find(node, name);
    for (size_t i = 0; a && a->kind % 2 == 0 && i < a->nvalues; i++)
        profile_add(p, WEFT_QUANTITY_COLLECTIVE + 6, (double)a->values[i].u64);
}

void weft_profile_node(struct weft_profile *p, const struct weft_et_node *node)
{
    const double bytes = (double)weft_node_u64(node, "comm_size", 0);
    switch (node->type) {
    case WEFT_ET_COMP_NODE:
        profile_add(p, WEFT_QUANTITY_COMPUTE, (double)node->duration_us);
        profile_add(p, WEFT_QUANTITY_WORK, weft_profile_attr(node, "num_ops"));
        profile_add(p, WEFT_QUANTITY_TENSOR, weft_profile_attr(node, "tensor_size"));
        break;
    case WEFT_ET_MEM_LOAD_NODE:
    case WEFT_ET_MEM_STORE_NODE:
        profile_add(p, WEFT_QUANTITY_MEMORY, (double)node->duration_us);
        profile_add(p, WEFT_QUANTITY_TENSOR, weft_profile_attr(node, "tensor_size"));
        break;
    case WEFT_ET_COMM_SEND_NODE:
        profile_add(p, WEFT_QUANTITY_MESSAGE, bytes);
        break;
    case WEFT_ET_COMM_COLL_NODE:
        if (weft_node_u64(node, "comm_type", 0) < WEFT_QUANTITY_MESSAGE)
            profile_add(p, (unsigned)weft_node_u64(node, "comm_type", 0), bytes);
        add_sizes(p, node, "comm_send_sizes");
        break;
    default:
        break;
    }
}

double weft_profile_draw(const struct weft_profile *p, unsigned quantity, double value, double blur,
                         uint64_t seed, uint64_t key)
{
    if (!(value > 0) || quantity >= WEFT_QUANTITIES)
        return value;
    const uint32_t bin = weft_profile_bin(value);
    const double n = p->bins[quantity][bin].count;
    const double mean = n > 0 ? p->bins[quantity][bin].sum / n : value;
    struct weft_rng r = weft_rng_stream(seed, "synthesis", key);
    return mean * (1 + blur * (2 * weft_rng_f64(&r) - 1));
}
