/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Hosts that several threads run at the same time, a window at a time.
 *
 * Each thread has an agenda of its own: what is to happen at its hosts. Let all events of hosts
 * before H be over, and those of switches before S <= H. Then what a host does until S + lookahead
 * depends on nothing that another node does from H on (window.h), but for what the user does when
 * he is told of a message: that may be a message to post, the number of which follows from the
 * order in which all hosts post. Therefore a host is run up to the first event by which a message
 * may be complete (rc_may_complete) and held there. When all have come to the end of the window or
 * to such an event, the engine's own thread executes the events that hosts are held for, in their
 * order. Then these hosts go on in the next window, where that can be (host_ahead.h); else the
 * engine's own thread executes what is left of the window at them, too, in the order that all
 * events have. No host is held for what nothing follows from: host_turn.c.
 *
 * That this is what one thread does needs a promise of the user (struct weft_engine_hooks, local):
 * what he does when told of something at a host concerns that host alone, and he ends the run only
 * because of an error. Nor may the engine end it within a window: so there is none once a QP is
 * about to give up. Timers of the user end a window before them, as they may concern any host.
 *
 * In a window all is as in worker.h: no node is touched that another thread may run, but for the
 * links from it to a host, from which only that host takes.
 */
#ifndef WEFT_ENGINE_HOST_PARTS_H
#define WEFT_ENGINE_HOST_PARTS_H

#include "engine.h"

struct agenda;
struct due;

/** *@p d is the first of the engine's own agenda: makes it the first of all, and says whose it is.
 */
struct agenda *host_parts_first(struct weft_engine *e, struct due *d);
/** No event is before @p t_ps. Has all threads run their hosts as far as can be; false, and nothing
 * has happened: that is not far, or not worth it, or is over but for the hosts that are held. */
bool host_parts_run(struct weft_engine *e, int64_t t_ps);
/** All that happens before loop.limit_ps is over: tells what has not been told yet. */
void host_parts_over(struct weft_engine *e);
/** One of several processes (peers.h) runs its hosts to @p until_ps, each no further than the first
 * event by which a message may be complete, and its switches to @p switches_ps if that lies ahead.
 */
void host_parts_round(struct weft_engine *e, int64_t until_ps, int64_t switches_ps);

#endif
