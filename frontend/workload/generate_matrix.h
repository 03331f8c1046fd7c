/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Bytes of a skewed all-to-all, from each rank to each: by Zipf's law, as tokens go to popular
 * experts, or from a file with a measured matrix.
 */
#ifndef WEFT_GENERATE_MATRIX_H
#define WEFT_GENERATE_MATRIX_H

#include "workload/et_build.h"
#include "workload/generate.h"

/** Most ranks of a skewed all-to-all: each has two lists of as many sizes. */
#define WEFT_GENERATE_MATRIX_RANKS 4096

/** Bytes by sender and receiver. */
struct weft_generate_matrix {
    uint64_t n;      /**< ranks */
    uint64_t *bytes; /**< n x n, a row for each sender; NULL: the all-to-all is even */
};

/** Makes the matrix of @p p, whose ranks are known. WEFT_E_INPUT: the file has another number of
 * rows or columns, or no whole numbers. Free it in any case. */
int weft_generate_matrix_make(const struct weft_generate_params *p,
                              struct weft_generate_matrix *out, struct weft_err *err);
void weft_generate_matrix_free(struct weft_generate_matrix *m);
/** Adds the sizes of @p rank to the newest collective of a trace. */
void weft_generate_matrix_sizes(const struct weft_generate_matrix *m, uint64_t rank,
                                struct weft_et_build *b);
/** What @p rank sends, bytes. */
uint64_t weft_generate_matrix_sum(const struct weft_generate_matrix *m, uint64_t rank);

#endif
