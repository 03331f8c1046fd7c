/* SPDX-License-Identifier: GPL-2.0-only */
/* A parameter server's iterations: buckets in the order in which workers fill them. */
#include "workload/training/graph.h"

#include <inttypes.h>
#include <stdio.h>

int weft_graph_server(struct weft_training_graph *g)
{
    for (g->iteration = 0; g->iteration < g->plan->p.iterations; g->iteration++) {
        snprintf(g->where, sizeof g->where, "it%" PRIu64, g->iteration);
        if (weft_graph_sharding_start(g, NULL, 0))
            return -1;
        /* The order of the workers' backward passes. */
        weft_graph_gradients(g, g->units - 1, true, WEFT_NO_NODE);
        for (uint64_t u = g->units - 2; u-- > 0;)
            weft_graph_gradients(g, u, true, WEFT_NO_NODE);
        weft_graph_gradients(g, g->units - 2, true, WEFT_NO_NODE);
        weft_graph_iteration_end(g);
    }
    return 0;
}
