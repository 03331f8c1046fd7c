/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A user's measured efficiencies, in place of those of the GPU (gpus.def): a CSV file
 *
 *   operation,pass,rows,efficiency
 *   feed-forward,forward,4096,0.71
 *   feed-forward,all,512,0.43
 *   memory,all,,0.87
 *
 *   operation   query-key-value, attention, projection, feed-forward, router, shared-experts, experts, head: share of the GPU's peak;
 *               memory: share of its bandwidth, of all that is bound by memory
 *   pass        forward, inputs, weights (the gradients of both) or all, those that have no line of their own
 *   rows        rows of the matrix product, tokens for attention; empty: any number. Between two lines of one operation and pass it is
 *               interpolated, beyond them as at the nearest
 *   efficiency  above 0, up to 1: operations / (peak x measured time)
 *
 * Lines that begin with # are comments.
 */
#ifndef WEFT_TRAINING_MEASURED_H
#define WEFT_TRAINING_MEASURED_H

#include "base/err.h"

#include <stdint.h>

WEFT_C_BEGIN

enum weft_kernel {
#define WEFT_KERNEL(symbol, name) WEFT_KERNEL_##symbol,
#include "workload/training/kernels.def"
#undef WEFT_KERNEL
    WEFT_KERNELS
};
enum weft_kernel_pass {
    WEFT_KERNEL_FORWARD,
    WEFT_KERNEL_INPUTS,
    WEFT_KERNEL_GRADIENTS,
    WEFT_KERNEL_ALL,
    WEFT_KERNEL_PASSES
};

/** Most lines of one operation and pass. */
#define WEFT_MEASURED_MAX 16

/** Measured efficiency over rows, ascending. */
struct weft_measured_curve {
    double rows[WEFT_MEASURED_MAX], efficiency[WEFT_MEASURED_MAX];
    uint32_t n;
};
struct weft_measured {
    struct weft_measured_curve curve[WEFT_KERNELS][WEFT_KERNEL_PASSES];
};

/** Reads the file @p path. Errors name file, line and column. */
int weft_measured_read(const char *path, struct weft_measured *out, struct weft_err *err);
/** Efficiency of a kernel over @p rows rows; 0: nobody measured it. */
double weft_measured_at(const struct weft_measured *m, enum weft_kernel kernel,
                        enum weft_kernel_pass pass, double rows);

WEFT_C_END
#endif
