/* SPDX-License-Identifier: GPL-2.0-only */
/* Ports with something in the outbox (worker.h). */
#ifndef WEFT_ENGINE_WORKER_SENT_H
#define WEFT_ENGINE_WORKER_SENT_H

#include "core/grow.h"

#include <stdbool.h>
#include <stdint.h>

/** Those that lead to one thread, or to other processes. */
struct worker_sent {
    uint32_t *ports;
    uint32_t n, cap;
};

/** Adds a port; false when out of memory. */
static inline bool worker_sent_add(struct worker_sent *s, uint32_t port)
{
    if (!GROW(s->ports, s->n, &s->cap))
        return false;
    s->ports[s->n++] = port;
    return true;
}

#endif
