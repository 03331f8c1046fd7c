/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Switches run behind hosts, a window at a time.
 *
 * A packet that leaves a node reaches the next one a link's delay later at the earliest. Therefore
 * once all events before S are over, those of each switch before S + lookahead (the shortest link
 * of a switch that runs in windows) depend on nothing that another node does from S on: switches
 * may run one after the other, each through all its events of that window, with its ports, queues
 * and buffer in the nearest cache (Chandy and Misra: "Distributed simulation", IEEE TSE SE-5(5),
 * 1979; the windows are those of Lubachevsky, CACM 32(1), 1989, but run by one processor). Events
 * of hosts, of switches with shorter links (clusters.h), and timers keep their order among each
 * other, as what they tell the outside must. They may run to S + lookahead, too, before the next
 * window is due.
 *
 * A switch has a heap of its own events, one entry per link that leads to it and, while it is
 * eager, per port; the switches that have any are in one heap by the time of their first. Who looks
 * at a switch, or changes it from outside, has windows run up to then first (windows_catch_up).
 *
 * Timers of PFC (pfc.quanta) are among those of hosts. What a switch does in a window sets them no
 * sooner than the window is long, so none comes late; when one is due its switch catches up first.
 *
 * The result is that of one queue, as simultaneous events at different nodes don't see each other.
 * A switch of which something else must know at once is kept out of windows (clusters.c): one that
 * adds up sums, has links under credits, packets that a hook is told of, or a choice of ports by
 * state that switches share (flowlets). All are where nobody can tell which: under hooks that are
 * told of queues, marks, drops and pauses at switches; with packets that tell the outside of their
 * loss; with
 * pfc.response-time, whose timers are ordered by when they were asked for; and where ports are not
 * lazy (lazy.c).
 */
#ifndef WEFT_WINDOW_H
#define WEFT_WINDOW_H

#include "clusters.h"
#include "core/windows.h"
#include "engine.h"

#include "base/units.h"

#define MOST_THREADS 255u
/** Shortest delay of a link that windows are worth it with: below, a node has too few events in one
 * (docs/explanation/performance.md). Processes take shorter ones where they must (peers.c), tests
 * have threads run windows however short, but for some seeds. */
#define WINDOW_LEAST_PS (200 * WEFT_PS_PER_NS)

/** Prepares for the nodes of a fabric; false when out of memory. */
bool window_init(struct weft_engine *e);
void window_fini(struct weft_engine *e);
/** Decides whether switches may run in windows as things are: at first, and whenever one of the
 * reasons against has changed. */
void window_choose(struct weft_engine *e);
/** No event at hosts is due before @p t_ps. Runs at most one window and says whether it did; false:
 * what is due at hosts at @p t_ps may run. */
bool window_advance(struct weft_engine *e, int64_t t_ps);
/** All events of switches before @p t_ps are over, and those of hosts that they could come from. */
void window_done(struct weft_engine *e, int64_t t_ps);
/** Executes every event of switches before @p until_ps, before which nothing is due at hosts, and
 * those at that time that come before entry @p until_id. */
void window_run(struct weft_engine *e, int64_t until_ps, uint32_t until_id);

/* window_node.c */
/** Executes the events of a switch whose keys are below @p until; @p caught_up_ps: before which it
 * is settled. */
void window_run_node(struct weft_engine *e, uint32_t node, uint64_t until, int64_t caught_up_ps);
/** Makes the transmissions that a switch owes before @p until_ps; whether more will come later. */
bool window_catch_up_node(struct weft_engine *e, uint32_t node, int64_t until_ps);

#endif
