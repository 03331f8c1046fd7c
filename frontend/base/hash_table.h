/* SPDX-License-Identifier: GPL-2.0-only */
/* uthash, whose tables say `lost` in an element that they have no memory for. */
#ifndef WEFT_BASE_HASH_TABLE_H
#define WEFT_BASE_HASH_TABLE_H

#define HASH_NONFATAL_OOM 1
#define uthash_nonfatal_oom(elt) ((elt)->lost = true)

#include <stdbool.h>
#include <uthash.h>

#endif
