/* SPDX-License-Identifier: GPL-2.0-only */
/* What most things of a kind have in common: the rate that most links of a tier have. */
#ifndef WEFT_BASE_USUAL_H
#define WEFT_BASE_USUAL_H

#include "base/err.h"

#include <stddef.h>
#include <stdint.h>

WEFT_C_BEGIN

/** One thing. */
struct weft_usual {
    uint64_t kind;
    double value;
    double usual;  /**< out: the value that most of its kind have; of several the largest */
    size_t others; /**< out: how many of its kind have another one */
};
/** Fills in what is out of @p n things. WEFT_E_LIMIT: no memory. */
int weft_usual_find(struct weft_usual *list, size_t n, struct weft_err *err);

WEFT_C_END
#endif
