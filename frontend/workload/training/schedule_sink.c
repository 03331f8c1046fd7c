/* SPDX-License-Identifier: GPL-2.0-only */
/* Counts and keeps passes. */
#include "workload/training/schedule_sink.h"

void weft_schedule_put(struct weft_schedule_sink *s, enum weft_pass_kind kind, uint64_t chunk,
                       uint64_t microbatch)
{
    if (s->list)
        s->list[s->n] = (struct weft_pass){
            .kind = kind, .chunk = (uint32_t)chunk, .microbatch = (uint32_t)microbatch};
    s->n++;
    if (kind == WEFT_PASS_FORWARD && ++s->held > s->most)
        s->most = s->held;
    if (kind == WEFT_PASS_BACKWARD || kind == WEFT_PASS_WEIGHTS)
        s->held--;
}
