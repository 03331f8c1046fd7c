/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * DRILL(d, m) (Ghorbani et al.: DRILL: micro load balancing for low-latency data center networks,
 * SIGCOMM 2017): each packet looks at the queues of d random ports of its route and of the m that
 * were shortest when the node last chose, and takes the shortest; the first among equals, those
 * remembered before those drawn. Every node has one memory, as a switch with one forwarding engine.
 */
#include "drill.h"

#include "base/rng.h"

#include <string.h>

static bool among(const uint32_t *ports, uint32_t n, uint32_t port)
{
    for (uint32_t i = 0; i < n; i++)
        if (ports[i] == port)
            return true;
    return false;
}

/* Puts a port behind those with queues not longer; a list of at most @p n. */
static void insert(const struct weft_engine *e, uint32_t *ports, uint32_t n, uint32_t port)
{
    uint32_t at = n;
    while (at > 0 && e->ports[ports[at - 1]].qtotal > e->ports[port].qtotal) {
        ports[at] = ports[at - 1];
        at--;
    }
    ports[at] = port;
}

uint32_t drill(struct weft_engine *e, struct weft_route_group g, uint32_t node, const struct pkt *k)
{
    uint32_t *memory = &e->spread.drilled[(size_t)node * DRILL_MEMORY_MAX];
    uint32_t sorted[DRILL_SAMPLES_MAX + DRILL_MEMORY_MAX], n = 0, drawn = 0;
    uint32_t seen[DRILL_SAMPLES_MAX];
    const uint32_t samples = (uint32_t)e->p.sw.drill_samples;
    const uint32_t kept = (uint32_t)e->p.sw.drill_memory;
    for (uint32_t i = 0; i < kept; i++)
        if (among(g.ports, g.n, memory[i]) && !among(sorted, n, memory[i]))
            insert(e, sorted, n++, memory[i]);
    while (drawn < samples && drawn < g.n) {
        const uint32_t at =
            samples < g.n ? (uint32_t)weft_rng_below(&e->spread.steer_rng, g.n) : drawn;
        if (samples < g.n && among(seen, drawn, at))
            continue;
        seen[drawn++] = at;
        if (!among(sorted, n, g.ports[at]))
            insert(e, sorted, n++, g.ports[at]);
    }
    memcpy(memory, sorted, (n < kept ? n : kept) * sizeof *memory);
    return sorted[0];
}

uint32_t *drill_memory_new(const struct weft_fabric *f)
{
    const size_t n = (size_t)f->nnodes * DRILL_MEMORY_MAX;
    uint32_t *memory = malloc(n * sizeof *memory);
    if (memory)
        memset(memory, 0xff, n * sizeof *memory);
    return memory;
}
