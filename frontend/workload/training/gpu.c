/* SPDX-License-Identifier: GPL-2.0-only */
/* The roofline of a GPU. */
#include "workload/training/gpu.h"

#include <math.h>
#include <string.h>

#define FULL_ROWS 2048.0 /* rows from which a matrix product reaches its efficiency */

static const struct weft_gpu table[] = {
#define WEFT_GPU(title, tflops, fp8, tb_per_s, gb, gemm, own)                                      \
    {.name = title,                                                                                \
     .peak_flops = (tflops)*1e12,                                                                  \
     .fp8_flops = (fp8)*1e12,                                                                      \
     .fp8_efficiency = 0.88,                                                                       \
     .measured = own,                                                                              \
     .memory_bps = (tb_per_s)*1e12,                                                                \
     .memory_bytes = (gb)*UINT64_C(1000000000),                                                    \
     .gemm_efficiency = gemm,                                                                      \
     .forward_efficiency = 0.60,                                                                   \
     .backward_efficiency = 0.475,                                                                 \
     .expert_efficiency = 0.55,                                                                    \
     .memory_efficiency = 0.8,                                                                     \
     .launch_s = 4e-6},
#include "workload/training/gpus.def"
#undef WEFT_GPU
};

const struct weft_gpu *weft_gpus(size_t *n)
{
    *n = sizeof table / sizeof table[0];
    return table;
}

const char *weft_gpu_kernels(const struct weft_gpu *g)
{
    if (!g->measured)
        return "scaled from h100";
    return strcmp(g->name, table[0].name) == 0 ? "measured on h100"
                                               : "of h100, the same chip, memory by its bandwidth";
}

double weft_gpu_flops_s(const struct weft_gpu *g, double flops, double efficiency)
{
    return flops > 0 ? flops / (g->peak_flops * efficiency) + g->launch_s : 0;
}

double weft_gpu_bytes_s(const struct weft_gpu *g, double bytes)
{
    return bytes > 0 ? bytes / (g->memory_bps * g->memory_efficiency) + g->launch_s : 0;
}

double weft_gpu_reached(double m, double efficiency)
{
    return m < FULL_ROWS ? efficiency * m / FULL_ROWS : efficiency;
}

double weft_gpu_product_s(const struct weft_gpu *g, bool fp8, double m, double n, double k,
                          double others, double efficiency)
{
    const double peak = fp8 ? g->fp8_flops * g->fp8_efficiency : g->peak_flops;
    const double bytes = 2 * m * n + (fp8 ? 1 : 2) * (others * n * k + m * k);
    return fmax(2 * m * n * k / (peak * efficiency),
                bytes / (g->memory_bps * g->memory_efficiency));
}
