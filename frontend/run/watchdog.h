/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Ends the program where one event of a run does not end.
 *
 * Signals and limits are looked at between events. So what loops within one would go on for ever,
 * and only SIGKILL would end it. The watchdog wakes up as the program uses CPU time (SIGPROF), and
 * reads how far the net is. If that has not changed for so much CPU time, and for as long by the
 * clock, as several threads may wait for one, it names the event and ends the program with exit
 * code 70. As after a signal, run.json says that the run was interrupted.
 *
 * A program that is being profiled by SIGPROF has no watchdog.
 */
#ifndef WEFT_CLI_WATCHDOG_H
#define WEFT_CLI_WATCHDOG_H

#include "net/net.h"

WEFT_C_BEGIN

/** How long an event may take. */
#define WEFT_WATCHDOG_NS INT64_C(60000000000)
/** The shortest time that it can be told to be. */
#define WEFT_WATCHDOG_LEAST_NS INT64_C(100000000)

/** From now on this thread runs @p net, which may be without event_now: then nothing is watched.
 * @p limit_ns: CPU time that an event may take; 0: WEFT_WATCHDOG_NS, below: any. */
void weft_watchdog_begin(const struct weft_net *net, int64_t limit_ns);
/** It does not any more. Nothing was begun: does nothing. */
void weft_watchdog_end(void);

WEFT_C_END
#endif
