/* SPDX-License-Identifier: GPL-2.0-only */
/* One layer of a table: a computation forward, one for the gradients of its inputs, one for those
 * of its weights. */
#include "workload/training/graph.h"

#include <stdio.h>

static const char *label(const struct weft_training_graph *g, uint64_t layer, const char *part,
                         char *buf, size_t size)
{
    snprintf(buf, size, "%s.%s", g->plan->layered.layer[layer].name, part);
    return buf;
}

uint64_t weft_graph_layer_forward(struct weft_training_graph *g, uint64_t layer, uint64_t x)
{
    char buf[64];
    return weft_graph_compute(g, weft_training_layer_cost(g->plan, layer).forward_s,
                              label(g, layer, "fwd", buf, sizeof buf), x, WEFT_NO_NODE);
}

uint64_t weft_graph_layer_backward(struct weft_training_graph *g, uint64_t layer,
                                   enum weft_pass_kind kind, uint64_t x, uint64_t *weights)
{
    const struct weft_part_cost c = weft_training_layer_cost(g->plan, layer);
    char buf[64];
    if (kind != WEFT_PASS_WEIGHTS)
        x = weft_graph_compute(g, c.inputs_s, label(g, layer, "i", buf, sizeof buf), x,
                               WEFT_NO_NODE);
    if (kind != WEFT_PASS_INPUTS)
        *weights = weft_graph_compute(g, c.weights_s, label(g, layer, "w", buf, sizeof buf), x,
                                      WEFT_NO_NODE);
    return x;
}
