/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tables of series that are packed with Zstandard (RFC 8878): a table FILE is FILE or, packed,
 * FILE.zst, a sequence of frames. Of one that was cut, as a kill leaves it, what comes before the
 * cut is read.
 */
#ifndef WEFT_SERIES_PACKED_H
#define WEFT_SERIES_PACKED_H

#include "base/csv_read.h"
#include "base/rows.h"

WEFT_C_BEGIN

#define WEFT_SERIES_PACKED ".zst"
/** Largest window of a frame that is read, a power of two: 32 MiB, as of zstd --ultra -20. */
#define WEFT_SERIES_WINDOW_LOG 25
/** Most bytes of text per byte of a packed file that is read, above WEFT_BUDGET_MIN of text. A
 * frame can have 32,768; tables of weft have 5 to 50. */
#define WEFT_SERIES_RATIO 1000

/** Writes frames. */
extern const struct weft_rows_packer weft_series_packer;

/** Whether there is a table @p path, packed or not. */
bool weft_series_table_exists(const char *path);
/** weft_csv_reader_open() of a table, packed or not; where both are there, of the one that is not:
 * the other was not complete when its writer was killed. */
int weft_series_table_open(struct weft_csv_reader *r, const char *path, struct weft_err *err);
/** A stream of what the packed file @p path holds; reading fails with EBADMSG where that is
 * damaged, with EFBIG where it asks for a window of more than WEFT_SERIES_WINDOW_LOG or unpacks to
 * more than WEFT_SERIES_RATIO times as much. NULL: WEFT_E_INPUT, or WEFT_E_LIMIT. */
FILE *weft_series_unpack(const char *path, struct weft_err *err);

WEFT_C_END
#endif
