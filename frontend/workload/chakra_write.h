/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writing Chakra execution traces, wire format 0.0.4.
 *
 * Same trace, same bytes (the gzip header carries neither name nor time).
 */
#ifndef WEFT_CHAKRA_WRITE_H
#define WEFT_CHAKRA_WRITE_H

#include "workload/et.h"

WEFT_C_BEGIN

/** Receives the next bytes of a file. Returns 0 or WEFT_E_* with @p err filled. */
typedef int (*weft_chakra_put_fn)(void *ctx, const void *data, size_t size, struct weft_err *err);

/** Encodes a trace, uncompressed, into @p put. */
int weft_chakra_encode(const struct weft_et *et, weft_chakra_put_fn put, void *ctx,
                       struct weft_err *err);
/** Writes a trace to a file, gzip when @p path ends in ".gz". */
int weft_chakra_write_et(const struct weft_et *et, const char *path, struct weft_err *err);

WEFT_C_END
#endif
