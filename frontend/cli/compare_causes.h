/* SPDX-License-Identifier: GPL-2.0-only */
/* What accounts for the difference between two runs: causes of waiting, ranks, links. */
#ifndef WEFT_CLI_COMPARE_CAUSES_H
#define WEFT_CLI_COMPARE_CAUSES_H

#include "plot/facts.h"

#include <stdio.h>

/** Prints it for the runs in two folders. Nothing where their tables say nothing. */
int weft_compare_causes(FILE *out, const char *const dirs[2], struct weft_err *err);

#endif
