/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Why messages do not get on: deadlocks, pauses and their roots, QPs without progress.
 */
#ifndef WEFT_ENGINE_EXPLAIN_H
#define WEFT_ENGINE_EXPLAIN_H

#include "base/linkage.h"

#include <stddef.h>
#include <stdint.h>

WEFT_C_BEGIN

struct weft_engine;

/** Whether PFC has come to a deadlock: paused ports that wait for each other in a circle and that
 * nothing can resume. 1: yes, and @p text (may be NULL) names the priority and the cycle of ports;
 * 0: no. A pause that expires (pfc.quanta) is taken as refreshed. */
int weft_engine_find_deadlock(struct weft_engine *e, char *text, size_t size);
/** Whether messages get on. */
enum weft_motion {
    WEFT_MOTION_NONE, /**< there is none, or none with a path */
    WEFT_MOTION_SOME, /**< some do, or have not stood still for long enough */
    WEFT_MOTION_STUCK /**< none does */
};
/**
 * Looks at how far messages have come by @p at_ps (now, or a time without events since). None gets
 * on when no QP with messages and a path has brought a packet further than ever before for @p
 * after_ps, and longer where its timers, links and queues are slow (stall.c). To be called at times
 * that do not depend on the machine, at least twice within @p after_ps; explanations then say since
 * when.
 */
enum weft_motion weft_engine_motion(struct weft_engine *e, int64_t at_ps, int64_t after_ps);
/** Says of each QP that the last weft_engine_motion found without progress, whether all are or not,
 * what it waits for; at most @p max sentences. Returns how many there are. */
uint64_t weft_engine_explain_stuck(struct weft_engine *e, uint64_t max,
                                   void (*fn)(void *, const char *), void *ctx);
/** How many QPs wait behind pauses now though nothing on the rest of their way is paused or
 * congested: head-of-line victims (victims.c). Adds to *@p found those that no look has found
 * before. */
uint64_t weft_engine_victims(struct weft_engine *e, uint64_t *found);
/** The longest time, over all links, that the longest queue there so far and two packets take. */
int64_t weft_engine_slowest_ps(struct weft_engine *e);
/** When links changed last; 0: they have not. */
int64_t weft_engine_changed_ps(const struct weft_engine *e);
/** Says what keeps ports paused (a deadlock, or the roots of the pauses and their victims) and why
 * each unfinished message is stuck; at most @p max sentences; returns the number unfinished. */
uint64_t weft_engine_explain(struct weft_engine *e, uint64_t max,
                             void (*fn)(void *ctx, const char *sentence), void *ctx);

WEFT_C_END
#endif
