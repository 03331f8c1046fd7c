/* SPDX-License-Identifier: GPL-2.0-only */
/* What the schedules write into. Internal to this folder. */
#ifndef WEFT_TRAINING_SCHEDULE_SINK_H
#define WEFT_TRAINING_SCHEDULE_SINK_H

#include "workload/training/schedule.h"

/** Receives the passes of a stage. */
struct weft_schedule_sink {
    struct weft_pass *list; /**< NULL: only count */
    size_t n;
    int64_t held, most; /**< activations held */
};

void weft_schedule_put(struct weft_schedule_sink *s, enum weft_pass_kind kind, uint64_t chunk,
                       uint64_t microbatch);
/** DualPipe (dualpipe.c). */
void weft_schedule_dualpipe(const struct weft_training_plan *plan, uint64_t stage,
                            struct weft_schedule_sink *s);

#endif
