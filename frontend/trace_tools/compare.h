/* SPDX-License-Identifier: GPL-2.0-only */
/* Two traces played on the same fabrics, side by side. */
#ifndef WEFT_CLI_TRACE_COMPARE_H
#define WEFT_CLI_TRACE_COMPARE_H

#include "trace_tools/trace.h"

#include <stdbool.h>

/** One side. */
struct weft_compared {
    const char *prefix; /**< of its files, without ".gz" */
    const char *groups; /**< file of its communicators; NULL: none */
};

/**
 * Plays both on some fabrics large enough for either and prints step time and exposed communication
 * (of the mean rank) of each, with the difference in terms of the first. o->set: more settings for
 * all runs, such as network.backend=packet. A run that does not finish is WEFT_E_OUTCOME.
 */
int weft_trace_compare_on_fabrics(const struct weft_cli *cli, const struct weft_strings *set,
                                  bool json, const struct weft_compared sides[2],
                                  struct weft_err *err);

#endif
