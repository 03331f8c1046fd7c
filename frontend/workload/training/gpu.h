/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * GPUs, and how long a kernel takes on one: the roofline.
 *
 *   time = max(operations / (peak x efficiency), bytes / (memory bandwidth x its efficiency)) +
 * launch
 *
 * A matrix product of fewer than 2048 rows reaches its efficiency in proportion to them.
 */
#ifndef WEFT_TRAINING_GPU_H
#define WEFT_TRAINING_GPU_H

#include "base/linkage.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

WEFT_C_BEGIN

/** A GPU. Peaks are those of dense matrices in bf16. */
struct weft_gpu {
    const char *name;
    double peak_flops;     /**< operations per second */
    double fp8_flops;      /**< the same in FP8; 0: the GPU has none */
    double fp8_efficiency; /**< share of FP8's peak that products reach, over that of bf16's */
    bool measured;         /**< the shipped kernel times are those of its chip */
    double memory_bps;     /**< bytes per second of its memory */
    uint64_t memory_bytes;
    double gemm_efficiency;     /**< share of the peak that large matrix products reach */
    double forward_efficiency;  /**< of attention, forward */
    double backward_efficiency; /**< of attention, backward */
    double expert_efficiency;   /**< of grouped products of experts */
    double memory_efficiency;   /**< share of the memory's bandwidth that kernels reach */
    double launch_s;            /**< per kernel */
};

/** All presets, in the order of gpus.def; *n receives their number. */
const struct weft_gpu *weft_gpus(size_t *n);

/** Where the shipped kernel times stand to @p g: "measured on h100", "of h100, the same chip,
 * memory by its bandwidth", "scaled from h100". */
const char *weft_gpu_kernels(const struct weft_gpu *g);
/** Share of the peak that a product with @p m rows reaches when large ones reach @p efficiency. */
double weft_gpu_reached(double m, double efficiency);
/**
 * Seconds of products of M x K matrices by K x N ones, without launch: the operations at @p
 * efficiency of the peak, or reading and writing the matrices. @p others: matrices K x N among
 * which the M rows are divided. Results are in bf16, what is multiplied in bf16 or (@p fp8) FP8.
 */
double weft_gpu_product_s(const struct weft_gpu *g, bool fp8, double m, double n, double k,
                          double others, double efficiency);
/** Seconds of @p flops at @p efficiency, without regard to memory. */
double weft_gpu_flops_s(const struct weft_gpu *g, double flops, double efficiency);
/** Seconds to read and write @p bytes. */
double weft_gpu_bytes_s(const struct weft_gpu *g, double bytes);

WEFT_C_END
#endif
