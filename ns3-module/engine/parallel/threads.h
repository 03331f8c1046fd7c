/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How many threads run an engine by itself (run.threads=auto).
 *
 * What several threads gain depends on the fabric, on what it carries, and on what else the machine
 * has to do: it can't be told but by trying. So the time that the engine takes per event is
 * measured, in stretches of some milliseconds between two calls of weft_engine_run, and now and
 * then as many stretches are run with another number of threads: twice or half as many. If their
 * median is shorter, that number stays. Else the next attempt comes after twice as many stretches.
 * Nothing but the time that a run takes depends on it.
 */
#ifndef WEFT_ENGINE_THREADS_H
#define WEFT_ENGINE_THREADS_H

#include "engine.h"

struct thread_choice;

#pragma GCC visibility push(hidden)

/** The engine is about to run on: it may do so with another number of threads. */
void threads_choose(struct weft_engine *e);

#pragma GCC visibility pop

#endif
