/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Windows in which several threads run the switches (worker.h says why that is exact).
 */
#ifndef WEFT_WINDOW_CREW_H
#define WEFT_WINDOW_CREW_H

#include "engine.h"

#pragma GCC visibility push(hidden)

/** Several threads execute the events of all switches before @p until_ps, as run_window of
 * window.c. False, and nothing has happened: there is only one, or too little to do. */
bool window_crew_run(struct weft_engine *e, int64_t until_ps);
/** Enters all switches into windows.order, if only the first of each thread are (windows.brief). */
void window_crew_list_all(struct weft_engine *e);
/** Other switches run in windows now. */
void window_crew_list(struct weft_engine *e);
void window_crew_fini(struct weft_engine *e);
/** Makes a crew of @p n threads instead of the one that there is; see weft_engine_set_threads. */
int window_crew_make(struct weft_engine *e, unsigned n, uint64_t shuffle, struct weft_err *err);
/** What the threads' state takes. */
uint64_t window_crew_bytes(const struct weft_engine *e);

#pragma GCC visibility pop

#endif
