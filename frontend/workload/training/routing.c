/* SPDX-License-Identifier: GPL-2.0-only */
/* Rows to each rank from the popularity of its experts; what is left over by rounding down goes to
 * the first ranks. */
#include "workload/training/routing.h"

#include "base/rng.h"

#include <math.h>

/* Tokens of a microbatch that a rank routes: with sequence parallelism its part of them. */
static uint64_t routed_tokens(const struct weft_training_plan *q)
{
    return q->tokens / (q->sp ? q->tp : 1);
}

static void by_capacity(const struct weft_training_plan *q, uint64_t *rows)
{
    const double even = (double)(routed_tokens(q) * q->model.top_k) / (double)q->model.experts;
    const uint64_t one = (uint64_t)ceil(even * q->p.capacity_factor);
    for (uint64_t i = 0; i < q->ep; i++)
        rows[i] = one * (q->model.experts / q->ep);
}

/* Popularity of the experts of each rank: the experts are dealt out in a random order. */
static double popularity(const struct weft_training_plan *q, uint64_t layer, double *share)
{
    struct weft_rng r = weft_rng_stream(q->p.seed, "routing", layer);
    const uint64_t n = q->model.experts, each = n / q->ep;
    double sum = 0;
    uint64_t left[WEFT_TRAINING_EP_MAX];
    for (uint64_t i = 0; i < q->ep; i++) {
        share[i] = 0;
        left[i] = each;
    }
    for (uint64_t k = 0; k < n; k++) {
        uint64_t at = weft_rng_below(&r, n - k), i = 0;
        while (at >= left[i])
            at -= left[i++];
        left[i]--;
        const double weight = pow((double)(k + 1), -q->p.expert_skew);
        share[i] += weight;
        sum += weight;
    }
    return sum;
}

void weft_training_routing(const struct weft_training_plan *q, uint64_t layer, uint64_t *rows)
{
    double share[WEFT_TRAINING_EP_MAX];
    const uint64_t all = routed_tokens(q) * q->model.top_k;
    uint64_t given = 0;
    if (q->p.capacity_factor > 0) {
        by_capacity(q, rows);
        return;
    }
    const double sum = q->p.expert_skew > 0 ? popularity(q, layer, share) : (double)q->ep;
    for (uint64_t i = 0; i < q->ep; i++) {
        rows[i] = (uint64_t)((double)all * (q->p.expert_skew > 0 ? share[i] : 1) / sum);
        given += rows[i];
    }
    for (uint64_t i = 0; given < all; i = (i + 1) % q->ep, given++)
        rows[i]++;
}
