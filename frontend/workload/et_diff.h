/* SPDX-License-Identifier: GPL-2.0-only */
/* How two execution traces differ, node by node: nodes of one id are compared field by field. */
#ifndef WEFT_ET_DIFF_H
#define WEFT_ET_DIFF_H

#include "workload/et.h"

WEFT_C_BEGIN

/** One difference. */
struct weft_et_diff {
    const struct weft_et_node *a,
        *b; /**< NULL: there is no such node on that side; both NULL: of the trace itself */
    const char
        *field; /**< "name", "duration_micros", an attribute's name ...; NULL: the whole node */
    const struct weft_et_attr *x,
        *y; /**< an attribute's two values, NULL: it lacks there; both NULL: another field */
    const uint64_t *u,
        *v; /**< the two values of a field that is a number of microseconds; else NULL */
};

/** Is told of each difference. */
typedef void (*weft_et_diff_fn)(void *ctx, const struct weft_et_diff *d);

/**
 * Tells @p fn of all differences between @p a and @p b: those of the trace, then by ascending node
 * id. The order of nodes in a file and of attributes in a node does not count; the order of
 * dependencies does not either. Of nodes that share an id within a trace the first counts. 0, or
 * WEFT_E_LIMIT: out of memory.
 */
int weft_et_diff(const struct weft_et *a, const struct weft_et *b, weft_et_diff_fn fn, void *ctx,
                 struct weft_err *err);

WEFT_C_END
#endif
