/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Themis: each chunk takes first the dimension that has the least to do (Rashidi et al., "Themis: a
 * network bandwidth-aware collective scheduling policy for distributed training of DL models", ISCA
 * 2022).
 *
 * The load of a dimension is the time that the chunks so far keep it busy. A reduce-scatter takes
 * the dimensions in ascending load, an all-gather in descending load, since its data grows; an
 * all-reduce is the reduce-scatter and the way back. While the difference between the most loaded
 * and the least loaded dimension is less than what a sixteenth of a chunk makes, a chunk takes the
 * baseline order. An all-to-all, whose phases all carry the same, keeps the baseline order.
 *
 * With intra-dimension=concurrent an order that ends sooner, as agreed_order.h finds, may take its
 * place (weft's addition): the same one smallest or last chunk first, or one of the others'.
 *
 * Loads are in bytes at the rate of dimension 0. The order of a reduce-scatter is written, so an
 * all-gather's is turned round.
 */
#include "system/agreed_order.h"

static double inter_themis_steps_of(uint32_t n, int gather)
{
    return gather ? n - 1.0 : (n - 1.0) / n;
}

/* Dimensions by load, the least first; equal ones in ascending number. */
static void by_load(const double *load, uint32_t n, uint8_t *out)
{
    for (uint32_t i = 0; i < n; i++) {
        uint32_t k = i;
        for (; k > 0 && load[i] < load[out[k - 1]]; k--)
            out[k] = out[k - 1];
        out[k] = (uint8_t)i;
    }
}

/* Whether the loads differ by more than a sixteenth of a chunk in the dimension that would go
 * first. */
static int unequal(const struct weft_dims *dims, const double *load, const uint8_t *sorted,
                   double chunk, int gather)
{
    uint32_t first = gather ? sorted[dims->n - 1] : sorted[0];
    double share = (double)dims->rate_bps[first] / (double)dims->rate_bps[0];
    double diff = load[sorted[dims->n - 1]] - load[sorted[0]];
    return diff * share / inter_themis_steps_of(dims->size[first], gather) >= chunk / 16;
}

static void order(const struct weft_agreed_problem *p, uint8_t *out)
{
    const struct weft_dims *dims = p->dims;
    double load[WEFT_DIMS_MAX] = {0};
    int gather = p->kind == WEFT_COLL_ALL_GATHER;
    double chunk = (double)weft_coll_chunk_bytes(p->bytes, p->max_chunks, 0);
    for (uint64_t c = 0; c < p->nchunks; c++, out += dims->n) {
        double held = (double)weft_coll_chunk_bytes(p->bytes, p->max_chunks, c);
        by_load(load, dims->n, out);
        if (p->kind == WEFT_COLL_ALL_TO_ALL || !unequal(dims, load, out, chunk, gather))
            for (uint32_t d = 0; d < dims->n; d++)
                out[d] = (uint8_t)d;
        for (uint32_t i = 0; i < dims->n; i++) {
            uint32_t d = gather ? out[dims->n - 1 - i] : out[i];
            load[d] += held * inter_themis_steps_of(dims->size[d], gather) *
                       (double)dims->rate_bps[0] / (double)dims->rate_bps[d];
            held = gather ? held * dims->size[d] : held / dims->size[d];
        }
    }
}

const struct weft_inter_ops weft_inter_themis = {
    .name = "themis",
    .source = "Rashidi et al., ISCA 2022",
    .turns_back = 1,
    .plans = 1,
    .order = order,
};
