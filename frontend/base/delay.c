/* SPDX-License-Identifier: GPL-2.0-only */
/* Causes of delay of a message: their sum is made equal to the time beyond the ideal one. */
#include "base/delay.h"

void weft_delays_resolve(int64_t delay_ps[WEFT_DELAYS], int64_t total_ps, enum weft_delay rest)
{
    static const enum weft_delay first[WEFT_DELAYS] = {
        WEFT_DELAY_QUEUE, WEFT_DELAY_CONTROL, WEFT_DELAY_NIC, WEFT_DELAY_PAUSE, WEFT_DELAY_LOSS};
    int64_t left_ps = total_ps > 0 ? total_ps : 0;
    for (int k = 0; k < WEFT_DELAYS; k++) {
        if (delay_ps[k] < 0)
            delay_ps[k] = 0;
        left_ps -= delay_ps[k];
    }
    if (left_ps > 0)
        delay_ps[rest] += left_ps;
    for (int k = 0; k < WEFT_DELAYS && left_ps < 0; k++) {
        int64_t *d = &delay_ps[first[k]];
        const int64_t take_ps = *d < -left_ps ? *d : -left_ps;
        *d -= take_ps;
        left_ps += take_ps;
    }
}
