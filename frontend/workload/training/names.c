/* SPDX-License-Identifier: GPL-2.0-only */
/* What communicators are called in traces, and who is in them. */
#include "workload/training/graph.h"
#include "workload/training/training.h"

#include <inttypes.h>
#include <stdio.h>

void weft_graph_describe_groups(struct weft_training_graph *g)
{
    const struct weft_training_plan *q = g->plan;
    size_t len = 0, cap = 64;
    for (int c = 0; c < WEFT_COMM_WORLD; c++)
        cap += 64 + 12 * weft_comm_size(q, (enum weft_comm)c);
    char *text = weft_arena_alloc(g->arena, cap);
    if (!text) {
        g->b.out_of_memory = true;
        return;
    }
    len += (size_t)snprintf(text + len, cap - len, "['[");
    for (int c = 0; c < WEFT_COMM_WORLD; c++) {
        const enum weft_comm comm = (enum weft_comm)c;
        const uint64_t n = weft_comm_size(q, comm);
        if (n < 2 || !*g->group[c])
            continue;
        const uint64_t index = weft_comm_index(q, comm, g->rank);
        len += (size_t)snprintf(
            text + len, cap - len, "%s{\"pg_name\": \"%s\", \"pg_desc\": \"%s\", \"ranks\": [",
            text[len - 1] == '}' ? ", " : "", g->group[c], weft_comm_name(comm));
        for (uint64_t i = 0; i < n; i++)
            len += (size_t)snprintf(text + len, cap - len, "%s%" PRIu64, i ? ", " : "",
                                    weft_comm_member(q, comm, index, i));
        len += (size_t)snprintf(text + len, cap - len, "]}");
    }
    snprintf(text + len, cap - len, "]']");
    weft_et_build_node(&g->b, g->next++, WEFT_ET_METADATA_NODE, "## process_group:init ##", 0);
    if (!g->b.out_of_memory) {
        g->b.node->inputs.present = true;
        g->b.node->inputs.values = text;
    }
}

uint64_t weft_comm_number(const struct weft_training_plan *q, enum weft_comm comm, uint64_t index)
{
    uint64_t number = 1 + index;
    for (int c = 0; c < (int)comm; c++)
        if (weft_comm_size(q, (enum weft_comm)c) > 1)
            number += weft_comm_count(q, (enum weft_comm)c);
    return number;
}

void weft_graph_name_groups(struct weft_training_graph *g)
{
    const struct weft_training_plan *q = g->plan;
    const bool ends = g->at.pp == 0 || g->at.pp == q->pp - 1;
    for (int c = 0; c < WEFT_COMM_WORLD; c++)
        if (weft_comm_size(q, (enum weft_comm)c) > 1 && (c != WEFT_COMM_EMBEDDING || ends))
            snprintf(g->group[c], sizeof g->group[c], "%" PRIu64,
                     weft_comm_number(q, (enum weft_comm)c,
                                      weft_comm_index(q, (enum weft_comm)c, g->rank)));
}
