/* SPDX-License-Identifier: GPL-2.0-only */
/* Models and GPUs of generated training, as families for weft list and weft show. */
#include "command/listing_training.h"

#include "base/units.h"
#include "workload/training/dlrm.h"
#include "workload/training/gpu.h"
#include "workload/training/layered.h"
#include "workload/training/model.h"

#include <inttypes.h>
#include <stdio.h>

enum { TITLE_MAX = 200 };

/* "70.55 billion parameters" */
static int parameters(double n, char *buf)
{
    return n < 1e9 ? snprintf(buf, TITLE_MAX, "%.4g million parameters", n / 1e6)
                   : snprintf(buf, TITLE_MAX, "%.4g billion parameters", n / 1e9);
}

static struct weft_listed transformer(const struct weft_model *m, char *title)
{
    int n = parameters((double)weft_model_params(m), title);
    n += snprintf(title + n, (size_t)(TITLE_MAX - n),
                  "; transformer: %" PRIu64 " blocks, width %" PRIu64 ", %" PRIu64 " heads",
                  m->layers, m->hidden, m->heads);
    if (m->experts)
        snprintf(title + n, (size_t)(TITLE_MAX - n),
                 ", %" PRIu64 " experts of which a token goes to %" PRIu64, m->experts, m->top_k);
    return (struct weft_listed){.name = m->name, .title = title, .source = m->source};
}

static struct weft_listed layered(size_t i, char *title)
{
    static struct weft_layered m;
    weft_layered_preset(i, &m);
    const int n = parameters((double)weft_layered_params(&m), title);
    snprintf(title + n, (size_t)(TITLE_MAX - n), "; %zu layers", (size_t)m.n);
    return (struct weft_listed){.name = m.name, .title = title, .source = m.source};
}

static struct weft_listed recommendation(size_t i, char *title)
{
    static struct weft_dlrm m;
    double rows = 0, bytes = 0;
    char size[WEFT_UNIT_TEXT_MAX];
    weft_dlrm_preset(i, &m);
    for (uint64_t k = 0; k < m.ntables; k++) {
        rows += (double)m.table[k].rows;
        bytes += 4 * (double)m.table[k].rows * (double)m.table[k].columns;
    }
    snprintf(title, TITLE_MAX,
             "%.4g million rows of %" PRIu64 " in %" PRIu64 " tables, %s; recommendation",
             rows / 1e6, m.columns, m.ntables, weft_human_size((uint64_t)bytes, size));
    return (struct weft_listed){.name = m.name, .title = title, .source = m.source};
}

bool weft_listing_model(const struct weft_cli *cli, size_t i, struct weft_listed *out)
{
    static char title[TITLE_MAX];
    size_t n;
    const struct weft_model *all = weft_models(&n);
    const size_t tables = n + weft_layered_presets();
    if (i >= tables + weft_dlrm_presets())
        return false;
    *out = i < n        ? transformer(&all[i], title)
           : i < tables ? layered(i - n, title)
                        : recommendation(i - tables, title);
    return true;
}

bool weft_listing_gpu(const struct weft_cli *cli, size_t i, struct weft_listed *out)
{
    static char title[TITLE_MAX];
    char memory[WEFT_UNIT_TEXT_MAX];
    size_t n;
    const struct weft_gpu *g = weft_gpus(&n) + i;
    if (i >= n)
        return false;
    snprintf(title, sizeof title,
             "%.4g TFLOP/s in bf16 (dense), %.3g of them reached; %s of memory at %.3g TB/s; %.4g "
             "TFLOP/s in FP8; kernel times %s",
             g->peak_flops / 1e12, g->gemm_efficiency, weft_human_size(g->memory_bytes, memory),
             g->memory_bps / 1e12, g->fp8_flops / 1e12, weft_gpu_kernels(g));
    *out = (struct weft_listed){.name = g->name, .title = title};
    return true;
}
