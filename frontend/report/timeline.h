/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The timeline of a run for Perfetto (ui.perfetto.dev) and chrome://tracing, from the tables of its
 * folder: what each rank did, phases of collectives by dimension, messages with arrows from sender
 * to receiver, PFC pauses of ports, the critical path, and sampled series as counters.
 *
 * The format is the Trace Event Format (JSON; Google, 2016): complete events ("X") on threads of
 * processes, where none overlaps another of its thread, flow events ("s", "f"), counters ("C"),
 * names ("M").
 */
#ifndef WEFT_REPORT_TIMELINE_H
#define WEFT_REPORT_TIMELINE_H

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/** Messages that are drawn unless more are asked for. */
#define WEFT_TIMELINE_MESSAGES UINT64_C(50000)

/** What a timeline holds. */
struct weft_timeline_content {
    uint64_t slices, arrows;
    uint64_t messages;           /**< of flows.csv; they are left out where there are too many */
    bool with_messages;          /**< they are in */
    uint64_t counted, uncounted; /**< objects of sampled series: drawn as counters, and left out */
    uint64_t crowded;            /**< slices left out, as too many lie over each other on a track */
    int64_t end_ps;              /**< of the last slice */
};

/** Writes the timeline of the run in @p dir to @p out. @p most_messages: with more they are left
 * out. WEFT_E_INPUT: no folder of a run. */
int weft_timeline_write(const char *dir, uint64_t most_messages, FILE *out, const char *out_name,
                        struct weft_timeline_content *content, struct weft_err *err);

#endif
