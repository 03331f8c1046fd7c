/* SPDX-License-Identifier: GPL-2.0-only */
/* Nodes of a rank's trace, with what they wait for. */
#include "workload/training/graph.h"

#include "workload/dag.h"

#include <stdio.h>
#include <string.h>

static void graph_wait_for(struct weft_training_graph *g, uint64_t node)
{
    if (node != WEFT_NO_NODE)
        weft_et_build_data_dep(&g->b, node);
}

static void follow(struct weft_training_graph *g, uint64_t node)
{
    if (node != WEFT_NO_NODE)
        weft_et_build_ctrl_dep(&g->b, node);
}

static const char *name(const struct weft_training_graph *g, const char *what, char *buf,
                        size_t size)
{
    snprintf(buf, size, "%s.%s", g->where, what);
    return buf;
}

uint64_t weft_graph_compute(struct weft_training_graph *g, double seconds, const char *what,
                            uint64_t a, uint64_t b)
{
    char text[96];
    /* Traces count whole microseconds: what one node loses the next one makes up for. */
    const double exact = seconds * 1e6 + g->owed_us;
    const uint64_t us = exact > 0 ? (uint64_t)exact : 0;
    g->owed_us = exact - (double)us;
    weft_et_build_comp(&g->b, g->next, name(g, what, text, sizeof text), us);
    follow(g, g->compute);
    graph_wait_for(g, a);
    if (b != a)
        graph_wait_for(g, b);
    return g->compute = g->next++;
}

uint64_t weft_graph_touch(struct weft_training_graph *g, double seconds, double bytes,
                          const char *what, uint64_t a, uint64_t b)
{
    const uint64_t node = weft_graph_compute(g, seconds, what, a, b);
    weft_et_build_int(&g->b, "tensor_size", WEFT_ET_UINT64, (int64_t)bytes);
    return node;
}

uint64_t weft_graph_collective(struct weft_training_graph *g, enum weft_comm comm, int kind,
                               uint64_t bytes, const char *what, uint64_t a)
{
    char text[96];
    if (weft_comm_size(g->plan, comm) < 2 || bytes == 0)
        return a;
    weft_et_build_coll(&g->b, g->next, name(g, what, text, sizeof text), kind, bytes,
                       g->group[comm]);
    follow(g, g->chain[comm]);
    graph_wait_for(g, a);
    return g->chain[comm] = g->next++;
}

uint64_t weft_graph_all_to_all(struct weft_training_graph *g, enum weft_comm comm,
                               const uint64_t *send, const uint64_t *recv, const char *what,
                               uint64_t a)
{
    const uint64_t n = weft_comm_size(g->plan, comm);
    uint64_t sum = 0, uneven = 0;
    for (uint64_t i = 0; i < n; i++) {
        sum += send[i];
        uneven |= (send[i] ^ send[0]) | (recv[i] ^ send[0]);
    }
    const uint64_t node = weft_graph_collective(g, comm, WEFT_COLL_ALL_TO_ALL, sum, what, a);
    if (node != a && uneven) {
        weft_et_build_sizes(&g->b, "comm_send_sizes", send, n);
        weft_et_build_sizes(&g->b, "comm_recv_sizes", recv, n);
    }
    return node;
}

uint64_t weft_graph_send(struct weft_training_graph *g, uint64_t bytes, uint64_t peer, uint64_t tag,
                         const char *what, uint64_t a)
{
    char text[96];
    weft_et_build_message(&g->b, g->next, WEFT_ET_COMM_SEND_NODE, name(g, what, text, sizeof text),
                          bytes, (uint32_t)peer, (uint32_t)tag);
    graph_wait_for(g, a);
    return g->next++;
}

uint64_t weft_graph_recv(struct weft_training_graph *g, uint64_t bytes, uint64_t peer, uint64_t tag,
                         const char *what)
{
    char text[96];
    weft_et_build_message(&g->b, g->next, WEFT_ET_COMM_RECV_NODE, name(g, what, text, sizeof text),
                          bytes, (uint32_t)peer, (uint32_t)tag);
    return g->next++;
}

uint64_t weft_graph_join(struct weft_training_graph *g, const char *what, uint64_t a, uint64_t b)
{
    char text[96];
    if (a == b || b == WEFT_NO_NODE)
        return a;
    if (a == WEFT_NO_NODE)
        return b;
    weft_et_build_node(&g->b, g->next, WEFT_ET_COMP_NODE, name(g, what, text, sizeof text), 0);
    weft_et_build_int(&g->b, "is_cpu_op", WEFT_ET_BOOL, 1);
    graph_wait_for(g, a);
    graph_wait_for(g, b);
    return g->next++;
}

static struct weft_graph_streams streams_of(const struct weft_training_graph *g)
{
    struct weft_graph_streams s = {.compute = g->compute};
    memcpy(s.chain, g->chain, sizeof s.chain);
    return s;
}

void weft_graph_fork(struct weft_training_graph *g)
{
    g->start = streams_of(g);
}

void weft_graph_beside(struct weft_training_graph *g)
{
    g->other = streams_of(g);
    g->compute = g->start.compute;
    memcpy(g->chain, g->start.chain, sizeof g->chain);
}

void weft_graph_meet(struct weft_training_graph *g)
{
    g->compute = weft_graph_join(g, "both", g->other.compute, g->compute);
    for (int c = 0; c < WEFT_COMMS; c++)
        g->chain[c] = weft_graph_join(g, "both", g->other.chain[c], g->chain[c]);
}
