/* SPDX-License-Identifier: GPL-2.0-only */
/* The series of a run as counters of a timeline: events "C" of the Trace Event Format. */
#ifndef WEFT_REPORT_TIMELINE_COUNTERS_H
#define WEFT_REPORT_TIMELINE_COUNTERS_H

#include "base/json.h"

/** Most rows of a table of series that are drawn; of more, the objects with the largest values. */
#define WEFT_TIMELINE_ROWS UINT64_C(200000)

/** What was drawn. */
struct weft_counters {
    uint64_t drawn, left_out; /**< objects: ports, nodes, queue pairs */
};

/** Writes the counters of the run in @p dir into the open array of events, as processes from number
 * @p pid on. Nothing where there are no series. */
int weft_timeline_counters(struct weft_json *j, const char *dir, uint64_t pid,
                           struct weft_counters *out, struct weft_err *err);

#endif
