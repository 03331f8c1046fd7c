/* SPDX-License-Identifier: GPL-2.0-only */
/* Tables of layers: presets, sums, division into stages. */
#include "workload/training/layered.h"

#include <stdbool.h>
#include <string.h>

#define WEFT_LAYER(title, parameters, operations, steps, keeps, sends)                             \
    {.name = title,                                                                                \
     .params = parameters,                                                                         \
     .flops = operations,                                                                          \
     .step_flops = steps,                                                                          \
     .kept = keeps,                                                                                \
     .sent = sends},
static const struct weft_layer resnet50[] = {
#include "workload/training/layered/resnet50.def"
};
static const struct weft_layer gnmt[] = {
#include "workload/training/layered/gnmt.def"
};
static const struct weft_layer gnmt_16[] = {
#include "workload/training/layered/gnmt-16.def"
};
#undef WEFT_LAYER

static const struct {
    const char *name, *source, *samples;
    uint64_t positions;
    const struct weft_layer *layer;
    size_t n;
} presets[] = {
#define WEFT_LAYERED(symbol, title, from, length, what)                                            \
    {title, from, what, length, symbol, sizeof symbol / sizeof symbol[0]},
#include "workload/training/layered.def"
#undef WEFT_LAYERED
};

size_t weft_layered_presets(void)
{
    return sizeof presets / sizeof presets[0];
}

void weft_layered_preset(size_t i, struct weft_layered *out)
{
    *out = (struct weft_layered){.name = presets[i].name,
                                 .source = presets[i].source,
                                 .samples = presets[i].samples,
                                 .positions = presets[i].positions,
                                 .n = presets[i].n};
    memcpy(out->layer, presets[i].layer, presets[i].n * sizeof *out->layer);
}

uint64_t weft_layered_params(const struct weft_layered *m)
{
    uint64_t sum = 0;
    for (uint64_t i = 0; i < m->n; i++)
        sum += m->layer[i].params;
    return sum;
}

double weft_layered_flops(const struct weft_layered *m)
{
    double sum = 0;
    for (uint64_t i = 0; i < m->n; i++)
        sum += m->layer[i].flops + m->layer[i].step_flops;
    return sum;
}

/* Fills chunks with at most @p limit each and leaves a layer for every chunk to come. */
static bool fits(uint64_t n, const double *seconds, uint64_t chunks, double limit, uint32_t *starts)
{
    uint64_t at = 0;
    for (uint64_t c = 0; c < chunks; c++) {
        const uint64_t most = n - (chunks - 1 - c);
        double sum = seconds[at];
        starts[c] = (uint32_t)at++;
        while (at < most && sum + seconds[at] <= limit)
            sum += seconds[at++];
        if (sum > limit)
            return false;
    }
    starts[chunks] = (uint32_t)n;
    return at == n;
}

void weft_layered_divide(uint64_t n, const double *seconds, uint64_t chunks, uint32_t *starts)
{
    double low = 0, high = 0;
    for (uint64_t i = 0; i < n; i++)
        high += seconds[i];
    for (int step = 0; step < 60; step++) {
        const double middle = (low + high) / 2;
        if (fits(n, seconds, chunks, middle, starts))
            high = middle;
        else
            low = middle;
    }
    fits(n, seconds, chunks, high, starts);
}
