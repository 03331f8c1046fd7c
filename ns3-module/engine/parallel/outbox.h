/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Packets for a node of another part, a thread's or a process's, waits until the window is
 * over: an outbox per port, and for each other part the ports that have something in theirs.
 */
#ifndef WEFT_ENGINE_OUTBOX_H
#define WEFT_ENGINE_OUTBOX_H

#include "core/context.h"
#include "core/grow.h"

/** Packets that a port has sent in a window to a node that another thread may run in it, or to
 * another process. */
struct outbox {
    uint32_t
        first;     /**< packet, its number + 1, so that memory never written to is empty; 0: none */
    uint32_t tail; /**< the last one; in between in order */
    int64_t at_ps; /**< when the first will have arrived completely */
};

/** Ports that lead to one thread, or to other processes. */
struct outbox_ports {
    uint32_t *ports;
    uint32_t n, cap;
};

/** Adds a port; false when out of memory. */
static inline bool outbox_ports_add(struct outbox_ports *s, uint32_t port)
{
    if (!GROW(s->ports, s->n, &s->cap))
        return false;
    s->ports[s->n++] = port;
    return true;
}

/** Adds packet @p k, number @p i, to an outbox; it will have arrived at @p at_ps. Whether it is the
 * first in it. */
static inline bool outbox_add(const struct weft_engine *e, struct outbox *o, struct pkt *k,
                              uint32_t i, int64_t at_ps)
{
    const bool first = !o->first;
    k->next = NIL;
    if (first) {
        o->first = i + 1;
        o->at_ps = at_ps;
    } else {
        struct pkt *before = pkt_at(e, o->tail);
        before->next = i;
        before->next_at_ps = at_ps;
    }
    o->tail = i;
    return first;
}

#endif
