/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which thread has which nodes, by what happens at them.
 *
 * Nodes are dealt to threads in blocks of as many hosts each (partition.h), which is even where all
 * hosts do as much. What happens at clusters and switches is counted in some windows; where the
 * thread with most of it has much more than the mean, nodes are dealt anew between two windows, in
 * blocks of equal load: hosts move with what is to happen at them, switches as their links lead.
 * Old loads count half as much at each look. That is done only where it makes the busiest thread
 * less busy than before, by more than dealing takes; else the next look comes later.
 *
 * No result depends on whose a node is (worker.h).
 */
#ifndef WEFT_ENGINE_LOADS_H
#define WEFT_ENGINE_LOADS_H

#include "engine.h"
#include "window_crew_inside.h"

#pragma GCC visibility push(hidden)

/** Looks at what the threads have had to do since the last look, and deals nodes anew where that is
 * worth it. Between windows, when nothing waits to be posted. */
void loads_look(struct weft_engine *e);

#pragma GCC visibility pop

/** A window in which hosts ran is over: the same when it is time. */
static inline void loads_window_over(struct weft_engine *e)
{
    if (__builtin_expect(e->crew->figures.windows >= e->crew->look_at, 0))
        loads_look(e);
}

#endif
