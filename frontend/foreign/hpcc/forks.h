/* SPDX-License-Identifier: GPL-2.0-only */
/* Keys of forks of HPCC's simulator that stand for what weft does not model: forks.def. */
#ifndef WEFT_HPCC_FORKS_H
#define WEFT_HPCC_FORKS_H

#include "base/scan.h"

/** The row of a key, or -1. */
int weft_hpcc_fork_find(const char *key);
/** Reads the value of row @p row, whose key is the current token: what is off there is passed over,
 * all else refused by what the key means. */
int weft_hpcc_fork_read(struct weft_scan *s, int row, struct weft_err *err);

#endif
