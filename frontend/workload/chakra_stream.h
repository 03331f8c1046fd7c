/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The framing of Chakra files: messages behind their length as a base-128 varint, the whole
 * plain or gzip (told apart by the first two bytes, 1f 8b; no Chakra file starts with them,
 * because a header of 31 bytes begins with a field tag, 0a or 12).
 *
 * Offsets count bytes of the uncompressed stream. A file may end only between two messages.
 */
#ifndef WEFT_CHAKRA_STREAM_H
#define WEFT_CHAKRA_STREAM_H

#include "base/err.h"

#include <stdbool.h>

WEFT_C_BEGIN

/** Largest message accepted; a longer length is taken as a sign that the file is not a Chakra
 * trace. */
#define WEFT_CHAKRA_MESSAGE_MAX (UINT32_C(256) << 20)

struct weft_chakra_stream;

/** Opens a file. NULL on failure. @p path must outlive the stream. */
struct weft_chakra_stream *weft_chakra_open(const char *path, struct weft_err *err);
/** Opens bytes in memory, which must outlive the stream; @p name stands for the file in errors. */
struct weft_chakra_stream *weft_chakra_open_memory(const char *name, const void *data, size_t size,
                                                   struct weft_err *err);
/** NULL is allowed. */
void weft_chakra_close(struct weft_chakra_stream *s);
/** True when the file is gzip. */
bool weft_chakra_is_gzip(const struct weft_chakra_stream *s);
/** Bytes of the file taken in so far, as they lie there. */
uint64_t weft_chakra_taken(const struct weft_chakra_stream *s);
/**
 * The next message: 1 and *data, *size (valid until the next call; size may be 0) and *offset,
 * where its length prefix starts. 0 at the end of the file. WEFT_E_* on failure.
 */
int weft_chakra_next(struct weft_chakra_stream *s, const uint8_t **data, size_t *size,
                     int64_t *offset, struct weft_err *err);
/** Records an error at an offset of the stream, saying so when the file is gzip. Returns @p code.
 */
int weft_chakra_err(const struct weft_chakra_stream *s, struct weft_err *err, int code,
                    int64_t offset, const char *fmt, ...) __attribute__((format(printf, 5, 6)));

WEFT_C_END
#endif
