/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Kernel times by shape, measured on a GPU: shipped ones (kernels_h100.def) and a user's CSV file
 *
 *   kind,m,n,k,us
 *   launch,,,,4.1
 *   gemm,4096,6144,4096,293.4
 *   elementwise,201326592,,,70.8
 *
 * A kernel of another shape takes its roofline divided by the share of the roofline that measured
 * kernels of its kind reach. The share is interpolated: a plane through the logarithm of the share
 * over the logarithms of m, n and k, fitted to the eight nearest shapes with weights 1 / distance^2
 * (moving least squares, Lancaster and Salkauskas 1981), within the range of the eight. A measured
 * shape so has its measured time. On another GPU the shares are the same and the rooflines its own.
 */
#ifndef WEFT_TRAINING_KERNEL_TIMES_H
#define WEFT_TRAINING_KERNEL_TIMES_H

#include "base/err.h"
#include "workload/training/gpu.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

WEFT_C_BEGIN

/** Kinds of kernels. */
enum weft_kernel_kind {
#define WEFT_KERNEL_KIND(symbol, name, what) WEFT_KERNEL_KIND_##symbol,
#include "workload/training/kernel_kinds.def"
#undef WEFT_KERNEL_KIND
    WEFT_KERNEL_KINDS
};

/** Most measured kernels. */
#define WEFT_KERNEL_TIMES_MAX 2048

/** A kernel as it was measured. */
struct weft_kernel_time {
    enum weft_kernel_kind kind;
    double m, n, k; /**< as kernel_kinds.def says; 1 where the kind has fewer sizes */
    double us;      /**< measured, with what a launch adds */
};

/** Measured kernels of one GPU. */
struct weft_kernel_times {
    uint32_t n; /**< kernels; 0: nothing is measured */
    uint32_t
        end[WEFT_KERNEL_KINDS]; /**< kernels up to and with each kind; rows are in that order */
    struct {
        float at[3]; /**< logarithms of m, n, k */
        float share; /**< logarithm of the share of the roofline */
    } row[WEFT_KERNEL_TIMES_MAX];
};

/** The shipped times, measured on an H100. *n receives their number. */
const struct weft_kernel_time *weft_kernel_times_shipped(size_t *n);
/** Shares from @p n times that were measured on @p g; at most WEFT_KERNEL_TIMES_MAX. A time that is
 * not above that of a launch counts as a tenth of a microsecond. */
void weft_kernel_times_fill(struct weft_kernel_times *out, const struct weft_gpu *g,
                            const struct weft_kernel_time *time, size_t n);
/** Reads the file @p path of times measured on @p g. Errors name file, line and column. */
int weft_kernel_times_read(const char *path, const struct weft_gpu *g,
                           struct weft_kernel_times *out, struct weft_err *err);
/** Whether a kernel of @p kind was measured. */
bool weft_kernel_times_has(const struct weft_kernel_times *t, enum weft_kernel_kind kind);
/** Share of its roofline that a kernel reaches; its kind was measured. */
double weft_kernel_share(const struct weft_kernel_times *t, enum weft_kernel_kind kind, double m,
                         double n, double k);
/** Seconds of a kernel on @p g, with its launch; 0 where it has nothing to do. */
double weft_kernel_s(const struct weft_kernel_times *t, const struct weft_gpu *g,
                     enum weft_kernel_kind kind, double m, double n, double k);

WEFT_C_END
#endif
