/* SPDX-License-Identifier: GPL-2.0-only */
/* The roofline of a GPU. */
#include "workload/training/gpu.h"

#define FULL_ROWS 2048.0 /* rows from which a matrix product reaches its efficiency */

static const struct weft_gpu table[] = {
#define WEFT_GPU(title, tflops, tb_per_s, gb, gemm)                                                \
    {.name = title,                                                                                \
     .peak_flops = (tflops)*1e12,                                                                  \
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

static double larger(double a, double b)
{
    return a > b ? a : b;
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

double weft_gpu_gemm_s(const struct weft_gpu *g, double m, double n, double k, double efficiency)
{
    if (m <= 0 || n <= 0 || k <= 0)
        return 0;
    return larger(weft_gpu_flops_s(g, 2 * m * n * k, efficiency),
                  weft_gpu_bytes_s(g, 2 * (m * n + n * k + m * k)));
}
