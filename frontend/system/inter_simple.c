/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * baseline: every chunk takes the dimensions innermost first.
 * round-robin: chunk i begins i dimensions further on, so that all dimensions are busy from the
 * start.
 */
#include "system/agreed_order.h"

static void baseline(const struct weft_agreed_problem *p, uint8_t *dims)
{
    for (uint64_t c = 0; c < p->nchunks; c++)
        for (uint32_t d = 0; d < p->dims->n; d++)
            *dims++ = (uint8_t)d;
}

static void round_robin(const struct weft_agreed_problem *p, uint8_t *dims)
{
    for (uint64_t c = 0; c < p->nchunks; c++)
        for (uint32_t d = 0; d < p->dims->n; d++)
            *dims++ = (uint8_t)((c + d) % p->dims->n);
}

const struct weft_inter_ops weft_inter_baseline = {.name = "baseline", .order = baseline};
const struct weft_inter_ops weft_inter_round_robin = {.name = "round-robin", .order = round_robin};
