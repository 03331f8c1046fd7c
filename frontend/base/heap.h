/* SPDX-License-Identifier: GPL-2.0-only */
/* Binary heaps in arrays of records: an entry moves to its place, up or down. */
#ifndef WEFT_BASE_HEAP_H
#define WEFT_BASE_HEAP_H

#include <stddef.h>

/**
 * Moves entry @p at of binary heap @p h up to its place. @p before: whether the record that one
 * pointer leads to comes before that of another.
 */
#define WEFT_HEAP_LIFT(h, at, before)                                                              \
    do {                                                                                           \
        const __typeof__(*(h)) moved_ = (h)[at];                                                   \
        size_t to_ = (at);                                                                         \
        for (; to_ > 0 && before(&moved_, &(h)[(to_ - 1) / 2]); to_ = (to_ - 1) / 2)               \
            (h)[to_] = (h)[(to_ - 1) / 2];                                                         \
        (h)[to_] = moved_;                                                                         \
    } while (0)

/** Moves entry @p at of binary heap @p h, of @p n records, down to its place. */
#define WEFT_HEAP_SINK(h, n, at, before)                                                           \
    do {                                                                                           \
        const __typeof__(*(h)) moved_ = (h)[at];                                                   \
        size_t to_ = (at);                                                                         \
        for (size_t child_; (child_ = 2 * to_ + 1) < (n); to_ = child_) {                          \
            child_ += child_ + 1 < (n) && before(&(h)[child_ + 1], &(h)[child_]);                  \
            if (!before(&(h)[child_], &moved_))                                                    \
                break;                                                                             \
            (h)[to_] = (h)[child_];                                                                \
        }                                                                                          \
        (h)[to_] = moved_;                                                                         \
    } while (0)

#endif
